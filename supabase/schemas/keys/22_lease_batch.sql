create function private.lease_batch(
  user_id uuid,
  agent_id uuid,
  priority integer,
  provider text,
  live_kids text[],
  first_id uuid,
  calls integer
)
returns jsonb
language plpgsql
volatile
set search_path = ''
-- In addition to the settings of lease_api_key: a plan from when there were few keys joins their whole index with the few wanted.
-- guard: batch: keys are found by index, one by one
set enable_hashjoin = off
set enable_mergejoin = off
-- end
as $$
declare
  from_count bigint;
  from_id uuid;
  lease_ids uuid[];
  key_ids uuid[];
  times timestamptz[];
  answers jsonb;
begin
  select t.low_water_count, t.low_water_id into from_count, from_id
  from private.api_key_tiers t
  where t.user_id = lease_batch.user_id and t.priority = lease_batch.priority;

  with others as (
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
      and (k.usage_count, k.id) >= (from_count, from_id)
      -- guard: batch: the provider counts for all
      -- without: and true
      and (lease_batch.provider is null or k.provider is null or k.provider = lease_batch.provider)
      -- end
      -- guard: batch: a key of a pair that is not live is left out
      and k.sealed_kid = any (lease_batch.live_kids)
      -- end
      -- guard: batch: the first key is counted once
      and k.id <> lease_batch.first_id
      -- end
    order by k.usage_count, k.id
    limit lease_batch.calls - 1
    -- guard: batch: a caller that holds a key waits for no other
    -- without: for no key update
    for no key update skip locked
    -- end
  ),
  held as (
    select o.id, o.usage_count, o.generation from others o
    union all
    select k.id, k.usage_count, k.generation from public.user_api_keys k where k.id = lease_batch.first_id
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
  )
  select array_agg(l.id), array_agg(l.user_api_key_id), array_agg(l.issued_at)
  into lease_ids, key_ids, times
  from leases l;

  with counted as (
    update private.key_leases k
    -- guard: batch: a key's count rises by all its leases
    -- without: set usage_count = k.usage_count + 1
    set usage_count = k.usage_count + turns.number
    -- end
    from (select u.key_id, count(*) as number from unnest(key_ids) u (key_id) group by u.key_id) turns
    where k.id = turns.key_id
    returning k.id, k.lease
  )
  select jsonb_agg(k.lease || jsonb_build_object('lease_id', l.id, 'leased_at', l.at) order by l.place)
  into answers
  from unnest(lease_ids, key_ids, times) with ordinality l (id, key_id, at, place)
  join counted k on k.id = l.key_id;
  return answers;
end;
$$;
comment on function private.lease_batch is
  'Makes so many leases of one tier for a caller that holds the lock of its first key: of that key and of others that are not locked, the least used first.';
revoke execute on function private.lease_batch from public, anon, authenticated, service_role;
grant execute on function private.lease_batch to service_role;

