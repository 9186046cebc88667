create function private.origins(attribution jsonb)
returns table (origin jsonb)
language sql
immutable
set search_path = ''
as $$
  select o.origin
  from (
    values (origins.attribution -> 'root'), (origins.attribution -> 'parent')
    union all
    select v.origin from jsonb_array_elements(origins.attribution -> 'via') v (origin)
  ) o (origin)
  where o.origin is not null;
$$;
comment on function private.origins is 'Returns all works that an attribution names: root, parent and via.';
revoke execute on function private.origins from public, anon, authenticated, service_role;
grant execute on function private.origins to service_role;

create function private.keeps_origins(before jsonb, after jsonb)
returns boolean
language sql
immutable
set search_path = ''
as $$
  select (before #> '{root,id}', before #> '{parent,id}', before -> 'claimed')
    is not distinct from (after #> '{root,id}', after #> '{parent,id}', after -> 'claimed')
    and not exists (
      select b.origin ->> 'id' from private.origins(keeps_origins.before) b
      except
      select a.origin ->> 'id' from private.origins(keeps_origins.after) a
    );
$$;
comment on function private.keeps_origins is 'Returns whether a changed attribution has the same root, parent and claimed as before, in any versions, and still names every work that it named before.';
revoke execute on function private.keeps_origins from public, anon, authenticated, service_role;

create function private.is_own_shared(origin jsonb, creator_id uuid)
returns boolean
language sql
immutable
set search_path = ''
as $$
  select coalesce(
    is_own_shared.origin ->> 'organization_id' is not null and is_own_shared.origin ->> 'creator_id' = is_own_shared.creator_id::text, false
  );
$$;
comment on function private.is_own_shared is 'Returns whether a work in an attribution is a version that the given creator had shared in an organization.';
revoke execute on function private.is_own_shared from public, anon, authenticated, service_role;

create function private.public_attribution(attribution jsonb, creator_id uuid)
returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
declare
  root jsonb;
  parent jsonb;
  via jsonb;
begin
  if not exists (
    select from private.origins(public_attribution.attribution) o where private.is_own_shared(o.origin, public_attribution.creator_id)
  ) then
    return public_attribution.attribution;
  end if;
  select o.origin into root from (values (public_attribution.attribution -> 'root')) o (origin)
  where not private.is_own_shared(o.origin, public_attribution.creator_id);
  select o.origin into parent from (values (public_attribution.attribution -> 'parent')) o (origin)
  where not private.is_own_shared(o.origin, public_attribution.creator_id);
  select jsonb_agg(v.origin order by v.place) into via
  from jsonb_array_elements(public_attribution.attribution -> 'via') with ordinality v (origin, place)
  where not private.is_own_shared(v.origin, public_attribution.creator_id);
  root := coalesce(root, parent, via -> 0);
  return nullif(
    (public_attribution.attribution - array['root', 'parent', 'via'])
    || case when root is null then '{}' else jsonb_build_object('root', root, 'parent', coalesce(parent, root)) end
    || case when via is null then '{}' else jsonb_build_object('via', via) end,
    '{}'
  );
end;
$$;
comment on function private.public_attribution is 'Returns an attribution as everybody may read it: without the versions that this creator had shared in an organization. Creators need no credit for their own work.';
revoke execute on function private.public_attribution from public, anon, authenticated, service_role;

-- Maintains the columns that depend on other columns, and protects the columns that never change. The update trigger does not fire
-- when only star_count or install_count changes.
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
    -- Refuses a new creator, because install_count leaves out the creator's own imports. creator_id changes only to null, when the
    -- account is deleted.
    if new.creator_id is not null and new.creator_id is distinct from old.creator_id then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["creator_id"]}';
    end if;
    if old.attribution is not null
      and new.attribution is distinct from old.attribution
      and not private.keeps_origins(old.attribution, new.attribution)
      and not (new.is_public and private.keeps_origins(private.public_attribution(old.attribution, old.creator_id), new.attribution))
    then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["attribution"]}';
    end if;
    -- Root, parent and depth are set when a copy is made or first published. Later source_asset_id and parent_asset_id can only
    -- become null, when the asset that they name is erased.
    if (old.current_version > 0 or old.published_at is not null) and (
      new.remix_depth <> old.remix_depth
      or (new.source_asset_id is not null and new.source_asset_id is distinct from old.source_asset_id)
      or (new.parent_asset_id is not null and new.parent_asset_id is distinct from old.parent_asset_id)
    ) then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["source_asset_id", "parent_asset_id", "remix_depth"]}';
    end if;
    -- published_at is never cleared: an asset without it counts as not published, and the next publication would change its slug.
    new.published_at := coalesce(new.published_at, old.published_at);
  end if;

  if new.deleted_at is not null then
    new.is_public := false;
  end if;
  if new.is_public then
    new.organization_id := null;
    new.published_at := coalesce(new.published_at, clock_timestamp());
    new.content_updated_at := coalesce(new.content_updated_at, new.published_at);
  end if;
  if new.is_public or new.deleted_at is not null or new.organization_id is null then
    new.shared_at := null;
  end if;
  if not new.is_hidden then
    new.hidden_at := null;
    new.hidden_reason := null;
  else
    new.hidden_at := coalesce(new.hidden_at, clock_timestamp());
    new.hidden_reason := coalesce(new.hidden_reason, 'moderator');
  end if;
  -- For an asset without a creator the ban cannot be looked up, so the old value stays.
  if new.creator_id is not null then
    -- The stored bans decide, whatever value the statement wrote.
    new.hidden_by_ban := private.is_banned(new.creator_id);
  elsif tg_op = 'UPDATE' then
    new.hidden_by_ban := old.hidden_by_ban;
  end if;
  if tg_op = 'UPDATE' then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end;
