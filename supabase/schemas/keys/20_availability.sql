create function private.eligible_key(
  user_id uuid,
  lowest bigint,
  highest bigint,
  provider text,
  live_kids text[],
  exclude uuid[],
  at timestamptz
)
returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  -- In one look: a key that somebody is waking is either over in it, or not below its tier's mark.
  return (
    select eligible.id
    from private.api_key_tiers t
    cross join lateral (
      (
        select k.id
        from public.user_api_keys k
        where k.user_id = t.user_id
          and k.priority = t.priority
          and k.is_ready
          and (k.usage_count, k.id) >= (t.low_water_count, t.low_water_id)
          and (eligible_key.provider is null or k.provider is null or k.provider = eligible_key.provider)
          and k.sealed_kid = any (eligible_key.live_kids)
          -- guard: exclude: an eligible key that is ready
          and k.id <> all (eligible_key.exclude)
          -- end
        limit 1
      )
      union all
      (
        select k.id
        from public.user_api_keys k
        where k.user_id = t.user_id
          and k.priority = t.priority
          and not k.is_ready
          and k.is_active
          and k.unusable_reason is null
          and k.cooling_until <= eligible_key.at
          and (eligible_key.provider is null or k.provider is null or k.provider = eligible_key.provider)
          and k.sealed_kid = any (eligible_key.live_kids)
          -- guard: exclude: an eligible key with an expired cooldown
          and k.id <> all (eligible_key.exclude)
          -- end
        order by k.cooling_until
        limit 1
      )
    ) eligible
    where t.user_id = eligible_key.user_id and t.priority between eligible_key.lowest and eligible_key.highest
    limit 1
  );
end;
$$;
comment on function private.eligible_key is 'A key of the tiers from lowest to highest that is ready or has an expired cooldown, and is not excluded, locked or not; null when there is none.';
revoke execute on function private.eligible_key from public, anon, authenticated, service_role;
grant execute on function private.eligible_key to service_role;

create function private.pool_providers(user_id uuid)
returns text[]
language sql
stable
set search_path = ''
as $$
  select (array_agg(distinct k.provider order by k.provider))[1:100]
  from public.user_api_keys k
  where k.user_id = pool_providers.user_id;
$$;
comment on function private.pool_providers is 'The providers of a pool''s keys, the first hundred; null for an empty pool.';
revoke execute on function private.pool_providers from public, anon, authenticated, service_role;
grant execute on function private.pool_providers to service_role;

create function private.pool_availability(user_id uuid, provider text, live_kids text[], exclude uuid[], at timestamptz)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  pool record;
begin
  -- A key sealed to a pair that is not live counts as disabled.
  select
    count(*) filter (
      where k.ready_at <= pool_availability.at
        and k.sealed_kid = any (pool_availability.live_kids)
        -- guard: exclude: not counted as available
        and k.id <> all (pool_availability.exclude)
        -- end
    ) as ready,
    count(*) filter (
      where k.ready_at > pool_availability.at and k.is_active and k.unusable_reason is null and k.sealed_kid = any (pool_availability.live_kids)
    ) as cooling_down,
    count(*) filter (
      where not k.is_active or k.unusable_reason is not null or not k.sealed_kid = any (pool_availability.live_kids)
    ) as disabled,
    min(k.ready_at) filter (
      where k.ready_at > pool_availability.at and isfinite(k.ready_at) and k.sealed_kid = any (pool_availability.live_kids)
    ) as soonest
  into pool
  from public.user_api_keys k
  where k.user_id = pool_availability.user_id
    and (pool_availability.provider is null or k.provider is null or k.provider = pool_availability.provider);
  if pool.ready > 0 then
    return null;
  end if;
  return jsonb_build_object(
    'leased', false,
    'retry', false,
    'cooling_down', pool.cooling_down,
    'disabled', pool.disabled,
    'retry_after', case
      when pool.soonest is not null then greatest(1, ceil(extract(epoch from pool.soonest - pool_availability.at)))
    end,
    'other_providers', case
      -- guard: unknown provider: not where a key is disabled or cools
      -- without: when pool_availability.provider is null
      when pool.cooling_down + pool.disabled = 0 and pool_availability.provider is not null
      -- end
      then private.pool_providers(pool_availability.user_id)
    end
  );
end;
$$;
comment on function private.pool_availability is 'Looks at a whole pool without locks: null when a key is available that is not excluded; otherwise what lease_api_key answers: counts, and when the first key will be ready.';
revoke execute on function private.pool_availability from public, anon, authenticated, service_role;
grant execute on function private.pool_availability to service_role;
