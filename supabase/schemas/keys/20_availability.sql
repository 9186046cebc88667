create function private.pool_availability(user_id uuid, provider text, live_kids text[], exclude uuid[], model text)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  at constant timestamptz := clock_timestamp();
  pool record;
begin
  select
    count(*) filter (
      where k.is_usable
        and k.free_at <= at
        and k.id <> all (pool_availability.exclude)
    ) as ready,
    count(*) filter (where k.is_usable and k.ready_at > at) as cooling_down,
    count(*) filter (where k.is_usable and k.ready_at <= at and k.free_at > at) as limited,
    count(*) filter (where not k.is_usable) as disabled,
    min(k.free_at) filter (where k.is_usable and k.free_at > at and isfinite(k.free_at)) as soonest
  into pool
  from (
    -- A key that is sealed to a pair outside live_kids is counted as disabled, because no function can open it.
    select
      k.id,
      k.ready_at,
      -- The second argument is null when no model was requested or the key is not limited for it; greatest() ignores null.
      greatest(
        k.ready_at,
        case when pool_availability.model is not null then k.limited_until[array_position(k.limited_models, pool_availability.model)] end
      ) as free_at,
      k.is_active and k.unusable_reason is null and k.sealed_kid = any (pool_availability.live_kids) as is_usable
    from public.user_api_keys k
    where k.user_id = pool_availability.user_id
      and (pool_availability.provider is null or k.provider is null or k.provider = pool_availability.provider)
    -- offset 0 keeps the planner from merging this subquery into the outer query, which would compute free_at again in each filter.
    offset 0
  ) k;
  if pool.ready > 0 then
    return null;
  end if;
  return jsonb_build_object(
    'kind', 'none',
    'cooling_down', pool.cooling_down,
    'limited', pool.limited,
    'disabled', pool.disabled,
    'retry_after', case when pool.soonest is not null then greatest(1, ceil(extract(epoch from pool.soonest - at))) end,
    'other_providers', case
      when pool.cooling_down + pool.limited + pool.disabled = 0 and pool_availability.provider is not null
      then (
        select (array_agg(distinct k.provider order by k.provider))[1:100]
        from public.user_api_keys k
        where k.user_id = pool_availability.user_id
      )
    end
  );
end;
$$;
comment on function private.pool_availability is 'Reads all keys of a pool that serve a provider, without locks. Returns null when a key outside exclude can be leased for the model. Otherwise returns the answer of lease_api_key with the kind none: the numbers of keys that are cooling_down, limited (blocked for the model alone) or disabled, and retry_after, the seconds until the first key is free. When the pool has no key for the provider, other_providers has the first 100 providers of the pool.';
revoke execute on function private.pool_availability from public, anon, authenticated, service_role;
grant execute on function private.pool_availability to service_role;
