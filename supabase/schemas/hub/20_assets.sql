-- The central registry: one row for each source item that was ever published or imported. is_visible is the one meaning
-- of "public on the hub"; policies, indexes and functions ask nothing else.
--
-- Everything that is not a client's to write is kept true by triggers, so that a dashboard edit is as safe as an RPC.
-- What locks what, and in which order, stands in docs/hub-locks.md.
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

-- An edit is judged by what it changes: what stands in a row already, such as a placeholder that looks like a secret, blocks no
-- edit of anything else. Secrets are looked for in what is stored in the end as well as in what was sent.
create function private.hub_assets_check_text()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  edited constant boolean := (select auth.uid()) is not null;
  before public.hub_assets;
  sent_tags constant text[] := new.tags;
  faults jsonb := '[]';
  secrets jsonb := '[]';
begin
  -- Row level security has left only rows of the caller by now; functions have asked before.
  -- guard: hub: edits by a banned owner
  -- without: if tg_op = 'UPDATE' and new.creator_id = (select auth.uid()) and false then
  if tg_op = 'UPDATE' and new.creator_id = (select auth.uid()) and private.is_banned(new.creator_id) then
  -- end
    raise exception using errcode = 'PT403', message = 'banned';
  end if;
  if tg_op = 'UPDATE' then
    before := old;
  end if;
  -- Sizes first: normalising takes the square of a long run of combining marks, and nothing can stop it.
  if octet_length(new.title) > 4000 then
    faults := faults || private.fault('title', 'invalid_length', 'must be 1 to 120 visible characters');
  end if;
  if octet_length(new.description) > 40000 then
    faults := faults || private.fault('description', 'too_big', 'must be at most 2000 visible characters');
  end if;
  if cardinality(new.tags) > 100 or octet_length(array_to_string(new.tags, '')) > 20000
    or exists (select from unnest(new.tags) u (tag) where octet_length(u.tag) > 1000)
  then
    faults := faults || private.fault('tags', 'invalid_format', 'must be at most 20 tags of 1 to 64 letters, digits and + . _ : / -');
  end if;
  if octet_length(new.thumbnail_url) > 4000 then
    faults := faults || private.fault('thumbnail_url', 'invalid_format', 'must be an https address of at most 2048 characters');
  end if;
  perform private.refuse_faults(faults);

  -- guard: hub: an edit is not judged by the title it leaves
  -- without: if true then
  if tg_op = 'INSERT' or new.title is distinct from before.title then
  -- end
    new.title := private.clean(new.title);
    if new.title is null or char_length(new.title) not between 1 and 120 then
      faults := faults || private.fault('title', 'invalid_length', 'must be 1 to 120 visible characters');
    -- guard: hub: no title holds what nobody sees
    -- without: elsif false then
    elsif private.has_odd_characters(new.title) then
    -- end
      faults := faults || private.fault('title', 'invalid_text', 'must be one line without invisible characters');
    end if;
  end if;
  if tg_op = 'INSERT' or new.description is distinct from before.description then
    new.description := private.clean(new.description);
    if char_length(new.description) > 2000 then
      faults := faults || private.fault('description', 'too_big', 'must be at most 2000 visible characters');
    -- guard: hub: no description holds what nobody sees
    -- without: elsif false then
    elsif private.has_odd_text(new.description) then
    -- end
      faults := faults || private.fault('description', 'invalid_text', 'must be without invisible characters');
    elsif new.description is null and new.published_at is not null and before.description is not null then
      faults := faults || private.fault('description', 'required', 'is required');
    end if;
  end if;
  if tg_op = 'INSERT' or new.tags is distinct from before.tags then
    new.tags := private.normalize_tags(new.tags);
    if new.tags is null or not private.tags_are_valid(new.tags)
      -- guard: hub: no tag holds what nobody sees
      -- without: or exists (select from unnest(new.tags) u (tag) where  u.tag ~ '[\u200c\u200d\ufe0e\ufe0f]')
      or exists (select from unnest(new.tags) u (tag) where private.has_odd_characters(u.tag) or u.tag ~ '[\u200c\u200d\ufe0e\ufe0f]')
      -- end
    then
      faults := faults || private.fault('tags', 'invalid_format', 'must be at most 20 tags of 1 to 64 letters, digits and + . _ : / -');
    end if;
  end if;
  if tg_op = 'INSERT' or new.thumbnail_url is distinct from before.thumbnail_url then
    new.thumbnail_url := private.clean(new.thumbnail_url);
    if not private.is_https_url(new.thumbnail_url) then
      faults := faults || private.fault('thumbnail_url', 'invalid_format', 'must be an https address of at most 2048 characters');
    end if;
  end if;
  perform private.refuse_faults(faults);

  -- What functions write has been stripped by finer rules, which leave placeholders.
  if not edited then
    return new;
  end if;
  if private.brings_secret(before.title, new.title) then
    secrets := secrets || private.fault('title', 'secret_detected', 'looks like a secret');
  end if;
  if private.brings_secret(before.description, new.description) then
    secrets := secrets || private.fault('description', 'secret_detected', 'looks like a secret');
  end if;
  -- As they came too: in lower case some secrets are none any more.
  -- guard: hub: tags are searched as they came
  -- without: if false
  if private.brings_secret(array_to_string(before.tags, ' '), array_to_string(sent_tags, ' '))
  -- end
    or private.brings_secret(array_to_string(before.tags, ' '), array_to_string(new.tags, ' '))
  then
    secrets := secrets || private.fault('tags', 'secret_detected', 'looks like a secret');
  end if;
  if private.brings_secret(before.thumbnail_url, new.thumbnail_url) then
    secrets := secrets || private.fault('thumbnail_url', 'secret_detected', 'looks like a secret');
  end if;
  -- guard: hub: edits are searched for secrets
  -- without: if false then
  if secrets <> '[]' then
  -- end
    raise exception using errcode = 'PT422', message = 'secret_detected', detail = jsonb_build_object('errors', secrets)::text;
  end if;
  return new;
