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
  -- Also in the future: an operator may have written such a date.
  return coalesce(pg_input_is_valid(is_search_place.place ->> 'key', 'timestamptz'), false);
end;
$function$;
