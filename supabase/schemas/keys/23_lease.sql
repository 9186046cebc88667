create function public.lease_api_key(
  token_hash text default null,
  user_id uuid default null,
  provider text default null,
  live_kids text[] default '{}',
  release_lease_id uuid default null,
  attempt integer default 0,
  calls integer default 1,
  exclude uuid[] default '{}',
  model text default null
)
returns jsonb
language plpgsql
volatile
security invoker
set search_path = ''
-- Without this setting, each call would plan its queries again after a pool has grown, and planning takes longer than the call
-- itself.
set plan_cache_mode = 'force_generic_plan'
-- Without enable_seqscan and enable_sort off, a query plan made while a table was small would read the whole table, or sort a
-- whole tier, and a session would keep that plan while the table grows. All settings here also apply to the functions that this
-- function calls.
set enable_seqscan = off
set enable_sort = off
set jit = off
-- The timeout is shorter than deadlock_timeout, so that a call that waits in a cycle of locks ends with 55P03 before the deadlock
-- detector runs.
set lock_timeout = '600ms'
as $$
declare
  retry constant jsonb := '{"kind": "retry"}';
  agent_id uuid;
  at timestamptz := clock_timestamp();
  -- The search continues with tiers below this priority. Higher tiers, and a tier with this priority, have no key for this call.
  above bigint := 2147483648;
  tier_priority integer;
  is_due boolean;
  -- The (usage_count, id) where a search of the tier begins: the mark of the tier for the model while that mark is valid, otherwise
  -- the low-water mark of the tier.
  model_mark jsonb;
  mark_count bigint;
  mark_id uuid;
  -- The priority of the tier that this call has refreshed last.
  refreshed integer;
  -- The (usage_count, id) where the current search starts: the mark, a random place, or the key that this call has waited for.
  start_count bigint;
  start_id uuid;
  -- Priority, usage_count and id of the key that this call has waited for and has locked.
  held_priority integer;
  held_count bigint;
  held_id uuid;
  chosen_id uuid;
  chosen_generation integer;
  is_ready boolean;
  -- True when the block of the chosen key for the model is over, but the usage_count of the key is not levelled yet.
  comes_back boolean;
  levelled boolean := false;
  lease_id uuid;
  leased_at timestamptz;
  was_starved boolean;
  answer jsonb;
