SET local check_function_bodies = off;

REVOKE ALL ON FUNCTION "private"."is_banned"(uuid) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."username_key"(text) FROM "anon";

DROP FUNCTION "private"."asset_cards"(uuid[]);

DROP FUNCTION "private"."count_trending"();

DROP FUNCTION "private"."creators"(uuid[]);

DROP FUNCTION "private"."search_by_column"(text, tsquery, text[], text, uuid, text[], jsonb, integer);

DROP FUNCTION "private"."search_few"(text, text, tsquery, jsonb, integer);

DROP FUNCTION "private"."search_page"(private.search_request, jsonb, integer);

DROP FUNCTION "public"."hub_creator"(text);

DROP FUNCTION "public"."hub_featured_assets"();

DROP FUNCTION "public"."hub_remixes"(uuid, text);

DROP FUNCTION "public"."hub_search"(text, text[], text[], text, text, text, text, text, text, integer, boolean);

DROP FUNCTION "public"."hub_trending"(integer);

CREATE OR REPLACE FUNCTION private.asset_cards (
  asset_ids uuid[]
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
    with listings as materialized (
      select a.id, a.slug, a.asset_type, a.title, a.description, a.tags, a.thumbnail_url, a.license, a.creator_id, a.install_count,
        a.star_count, a.published_at, a.content_updated_at, a.remix_depth, w.place
      from unnest(asset_cards.asset_ids) with ordinality w (id, place)
      join public.hub_assets a on a.id = w.id
      where a.is_visible
    )
    select coalesce(json_agg(row_to_json(r) order by a.place), '[]')
    from listings a
    left join private.creators(array(select l.creator_id from listings l where l.creator_id is not null)) c on c.user_id = a.creator_id
    cross join lateral (
      select a.id, a.slug, a.asset_type, a.title, a.description, a.tags, a.thumbnail_url, a.license, c.card as creator,
        a.install_count, a.star_count, a.published_at, a.content_updated_at, a.remix_depth
    ) r
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.categories()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(private.snapshot('categories'), private.estimate_categories(4000));
$function$;

CREATE OR REPLACE FUNCTION private.count_trending (
  most integer
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  AS $function$
  with latest_stars as (
    select s.asset_id, s.user_id
    from public.hub_stars s
    where s.starred_at > now() - interval '7 days'
    order by s.starred_at desc
    limit count_trending.most
  ),
  latest_imports as (
    select i.asset_id, i.user_id
    from public.hub_imports i
    where i.created_at > now() - interval '7 days'
    order by i.created_at desc
    limit count_trending.most
  ),
  latest_listings as (
    select r.parent_asset_id, r.creator_id
    from public.hub_assets r
    where r.is_visible and r.published_at > now() - interval '7 days'
    order by r.published_at desc, r.id desc
    limit count_trending.most
  ),
  acts as (
    -- The creator's own do not count.
    select s.asset_id, count(*) as stars, 0 as installs, 0 as remixes
    from latest_stars s
    join public.hub_assets a on a.id = s.asset_id
    -- guard: search: the creator's own acts do not trend
    -- without: where true
    where s.user_id is distinct from a.creator_id
    -- end
    group by s.asset_id
    union all
    select i.asset_id, 0, count(distinct i.user_id), 0
    from latest_imports i
    join public.hub_assets a on a.id = i.asset_id
    where i.user_id is distinct from a.creator_id
    group by i.asset_id
    union all
    select r.parent_asset_id, 0, 0, count(distinct r.creator_id)
    from latest_listings r
    join public.hub_assets a on a.id = r.parent_asset_id
    where r.creator_id is distinct from a.creator_id
    group by r.parent_asset_id
  ),
  scored as (
    select a.id, coalesce(a.creator_id, a.id) as creator,
      ln(1 + 3 * sum(c.installs) + 2 * sum(c.stars) + 5 * sum(c.remixes))::float8
        * greatest(0.25, power(2::float8, - extract(epoch from now() - a.published_at)::float8 / 86400 / 14)) as score
    from acts c
    join public.hub_assets a on a.id = c.asset_id
    where a.is_visible
    group by a.id
  ),
  ranked as (
    select s.*, row_number() over (partition by s.creator order by s.score desc, s.id) as of_creator from scored s where s.score > 0
  ),
  -- The first twenty have at most two of one creator; what these push out comes behind them.
  first as (
    select r.id from ranked r where r.of_creator <= 2 order by r.score desc, r.id limit 20
  ),
  placed as (
    select r.id, r.score, f.id is not null as is_first
    from ranked r
    left join first f on f.id = r.id
    -- guard: search: two of a creator among the first twenty
    -- without: where true
    where f.id is not null or (select count(*) from first) = 20
    -- end
    order by f.id is not null desc, r.score desc, r.id
    limit 120
  )
  select coalesce(jsonb_agg(p.id order by p.is_first desc, p.score desc, p.id), '[]') from placed p;
$function$;

CREATE OR REPLACE FUNCTION private.creator_by_name (
  username text
)
  RETURNS uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select p.user_id
  from public.hub_profiles p
  -- The first is what the index is over.
  where private.username_key(p.username) = private.username_key(creator_by_name.username)
    and lower(p.username) = lower(creator_by_name.username)
    -- guard: search: a banned creator has no page
    -- without: ;
    and not private.is_banned(p.user_id);
    -- end
$function$;

CREATE OR REPLACE FUNCTION private.creators (
  user_ids uuid[]
)
  RETURNS TABLE (
    user_id uuid,
    card    json
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
begin
  return query
  select p.user_id, json_build_object('username', p.username, 'avatar_url', p.avatar_url)
  from public.hub_profiles p
  where p.user_id = any (creators.user_ids)
    and not exists (select from private.hub_bans b where b.user_id = p.user_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.estimate_categories (
  most integer
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
  -- Ids are random: the first ones are a fair sample. Where they are all, the counts are exact.
  with sample as materialized (
    select a.tags
    from public.hub_assets a
    where a.is_visible
    order by a.id
    limit estimate_categories.most
  ),
  size as (
    select case
      when count(*) < estimate_categories.most then 1
      else greatest(1, (select c.reltuples from pg_catalog.pg_class c where c.oid = 'private.hub_documents'::regclass) / count(*))
    end as scale
    from sample
  ),
  counted as (
    select u.tag, count(*) as listings from sample s cross join lateral unnest(s.tags) u (tag) group by u.tag
  )
  select jsonb_agg(
    jsonb_build_object('tag', t.tag, 'kind', t.kind, 'count', round((coalesce(c.listings, 0) * z.scale)::numeric)) order by t.place
  )
  from private.suggested_tags() t
  cross join size z
  left join counted c on c.tag = t.tag;
$function$;

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
    id           uuid,
    published_at timestamp with time zone,
    creator_id   uuid
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
    select r.id, r.published_at, r.creator_id
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
$function$;

CREATE OR REPLACE FUNCTION private.search_by_column (
  sort       text,
  matches    tsquery,
  types      text[],
  license    text,
  creator_id uuid,
  tags       text[],
  place      jsonb,
  wanted     integer,
  OUT        ids uuid[],
  OUT        keys text[]
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET enable_sort TO 'off'
  AS $function$
declare
  by_time constant boolean := private.sort_column(search_by_column.sort) like '%\_at';
  -- A creator's own index has them in this order.
  list constant text := case
    when search_by_column.sort = 'newest' and search_by_column.creator_id is not null then 'newest of a creator'
    else search_by_column.sort
  end;
  last_moment constant timestamptz := case when by_time then coalesce((search_by_column.place ->> 'key')::timestamptz, 'infinity') end;
  last_number constant integer := case when not by_time then coalesce((search_by_column.place ->> 'key')::integer, 2147483647) end;
  last_id constant uuid := coalesce((search_by_column.place ->> 'id')::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  filters tsquery;
  stretch integer;
  is_full boolean;
  few record;
begin
  foreach stretch in array '{300,20000}'::integer[] loop
    select array_agg(f.id) filter (where f.fits), array_agg(coalesce(f.moment::text, f.number::text)) filter (where f.fits),
      coalesce(bool_or(f.is_last), false)
    into search_by_column.ids, search_by_column.keys, is_full
    from (
      -- The last of the stretch comes through whether it fits or not: without it the list has ended.
      select m.*
      from (
        select w.id, w.moment, w.number, row_number() over () = stretch as is_last,
          (search_by_column.types is null or w.asset_type = any (search_by_column.types))
            and (search_by_column.license is null or w.license = search_by_column.license)
            and (search_by_column.creator_id is null or w.creator_id = search_by_column.creator_id)
            and (search_by_column.tags is null or w.tags @> search_by_column.tags)
            and (
              search_by_column.matches is null
              or (select d.document from private.hub_documents d where d.asset_id = w.id) @@ search_by_column.matches
            ) as fits
        from (
          -- Of these only the one that is asked for is run.
            (
              select a.id, a.published_at as moment, null::integer as number, a.asset_type, a.license, a.creator_id, a.tags
              from public.hub_assets a
              where list = 'newest of a creator' and a.is_visible and a.creator_id = search_by_column.creator_id
                and (a.published_at, a.id) < (last_moment, last_id)
              order by a.published_at desc, a.id desc
              limit stretch
            )
            union all
            (
              select a.id, a.published_at, null::integer, a.asset_type, a.license, a.creator_id, a.tags
              from public.hub_assets a
              where list = 'newest' and a.is_visible
                and (a.published_at, a.id) < (last_moment, last_id)
              order by a.published_at desc, a.id desc
              limit stretch
            )
            union all
            (
              select a.id, a.content_updated_at, null::integer, a.asset_type, a.license, a.creator_id, a.tags
              from public.hub_assets a
              where list = 'recently_updated' and a.is_visible
                and (a.content_updated_at, a.id) < (last_moment, last_id)
              order by a.content_updated_at desc, a.id desc
              limit stretch
            )
            union all
            (
              select a.id, null::timestamptz, a.install_count, a.asset_type, a.license, a.creator_id, a.tags
              from public.hub_assets a
              where list = 'most_installed' and a.is_visible
                and (a.install_count, a.id) < (last_number, last_id)
              order by a.install_count desc, a.id desc
              limit stretch
            )
            union all
            (
              select a.id, null::timestamptz, a.star_count, a.asset_type, a.license, a.creator_id, a.tags
              from public.hub_assets a
              where list = 'most_starred' and a.is_visible
                and (a.star_count, a.id) < (last_number, last_id)
              order by a.star_count desc, a.id desc
              limit stretch
            )
        ) w
        offset 0
      ) m
      where m.fits or m.is_last
      limit search_by_column.wanted
    ) f;
    exit when cardinality(search_by_column.ids) = search_by_column.wanted or not is_full;
    if stretch = 300 and coalesce(cardinality(search_by_column.ids), 0) >= 3 then
      continue;
    end if;
    -- Less than one in a hundred fits: the index of documents knows them, and is asked unless they are many all the same.
    filters := private.search_filters(
      search_by_column.types, search_by_column.license, search_by_column.creator_id, search_by_column.tags
    );
    few := private.search_few(
      list, coalesce(filters && search_by_column.matches, filters, search_by_column.matches), last_moment, last_number, last_id,
      case when stretch = 300 then 2000 else 2147483646 end, search_by_column.wanted
    );
    if few.is_complete then
      search_by_column.ids := few.ids;
      search_by_column.keys := few.keys;
      exit;
    end if;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_facets (
  request private.search_request
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.search_few (
  list        text,
  query       tsquery,
  last_moment timestamp with time zone,
  last_number integer,
  last_id     uuid,
  most        integer,
  wanted      integer,
  OUT         ids uuid[],
  OUT         keys text[],
  OUT         is_complete boolean
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET enable_bitmapscan TO 'on'
  SET enable_sort TO 'on'
  AS $function$
declare
  matching uuid[];
begin
  select array_agg(m.asset_id) into matching
  from (select d.asset_id from private.hub_documents d where d.document @@ search_few.query limit search_few.most + 1) m;
  search_few.is_complete := coalesce(cardinality(matching), 0) <= search_few.most;
  if not search_few.is_complete then
    return;
  end if;
  select array_agg(f.id), array_agg(coalesce(f.moment::text, f.number::text))
  into search_few.ids, search_few.keys
  from (
    select k.*
    from (
      select a.id,
        case when search_few.list like 'newest%' then a.published_at when search_few.list = 'recently_updated' then a.content_updated_at end as moment,
        case search_few.list when 'most_installed' then a.install_count when 'most_starred' then a.star_count end as number
      from unnest(matching) m (id)
      join public.hub_assets a on a.id = m.id
      where a.is_visible
    ) k
    where (k.moment, k.id) < (search_few.last_moment, search_few.last_id)
      or (k.number, k.id) < (search_few.last_number, search_few.last_id)
    order by k.moment desc, k.number desc, k.id desc
    limit search_few.wanted
  ) f;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_page (
  request private.search_request,
  place   jsonb,
  wanted  integer,
  OUT     ids uuid[],
  OUT     next_place jsonb
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.search_set (
  query            tsquery,
  parts            tsquery[],
  floor_popularity smallint,
  floor_id         uuid,
  is_first         boolean
)
  RETURNS private.search_set
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  result private.search_set;
  walked integer;
  last_popularity smallint := 32767;
  last_id uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  more uuid[];
  walked_ids uuid[];
  walked_popularities smallint[];
  seen integer := 0;
  step_seen integer;
  rarest integer;
begin
  if not search_set.is_first and search_set.floor_id is null then
    return private.search_index(search_set.query, 5000);
  end if;
  if not search_set.is_first then
    result := (null, search_set.floor_popularity, search_set.floor_id)::private.search_set;
    -- Planned with the values: which index tells more depends on them.
    execute
      'select array_agg(m.asset_id) from (
         select d.asset_id from private.hub_documents d
         where d.document @@ $1 and (d.popularity, d.asset_id) >= ($2, $3) limit 5000
       ) m'
    into result.ids
    using search_set.query, result.floor_popularity, result.floor_id;
    result.ids := coalesce(result.ids, '{}');
    return result;
  end if;

  -- The most popular tell how common the words are; of words that are neither common nor rare the first three thousand hold
  -- enough to rank.
  result.ids := '{}';
  foreach walked in array '{300,700,2000}'::integer[] loop
    -- In the order of the walk: the last one is where the next step begins.
    select array_agg(w.asset_id) filter (where w.matches), array_agg(w.asset_id), array_agg(w.popularity)
    into more, walked_ids, walked_popularities
    from (
      select d.asset_id, d.popularity, d.document @@ search_set.query as matches
      from private.hub_documents d
      where (d.popularity, d.asset_id) < (last_popularity, last_id)
      order by d.popularity desc, d.asset_id desc
      limit walked
    ) w;
    result.ids := result.ids || coalesce(more, '{}');
    step_seen := coalesce(cardinality(walked_ids), 0);
    last_id := walked_ids[step_seen];
    last_popularity := walked_popularities[step_seen];
    if step_seen < walked then
      -- These are all there are.
      return (result.ids, null, null)::private.search_set;
    end if;
    exit when cardinality(result.ids) >= 100 or walked = 2000;
    seen := seen + walked;
    if cardinality(result.ids) <= seen / 100 - 3 then
      rarest := cardinality(result.ids);
      if cardinality(search_set.parts) > 1 then
        select min(p.holding) into rarest
        from (
          select count(*) filter (where d.document @@ part) as holding
          from unnest(search_set.parts) part
          cross join lateral (
            select d.document from private.hub_documents d order by d.popularity desc, d.asset_id desc limit seen
          ) d
          group by part
        ) p;
      end if;
      -- The index costs what the rarest of the words costs.
      if rarest <= seen / 100 - 3 then
        return private.search_index(search_set.query, 500);
      end if;
    end if;
  end loop;
  result.floor_popularity := last_popularity;
  result.floor_id := last_id;
  return result;
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

CREATE OR REPLACE FUNCTION private.trending (
  wanted integer
)
  RETURNS uuid[]
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  ids constant jsonb := coalesce(private.snapshot('trending'), private.count_trending(1000));
begin
  return array(
    select a.id
    from jsonb_array_elements_text(ids) with ordinality t (id, place)
    join public.hub_assets a on a.id = t.id::uuid
    -- A snapshot may be older than what hid it.
    where a.is_visible
    order by t.place
    limit trending.wanted
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_creator (
  username text
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  profile record;
  totals jsonb;
  page json;
begin
  select p.user_id, p.username, p.display_name, p.avatar_url, p.created_at into profile
  from public.hub_profiles p
  -- Found apart: row level security cannot use an index over a function.
  where p.user_id = private.creator_by_name(hub_creator.username);
  if not found then
    raise exception using errcode = 'PT404', message = 'user_not_found';
  end if;
  totals := private.creator_totals(profile.user_id);
  page := public.hub_search(creator => profile.username);
  return json_build_object(
    'username', profile.username,
    'display_name', profile.display_name,
    'avatar_url', profile.avatar_url,
    'member_since', profile.created_at,
    'published_assets', totals -> 'published_assets',
    'total_installs', totals -> 'total_installs',
    'total_stars', totals -> 'total_stars',
    'items', page -> 'items',
    'next_cursor', page -> 'next_cursor'
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_featured_assets()
  RETURNS json
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select json_build_object('items', private.asset_cards(array(
    select f.asset_id from public.hub_featured f order by f.position, f.created_at, f.asset_id limit 100
  )));
$function$;

CREATE OR REPLACE FUNCTION public.hub_refresh_discovery()
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into private.hub_snapshots (name, value, made_at)
  values
    ('trending', private.count_trending(null), clock_timestamp()),
    ('categories', private.count_categories(), clock_timestamp())
  on conflict (name) do update set value = excluded.value, made_at = excluded.made_at;
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
    'items', (
      select coalesce(json_agg(row_to_json(r) order by p.n), '[]')
      from unnest(ids[:page_size]) with ordinality p (id, n)
      join public.hub_assets a on a.id = p.id
      left join private.creators(creator_ids) c on c.user_id = a.creator_id
      cross join lateral (
        select a.id, a.slug, a.asset_type, a.title, a.description, a.tags, a.thumbnail_url, a.license, c.card as creator,
          a.install_count, a.star_count, a.published_at, a.content_updated_at, a.remix_depth, p.n <= directs as direct,
          a.parent_asset_id
      ) r
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

REVOKE ALL ON FUNCTION "public"."hub_remixes"(uuid, text) FROM PUBLIC, "service_role";

CREATE OR REPLACE FUNCTION public.hub_search (
  q           text    DEFAULT NULL::text,
  types       text[]  DEFAULT NULL::text[],
  tags        text[]  DEFAULT NULL::text[],
  model       text    DEFAULT NULL::text,
  cardinality text    DEFAULT NULL::text,
  license     text    DEFAULT NULL::text,
  creator     text    DEFAULT NULL::text,
  sort        text    DEFAULT NULL::text,
  cursor      text    DEFAULT NULL::text,
  page_size   integer DEFAULT 24,
  facets      boolean DEFAULT false
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.hub_trending (
  page_size integer DEFAULT 20
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  perform private.judge_page_size(hub_trending.page_size);
  return json_build_object('items', private.asset_cards(private.trending(coalesce(hub_trending.page_size, 20))));
end;
$function$;

CREATE INDEX hub_assets_direct_remixes_idx ON public.hub_assets USING btree (parent_asset_id, published_at DESC, id DESC)
  WHERE (is_visible AND (parent_asset_id IS NOT NULL));

CREATE INDEX hub_assets_further_remixes_idx ON public.hub_assets USING btree (source_asset_id, published_at DESC, id DESC)
  WHERE (is_visible AND (source_asset_id IS NOT NULL) AND (parent_asset_id IS DISTINCT FROM source_asset_id));

COMMENT ON FUNCTION "private"."asset_cards"(uuid[]) IS 'The cards of visible listings in the order of their ids.';

COMMENT ON FUNCTION "private"."count_trending"(integer) IS 'The ids of what trends, best first, by at most so many of the latest stars, imports and listings; by all of seven days with null.';

COMMENT ON FUNCTION "private"."creator_by_name"(text) IS 'Who has a username; null for nobody and for a banned creator.';

COMMENT ON FUNCTION "private"."creators"(uuid[]) IS 'Creators as cards name them, by their ids; without those who are gone or banned.';

COMMENT ON FUNCTION "private"."estimate_categories"(integer) IS 'The same from a sample of so many listings; exact where there are fewer.';

COMMENT ON FUNCTION "private"."make_document"(public.hub_assets) IS 'The row by which a listing is found.';

COMMENT ON FUNCTION "private"."remix_page"(uuid, boolean, timestamp with time zone, uuid, integer) IS 'Visible remixes behind a place, newest first: those made of the asset itself, or those made of one of its remixes.';

COMMENT ON FUNCTION "private"."search_by_column"(text, tsquery, text[], text, uuid, text[], jsonb, integer) IS 'Visible listings in the order of a column, each with its value there.';

COMMENT ON FUNCTION "private"."search_few"(text, tsquery, timestamp with time zone, integer, uuid, integer, integer) IS 'Listings in the order of a column, where few match; not complete when more do than so many.';

COMMENT ON FUNCTION "private"."search_page"(private.search_request, jsonb, integer) IS 'The visible listings of one page and one more, and the place of the last but one, where the next page begins.';

COMMENT ON FUNCTION "public"."hub_creator"(text) IS 'A creator''s page: profile, totals, and the first page of their listings as hub_search(creator => …) goes on with. Raises PT404 user_not_found.';

COMMENT ON FUNCTION "public"."hub_featured_assets"() IS 'The curated collection in its order: {items}.';

COMMENT ON FUNCTION "public"."hub_remixes"(uuid, text) IS 'The visible remixes of an asset, direct ones first, then newest first: {items, next_cursor}. Raises PT400 malformed_cursor.';

COMMENT ON FUNCTION "public"."hub_search"(text, text[], text[], text, text, text, text, text, text, integer, boolean) IS 'Visible listings by words and filters: {items, next_cursor, facets?}. Raises PT400 malformed_cursor, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_trending"(integer) IS 'What was installed, starred and remixed most in the last seven days: {items}. Raises PT422 validation_failed.';

REVOKE ALL ON FUNCTION "private"."asset_cards"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."asset_cards"(uuid[]) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."count_trending"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."creator_by_name"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."creator_by_name"(text) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."creators"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."creators"(uuid[]) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."estimate_categories"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."make_document"(public.hub_assets) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."remix_page"(uuid, boolean, timestamp WITH time zone, uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."remix_page"(uuid, boolean, timestamp WITH time zone, uuid, integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."search_by_column"(text, tsquery, text[], text, uuid, text[], jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_few"(text, tsquery, timestamp WITH time zone, integer, uuid, integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_page"(private.search_request, jsonb, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."search_page"(private.search_request, jsonb, integer) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "public"."hub_creator"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_creator"(text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_creator"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_creator"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_creator"(text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_featured_assets"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_featured_assets"() TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_featured_assets"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_featured_assets"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_featured_assets"() TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_remixes"(uuid, text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_remixes"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_remixes"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_search"(text, text[], text[], text, text, text, text, text, text, integer, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_search"(text, text[], text[], text, text, text, text, text, text, integer, boolean) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_search"(text, text[], text[], text, text, text, text, text, text, integer, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_search"(text, text[], text[], text, text, text, text, text, text, integer, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_search"(text, text[], text[], text, text, text, text, text, text, integer, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_trending"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_trending"(integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_trending"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_trending"(integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_trending"(integer) TO "service_role";
