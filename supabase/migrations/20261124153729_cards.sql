SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.remix_cards (
  asset_ids   uuid[],
  creator_ids uuid[],
  directs     integer
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
begin
  return (
    select coalesce(json_agg(row_to_json(r) order by p.n), '[]')
    from unnest(remix_cards.asset_ids) with ordinality p (id, n)
    join public.hub_assets a on a.id = p.id
    left join private.creators(remix_cards.creator_ids) c on c.user_id = a.creator_id
    cross join lateral (
      select a.id, a.slug, a.asset_type, a.title, a.description, a.tags, a.thumbnail_url, a.license, c.card as creator,
        a.install_count, a.star_count, a.published_at, a.content_updated_at, a.remix_depth,
        p.n <= remix_cards.directs as direct, a.parent_asset_id
    ) r
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_remixes (
  asset_id uuid,
  cursor   text DEFAULT NULL::text
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
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
    -- Cursors are not signed: check the types of a decoded place.
    if not jsonb_path_exists(place, '$ ? (@.direct.type() == "boolean" && @.at.type() == "string" && @.id.type() == "string")')
      or not pg_input_is_valid(place ->> 'at', 'timestamptz')
      -- guard: import: the types in a cursor are checked
      or not pg_input_is_valid(place ->> 'id', 'uuid')
      -- end
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
$function$;

COMMENT ON FUNCTION "private"."remix_cards"(uuid[], uuid[], integer) IS 'The cards of a page of remixes in the order of their ids, and which of them are direct: the first so many.';

REVOKE ALL ON FUNCTION "private"."remix_cards"(uuid[], uuid[], integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."remix_cards"(uuid[], uuid[], integer) TO "anon", "authenticated";