begin
  -- From here on user_id is the owner of the pool.
  select c.pool_user_id, c.agent_id into lease_api_key.user_id, agent_id
  from private.key_caller(lease_api_key.token_hash, lease_api_key.user_id) c;
  if lease_api_key.release_lease_id is not null then
    perform private.release_lease(lease_api_key.user_id, lease_api_key.release_lease_id);
  end if;

  loop
    -- Uses several small statements, because one large joined statement takes longer to start than all of the small ones take
    -- together.
    select t.priority, t.low_water_count, t.low_water_id, t.next_expiry_check_at <= at, t.model_marks -> lease_api_key.model
    into tier_priority, mark_count, mark_id, is_due, model_mark
    from private.api_key_tiers t
    where t.user_id = lease_api_key.user_id and t.priority < above
    order by t.priority desc
    limit 1;
    if not found then
      -- No tier has a key for this call: one query over the whole pool gives the answer.
      answer := private.pool_availability(
        lease_api_key.user_id, lease_api_key.provider, lease_api_key.live_kids, lease_api_key.exclude, lease_api_key.model
      );
      if answer is not null and lease_api_key.exclude <> '{}' then
        -- No key outside exclude can be leased: searches again with all keys, because an excluded key is better than none.
        lease_api_key.exclude := '{}';
        above := 2147483648;
        continue;
      elsif answer is null and lease_api_key.attempt > 0 then
        -- This is a retry, and the pool still has a ready key that no tier leads to. So the row of the key was inserted without
        -- firing triggers, and the tiers must be rebuilt.
        perform private.rebuild_tiers(lease_api_key.user_id);
      end if;
      if answer is not null then
        perform private.note_starvation(lease_api_key.user_id, lease_api_key.provider, lease_api_key.model, answer);
      end if;
      return coalesce(answer, retry);
    end if;

    -- Clears expired cooldowns before the search. Odd attempts skip this step, so that they may wait for a key: the step locks the
    -- tier, and a call that holds a lock must not wait for a key.
    if is_due and lease_api_key.attempt % 2 = 0 and refreshed is distinct from tier_priority then
      refreshed := tier_priority;
      perform private.refresh_tier(lease_api_key.user_id, tier_priority, only_expired => true);
      continue;
    end if;

    if (model_mark ->> 'until')::timestamptz > at then
      mark_count := model_mark ->> 'count';
      mark_id := model_mark ->> 'id';
    else
      model_mark := null;
    end if;
    -- Takes the first unlocked key of the tier in the order usage_count, id. The first call for a pool starts at the mark. Calls
    -- that arrive before the transaction of the first call ends start at a random place; otherwise each would step over the keys
    -- that all others have locked. A retry starts at the mark, so that it misses no free key.
    start_count := mark_count;
    start_id := mark_id;
    if tier_priority = held_priority then
      start_count := held_count;
      start_id := held_id;
    elsif lease_api_key.attempt = 0
      and not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.uuid_hash_extended(lease_api_key.user_id, 1))
    then
      start_id := gen_random_uuid();
      start_count := start_count + (start_id < mark_id)::integer;
    end if;
    select k.id, k.generation, coalesce(lease_api_key.model = any (k.limited_models), false)
    into chosen_id, chosen_generation, comes_back
    from public.user_api_keys k
    where k.user_id = lease_api_key.user_id
      and k.priority = tier_priority
      and k.is_ready
      and (k.usage_count, k.id) >= (start_count, start_id)
      and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
      -- Leaves out keys that no function can open: those sealed to a pair outside live_kids.
      and k.sealed_kid = any (lease_api_key.live_kids)
      and k.id <> all (lease_api_key.exclude)
      and (lease_api_key.model is null or coalesce(k.limited_until[array_position(k.limited_models, lease_api_key.model)] <= at, true))
    order by k.usage_count, k.id
    limit 1
    for no key update skip locked;
    if found then
      -- The key is locked and may be leased: continues after the loop.
      exit when not comes_back or levelled;
      -- Levels the keys whose block for the model is over, this key among them, and then searches again.
      levelled := true;
      perform private.level_for_model(lease_api_key.user_id, tier_priority, lease_api_key.model, at);
      continue;
    end if;

    -- The search found no unlocked key: either other calls hold the keys, or the tier has no key for this call. Looks for a key to
    -- wait for, beginning at a random place, so that callers wait for different keys.
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
      and (lease_api_key.model is null or coalesce(k.limited_until[array_position(k.limited_models, lease_api_key.model)] <= at, true))
    order by k.usage_count, k.id
    limit 1;
    if not found then
      -- Reads the mark and the keys in one snapshot. A key that another call is making ready is therefore seen either as not ready
      -- with an expired cooldown, or as ready and not below the mark, so this query does not miss it. Picks one of the first 16
      -- keys at random, so that callers spread over them.
      select k.id, k.is_ready into chosen_id, is_ready
      from private.api_key_tiers t
      cross join lateral (
        select case
          when (t.model_marks -> lease_api_key.model ->> 'until')::timestamptz > at then t.model_marks -> lease_api_key.model
        end
      ) mark (model_mark)
      cross join lateral (
        (
          select k.id, k.is_ready
          from public.user_api_keys k
          where k.user_id = t.user_id
            and k.priority = t.priority
            and k.is_ready
            and (k.usage_count, k.id) >= (
              coalesce((mark.model_mark ->> 'count')::bigint, t.low_water_count),
              coalesce((mark.model_mark ->> 'id')::uuid, t.low_water_id)
            )
            and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
            and k.sealed_kid = any (lease_api_key.live_kids)
            and k.id <> all (lease_api_key.exclude)
            and (lease_api_key.model is null or coalesce(k.limited_until[array_position(k.limited_models, lease_api_key.model)] <= at, true))
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
            and k.ready_at <= at
            and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
            and k.sealed_kid = any (lease_api_key.live_kids)
            and k.id <> all (lease_api_key.exclude)
            and (lease_api_key.model is null or coalesce(k.limited_until[array_position(k.limited_models, lease_api_key.model)] <= at, true))
          order by k.ready_at
          limit 1
        )
      ) k
      where t.user_id = lease_api_key.user_id and t.priority = tier_priority
      order by k.is_ready desc, random()
      limit 1;
    end if;
    if not found then
      -- Odd attempts do not raise the mark, so that they may wait for a key: raising it locks the tier.
      if lease_api_key.model is not null and model_mark is null and lease_api_key.attempt % 2 = 0 then
        perform private.raise_model_mark(lease_api_key.user_id, tier_priority, lease_api_key.model);
      end if;
      above := tier_priority;
      continue;
    end if;
    -- A tier without a ready key is checked for expired cooldowns at once, even when its next check is not due yet.
    if not is_ready and lease_api_key.attempt % 2 = 0 and refreshed is distinct from tier_priority then
      refreshed := tier_priority;
      perform private.refresh_tier(lease_api_key.user_id, tier_priority, only_expired => true);
      continue;
    end if;

    -- Waits for the chosen key, because a lower tier must not serve the call instead. A call that holds a row lock (its transaction
    -- then has an id) must not wait for another row, because two such calls could wait for each other. A call may hold a lock
    -- without having changed anything: a key that was ready when the search found it, but not when the search locked it, stays
    -- locked.
    if pg_catalog.pg_current_xact_id_if_assigned() is not null then
      return retry;
    end if;
    perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(chosen_id, 0));
    select k.priority, k.usage_count, k.id into held_priority, held_count, held_id
    from public.user_api_keys k
    where k.id = chosen_id
    for no key update;
    -- Keys or tiers may have changed during the wait. Searches again, as a retry does, from the highest tier on. In the tier of the
    -- locked key, the search starts at that key.
    lease_api_key.attempt := 1;
    at := clock_timestamp();
    above := 2147483648;
  end loop;

  if lease_api_key.calls > 1 then
    answer := private.lease_batch(
      lease_api_key.user_id, agent_id, tier_priority, lease_api_key.provider, lease_api_key.live_kids, lease_api_key.calls,
      lease_api_key.model, mark_count, mark_id, at
    );
    was_starved := exists (select from public.api_key_starvations s where s.user_id = lease_api_key.user_id and s.ended_at is null);
  else
    -- The log row comes first: the update below returns its id and time as part of the lease.
    insert into public.api_key_usage_log (user_api_key_id, user_id, agent_id, key_generation, issued_at, model)
    values (chosen_id, lease_api_key.user_id, agent_id, chosen_generation, clock_timestamp(), lease_api_key.model)
    returning id, issued_at into lease_id, leased_at;

    update private.key_leases k
    set usage_count = k.usage_count + 1
    where k.id = chosen_id
    returning k.lease || jsonb_build_object('lease_id', lease_id, 'leased_at', leased_at, 'model', lease_api_key.model),
      exists (select from public.api_key_starvations s where s.user_id = lease_api_key.user_id and s.ended_at is null)
    into answer, was_starved;
  end if;
  if was_starved then
    perform private.end_starvations(lease_api_key.user_id, chosen_id, lease_api_key.model);
  end if;

  -- On average once in 64 leases, raises the low-water mark and postpones the next expiry check. These calls never wait.
  if random() < 0.015625 * lease_api_key.calls then
    perform private.refresh_tier(lease_api_key.user_id, tier_priority);
    if lease_api_key.model is not null then
      perform private.raise_model_mark(lease_api_key.user_id, tier_priority, lease_api_key.model);
    end if;
  end if;
  return answer;
end;
$$;
comment on function public.lease_api_key is
  'Leases one eligible key of the caller''s pool. For the function get-active-key. The answer has a kind. leased: the lease with its key. none: no key can be leased now; the answer has the numbers of blocked keys by their state and the seconds until a key is free, and, when the pool has no key of the requested provider, other_providers with the providers that it has. retry: other calls have locked the keys and this call must not wait for them, so call again with attempt raised by one. With model, skips keys that are limited for the model. Skips the keys of exclude unless no other key can be leased. With calls above 1, returns an array of that many leases; an answer of the kind none or retry applies to all of these calls. Raises PT401 invalid_credential, and 55P03 when a lock was not granted in time: then nothing was done, so call again.';
revoke execute on function public.lease_api_key from public, anon, authenticated, service_role;
grant execute on function public.lease_api_key to service_role;
