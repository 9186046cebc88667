create function public.lease_api_key(
  token_hash text default null,
  user_id uuid default null,
  provider text default null,
  live_kids text[] default '{}',
  release_lease_id uuid default null,
  attempt integer default 0,
  calls integer default 1,
  exclude uuid[] default '{}'
)
returns jsonb
language plpgsql
volatile
security invoker
set search_path = ''
-- After a pool has grown, each call would plan again, which takes longer than the call itself.
set plan_cache_mode = 'force_generic_plan'
-- A plan made while a table was small reads the whole table, or sorts a whole tier, and is kept while the table grows. These
-- settings hold for the functions called from here, too.
-- guard: a lease reads no whole table
set enable_seqscan = off
-- end
-- guard: a lease reads no tier to sort it
set enable_sort = off
-- end
-- Shorter than deadlock_timeout: a call that waits in a cycle ends with 55P03 before the deadlock detector runs.
set lock_timeout = '600ms'
as $$
declare
  agent_id uuid;
  at timestamptz := clock_timestamp();
  above bigint;
  tier_priority integer;
  -- Whether this round looks for expired cooldowns of the tier, and whether there may be any.
  checks_expiry boolean;
  may_be_expired boolean;
  check_anyway boolean := false;
  -- The cooldowns of tiers from this priority up have been expired already.
  expired_from integer;
  expired integer;
  -- Where the search starts, and the tier's low-water mark when the search starts somewhere else.
  start_count bigint;
  start_id uuid;
  low_water_id uuid;
  chosen_id uuid;
  chosen_generation integer;
  misses integer;
  lease_id uuid;
  leased_at timestamptz;
  answer jsonb;
