SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.is_search_place (
  place jsonb,
  sort  text
)
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  -- Only what was given here; anybody can write a text that decodes.
  if not coalesce(pg_input_is_valid(is_search_place.place ->> 'id', 'uuid'), false) then
    return false;
  end if;
  if is_search_place.sort = 'relevance' then
    return coalesce(
      is_search_place.place ->> 'in' in ('exact', 'ranked', 'rest', 'any')
        and jsonb_typeof(is_search_place.place -> 'score') = 'number'
        and pg_input_is_valid(is_search_place.place ->> 'score', 'numeric(12,5)')
        and (is_search_place.place ->> 'in' not in ('exact', 'rest') or pg_input_is_valid(is_search_place.place ->> 'score', 'smallint'))
        and (is_search_place.place ->> 'floor' is null or pg_input_is_valid(is_search_place.place ->> 'floor', 'smallint'))
        and (is_search_place.place ->> 'above' is null or pg_input_is_valid(is_search_place.place ->> 'above', 'uuid'))
        and (is_search_place.place ->> 'above' is null) = (is_search_place.place ->> 'floor' is null)
        and (is_search_place.place ->> 'in' <> 'rest' or is_search_place.place ->> 'floor' is not null),
      false
    );
  end if;
  if private.sort_column(is_search_place.sort) not like '%\_at' then
    return coalesce(pg_input_is_valid(is_search_place.place ->> 'key', 'integer'), false);
  end if;
  -- guard: search: a cursor from the future is malformed
  -- without: return coalesce(pg_input_is_valid(is_search_place.place ->> 'key', 'timestamptz'), false);
  return case
    when pg_input_is_valid(is_search_place.place ->> 'key', 'timestamptz') then (is_search_place.place ->> 'key')::timestamptz <= clock_timestamp()
    else false
  end;
  -- end
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_request (
  q           text,
  types       text[],
  tags        text[],
  model       text,
  cardinality text,
  license     text,
  creator     text,
  sort        text,
  cursor      text,
  page_size   integer
)
  RETURNS private.search_request
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  request private.search_request;
begin
  -- Sizes first: normalising takes the square of a long run of combining marks.
  perform private.refuse_faults(
    case
      when octet_length(search_request.q) > 2000 then private.fault('q', 'too_big', 'must be at most 500 characters')
      else '[]'
    end
    || case
      when pg_catalog.cardinality(search_request.tags) > 20 or octet_length(array_to_string(search_request.tags, '')) > 6000
      then private.fault('tags', 'invalid_format', 'must be at most 20 tags of 1 to 64 letters, digits and + . _ : / -')
      else '[]'
    end
    || case
      when octet_length(search_request.model) > 300 then private.fault('model', 'invalid_format', 'must be the tag of a model')
      else '[]'
    end
  );
  -- A blank behind a word says that it is finished.
  if search_request.q ~ '[^\s\u3000]' then
    request.q := regexp_replace(ltrim(search_request.q, E' \t\n\r\u3000'), '[\s\u3000]+$', ' ');
  end if;
  if pg_catalog.cardinality(search_request.types) > 0 then
    request.types := search_request.types;
  end if;
  request.license := search_request.license;
  request.creator := lower(search_request.creator);
  request.sort := coalesce(search_request.sort, case when request.q is null then 'newest' else 'relevance' end);
  request.page_size := coalesce(search_request.page_size, 24);
  if search_request.tags is not null or search_request.model is not null or search_request.cardinality is not null then
    request.tags := private.normalize_tags(search_request.tags || search_request.model || search_request.cardinality);
  end if;
  -- guard: search: filters are judged
  perform private.refuse_faults(private.search_faults(
    request.q, request.types, case when search_request.tags is not null then private.normalize_tags(search_request.tags) end,
    case when search_request.model is not null then (private.normalize_tags(array[search_request.model]))[1] end,
    lower(ltrim(search_request.cardinality, '#')), request.license, request.creator, request.sort, request.page_size
  ));
  -- end
  -- Of those who left out a model or a cardinality there are nulls.
  request.tags := array_remove(array_remove(request.tags, null), '');
  if pg_catalog.cardinality(request.tags) = 0 then
    request.tags := null;
  end if;
  -- guard: search: a cursor belongs to its query
  -- without: request.list := to_jsonb('search'::text);
  request.list := to_jsonb('search ' || md5(jsonb_build_array(
    request.q, request.types, request.tags, request.license, request.creator, request.sort
  )::text));
  -- end
  if search_request.cursor is not null then
    if octet_length(search_request.cursor) > 2000 then
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
    request.place := private.from_cursor(search_request.cursor, request.list);
    -- guard: search: a cursor is what was given here
    -- without: if false then
    if not private.is_search_place(request.place, request.sort) then
    -- end
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
  end if;
  return request;
end;
$function$;
