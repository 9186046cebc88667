SET local check_function_bodies = off;

DROP TRIGGER "api_key_health_restore_on_truncate" ON "public"."api_key_health";

DROP TRIGGER "user_api_keys_20_before_insert" ON "public"."user_api_keys";

DROP TRIGGER "user_api_keys_25_before_update" ON "public"."user_api_keys";

DROP TRIGGER "user_api_keys_50_after_update" ON "public"."user_api_keys";

DROP TRIGGER "user_api_keys_65_make_health" ON "public"."user_api_keys";

DROP INDEX "public"."user_api_keys_cooling_idx";

DROP FUNCTION "private"."eligible_key"(uuid, bigint, bigint, text, text[], uuid[], timestamp WITH time zone);

DROP FUNCTION "private"."expire_cooldowns"(uuid, integer, timestamp WITH time zone, integer);

DROP FUNCTION "private"."expired_cooldowns"(uuid, integer, timestamp WITH time zone);

DROP FUNCTION "private"."lease_batch"(uuid, uuid, integer, text, text[], uuid, integer);

DROP FUNCTION "private"."make_api_key_health"();

DROP FUNCTION "private"."pool_availability"(uuid, text, text[], uuid[], timestamp WITH time zone);

DROP FUNCTION "private"."pool_providers"(uuid);

DROP FUNCTION "private"."raise_low_water_mark"(uuid, integer);

DROP FUNCTION "private"."refuse_unsealed_key"(text);

DROP FUNCTION "private"."restore_all_api_key_health"();

DROP FUNCTION "private"."user_api_keys_after_update"();

DROP FUNCTION "private"."user_api_keys_before_insert"();

DROP FUNCTION "private"."user_api_keys_before_update"();

DROP FUNCTION "private"."wait_for_key"(uuid, uuid, integer, text, text[], uuid[]);

CREATE OR REPLACE FUNCTION private.api_key_health_before_update()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  lengthened constant boolean := new.blocked_until > greatest(old.blocked_until, clock_timestamp());
begin
  if new.user_api_key_id is distinct from old.user_api_key_id then
    raise exception using errcode = 'PT422', message = 'health_row_is_bound', detail = '{"column": "user_api_key_id"}';
  end if;
  if new.blocked_until is null then
    new.rate_blocked_until := null;
    new.recent_server_errors := '{}';
  elsif new.blocked_until is distinct from old.blocked_until then
    -- Moved by hand: the end of the rate block moves along, never past the block itself.
    -- guard: a block moved by hand moves the rate block
    new.rate_blocked_until := least(new.rate_blocked_until, new.blocked_until);
    -- end
  end if;
  -- What explained the block before explains it no more.
  if lengthened
    or new.blocked_until is null and (select k.is_active from public.user_api_keys k where k.id = new.user_api_key_id)
  then
    new.reason := case when lengthened then 'blocked_by_operator' end;
    new.reason_code := null;
    new.reason_since := case when lengthened then clock_timestamp() end;
    new.reason_log_id := null;
  end if;
  return new;
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

CREATE OR REPLACE FUNCTION private.least_usage_count (
  user_id   uuid,
  priority  integer,
  except_id uuid
)
  RETURNS bigint
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  -- Two steps into the index rather than a walk through the tier.
  select min(least_used.usage_count)
  from unnest('{true, false}'::boolean[]) ready (is_ready)
  cross join lateral (
    select k.usage_count
    from public.user_api_keys k
    where k.user_id = least_usage_count.user_id
      and k.priority = least_usage_count.priority
      and k.is_ready = ready.is_ready
      and k.is_active
      and k.id is distinct from least_usage_count.except_id
    order by k.usage_count, k.id
    limit 1
  ) least_used;
$function$;

