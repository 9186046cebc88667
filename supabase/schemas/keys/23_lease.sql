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
-- Statistics of a pool that has just grown must not make each call plan anew, which takes longer than the call.
set plan_cache_mode = 'force_generic_plan'
-- A plan from when a table was small, or of a small pool beside a large one, reads the table from end to end, or a whole
-- tier to sort it, and is kept while it grows. Holds for what is called from here, too.
-- guard: a lease reads no table from end to end
set enable_seqscan = off
-- end
-- guard: a lease reads no tier to sort it
set enable_sort = off
-- end
-- Shorter than deadlock_timeout: whoever waits in a circle gives way before that.
set lock_timeout = '600ms'
as $$
declare
  agent_id uuid;
  at timestamptz := clock_timestamp();
  above bigint;
  tier_priority integer;
  -- Whether this round looks for keys of the tier whose block is over, and whether there may be any.
  looks boolean;
  may_be_over boolean;
  look_anyway boolean := false;
  -- Tiers from here up have been woken.
  woken_to integer;
  over integer;
  -- Where the search starts, and the tier's floor when that is somewhere else.
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
      -- Several small statements: starting one that joins them all takes longer than they do.
      select t.priority, t.low_water_count, t.low_water_id, null::uuid, t.next_expiry_check_at <= at or look_anyway, true
      into tier_priority, start_count, start_id, low_water_id, looks, may_be_over
      from private.api_key_tiers t
      where t.user_id = lease_api_key.user_id and t.priority < above
      order by t.priority desc
      limit 1;
      exit when not found;

      -- Keys whose block is over become ready first. When very many come back at once, one caller in eight wakes a
      -- larger batch and the others take what is ready. Every second attempt leaves them asleep: a try that wakes none
      -- cannot tell afterwards whether the call holds a row, so that it must not wait.
      -- guard: who asks again waits for a key whose block is over, and does not try to wake it for ever
      -- without: if looks and (woken_to is null or tier_priority < woken_to) then
      if looks and lease_api_key.attempt % 2 = 0 and (woken_to is null or tier_priority < woken_to) then
      -- end
        -- The mark once more, as it stood when the keys were counted.
        -- guard: a key that is being woken is over, or not below the floor
        -- without: select start_count, start_id, e.keys into start_count, start_id, over
        select e.low_water_count, e.low_water_id, e.keys into start_count, start_id, over
        -- end
        from private.expired_cooldowns(lease_api_key.user_id, tier_priority, at) e;
        if over = 0 then
          may_be_over := false;
        -- guard: keys whose block is over are woken before the choice
        -- without: elsif random() < 0.125 then
        elsif over < 65 or random() < 0.125 then
        -- end
          woken_to := tier_priority;
          perform private.expire_cooldowns(
            lease_api_key.user_id, tier_priority, at, case when over < 65 then 64 else 256 end
          );
          continue look;
        end if;
      end if;

      -- The tier's first key in the documented order that nobody holds. A pool's first caller starts at the floor. Those
      -- that come while it is at work start anywhere, or they would all step over what it and each other hold; who asks
      -- again leaves no free key out.
      -- guard: who asks again starts at the floor
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

      -- None is free: is there a key of this tier that is only held? Any one, so that callers spread over the keys: from
      -- the same place on, or from anywhere for who started at the floor; from the floor when all of them stand before it.
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
        -- guard: a caller that starts anywhere comes back to the floor
        -- without: exit;
        exit when found or low_water_id is null;
        -- end
        -- Not above the floor, whether the count was raised or not.
        start_count := start_count - 1;
        start_id := low_water_id;
        low_water_id := null;
      end loop;
      if chosen_id is null and not looks then
        -- This tier again: nobody goes on to the next one before it has been looked through.
        -- guard: a tier without a ready key is looked through, whenever the next look is
        look_anyway := true;
        continue;
        -- end
      end if;
      -- guard: a key that somebody else has just woken is not passed over
      -- without: if false then
      if chosen_id is null and may_be_over then
      -- end
        chosen_id := private.eligible_key(
          lease_api_key.user_id, tier_priority, tier_priority, lease_api_key.provider, lease_api_key.live_kids,
          lease_api_key.exclude, at
        );
      end if;
      above := tier_priority;
      -- guard: second look: locked for a moment is not none
      -- without: return jsonb_build_object('leased', false, 'retry', false, 'cooling_down', 0, 'disabled', 0);
      continue when chosen_id is null;
      -- end

      -- Then it is waited for: a lower tier is never served instead. A call that holds a row, which its transaction's id
      -- tells, must not wait for another one's: two of them would wait for each other. Besides what it changed on purpose,
      -- it holds each row that it found ready and that was not when it had locked it.
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

    -- No tier had any: look at the whole pool, and only believe what that says.
    at := clock_timestamp();
    answer := private.pool_availability(
      lease_api_key.user_id, lease_api_key.provider, lease_api_key.live_kids, lease_api_key.exclude, at
    );
    -- guard: exclude: better than none
    -- without: if false then
    if answer is not null and lease_api_key.exclude <> '{}' then
    -- end
      -- Nothing else is left: an excluded key is better than none.
      lease_api_key.exclude := '{}';
      continue look;
    elsif answer is not null then
      return answer;
    end if;
    -- A key is ready that no tier led to: it has just come back, or its row came in without its triggers.
    misses := coalesce(misses, 0) + 1;
    if misses > 1 then
      -- guard: tiers that do not lead to a ready key are rebuilt
      perform private.rebuild_tiers(lease_api_key.user_id);
      -- end
    end if;
    if misses > 100 then
      raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "the tiers do not settle"}';
    end if;
    woken_to := null;
  end loop;

  if lease_api_key.calls > 1 then
    answer := private.lease_batch(
      lease_api_key.user_id, agent_id, tier_priority, lease_api_key.provider, lease_api_key.live_kids, chosen_id,
      lease_api_key.calls
    );
  else
    -- The log row first: its foreign key finds the row locked already, and need not lock the version that follows.
    insert into public.api_key_usage_log (user_api_key_id, user_id, agent_id, key_generation, issued_at)
    values (chosen_id, lease_api_key.user_id, agent_id, chosen_generation, clock_timestamp())
    returning id, issued_at into lease_id, leased_at;

    update public.user_api_keys k
    set usage_count = k.usage_count + 1
    where k.id = chosen_id
    -- As in lease_batch. A function for both took 17 µs more, .03 of a lease.
    returning jsonb_build_object(
      'leased', true, 'lease_id', lease_id, 'key_id', k.id, 'user_id', k.user_id, 'key_name', k.key_name,
      'provider', k.provider, 'api_key_encrypted', k.api_key_encrypted, 'generation', k.generation, 'priority', k.priority,
      'leased_at', leased_at, 'settings', k.settings
    ) into answer;
  end if;

  -- Now and then the floor is raised to the first key that is still there, and the next look put off. Never waits.
  if random() < 0.015625 * lease_api_key.calls then
    perform private.raise_low_water_mark(lease_api_key.user_id, tier_priority);
  end if;
  return answer;
end;
$$;
comment on function public.lease_api_key is
  'Hands out one eligible key of the caller''s pool, or says why there is none and in how many seconds there will be. retry: keys are only held by others, and this call must not or need not wait for them any longer; the next one, with attempt raised by one, does. For the function get-active-key. With calls above 1 an array of so many leases; an answer without a key is for all of them. Keys of exclude are passed over unless nothing else is left; other_providers: those of the pool, when it has none of the one asked for. Raises PT401 invalid_credential, PT503 unavailable, and 55P03 when a lock was waited for too long: nothing was done, ask again.';
revoke execute on function public.lease_api_key from public, anon, authenticated, service_role;
grant execute on function public.lease_api_key to service_role;
