create function private.lease_batch(
  user_id uuid,
  agent_id uuid,
  priority integer,
  provider text,
  live_kids text[],
  calls integer,
  model text,
  start_count bigint,
  start_id uuid,
  at timestamptz
)
returns jsonb
language plpgsql
volatile
set search_path = ''
-- These settings apply in addition to those of lease_api_key. Without them, a session that made its query plan while there were
-- few keys would later join the few leased keys with the whole index of keys.
set enable_hashjoin = off
set enable_mergejoin = off
set enable_material = off
set jit = off
as $$
declare
  answers jsonb;
begin
  with held as (
    select k.id, k.usage_count, k.generation
    from public.user_api_keys k
    where k.user_id = lease_batch.user_id
      and k.priority = lease_batch.priority
      and k.is_ready
      and (k.usage_count, k.id) >= (lease_batch.start_count, lease_batch.start_id)
      and (lease_batch.provider is null or k.provider is null or k.provider = lease_batch.provider)
      and k.sealed_kid = any (lease_batch.live_kids)
      and (lease_batch.model is null or coalesce(k.limited_until[array_position(k.limited_models, lease_batch.model)] <= lease_batch.at, true))
    order by k.usage_count, k.id
    limit lease_batch.calls
    -- Skips locked keys: this transaction already holds the lock of a key, so it must not wait for the lock of another.
    for no key update skip locked
  ),
  -- Chooses the keys that the same number of single calls would lease one after another: each call leases the least used key, whose
  -- usage_count then rises by one.
  turns as (
    select h.id, h.generation
    from held h, pg_catalog.generate_series(0, lease_batch.calls - 1) more
    order by h.usage_count + more, h.id
    limit lease_batch.calls
  ),
  leases as (
    insert into public.api_key_usage_log (user_api_key_id, user_id, agent_id, key_generation, issued_at, model)
    select t.id, lease_batch.user_id, lease_batch.agent_id, t.generation, clock_timestamp(), lease_batch.model
    from turns t
    returning id, user_api_key_id, issued_at
  ),
  counted as (
    update private.key_leases k
    set usage_count = k.usage_count + taken.number
    from (select l.user_api_key_id as id, count(*) as number from leases l group by 1) taken
    where k.id = taken.id
    returning k.id, k.lease
  )
  select jsonb_agg(k.lease || jsonb_build_object('lease_id', l.id, 'leased_at', l.issued_at, 'model', lease_batch.model) order by l.place)
  into answers
  from (select l.*, row_number() over () as place from leases l) l
  join counted k on k.id = l.user_api_key_id;
  return answers;
end;
$$;
comment on function private.lease_batch is
  'Makes the given number of leases (calls) from one tier in one statement and returns them as an array; a key may be leased several times. The caller has already locked a ready key of the tier. Leases the least used keys from (start_count, start_id) on that serve the provider, are free for the model, can be opened with live_kids, and are not locked by another transaction.';
revoke execute on function private.lease_batch from public, anon, authenticated, service_role;
grant execute on function private.lease_batch to service_role;

