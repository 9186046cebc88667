// Made from packages/core/src/hub/contracts by: npm run generate. Do not edit.

export type AssetType = "orchestration" | "template" | "component" | "ai_preset";

export type License = "platform-free" | "cc0" | "cc-by" | "paid";

export interface Creator {
  username: string;
  avatar_url: string | null;
  verified: boolean;
}

export interface Card {
  id: string;
  slug: string;
  asset_type: AssetType;
  title: string;
  description: string | null;
  tags: Array<string>;
  thumbnail_url: string | null;
  picture: string | null;
  license: License;
  price_cents: number;
  currency: string | null;
  creator: Creator | null;
  install_count: number;
  star_count: number;
  published_at: string | null;
  content_updated_at: string | null;
  remix_depth: number;
}

export interface CardList {
  items: Array<Card>;
}

export interface ListingRow {
  id: string;
  slug: string;
  asset_type: AssetType;
  title: string;
  description: string | null;
  tags: Array<string>;
  thumbnail_url: string | null;
  picture: string | null;
  license: License;
  price_cents: number;
  currency: string | null;
  creator: Creator | null;
  install_count: number;
  star_count: number;
  published_at: string | null;
  content_updated_at: string | null;
  remix_depth: number;
  version: number;
}

export type SearchSort = "newest" | "recently_updated" | "most_installed" | "most_starred" | "relevance";

export type Cardinality = "1to1" | "1toN" | "batch";

export interface SearchRequest {
  q?: string | undefined;
  types?: Array<AssetType> | undefined;
  tags?: Array<string> | undefined;
  model?: string | undefined;
  cardinality?: Cardinality | undefined;
  license?: License | undefined;
  creator?: string | undefined;
  sort?: SearchSort | undefined;
  cursor?: string | null | undefined;
  page_size?: number | undefined;
}

export interface SearchPage {
  items: Array<Card>;
  next_cursor: string | null;
}

export interface Facets {
  complete: boolean;
  types: Array<{ value: AssetType; count: number }>;
  licenses: Array<{ value: License; count: number }>;
  tags: Array<{ value: string; count: number }>;
  models: Array<{ value: string; count: number }>;
}

export interface FacetedPage {
  items: Array<Card>;
  next_cursor: string | null;
  facets: Facets;
}

export interface Categories {
  items: Array<{ tag: string; kind: "use-case" | "domain"; count: number }>;
}

export interface CreatorCard {
  username: string;
  display_name: string | null;
  avatar_url: string | null;
  verified: boolean;
  member_since: string;
  published_assets: number;
  total_installs: number;
  total_stars: number;
}

export interface CreatorList {
  items: Array<CreatorCard>;
  next_cursor: string | null;
}

export interface CreatorPage {
  username: string;
  display_name: string | null;
  avatar_url: string | null;
  verified: boolean;
  member_since: string;
  published_assets: number;
  total_installs: number;
  total_stars: number;
  items: Array<Card>;
  next_cursor: string | null;
}

export interface Finding {
  rule: string;
  severity: "high" | "medium" | "low";
  line: number;
  column: number;
  excerpt: string;
  path: string;
}

export interface Scan {
  overridden: boolean;
  findings: Array<Finding>;
}

export type Payload = Record<string, unknown>;

export interface Origin {
  id: string;
  title: string;
  slug: string;
  creator_id: string | null;
  license: License;
  version: number;
  remix_depth?: number | undefined;
  organization_id?: string | undefined;
}

export interface Claim {
  title: string;
  creator: string | null;
  license?: License | undefined;
  root?: { title: string; creator: string | null; license?: License | undefined } | undefined;
  via?: Array<{ title: string; creator: string | null; license?: License | undefined }> | undefined;
}

export interface Lineage {
  root?: Origin | undefined;
  parent?: Origin | undefined;
  via?: Array<Origin> | undefined;
  claimed?: Claim | undefined;
}

export interface ShownOrigin {
  id: string;
  title: string;
  slug: string;
  license: License;
  version: number;
  remix_depth?: number | undefined;
  creator: Creator | null;
  available: boolean;
  deleted: boolean;
}

export interface ShownAttribution {
  root: ShownOrigin | null;
  parent: ShownOrigin | null;
  via?: Array<ShownOrigin> | undefined;
  claimed?: Claim | undefined;
  text: string;
}

export interface BundleItem {
  asset_type: AssetType;
  ref_id: string;
  title: string;
  payload: Payload;
  sha256: string;
  license: License;
  lineage: Lineage | null;
  attribution: ShownAttribution | null;
}

