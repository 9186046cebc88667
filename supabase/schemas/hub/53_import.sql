-- Finds free names for imported rows. Other users wrote the imported texts, so invisible characters in names and descriptions are
-- removed, not refused.
create function private.free_names(user_id uuid, rows jsonb)
returns table (place bigint, name text)
language sql
stable
security definer
set search_path = ''
as $$
  with wanted as (
    select r.place, r.value ->> 'asset_type' as asset_type, t.name,
      left(regexp_replace(t.name, ' \([0-9]{1,6}\)$', ''), 100) as base
    from jsonb_array_elements(free_names.rows) with ordinality r (value, place)
    cross join lateral (select private.as_one_line(r.value ->> 'title') as name) t
  ),
  mine as (
    select o.asset_type, o.name, left(regexp_replace(o.name, ' \([0-9]{1,6}\)$', ''), 100) as base,
      coalesce(substring(o.name from ' \(([0-9]{1,6})\)$')::integer, 1) as number
    from private.own_names(free_names.user_id) o
    where o.asset_type in (select w.asset_type from wanted w)
  ),
  judged as (
    select w.*,
      row_number() over (partition by w.asset_type, w.name order by w.place) > 1
      or (w.asset_type, w.name) in (select m.asset_type, m.name from mine m) as is_taken
    from wanted w
  ),
  used as (
    select m.asset_type, m.base, max(m.number) as last from mine m group by m.asset_type, m.base
  )
  select j.place,
    case
      when j.is_taken
      then j.base || ' (' || (
        coalesce(u.last, 1) + row_number() over (partition by j.asset_type, j.base, j.is_taken order by j.place)
      ) || ')'
      else j.name
    end
  from judged j
  left join used u on u.asset_type = j.asset_type and u.base = j.base;
$$;
comment on function private.free_names is 'Returns names for new rows of a workspace, by place: the title on one line, or "title (2)" and so on when a row of that type already has this name.';
revoke execute on function private.free_names from public, anon, authenticated, service_role;

create function private.insert_copies(user_id uuid, rows jsonb, main_id text, source public.hub_assets, mode text, pinned_version integer)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
<<copy>>
declare
  names text[];
  registry_ids uuid[];
begin
  select array_agg(n.name order by n.place), array_agg(gen_random_uuid()) into names, registry_ids
  from private.free_names(insert_copies.user_id, insert_copies.rows) n;

  if exists (
    select from jsonb_array_elements(insert_copies.rows) r (value)
    where (r.value ->> 'asset_type' = any (private.asset_types())) is not true
  ) then
    perform private.refuse_asset_type(null);
  end if;

  -- Registry rows come first: source rows look up their mirrors when they are inserted.
  insert into public.hub_assets (
    id, asset_type, ref_id, creator_id, slug, title, description, tags, license,
    source_asset_id, parent_asset_id, remix_depth, attribution, pinned_version
  )
  select copy.registry_ids[r.place], r.value ->> 'asset_type', (r.value ->> 'id')::uuid, insert_copies.user_id,
    'copy-' || replace(gen_random_uuid()::text, '-', ''), copy.names[r.place], private.remove_invisible(r.value ->> 'description'),
    array(select t.tag from jsonb_array_elements_text(r.value -> 'tags') with ordinality t (tag, n) order by t.n),
    r.value ->> 'license', root.id,
    -- In a kit only the main row has a parent. A copy in mode "use" gets its parent when it is published.
    case when is_remix then source.id end,
    case when is_remix and source.id is not null then source.remix_depth + 1 else 0 end,
    nullif(r.value -> 'attribution', 'null'),
    insert_copies.pinned_version
  from jsonb_array_elements(insert_copies.rows) with ordinality r (value, place)
  cross join lateral (
    values (r.value ->> 'id' = insert_copies.main_id and insert_copies.mode = 'remix')
  ) m (is_remix)
  left join public.hub_assets root on root.id = (r.value #>> '{attribution,root,id}')::uuid
  order by r.place;

  perform private.insert_sources(insert_copies.user_id, insert_copies.rows, copy.names);
  if source.id is not null then
    insert into private.hub_copies (asset_id, sha256)
    select copy.registry_ids[r.place],
      private.content_sha256(r.value ->> 'asset_type', private.source_row(r.value ->> 'asset_type', (r.value ->> 'id')::uuid))
    from jsonb_array_elements(insert_copies.rows) with ordinality r (value, place);
  end if;

  return (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        'asset_type', r.value -> 'asset_type',
        'table', r.value -> 'table',
        'id', r.value -> 'id',
        'hub_asset_id', copy.registry_ids[r.place],
        'title', copy.names[r.place]
      )
      order by r.place
    ), '[]')
    from jsonb_array_elements(insert_copies.rows) with ordinality r (value, place)
  );
