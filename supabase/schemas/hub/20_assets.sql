-- The central registry: one row for each source that was ever published, shared or imported. Only is_visible means "public on the
-- hub": policies, indexes and functions test no other condition for that.
--
-- Triggers maintain every column that clients do not write, so that an edit in the dashboard is as safe as an RPC.
-- The lock order is in docs/design/locks.md.
create table public.hub_assets (
  id uuid not null default gen_random_uuid(),
  asset_type text not null,
  ref_id uuid not null,
  creator_id uuid,
  slug text not null,
  title text not null,
  description text,
  tags text[] not null default '{}',
  thumbnail_url text,
  source_asset_id uuid,
  parent_asset_id uuid,
  remix_depth integer not null default 0,
  is_public boolean not null default false,
  published_at timestamptz,
  is_hidden boolean not null default false,
  license text not null default 'platform-free',
  price_cents integer not null default 0,
  currency text,
  teaser text,
  payment_product_id text,
  install_count integer not null default 0,
  star_count integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  current_version integer not null default 0,
  attribution jsonb,
  hidden_reason text,
  hidden_at timestamptz,
  hidden_by_ban boolean not null default false,
  content_updated_at timestamptz,
  deleted_at timestamptz,
  pinned_version integer,
  organization_id uuid,
  shared_at timestamptz,
  picture text,
  is_visible boolean not null generated always as (is_public and not is_hidden and not hidden_by_ban and deleted_at is null) stored,
  is_shared boolean not null generated always as (
    organization_id is not null and not is_public and shared_at is not null and not is_hidden and not hidden_by_ban and deleted_at is null
  ) stored,
  constraint hub_assets_pkey primary key (id),
  constraint hub_assets_slug_key unique (slug),
  constraint hub_assets_source_item_key unique (asset_type, ref_id),
  constraint hub_assets_creator_id_fkey foreign key (creator_id) references auth.users (id) on delete set null,
  -- A second foreign key on the same column lets the API embed the creator's profile in a listing.
  constraint hub_assets_creator_profile_fkey foreign key (creator_id) references public.hub_profiles (user_id) on delete set null,
  constraint hub_assets_source_asset_id_fkey foreign key (source_asset_id) references public.hub_assets (id) on delete set null,
  constraint hub_assets_parent_asset_id_fkey foreign key (parent_asset_id) references public.hub_assets (id) on delete set null,
  constraint hub_assets_asset_type_check check (asset_type = any (private.asset_types())),
  constraint hub_assets_slug_check check (char_length(slug) <= 80 and slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  constraint hub_assets_title_check check (char_length(title) between 1 and 120),
  constraint hub_assets_description_check check (char_length(description) between 1 and 2000),
  constraint hub_assets_tags_check check (private.tags_are_valid(tags)),
  constraint hub_assets_thumbnail_url_check check (private.is_https_url(thumbnail_url)),
  constraint hub_assets_license_check check (license in ('cc0', 'cc-by', 'platform-free', 'paid')),
  constraint hub_assets_price_cents_check check (price_cents = 0 or (license = 'paid' and price_cents between 100 and 100000)),
  -- Requires a price only of public listings, because a copy of a bought asset has the license paid, too, but no price.
  constraint hub_assets_paid_check check (
    not is_public or license <> 'paid' or (price_cents > 0 and currency is not null and teaser is not null)
  ),
  constraint hub_assets_currency_check check (currency ~ '^[A-Z]{3}$'),
  constraint hub_assets_teaser_check check (char_length(teaser) between 1 and 2000),
  constraint hub_assets_counts_check check (install_count >= 0 and star_count >= 0),
  constraint hub_assets_pinned_version_check check (pinned_version >= 1),
  constraint hub_assets_current_version_check check (current_version >= 0),
  constraint hub_assets_public_check check (
    not is_public or (published_at is not null and current_version >= 1 and deleted_at is null)
  ),
  constraint hub_assets_shared_check check (
    shared_at is null or (organization_id is not null and current_version >= 1 and not is_public and deleted_at is null)
  ),
  constraint hub_assets_hidden_check check (is_hidden = (hidden_at is not null) and is_hidden = (hidden_reason is not null)),
  constraint hub_assets_hidden_reason_check check (
    hidden_reason in (
      'reports', 'moderator', 'organization_reports', 'organization', 'spam', 'inappropriate', 'copyright', 'malicious_code', 'other', 'removed'
    )
  ),
  constraint hub_assets_removed_check check (hidden_reason <> 'removed' or deleted_at is not null),
  constraint hub_assets_lineage_check check (
    remix_depth >= 0
    and (parent_asset_id is null or remix_depth >= 1)
    and source_asset_id <> id
    and parent_asset_id <> id
  ),
  constraint hub_assets_attribution_check check (
    jsonb_typeof(attribution) = 'object' and octet_length(attribution::text) <= 262144
  )
);
comment on table public.hub_assets is 'Central registry of the hub: listings, private rows of imported copies, and tombstones. Everybody sees the rows with is_visible, members of an organization those with is_shared.';
comment on column public.hub_assets.ref_id is 'The id of the source in the table of asset_type. No foreign key: a listing stays when its source is deleted.';
comment on column public.hub_assets.slug is 'Part of the permanent address of the listing. The slug is made at the first publication, and once more when a shared listing is first published for everybody; a copy that was never published has copy-<random>. Unique, also among tombstones.';
comment on column public.hub_assets.source_asset_id is 'The root of the lineage: the asset from which the first remix was made, also when other remixes lie between.';
comment on column public.hub_assets.parent_asset_id is 'The asset from which a remix was made directly. A copy that was imported for use gets its parent when it is published.';
comment on column public.hub_assets.published_at is 'When the listing was first published for everybody; republishing does not change it.';
comment on column public.hub_assets.is_hidden is 'Whether moderation hides the listing. Setting it to false restores the listing and dismisses its open reports.';
comment on column public.hub_assets.price_cents is 'The price in the minor unit of currency, such as cents; 0 unless the license is paid.';
comment on column public.hub_assets.teaser is 'The text of a paid listing that everybody reads instead of its content.';
comment on column public.hub_assets.payment_product_id is 'The id of the product at the payment provider, such as stripe:<product>; set when the listing is first published as paid.';
comment on column public.hub_assets.install_count is 'Number of distinct signed-in users, other than the creator, who imported the listing. Maintained by a trigger.';
comment on column public.hub_assets.star_count is 'Number of the listing''s rows in hub_stars. Maintained by a trigger.';
comment on column public.hub_assets.updated_at is 'The last change of the row, except changes of install_count, star_count and pinned_version.';
comment on column public.hub_assets.current_version is 'The version that readers see; 0 before the first publication. An operator may set this column back to an older stored version.';
comment on column public.hub_assets.attribution is 'What the listing was imported or remixed from: {root, parent, via: [...], claimed}. root, parent and each work in via are {id, title, slug, creator_id, license, version, remix_depth}; claimed is what an imported file says about its original. Later, an update of a copy changes only versions and adds works, and a publication for everybody leaves out the creator''s own shared works.';
comment on column public.hub_assets.hidden_reason is 'Why the listing is hidden: reports (the threshold was reached) or moderator; on a shelf organization_reports or organization; the reason of an upheld report; or removed. The creator can read it.';
comment on column public.hub_assets.hidden_by_ban is 'True while the creator is banned, which hides the listing. Maintained from private.hub_bans; kept when a banned creator deletes the account.';
comment on column public.hub_assets.content_updated_at is 'When the current version was published.';
comment on column public.hub_assets.deleted_at is 'When the listing became a tombstone: its content is deleted, id and slug stay. Setting this column makes triggers delete the content.';
comment on column public.hub_assets.pinned_version is 'For a copy: the version of the imported listing to which the owner has pinned the copy, so that newer versions are not announced. Null: newer versions are announced.';
comment on column public.hub_assets.organization_id is 'The organization in which the listing is or was shared. Stays when the listing is taken off the shelf or the organization is closed. Null: the listing was never shared, or it has been published for everybody since. No foreign key: content for members only stays private when the organization is gone.';
comment on column public.hub_assets.shared_at is 'When the listing was put on the shelf of its organization; null while the listing is on no shelf.';
comment on column public.hub_assets.is_shared is 'True while the listing is on the shelf of its organization, where only members see it.';
comment on column public.hub_assets.picture is 'SHA-256 of the listing''s picture in hub_pictures; null without a picture. Maintained by a trigger.';
comment on column public.hub_assets.is_visible is 'True while the listing is public on the hub: policies, indexes and functions use no other predicate for that.';
alter table public.hub_assets enable row level security;
revoke all on table public.hub_assets from public, anon, authenticated, service_role;
grant select on table public.hub_assets to anon, authenticated, service_role;
grant update (title, description, tags, thumbnail_url) on table public.hub_assets to authenticated;

create index hub_assets_creator_id_idx on public.hub_assets (creator_id);
create index hub_assets_source_asset_id_idx on public.hub_assets (source_asset_id) where source_asset_id is not null;
create index hub_assets_parent_asset_id_idx on public.hub_assets (parent_asset_id) where parent_asset_id is not null;
create index hub_assets_newest_idx on public.hub_assets (published_at desc, id desc) where is_visible;
create index hub_assets_recently_updated_idx on public.hub_assets (content_updated_at desc, id desc) where is_visible;
create index hub_assets_most_installed_idx on public.hub_assets (install_count desc, id desc) where is_visible;
create index hub_assets_most_starred_idx on public.hub_assets (star_count desc, id desc) where is_visible;
create index hub_assets_creator_newest_idx on public.hub_assets (creator_id, published_at desc, id desc) where is_visible;
create index hub_assets_organization_id_idx on public.hub_assets (organization_id) where organization_id is not null;
create index hub_assets_shelf_newest_idx on public.hub_assets (organization_id, shared_at desc, id desc) where is_shared;
create index hub_assets_shelf_updated_idx on public.hub_assets (organization_id, content_updated_at desc, id desc) where is_shared;
create index hub_assets_shelf_installed_idx on public.hub_assets (organization_id, install_count desc, id desc) where is_shared;
create index hub_assets_shelf_starred_idx on public.hub_assets (organization_id, star_count desc, id desc) where is_shared;

create policy hub_assets_select_anon on public.hub_assets for select to anon using (is_visible);
create policy hub_assets_select on public.hub_assets for select to authenticated
using (
  is_visible
  or (is_shared and organization_id = any (array(select private.member_organization_ids())))
  or (deleted_at is null and (creator_id = (select auth.uid()) or (select private.is_admin())))
  -- Owners and admins of an organization see the listings that members' reports have hidden, because they decide about the
  -- reports.
  or (shared_at is not null and not hidden_by_ban and organization_id = any (array(select private.led_organization_ids())))
  -- A bought listing stays readable when its creator unpublishes it.
  or (deleted_at is null and id = any (array(select private.my_paid_content())))
);
create policy hub_assets_update on public.hub_assets for update to authenticated
using (
  deleted_at is null and creator_id = (select auth.uid()) and (select private.is_member())
  -- A creator who has left the organization cannot edit a listing on its shelf.
  and (shared_at is null or organization_id = any (array(select private.member_organization_ids())))
)
with check (creator_id = (select auth.uid()));
create policy hub_assets_service_select on public.hub_assets for select to service_role using (true);

create function private.is_seen_by(asset public.hub_assets, user_id uuid)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  select (is_seen_by.asset).is_visible
    or ((is_seen_by.asset).is_shared and private.is_member_of(is_seen_by.user_id, (is_seen_by.asset).organization_id));
$$;
comment on function private.is_seen_by is 'Returns whether a user sees a listing as a reader: the listing is visible, or it is on the shelf of one of the user''s organizations.';
revoke execute on function private.is_seen_by from public, anon, authenticated, service_role;

create function private.unshare_all()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- Locks assets in the order of their ids, so that two writers who lock several assets do not deadlock.
  perform from public.hub_assets a where a.organization_id = old.id and a.shared_at is not null order by a.id for no key update;
  update public.hub_assets a set shared_at = null where a.organization_id = old.id and a.shared_at is not null;
  return null;
end;
$$;
comment on function private.unshare_all is 'Takes the listings of a closed organization off its shelf; only their creators see them then.';
revoke execute on function private.unshare_all from public, anon, authenticated, service_role;

create trigger organizations_unshare_all
after delete on public.organizations
for each row execute function private.unshare_all();