CREATE OR REPLACE FUNCTION private.lower_low_water_mark()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- Locks the tier's row also where the mark is low enough already: tend_tier cannot see this key before it is committed, and
  -- must not raise the mark until then.
  insert into private.api_key_tiers as t (user_id, priority, low_water_count, low_water_id)
  -- guard: a key that joins keeps the low-water mark from being raised past it
  -- without: select new.user_id, new.priority, new.usage_count, new.id
  -- without: where not exists (
  -- without: select from private.api_key_tiers low where low.user_id = new.user_id and low.priority = new.priority
  -- without: and (low.low_water_count, low.low_water_id) <= (new.usage_count, new.id)
  -- without: )
  values (new.user_id, new.priority, new.usage_count, new.id)
  -- end
  on conflict (user_id, priority) do update
  set low_water_count = excluded.low_water_count, low_water_id = excluded.low_water_id
  -- guard: a key that joins lowers the low-water mark
  -- without: where false;
  where (excluded.low_water_count, excluded.low_water_id) < (t.low_water_count, t.low_water_id);
  -- end
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.pool_availability (
  user_id   uuid,
  provider  text,
  live_kids text[],
  exclude   uuid[]
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  at constant timestamptz := clock_timestamp();
  pool record;
begin
  select
    count(*) filter (
      where k.is_usable
        and k.ready_at <= at
        -- guard: exclude: not counted as available
        and k.id <> all (pool_availability.exclude)
        -- end
    ) as ready,
    count(*) filter (where k.is_usable and k.ready_at > at) as cooling_down,
    count(*) filter (where not k.is_usable) as disabled,
    min(k.ready_at) filter (where k.is_usable and k.ready_at > at and isfinite(k.ready_at)) as soonest
  into pool
  from (
    -- A key sealed to a pair that is not live counts as disabled.
    select
      k.id,
      k.ready_at,
      k.is_active and k.unusable_reason is null and k.sealed_kid = any (pool_availability.live_kids) as is_usable
    from public.user_api_keys k
    where k.user_id = pool_availability.user_id
      and (pool_availability.provider is null or k.provider is null or k.provider = pool_availability.provider)
  ) k;
  if pool.ready > 0 then
    return null;
  end if;
  return jsonb_build_object(
    'leased', false,
    'retry', false,
    'cooling_down', pool.cooling_down,
    'disabled', pool.disabled,
    'retry_after', case when pool.soonest is not null then greatest(1, ceil(extract(epoch from pool.soonest - at))) end,
    'other_providers', case
      -- guard: unknown provider: not where a key is disabled or cools
      -- without: when pool_availability.provider is null
      when pool.cooling_down + pool.disabled = 0 and pool_availability.provider is not null
      -- end
      then (
        select (array_agg(distinct k.provider order by k.provider))[1:100]
        from public.user_api_keys k
        where k.user_id = pool_availability.user_id
      )
    end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.release_lease (
  user_id  uuid,
  lease_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  lease public.api_key_usage_log;
begin
  -- The key row is locked before the log row, as everywhere. The log row decides: a second release finds no lease.
  perform from public.user_api_keys k
  where k.id = (
    select l.user_api_key_id
    from public.api_key_usage_log l
    where l.id = release_lease.lease_id and l.user_id = release_lease.user_id
  )
  for no key update;
  delete from public.api_key_usage_log l
  -- guard: a release is for the caller's own lease
  -- without: where l.id = release_lease.lease_id and l.outcome is null and l.issued_at is not null
  -- guard: a release does not read all open leases
  -- without: where l.id = release_lease.lease_id and l.user_id = release_lease.user_id and l.reported_at is null and l.issued_at is not null
  where l.id = release_lease.lease_id and l.user_id = release_lease.user_id and l.outcome is null and l.issued_at is not null
  -- end
  -- end
  returning l.* into lease;

  update public.user_api_keys k
  -- guard: a release gives the count back
  -- without: set usage_count = k.usage_count
  set usage_count = greatest(k.usage_count - 1, 0)
  -- end
  where k.id = lease.user_api_key_id;
  -- A ciphertext that was replaced in between is left alone: nobody has tried it.
  update public.user_api_keys k
  set unusable_reason = 'the sealed text cannot be opened: seal the key again for this user_id',
    unusable_since = clock_timestamp()
  -- guard: a release flags only the ciphertext that was tried
  -- without: where k.id = lease.user_api_key_id and k.unusable_reason is null;
  where k.id = lease.user_api_key_id and k.generation = lease.key_generation and k.unusable_reason is null;
  -- end
end;
$function$;

CREATE OR REPLACE FUNCTION private.restore_api_key_health()
  RETURNS TRIGGER
  LANGUAGE plpgsql
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

CREATE OR REPLACE FUNCTION private.tend_tier (
  user_id      uuid,
  priority     integer,
  only_expired boolean DEFAULT false
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  batch constant integer := 64;
  -- Taken before anything is read: a cooldown that is not visible below is newer.
  at constant timestamptz := clock_timestamp();
  expired integer;
begin
  -- Mostly there are none: then nobody waits for this call who makes a key ready.
  if tend_tier.only_expired then
    perform from public.user_api_keys k
    where k.user_id = tend_tier.user_id and k.priority = tend_tier.priority and not k.is_ready and k.ready_at <= at
    order by k.ready_at
    limit 1;
    if not found then
      return;
    end if;
  end if;
  -- Whoever makes a key ready holds this lock until the commit, so that the queries below see all ready keys.
  perform from private.api_key_tiers t
  where t.user_id = tend_tier.user_id and t.priority = tend_tier.priority
  -- guard: a tier that somebody tends is not waited for
  -- without: for no key update;
  for no key update skip locked;
  -- end
  if not found then
    return;
  end if;

  -- Without the advisory lock of a key: a caller that waits for that lock must not keep the key from becoming ready.
  update public.user_api_keys k
  set cooling_until = null
  where k.id in (
    select over.id
    from public.user_api_keys over
    where over.user_id = tend_tier.user_id
      and over.priority = tend_tier.priority
      and not over.is_ready
      and over.ready_at <= at
    order by over.ready_at
    limit batch
    for no key update skip locked
  );
  get diagnostics expired = row_count;

  update private.api_key_tiers t
  set low_water_count = front.usage_count,
    low_water_id = front.id,
    next_expiry_check_at = case
      -- There are more. An eighth of the time goes into them; in the rest callers take the keys that are ready.
      when expired = batch then at + 8 * (clock_timestamp() - at)
      else least(
        -- guard: the next expiry check is half a second ahead at most
        -- without: at + interval '1 day',
        at + interval '0.5 s',
        -- end
        (
          select k.ready_at
          from public.user_api_keys k
          where k.user_id = tend_tier.user_id and k.priority = tend_tier.priority and not k.is_ready
          -- guard: the next expiry check is not after the end of the earliest cooldown
          -- without: order by k.ready_at desc
          order by k.ready_at
          -- end
          limit 1
        )
      )
    end
  from private.api_key_tiers mark
  cross join lateral (
    select k.usage_count, k.id
    from public.user_api_keys k
    where k.user_id = mark.user_id
      and k.priority = mark.priority
      and k.is_ready
      and (k.usage_count, k.id) >= (mark.low_water_count, mark.low_water_id)
    order by k.usage_count, k.id
    limit 1
  ) front
  where mark.user_id = tend_tier.user_id
    and mark.priority = tend_tier.priority
    and t.user_id = mark.user_id
    and t.priority = mark.priority;
end;
$function$;

CREATE OR REPLACE FUNCTION private.user_api_keys_after_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'INSERT' then
    insert into public.api_key_health (user_api_key_id) values (new.id);
  elsif new.generation > old.generation then
    update public.api_key_health h
    -- guard: a replaced or re-enabled key starts with clean health
    -- without: set
    set blocked_until = null,
      consecutive_failures = 0,
    -- end
      last_failure_at = null
    where h.user_api_key_id = new.id;
  end if;
  if not new.is_active and old.is_active is distinct from false then
    -- set-key-state overwrites this with its own reason in the same transaction.
    update public.api_key_health h
    set reason = 'disabled_by_operator', reason_code = null, reason_since = clock_timestamp(), reason_log_id = null
    where h.user_api_key_id = new.id;
  end if;
  return null;
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
  enabled constant boolean := new.is_active and not old.is_active;
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
  if lease_api_key.user_id is null or lease_api_key.token_hash is not null then
    select c.pool_user_id, c.agent_id into lease_api_key.user_id, agent_id
    from private.key_caller(lease_api_key.token_hash, lease_api_key.user_id) c;
  end if;
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

CREATE OR REPLACE FUNCTION public.reenable_keys (
  user_id  uuid,
  provider text,
  since    timestamp with time zone
)
  RETURNS TABLE (
    user_api_key_id uuid,
    key_name        text,
    disabled_at     timestamp with time zone,
    reason_code     text
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  locked_ids uuid[];
begin
  -- Locked in a fixed order before they are looked at: what somebody enables meanwhile is left alone.
  locked_ids := array(
    select k.id
    from public.user_api_keys k
    -- guard: reenable: of one pool
    -- without: where true
    where k.user_id = reenable_keys.user_id
    -- end
      -- guard: reenable: of one provider
      and (reenable_keys.provider is null or k.provider = reenable_keys.provider)
      -- end
      and not k.is_active
    order by k.id
    for no key update
  );
  return query
  update public.user_api_keys k
  set is_active = true
  from public.api_key_health h
  where k.id = any (locked_ids)
    and h.user_api_key_id = k.id
    -- guard: reenable: what operators disabled stays so
    and h.reason = 'invalid_key'
    -- end
    -- guard: reenable: since a moment
    -- without: and true
    and h.reason_since >= reenable_keys.since
    -- end
  returning k.id, k.key_name, h.reason_since, h.reason_code;
end;
$function$;

CREATE INDEX user_api_keys_cooling_idx ON public.user_api_keys USING btree (user_id, priority, ready_at)
  WHERE (NOT is_ready);

CREATE TRIGGER api_key_health_restore_on_truncate
  AFTER TRUNCATE ON public.api_key_health
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.restore_api_key_health();

CREATE TRIGGER user_api_keys_20_before_write
  BEFORE INSERT OR UPDATE OF id,
    user_id, key_name, api_key_encrypted, priority, PROVIDER, is_active, generation, cooling_until, unusable_reason, unusable_since ON public.user_api_keys
  FOR EACH ROW
  EXECUTE FUNCTION private.user_api_keys_before_write();

CREATE TRIGGER user_api_keys_50_after_write
  AFTER INSERT OR UPDATE OF api_key_encrypted, is_active, user_id ON public.user_api_keys
  FOR EACH ROW
  EXECUTE FUNCTION private.user_api_keys_after_write();

COMMENT ON FUNCTION "private"."lease_batch"(uuid, uuid, integer, text, text[], integer) IS 'Makes so many leases of one tier for a caller that has locked a ready key of it: of the least used keys that no other transaction has locked.';

COMMENT ON FUNCTION "private"."pool_availability"(uuid, text, text[], uuid[]) IS 'Looks at a whole pool without locks: null when a key is available that is not excluded; otherwise what lease_api_key answers: counts, when the first key will be ready, and for an unknown provider those of the pool, the first hundred.';

COMMENT ON FUNCTION "private"."tend_tier"(uuid, integer, boolean) IS 'Makes keys ready whose cooldown is over, the earliest end first; moves the low-water mark up to the first ready key; postpones the next expiry check. Does nothing while another transaction holds the tier, or with only_expired when there are none. Never waits.';

COMMENT ON FUNCTION "private"."user_api_keys_after_write"() IS 'Makes the health row of a new key, and carries an operator''s edit of a key over to it.';

COMMENT ON FUNCTION "private"."user_api_keys_before_write"() IS 'Refuses unsealed text, without repeating it, by PT422; keeps generation, count and block copy true under any edit of a key row.';

REVOKE ALL ON FUNCTION "private"."lease_batch"(uuid, uuid, integer, text, text[], integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."lease_batch"(uuid, uuid, integer, text, text[], integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."pool_availability"(uuid, text, text[], uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pool_availability"(uuid, text, text[], uuid[]) TO "service_role";

REVOKE ALL ON FUNCTION "private"."tend_tier"(uuid, integer, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tend_tier"(uuid, integer, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."user_api_keys_after_write"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."user_api_keys_before_write"() FROM PUBLIC;
