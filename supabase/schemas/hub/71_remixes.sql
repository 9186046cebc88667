-- Pagination: a cursor is opaque to clients and valid only for the list that returned it.
create function private.to_cursor(place jsonb)
returns text
language sql
immutable
set search_path = ''
as $$
  select translate(encode(convert_to(to_cursor.place::text, 'UTF8'), 'base64'), E'+/=\n', '-_');
$$;
comment on function private.to_cursor is 'Encodes a place in a list as a cursor.';
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
  -- guard: import: a cursor is valid for its list only
  -- without: if place is null then
  if place -> 'list' is distinct from from_cursor.list then
  -- end
    raise exception using errcode = 'PT400', message = 'malformed_cursor';
  end if;
  return place;
end;
$$;
comment on function private.from_cursor is 'Decodes a cursor of this list to its place. Raises PT400 malformed_cursor for any other text.';
revoke execute on function private.from_cursor from public, anon, authenticated, service_role;
grant execute on function private.from_cursor to anon, authenticated;

create function public.hub_remixes(asset_id uuid, cursor text default null)
returns jsonb
language plpgsql
stable
security invoker
set search_path = ''
as $$
declare
  page_size constant integer := 24;
  list constant jsonb := jsonb_build_array('remixes', hub_remixes.asset_id);
  place jsonb;
  items jsonb;
  last jsonb;
begin
  if hub_remixes.cursor is not null then
    place := private.from_cursor(hub_remixes.cursor, list);
    -- Cursors are not signed: check the types of a decoded place.
    if not jsonb_path_exists(place, '$ ? (@.direct.type() == "boolean" && @.at.type() == "string" && @.id.type() == "string")')
      or not pg_input_is_valid(place ->> 'at', 'timestamptz')
      -- guard: import: the types in a cursor are checked
      or not pg_input_is_valid(place ->> 'id', 'uuid')
      -- end
    then
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
  end if;
  -- Cards are built only for the rows of this page.
  with page as (
    select r.id, r.parent_asset_id is not distinct from hub_remixes.asset_id as direct, r.published_at
    from public.hub_assets r
    -- guard: import: lists of remixes have visible rows only
    -- without: where true
    where r.is_visible
    -- end
      and (r.source_asset_id = hub_remixes.asset_id or r.parent_asset_id = hub_remixes.asset_id)
      and (
        place is null
        or (r.parent_asset_id is not distinct from hub_remixes.asset_id, r.published_at, r.id)
          < ((place -> 'direct')::boolean, (place ->> 'at')::timestamptz, (place ->> 'id')::uuid)
      )
    order by direct desc, r.published_at desc, r.id desc
    limit page_size + 1
  ),
  numbered as (
    select p.*, row_number() over (order by p.direct desc, p.published_at desc, p.id desc) as n from page p
  )
  select
    coalesce(
      jsonb_agg(
        private.asset_card(r) || jsonb_build_object('direct', p.direct, 'parent_asset_id', r.parent_asset_id) order by p.n
      ) filter (where p.n <= page_size),
      '[]'
    ),
    case
      when count(*) > page_size
      then jsonb_agg(jsonb_build_object('list', list, 'direct', p.direct, 'at', p.published_at, 'id', p.id) order by p.n) -> page_size - 1
    end
  into items, last
  from numbered p
  join public.hub_assets r on r.id = p.id;
  return jsonb_build_object('items', items, 'next_cursor', private.to_cursor(last));
end;
$$;
comment on function public.hub_remixes is 'The visible remixes of an asset, direct ones first, then newest first: {items, next_cursor}. Raises PT400 malformed_cursor.';
revoke execute on function public.hub_remixes from public, anon, authenticated, service_role;
grant execute on function public.hub_remixes to anon, authenticated;
