SET local check_function_bodies = off;

DROP TRIGGER "ai_model_settings_delete_unpublished" ON "public"."ai_model_settings";

DROP TRIGGER "custom_components_delete_unpublished" ON "public"."custom_components";

DROP TRIGGER "orchestrator_configs_delete_unpublished" ON "public"."orchestrator_configs";

DROP TRIGGER "prompt_templates_delete_unpublished" ON "public"."prompt_templates";

ALTER TABLE "private"."hub_calls"
  DROP CONSTRAINT "hub_calls_kind_check";

CREATE TABLE "private"."workspace_usage" (
  "user_id"    uuid    NOT NULL,
  "row_count"  integer NOT NULL DEFAULT 0,
  "byte_count" bigint  NOT NULL DEFAULT 0,
  CONSTRAINT "workspace_usage_pkey" PRIMARY KEY (user_id)
);

ALTER TABLE "private"."workspace_usage"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.all_sources()
  RETURNS TABLE (
    user_id uuid,
    source  jsonb
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select t.user_id, to_jsonb(t) from public.prompt_templates t
  union all
  select c.user_id, to_jsonb(c) from public.custom_components c
  union all
  select o.user_id, to_jsonb(o) from public.orchestrator_configs o
  union all
  select s.user_id, to_jsonb(s) from public.ai_model_settings s;
$function$;

CREATE OR REPLACE FUNCTION private.asset_cards (
  asset_ids uuid[]
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
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

CREATE OR REPLACE FUNCTION private.compare_usage()
  RETURNS TABLE (
    user_id uuid,
    counter text,
    stored  integer,
    counted integer
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with held as (
    select s.user_id, count(*)::integer as rows, (sum(private.source_bytes(s.source))::bigint / 1024)::integer as kilobytes
    from private.all_sources() s
    group by s.user_id
  )
  select coalesce(h.user_id, u.user_id), c.counter, coalesce(c.stored, 0), coalesce(c.counted, 0)
  from held h
  full join private.workspace_usage u on u.user_id = h.user_id
  cross join lateral (
    values
      ('workspace_rows', u.row_count, h.rows),
      ('workspace_kilobytes', (u.byte_count / 1024)::integer, h.kilobytes)
  ) c (counter, stored, counted);
$function$;

CREATE OR REPLACE FUNCTION private.count_source_usage()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'INSERT' then
    perform private.count_usage(
      array_agg(n.user_id), array_agg(1), array_agg(private.source_bytes(to_jsonb(n)))
    ) from after_rows n;
  elsif tg_op = 'DELETE' then
    perform private.count_usage(
      array_agg(o.user_id), array_agg(-1), array_agg(-private.source_bytes(to_jsonb(o)))
    ) from before_rows o;
  else
    perform private.count_usage(array_agg(c.user_id), array_agg(c.rows), array_agg(c.bytes))
    from (
      select n.user_id, 1 as rows, private.source_bytes(to_jsonb(n)) as bytes from after_rows n
      union all
      select o.user_id, -1, -private.source_bytes(to_jsonb(o)) from before_rows o
    ) c;
  end if;
  return null;
end;
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
  SET jit TO 'off'
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

CREATE OR REPLACE FUNCTION private.count_usage (
  user_ids    uuid[],
  row_counts  integer[],
  byte_counts bigint[]
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  most_rows constant integer := 2000;
  most_bytes constant bigint := 100 * 1024 * 1024;
  step record;
  held private.workspace_usage;
begin
  -- One after another in the order of ids: two statements that concern several accounts cannot deadlock here.
  for step in
    select s.user_id, sum(s.rows)::integer as rows, sum(s.bytes)::bigint as bytes
    from unnest(count_usage.user_ids, count_usage.row_counts, count_usage.byte_counts) s (user_id, rows, bytes)
    group by s.user_id
    having sum(s.rows) <> 0 or sum(s.bytes) <> 0
    order by s.user_id
  loop
    update private.workspace_usage u
    set row_count = u.row_count + step.rows, byte_count = u.byte_count + step.bytes
    where u.user_id = step.user_id
    returning u.* into held;
    if not found and step.rows > 0 then
      insert into private.workspace_usage as u (user_id, row_count, byte_count)
      values (step.user_id, step.rows, step.bytes)
      on conflict (user_id) do update
      set row_count = u.row_count + excluded.row_count, byte_count = u.byte_count + excluded.byte_count
      returning u.* into held;
    end if;
    -- What makes the workspace smaller is never refused.
    -- guard: hub: a workspace has at most 2,000 rows
    -- without: if false then
    if step.rows > 0 and held.row_count > most_rows then
    -- end
      perform private.refuse_usage('workspace_rows', most_rows);
    -- guard: hub: a workspace has at most 100 MiB
    -- without: elsif false then
    elsif step.bytes > 0 and held.byte_count > most_bytes then
    -- end
      perform private.refuse_usage('workspace_bytes', most_bytes);
    end if;
  end loop;
end;
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
  SET jit TO 'off'
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
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET jit TO 'off'
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
  SET jit TO 'off'
  AS $function$
begin
  return exists (select from public.hub_stars s where s.starred_at > now() - interval '7 days' offset 100)
    or exists (select from public.hub_imports i where i.created_at > now() - interval '7 days' offset 100)
    or exists (select from public.hub_assets a where a.is_visible and a.published_at > now() - interval '7 days' offset 100);
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_limit_edits()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  editor constant uuid := (select auth.uid());
begin
  if editor is not null then
    -- guard: hub: edits of listings have an hourly limit
    -- without: perform private.limit_calls(editor, 'edits', null);
    perform private.limit_calls(editor, 'edits', 600);
    -- end
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.key_caller (
  token_hash text,
  user_id    uuid,
  OUT        pool_user_id uuid,
  OUT        agent_id uuid
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  at constant timestamptz := clock_timestamp();
begin
  if key_caller.token_hash is not null then
    select a.user_id, a.id into key_caller.user_id, agent_id
    from public.api_key_agents a
    where a.token_hash = key_caller.token_hash
      -- guard: revoked tokens are refused
      -- without: ;
      and (a.revoked_at is null or a.revoked_at > at);
      -- end
  end if;
  select u.id into pool_user_id
  from auth.users u
  where u.id = key_caller.user_id
    -- guard: an owner who is banned from signing in leases nothing
    -- without: and true
    and (u.banned_until is null or u.banned_until <= at)
    -- end
    -- guard: a soft-deleted owner leases nothing
    -- without: ;
    and u.deleted_at is null;
    -- end
  if pool_user_id is null then
    raise exception using errcode = 'PT401', message = 'invalid_credential';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lease_batch (
  user_id   uuid,
  agent_id  uuid,
  priority  integer,
  provider  text,
  live_kids text[],
  calls     integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET enable_material TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  answers jsonb;
begin
  with held as (
    select k.id, k.usage_count, k.generation
    from public.user_api_keys k
    -- guard: batch: keys of that pool only
    -- without: where k.priority = lease_batch.priority
    where k.user_id = lease_batch.user_id
      -- guard: batch: keys of that tier only
      and k.priority = lease_batch.priority
      -- end
    -- end
      -- guard: batch: only what is ready
      and k.is_ready
      -- end
      and (k.usage_count, k.id) >= (
        select t.low_water_count, t.low_water_id
        from private.api_key_tiers t
        where t.user_id = lease_batch.user_id and t.priority = lease_batch.priority
      )
      -- guard: batch: the provider counts for all
      -- without: and true
      and (lease_batch.provider is null or k.provider is null or k.provider = lease_batch.provider)
      -- end
      -- guard: batch: a key of a pair that is not live is left out
      and k.sealed_kid = any (lease_batch.live_kids)
      -- end
    order by k.usage_count, k.id
    limit lease_batch.calls
    -- guard: batch: a caller that holds a key waits for no other
    -- without: for no key update
    for no key update skip locked
    -- end
  ),
  -- The same keys that single calls one after the other would get: always the least used, whose count then rises by one.
  turns as (
    select h.id, h.generation
    from held h, pg_catalog.generate_series(0, lease_batch.calls - 1) more
    -- guard: batch: always the least used
    -- without: order by h.id, more
    order by h.usage_count + more, h.id
    -- end
    limit lease_batch.calls
  ),
  leases as (
    insert into public.api_key_usage_log (user_api_key_id, user_id, agent_id, key_generation, issued_at)
    select t.id, lease_batch.user_id, lease_batch.agent_id, t.generation, clock_timestamp()
    from turns t
    returning id, user_api_key_id, issued_at
  ),
  counted as (
    update private.key_leases k
    -- guard: batch: a key's count rises by all its leases
    -- without: set usage_count = k.usage_count + 1
    set usage_count = k.usage_count + taken.number
    -- end
    from (select l.user_api_key_id as id, count(*) as number from leases l group by 1) taken
    where k.id = taken.id
    returning k.id, k.lease
  )
  select jsonb_agg(k.lease || jsonb_build_object('lease_id', l.id, 'leased_at', l.issued_at) order by l.place)
  into answers
  from (select l.*, row_number() over () as place from leases l) l
  join counted k on k.id = l.user_api_key_id;
  return answers;
end;
$function$;

CREATE OR REPLACE FUNCTION private.meant_words (
  word text
)
  RETURNS text[]
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  most constant integer := case when char_length(meant_words.word) < 8 then 1 else 2 end;
  left_over constant text[] := private.slips(meant_words.word);
begin
  -- Somebody wrote it like this, or a longer word that begins so.
  if char_length(meant_words.word) not between 4 and 40 or meant_words.word ~ '[0-9]' or exists (
    select from private.hub_words k
    where k.word >= meant_words.word collate pg_catalog."C" and k.word < (meant_words.word || U&'\+10FFFD') collate pg_catalog."C"
  ) then
    return '{}';
  end if;
  return array(
    select n.word
    from (
      select c.word, private.distance(meant_words.word, c.word, most) as apart
      from (
        -- The more of what is left they share, the nearer they are.
        select k.word
        from private.hub_words k
        where k.slips && left_over
          and char_length(k.word) between char_length(meant_words.word) - most and char_length(meant_words.word) + most
        group by k.word, k.slips
        order by (select count(*) from unnest(k.slips) s where s = any (left_over)) desc, k.word
        limit 12
      ) c
    ) n
    where n.apart is not null
    order by n.apart, left(n.word, 1) <> left(meant_words.word, 1), n.word
    limit 4
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.rarest_first (
  tags text[]
)
  RETURNS text[]
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  SET jit TO 'off'
  AS $function$
begin
  -- The rarer a tag, the further back its hundredth listing.
  return (
    select array_agg(u.tag order by h.published_at nulls first)
    from unnest(rarest_first.tags) u (tag)
    left join lateral (
      select t.published_at
      from private.hub_listing_tags t
      where t.tag = u.tag
      order by t.published_at desc, t.asset_id desc
      limit 1 offset 99
    ) h on true
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_usage (
  limit_name text,
  most       bigint
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  raise exception using
    errcode = 'PT422',
    message = 'limit_reached',
    detail = jsonb_build_object('limit', refuse_usage.limit_name, 'most', refuse_usage.most)::text;
end;
$function$;

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
  SET jit TO 'off'
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
  SET jit TO 'off'
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

CREATE OR REPLACE FUNCTION private.restore_api_key_health()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  with reset as (
    update public.user_api_keys k
    set cooling_until = null, generation = k.generation + 1
    where k.id = any (
      case tg_op when 'DELETE' then array[old.user_api_key_id] else array(select every.id from public.user_api_keys every) end
    )
    returning k.id
  )
  insert into public.api_key_health (user_api_key_id)
  -- guard: a deleted health row comes back
  -- without: select r.id from reset r where false;
  select r.id from reset r;
  -- end
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_by_relevance (
  q       text,
  filters tsquery,
  place   jsonb,
  wanted  integer
)
  RETURNS TABLE (
    asset_id uuid,
    at       jsonb
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  plan constant private.search_plan := private.search_plan(search_by_relevance.q);
  list text := coalesce(search_by_relevance.place ->> 'in', 'exact');
  last_score numeric := (search_by_relevance.place ->> 'score')::numeric;
  last_id uuid := (search_by_relevance.place ->> 'id')::uuid;
  query constant tsquery := coalesce(search_by_relevance.filters && plan.matches, plan.matches);
  found private.search_set;
  here jsonb;
  given integer := 0;
  row record;
begin
  if plan.matches is null and plan.title_key = '' then
    return;
  end if;
  if list = 'exact' then
    for row in
      select d.asset_id as id, d.popularity
      from private.hub_documents d
      where d.title_key = plan.title_key
        and (search_by_relevance.filters is null or d.document @@ search_by_relevance.filters)
        and (last_id is null or (d.popularity, d.asset_id) < (last_score::smallint, last_id))
      order by d.popularity desc, d.asset_id desc
      limit search_by_relevance.wanted
    loop
      asset_id := row.id;
      at := jsonb_build_object('in', 'exact', 'score', row.popularity, 'id', row.id);
      given := given + 1;
      return next;
    end loop;
    last_id := null;
    last_score := null;
  end if;
  if plan.matches is null or given >= search_by_relevance.wanted then
    return;
  end if;

  found := private.search_set(
    query, array_remove(plan.parts || search_by_relevance.filters, null), (search_by_relevance.place ->> 'floor')::smallint,
    (search_by_relevance.place ->> 'above')::uuid, list = 'exact'
  );
  here := jsonb_build_object('floor', found.floor_popularity, 'above', found.floor_id);
  if list in ('exact', 'ranked') then
    for row in
      select r.id, r.score
      from private.search_ranked(found.ids, plan, false, last_score, last_id, search_by_relevance.wanted - given) r
    loop
      asset_id := row.id;
      at := here || jsonb_build_object('in', 'ranked', 'score', row.score, 'id', row.id);
      given := given + 1;
      return next;
    end loop;
    last_id := null;
    last_score := null;
  end if;

  if given < search_by_relevance.wanted and list <> 'any' and found.floor_id is not null then
    for row in
      select r.id, r.popularity
      from private.search_rest(
        query, plan.title_key, coalesce(last_score::smallint, found.floor_popularity), coalesce(last_id, found.floor_id),
        -- Where the first three thousand hold hardly any, twenty thousand do not hold a page. The index is the cheaper way to a
        -- few more where no beginning has to be read to its end.
        case when cardinality(found.ids) < case when query::text like '%:*%' then 3 else 8 end then 0 else 20000 end,
        search_by_relevance.wanted - given
      ) r
    loop
      asset_id := row.id;
      at := here || jsonb_build_object('in', 'rest', 'score', row.popularity, 'id', row.id);
      given := given + 1;
      return next;
    end loop;
    return;
  end if;

  if given < search_by_relevance.wanted and cardinality(found.ids) < 10 and cardinality(plan.parts) > 1 then
    for row in
      select r.id, r.score
      from private.search_ranked(
        array(select unnest(private.search_any(plan, search_by_relevance.filters)) except select unnest(found.ids)),
        plan, true, last_score, last_id, search_by_relevance.wanted - given
      ) r
    loop
      asset_id := row.id;
      at := here || jsonb_build_object('in', 'any', 'score', row.score, 'id', row.id);
      return next;
    end loop;
  end if;
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
  SET jit TO 'off'
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
  SET jit TO 'off'
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
        case when search_few.list = 'newest' then a.published_at when search_few.list = 'recently_updated' then a.content_updated_at end as moment,
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

CREATE OR REPLACE FUNCTION private.search_index (
  query tsquery,
  most  integer
)
  RETURNS private.search_set
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_indexscan TO 'off'
  SET enable_bitmapscan TO 'on'
  SET jit TO 'off'
  AS $function$
declare
  result private.search_set;
begin
  select array_agg(m.asset_id), (array_agg(m.popularity order by m.popularity, m.asset_id))[1],
    (array_agg(m.asset_id order by m.popularity, m.asset_id))[1]
  into result.ids, result.floor_popularity, result.floor_id
  from (
    select d.asset_id, d.popularity
    from private.hub_documents d
    where d.document @@ search_index.query
    order by d.popularity desc, d.asset_id desc
    limit search_index.most
  ) m;
  if coalesce(cardinality(result.ids), 0) < search_index.most then
    result := (coalesce(result.ids, '{}'), null, null)::private.search_set;
  end if;
  return result;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_ranked (
  ids        uuid[],
  plan       private.search_plan,
  by_words   boolean,
  last_score numeric,
  last_id    uuid,
  wanted     integer
)
  RETURNS TABLE (
    id    uuid,
    score numeric
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  -- As variables, which cost less than fields in a row by row comparison.
  key constant text := (search_ranked.plan).title_key;
  likes constant tsquery := (search_ranked.plan).likes;
  titled constant tsquery := (search_ranked.plan).titled;
  titled_exactly constant tsquery := (search_ranked.plan).titled_exactly;
  parts constant tsquery[] := case when search_ranked.by_words then (search_ranked.plan).parts else '{}' end;
  least_held constant integer := case when search_ranked.by_words then least(2, (cardinality(parts) + 1) / 2) else 0 end;
begin
  return query
  select s.asset_id, s.score
  from (
    -- Title before tags before description; the words in their order before the same words apart; short titles before long
    -- ones; and among equals the popular.
    select d.asset_id,
      round((
        20.0 * h.held / greatest(1, cardinality(parts))
        + 3 * ts_rank('{0, 0.15, 0.5, 1}', d.document, likes)
        + case when not d.document @@ titled then 0 when d.document @@ titled_exactly then 6 else 4 end
        + case
          when strpos(d.title_key, key) = 0 then 0
          when strpos(' ' || d.title_key || ' ', ' ' || key || ' ') = 1 then 3
          when strpos(d.title_key, key) = 1 then 2
          when strpos(' ' || d.title_key || ' ', ' ' || key || ' ') > 0 then 1.5
          when true then 1
        end
        - 0.02 * least(char_length(d.title_key) + 2, 60)
        + 0.06 * d.popularity
      )::numeric, 5) as score
    from private.hub_documents d
    cross join lateral (select count(*) filter (where d.document @@ part) as held from unnest(parts) part) h
    where d.asset_id = any (search_ranked.ids) and d.title_key <> key and h.held >= least_held
  ) s
  where search_ranked.last_id is null or (s.score, s.asset_id) < (search_ranked.last_score, search_ranked.last_id)
  order by s.score desc, s.asset_id desc
  limit search_ranked.wanted;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_rest (
  query           tsquery,
  title_key       text,
  last_popularity smallint,
  last_id         uuid,
  stretch         integer,
  wanted          integer
)
  RETURNS TABLE (
    id         uuid,
    popularity smallint
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
declare
  given integer := 0;
  popular integer;
begin
  for id, popularity in
    select w.asset_id, w.popularity
    from (
      select d.asset_id, d.popularity, d.document, d.title_key
      from private.hub_documents d
      where (d.popularity, d.asset_id) < (search_rest.last_popularity, search_rest.last_id)
      order by d.popularity desc, d.asset_id desc
      limit search_rest.stretch
    ) w
    where w.document @@ search_rest.query and w.title_key <> search_rest.title_key
    limit search_rest.wanted
  loop
    given := given + 1;
    return next;
  end loop;
  if given = search_rest.wanted then
    return;
  end if;
  -- Not enough in that stretch: they are few, and an index of words has them; the popular ones, of which it reads an eighth of a
  -- million, before the others. Subqueries of their own: else the index of popularity is read to its end, because it has the order.
  return query
  select m.asset_id, m.popularity
  from (
    select d.asset_id, d.popularity, d.title_key
    from private.hub_documents d
    where d.document @@ search_rest.query and d.popularity >= 4
    offset 0
  ) m
  where m.title_key <> search_rest.title_key
    and (m.popularity, m.asset_id) < (coalesce(search_rest.popularity, search_rest.last_popularity), coalesce(search_rest.id, search_rest.last_id))
  order by m.popularity desc, m.asset_id desc
  limit search_rest.wanted - given;
  get diagnostics popular = row_count;
  given := given + popular;
  if given = search_rest.wanted then
    return;
  end if;
  return query
  select m.asset_id, m.popularity
  from (
    select d.asset_id, d.popularity, d.title_key
    from private.hub_documents d
    where d.document @@ search_rest.query and d.popularity < 4
    -- guard: search: words that are hardly ever together are found by the index of words
    offset 0
    -- end
  ) m
  where m.title_key <> search_rest.title_key
    and (m.popularity, m.asset_id) < (coalesce(search_rest.popularity, search_rest.last_popularity), coalesce(search_rest.id, search_rest.last_id))
  order by m.popularity desc, m.asset_id desc
  limit search_rest.wanted - given;
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
  SET jit TO 'off'
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
          select count(*) filter (where d.document @@ part.query) as holding
          from (
            select d.document from private.hub_documents d order by d.popularity desc, d.asset_id desc limit seen
          ) d
          cross join unnest(search_set.parts) with ordinality part (query, place)
          group by part.place
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

CREATE OR REPLACE FUNCTION private.search_walk (
  list        text,
  tag         text,
  matches     tsquery,
  types       text[],
  license     text,
  creator_id  uuid,
  tags        text[],
  last_moment timestamp with time zone,
  last_number integer,
  last_id     uuid,
  stretch     integer,
  wanted      integer,
  OUT         ids uuid[],
  OUT         keys text[],
  OUT         has_ended boolean
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
  SET jit TO 'off'
  AS $function$
declare
  bits constant bigint := private.tag_bits(search_walk.tags);
begin
  select array_agg(f.id) filter (where f.fits), array_agg(coalesce(f.moment::text, f.number::text)) filter (where f.fits),
    not coalesce(bool_or(f.is_last), false)
  into search_walk.ids, search_walk.keys, search_walk.has_ended
  from (
    -- The last of the stretch comes through whether it fits or not: without it the list has ended.
    select m.*
    from (
      select w.id, w.moment, w.number, row_number() over () = search_walk.stretch as is_last,
        w.is_visible
          and (search_walk.types is null or w.asset_type = any (search_walk.types))
          and (search_walk.license is null or w.license = search_walk.license)
          and (search_walk.creator_id is null or w.creator_id = search_walk.creator_id)
          and (search_walk.tags is null or w.tags @> search_walk.tags)
          and (
            search_walk.matches is null
            or (select d.document from private.hub_documents d where d.asset_id = w.id) @@ search_walk.matches
          ) as fits
      from (
        -- Of these only the one that is asked for is run.
        (
          select a.id, a.published_at as moment, null::integer as number, a.asset_type, a.license, a.creator_id, a.tags, a.is_visible
          from public.hub_assets a
          where search_walk.list = 'newest of a creator' and a.is_visible and a.creator_id = search_walk.creator_id
            and (a.published_at, a.id) < (search_walk.last_moment, search_walk.last_id)
          order by a.published_at desc, a.id desc
          limit search_walk.stretch
        )
        union all
        (
          select a.id, a.published_at, null::integer, a.asset_type, a.license, a.creator_id, a.tags, a.is_visible
          from public.hub_assets a
          where search_walk.list = 'newest' and a.is_visible
            and (a.published_at, a.id) < (search_walk.last_moment, search_walk.last_id)
          order by a.published_at desc, a.id desc
          limit search_walk.stretch
        )
        union all
        (
          select a.id, a.content_updated_at, null::integer, a.asset_type, a.license, a.creator_id, a.tags, a.is_visible
          from public.hub_assets a
          where search_walk.list = 'recently_updated' and a.is_visible
            and (a.content_updated_at, a.id) < (search_walk.last_moment, search_walk.last_id)
          order by a.content_updated_at desc, a.id desc
          limit search_walk.stretch
        )
        union all
        (
          select a.id, null::timestamptz, a.install_count, a.asset_type, a.license, a.creator_id, a.tags, a.is_visible
          from public.hub_assets a
          where search_walk.list = 'most_installed' and a.is_visible
            and (a.install_count, a.id) < (search_walk.last_number, search_walk.last_id)
          order by a.install_count desc, a.id desc
          limit search_walk.stretch
        )
        union all
        (
          select a.id, null::timestamptz, a.star_count, a.asset_type, a.license, a.creator_id, a.tags, a.is_visible
          from public.hub_assets a
          where search_walk.list = 'most_starred' and a.is_visible
            and (a.star_count, a.id) < (search_walk.last_number, search_walk.last_id)
          order by a.star_count desc, a.id desc
          limit search_walk.stretch
        )
        union all
        select a.id, t.moment, t.number, a.asset_type, a.license, a.creator_id, a.tags, a.is_visible
        from (
          (
            select t.asset_id, t.published_at as moment, null::integer as number, t.tag_bits
            from private.hub_listing_tags t
            where search_walk.list = 'newest of a tag' and t.tag = search_walk.tag
              and (t.published_at, t.asset_id) < (search_walk.last_moment, search_walk.last_id)
            order by t.published_at desc, t.asset_id desc
            limit search_walk.stretch
          )
          union all
          (
            select t.asset_id, t.content_updated_at, null::integer, t.tag_bits
            from private.hub_listing_tags t
            where search_walk.list = 'recently_updated of a tag' and t.tag = search_walk.tag
              and (t.content_updated_at, t.asset_id) < (search_walk.last_moment, search_walk.last_id)
            order by t.content_updated_at desc, t.asset_id desc
            limit search_walk.stretch
          )
          union all
          (
            select t.asset_id, null::timestamptz, t.install_count, t.tag_bits
            from private.hub_listing_tags t
            where search_walk.list = 'most_installed of a tag' and t.tag = search_walk.tag
              and (t.install_count, t.asset_id) < (search_walk.last_number, search_walk.last_id)
            order by t.install_count desc, t.asset_id desc
            limit search_walk.stretch
          )
          union all
          (
            select t.asset_id, null::timestamptz, t.star_count, t.tag_bits
            from private.hub_listing_tags t
            where search_walk.list = 'most_starred of a tag' and t.tag = search_walk.tag
              and (t.star_count, t.asset_id) < (search_walk.last_number, search_walk.last_id)
            order by t.star_count desc, t.asset_id desc
            limit search_walk.stretch
          )
        ) t
        -- OFFSET keeps the test of the bits in front of the reading.
        left join lateral (
          select a.*
          from public.hub_assets a
          where a.id = t.asset_id
            -- guard: search: what cannot have all tags is not read
            and t.tag_bits & bits = bits
            -- end
          offset 0
        ) a on true
      ) w
      offset 0
    ) m
    where m.fits or m.is_last
    limit search_walk.wanted
  ) f;
end;
$function$;

CREATE OR REPLACE FUNCTION private.source_bytes (
  source jsonb
)
  RETURNS bigint
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- Without the mirrors of the registry row, which triggers write later.
  select octet_length((source_bytes.source - '{hub_asset_id,is_public,updated_at}'::text[])::text)::bigint;
$function$;

CREATE OR REPLACE FUNCTION private.starting_with (
  lexeme text,
  stem   text DEFAULT NULL::text
)
  RETURNS text
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_hashagg TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  most constant integer := 16;
  found constant text[] := array(
    select distinct k.lexeme
    from private.hub_lexemes k
    where k.lexeme >= starting_with.lexeme collate pg_catalog."C"
      and k.lexeme < (starting_with.lexeme || U&'\+10FFFD') collate pg_catalog."C"
    limit most + 1
  );
begin
  -- guard: search: a beginning of few lexemes is asked for by their names
  if cardinality(found) <= most then
    return (
      select string_agg(private.quote_lexeme(f.lexeme), ' | ')
      from unnest(found) f (lexeme)
      where private.stem(f.lexeme) is distinct from starting_with.stem
    );
  end if;
  -- end
  return private.quote_lexeme(starting_with.lexeme) || ':*';
end;
$function$;

CREATE OR REPLACE FUNCTION private.user_api_keys_before_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  -- In an insert all of old is null: a new key is one that its owner has just been given.
  given_away constant boolean := new.user_id is distinct from old.user_id;
  replaced constant boolean := tg_op = 'INSERT' or new.api_key_encrypted is distinct from old.api_key_encrypted;
  resealed constant boolean := coalesce(current_setting('keyhub.resealing', true), '') = 'on';
  enabled boolean;
  -- A lease clears a block that is over.
  expired constant boolean := new.cooling_until is null and old.cooling_until <= clock_timestamp();
  joins boolean;
begin
  -- Direct edits only: the trigger of api_key_health writes these columns from one level deeper.
  if pg_trigger_depth() = 1 then
    -- guard: the copy of the block cannot be edited
    new.cooling_until := case when expired then null else old.cooling_until end;
    -- end
    new.generation := old.generation;
  end if;
  new.provider := nullif(lower(btrim(new.provider)), '');
  if new.provider is distinct from old.provider and new.provider !~ '^[a-z0-9][a-z0-9._-]{0,62}$' then
    raise exception using
      errcode = 'PT422',
      message = 'provider may have letters a to z, digits and the signs . _ -, begins with a letter or digit, and has at most 63 characters, such as openai',
      detail = '{"code": "provider_not_valid"}';
  end if;

  -- A plaintext key must not be stored by mistake, nor come back in the message.
  -- guard: unsealed text is refused
  -- without: if false then
  if replaced and (
    new.api_key_encrypted is null
    or octet_length(new.api_key_encrypted) > 16384
    or new.api_key_encrypted !~ '^hpke\.v1\.[A-Za-z0-9_-]{1,64}\.[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{23,}$'
  ) then
  -- end
    raise exception using
      errcode = 'PT422',
      message = 'api_key_encrypted is not a sealed text. Seal the key first and paste what this prints: npm run seal -- --user <user_id>',
      detail = '{"code": "key_not_sealed"}';
  end if;
  if replaced or given_away then
    new.unusable_reason := null;
  end if;
  -- The report spoke of the old key; what an operator disabled stays so.
  if tg_op = 'UPDATE' and replaced and not resealed and not new.is_active then
    -- guard: a new text enables a key that a report disabled
    -- without: new.is_active := false;
    new.is_active := exists (
      select from public.api_key_health h
      where h.user_api_key_id = old.id
        -- guard: a new text enables no key that an operator disabled
        -- without: and true
        and h.reason = 'invalid_key'
        -- end
    );
    -- end
  end if;
  enabled := new.is_active and not old.is_active;
  if new.unusable_reason is null then
    new.unusable_since := null;
  end if;
  if enabled or given_away or (replaced and not resealed) then
    -- guard: a replaced or re-enabled key raises its generation
    -- without: new.generation := coalesce(old.generation, 1);
    new.generation := coalesce(old.generation, 0) + 1;
    -- end
    new.cooling_until := null;
  end if;

  -- Into a tier it did not serve: added, enabled, repaired, or of another priority or owner.
  joins := new.is_active and new.unusable_reason is null
    and (enabled or old.unusable_reason is not null or given_away or new.priority <> old.priority);
  -- guard: a key that joins starts at the tier minimum
  -- without: if false and new.usage_count = old.usage_count then
  if joins and new.usage_count = coalesce(old.usage_count, 0) then
  -- end
    new.usage_count := coalesce(private.least_usage_count(new.user_id, new.priority, new.id), new.usage_count);
  end if;
  -- Ready at once when its cooldown is over: the tier's next check may have been postponed before the key came.
  -- guard: a key that is moved when its cooldown is over is ready
  -- without: if false then
  -- guard: an edit expires a cooldown only of a key that joins a tier
  -- without: if new.cooling_until <= clock_timestamp() then
  if joins and new.cooling_until <= clock_timestamp() then
  -- end
  -- end
    new.cooling_until := null;
  end if;
  if pg_trigger_depth() = 1 and not expired then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_check_counters()
  RETURNS TABLE (
    asset_id uuid,
    counter  text,
    stored   integer,
    counted  integer
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select c.asset_id, c.counter, c.stored, c.counted
  from (
    select a.id as asset_id, 'star_count' as counter, a.star_count as stored, coalesce(s.stars, 0) as counted
    from public.hub_assets a
    left join (select o.asset_id, count(*)::integer as stars from public.hub_stars o group by o.asset_id) s on s.asset_id = a.id
    union all
    select a.id, 'install_count', a.install_count, coalesce(i.users, 0)
    from public.hub_assets a
    left join (
      select o.asset_id, count(distinct o.user_id)::integer as users
      from public.hub_imports o
      join public.hub_assets of on of.id = o.asset_id
      where o.counts or o.user_id is distinct from of.creator_id
      group by o.asset_id
    ) i on i.asset_id = a.id
    union all
    select a.id, 'open_reports', m.open_reports, coalesce(r.open, 0)
    from public.hub_assets a
    left join private.hub_moderation m on m.asset_id = a.id
    left join (
      select o.asset_id, count(*)::integer as open from public.hub_reports o where not o.resolved group by o.asset_id
    ) r on r.asset_id = a.id
    union all
    select a.id, 'counting_reports', m.counting_reports, coalesce(r.counting, 0)
    from public.hub_assets a
    left join private.hub_moderation m on m.asset_id = a.id
    left join (
      select o.asset_id, count(*)::integer as counting
      from public.hub_reports o
      where not o.resolved and o.counts
      group by o.asset_id
    ) r on r.asset_id = a.id
    union all
    -- Of an account, not of a listing: its id stands in the same column.
    select u.user_id, u.counter, u.stored, u.counted from private.compare_usage() u
  ) c
  where c.stored is distinct from c.counted;
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
  SET jit TO 'off'
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

CREATE OR REPLACE FUNCTION public.keyhub_schedule()
  RETURNS text[]
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  job record;
  made text[] := '{}';
begin
  if to_regprocedure('cron.schedule(text, text, text)') is null then
    raise notice 'pg_cron is not enabled in this database, so that no job was made: enable it and call keyhub_schedule() again';
    return made;
  end if;
  for job in
    select *
    from (
      values
        -- A little every minute: 32 MB of the log are looked at in some 50 ms, so that ten million rows are gone through within
        -- the hour, and up to 50,000 a minute are deleted.
        ('keyhub-prune-usage-log', '* * * * *', 'select public.prune_api_key_usage_log(batch => 50000, pages => 4096)'),
        ('keyhub-prune-hub', '17 * * * *', 'select public.hub_prune()'),
        ('keyhub-refresh-discovery', '*/10 * * * *', 'select public.hub_refresh_discovery()')
    ) jobs (name, schedule, command)
  loop
    -- A job of that name is replaced.
    execute 'select cron.schedule($1, $2, $3)' using job.name, job.schedule, job.command;
    made := made || job.name;
  end loop;
  return made;
end;
$function$;

REVOKE ALL ON FUNCTION "public"."keyhub_schedule"() FROM PUBLIC, "anon", "authenticated", "service_role";

CREATE OR REPLACE FUNCTION public.lease_api_key (
  token_hash       text    DEFAULT NULL::text,
  user_id          uuid    DEFAULT NULL::uuid,
  provider         text    DEFAULT NULL::text,
  live_kids        text[]  DEFAULT '{}'::text[],
  release_lease_id uuid    DEFAULT NULL::uuid,
  attempt          integer DEFAULT 0,
  calls            integer DEFAULT 1,
  exclude          uuid[]  DEFAULT '{}'::uuid[]
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  SET lock_timeout TO '600ms'
  AS $function$
declare
  retry constant jsonb := '{"leased": false, "retry": true}';
  agent_id uuid;
  at timestamptz := clock_timestamp();
  -- Tiers from this priority up have no key for this call.
  above bigint := 2147483648;
  tier_priority integer;
  is_due boolean;
  -- The tier that this call has tended last.
  tended integer;
  -- Where the search starts.
  start_count bigint;
  start_id uuid;
  mark_id uuid;
  -- Where the key stands that this call has waited for.
  held_priority integer;
  held_count bigint;
  held_id uuid;
  chosen_id uuid;
  chosen_generation integer;
  is_ready boolean;
  lease_id uuid;
  leased_at timestamptz;
  answer jsonb;
begin
  -- From here on user_id is the owner of the pool.
  select c.pool_user_id, c.agent_id into lease_api_key.user_id, agent_id
  from private.key_caller(lease_api_key.token_hash, lease_api_key.user_id) c;
  if lease_api_key.release_lease_id is not null then
    perform private.release_lease(lease_api_key.user_id, lease_api_key.release_lease_id);
  end if;

  loop
    -- Several small statements: starting one large joined statement takes longer than all of them.
    select t.priority, t.low_water_count, t.low_water_id, t.next_expiry_check_at <= at
    into tier_priority, start_count, start_id, is_due
    from private.api_key_tiers t
    where t.user_id = lease_api_key.user_id and t.priority < above
    order by t.priority desc
    limit 1;
    if not found then
      -- No tier has a key: the answer comes from one look at the whole pool.
      answer := private.pool_availability(
        lease_api_key.user_id, lease_api_key.provider, lease_api_key.live_kids, lease_api_key.exclude
      );
      -- guard: exclude: better than none
      -- without: if false then
      if answer is not null and lease_api_key.exclude <> '{}' then
      -- end
        -- No other key is left: an excluded key is better than none.
        lease_api_key.exclude := '{}';
        above := 2147483648;
        continue;
      elsif answer is null and lease_api_key.attempt > 0 then
        -- A key is ready that no tier led to, more than once: its row came in without its triggers.
        -- guard: tiers that do not lead to a ready key are rebuilt
        perform private.rebuild_tiers(lease_api_key.user_id);
        -- end
      end if;
      return coalesce(answer, retry);
    end if;

    -- Expired cooldowns are cleared first. Odd attempts skip this step: it locks the tier, and a call that holds a lock must
    -- not wait for a key.
    -- guard: expired cooldowns are cleared before the choice
    -- without: if false then
    -- guard: a retry waits for a key with an expired cooldown instead of trying to expire it again
    -- without: if is_due and tended is distinct from tier_priority then
    if is_due and lease_api_key.attempt % 2 = 0 and tended is distinct from tier_priority then
    -- end
    -- end
      tended := tier_priority;
      perform private.tend_tier(lease_api_key.user_id, tier_priority, only_expired => true);
      continue;
    end if;

    -- The tier's first key in the documented order that is not locked. The first caller of a pool starts at the low-water
    -- mark. Callers that come while it works start at a random place, or each would step over the keys that all others have
    -- locked. A retry starts at the mark, so that it misses no free key.
    if tier_priority = held_priority then
      start_count := held_count;
      start_id := held_id;
    -- guard: a retry starts at the low-water mark
    -- without: elsif not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.uuid_hash_extended(lease_api_key.user_id, 1))
    elsif lease_api_key.attempt = 0
      and not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.uuid_hash_extended(lease_api_key.user_id, 1))
    -- end
    then
      mark_id := start_id;
      start_id := gen_random_uuid();
      start_count := start_count + (start_id < mark_id)::integer;
    end if;
    select k.id, k.generation into chosen_id, chosen_generation
    from public.user_api_keys k
    where k.user_id = lease_api_key.user_id
      and k.priority = tier_priority
      and k.is_ready
      and (k.usage_count, k.id) >= (start_count, start_id)
      and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
      -- guard: only texts sealed to a live pair
      and k.sealed_kid = any (lease_api_key.live_kids)
      -- end
      -- guard: exclude: a key that is free
      and k.id <> all (lease_api_key.exclude)
      -- end
    order by k.usage_count, k.id
    limit 1
    -- guard: row lock of a lease
    -- without: ;
    for no key update skip locked;
    -- end
    exit when found;

    -- All are locked, or there are none. Mostly there is one to wait for after a random place.
    start_id := gen_random_uuid();
    is_ready := true;
    select k.id into chosen_id
    from public.user_api_keys k
    where k.user_id = lease_api_key.user_id
      and k.priority = tier_priority
      and k.is_ready
      and (k.usage_count, k.id) >= (start_count, start_id)
      and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
      and k.sealed_kid = any (lease_api_key.live_kids)
      and k.id <> all (lease_api_key.exclude)
    order by k.usage_count, k.id
    limit 1;
    if not found then
      -- In one look, also at the mark: a key that another call makes ready meanwhile is either over in it, or not below the mark.
      -- Any of the first, so that callers spread over the keys.
      select k.id, k.is_ready into chosen_id, is_ready
      from private.api_key_tiers t
      cross join lateral (
        (
          select k.id, k.is_ready
          from public.user_api_keys k
          where k.user_id = t.user_id
            and k.priority = t.priority
            -- guard: a locked key is not none
            -- without: and k.is_ready and false
            and k.is_ready
            -- end
            -- guard: a search from a random place wraps to the low-water mark
            -- without: and (k.usage_count, k.id) >= (start_count, start_id)
            and (k.usage_count, k.id) >= (t.low_water_count, t.low_water_id)
            -- end
            and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
            and k.sealed_kid = any (lease_api_key.live_kids)
            -- guard: exclude: a key that is held
            and k.id <> all (lease_api_key.exclude)
            -- end
          order by k.usage_count, k.id
          limit 16
        )
        union all
        (
          select k.id, k.is_ready
          from public.user_api_keys k
          where k.user_id = t.user_id
            and k.priority = t.priority
            and not k.is_ready
            -- guard: a key that another caller has just made ready is not passed over
            -- without: and k.ready_at <= at and false
            and k.ready_at <= at
            -- end
            and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
            and k.sealed_kid = any (lease_api_key.live_kids)
            -- guard: exclude: a key with an expired cooldown
            and k.id <> all (lease_api_key.exclude)
            -- end
          order by k.ready_at
          limit 1
        )
      ) k
      where t.user_id = lease_api_key.user_id and t.priority = tier_priority
      order by k.is_ready desc, random()
      limit 1;
    end if;
    if not found then
      above := tier_priority;
      continue;
    end if;
    -- guard: a tier without a ready key is checked for expired cooldowns, whenever the next check is
    -- without: if false then
    if not is_ready and lease_api_key.attempt % 2 = 0 and tended is distinct from tier_priority then
    -- end
      tended := tier_priority;
      perform private.tend_tier(lease_api_key.user_id, tier_priority, only_expired => true);
      continue;
    end if;

    -- Wait for it: a lower tier is never served instead. A call that holds a row lock (its transaction has an id then) must
    -- not wait for another row, or two of them would wait for each other. It may hold locks without a change of its own: a
    -- row that was ready when found and no longer when locked stays locked.
    -- guard: a caller that holds a row does not wait for another key
    -- without: if false then
    if pg_catalog.pg_current_xact_id_if_assigned() is not null then
    -- end
      return retry;
    end if;
    perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(chosen_id, 0));
    select k.priority, k.usage_count, k.id into held_priority, held_count, held_id
    from public.user_api_keys k
    where k.id = chosen_id
    for no key update;
    -- Something may have changed meanwhile: search again as a retry does, from the first tier on, and in the key's own tier
    -- from the key on.
    -- guard: re-check after waiting: the key
    -- without: select k.generation into chosen_generation from public.user_api_keys k where k.id = chosen_id;
    -- without: exit;
    lease_api_key.attempt := 1;
    at := clock_timestamp();
    -- guard: re-check after waiting: a better tier
    -- without: above := tier_priority::bigint + 1;
    above := 2147483648;
    -- end
    -- end
  end loop;

  if lease_api_key.calls > 1 then
    answer := private.lease_batch(
      lease_api_key.user_id, agent_id, tier_priority, lease_api_key.provider, lease_api_key.live_kids, lease_api_key.calls
    );
  else
    -- The log row first: its foreign key finds the key row locked already, and need not lock the next version of it.
    insert into public.api_key_usage_log (user_api_key_id, user_id, agent_id, key_generation, issued_at)
    values (chosen_id, lease_api_key.user_id, agent_id, chosen_generation, clock_timestamp())
    returning id, issued_at into lease_id, leased_at;

    update private.key_leases k
    set usage_count = k.usage_count + 1
    where k.id = chosen_id
    returning k.lease || jsonb_build_object('lease_id', lease_id, 'leased_at', leased_at) into answer;
  end if;

  -- Once in 64 leases the low-water mark is raised and the next expiry check postponed. Never waits.
  if random() < 0.015625 * lease_api_key.calls then
    perform private.tend_tier(lease_api_key.user_id, tier_priority);
  end if;
  return answer;
end;
$function$;

CREATE OR REPLACE FUNCTION public.report_api_key (
  report     jsonb,
  token_hash text  DEFAULT NULL::text,
  user_id    uuid  DEFAULT NULL::uuid,
  lease_id   uuid  DEFAULT NULL::uuid,
  key_id     uuid  DEFAULT NULL::uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  SET lock_timeout TO '600ms'
  AS $function$
<<this>>
declare
  -- Taken before anything is read: what is not visible below came later.
  at constant timestamptz := clock_timestamp();
  outcome constant text := report_api_key.report ->> 'outcome';
  rule constant text := report_api_key.report ->> 'rule';
  error_code constant text := report_api_key.report ->> 'error_code';
  agent_id uuid;
  reported_id uuid;
  last_at timestamptz;
  last_outcome_of_key text;
  answer jsonb;
  lease public.api_key_usage_log;
begin
  -- From here on user_id is the owner of the pool.
  select c.pool_user_id, c.agent_id into report_api_key.user_id, agent_id
  from private.key_caller(report_api_key.token_hash, report_api_key.user_id) c;

  if report_api_key.lease_id is not null then
    -- guard: fast path: a report with a hint is evaluated
    -- without: if this.rule in ('success', 'escalate') then
    if this.rule in ('success', 'escalate') and not report_api_key.report ?| array['hint_given', 'hint_seconds', 'hint_at'] then
    -- end
      -- A report that changes nothing: a success on a key in good health, or one more failure of a known outage. It reads key
      -- and health in one snapshot and locks the row of the log alone, which tells who was first. So it stands before every
      -- failure, reset and edit that it does not see. The pool is the lease's: a key that was given away has risen in
      -- generation, and a condition on its owner would let a plan walk through all of the owner's keys.
      update public.api_key_usage_log l
      set reported_at = at,
        outcome = this.outcome,
        error_code = this.error_code,
        effect = case this.rule when 'success' then 'none' else 'ignored' end,
        state_before = case when h.blocked_until > at then 'cooling_down' else 'available' end,
        state_after = case when h.blocked_until > at then 'cooling_down' else 'available' end,
        blocked_until = case when h.blocked_until > at then h.blocked_until end,
        consecutive_failures = h.consecutive_failures
      from public.user_api_keys k, public.api_key_health h
      where l.id = report_api_key.lease_id
        -- guard: fast path: a lease of the caller's pool
        and l.user_id = report_api_key.user_id
        -- end
        -- guard: fast path: one lease, one effect
        and l.outcome is null
        -- end
        and l.issued_at is not null
        -- guard: fast path: the key that was named
        and (report_api_key.key_id is null or report_api_key.key_id = l.user_api_key_id)
        -- end
        and k.id = l.user_api_key_id
        -- guard: fast path: on a key that is on
        and k.is_active
        -- end
        -- guard: fast path: on a key that can be opened
        and k.unusable_reason is null
        -- end
        -- guard: fast path: not on a lease from before an operator's edit
        and k.generation <= l.key_generation
        -- end
        and h.user_api_key_id = l.user_api_key_id
        -- guard: fast path: no server errors to be forgotten
        and h.recent_server_errors = '{}'
        -- end
        and case this.rule
          when 'success' then
            -- guard: fast path: no success after failures
            -- without: (h.blocked_until is null or h.blocked_until <= at)
            h.consecutive_failures = 0
            -- guard: fast path: no success inside a block
            and (h.blocked_until is null or h.blocked_until <= at)
            -- end
            -- end
            -- guard: fast path: no success on a lease from before the last failure
            and (h.last_failure_at is null or h.last_failure_at < l.issued_at)
            -- end
          -- guard: fast path: a failure of the known outage alone
          -- without: else true
          else l.issued_at < h.rate_blocked_until
          -- end
        end
      returning l.user_api_key_id, h.last_reported_at, h.last_outcome, private.report_answer(l)
      into reported_id, last_at, last_outcome_of_key, answer;
      if found then
        -- The newest outcome for operators, to the second. A locked row is skipped, not waited for.
        -- guard: fast path: the health row is written once a second for a repeated outcome
        -- without: if true then
        if last_at is null or last_at < at - interval '1 s' or last_outcome_of_key <> this.outcome then
        -- end
          update public.api_key_health h
          set last_reported_at = at,
            last_outcome = this.outcome,
            last_error_code = this.error_code,
            last_effect = case this.rule when 'success' then 'none' else 'ignored' end
          where h.user_api_key_id = (
            select free.user_api_key_id
            from public.api_key_health free
            where free.user_api_key_id = reported_id
              -- guard: fast path: what is newer stays
              and (free.last_reported_at is null or free.last_reported_at < at)
              -- end
            -- guard: fast path: who holds the health row is not waited for
            -- without: for no key update
            for no key update skip locked
            -- end
          );
        end if;
        return answer;
      end if;
    end if;

    select l.* into lease
    from public.api_key_usage_log l
    -- guard: pool test of a lease
    -- without: where l.id = report_api_key.lease_id and l.issued_at is not null;
    where l.id = report_api_key.lease_id and l.user_id = report_api_key.user_id and l.issued_at is not null;
    -- end
    if not found then
      raise exception using errcode = 'PT404', message = 'lease_not_found';
    elsif report_api_key.key_id <> lease.user_api_key_id then
      raise exception using errcode = 'PT422', message = 'lease_key_mismatch';
    -- guard: another outcome on a reported lease is refused
    -- without: elsif false then
    elsif lease.outcome <> this.outcome then
    -- end
      raise exception using errcode = 'PT409', message = 'already_reported';
    elsif lease.outcome is not null then
      -- Answered here, before any queue: who came too late above still holds the row of the log.
      lease.effect := 'duplicate';
      return private.report_answer(lease);
    end if;
  end if;

  return private.report_answer(private.apply_report(
    report_api_key.user_id,
    agent_id,
    coalesce(lease.user_api_key_id, report_api_key.key_id),
    lease,
    jsonb_populate_record(null::private.key_report, report_api_key.report)
  ));
end;
$function$;

CREATE OR REPLACE FUNCTION public.report_successes (
  lease_ids  uuid[],
  token_hash text   DEFAULT NULL::text,
  user_id    uuid   DEFAULT NULL::uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  SET lock_timeout TO '600ms'
  AS $function$
declare
  at constant timestamptz := clock_timestamp();
  answers jsonb;
begin
  select c.pool_user_id into report_successes.user_id
  from private.key_caller(report_successes.token_hash, report_successes.user_id) c;

  -- As in report_api_key: reports that change nothing and whose log row is not locked. The caller reports the others one by one.
  with open as materialized (
    select l.id
    from public.api_key_usage_log l
    where l.id = any (report_successes.lease_ids)
      -- guard: batch: somebody else's lease is left alone
      and l.user_id = report_successes.user_id
      -- end
      -- guard: batch: a lease that was reported is evaluated alone
      and l.outcome is null
      -- end
      and l.issued_at is not null
    -- guard: batch: a lease is not waited for
    -- without: for no key update
    for no key update skip locked
    -- end
  ),
  reported as (
    update public.api_key_usage_log l
    set reported_at = at,
      outcome = 'success',
      effect = 'none',
      state_before = 'available',
      state_after = 'available',
      consecutive_failures = 0
    from open o, public.user_api_keys k, public.api_key_health h
    where l.id = o.id
      and k.id = l.user_api_key_id
      -- guard: batch: a key that is off is evaluated alone
      and k.is_active
      -- end
      -- guard: batch: a key that cannot be opened is evaluated alone
      and k.unusable_reason is null
      -- end
      -- guard: batch: a lease from before an operator's edit is evaluated alone
      and k.generation <= l.key_generation
      -- end
      and h.user_api_key_id = l.user_api_key_id
      -- guard: batch: server errors in a row are evaluated alone
      and h.recent_server_errors = '{}'
      -- end
      -- guard: batch: an expiry of failures is evaluated alone
      and h.consecutive_failures = 0
      -- end
      -- guard: batch: a block is evaluated alone
      and (h.blocked_until is null or h.blocked_until <= at)
      -- end
      -- guard: batch: a failure after the lease is evaluated alone
      and (h.last_failure_at is null or h.last_failure_at < l.issued_at)
      -- end
    returning l.id, l.user_api_key_id, private.report_answer(l) as answer,
      h.last_reported_at is null or h.last_reported_at < at - interval '1 s' or h.last_outcome <> 'success' as is_due
  ),
  heard as (
    update public.api_key_health h
    set last_reported_at = at, last_outcome = 'success', last_error_code = null, last_effect = 'none'
    where h.user_api_key_id = any (array(
      select free.user_api_key_id
      from public.api_key_health free
      where free.user_api_key_id in (select r.user_api_key_id from reported r where r.is_due)
        -- guard: batch: what is newer stays
        and (free.last_reported_at is null or free.last_reported_at < at)
        -- end
      -- guard: batch: a health row is not waited for
      -- without: for no key update of free
      for no key update of free skip locked
      -- end
    ))
  )
  select coalesce(jsonb_agg(
    -- guard: batch: the same lease twice is one report
    -- without: coalesce(r.answer, '{"retry": true}')
    case when a.turn = 1 and r.id is not null then r.answer else '{"retry": true}' end
    -- end
    order by a.place
  ), '[]')
  into answers
  from (
    select u.id, u.place, row_number() over (partition by u.id order by u.place) as turn
    from unnest(report_successes.lease_ids) with ordinality u (id, place)
  ) a
  left join reported r on r.id = a.id;
  return answers;
end;
$function$;

ALTER TABLE "private"."hub_calls"
  ADD CONSTRAINT "hub_calls_kind_check" CHECK ((kind = ANY (ARRAY['previews'::text, 'imports'::text, 'edits'::text])));

ALTER TABLE "private"."workspace_usage"
  ADD CONSTRAINT "workspace_usage_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE TRIGGER ai_model_settings_50_delete_unpublished AFTER DELETE ON public.ai_model_settings
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION private.delete_unpublished_listings (
  'ai_preset'
);

CREATE TRIGGER ai_model_settings_60_count_deleted
  AFTER DELETE ON public.ai_model_settings REFERENCING OLD TABLE AS before_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER ai_model_settings_60_count_inserted
  AFTER INSERT ON public.ai_model_settings REFERENCING NEW TABLE AS after_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER ai_model_settings_60_count_updated
  AFTER UPDATE ON public.ai_model_settings REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER custom_components_50_delete_unpublished AFTER DELETE ON public.custom_components
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION private.delete_unpublished_listings (
  'component'
);

CREATE TRIGGER custom_components_60_count_deleted
  AFTER DELETE ON public.custom_components REFERENCING OLD TABLE AS before_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER custom_components_60_count_inserted
  AFTER INSERT ON public.custom_components REFERENCING NEW TABLE AS after_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER custom_components_60_count_updated
  AFTER UPDATE ON public.custom_components REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER hub_assets_05_limit_edits
  BEFORE UPDATE OF title, description, tags, thumbnail_url ON public.hub_assets
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_assets_limit_edits();

CREATE TRIGGER orchestrator_configs_50_delete_unpublished AFTER DELETE ON public.orchestrator_configs
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION private.delete_unpublished_listings (
  'orchestration'
);

CREATE TRIGGER orchestrator_configs_60_count_deleted
  AFTER DELETE ON public.orchestrator_configs REFERENCING OLD TABLE AS before_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER orchestrator_configs_60_count_inserted
  AFTER INSERT ON public.orchestrator_configs REFERENCING NEW TABLE AS after_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER orchestrator_configs_60_count_updated
  AFTER UPDATE ON public.orchestrator_configs REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER prompt_templates_50_delete_unpublished AFTER DELETE ON public.prompt_templates
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION private.delete_unpublished_listings (
  'template'
);

CREATE TRIGGER prompt_templates_60_count_deleted
  AFTER DELETE ON public.prompt_templates REFERENCING OLD TABLE AS before_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER prompt_templates_60_count_inserted
  AFTER INSERT ON public.prompt_templates REFERENCING NEW TABLE AS after_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER prompt_templates_60_count_updated
  AFTER UPDATE ON public.prompt_templates REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE POLICY "workspace_usage_service_select" ON "private"."workspace_usage"
  FOR SELECT
  TO "service_role"
  USING (true);

COMMENT ON COLUMN "private"."workspace_usage"."byte_count" IS 'Of the rows as JSON text, without compression: private.source_bytes.';

COMMENT ON FUNCTION "private"."all_sources"() IS 'All source rows of all users.';

COMMENT ON FUNCTION "private"."compare_usage"() IS 'What private.workspace_usage says of each account, and what its rows make.';

COMMENT ON FUNCTION "private"."count_source_usage"() IS 'Counts what a statement has changed in a source table. Raises PT422 limit_reached.';

COMMENT ON FUNCTION "private"."count_usage"(uuid[], integer[], bigint[]) IS 'Adds rows and bytes to what accounts hold. Raises PT422 limit_reached with the limit and its number.';

COMMENT ON FUNCTION "private"."hub_assets_limit_edits"() IS 'Counts an owner''s edit of a listing, at most 600 an hour. Raises PT429 rate_limited.';

COMMENT ON FUNCTION "private"."key_caller"(text, uuid) IS 'Whose pool a caller draws from: the agent''s user, or the signed-in user. Raises PT401 invalid_credential, also when auth has banned or soft-deleted that user.';

COMMENT ON FUNCTION "private"."limit_calls"(uuid, text, integer) IS 'Counts a preview, an import or an edit of a user, and enforces the hourly limit; null means no limit. Raises PT429 rate_limited.';

COMMENT ON FUNCTION "private"."refuse_usage"(text, bigint) IS 'Raises PT422 limit_reached.';

COMMENT ON FUNCTION "private"."source_bytes"(jsonb) IS 'How many bytes a source row counts for. A new column of a source table changes it: its migration recounts private.workspace_usage.';

COMMENT ON FUNCTION "public"."keyhub_schedule"() IS 'For operators: makes or replaces every pg_cron job of the project and returns their names; none where pg_cron is not enabled.';

COMMENT ON TABLE "private"."hub_calls" IS 'Previews, imports and edits of the last hour, for their limits. Each call deletes the expired rows of its user; hub_prune deletes those of all users.';

COMMENT ON TABLE "private"."workspace_usage" IS 'Rows and bytes of each account in the four source tables. Written by triggers; hub_check_counters compares it with the rows.';

REVOKE ALL ON FUNCTION "private"."all_sources"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."compare_usage"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."compare_usage"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."count_source_usage"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_usage"(uuid[], integer[], bigint[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_assets_limit_edits"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_usage"(text, bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."source_bytes"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "public"."keyhub_schedule"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."keyhub_schedule"() TO "postgres";

GRANT SELECT ON TABLE "private"."workspace_usage" TO "service_role";
