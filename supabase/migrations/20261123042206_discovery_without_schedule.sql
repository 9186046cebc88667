SET local check_function_bodies = off;

ALTER INDEX "private"."hub_documents_document_idx" SET (fastupdate = off);

ALTER INDEX "private"."hub_words_slips_idx" SET (fastupdate = off);

DROP FUNCTION "private"."count_trending"(integer);

DROP FUNCTION "private"."estimate_categories"(integer);

DROP FUNCTION "private"."snapshot"(text);

ALTER TABLE "private"."hub_snapshots"
  ALTER COLUMN "value" DROP NOT NULL;

CREATE OR REPLACE FUNCTION private.categories()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(private.snapshot('categories', '30 minutes'), private.estimate_categories(5000));
$function$;

CREATE OR REPLACE FUNCTION private.count_trending (
  most integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  AS $function$
begin
  return (
    with acts as (
      -- Of somebody's acts of a kind on a listing one counts.
      select distinct l.kind, l.asset_id, l.user_id
      from (
        (
          select 'star' as kind, s.asset_id, s.user_id
          from public.hub_stars s
          where s.starred_at > now() - interval '7 days'
          order by s.starred_at desc
          limit count_trending.most
        )
        union all
        (
          select 'import', i.asset_id, i.user_id
          from public.hub_imports i
          where i.created_at > now() - interval '7 days'
          order by i.created_at desc
          limit count_trending.most
        )
        union all
        (
          select 'remix', r.parent_asset_id, r.creator_id
          from public.hub_assets r
          where r.is_visible and r.published_at > now() - interval '7 days'
          order by r.published_at desc, r.id desc
          limit count_trending.most
        )
      ) l
      where l.asset_id is not null and l.user_id is not null
    ),
    counted as (
      select a.id, coalesce(a.creator_id, a.id) as creator, a.published_at,
        sum(case c.kind when 'import' then 3 when 'star' then 2 else 5 end) as weight
      from acts c
      join public.hub_assets a on a.id = c.asset_id
      where a.is_visible
        -- guard: search: the creator's own acts do not trend
        -- without: and true
        and c.user_id is distinct from a.creator_id
        -- end
      group by a.id
    ),
    scored as (
      select c.id, c.creator,
        ln(1 + c.weight)::float8
          * greatest(0.25, power(2::float8, - extract(epoch from now() - c.published_at)::float8 / 86400 / 14)) as score
      from counted c
    ),
    ranked as (
      select s.*, row_number() over (partition by s.creator order by s.score desc, s.id) as of_creator from scored s
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
    select coalesce(jsonb_agg(p.id order by p.is_first desc, p.score desc, p.id), '[]') from placed p
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.estimate_categories (
  most integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  SET enable_hashjoin TO 'off'
  AS $function$
begin
  return (
    -- Ids are random: the tags of the first ones are a fair sample. Where they are all, the counts are exact.
    with sample as (
      select t.tag
      from private.hub_listing_tags t
      order by t.asset_id, t.tag
      limit estimate_categories.most
    ),
    counted as materialized (
      select s.tag, count(*) as listings from sample s group by s.tag
    ),
    size as (
      select case
        when sum(c.listings) = estimate_categories.most then greatest(
          1, (select p.reltuples from pg_catalog.pg_class p where p.oid = 'private.hub_listing_tags'::regclass) / estimate_categories.most
        )
        else 1
      end as scale
      from counted c
    )
    select jsonb_agg(
      jsonb_build_object('tag', t.tag, 'kind', t.kind, 'count', round((coalesce(c.listings, 0) * z.scale)::numeric)) order by t.place
    )
    from private.suggested_tags() t
    cross join size z
    left join counted c on c.tag = t.tag
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.has_many_acts()
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  AS $function$
begin
  return exists (select from public.hub_stars s where s.starred_at > now() - interval '7 days' offset 100)
    or exists (select from public.hub_imports i where i.created_at > now() - interval '7 days' offset 100)
    or exists (select from public.hub_assets a where a.is_visible and a.published_at > now() - interval '7 days' offset 100);
end;
$function$;

CREATE OR REPLACE FUNCTION private.refresh_old_trending()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- guard: search: a fresh snapshot is left as it is
  -- without: perform from private.hub_snapshots s where s.name = 'trending'
  perform from private.hub_snapshots s
  where s.name = 'trending' and s.made_at < clock_timestamp() - interval '15 minutes'
  -- end
  -- guard: search: one writer makes the snapshot, and nobody waits
  -- without: for update;
  for update skip locked;
  -- end
  if found then
    update private.hub_snapshots s
    -- guard: search: where there are few acts each call counts them
    -- without: set value = private.count_trending(2000), made_at = clock_timestamp()
    set value = case when private.has_many_acts() then private.count_trending(2000) end, made_at = clock_timestamp()
    -- end
    where s.name = 'trending';
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.snapshot (
  name    text,
  max_age interval
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select s.value
  from private.hub_snapshots s
  -- guard: search: an old snapshot is none
  -- without: where s.name = snapshot.name;
  where s.name = snapshot.name and s.made_at > now() - snapshot.max_age;
  -- end
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
  -- Writers renew the snapshot: where it is hours old, little has happened since.
  ids constant jsonb := coalesce(private.snapshot('trending', '1 day'), private.count_trending(100));
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

CREATE OR REPLACE FUNCTION public.hub_refresh_discovery()
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into private.hub_snapshots (name, value, made_at)
  values
    ('trending', case when private.has_many_acts() then private.count_trending(null) end, clock_timestamp()),
    ('categories', private.count_categories(), clock_timestamp())
  on conflict (name) do update set value = excluded.value, made_at = excluded.made_at;
$function$;

CREATE TRIGGER hub_imports_10_refresh_trending
  AFTER INSERT ON public.hub_imports
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refresh_old_trending();

CREATE TRIGGER hub_stars_10_refresh_trending
  AFTER INSERT ON public.hub_stars
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refresh_old_trending();

COMMENT ON COLUMN "private"."hub_snapshots"."value" IS 'Null where there is so little to count that each call counts it.';

COMMENT ON FUNCTION "private"."count_trending"(integer) IS 'The ids of what trends, best first, by at most so many of the latest stars, imports and listings; by all of seven days with null.';

COMMENT ON FUNCTION "private"."estimate_categories"(integer) IS 'The same from a sample of so many tags of listings; exact where there are fewer.';

COMMENT ON FUNCTION "private"."has_many_acts"() IS 'Whether seven days hold more acts of a kind than hub_trending counts in a call.';

COMMENT ON FUNCTION "private"."refresh_old_trending"() IS 'For hubs without a schedule: the first star or import after a quarter of an hour makes the snapshot of trending, from at most 2,000 of the latest acts of each kind.';

COMMENT ON FUNCTION "private"."snapshot"(text, interval) IS 'A snapshot that is not older than this; null without one.';

COMMENT ON FUNCTION "public"."hub_refresh_discovery"() IS 'For operators and schedules: works out trending and the counts of categories, so that no call does.';

COMMENT ON TABLE "private"."hub_snapshots" IS 'What trending and the counts of categories were at a moment. Written by hub_refresh_discovery, and trending by writers.';

REVOKE ALL ON FUNCTION "private"."count_trending"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."estimate_categories"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."has_many_acts"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refresh_old_trending"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."snapshot"(text, interval) FROM PUBLIC;

-- What a schema file cannot declare. The indexes stay as they are, and their pending entries are brought into them.
select gin_clean_pending_list('private.hub_documents_document_idx'), gin_clean_pending_list('private.hub_words_slips_idx');

-- The row that the first writer locks.
insert into private.hub_snapshots (name, value, made_at) values ('trending', null, '-infinity') on conflict (name) do nothing;
