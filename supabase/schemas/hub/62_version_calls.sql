-- Calls for creators about single versions of their listings.
create function private.own_version(asset_id uuid, version integer)
returns public.hub_asset_versions
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  asset constant public.hub_assets := private.own_listing(own_version.asset_id);
  found_version public.hub_asset_versions;
begin
  perform private.limit_calls(asset.creator_id, 'edits', 600);
  select v.* into found_version
  from public.hub_asset_versions v
  where v.asset_id = asset.id and v.version = own_version.version;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  if asset.is_shared then
    -- A creator who has left the organization cannot change the versions that members see.
    perform private.organization_of(asset.creator_id, asset.organization_id);
  end if;
  return found_version;
end;
$$;
comment on function private.own_version is 'Locks the caller''s own listing, counts the call as an edit and returns a version of that listing. Raises PT403 banned or not_owner, PT404 asset_not_found or organization_not_found, PT409 not_published, PT429 rate_limited.';
revoke execute on function private.own_version from public, anon, authenticated, service_role;

create function private.refuse_secret(path text, before text, after text)
returns void
language plpgsql
immutable
set search_path = ''
as $$
begin
  if private.adds_secret(refuse_secret.before, refuse_secret.after) then
    raise exception using
      errcode = 'PT422',
      message = 'secret_detected',
      detail = jsonb_build_object('errors', private.fault(refuse_secret.path, 'secret_detected', 'looks like a secret'))::text;
  end if;
end;
$$;
comment on function private.refuse_secret is 'Raises PT422 secret_detected when an edit adds something that looks like a secret.';
revoke execute on function private.refuse_secret from public, anon, authenticated, service_role;

create function private.edit_version(asset_id uuid, version integer, label text, changelog text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  old constant public.hub_asset_versions := private.own_version(edit_version.asset_id, edit_version.version);
  notes record;
begin
  select * into notes from private.check_version_notes(edit_version.label, edit_version.changelog);
  perform private.refuse_secret('label', old.label, notes.label);
  perform private.refuse_secret('changelog', old.changelog, notes.changelog);
  perform private.write_version_notes(old.asset_id, old.version, notes.label, notes.changelog);
end;
$$;
comment on function private.edit_version is 'Checks and replaces label and changelog of a version. Called by public.hub_edit_version.';
revoke execute on function private.edit_version from public, anon, authenticated, service_role;
grant execute on function private.edit_version to authenticated;

-- Yanks a version. When it is the current version, the newest of the other versions that are not yanked, have the same readers and
-- are paid or free like the yanked one becomes current. Without such a version, every yank is refused (last_version).
create function private.yank_version(asset_id uuid, version integer, reason text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yanked constant public.hub_asset_versions := private.own_version(yank_version.asset_id, yank_version.version);
  why constant text := private.as_one_line(left(yank_version.reason, 2000));
  instead public.hub_asset_versions;
begin
  if char_length(why) > 500 then
    perform private.refuse_faults(private.fault('reason', 'too_big', 'must be at most 500 characters'));
  end if;
  perform private.refuse_secret('reason', yanked.yank_reason, why);
  select v.* into instead
  from public.hub_asset_versions v
  where v.asset_id = yanked.asset_id and v.version <> yanked.version and v.yanked_at is null
    -- The version that becomes current must be for the same readers.
    and v.organization_id is not distinct from yanked.organization_id
    -- A yank must not make a paid listing free, or a free listing paid.
    and (v.license = 'paid') = (yanked.license = 'paid')
  order by v.version desc
  limit 1;
  if not found then
    raise exception using errcode = 'PT409', message = 'last_version';
  end if;
  update public.hub_asset_versions v
  set yanked_at = coalesce(v.yanked_at, clock_timestamp()), yank_reason = nullif(why, '')
  where v.asset_id = yanked.asset_id and v.version = yanked.version;
  update public.hub_assets a
  set current_version = instead.version, license = instead.license
  where a.id = yanked.asset_id and a.current_version = yanked.version;
  if yanked.yanked_at is null then
    perform private.log_event('yanked', yanked.asset_id, (select auth.uid()), details => jsonb_build_object('version', yanked.version));
  end if;
end;
$$;
comment on function private.yank_version is 'Yanks a version, makes another version current if the yanked one was, and logs the yank. Called by public.hub_yank_version.';
revoke execute on function private.yank_version from public, anon, authenticated, service_role;
grant execute on function private.yank_version to authenticated;

create function private.unyank_version(asset_id uuid, version integer)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yanked constant public.hub_asset_versions := private.own_version(unyank_version.asset_id, unyank_version.version);
begin
  if yanked.yanked_at is null then
    return;
  end if;
  update public.hub_asset_versions v
  set yanked_at = null, yank_reason = null
  where v.asset_id = yanked.asset_id and v.version = yanked.version;
  update public.hub_assets a
  set current_version = yanked.version, license = yanked.license
  where a.id = yanked.asset_id and a.current_version < yanked.version
    and (a.license = 'paid') = (yanked.license = 'paid')
    -- A version for other readers does not become current again.
    and a.organization_id is not distinct from yanked.organization_id;
  perform private.log_event('unyanked', yanked.asset_id, (select auth.uid()), details => jsonb_build_object('version', yanked.version));
end;
$$;
comment on function private.unyank_version is 'Takes back a yank, makes the version current again if it is newer than the current one, and logs that the yank was taken back. Called by public.hub_unyank_version.';
revoke execute on function private.unyank_version from public, anon, authenticated, service_role;
grant execute on function private.unyank_version to authenticated;

create function public.hub_edit_version(asset_id uuid, version integer, label text default null, changelog text default null)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.edit_version(hub_edit_version.asset_id, hub_edit_version.version, hub_edit_version.label, hub_edit_version.changelog);
$$;
comment on function public.hub_edit_version is 'Replaces label and changelog of a version of the caller''s own listing; a null or empty argument removes the stored one. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 label_taken or not_published, PT422 secret_detected or validation_failed, PT429 rate_limited.';
revoke execute on function public.hub_edit_version from public, anon, authenticated, service_role;
grant execute on function public.hub_edit_version to authenticated;

create function public.hub_yank_version(asset_id uuid, version integer, reason text default null)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.yank_version(hub_yank_version.asset_id, hub_yank_version.version, hub_yank_version.reason);
$$;
comment on function public.hub_yank_version is 'Withdraws a version of the caller''s own listing: it cannot be imported any more, and only the creator of the listing, admins and users who imported this version can read it. If it was the current version, the newest version that is not yanked, has the same readers and is paid or free like this version becomes current; without such a version, the call is refused with last_version. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 last_version or not_published, PT422 secret_detected or validation_failed, PT429 rate_limited.';
revoke execute on function public.hub_yank_version from public, anon, authenticated, service_role;
grant execute on function public.hub_yank_version to authenticated;

create function public.hub_unyank_version(asset_id uuid, version integer)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.unyank_version(hub_unyank_version.asset_id, hub_unyank_version.version);
$$;
comment on function public.hub_unyank_version is 'Takes back the yank of a version of the caller''s own listing; a version that is newer than the current one becomes current again, if it is for the same readers and is paid or free like the current one. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 not_published, PT429 rate_limited.';
revoke execute on function public.hub_unyank_version from public, anon, authenticated, service_role;
grant execute on function public.hub_unyank_version to authenticated;
