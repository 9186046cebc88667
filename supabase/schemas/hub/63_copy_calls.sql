-- Calls for owners of copies: stay with a version, ignore updates, take back an update.
create function private.own_copy(asset_id uuid)
returns public.hub_assets
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  caller constant uuid := (select auth.uid());
  copy public.hub_assets;
begin
  if caller is null or not private.is_member() then
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
  perform private.begin_write(caller);
  perform private.lock_source(a.asset_type, a.ref_id, caller)
  from public.hub_assets a
  where a.id = own_copy.asset_id and a.creator_id = caller;
  select a.* into copy
  from public.hub_assets a
  where a.id = own_copy.asset_id and a.creator_id = caller and a.deleted_at is null and a.attribution ? 'parent'
  for no key update;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return copy;
end;
$$;
comment on function private.own_copy is 'Locks and returns one of the caller''s copies. Raises PT403 banned, PT404 asset_not_found.';
revoke execute on function private.own_copy from public, anon, authenticated, service_role;

create function private.pin(asset_id uuid, version integer)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  copy constant public.hub_assets := private.own_copy(pin.asset_id);
begin
  if pin.version <> (copy.attribution #>> '{parent,version}')::integer then
    perform private.refuse_faults(private.fault('version', 'other_version', 'must be the version that the copy has'));
  end if;
  if exists (
    select from public.hub_asset_versions v
    where v.asset_id = (copy.attribution #>> '{parent,id}')::uuid and v.version = pin.version and v.yanked_at is not null
  ) then
    raise exception using errcode = 'PT409', message = 'version_yanked';
  end if;
  update public.hub_assets a set pinned_version = pin.version where a.id = copy.id;
end;
$$;
comment on function private.pin is 'Sets or clears pinned_version of the caller''s copy. Called by public.hub_pin.';
revoke execute on function private.pin from public, anon, authenticated, service_role;
grant execute on function private.pin to authenticated;

create function private.dismiss_update(asset_id uuid, version integer)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  copy constant public.hub_assets := private.own_copy(dismiss_update.asset_id);
begin
  if not exists (
    select from public.hub_assets s
    where s.id = (copy.attribution #>> '{parent,id}')::uuid and dismiss_update.version between 1 and s.current_version
  ) then
    perform private.refuse_faults(private.fault('version', 'unknown', 'is no version of the original'));
  end if;
  insert into private.hub_copies as c (asset_id, dismissed_version)
  values (copy.id, dismiss_update.version)
  on conflict on constraint hub_copies_pkey do update set dismissed_version = greatest(c.dismissed_version, excluded.dismissed_version);
end;
$$;
comment on function private.dismiss_update is 'Stores the version up to which the owner of a copy has dismissed updates. Called by public.hub_dismiss_update.';
revoke execute on function private.dismiss_update from public, anon, authenticated, service_role;
grant execute on function private.dismiss_update to authenticated;

create function private.restore_copy(asset_id uuid)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  copy public.hub_assets := private.own_copy(restore_copy.asset_id);
  present constant jsonb := private.source_row(copy.asset_type, copy.ref_id);
  last private.hub_overwritten;
  held private.hub_copies;
begin
  delete from private.hub_overwritten o
  where o.id = (
    select n.id
    from private.hub_overwritten n
    where n.asset_id = copy.id and n.at > clock_timestamp() - interval '30 days'
    order by n.id desc
    limit 1
  )
  returning o.* into last;
  if last.id is null or present is null then
    raise exception using errcode = 'PT404', message = 'nothing_overwritten';
  end if;
  -- Edits that were made after the update are stored as well, before the older content replaces them.
  select c.* into held from private.hub_copies c where c.asset_id = copy.id;
  if held.sha256 is distinct from private.content_sha256(copy.asset_type, present) then
    perform private.keep_overwritten(copy.id, private.content_of(copy.asset_type, present), copy.attribution, held.sha256);
  end if;
  perform private.write_content(copy.asset_type, copy.ref_id, last.content);
  update public.hub_assets a
  set attribution = private.joined_attribution(a.attribution, last.attribution), pinned_version = null
  where a.id = copy.id
  returning a.* into copy;
  update private.hub_copies c set sha256 = last.sha256 where c.asset_id = copy.id;
  return jsonb_build_object(
    'id', copy.id, 'asset_type', copy.asset_type, 'ref_id', copy.ref_id, 'title', present -> 'name',
    'version', (copy.attribution #>> '{parent,version}')::integer
  );
end;
$$;
comment on function private.restore_copy is 'Writes the newest overwritten content back to the caller''s copy. If the copy was edited after the update, first stores the edited content as overwritten. Called by public.hub_restore_copy.';
revoke execute on function private.restore_copy from public, anon, authenticated, service_role;
grant execute on function private.restore_copy to authenticated;

create function public.hub_pin(asset_id uuid, version integer default null)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.pin(hub_pin.asset_id, hub_pin.version);
$$;
comment on function public.hub_pin is 'Pins the caller''s copy to the version that the copy has, so that hub_updates does not list newer versions. With version null, hub_updates lists newer versions again. Raises PT403 banned, PT404 asset_not_found, PT409 version_yanked, PT422 validation_failed.';
revoke execute on function public.hub_pin from public, anon, authenticated, service_role;
grant execute on function public.hub_pin to authenticated;

create function public.hub_dismiss_update(asset_id uuid, version integer)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.dismiss_update(hub_dismiss_update.asset_id, hub_dismiss_update.version);
$$;
comment on function public.hub_dismiss_update is 'Makes hub_updates leave out, for the caller''s copy, the versions of the imported listing up to the given version. Raises PT403 banned, PT404 asset_not_found, PT422 validation_failed.';
revoke execute on function public.hub_dismiss_update from public, anon, authenticated, service_role;
grant execute on function public.hub_dismiss_update to authenticated;

create function public.hub_restore_copy(asset_id uuid)
returns jsonb
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.restore_copy(hub_restore_copy.asset_id);
$$;
comment on function public.hub_restore_copy is 'Brings back the content that the last update of the caller''s copy overwrote in the last 30 days: {id, asset_type, ref_id, title, version}. Raises PT403 banned, PT404 asset_not_found or nothing_overwritten.';
revoke execute on function public.hub_restore_copy from public, anon, authenticated, service_role;
grant execute on function public.hub_restore_copy to authenticated;
