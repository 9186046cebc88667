-- "Update my copy": writes the content of another version of the imported listing into the rows that the import made.

-- Returns the rows of a copy; the import of a kit has made several. In hub_imports.created, the first row is that of the listing,
-- and item n of the kit is at place n + 1. Rows that the owner has deleted since are left out.
create function private.rows_of_copy(user_id uuid, into_copy uuid)
returns table (import_id uuid, asset_id uuid, item_type text, item_ref_id uuid, source_id uuid, registry_id uuid)
language sql
stable
security definer
set search_path = ''
as $$
  select i.id, i.asset_id, c.value ->> 'asset_type', b.ref_id, a.ref_id, a.id
  from (
    select *
    from public.hub_imports i
    where i.user_id = rows_of_copy.user_id
      and i.created @> jsonb_build_array(jsonb_build_object('hub_asset_id', rows_of_copy.into_copy))
    order by i.created_at desc, i.id
    limit 1
  ) i
  cross join lateral jsonb_array_elements(i.created) with ordinality c (value, place)
  join public.hub_assets a on a.id = (c.value ->> 'hub_asset_id')::uuid and a.creator_id = i.user_id and a.deleted_at is null
  left join public.hub_bundle_items b on b.asset_id = i.asset_id and b.version = i.version and b.position = c.place - 1
  where private.source_row(a.asset_type, a.ref_id) is not null
    -- When a kit was deleted and published again, the items of its old version are unknown, so the rows made from them are left
    -- out.
    and (c.place = 1 or b.ref_id is not null);
$$;
comment on function private.rows_of_copy is 'Returns the rows that the import of a copy has made, with the items of the kit that they come from; item_ref_id is null for the listing itself. Returns nothing when the user has no such copy.';
revoke execute on function private.rows_of_copy from public, anon, authenticated, service_role;

create function private.describe_copy(user_id uuid, into_copy uuid)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  answer jsonb;
begin
  select jsonb_build_object(
    'asset_id', r.asset_id,
    'rows', jsonb_agg(jsonb_build_object('asset_type', r.item_type, 'ref_id', r.item_ref_id, 'id', r.source_id))
  ) into answer
  from private.rows_of_copy(describe_copy.user_id, describe_copy.into_copy) r
  group by r.asset_id;
  if answer is null then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return answer;
end;
$$;
comment on function private.describe_copy is 'Returns the rows that the import of a copy has made, as JSON. Called by public.hub_copy.';
revoke execute on function private.describe_copy from public, anon, authenticated, service_role;
grant execute on function private.describe_copy to service_role;

create function public.hub_copy(user_id uuid, into_copy uuid)
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select private.describe_copy(hub_copy.user_id, hub_copy.into_copy);
$$;
comment on function public.hub_copy is 'For hub-import: returns the rows that an import has made: {asset_id, rows: [{asset_type, ref_id: of the item in the kit, null for the listing itself, id}]}. Raises PT404 asset_not_found.';
revoke execute on function public.hub_copy from public, anon, authenticated, service_role;
grant execute on function public.hub_copy to service_role;

create function private.keep_overwritten(asset_id uuid, content jsonb, attribution jsonb, sha256 text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  insert into private.hub_overwritten (asset_id, content, attribution, sha256)
  values (keep_overwritten.asset_id, keep_overwritten.content, keep_overwritten.attribution, keep_overwritten.sha256);
  delete from private.hub_overwritten o
  where o.asset_id = keep_overwritten.asset_id
    and o.id not in (
      select n.id from private.hub_overwritten n where n.asset_id = keep_overwritten.asset_id order by n.id desc limit 10
    );
end;
$$;
comment on function private.keep_overwritten is 'Stores the overwritten content of a copy for hub_restore_copy; keeps the newest ten of each copy.';
revoke execute on function private.keep_overwritten from public, anon, authenticated, service_role;

create function private.joined_attribution(before jsonb, after jsonb)
returns jsonb
language sql
immutable
set search_path = ''
as $$
  select joined_attribution.after || coalesce((
    select jsonb_build_object('via', coalesce(joined_attribution.after -> 'via', '[]') || jsonb_agg(b.origin))
    from private.origins(joined_attribution.before) b
    where b.origin ->> 'id' not in (select a.origin ->> 'id' from private.origins(joined_attribution.after) a)
    having count(*) > 0
  ), '{}');
$$;
comment on function private.joined_attribution is 'Returns the attribution after an update, with every work that only the attribution before the update names added to its via.';
revoke execute on function private.joined_attribution from public, anon, authenticated, service_role;

create function private.refuse_changed_copy()
returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "the copy was changed at the same time"}';
end;
$$;
comment on function private.refuse_changed_copy is 'Raises PT503 unavailable, so that the caller plans the update again.';
revoke execute on function private.refuse_changed_copy from public, anon, authenticated, service_role;

