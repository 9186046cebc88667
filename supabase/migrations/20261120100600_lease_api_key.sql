-- get-active-key: one key of the caller's pool, counted and logged in the transaction that takes it.

create function private.take_free_key(user_id uuid, provider text, live_kids text[], at timestamptz)
returns public.user_api_keys
language plpgsql
volatile
set search_path = ''
as $$
declare
  taken public.user_api_keys;
begin
  -- A locked row is passed over, but only inside the best tier: a lower one is never served instead.
  -- Under READ COMMITTED a row that changed since the snapshot is checked again before it is taken.
  update public.user_api_keys k
  set usage_count = k.usage_count + 1
  where k.id = (
    select free.id
    from public.user_api_keys free
    where free.user_id = take_free_key.user_id
      and free.ready_at <= take_free_key.at
      and (take_free_key.provider is null or free.provider is null or free.provider = take_free_key.provider)
      and free.sealed_kid = any (take_free_key.live_kids)
      and free.priority = (
        select best.priority
        from public.user_api_keys best
        where best.user_id = take_free_key.user_id
          and best.ready_at <= take_free_key.at
          and (take_free_key.provider is null or best.provider is null or best.provider = take_free_key.provider)
          and best.sealed_kid = any (take_free_key.live_kids)
        order by best.priority desc
        limit 1
      )
    order by free.usage_count, free.id
    limit 1
    for no key update skip locked
  )
  returning k.* into taken;
  return taken;
end;
$$;
comment on function private.take_free_key is 'Counts up and returns the first unlocked key of the best tier, without waiting; null when every key of that tier is locked or none is eligible.';
revoke execute on function private.take_free_key from public, anon, authenticated, service_role;
grant execute on function private.take_free_key to service_role;

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

  -- Key row first, as everywhere; the same void twice finds no lease the second time.
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
set lock_timeout = '3s'
as $$
declare
  caller record;
  at timestamptz;
  taken public.user_api_keys;
  pool record;
  lease record;
begin
  select c.pool_user_id, c.agent_id into caller
  from private.key_caller(lease_api_key.token_hash, lease_api_key.user_id) c;

  if lease_api_key.void_lease_id is not null then
    perform private.void_lease(caller.pool_user_id, lease_api_key.void_lease_id);
  end if;

  loop
    at := clock_timestamp();
    taken := private.take_free_key(caller.pool_user_id, lease_api_key.provider, lease_api_key.live_kids, at);
    exit when taken.id is not null;

    -- Locked for a moment is not "none": look without locking, and only believe what that says.
    select s.* into pool
    from private.survey_pool(caller.pool_user_id, lease_api_key.provider, lease_api_key.live_kids, at) s;
    if pool.first_ready is null then
      return jsonb_build_object(
        'leased', false,
        'ask_again', false,
        'cooling_down', pool.cooling_down,
        'disabled', pool.disabled,
        'retry_after', case when pool.soonest is not null then greatest(1, ceil(extract(epoch from pool.soonest - at))) end
      );
    end if;

    -- A caller that holds a key must not wait for another one: two of them would deadlock.
    if lease_api_key.void_lease_id is not null then
      return jsonb_build_object('leased', false, 'ask_again', true);
    end if;

    -- Wait for the first in order, then look at everything anew: it may be blocked by now, or a better one
    -- free. If neither it nor another can be taken, give the lock back before waiting again.
    begin
      perform from public.user_api_keys k where k.id = pool.first_ready for no key update;
      taken := private.take_free_key(caller.pool_user_id, lease_api_key.provider, lease_api_key.live_kids, clock_timestamp());
      if taken.id is null then
        raise exception using errcode = 'KH001', message = 'look again';
      end if;
    exception
      when sqlstate 'KH001' then null;
      when lock_not_available then
        raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "a key row stayed locked"}';
    end;
    exit when taken.id is not null;
  end loop;

  insert into public.api_key_usage_log (user_api_key_id, user_id, agent_id, key_generation, issued_at)
  values (taken.id, taken.user_id, caller.agent_id, taken.generation, clock_timestamp())
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