end;
$$;
comment on function private.hub_assets_check_text is 'Normalises and judges what changes of title, description, tags and thumbnail. Raises PT403 banned, PT422 validation_failed or secret_detected; never repeats a value.';
revoke execute on function private.hub_assets_check_text from public, anon, authenticated, service_role;

create trigger hub_assets_10_check_text
before insert or update of title, description, tags, thumbnail_url on public.hub_assets
for each row execute function private.hub_assets_check_text();

-- A client may edit all of its listings in one statement, which then locks them in whatever order it finds them.
create function private.hub_assets_begin_edit()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  editor constant uuid := (select auth.uid());
begin
  -- guard: hub: an owner's edit takes the locks of all others
  -- without: if false then
  if editor is not null then
  -- end
    perform private.begin_write(editor);
    perform from public.hub_assets a where a.creator_id = editor order by a.id for no key update;
  end if;
  return null;
end;
$$;
comment on function private.hub_assets_begin_edit is 'Takes the locks of an owner''s edit in the order of all others. Raises PT403 banned.';
revoke execute on function private.hub_assets_begin_edit from public, anon, authenticated, service_role;

create trigger hub_assets_begin_edit
before update of title, description, tags, thumbnail_url on public.hub_assets
for each statement execute function private.hub_assets_begin_edit();