export interface Asset {
  id: string;
  slug: string;
  asset_type: AssetType;
  title: string;
  description: string | null;
  tags: Array<string>;
  thumbnail_url: string | null;
  picture: string | null;
  license: License;
  price_cents: number;
  currency: string | null;
  creator: Creator | null;
  install_count: number;
  star_count: number;
  published_at: string | null;
  content_updated_at: string | null;
  remix_depth: number;
  deleted: false;
  is_visible: boolean;
  organization: Organization | null;
  version_organization_id: string | null;
  teaser: string | null;
  readable: boolean;
  creator_id: string | null;
  source_asset_id: string | null;
  parent_asset_id: string | null;
  remix_count: number;
  lineage: Lineage | null;
  attribution: ShownAttribution | null;
  current_version: number;
  versions: Array<{
    version: number;
    license: License;
    created_at: string;
    label: string | null;
    yanked: boolean;
  }>;
  version: number | null;
  version_license: License | null;
  label: string | null;
  changelog: string | null;
  yanked: boolean | null;
  yank_reason: string | null;
  payload: Payload | null;
  sha256: string | null;
  scan: Scan | null;
  items: Array<BundleItem>;
}

export interface Tombstone {
  id: string;
  slug: string;
  asset_type: AssetType;
  title: string;
  license: License;
  creator: Creator | null;
  remix_depth: number;
  attribution: ShownAttribution | null;
  deleted: true;
}

export interface BareTombstone {
  deleted: true;
}

export type AssetAnswer = Asset | Tombstone | BareTombstone;

export interface RemixPage {
  items: Array<{
    id: string;
    slug: string;
    asset_type: AssetType;
    title: string;
    description: string | null;
    tags: Array<string>;
    thumbnail_url: string | null;
    picture: string | null;
    license: License;
    price_cents: number;
    currency: string | null;
    creator: Creator | null;
    install_count: number;
    star_count: number;
    published_at: string | null;
    content_updated_at: string | null;
    remix_depth: number;
    direct: boolean;
    parent_asset_id: string | null;
  }>;
  next_cursor: string | null;
}

export type Versions = Array<{
  version: number;
  label: string | null;
  changelog: string | null;
  license: License;
  sha256: string | null;
  published_at: string;
  yanked: boolean;
  yank_reason: string | null;
  readable: boolean;
}>;

export type Update =
  | {
      kind: "newer_version";
      id: string;
      asset_type: AssetType;
      ref_id: string;
      title: string;
      source: {
        id: string;
        slug: string;
        title: string;
        version: number;
        current_version: number;
        label: string | null;
        changelog: string | null;
      };
    }
  | {
      kind: "yanked";
      id: string;
      asset_type: AssetType;
      ref_id: string;
      title: string;
      source: {
        id: string;
        slug: string;
        title: string;
        version: number;
        current_version: number;
        reason: string | null;
      };
    }
  | {
      kind: "malicious_code" | "removed";
      id: string;
      asset_type: AssetType;
      ref_id: string;
      title: string;
      source: { id: string; slug: string; title: string; version: number };
    };

export type Updates = Array<Update>;

export interface RestoredCopy {
  id: string;
  asset_type: AssetType;
  ref_id: string;
  title: string;
  version: number;
}

export interface PublishBody {
  asset_type: "orchestration" | "template" | "component" | "ai_preset";
  ref_id: string;
  title: string;
  description: string;
  tags?: Array<string> | undefined;
  license: "platform-free" | "cc0" | "cc-by" | "paid";
  thumbnail_url?: string | null | undefined;
  label?: string | null | undefined;
  changelog?: string | null | undefined;
  organization?: string | null | undefined;
  price_cents?: number | null | undefined;
  currency?: string | null | undefined;
  teaser?: string | null | undefined;
  mode?: "pipeline" | "bundle" | null | undefined;
  items?:
    | Array<{ asset_type: "orchestration" | "template" | "component" | "ai_preset"; ref_id: string }>
    | null
    | undefined;
  scan_token?: string | null | undefined;
  dry_run?: boolean | null | undefined;
}

export interface AssetRow {
  id: string;
  asset_type: AssetType;
  ref_id: string;
  creator_id: string | null;
  slug: string;
  title: string;
  description: string | null;
  tags: Array<string>;
  thumbnail_url: string | null;
  picture: string | null;
  license: License;
  price_cents: number;
  currency: string | null;
  teaser: string | null;
  payment_product_id: string | null;
  source_asset_id: string | null;
  parent_asset_id: string | null;
  remix_depth: number;
  attribution: Lineage | null;
  is_public: boolean;
  is_hidden: boolean;
  hidden_by_ban: boolean;
  hidden_reason: string | null;
  hidden_at: string | null;
  is_visible: boolean;
  organization_id: string | null;
  shared_at: string | null;
  is_shared: boolean;
  pinned_version: number | null;
  install_count: number;
  star_count: number;
  current_version: number;
  published_at: string | null;
  deleted_at: string | null;
  created_at: string;
  updated_at: string;
  content_updated_at: string | null;
}

