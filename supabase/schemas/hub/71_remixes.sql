-- Pagination: a cursor is opaque to clients and valid only for the list that returned it.
create function private.to_cursor(place jsonb)
returns text
language sql
immutable
set search_path = ''
as $$
  select translate(encode(convert_to(to_cursor.place::text, 'UTF8'), 'base64'), E'+/=\n', '-_');
$$;
comment on function private.to_cursor is 'Encodes a place in a list, such as the id and the time of the last row of a page, as a cursor.';
revoke execute on function private.to_cursor from public, anon, authenticated, service_role;
grant execute on function private.to_cursor to anon, authenticated, service_role;

create function private.from_cursor(cursor text, list jsonb)
returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
declare
  place jsonb;
begin
  begin
    place := convert_from(
      decode(rpad(translate(from_cursor.cursor, '-_', '+/'), 4 * ((char_length(from_cursor.cursor) + 3) / 4), '='), 'base64'),
      'UTF8'
    )::jsonb;
  exception
    when data_exception or program_limit_exceeded then null;
  end;
  if place -> 'list' is distinct from from_cursor.list then
    raise exception using errcode = 'PT400', message = 'malformed_cursor';
  end if;
  return place;
end;
$$;
comment on function private.from_cursor is 'Decodes a cursor that this list returned to the place in the list. Raises PT400 malformed_cursor for any other text.';
revoke execute on function private.from_cursor from public, anon, authenticated, service_role;
grant execute on function private.from_cursor to anon, authenticated;

-- Direct remixes, made from the asset itself, and further remixes, made from one of its remixes, are two lists. Each list has an
-- index in its own order, so that a page reads only the rows that it shows.
create index hub_assets_direct_remixes_idx on public.hub_assets (parent_asset_id, published_at desc, id desc)
where is_visible and parent_asset_id is not null;
create index hub_assets_further_remixes_idx on public.hub_assets (source_asset_id, published_at desc, id desc)
where is_visible and source_asset_id is not null and parent_asset_id is distinct from source_asset_id;

create function private.remix_page(asset_id uuid, direct boolean, last_at timestamptz, last_id uuid, wanted integer)
returns table (id uuid, published_at timestamptz, creator_id uuid)
language plpgsql
stable
security invoker
set search_path = ''
-- Reads in the order of the index, even when the planner expects few remixes: a root may have a hundred thousand remixes.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
begin
  if remix_page.direct then
    return query
    select r.id, r.published_at, r.creator_id
    from public.hub_assets r
    where r.is_visible
      and r.parent_asset_id = remix_page.asset_id
      and (r.published_at, r.id) < (remix_page.last_at, remix_page.last_id)
    order by r.published_at desc, r.id desc
    limit remix_page.wanted;
  else
    return query
    select r.id, r.published_at, r.creator_id
    from public.hub_assets r
    where r.is_visible
      and r.source_asset_id = remix_page.asset_id
      and r.parent_asset_id is distinct from r.source_asset_id
      and (r.published_at, r.id) < (remix_page.last_at, remix_page.last_id)
    order by r.published_at desc, r.id desc
    limit remix_page.wanted;
  end if;
end;
$$;
comment on function private.remix_page is 'Returns the next `wanted` visible remixes of an asset after a cursor, whose place is last_at and last_id, newest first: with direct, those made from the asset itself; otherwise those made from one of its remixes.';
revoke execute on function private.remix_page from public, anon, authenticated, service_role;
grant execute on function private.remix_page to anon, authenticated;

create function public.hub_remixes(asset_id uuid, cursor text default null)
returns json
language plpgsql
stable
security invoker
set search_path = ''
set enable_seqscan = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  page_size constant integer := 24;
  list constant jsonb := jsonb_build_array('remixes', hub_remixes.asset_id);
  place jsonb;
  last_at timestamptz := 'infinity';
  last_id uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  ids uuid[] := '{}';
  creator_ids uuid[] := '{}';
  times timestamptz[] := '{}';
  directs integer := 0;
begin
  if hub_remixes.cursor is not null then
    place := private.from_cursor(hub_remixes.cursor, list);
    -- Checks the types in the decoded place, because cursors are not signed and a client may have written this one.
    if not jsonb_path_exists(place, '$ ? (@.direct.type() == "boolean" && @.at.type() == "string" && @.id.type() == "string")')
      or not pg_input_is_valid(place ->> 'at', 'timestamptz')
      or not pg_input_is_valid(place ->> 'id', 'uuid')
    then
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
    last_at := place ->> 'at';
    last_id := place ->> 'id';
  end if;
  if place is null or (place -> 'direct')::boolean then
    select coalesce(array_agg(p.id), '{}'), coalesce(array_agg(p.creator_id), '{}'), coalesce(array_agg(p.published_at), '{}')
    into ids, creator_ids, times
    from private.remix_page(hub_remixes.asset_id, true, last_at, last_id, page_size + 1) p;
    directs := cardinality(ids);
    last_at := 'infinity';
    last_id := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  end if;
  if directs <= page_size then
    select ids || coalesce(array_agg(p.id), '{}'), creator_ids || coalesce(array_agg(p.creator_id), '{}'),
      times || coalesce(array_agg(p.published_at), '{}')
    into ids, creator_ids, times
    from private.remix_page(hub_remixes.asset_id, false, last_at, last_id, page_size + 1 - directs) p;
  end if;
  return json_build_object(
    'items', private.remix_cards(ids[:page_size], creator_ids, directs),
    'next_cursor', case
      when cardinality(ids) > page_size
      then private.to_cursor(jsonb_build_object(
        'list', list, 'direct', page_size <= directs, 'at', times[page_size], 'id', ids[page_size]
      ))
    end
  );
end;
$$;
comment on function public.hub_remixes is 'Returns the visible remixes of an asset, the direct ones before the others, each newest first, 24 a page: {items, next_cursor}. Raises PT400 malformed_cursor.';
revoke execute on function public.hub_remixes from public, anon, authenticated, service_role;
grant execute on function public.hub_remixes to anon, authenticated;