$$;
comment on function private.hub_assets_guard is 'Sets the columns that depend on other columns, whoever edits the row, and refuses changes of fixed columns. Raises PT409 asset_is_fixed.';
revoke execute on function private.hub_assets_guard from public, anon, authenticated, service_role;

create trigger hub_assets_25_guard_insert
before insert on public.hub_assets
for each row execute function private.hub_assets_guard();
create trigger hub_assets_30_guard_update
before update of id, asset_type, ref_id, creator_id, slug, title, description, tags, thumbnail_url, source_asset_id,
  parent_asset_id, remix_depth, is_public, published_at, is_hidden, license, price_cents, currency, teaser, payment_product_id, created_at,
  updated_at, current_version, attribution, hidden_reason, hidden_at, hidden_by_ban, content_updated_at, deleted_at, organization_id, shared_at,
  picture
on public.hub_assets
for each row execute function private.hub_assets_guard();

-- Ignores changes of star_count and install_count, except by the triggers of hub_stars and hub_imports. When these triggers write
-- the counters, pg_trigger_depth() is above 1.
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
  elsif pg_trigger_depth() = 1 then
    new.star_count := old.star_count;
    new.install_count := old.install_count;
  end if;
  return new;
end;
$$;
comment on function private.hub_assets_guard_counters is 'Ignores edits of star_count and install_count by hand, so that only the triggers of hub_stars and hub_imports change them.';
revoke execute on function private.hub_assets_guard_counters from public, anon, authenticated, service_role;

create trigger hub_assets_15_guard_counters_insert
before insert on public.hub_assets
for each row execute function private.hub_assets_guard_counters();
create trigger hub_assets_20_guard_counters_update
before update of star_count, install_count on public.hub_assets
for each row execute function private.hub_assets_guard_counters();

-- Writes entries about a listing to the audit log.
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
  -- Making an older version current again, by its owner or an operator, is not logged as a new publication.
  if new.current_version > old.current_version and new.content_updated_at is distinct from old.content_updated_at then
    perform private.log_event('published', new.id, new.creator_id, details => jsonb_build_object('version', new.current_version));
  elsif (new.is_public or new.shared_at is not null) and not (old.is_public or old.shared_at is not null) then
    perform private.log_event('republished', new.id, new.creator_id);
  elsif (old.is_public or old.shared_at is not null) and not (new.is_public or new.shared_at is not null) and new.deleted_at is null then
    perform private.log_event('unpublished', new.id, new.creator_id);
  end if;
  if new.deleted_at is not null and old.deleted_at is null then
    perform private.log_event(case when new.hidden_reason = 'removed' then 'removed' else 'deleted' end, new.id, new.creator_id,
      details => jsonb_build_object('version', new.current_version));
  elsif new.is_hidden and (not old.is_hidden or new.hidden_reason <> old.hidden_reason) then
    perform private.log_event('hidden', new.id, new.creator_id,
      details => jsonb_build_object('reason', new.hidden_reason, 'version', new.current_version),
      -- Names no user as actor, because the threshold hides the listing, not the user who sent the last report.
      by_system => new.hidden_reason in ('reports', 'organization_reports'));
  end if;
  if old.is_hidden and not new.is_hidden then
    perform private.log_event('restored', new.id, new.creator_id);
  end if;
  return null;
end;
$$;
comment on function private.hub_assets_log is 'Logs publication and moderation of a listing, also when somebody edits the row by hand.';
revoke execute on function private.hub_assets_log from public, anon, authenticated, service_role;

create trigger hub_assets_55_log_insert_delete
after insert or delete on public.hub_assets
for each row execute function private.hub_assets_log();
create trigger hub_assets_60_log_update
after update of is_public, shared_at, organization_id, current_version, is_hidden, hidden_reason, deleted_at on public.hub_assets
for each row execute function private.hub_assets_log();
-- Refuses TRUNCATE, which fires no row trigger and with cascade would also empty stars, reports and copies.
create trigger hub_assets_forbid_truncate
before truncate on public.hub_assets
for each statement execute function private.refuse_change();