create function private.update_copy(
  user_id uuid,
  rows jsonb,
  asset_id uuid,
  version integer,
  sha256 text,
  pinned boolean,
  into_copy uuid,
  overwrite boolean
)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
<<copy>>
declare
  source public.hub_assets;
  made public.hub_imports;
  replaced record;
  held private.hub_copies;
  content jsonb;
  modified jsonb := '[]';
  added jsonb;
  created jsonb;
begin
  select i.* into made
  from private.rows_of_copy(update_copy.user_id, update_copy.into_copy) r
  join public.hub_imports i on i.id = r.import_id
  limit 1;
  if made.id is null then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  if made.asset_id is distinct from update_copy.asset_id then
    perform private.refuse_faults(private.fault('into', 'other_listing', 'is no copy of this listing'));
  end if;
  select a.* into source from public.hub_assets a where a.id = made.asset_id;
  perform private.lock_origins(update_copy.asset_id, update_copy.rows);

  for replaced in
    select r.value as planned, t.registry_id, a.asset_type, a.ref_id, a.attribution
    from jsonb_array_elements(update_copy.rows) with ordinality r (value, place)
    join private.rows_of_copy(update_copy.user_id, update_copy.into_copy) t on t.source_id = (r.value ->> 'id')::uuid
    join public.hub_assets a on a.id = t.registry_id
    order by a.ref_id
  loop
    if not private.lock_source(replaced.asset_type, replaced.ref_id, update_copy.user_id) then
      perform private.refuse_changed_copy();
    end if;
    content := private.source_row(replaced.asset_type, replaced.ref_id);
    select c.* into held from private.hub_copies c where c.asset_id = replaced.registry_id;
    if held.sha256 is distinct from private.content_sha256(replaced.asset_type, content) then
      modified := modified || jsonb_build_object(
        'asset_type', replaced.asset_type, 'hub_asset_id', replaced.registry_id, 'title', content -> 'name'
      );
    end if;
    perform private.keep_overwritten(
      replaced.registry_id, private.content_of(replaced.asset_type, content), replaced.attribution, held.sha256
    );
    perform private.write_content(replaced.asset_type, replaced.ref_id, replaced.planned -> 'columns');
    update public.hub_assets a
    set attribution = private.joined_attribution(a.attribution, replaced.planned -> 'attribution'),
      pinned_version = case when update_copy.pinned then update_copy.version end,
      -- The owner of a published copy has chosen its license, so the update keeps that license.
      license = case when a.published_at is null and a.current_version = 0 then replaced.planned ->> 'license' else a.license end
    where a.id = replaced.registry_id;
    insert into private.hub_copies (asset_id, sha256)
    select replaced.registry_id,
      private.content_sha256(replaced.asset_type, private.source_row(replaced.asset_type, replaced.ref_id))
    on conflict on constraint hub_copies_pkey do update set sha256 = excluded.sha256;
  end loop;
  if modified <> '[]' and not update_copy.overwrite then
    raise exception using errcode = 'PT409', message = 'modified_copy', detail = jsonb_build_object('items', modified)::text;
  end if;

  -- Collects the remaining rows of the version: items that are new in it, or whose copies were deleted. When a row was deleted
  -- after the update was planned, its listing may still exist; the update is then refused, because the id must not be used again.
  select coalesce(jsonb_agg(r.value order by r.place), '[]') into added
  from jsonb_array_elements(update_copy.rows) with ordinality r (value, place)
  where (r.value ->> 'id')::uuid not in (
    select t.source_id from private.rows_of_copy(update_copy.user_id, update_copy.into_copy) t
  );
  if exists (
    select from jsonb_array_elements(added) r (value) join public.hub_assets a on a.ref_id = (r.value ->> 'id')::uuid
  ) then
    perform private.refuse_changed_copy();
  end if;
  added := private.insert_copies(
    update_copy.user_id, added, update_copy.rows #>> '{0,id}', source, made.mode,
    case when update_copy.pinned then update_copy.version end
  );
  select jsonb_agg(
    coalesce(n.value, jsonb_build_object(
      'asset_type', r.value -> 'asset_type', 'table', r.value -> 'table', 'id', r.value -> 'id', 'hub_asset_id', a.id,
      'title', private.source_row(a.asset_type, a.ref_id) -> 'name'
    ))
    order by r.place
  ) into created
  from jsonb_array_elements(update_copy.rows) with ordinality r (value, place)
  left join jsonb_array_elements(added) n (value) on n.value ->> 'id' = r.value ->> 'id'
  left join public.hub_assets a on a.ref_id = (r.value ->> 'id')::uuid and a.asset_type = r.value ->> 'asset_type';
  update public.hub_imports i set version = update_copy.version, created = copy.created where i.id = made.id;
  perform private.check_importable(update_copy.user_id, update_copy.asset_id, update_copy.version, update_copy.sha256);
  return created;
end;
$$;
comment on function private.update_copy is 'Writes the content of another version into the rows that an import made, and adds the items that are new in this version; deletes nothing. Raises PT403 purchase_required, PT404 asset_not_found, PT409 modified_copy or version_yanked, PT422 validation_failed, PT503 unavailable.';
revoke execute on function private.update_copy from public, anon, authenticated, service_role;