export interface OwnPicture {
  media_type: string;
  bytes: string;
}

export interface SetPicture {
  id: string;
  picture: string | null;
}

export interface Published {
  asset: AssetRow;
  version: number;
  label: string | null;
  changelog: string | null;
  permalink: string;
  same_as: string | null;
  redactions: Array<{ path: string; rule: string }>;
  findings: Array<Finding>;
}

export interface Preview {
  asset: {
    id?: string | undefined;
    asset_type: AssetType;
    ref_id: string;
    creator_id: string | null;
    slug: string;
    title: string;
    description: string | null;
    tags: Array<string>;
    thumbnail_url: string | null;
    picture: string | null;
    license: License;
    price_cents: number;
    currency: string | null;
    teaser: string | null;
    payment_product_id: string | null;
    source_asset_id: string | null;
    parent_asset_id: string | null;
    remix_depth: number;
    attribution: Lineage | null;
    is_public: boolean;
    is_hidden: boolean;
    hidden_by_ban: boolean;
    hidden_reason: string | null;
    hidden_at: string | null;
    is_visible: boolean;
    organization_id: string | null;
    is_shared: boolean;
    pinned_version: number | null;
    install_count: number;
    star_count: number;
    current_version: number;
    published_at?: string | null | undefined;
    deleted_at: string | null;
    created_at?: string | undefined;
  };
  version: number;
  label: string | null;
  changelog: string | null;
  permalink: string;
  same_as: string | null;
  redactions: Array<{ path: string; rule: string }>;
  findings: Array<Finding>;
  hints: Array<{ path: string; reason: "random_word" }>;
  payload: Payload;
  sha256: string;
  license: License;
  scan: Scan | null;
  items: Array<{
    position: number;
    asset_type: AssetType;
    ref_id: string;
    title: string;
    payload: Payload;
    sha256: string;
    license: License;
    attribution: Lineage | null;
  }>;
  dry_run: true;
}

export interface Archive {
  format: "keyhub.asset";
  format_version: 1;
  asset_type: "orchestration" | "template" | "component" | "ai_preset";
  title: string;
  description: string | null;
  tags: Array<string>;
  license: "platform-free" | "cc0" | "cc-by" | "paid";
  payload: Record<string, unknown>;
  items: Array<ArchiveItem>;
  attribution: ArchiveAttribution | null;
  sha256: string;
}

export interface ArchiveItem {
  asset_type: "orchestration" | "template" | "component" | "ai_preset";
  ref_id: string;
  title: string;
  payload: Record<string, unknown>;
  license: "platform-free" | "cc0" | "cc-by" | "paid";
  attribution: ArchiveAttribution | null;
  sha256: string;
}

export interface ArchiveOrigin {
  id: string;
  title: string;
  slug: string;
  creator: string | null;
  creator_id: string | null;
  license: "platform-free" | "cc0" | "cc-by" | "paid";
  version: number;
  remix_depth: number;
}

export interface ArchiveAttribution {
  root?: ArchiveOrigin | undefined;
  parent?: ArchiveOrigin | undefined;
  via?: Array<ArchiveOrigin> | undefined;
  claimed?:
    | {
        title: string;
        creator: string | null;
        license?: "platform-free" | "cc0" | "cc-by" | "paid" | undefined;
        root?:
          | {
              title: string;
              creator: string | null;
              license?: "platform-free" | "cc0" | "cc-by" | "paid" | undefined;
            }
          | undefined;
        via?:
          | Array<{
              title: string;
              creator: string | null;
              license?: "platform-free" | "cc0" | "cc-by" | "paid" | undefined;
            }>
          | undefined;
      }
    | undefined;
}

export type Warning =
  | { code: "scan_overridden"; message: string; findings?: Array<Finding> | undefined }
  | { code: "newer_version"; message: string; current_version: number }
  | {
      code: "credit_required";
      message: string;
      titles: Array<string>;
      credits: Array<{ title: string; creator: string | null }>;
    }
  | { code: "platform_only"; message: string; titles: Array<string> }
  | { code: "models_needed"; message: string; models: Array<string> }
  | { code: "keys_needed"; message: string; keys: Array<string> }
  | { code: "hosts_contacted"; message: string; hosts: Array<string> }
  | {
      code: "setup_needed";
      message: string;
      requirements: Array<{
        kind: "credential" | "model" | "package" | "setting" | "version" | "license";
        name: string;
      }>;
    }
  | { code: "lineage_claimed"; message: string }
  | { code: "name_taken"; message: string; wanted: string; title: string };

