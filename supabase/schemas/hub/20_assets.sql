-- The central registry: one row for each source item that was ever published or imported. is_visible is the one meaning
-- of "public on the hub"; policies, indexes and functions ask nothing else.
--
-- Everything that is not a client's to write is kept true by triggers, so that a dashboard edit is as safe as an RPC.
-- What locks what, and in which order, stands in docs/design/locks.md.
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
  is_visible boolean not null generated always as (is_public and not is_hidden and not hidden_by_ban and deleted_at is null) stored,
  constraint hub_assets_pkey primary key (id),
  constraint hub_assets_slug_key unique (slug),
  constraint hub_assets_source_item_key unique (asset_type, ref_id),
  constraint hub_assets_creator_id_fkey foreign key (creator_id) references auth.users (id) on delete set null,
  -- Beside the one above: what embeds the creator's profile.
  constraint hub_assets_creator_profile_fkey foreign key (creator_id) references public.hub_profiles (user_id) on delete set null,
  constraint hub_assets_source_asset_id_fkey foreign key (source_asset_id) references public.hub_assets (id) on delete set null,
  constraint hub_assets_parent_asset_id_fkey foreign key (parent_asset_id) references public.hub_assets (id) on delete set null,
  constraint hub_assets_asset_type_check check (asset_type in ('orchestration', 'template', 'component', 'ai_preset')),
  constraint hub_assets_slug_check check (char_length(slug) <= 80 and slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  constraint hub_assets_title_check check (char_length(title) between 1 and 120),
  constraint hub_assets_description_check check (char_length(description) between 1 and 2000),
  constraint hub_assets_tags_check check (private.tags_are_valid(tags)),
  constraint hub_assets_thumbnail_url_check check (private.is_https_url(thumbnail_url)),
  constraint hub_assets_license_check check (license in ('cc0', 'cc-by', 'platform-free', 'paid')),
  constraint hub_assets_price_cents_check check (price_cents >= 0 and (price_cents = 0 or license = 'paid')),
  constraint hub_assets_counts_check check (install_count >= 0 and star_count >= 0),
  constraint hub_assets_current_version_check check (current_version >= 0),
  constraint hub_assets_public_check check (
    not is_public or (published_at is not null and current_version >= 1 and deleted_at is null)
  ),
  constraint hub_assets_hidden_check check (is_hidden = (hidden_at is not null) and is_hidden = (hidden_reason is not null)),
  constraint hub_assets_hidden_reason_check check (
    hidden_reason in ('reports', 'moderator', 'spam', 'inappropriate', 'copyright', 'malicious_code', 'other', 'removed')
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
comment on table public.hub_assets is 'Central registry of the hub: listings, private rows of imported copies, and tombstones. Readers see what is_visible says.';
comment on column public.hub_assets.ref_id is 'The row of the source table that asset_type names. No foreign key: a listing outlives its source.';
comment on column public.hub_assets.slug is 'Part of the permalink; made at the first publication, never given to another row while this one exists.';
comment on column public.hub_assets.source_asset_id is 'The root original, whatever the depth.';
comment on column public.hub_assets.parent_asset_id is 'The direct parent of a remix.';
comment on column public.hub_assets.published_at is 'First publication; republishing never moves it.';
comment on column public.hub_assets.is_hidden is 'Taken off by moderation. Clearing it is Restore: open reports are dismissed.';
comment on column public.hub_assets.install_count is 'Distinct signed-in users other than the creator who imported it. Kept by trigger.';
comment on column public.hub_assets.star_count is 'Rows of hub_stars. Kept by trigger.';
comment on column public.hub_assets.updated_at is 'Any change of the row but of its counters.';
comment on column public.hub_assets.current_version is 'The version that readers see; 0 until first published. An operator may set it back to a stored one.';
comment on column public.hub_assets.attribution is 'Whom this was imported or remixed from: {root, parent, via: [...], claimed}; root, parent and each of via are {id, title, slug, creator_id, license, version, remix_depth}. Written once.';
comment on column public.hub_assets.hidden_reason is 'reports, moderator, the category of an upheld report, or removed. The owner sees it.';
comment on column public.hub_assets.hidden_by_ban is 'The creator is banned. Follows private.hub_bans; stays when a banned creator deletes the account.';
comment on column public.hub_assets.content_updated_at is 'When the current version was published.';
comment on column public.hub_assets.deleted_at is 'A tombstone: the content is gone, the id and the slug stay. Setting it does the rest.';
comment on column public.hub_assets.is_visible is 'Public on the hub: the one predicate for policies, indexes and functions.';
alter table public.hub_assets enable row level security;
revoke all on table public.hub_assets from public, anon, authenticated, service_role;
grant select on table public.hub_assets to anon, authenticated, service_role;
grant update (title, description, tags, thumbnail_url) on table public.hub_assets to authenticated;

create index hub_assets_creator_id_idx on public.hub_assets (creator_id);
create index hub_assets_source_asset_id_idx on public.hub_assets (source_asset_id) where source_asset_id is not null;
create index hub_assets_parent_asset_id_idx on public.hub_assets (parent_asset_id) where parent_asset_id is not null;
create index hub_assets_newest_idx on public.hub_assets (published_at desc, id desc) where is_visible;

create policy hub_assets_select_anon on public.hub_assets for select to anon using (is_visible);
create policy hub_assets_select on public.hub_assets for select to authenticated
using (is_visible or (deleted_at is null and (creator_id = (select auth.uid()) or (select private.is_admin()))));
create policy hub_assets_update on public.hub_assets for update to authenticated
using (deleted_at is null and creator_id = (select auth.uid()) and (select private.is_member()))
with check (creator_id = (select auth.uid()));
create policy hub_assets_service_select on public.hub_assets for select to service_role using (true);
