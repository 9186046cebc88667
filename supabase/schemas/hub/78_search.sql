-- The search of the gallery: arguments, page and facets. Row level security does not apply to the index of words, which holds only
-- visible listings; it does apply to the cards (70_cards.sql).
create type private.search_request as (q text, types text[], tags text[], license text, creator text, sort text, list jsonb, place jsonb, page_size integer);

create function private.search_request(
  q text, types text[], tags text[], model text, cardinality text, license text, creator text, sort text, cursor text, page_size integer,
  organization_id uuid default null
)
returns private.search_request
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  request private.search_request;
  model text[];
  faults jsonb;
begin
  request.license := search_request.license;
  request.creator := lower(search_request.creator);
  request.page_size := coalesce(search_request.page_size, 24);
  request.types := nullif(search_request.types, '{}');
  if octet_length(search_request.q) <= 2000 and search_request.q ~ '[^\s\u3000]' then
    -- Keeps one blank after the last word, because it shows that the word is finished.
    request.q := regexp_replace(ltrim(search_request.q, E' \t\n\r\u3000'), '[\s\u3000]+$', ' ');
  end if;
  request.sort := coalesce(search_request.sort, case when request.q is null then 'newest' else 'relevance' end);
  if octet_length(search_request.model) <= 300 then
    model := private.normalize_tags(array[search_request.model]);
  end if;
  if pg_catalog.cardinality(search_request.tags) <= 20 and octet_length(array_to_string(search_request.tags, '')) <= 6000 then
    request.tags := private.normalize_tags(search_request.tags);
  end if;
  select jsonb_agg(f.fault -> 0) into faults from (values
    (octet_length(search_request.q) > 2000 or char_length(request.q) > 500, private.fault('q', 'too_big', 'must be at most 500 characters')),
    (not request.types <@ private.asset_types() or pg_catalog.cardinality(request.types) > pg_catalog.cardinality(private.asset_types()), private.fault('types', 'invalid_value', 'must be some of ' || array_to_string(private.asset_types(), ', '))),
    (search_request.tags is not null and request.tags is null or not private.tags_are_valid(request.tags), private.fault('tags', 'invalid_format', 'must be at most 20 tags of 1 to 64 letters, digits and + . _ : / -')),
    (search_request.model is not null and (model is null or not private.tags_are_valid(model) or pg_catalog.cardinality(model) <> 1), private.fault('model', 'invalid_format', 'must be the tag of a model')),
    (lower(ltrim(search_request.cardinality, '#')) not in ('1to1', '1ton', 'batch'), private.fault('cardinality', 'invalid_value', 'must be one of 1to1, 1ton, batch')),
    (request.license not in ('cc0', 'cc-by', 'platform-free', 'paid'), private.fault('license', 'invalid_value', 'must be one of cc0, cc-by, platform-free, paid')),
    (char_length(request.creator) > 100, private.fault('creator', 'invalid_format', 'must be the username of a creator')),
    (request.sort not in ('newest', 'most_installed', 'most_starred', 'recently_updated', 'relevance'), private.fault('sort', 'invalid_value', 'must be one of newest, most_installed, most_starred, recently_updated, relevance')),
    (request.sort = 'relevance' and request.q is null, private.fault('sort', 'invalid_value', 'relevance needs q')),
    (request.page_size not between 1 and 100, private.fault('page_size', 'invalid_value', 'must be from 1 to 100'))
  ) f (is_wrong, fault) where f.is_wrong;
  perform private.refuse_faults(coalesce(faults, '[]'));
  request.tags := nullif(private.normalize_tags(array_remove(request.tags || model || lower(ltrim(search_request.cardinality, '#')), null)), '{}');
  -- A cursor is valid only for the query that returned it, so the list is named after the query.
  request.list := to_jsonb('search ' || md5(jsonb_build_array(request.q, request.types, request.tags, request.license, request.creator, request.sort)::text)
    || coalesce(' on the shelf of ' || search_request.organization_id, ''));
  if search_request.cursor is not null then
    request.place := private.from_cursor(left(search_request.cursor, 2001), request.list);
    -- Accepts only places of the form that a cursor holds: anybody can write a text that decodes to another place.
    if not coalesce(
      pg_input_is_valid(request.place ->> 'id', 'uuid') and case
        when request.sort in ('newest', 'recently_updated') then pg_input_is_valid(request.place ->> 'key', 'timestamptz')
        when request.sort <> 'relevance' then pg_input_is_valid(request.place ->> 'key', 'integer')
        when search_request.organization_id is not null then pg_input_is_valid(request.place ->> 'key', 'numeric(12,5)')
        else request.place ->> 'in' in ('ranked', 'rest') and jsonb_typeof(request.place -> 'score') = 'number'
          and pg_input_is_valid(request.place ->> 'score', case request.place ->> 'in' when 'rest' then 'smallint' else 'numeric(12,5)' end)
          and coalesce(
            pg_input_is_valid(request.place -> 'floor' ->> 'popularity', 'smallint') and pg_input_is_valid(request.place -> 'floor' ->> 'id', 'uuid')
              and jsonb_typeof(request.place -> 'floor' -> 'walk') = 'boolean',
            request.place ->> 'in' = 'ranked' and request.place ->> 'floor' is null
          )
      end, false)
    then
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
  end if;
  return request;
