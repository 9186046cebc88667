SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.index_asset (
  asset public.hub_assets
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- guard: search: what is not visible has no document
  -- without: if false then
  if not (index_asset.asset).is_visible then
  -- end
    delete from private.hub_documents d where d.asset_id = (index_asset.asset).id;
    return;
  end if;
  insert into private.hub_documents (asset_id, popularity, title_key, document)
  select d.asset_id, d.popularity, d.title_key, d.document
  from private.make_document(index_asset.asset) d
  on conflict (asset_id) do update
  set popularity = excluded.popularity, title_key = excluded.title_key, document = excluded.document;
end;
$function$;

CREATE OR REPLACE FUNCTION private.make_document (
  asset public.hub_assets
)
  RETURNS private.hub_documents
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select
    (make_document.asset).id,
    private.popularity((make_document.asset).star_count, (make_document.asset).install_count),
    private.title_key((make_document.asset).title),
    private.document(make_document.asset);
$function$;

CREATE OR REPLACE FUNCTION private.remix_page (
  asset_id uuid,
  direct   boolean,
  last_at  timestamp with time zone,
  last_id  uuid,
  wanted   integer
)
  RETURNS TABLE (
    id              uuid,
    published_at    timestamp with time zone,
    parent_asset_id uuid
  )
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  SET enable_sort TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
begin
  if remix_page.direct then
    return query
    select r.id, r.published_at, r.parent_asset_id
    from public.hub_assets r
    -- guard: import: lists of remixes have visible rows only
    -- without: where true
    where r.is_visible
    -- end
      and r.parent_asset_id = remix_page.asset_id
      and (r.published_at, r.id) < (remix_page.last_at, remix_page.last_id)
    order by r.published_at desc, r.id desc
    limit remix_page.wanted;
  else
    return query
    select r.id, r.published_at, r.parent_asset_id
    from public.hub_assets r
    where r.is_visible
      and r.source_asset_id = remix_page.asset_id
      and r.parent_asset_id is distinct from r.source_asset_id
      and (r.published_at, r.id) < (remix_page.last_at, remix_page.last_id)
    order by r.published_at desc, r.id desc
    limit remix_page.wanted;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.stem (
  word text
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  rest text;
begin
  -- Not of one language: endings of plurals and inflections of several, taken off as long as three letters stay.
  if stem.word ~ '^[a-z]{4,}$' then
    rest := rtrim(stem.word, 'aeinorsxy');
    if rest like '%ing' then
      rest := rtrim(left(rest, -3), 'aeinorsxy');
    elsif rest like '%ment' then
      rest := rtrim(left(rest, -4), 'aeinorsxy');
    elsif rest like '%ed' then
      rest := rtrim(left(rest, -2), 'aeinorsxy');
    end if;
  elsif stem.word ~ '^[\u0400-\u04ff]{4,}$' then
    rest := rtrim(stem.word, 'авеиймоухыьэюяё');
  else
    return stem.word;
  end if;
  -- quizzes, setting: the letter that was doubled before the ending.
  return left(stem.word, greatest(3, char_length(rest) - case when right(rest, 2) = repeat(right(rest, 1), 2) and char_length(rest) > 1 then 1 else 0 end));
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_remixes (
  asset_id uuid,
  cursor   text DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  page_size constant integer := 24;
  list constant jsonb := jsonb_build_array('remixes', hub_remixes.asset_id);
  place jsonb;
  last_at timestamptz := 'infinity';
  last_id uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  ids uuid[] := '{}';
  parents uuid[] := '{}';
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
    select coalesce(array_agg(p.id), '{}'), coalesce(array_agg(p.parent_asset_id), '{}'), coalesce(array_agg(p.published_at), '{}')
    into ids, parents, times
    from private.remix_page(hub_remixes.asset_id, true, last_at, last_id, page_size + 1) p;
    directs := cardinality(ids);
    last_at := 'infinity';
    last_id := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  end if;
  if directs <= page_size then
    select ids || coalesce(array_agg(p.id), '{}'), parents || coalesce(array_agg(p.parent_asset_id), '{}'),
      times || coalesce(array_agg(p.published_at), '{}')
    into ids, parents, times
    from private.remix_page(hub_remixes.asset_id, false, last_at, last_id, page_size + 1 - directs) p;
  end if;
  return jsonb_build_object(
    'items', (
      select coalesce(jsonb_agg(
        c.card || jsonb_build_object('direct', c.n <= directs, 'parent_asset_id', parents[c.n]) order by c.n
      ), '[]')
      from jsonb_array_elements(private.asset_cards(ids[:page_size])) with ordinality c (card, n)
    ),
    'next_cursor', case
      when cardinality(ids) > page_size
      then private.to_cursor(jsonb_build_object(
        'list', list, 'direct', page_size <= directs, 'at', times[page_size], 'id', ids[page_size]
      ))
    end
  );
end;
$function$;

CREATE INDEX hub_assets_direct_remixes_idx ON public.hub_assets USING btree (parent_asset_id, published_at DESC, id DESC)
  WHERE (is_visible AND (parent_asset_id IS NOT NULL));

CREATE INDEX hub_assets_further_remixes_idx ON public.hub_assets USING btree (source_asset_id, published_at DESC, id DESC)
  WHERE (is_visible AND (source_asset_id IS NOT NULL) AND (parent_asset_id IS DISTINCT FROM source_asset_id));

COMMENT ON FUNCTION "private"."make_document"(public.hub_assets) IS 'The row by which a listing is found.';

COMMENT ON FUNCTION "private"."remix_page"(uuid, boolean, timestamp with time zone, uuid, integer) IS 'Visible remixes behind a place, newest first: those made of the asset itself, or those made of one of its remixes.';

REVOKE ALL ON FUNCTION "private"."make_document"(public.hub_assets) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."remix_page"(uuid, boolean, timestamp WITH time zone, uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."remix_page"(uuid, boolean, timestamp WITH time zone, uuid, integer) TO "anon", "authenticated";
