-- get-active-key: one key of the caller's pool, counted and logged in the transaction that takes it.
--
-- Callers and reports take a key's advisory lock (the hash of its id) before its row. Trying one costs a tenth of trying
-- a locked row, and waiting for one is a plain queue. Truth is the row lock all the same: it is what edits take.

create function private.has_better_key(user_id uuid, priority integer, provider text, live_kids text[], at timestamptz)
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
        limit 1
      )
    ) better
    where t.user_id = has_better_key.user_id and t.priority > has_better_key.priority
  );
end;
$$;
comment on function private.has_better_key is 'Tells whether a tier above this one has an eligible key.';
revoke execute on function private.has_better_key from public, anon, authenticated, service_role;
grant execute on function private.has_better_key to service_role;

create function private.survey_pool(
  user_id uuid,
  provider text,
  live_kids text[],
  at timestamptz,
  out first_ready uuid,
  out cooling_down bigint,
  out disabled bigint,
  out soonest timestamptz
)
language sql
stable
set search_path = ''
as $$
  select
    (array_agg(k.id order by k.priority desc, k.usage_count, k.id)
      filter (where k.ready_at <= survey_pool.at and k.sealed_kid = any (survey_pool.live_kids)))[1],
    count(*) filter (
      where k.ready_at > survey_pool.at and k.is_active and k.unusable_reason is null and k.sealed_kid = any (survey_pool.live_kids)
    ),
    count(*) filter (
      where not k.is_active or k.unusable_reason is not null or not k.sealed_kid = any (survey_pool.live_kids)
    ),
    min(k.ready_at) filter (
      where k.ready_at > survey_pool.at and isfinite(k.ready_at) and k.sealed_kid = any (survey_pool.live_kids)
    )
  from public.user_api_keys k
  where k.user_id = survey_pool.user_id
    and (survey_pool.provider is null or k.provider is null or k.provider = survey_pool.provider);
$$;
comment on function private.survey_pool is 'Looks without locking: the first key that is ready, and what the others wait for. A key sealed to a pair that is not live counts as disabled.';
revoke execute on function private.survey_pool from public, anon, authenticated, service_role;
grant execute on function private.survey_pool to service_role;

create function private.void_lease(user_id uuid, lease_id uuid)
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

  -- Key first, as everywhere; the same void twice finds no lease the second time.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(key_id, 0));
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
comment on function private.void_lease is 'Takes a lease back whose key could not be opened: the count falls, the key is flagged until its ciphertext changes.';
revoke execute on function private.void_lease from public, anon, authenticated, service_role;
grant execute on function private.void_lease to service_role;

create function public.lease_api_key(
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
as $$
declare
  pool_user_id uuid := lease_api_key.user_id;
  agent_id uuid;
  started constant timestamptz := clock_timestamp();
  at timestamptz;
  tier record;
  over integer;
  top_priority integer;
  misses integer := 0;
  taken record;
  waited_for uuid;
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
    at := clock_timestamp();
    for tier in
      select t.priority, t.floor_count, t.floor_id
      from private.api_key_tiers t
      where t.user_id = pool_user_id
      order by t.priority desc
    loop
      top_priority := greatest(top_priority, tier.priority);
      -- Keys whose block is over become ready. When very many come back at once, one caller in eight wakes a
      -- large batch and the others take what is ready.
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
        limit 65
      ) found_over;
      if over between 1 and 64 or (over > 64 and random() < 0.125) then
        if private.wake_keys(pool_user_id, tier.priority, at, case when over > 64 then 512 else 64 end) > 0 then
          -- Their counts may be lower than the floor that was read.
          select t.priority, t.floor_count, t.floor_id into tier
          from private.api_key_tiers t
          where t.user_id = pool_user_id and t.priority = tier.priority;
        end if;
      end if;

      -- The first key that nobody holds. Under READ COMMITTED a row that changed since the snapshot is checked again.
      update public.user_api_keys k
      set usage_count = k.usage_count + 1
      where k.id = (
        select free.id
        from public.user_api_keys free
        where free.user_id = pool_user_id
          and free.priority = tier.priority
          and free.is_ready
          and (free.usage_count, free.id) >= (tier.floor_count, tier.floor_id)
          and (lease_api_key.provider is null or free.provider is null or free.provider = lease_api_key.provider)
          and free.sealed_kid = any (lease_api_key.live_kids)
          and pg_catalog.pg_try_advisory_xact_lock(pg_catalog.uuid_hash_extended(free.id, 0))
        order by free.usage_count, free.id
        limit 1
        for no key update skip locked
      )
      returning k.id, k.user_id, k.key_name, k.provider, k.api_key_encrypted, k.generation, k.priority into taken;
      exit look when found;

      -- Nothing taken: are there keys of this tier that are only locked? Then one of them is waited for, any one,
      -- so that callers spread over the keys. A lower tier is never served instead.
      select locked.id into waited_for
      from (
        (
          select k.id
          from public.user_api_keys k
          where k.user_id = pool_user_id
            and k.priority = tier.priority
            and k.is_ready
            and (k.usage_count, k.id) >= (tier.floor_count, tier.floor_id)
            and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
            and k.sealed_kid = any (lease_api_key.live_kids)
          order by k.usage_count, k.id
          limit 64
        )
        union all
        (
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
          limit 64
        )
      ) locked
      order by random()
      limit 1;
      continue when waited_for is null;

      -- A caller that holds a key must not wait for another one: two of them would deadlock.
      if lease_api_key.void_lease_id is not null then
        return jsonb_build_object('leased', false, 'ask_again', true);
      end if;
      if clock_timestamp() > started + interval '3 seconds' then
        raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "every key stayed locked"}';
      end if;
      begin
        -- Shorter than deadlock_timeout: whoever waits in a circle gives way before that, and looks anew.
        perform set_config('lock_timeout', '500ms', true);
        perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(waited_for, 0));
        update public.user_api_keys k
        set usage_count = k.usage_count + 1
        where k.id = waited_for and k.is_ready
        returning k.id, k.user_id, k.key_name, k.provider, k.api_key_encrypted, k.generation, k.priority into taken;
        if not found or (
          tier.priority < top_priority
          and private.has_better_key(pool_user_id, tier.priority, lease_api_key.provider, lease_api_key.live_kids, clock_timestamp())
        ) then
          -- Things changed while it was waited for: give its lock back before looking anew.
          raise exception using errcode = 'KH001', message = 'look again';
        end if;
      exception
        when sqlstate 'KH001' or lock_not_available then
          continue look;
      end;
      exit look;
    end loop;

    -- No tier had any: look at the whole pool, and only believe what that says.
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
    if clock_timestamp() > started + interval '3 seconds' then
      raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "the tiers do not settle"}';
    end if;
    if misses > 0 then
      perform private.rebuild_tiers(pool_user_id);
    end if;
    misses := misses + 1;
  end loop;

  -- Now and then the floor is raised to the first key that is still there. Never waits.
  if random() < 0.03125 then
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
comment on function public.lease_api_key is 'Hands out one eligible key of the caller''s pool, or says why there is none and in how many seconds there will be; ask_again after a void means that the next key was only locked. For the function get-active-key. Raises PT401 invalid_credential, PT503 unavailable.';
revoke execute on function public.lease_api_key from public, anon, authenticated, service_role;
grant execute on function public.lease_api_key to service_role;
