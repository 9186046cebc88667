/** What the pages read of the hub. Dates are ISO 8601 texts. */
export const ASSET_TYPES = ["orchestration", "template", "component", "ai_preset"] as const;
export type AssetType = (typeof ASSET_TYPES)[number];
export const LICENSES = ["platform-free", "cc0", "cc-by", "paid"] as const;
export type License = (typeof LICENSES)[number];

export interface Creator {
  username: string;
  avatar_url: string | null;
}

/** The fields of a card, in every list. */
export interface Card {
  id: string;
  slug: string;
  asset_type: AssetType;
  title: string;
  description: string | null;
  tags: string[];
  thumbnail_url: string | null;
  license: License;
  /** Null when the account is deleted or banned. */
  creator: Creator | null;
  install_count: number;
  star_count: number;
  published_at: string | null;
  content_updated_at: string | null;
  remix_depth: number;
}

export interface Facet {
  value: string;
  count: number;
}

export interface Facets {
  /** False when only the first 1,000 listings of the result were counted. */
  complete: boolean;
  types: Facet[];
  licenses: Facet[];
  tags: Facet[];
  models: Facet[];
}

export interface Page {
  items: Card[];
  next_cursor: string | null;
  facets?: Facets;
}

export interface Category {
  tag: string;
  kind: "use-case" | "domain";
  count: number;
}

export interface CreatorPage extends Page {
  username: string;
  display_name: string | null;
  avatar_url: string | null;
  member_since: string;
  published_assets: number;
  total_installs: number;
  total_stars: number;
}

/** One end of a lineage: the original, the direct parent, or an author in between. */
export interface Source {
  id: string;
  slug: string;
  title: string;
  license: License;
  version: number;
  creator: Creator | null;
  deleted: boolean;
  /** False when the page of this source cannot be opened by everybody. */
  available: boolean;
}

export interface Attribution {
  /** The sentence to show. */
  text: string;
  root: Source | null;
  parent: Source | null;
  /** Further authors whose content is inside, through kits. */
  via?: Source[];
}

/** A snapshot inside a bundle or a kit. */
export interface Item {
  asset_type: AssetType;
  ref_id: string;
  title: string;
  payload: Record<string, unknown>;
  license: License | null;
  attribution: Attribution | null;
}

export interface Finding {
  rule: string;
  severity: string;
  line: number;
  column: number;
  excerpt: string;
}

/** `hub_asset`: one listing with its content. */
export interface Asset extends Card {
  deleted: false;
  is_visible: boolean;
  sha256: string;
  version: number;
  version_license: License;
  current_version: number;
  versions: { version: number; license: License; created_at: string }[];
  payload: Record<string, unknown>;
  items: Item[];
  scan: { findings?: Finding[] } | null;
  attribution: Attribution | null;
  remix_count: number;
}

/** `hub_asset` of a deleted listing: what its remixes still name; nothing when moderation had hidden it. */
export interface Tombstone {
  deleted: true;
  id?: string;
  slug?: string;
  title?: string;
  asset_type?: AssetType;
  creator?: Creator | null;
}
