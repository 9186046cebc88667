-- The hand-out again, nearer to its limit: it wakes what has come back, looks for a key that nobody holds before it waits
-- for one, and reads a pool from its floor.

create or replace function private.wake_keys(user_id uuid, priority integer, at timestamptz, batch integer)
returns integer
language plpgsql
volatile
set search_path = ''
as $$
declare
  woken integer := 0;
begin
  -- One at a time per tier, and nobody waits for it: whoever comes second takes what is ready.
  perform from private.api_key_tiers t
  where t.user_id = wake_keys.user_id and t.priority = wake_keys.priority
  for no key update skip locked;
  if found then
    -- Without their queue: who has woken a key waits for none, and who waits in it must not keep a key asleep.
    update public.user_api_keys k
    set cooling_until = null
    where k.id in (
      select over.id
      from public.user_api_keys over
      where over.user_id = wake_keys.user_id
        and over.priority = wake_keys.priority
        and not over.is_ready
        and over.is_active
        and over.unusable_reason is null
        and over.cooling_until <= wake_keys.at
      order by over.cooling_until
      limit wake_keys.batch
      for no key update skip locked
    );
    get diagnostics woken = row_count;
  end if;
  return woken;
end;
$$;

create or replace function private.void_lease(user_id uuid, lease_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  key_id uuid;
  lease public.api_key_usage_log;
begin
  select l.user_api_key_id into key_id
  from public.api_key_usage_log l
  where l.id = void_lease.lease_id and l.user_id = void_lease.user_id;

  -- The row decides, without the key's queue, where a report may wait for an operator. The same void twice finds no lease
  -- the second time.
  perform from public.user_api_keys k where k.id = key_id for no key update;
  delete from public.api_key_usage_log l
  where l.id = void_lease.lease_id and l.user_id = void_lease.user_id and l.reported_at is null and l.issued_at is not null
  returning l.* into lease;
  if not found then
    return;
  end if;

  update public.user_api_keys k
  set usage_count = greatest(k.usage_count - 1, 0)
  where k.id = key_id;
  -- A ciphertext replaced in between is another one: nothing is known of it.
  update public.user_api_keys k
  set unusable_reason = 'the sealed text cannot be opened: seal the key again for this user_id',
    unusable_since = clock_timestamp()
  where k.id = key_id and k.generation = lease.key_generation;
end;
$$;

create or replace function private.has_better_key(user_id uuid, priority integer, provider text, live_kids text[], at timestamptz)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (
    select
    from private.api_key_tiers t
    cross join lateral (
      (
        select
        from public.user_api_keys k
        where k.user_id = t.user_id
          and k.priority = t.priority
          and k.is_ready
          and (k.usage_count, k.id) >= (t.floor_count, t.floor_id)
          and (has_better_key.provider is null or k.provider is null or k.provider = has_better_key.provider)
          and k.sealed_kid = any (has_better_key.live_kids)
        limit 1
      )
      union all
      (
        select
        from public.user_api_keys k
        where k.user_id = t.user_id
          and k.priority = t.priority
          and not k.is_ready
          and k.is_active
          and k.unusable_reason is null
          and k.cooling_until <= has_better_key.at
          and (has_better_key.provider is null or k.provider is null or k.provider = has_better_key.provider)
          and k.sealed_kid = any (has_better_key.live_kids)
        order by k.cooling_until
        limit 1
      )
    ) better
    where t.user_id = has_better_key.user_id and t.priority > has_better_key.priority
  );
end;
$$;

create or replace function public.lease_api_key(
  token_hash text default null,
  user_id uuid default null,
  provider text default null,
  live_kids text[] default '{}',
  void_lease_id uuid default null
)
returns jsonb
language plpgsql
volatile
security invoker
set search_path = ''
-- Statistics of a pool that has just grown must not make each call plan anew, which takes longer than the call.
set plan_cache_mode = 'force_generic_plan'
-- Shorter than deadlock_timeout: whoever waits in a circle gives way before that, and looks anew.
set lock_timeout = '500ms'
as $$
declare
  pool_user_id uuid := lease_api_key.user_id;
  agent_id uuid;
  started constant timestamptz := clock_timestamp();
  at timestamptz := started;
  top constant bigint := 2147483648;
  above bigint;
  tier record;
  -- Tiers from here up have been woken; and whether any key was.
  woken_to bigint := top;
  woke boolean := false;
  over integer;
  start_count bigint;
  start_id uuid;
  held_ids uuid[];
  chosen_id uuid;
  waited boolean := false;
  misses integer := 0;
  taken record;
  pool record;
  lease record;
begin
  if lease_api_key.token_hash is not null or lease_api_key.user_id is null then
    select c.pool_user_id, c.agent_id into pool_user_id, agent_id
    from private.key_caller(lease_api_key.token_hash, lease_api_key.user_id) c;
  end if;
  if lease_api_key.void_lease_id is not null then
    perform private.void_lease(pool_user_id, lease_api_key.void_lease_id);
  end if;

  <<look>>
  loop
    above := top;
    loop
      -- Several small statements: starting one that joins them all takes longer than they do.
      select
        t.priority, t.floor_count, t.floor_id,
        coalesce((
          select true
          from public.user_api_keys k
          where k.user_id = t.user_id
            and k.priority = t.priority
            and not k.is_ready
            and k.is_active
            and k.unusable_reason is null
            and k.cooling_until <= at
          -- Only the index on the ends of blocks gives this order: without it the plan may read the whole table.
          order by k.cooling_until
          limit 1
        ), false) as some_are_over
      into tier
      from private.api_key_tiers t
      where t.user_id = pool_user_id and t.priority < above
      order by t.priority desc
      limit 1;
      exit when not found;

      -- Keys whose block is over become ready first. When very many come back at once, one caller in eight wakes a
      -- larger batch and the others take what is ready.
      if tier.some_are_over and tier.priority < woken_to then
        select count(*) into over
        from (
          select
          from public.user_api_keys k
          where k.user_id = pool_user_id
            and k.priority = tier.priority
            and not k.is_ready
            and k.is_active
            and k.unusable_reason is null
            and k.cooling_until <= at
          order by k.cooling_until
          limit 65
        ) found_over;
        if over < 65 or random() < 0.125 then
          woken_to := tier.priority;
          begin
            if private.wake_keys(pool_user_id, tier.priority, at, case when over < 65 then 64 else 256 end) = 0 then
              -- Somebody holds them: let go of the tier.
              raise exception using errcode = 'KH001', message = 'none woken';
            end if;
            woke := true;
          exception
            when sqlstate 'KH001' then
              null;
          end;
          continue look;
        end if;
      end if;

      -- The tier's first key in the documented order that nobody holds. A pool's first caller starts at the floor. Those
      -- that come while it is at work start anywhere, or they would all step over what it and each other hold; who has
      -- waited in vain leaves no free key out.
      start_count := tier.floor_count;
      start_id := tier.floor_id;
      if not waited and not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.uuid_hash_extended(pool_user_id, 1)) then
        start_id := gen_random_uuid();
        start_count := start_count + (start_id < tier.floor_id)::integer;
      end if;
      select k.id into chosen_id
      from public.user_api_keys k
      where k.user_id = pool_user_id
        and k.priority = tier.priority
        and k.is_ready
        and (k.usage_count, k.id) >= (start_count, start_id)
        and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
        and k.sealed_kid = any (lease_api_key.live_kids)
      order by k.usage_count, k.id
      limit 1
      for no key update skip locked;
      if found then
        update public.user_api_keys k
        set usage_count = k.usage_count + 1
        where k.id = chosen_id
        returning k.id, k.user_id, k.key_name, k.provider, k.api_key_encrypted, k.generation, k.priority into taken;
        exit look;
      end if;

      -- None is free: are there keys of this tier that are only held? From the same place on, so that no more is read
      -- than is needed; from the floor when all of them stand before it.
      loop
        held_ids := array(
          select k.id
          from public.user_api_keys k
          where k.user_id = pool_user_id
            and k.priority = tier.priority
            and k.is_ready
            and (k.usage_count, k.id) >= (start_count, start_id)
            and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
            and k.sealed_kid = any (lease_api_key.live_kids)
          order by k.usage_count, k.id
          limit 8
        );
        exit when held_ids <> '{}' or start_id = tier.floor_id;
        start_count := tier.floor_count;
        start_id := tier.floor_id;
      end loop;
      if tier.some_are_over and held_ids = '{}' then
        -- Keys whose block is over and that could not be woken: somebody holds them, too.
        held_ids := array(
          select k.id
          from public.user_api_keys k
          where k.user_id = pool_user_id
            and k.priority = tier.priority
            and not k.is_ready
            and k.is_active
            and k.unusable_reason is null
            and k.cooling_until <= at
            and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
            and k.sealed_kid = any (lease_api_key.live_kids)
          order by k.cooling_until
          limit 1
        );
      end if;
      above := tier.priority;
      continue when held_ids = '{}';

      -- Then one of them is waited for, any one, so that callers spread over the keys. A lower tier is never served
      -- instead. A caller that has changed rows must not wait for another one's: two of them would wait for each other.
      if woke or lease_api_key.void_lease_id is not null then
        return jsonb_build_object('leased', false, 'ask_again', true);
      end if;
      chosen_id := held_ids[1 + floor(random() * cardinality(held_ids))::integer];
      begin
        perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(chosen_id, 0));
        update public.user_api_keys k
        set usage_count = k.usage_count + 1
        where k.id = chosen_id
          and k.user_id = pool_user_id
          and k.priority = tier.priority
          and k.is_ready
          and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
          and k.sealed_kid = any (lease_api_key.live_kids)
        returning k.id, k.user_id, k.key_name, k.provider, k.api_key_encrypted, k.generation, k.priority into taken;
        if not found or private.has_better_key(
          pool_user_id, tier.priority, lease_api_key.provider, lease_api_key.live_kids, clock_timestamp()
        ) then
          -- Things changed while it was waited for: give its lock back before looking anew.
          raise exception using errcode = 'KH001', message = 'look again';
        end if;
        exit look;
      exception
        when sqlstate 'KH001' or lock_not_available then
          at := clock_timestamp();
          waited := true;
          woken_to := top;
          if at > started + interval '3 seconds' then
            raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "every key stayed locked"}';
          end if;
          -- What has changed may need its commit first.
          perform pg_sleep(0.002);
          continue look;
      end;
    end loop;

    -- No tier had any: look at the whole pool, and only believe what that says.
    at := clock_timestamp();
    select s.* into pool
    from private.survey_pool(pool_user_id, lease_api_key.provider, lease_api_key.live_kids, at) s;
    if pool.first_ready is null then
      return jsonb_build_object(
        'leased', false,
        'ask_again', false,
        'cooling_down', pool.cooling_down,
        'disabled', pool.disabled,
        'retry_after', case when pool.soonest is not null then greatest(1, ceil(extract(epoch from pool.soonest - at))) end
      );
    end if;
    -- A key is ready that no tier led to: it has just come back, or its row came in without its triggers.
    if at > started + interval '3 seconds' then
      raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "the tiers do not settle"}';
    end if;
    if misses > 0 then
      perform private.rebuild_tiers(pool_user_id);
    end if;
    misses := misses + 1;
    woken_to := top;
  end loop;

  -- Now and then the floor is raised to the first key that is still there. Never waits.
  if random() < 0.0625 then
    perform private.raise_tier_floor(pool_user_id, tier.priority);
  end if;

  insert into public.api_key_usage_log (user_api_key_id, user_id, agent_id, key_generation, issued_at)
  values (taken.id, taken.user_id, agent_id, taken.generation, clock_timestamp())
  returning id, issued_at into lease;

  return jsonb_build_object(
    'leased', true,
    'lease_id', lease.id,
    'key_id', taken.id,
    'user_id', taken.user_id,
    'key_name', taken.key_name,
    'provider', taken.provider,
    'api_key_encrypted', taken.api_key_encrypted,
    'generation', taken.generation,
    'priority', taken.priority,
    'leased_at', lease.issued_at
  );
end;
$$;
comment on function public.lease_api_key is 'Hands out one eligible key of the caller''s pool, or says why there is none and in how many seconds there will be; ask_again means that the keys are only held by others and that this call, having changed rows, must not wait for them. For the function get-active-key. Raises PT401 invalid_credential, PT503 unavailable.';

-- Beside a pool of a million keys the average pool looks large, and a small one's survey would read the whole table.
alter function private.survey_pool(uuid, text, text[], timestamptz) set enable_seqscan = off;
