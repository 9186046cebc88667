-- The gallery's search: validation, the page, and what a sidebar shows of the result. Which listings, `private` says: the index of
-- words is no business of row level security, whose rules it keeps by holding nothing but what is visible. The cards
-- (70_cards.sql) are read by row level security as everything is.
create function private.creator_by_name(username text)
returns uuid
language sql
stable
security definer
set search_path = ''
as $$
  select p.user_id
  from public.hub_profiles p
  -- The first is what the index is over.
  where private.username_key(p.username) = private.username_key(creator_by_name.username)
    and lower(p.username) = lower(creator_by_name.username)
    -- guard: search: a banned creator has no page
    -- without: ;
    and not private.is_banned(p.user_id);
    -- end
$$;
comment on function private.creator_by_name is 'Who has a username; null for nobody and for a banned creator.';
revoke execute on function private.creator_by_name from public, anon, authenticated, service_role;
grant execute on function private.creator_by_name to anon, authenticated, service_role;

create function private.search_faults(
  q text, types text[], tags text[], model text, cardinality text, license text, creator text, sort text, page_size integer
)
returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
declare
  faults jsonb := '[]';
begin
  if search_faults.q is not null and char_length(search_faults.q) > 500 then
    faults := faults || private.fault('q', 'too_big', 'must be at most 500 characters');
  end if;
  if search_faults.types is not null and not search_faults.types <@ private.asset_types() or cardinality(search_faults.types) > cardinality(private.asset_types()) then
    faults := faults || private.fault('types', 'invalid_value', 'must be some of ' || array_to_string(private.asset_types(), ', '));
  end if;
  if search_faults.tags is not null and not private.tags_are_valid(search_faults.tags) then
    faults := faults || private.fault('tags', 'invalid_format', 'must be at most 20 tags of 1 to 64 letters, digits and + . _ : / -');
  end if;
  if search_faults.model is not null and not private.tags_are_valid(array[search_faults.model]) then
    faults := faults || private.fault('model', 'invalid_format', 'must be the tag of a model');
  end if;
  if search_faults.cardinality not in ('1to1', '1ton', 'batch') then
    faults := faults || private.fault('cardinality', 'invalid_value', 'must be one of 1to1, 1ton, batch');
  end if;
  if search_faults.license not in ('cc0', 'cc-by', 'platform-free', 'paid') then
    faults := faults || private.fault('license', 'invalid_value', 'must be one of cc0, cc-by, platform-free, paid');
  end if;
  if char_length(search_faults.creator) > 100 then
    faults := faults || private.fault('creator', 'invalid_format', 'must be the username of a creator');
  end if;
  if search_faults.sort not in ('newest', 'most_installed', 'most_starred', 'recently_updated', 'relevance') then
    faults := faults || private.fault('sort', 'invalid_value', 'must be one of newest, most_installed, most_starred, recently_updated, relevance');
  elsif search_faults.sort = 'relevance' and search_faults.q is null then
    faults := faults || private.fault('sort', 'invalid_value', 'relevance needs q');
  end if;
  if search_faults.page_size not between 1 and 100 then
    faults := faults || private.fault('page_size', 'invalid_value', 'must be from 1 to 100');
  end if;
  return faults;
end;
$$;
comment on function private.search_faults is 'What is wrong with a search, all at once.';
revoke execute on function private.search_faults from public, anon, authenticated, service_role;

create function private.is_search_place(place jsonb, sort text)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
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
$$;
comment on function private.is_search_place is 'Whether a cursor holds a place in a list of this sort.';
revoke execute on function private.is_search_place from public, anon, authenticated, service_role;

create type private.search_request as (
  q text, types text[], tags text[], license text, creator text, sort text, list jsonb, place jsonb, page_size integer
);

create function private.search_request(
  q text, types text[], tags text[], model text, cardinality text, license text, creator text, sort text, cursor text,
  page_size integer
)
returns private.search_request
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  request private.search_request;
  tags text[];
  model text;
  cardinality text;
begin
  -- Sizes first: normalising takes the square of a long run of combining marks.
  if octet_length(search_request.q) > 2000 or octet_length(search_request.model) > 300
    or pg_catalog.cardinality(search_request.tags) > 20 or octet_length(array_to_string(search_request.tags, '')) > 6000
  then
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
  end if;
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
  tags := case when search_request.tags is not null then private.normalize_tags(search_request.tags) end;
  model := case when search_request.model is not null then (private.normalize_tags(array[search_request.model]))[1] end;
  cardinality := lower(ltrim(search_request.cardinality, '#'));
  -- guard: search: filters are judged
  perform private.refuse_faults(private.search_faults(
    request.q, request.types, tags, model, cardinality, request.license, request.creator, request.sort, request.page_size
  ));
  -- end
  if model is not null or cardinality is not null then
    tags := private.normalize_tags(tags || model || cardinality);
  end if;
  request.tags := tags;
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
$$;
comment on function private.search_request is 'A search that has been judged. Raises PT400 malformed_cursor, PT422 validation_failed with every fault.';
revoke execute on function private.search_request from public, anon, authenticated, service_role;
grant execute on function private.search_request to anon, authenticated, service_role;

create function private.search_page(
  request private.search_request, place jsonb, wanted integer, out ids uuid[], out next_place jsonb
)
language plpgsql
stable
security definer
set search_path = ''
-- For all that is called from here: to plan a look into the index of words with its values takes as long as the look.
set plan_cache_mode = force_generic_plan
as $$
declare
  creator_id uuid;
  matches tsquery;