export interface CloudImport {
  stored: "cloud";
  created: Array<{
    asset_type: AssetType;
    table: "orchestrator_configs" | "prompt_templates" | "custom_components" | "ai_model_settings";
    id: string | null;
    hub_asset_id: string | null;
    title: string;
  }>;
  attribution: ArchiveAttribution | null;
  warnings: Array<Warning>;
  dry_run?: true | undefined;
}

export interface LocalImport {
  stored: "local";
  document: Archive;
  further?: Array<Archive> | undefined;
  warnings: Array<Warning>;
  dry_run?: true | undefined;
}

export type ImportAnswer = CloudImport | LocalImport;

export interface FormatList {
  formats: Array<{ id: string; name: string; asset_type: AssetType; extension: string }>;
}

export type ReportReason = "spam" | "inappropriate" | "copyright" | "malicious_code" | "other";

export type ReportOutcome = "upheld" | "dismissed";

export type ReviewQueue = Array<{
  asset_id: string;
  asset_type: AssetType;
  slug: string;
  title: string;
  creator_id: string | null;
  creator_username: string | null;
  creator_banned: boolean;
  is_public: boolean;
  is_hidden: boolean;
  hidden_reason: string | null;
  hidden_at: string | null;
  deleted_at: string | null;
  current_version: number;
  reviewed_version: number | null;
  open_reports: number;
  counting_reports: number;
  reports: Array<{
    id: string;
    reason: ReportReason;
    details: string | null;
    work_url: string | null;
    work_holder: string | null;
    version: number | null;
    counts: boolean;
    created_at: string;
    reporter_id: string | null;
  }>;
}>;

export type Decisions = Array<{
  id: number;
  action: "hidden" | "removed" | "banned";
  at: string;
  category: string | null;
  note: string | null;
  version: number | null;
  in_force: boolean;
  asset_id: string | null;
  asset_type: AssetType | null;
  title: string | null;
  appeal: {
    id: string;
    state: "open" | "accepted" | "rejected";
    body: string;
    created_at: string;
    answer: string | null;
    resolved_at: string | null;
  } | null;
}>;

export type OpenAppeals = Array<{
  id: string;
  created_at: string;
  body: string;
  action: "hidden" | "removed" | "banned";
  decided_at: string;
  category: string | null;
  note: string | null;
  version: number | null;
  asset_id: string | null;
  asset_type: AssetType | null;
  slug: string | null;
  title: string | null;
  user_id: string;
  username: string | null;
}>;

export interface Organization {
  id: string;
  slug: string;
  name: string;
}

export type OrganizationRole = "owner" | "admin" | "member";

export type OwnOrganizations = Array<{
  id: string;
  slug: string;
  name: string;
  role: OrganizationRole;
  since: string;
  members: number;
}>;

export interface InvitationTo {
  name: string;
}

export interface MadeInvitation {
  id: string;
  token: string;
  expires_at: string;
}

export type Invitations = Array<{
  id: string;
  role: "admin" | "member";
  for_address: boolean;
  invited_by: string | null;
  created_at: string;
  expires_at: string;
  max_uses: number;
  used: number;
  live: boolean;
}>;

export type OrganizationQueue = Array<{
  asset_id: string;
  asset_type: AssetType;
  slug: string;
  title: string;
  creator: Creator | null;
  is_hidden: boolean;
  hidden_reason: string | null;
  open_reports: number;
  reports: Array<{ reason: ReportReason; details: string | null; version: number; created_at: string }>;
}>;

export type Purchases = Array<{
  order_id: string;
  asset_id: string;
  title: string;
  slug: string | null;
  asset_type: AssetType | null;
  price_cents: number;
  currency: string;
  refunded_cents: number;
  state: OrderState;
  readable: boolean;
  created_at: string;
  paid_at: string | null;
}>;

export type Revenue = Array<{
  day: string;
  asset_id: string;
  title: string;
  slug: string | null;
  asset_type: AssetType | null;
  currency: string;
  sales: number;
  gross_cents: number;
  fee_cents: number;
  refunds_cents: number;
  net_cents: number;
}>;

export interface OrderPage {
  items: Array<{
    id: string;
    state: OrderState;
    title: string;
    slug: string | null;
    asset_type: AssetType | null;
    price_cents: number;
    currency: string;
    refunded_cents: number;
    fee_cents: number;
    created_at: string;
    paid_at: string | null;
    buyer: string | null;
    creator: string | null;
  }>;
  next_cursor: string | null;
}

export type OrderState = "open" | "expired" | "paid" | "disputed" | "lost" | "refunded";

export interface CheckoutAnswer {
  url: string | null;
  order_id: string | null;
  state: "open" | "expired" | "paid" | "disputed" | "lost" | "refunded" | null;
  charges_enabled: boolean | null;
}
