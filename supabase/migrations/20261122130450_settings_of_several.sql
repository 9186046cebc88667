-- Hand-outs that are made together, with the keys' settings.

create or replace function private.lease_several(
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
-- Beside lease_api_key's: a plan from when there were few keys joins their whole index with the few that are wanted.
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  from_count bigint;
  from_id uuid;
  lease_ids uuid[];
  key_ids uuid[];
  times timestamptz[];
  answers jsonb;
begin
  select t.floor_count, t.floor_id into from_count, from_id
  from private.api_key_tiers t
  where t.user_id = lease_several.user_id and t.priority = lease_several.priority;

  with others as (
    select k.id, k.usage_count, k.generation
    from public.user_api_keys k
    where k.user_id = lease_several.user_id
      and k.priority = lease_several.priority
      and k.is_ready
      and (k.usage_count, k.id) >= (from_count, from_id)
      and (lease_several.provider is null or k.provider is null or k.provider = lease_several.provider)
      and k.sealed_kid = any (lease_several.live_kids)
      and k.id <> lease_several.first_id
    order by k.usage_count, k.id
    limit lease_several.calls - 1
    for no key update skip locked
  ),
  held as (
    select o.id, o.usage_count, o.generation from others o
    union all
    select k.id, k.usage_count, k.generation from public.user_api_keys k where k.id = lease_several.first_id
  ),
  -- As one call after the other would take them: always the least used, which is one more after its turn.
  turns as (
    select h.id, h.generation
    from held h, pg_catalog.generate_series(0, lease_several.calls - 1) more
    order by h.usage_count + more, h.id
    limit lease_several.calls
  ),
  leases as (
    insert into public.api_key_usage_log (user_api_key_id, user_id, agent_id, key_generation, issued_at)
    select t.id, lease_several.user_id, lease_several.agent_id, t.generation, clock_timestamp()
    from turns t
    returning id, user_api_key_id, issued_at
  )
  select array_agg(l.id), array_agg(l.user_api_key_id), array_agg(l.issued_at)
  into lease_ids, key_ids, times
  from leases l;

  with counted as (
    update public.user_api_keys k
    set usage_count = k.usage_count + turns.number
    from (select u.key_id, count(*) as number from unnest(key_ids) u (key_id) group by u.key_id) turns
    where k.id = turns.key_id
    returning k.id, k.user_id, k.key_name, k.provider, k.api_key_encrypted, k.generation, k.priority, k.settings
  )
  select jsonb_agg(
    jsonb_build_object(
      'leased', true,
      'lease_id', l.id,
      'key_id', c.id,
      'user_id', c.user_id,
      'key_name', c.key_name,
      'provider', c.provider,
      'api_key_encrypted', c.api_key_encrypted,
      'generation', c.generation,
      'priority', c.priority,
      'leased_at', l.at,
      'settings', c.settings
    )
    order by l.place
  )
  into answers
  from unnest(lease_ids, key_ids, times) with ordinality l (id, key_id, at, place)
  join counted c on c.id = l.key_id;
  return answers;
end;
$$;