begin
  if (search_page.request).creator is not null then
    creator_id := private.creator_by_name((search_page.request).creator);
    if creator_id is null then
      return;
    end if;
  end if;
  if (search_page.request).sort = 'relevance' then
    select array_agg(r.asset_id), (array_agg(r.at))[search_page.wanted - 1]
    into search_page.ids, search_page.next_place
    from private.search_by_relevance(
      (search_page.request).q, private.search_filters((search_page.request).types, (search_page.request).license, creator_id, (search_page.request).tags),
      search_page.place, search_page.wanted
    ) r;
  else
    if (search_page.request).q is not null then
      matches := (private.search_plan((search_page.request).q)).matches;
      -- What has no word in it is found nowhere.
      if matches is null then
        return;
      end if;
    end if;
    select r.ids, jsonb_build_object('key', r.keys[search_page.wanted - 1], 'id', r.ids[search_page.wanted - 1])
    into search_page.ids, search_page.next_place
    from private.search_by_column(
      (search_page.request).sort, matches, (search_page.request).types, (search_page.request).license, creator_id,
      (search_page.request).tags, search_page.place, search_page.wanted
    ) r;
  end if;
end;
$$;
comment on function private.search_page is 'The visible listings of one page and one more, and the place of the last but one, where the next page begins.';
revoke execute on function private.search_page from public, anon, authenticated, service_role;
grant execute on function private.search_page to anon, authenticated, service_role;

create function private.search_facets(request private.search_request)
returns jsonb
language sql
stable
security definer
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
  -- Of the first thousand of the result, so that the work is bounded; `complete` tells whether that is all of it.
  with page as materialized (
    select i.asset_id
    from private.search_page(search_facets.request, null, 1001) p cross join lateral unnest(p.ids) i (asset_id)
  ),
  listings as materialized (
    select a.asset_type, a.license, a.tags
    from (select p.asset_id from page p limit 1000) p
    join public.hub_assets a on a.id = p.asset_id
    where a.is_visible
  ),
  tags as (
    select t.tag, count(*) as listings, t.tag ~ '^(gpt|o[0-9]|claude|gemini|llama|mistral|mixtral|qwen|deepseek|grok|command|phi|gemma|nova)([.:/-]|[0-9]|$)' as is_model
    from listings l cross join lateral unnest(l.tags) t (tag)
    group by t.tag
  )
  select jsonb_build_object(
    'complete', (select count(*) from page) <= 1000,
    'types', (
      select coalesce(jsonb_agg(jsonb_build_object('value', c.value, 'count', c.listings) order by c.listings desc, c.value), '[]')
      from (select l.asset_type as value, count(*) as listings from listings l group by 1) c
    ),
    'licenses', (
      select coalesce(jsonb_agg(jsonb_build_object('value', c.value, 'count', c.listings) order by c.listings desc, c.value), '[]')
      from (select l.license as value, count(*) as listings from listings l group by 1) c
    ),
    'tags', (
      select coalesce(jsonb_agg(jsonb_build_object('value', c.tag, 'count', c.listings) order by c.listings desc, c.tag), '[]')
      from (select t.* from tags t where not t.is_model order by t.listings desc, t.tag limit 20) c
    ),
    'models', (
      select coalesce(jsonb_agg(jsonb_build_object('value', c.tag, 'count', c.listings) order by c.listings desc, c.tag), '[]')
      from (select t.* from tags t where t.is_model order by t.listings desc, t.tag limit 20) c
    )
  );
$$;
comment on function private.search_facets is 'How many listings of a result are of which type and license, and its most used tags and models.';
revoke execute on function private.search_facets from public, anon, authenticated, service_role;
grant execute on function private.search_facets to anon, authenticated, service_role;

create function public.hub_search(
  q text default null,
  types text[] default null,
  tags text[] default null,
  model text default null,
  cardinality text default null,
  license text default null,
  creator text default null,
  sort text default null,
  cursor text default null,
  page_size integer default 24,
  facets boolean default false
)
returns json
language plpgsql
stable
security invoker
set search_path = ''
as $$
declare
  request constant private.search_request := private.search_request(
    hub_search.q, hub_search.types, hub_search.tags, hub_search.model, hub_search.cardinality, hub_search.license,
    hub_search.creator, hub_search.sort, hub_search.cursor, hub_search.page_size
  );
  page constant record := private.search_page(request, request.place, request.page_size + 1);
  next_cursor text;
  items json;
begin
  if pg_catalog.cardinality(page.ids) > request.page_size then
    next_cursor := private.to_cursor(jsonb_build_object('list', request.list) || page.next_place);
  end if;
  items := private.asset_cards(page.ids[:request.page_size]);
  if hub_search.facets then
    return json_build_object('items', items, 'next_cursor', next_cursor, 'facets', private.search_facets(request));
  end if;
  return json_build_object('items', items, 'next_cursor', next_cursor);
end;
$$;
comment on function public.hub_search is 'Visible listings by words and filters: {items, next_cursor, facets?}. Raises PT400 malformed_cursor, PT422 validation_failed.';
revoke execute on function public.hub_search from public, anon, authenticated, service_role;
grant execute on function public.hub_search to anon, authenticated, service_role;