end;
$$;
comment on function private.insert_copies is 'Inserts planned rows into a user''s workspace, with their registry rows. Returns these rows in the form of hub_imports.created. Raises PT422 validation_failed.';
revoke execute on function private.insert_copies from public, anon, authenticated, service_role;

-- Locks the assets that the copies refer to, so that they are not erased meanwhile. A copy gets no reference to an asset that was
-- erased before.
create function private.lock_origins(asset_id uuid, rows jsonb)
returns void
language sql
volatile
security definer
set search_path = ''
as $$
  select from public.hub_assets a
  where a.id in (
    select lock_origins.asset_id
    union
    select (r.value #>> '{attribution,root,id}')::uuid from jsonb_array_elements(lock_origins.rows) r (value)
  )
  -- The lock waits for a transaction that is erasing the root of the import.
  order by a.id
  for key share;
$$;
comment on function private.lock_origins is 'Locks the imported listing and the roots of the works that the import copies.';
revoke execute on function private.lock_origins from public, anon, authenticated, service_role;

-- Checks that a version may still be imported. Called under the lock of the listing, which may have been hidden, deleted,
-- unpublished or yanked after it was read.
create function private.check_importable(user_id uuid, asset_id uuid, version integer, sha256 text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  source public.hub_assets;
  content public.hub_asset_versions;
  has_content boolean;
begin
  select a.* into source from public.hub_assets a where a.id = check_importable.asset_id;
  select v.* into content
  from public.hub_asset_versions v
  where v.asset_id = source.id and v.version = check_importable.version and v.sha256 = check_importable.sha256;
  select source.id in (select private.paid_content(check_importable.user_id)) into has_content;
  if content.version is null or (
    (source.deleted_at is null and source.creator_id = check_importable.user_id)
    or (content.license = 'paid' and has_content)
    or private.is_seen_by(source, check_importable.user_id)
      and (content.organization_id is null or private.is_member_of(check_importable.user_id, content.organization_id))
  ) is not true then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  if content.license = 'paid' and not has_content then
    raise exception using errcode = 'PT403', message = 'purchase_required';
  end if;
  if content.yanked_at is not null then
    raise exception using errcode = 'PT409', message = 'version_yanked';
  end if;
end;
$$;
comment on function private.check_importable is 'Checks that a user may import that version of a listing. Raises PT403 purchase_required, PT404 asset_not_found, PT409 version_yanked.';
revoke execute on function private.check_importable from public, anon, authenticated, service_role;

create function private.copy_rows(
  user_id uuid,
  rows jsonb,
  asset_id uuid,
  version integer,
  sha256 text,
  mode text,
  pinned boolean
)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  source public.hub_assets;
  created jsonb;
begin
  if copy_rows.asset_id is not null then
    select a.* into source from public.hub_assets a where a.id = copy_rows.asset_id;
  end if;
  perform private.lock_origins(copy_rows.asset_id, copy_rows.rows);
  created := private.insert_copies(
    copy_rows.user_id, copy_rows.rows, copy_rows.rows #>> '{0,id}', source, copy_rows.mode,
    case when copy_rows.pinned then copy_rows.version end
  );
  if copy_rows.asset_id is null then
    return created;
  end if;
  -- This insert comes last, because counting the install locks the listing: concurrent imports of the same listing wait here, and
  -- only until the commit.
  insert into public.hub_imports (asset_id, user_id, version, mode, created)
  select source.id, copy_rows.user_id, copy_rows.version, copy_rows.mode, created where source.id is not null;
  perform private.check_importable(copy_rows.user_id, copy_rows.asset_id, copy_rows.version, copy_rows.sha256);
  return created;
end;
$$;
comment on function private.copy_rows is 'Inserts the rows of an import, and the row of hub_imports when they come from a listing. Raises PT403 purchase_required, PT404 asset_not_found, PT409 version_yanked, PT422 validation_failed.';
revoke execute on function private.copy_rows from public, anon, authenticated, service_role;

create function private.import_asset(
  user_id uuid,
  rows jsonb,
  mode text,
  asset_id uuid default null,
  version integer default null,
  sha256 text default null,
  attribution jsonb default null,
  warnings jsonb default '[]',
  dry_run boolean default false,
  hourly_limit integer default null,
  idempotency_key text default null,
  request_sha256 text default null,
  pinned boolean default false,
  into_copy uuid default null,
  overwrite boolean default false
)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  answer jsonb;
  created jsonb;
begin
  -- This call is serialized with a ban: either the ban waits for this lock, or this call finds the ban. begin_write also refuses a
  -- token whose account is deleted.
  perform private.begin_write(import_asset.user_id);
  answer := private.get_response(
    import_asset.user_id, 'hub-import', import_asset.idempotency_key, import_asset.request_sha256
  );
  if answer is not null then
    return answer;
  end if;
  perform private.limit_calls(
    import_asset.user_id, case when import_asset.dry_run then 'previews' else 'imports' end, import_asset.hourly_limit
  );
  begin
    created := case
      when import_asset.into_copy is null then private.copy_rows(
        import_asset.user_id, import_asset.rows, import_asset.asset_id, import_asset.version, import_asset.sha256, import_asset.mode,
        import_asset.pinned
      )
      else private.update_copy(
        import_asset.user_id, import_asset.rows, import_asset.asset_id, import_asset.version, import_asset.sha256,
        import_asset.pinned, import_asset.into_copy, import_asset.overwrite
      )
    end;
    if import_asset.dry_run then
      raise exception using errcode = 'KH002', message = 'only a plan';
    end if;
  exception
    when sqlstate 'KH002' then
      -- The new rows were rolled back, so their ids have no meaning, and the plan has null instead.
      select jsonb_agg(c.value || '{"id": null, "hub_asset_id": null}' order by c.place) into created
      from jsonb_array_elements(created) with ordinality c (value, place);
  end;
  answer := jsonb_build_object(
    'stored', 'cloud',
    'created', created,
    'attribution', import_asset.attribution,
    'warnings', import_asset.warnings || (
      select coalesce(jsonb_agg(jsonb_build_object(
        'code', 'name_taken',
        'message', 'There is an item of that name already; the new one has another.',
        'wanted', r.value -> 'title',
        'title', created -> (r.place - 1)::integer -> 'title'
      ) order by r.place), '[]')
      from jsonb_array_elements(import_asset.rows) with ordinality r (value, place)
      where import_asset.into_copy is null
        and private.as_one_line(r.value ->> 'title') <> created -> (r.place - 1)::integer ->> 'title'
    )
  );
  if import_asset.dry_run then
    return answer || '{"dry_run": true}';
  end if;
  perform private.store_response(
    import_asset.user_id, 'hub-import', import_asset.idempotency_key, import_asset.request_sha256, answer
  );
  return answer;
end;
$$;
comment on function private.import_asset is 'Imports planned rows into a user''s workspace, all or none, or updates the copy into_copy with them; a dry run does the same and rolls it back. hourly_limit is the limit of imports, or of previews for a dry run. Raises PT401 invalid_credential, PT403 banned or purchase_required, PT404 asset_not_found, PT409 modified_copy or version_yanked, PT422 idempotency_key_reused or validation_failed, PT429 rate_limited.';
revoke execute on function private.import_asset from public, anon, authenticated, service_role;
grant execute on function private.import_asset to service_role;

create function public.hub_import(
  user_id uuid,
  rows jsonb,
  mode text,
  asset_id uuid default null,
  version integer default null,
  sha256 text default null,
  attribution jsonb default null,
  warnings jsonb default '[]',
  dry_run boolean default false,
  hourly_limit integer default null,
  idempotency_key text default null,
  request_sha256 text default null,
  pinned boolean default false,
  into_copy uuid default null,
  overwrite boolean default false
)
returns jsonb
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.import_asset(
    hub_import.user_id, hub_import.rows, hub_import.mode, hub_import.asset_id, hub_import.version, hub_import.sha256,
    hub_import.attribution, hub_import.warnings, hub_import.dry_run, hub_import.hourly_limit, hub_import.idempotency_key,
    hub_import.request_sha256, hub_import.pinned, hub_import.into_copy, hub_import.overwrite
  );
$$;
comment on function public.hub_import is 'For hub-import: writes the rows that the core package has planned, in one transaction. Raises PT401 invalid_credential, PT403 banned or purchase_required, PT404 asset_not_found, PT409 modified_copy or version_yanked, PT422 idempotency_key_reused or validation_failed, PT429 rate_limited.';
revoke execute on function public.hub_import from public, anon, authenticated, service_role;
grant execute on function public.hub_import to service_role;