end;
$$;
comment on function private.search_request is 'Checks the arguments of a search and returns them in normal form. Raises PT400 malformed_cursor, PT422 validation_failed with every fault.';
revoke execute on function private.search_request from public, anon, authenticated, service_role;
grant execute on function private.search_request to anon, authenticated, service_role;

create function private.search_page(request private.search_request, place jsonb, wanted integer, out ids uuid[], out next_place jsonb)
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  creator_id constant uuid := case when (search_page.request).creator is not null then private.creator_by_name((search_page.request).creator) end;
  matches tsquery;
  filters constant tsquery := (
    select string_agg('(' || f.filter || ')', ' & ')::tsquery
    from (
      select string_agg('''=type:' || t.type || '''', ' | ') from unnest((search_page.request).types) t (type)
      union all select '''=license:' || (search_page.request).license || ''''
      union all select '''=creator:' || creator_id || ''''
      union all select '''=tag:' || t.tag || '''' from unnest((search_page.request).tags) t (tag)
    ) f (filter)
  );
begin
  if (search_page.request).creator is not null and creator_id is null then
    return;
  end if;
  if (search_page.request).sort = 'relevance' then
    select array_agg(r.id), (array_agg(r.at))[search_page.wanted - 1] into ids, next_place
    from private.search_by_relevance((search_page.request).q, filters, search_page.place, search_page.wanted) r;
    return;
  end if;
  if (search_page.request).q is not null then
    matches := (private.search_plan((search_page.request).q)).matches;
    if matches is null then
      return;
    end if;
  end if;
  select r.ids, jsonb_build_object('key', r.keys[search_page.wanted - 1], 'id', r.ids[search_page.wanted - 1]) into ids, next_place
  from private.search_by_column(
    (search_page.request).sort, matches, filters, (search_page.request).types, (search_page.request).license, creator_id, (search_page.request).tags,
    search_page.place, search_page.wanted
  ) r;
end;
$$;
comment on function private.search_page is 'Returns the ids of the next `wanted` visible listings, one more than a page shows, and the place of the last but one: it is the last listing of the page, after which the next page begins.';
revoke execute on function private.search_page from public, anon, authenticated, service_role;
grant execute on function private.search_page to anon, authenticated, service_role;

create function private.search_facets(request private.search_request)
returns jsonb
language sql
stable
security definer
set search_path = ''
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
  -- Counts the first thousand listings of the result, so that the work is bounded; `complete` says whether these are all.
  with page as materialized (select p.ids from private.search_page(search_facets.request, null, 1001) p),
  counted as (
    select f.facet, f.value, count(*) as listings
    from page p
    cross join lateral unnest(p.ids[:1000]) i (id)
    join public.hub_assets a on a.id = i.id and a.is_visible
    cross join lateral (
      select 'types', a.asset_type
      union all select 'licenses', a.license
      union all select 'tags', t.tag from unnest(a.tags) t (tag)
    ) f (facet, value)
    group by f.facet, f.value
  ),
  facets as (
    select k.facet, c.value, c.listings, row_number() over (partition by k.facet order by c.listings desc, c.value) as place
    from counted c
    cross join lateral (
      select case when c.facet = 'tags' and c.value ~ '^(gpt|o[0-9]|claude|gemini|llama|mistral|mixtral|qwen|deepseek|grok|command|phi|gemma|nova)([.:/-]|[0-9]|$)' then 'models' else c.facet end as facet
    ) k
  )
  select '{"types": [], "licenses": [], "tags": [], "models": []}'
    || jsonb_build_object('complete', coalesce((select cardinality(p.ids) from page p), 0) <= 1000)
    || coalesce((
      select jsonb_object_agg(l.facet, l.list)
      from (
        select f.facet, jsonb_agg(jsonb_build_object('value', f.value, 'count', f.listings) order by f.place) as list
        from facets f where f.place <= 20 group by f.facet
      ) l
    ), '{}');
$$;
comment on function private.search_facets is 'Returns how many listings of a result have each type and license, and the most used tags and models of the result.';
revoke execute on function private.search_facets from public, anon, authenticated, service_role;
grant execute on function private.search_facets to anon, authenticated, service_role;

create function public.hub_search(
  q text default null, types text[] default null, tags text[] default null, model text default null, cardinality text default null,
  license text default null, creator text default null, sort text default null, cursor text default null, page_size integer default 24,
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
    hub_search.q, hub_search.types, hub_search.tags, hub_search.model, hub_search.cardinality, hub_search.license, hub_search.creator, hub_search.sort,
    hub_search.cursor, hub_search.page_size
  );
  page constant record := private.search_page(request, request.place, request.page_size + 1);
  next_cursor text;
  items constant json := private.asset_cards(page.ids[:request.page_size]);
begin
  if pg_catalog.cardinality(page.ids) > request.page_size then
    next_cursor := private.to_cursor(jsonb_build_object('list', request.list) || page.next_place);
  end if;
  if hub_search.facets then
    return json_build_object('items', items, 'next_cursor', next_cursor, 'facets', private.search_facets(request));
  end if;
  return json_build_object('items', items, 'next_cursor', next_cursor);
end;
$$;
comment on function public.hub_search is 'Returns visible listings that match the words and filters: {items, next_cursor}, and with facets = true also facets. Raises PT400 malformed_cursor, PT422 validation_failed.';
revoke execute on function public.hub_search from public, anon, authenticated, service_role;
grant execute on function public.hub_search to anon, authenticated, service_role;