begin
  if lease_api_key.user_id is null or lease_api_key.token_hash is not null or lease_api_key.release_lease_id is not null then
    -- From here on user_id is the owner of the pool.
    if lease_api_key.user_id is null or lease_api_key.token_hash is not null then
      select c.pool_user_id, c.agent_id into lease_api_key.user_id, agent_id
      from private.key_caller(lease_api_key.token_hash, lease_api_key.user_id) c;
    end if;
    if lease_api_key.release_lease_id is not null then
      perform private.release_lease(lease_api_key.user_id, lease_api_key.release_lease_id);
    end if;
  end if;

  <<look>>
  loop
    above := 2147483648;
    loop
      -- Several small statements: starting one large joined statement takes longer than all of them.
      select t.priority, t.low_water_count, t.low_water_id, null::uuid, t.next_expiry_check_at <= at or check_anyway, true
      into tier_priority, start_count, start_id, low_water_id, checks_expiry, may_be_expired
      from private.api_key_tiers t
      where t.user_id = lease_api_key.user_id and t.priority < above
      order by t.priority desc
      limit 1;
      exit when not found;

      -- Expired cooldowns are cleared first. When very many end at once, one caller in eight clears a larger batch and the
      -- others take a key that is ready. Odd attempts skip this step: it may lock rows without changing them, and a call
      -- that holds a lock must not wait for another.
      -- guard: a retry waits for a key with an expired cooldown instead of trying to expire it again
      -- without: if checks_expiry and (expired_from is null or tier_priority < expired_from) then
      if checks_expiry and lease_api_key.attempt % 2 = 0 and (expired_from is null or tier_priority < expired_from) then
      -- end
        -- The mark again, as it was when the keys were counted.
        -- guard: a key whose cooldown is being expired is counted, or not below the mark
        -- without: select start_count, start_id, e.keys into start_count, start_id, expired
        select e.low_water_count, e.low_water_id, e.keys into start_count, start_id, expired
        -- end
        from private.expired_cooldowns(lease_api_key.user_id, tier_priority, at) e;
        if expired = 0 then
          may_be_expired := false;
        -- guard: expired cooldowns are cleared before the choice
        -- without: elsif random() < 0.125 then
        elsif expired < 65 or random() < 0.125 then
        -- end
          expired_from := tier_priority;
          perform private.expire_cooldowns(
            lease_api_key.user_id, tier_priority, at, case when expired < 65 then 64 else 256 end
          );
          continue look;
        end if;
      end if;

      -- The tier's first key in the documented order that is not locked. The first caller of a pool starts at the low-water
      -- mark. Callers that come while it works start at a random place, or each would step over the keys that all others have
      -- locked. A retry starts at the mark, so that it misses no free key.
      -- guard: a retry starts at the low-water mark
      -- without: if not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.uuid_hash_extended(lease_api_key.user_id, 1))
      if lease_api_key.attempt = 0
        and not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.uuid_hash_extended(lease_api_key.user_id, 1))
      -- end
      then
        low_water_id := start_id;
        start_id := gen_random_uuid();
        start_count := start_count + (start_id < low_water_id)::integer;
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
      exit look when found;

      -- All are locked, or there are none. Pick one to wait for, at a random place so that callers spread over the keys; wrap
      -- once to the low-water mark.
      if low_water_id is null then
        low_water_id := start_id;
        start_id := gen_random_uuid();
      end if;
      loop
        select k.id into chosen_id
        from public.user_api_keys k
        where k.user_id = lease_api_key.user_id
          and k.priority = tier_priority
          and k.is_ready
          and (k.usage_count, k.id) >= (start_count, start_id)
          and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
          and k.sealed_kid = any (lease_api_key.live_kids)
          -- guard: exclude: a key that is held
          and k.id <> all (lease_api_key.exclude)
          -- end
        order by k.usage_count, k.id
        limit 1;
        -- guard: a search from a random place wraps to the low-water mark
        -- without: exit;
        exit when found or low_water_id is null;
        -- end
        -- The mark's own count: the random start may have raised it by one. One too low does no harm.
        start_count := start_count - 1;
        start_id := low_water_id;
        low_water_id := null;
      end loop;
      if chosen_id is null and not checks_expiry then
        -- This tier again, with a look for expired cooldowns: a lower tier is never served before that.
        -- guard: a tier without a ready key is checked for expired cooldowns, whenever the next check is
        check_anyway := true;
        continue;
        -- end
      end if;
      -- guard: a key that another caller has just made ready is not passed over
      -- without: if false then
      if chosen_id is null and may_be_expired then
      -- end
        chosen_id := private.eligible_key(
          lease_api_key.user_id, tier_priority, tier_priority, lease_api_key.provider, lease_api_key.live_kids,
          lease_api_key.exclude, at
        );
      end if;
      above := tier_priority;
      -- guard: a locked key is not none
      -- without: return jsonb_build_object('leased', false, 'retry', false, 'cooling_down', 0, 'disabled', 0);
      continue when chosen_id is null;
      -- end

      -- Wait for it: a lower tier is never served instead. A call that holds a row lock (its transaction has an id then) must
      -- not wait for another row, or two of them would wait for each other. It may hold locks without a change of its own: a
      -- row that was ready when found and no longer when locked stays locked.
      -- guard: a caller that holds a row does not wait for another key
      -- without: if false then
      if pg_catalog.pg_current_xact_id_if_assigned() is not null then
      -- end
        return jsonb_build_object('leased', false, 'retry', true);
      end if;
      chosen_generation := private.wait_for_key(
        chosen_id, lease_api_key.user_id, tier_priority, lease_api_key.provider, lease_api_key.live_kids, lease_api_key.exclude
      );
      if chosen_generation is null then
        return jsonb_build_object('leased', false, 'retry', true);
      end if;
      exit look;
    end loop;

    -- No tier had a key: the answer comes from one look at the whole pool.
    at := clock_timestamp();
    answer := private.pool_availability(
      lease_api_key.user_id, lease_api_key.provider, lease_api_key.live_kids, lease_api_key.exclude, at
    );
    -- guard: exclude: better than none
    -- without: if false then
    if answer is not null and lease_api_key.exclude <> '{}' then
    -- end
      -- No other key is left: an excluded key is better than none.
      lease_api_key.exclude := '{}';
      continue look;
    elsif answer is not null then
      return answer;
    end if;
    -- A key is ready that no tier led to: it has just become ready, or its row came in without its triggers.
    misses := coalesce(misses, 0) + 1;
    if misses > 1 then
      -- guard: tiers that do not lead to a ready key are rebuilt
      perform private.rebuild_tiers(lease_api_key.user_id);
      -- end
    end if;
    if misses > 100 then
      raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "the tiers of the pool keep changing"}';
    end if;
    expired_from := null;
  end loop;

  if lease_api_key.calls > 1 then
    answer := private.lease_batch(
      lease_api_key.user_id, agent_id, tier_priority, lease_api_key.provider, lease_api_key.live_kids, chosen_id,
      lease_api_key.calls
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
    perform private.raise_low_water_mark(lease_api_key.user_id, tier_priority);
  end if;
  return answer;
end;
$$;
comment on function public.lease_api_key is
  'Leases one eligible key of the caller''s pool, or says why there is none and in how many seconds there will be one. retry: keys are locked by other calls and this call must not wait for them; call again with attempt raised by one. For the function get-active-key. With calls above 1 an array of so many leases; an answer without a key is for all of them. Keys of exclude are passed over unless nothing else is left; other_providers: those of the pool, when it has none of the one asked for. Raises PT401 invalid_credential, PT503 unavailable, and 55P03 when a lock was waited for too long: nothing was done, call again.';
revoke execute on function public.lease_api_key from public, anon, authenticated, service_role;
grant execute on function public.lease_api_key to service_role;
