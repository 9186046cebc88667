create function private.has_better_key(
  user_id uuid,
  priority integer,
  provider text,
  live_kids text[],
  exclude uuid[],
  at timestamptz
)
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
          and (k.usage_count, k.id) >= (t.low_water_count, t.low_water_id)
          and (has_better_key.provider is null or k.provider is null or k.provider = has_better_key.provider)
          and k.sealed_kid = any (has_better_key.live_kids)
          -- guard: exclude: a better key that is ready
          and k.id <> all (has_better_key.exclude)
          -- end
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
          -- guard: exclude: a better key that is asleep
          and k.id <> all (has_better_key.exclude)
          -- end
        order by k.cooling_until
        limit 1
      )
    ) better
    where t.user_id = has_better_key.user_id and t.priority > has_better_key.priority
  );
end;
$$;
comment on function private.has_better_key is 'Tells whether a tier above this one has an eligible key that is not excluded.';
revoke execute on function private.has_better_key from public, anon, authenticated, service_role;
grant execute on function private.has_better_key to service_role;

create function private.pool_availability(
  user_id uuid,
  provider text,
  live_kids text[],
  exclude uuid[],
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
      filter (
        where k.ready_at <= pool_availability.at
          and k.sealed_kid = any (pool_availability.live_kids)
          -- guard: exclude: is not looked for when the pool is surveyed
          and k.id <> all (pool_availability.exclude)
          -- end
      ))[1],
    count(*) filter (
      where k.ready_at > pool_availability.at and k.is_active and k.unusable_reason is null and k.sealed_kid = any (pool_availability.live_kids)
    ),
    count(*) filter (
      where not k.is_active or k.unusable_reason is not null or not k.sealed_kid = any (pool_availability.live_kids)
    ),
    min(k.ready_at) filter (
      where k.ready_at > pool_availability.at and isfinite(k.ready_at) and k.sealed_kid = any (pool_availability.live_kids)
    )
  from public.user_api_keys k
  where k.user_id = pool_availability.user_id
    and (pool_availability.provider is null or k.provider is null or k.provider = pool_availability.provider);
$$;
comment on function private.pool_availability is 'Looks without locking: the first key that is ready and not excluded, and what the others wait for. A key sealed to a pair that is not live counts as disabled.';
revoke execute on function private.pool_availability from public, anon, authenticated, service_role;
grant execute on function private.pool_availability to service_role;

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