-- What follows from the rest, or never changes. Not fired by the counters.
create function private.hub_assets_guard()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    if (new.id, new.asset_type, new.ref_id) is distinct from (old.id, old.asset_type, old.ref_id) then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["id", "asset_type", "ref_id"]}';
    end if;
    -- Whose imports count follows from who made it. It goes with the account, and to nobody else.
    if new.creator_id is not null and new.creator_id is distinct from old.creator_id then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["creator_id"]}';
    end if;
    -- guard: hub: attribution is written once
    -- without: if false and new.attribution is distinct from old.attribution then
    if old.attribution is not null and new.attribution is distinct from old.attribution then
    -- end
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["attribution"]}';
    end if;
    -- Lineage is known when a copy is made or first published; after that it can only be lost with its asset.
    -- guard: hub: lineage is fixed with the first publication
    -- without: if false and (
    -- guard: hub: lineage stays fixed without a version
    -- without: if old.current_version > 0 and (
    if (old.current_version > 0 or old.published_at is not null) and (
    -- end
    -- end
      new.remix_depth <> old.remix_depth
      or (new.source_asset_id is not null and new.source_asset_id is distinct from old.source_asset_id)
      or (new.parent_asset_id is not null and new.parent_asset_id is distinct from old.parent_asset_id)
    ) then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["source_asset_id", "parent_asset_id", "remix_depth"]}';
    end if;
    -- What was published once has its slug, whatever else is edited.
    -- guard: hub: what was published once keeps its slug
    new.published_at := coalesce(new.published_at, old.published_at);
    -- end
  end if;

  if new.deleted_at is not null then
    new.is_public := false;
  end if;
  if new.is_public then
    new.published_at := coalesce(new.published_at, clock_timestamp());
    new.content_updated_at := coalesce(new.content_updated_at, new.published_at);
  end if;
  if not new.is_hidden then
    new.hidden_at := null;
    new.hidden_reason := null;
  else
    new.hidden_at := coalesce(new.hidden_at, clock_timestamp());
    new.hidden_reason := coalesce(new.hidden_reason, 'moderator');
  end if;
  -- Without a creator nobody can say any more; what it was stays.
  if new.creator_id is not null then
    -- guard: hub: the mark of a ban follows the ban
    new.hidden_by_ban := private.is_banned(new.creator_id);
    -- end
  elsif tg_op = 'UPDATE' then
    -- guard: hub: the mark of a ban outlives the account
    new.hidden_by_ban := old.hidden_by_ban;
    -- end
  end if;
  if tg_op = 'UPDATE' then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end;
$$;
comment on function private.hub_assets_guard is 'Keeps dependent columns in step under any edit and refuses to change what is fixed.';
revoke execute on function private.hub_assets_guard from public, anon, authenticated, service_role;

create trigger hub_assets_25_guard_insert
before insert on public.hub_assets
for each row execute function private.hub_assets_guard();
create trigger hub_assets_30_guard_update
before update of id, asset_type, ref_id, creator_id, slug, title, description, tags, thumbnail_url, source_asset_id,
  parent_asset_id, remix_depth, is_public, published_at, is_hidden, license, price_cents, payment_product_id, created_at,
  updated_at, current_version, attribution, hidden_reason, hidden_at, hidden_by_ban, content_updated_at, deleted_at
on public.hub_assets
for each row execute function private.hub_assets_guard();

-- Counters are written by the triggers of what they count, one level deeper.
create function private.hub_assets_guard_counters()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    new.star_count := 0;
    new.install_count := 0;
  -- guard: hub: counters are not edited
  -- without: elsif false then
  elsif pg_trigger_depth() = 1 then
  -- end
    new.star_count := old.star_count;
    new.install_count := old.install_count;
  end if;
  return new;
end;
$$;
comment on function private.hub_assets_guard_counters is 'A counter that is edited by hand keeps its value.';
revoke execute on function private.hub_assets_guard_counters from public, anon, authenticated, service_role;

create trigger hub_assets_15_guard_counters_insert
before insert on public.hub_assets
for each row execute function private.hub_assets_guard_counters();
create trigger hub_assets_20_guard_counters_update
before update of star_count, install_count on public.hub_assets
for each row execute function private.hub_assets_guard_counters();

-- The audit log.
create function private.hub_assets_log()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    perform private.log_event('erased', old.id, old.creator_id, details => jsonb_build_object('slug', old.slug, 'asset_type', old.asset_type));
    return null;
  end if;
  if tg_op = 'INSERT' then
    if new.current_version > 0 then
      perform private.log_event('published', new.id, new.creator_id, details => jsonb_build_object('version', new.current_version));
    end if;
    return null;
  end if;
  if new.current_version > old.current_version then
    perform private.log_event('published', new.id, new.creator_id, details => jsonb_build_object('version', new.current_version));
  elsif new.is_public and not old.is_public then
    perform private.log_event('republished', new.id, new.creator_id);
  elsif old.is_public and not new.is_public and new.deleted_at is null then
    perform private.log_event('unpublished', new.id, new.creator_id);
  end if;
  if new.deleted_at is not null and old.deleted_at is null then
    perform private.log_event(case when new.hidden_reason = 'removed' then 'removed' else 'deleted' end, new.id, new.creator_id);
  elsif new.is_hidden and (not old.is_hidden or new.hidden_reason <> old.hidden_reason) then
    perform private.log_event('hidden', new.id, new.creator_id,
      details => jsonb_build_object('reason', new.hidden_reason),
      -- Whoever happened to be the fifth has not hidden it.
      by_system => new.hidden_reason = 'reports');
  end if;
  if old.is_hidden and not new.is_hidden then
    perform private.log_event('restored', new.id, new.creator_id);
  end if;
  return null;
end;
$$;
comment on function private.hub_assets_log is 'Logs publication and moderation, also by hand.';
revoke execute on function private.hub_assets_log from public, anon, authenticated, service_role;

create trigger hub_assets_55_log_insert_delete
after insert or delete on public.hub_assets
for each row execute function private.hub_assets_log();
create trigger hub_assets_60_log_update
after update of is_public, current_version, is_hidden, hidden_reason, deleted_at on public.hub_assets
for each row execute function private.hub_assets_log();
-- TRUNCATE fires no row trigger, and would take stars, reports and copies along.
create trigger hub_assets_forbid_truncate
before truncate on public.hub_assets
for each statement execute function private.refuse_change();
