-- Steps of lease_api_key that few calls need.
create function private.expired_cooldowns(
  user_id uuid, priority integer, at timestamptz, out low_water_count bigint, out low_water_id uuid, out keys integer
)
language plpgsql
stable
set search_path = ''
as $$
begin
  -- Both in one snapshot: a key made ready meanwhile is either still counted here, or not below this mark.
  select t.low_water_count, t.low_water_id, expired.keys into low_water_count, low_water_id, keys
  from private.api_key_tiers t,
    lateral (
      select count(*) as keys
      from (
        select
        from public.user_api_keys k
        where k.user_id = t.user_id
          and k.priority = t.priority
          and k.is_active
          and k.unusable_reason is null
          and k.cooling_until <= expired_cooldowns.at
        order by k.cooling_until
        limit 65
      ) each_expired
    ) expired
  where t.user_id = expired_cooldowns.user_id and t.priority = expired_cooldowns.priority;
end;
$$;
comment on function private.expired_cooldowns is 'How many keys of a tier have an expired cooldown, 65 at most, and the tier''s low-water mark at that moment.';
revoke execute on function private.expired_cooldowns from public, anon, authenticated, service_role;
grant execute on function private.expired_cooldowns to service_role;

create function private.wait_for_key(
  key_id uuid, user_id uuid, priority integer, provider text, live_kids text[], exclude uuid[]
)
returns integer
language plpgsql
volatile
set search_path = ''
as $$
declare
  generation integer;
  is_ready boolean;
begin
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(wait_for_key.key_id, 0));
  select k.generation, k.is_ready into generation, is_ready
  from public.user_api_keys k
  where k.id = wait_for_key.key_id
    -- guard: re-check after waiting: the owner
    and k.user_id = wait_for_key.user_id
    -- end
    -- guard: re-check after waiting: the tier
    and k.priority = wait_for_key.priority
    -- end
    -- guard: re-check after waiting: the provider
    and (wait_for_key.provider is null or k.provider is null or k.provider = wait_for_key.provider)
    -- end
    -- guard: re-check after waiting: the sealed text
    and k.sealed_kid = any (wait_for_key.live_kids)
    -- end
  for no key update;
  if not found
    -- guard: re-check after waiting: the key
    or not is_ready
    -- end
    -- guard: re-check after waiting: a better tier
    -- without: or false and exists (
    or exists (
    -- end
      select
      from private.api_key_tiers t
      where t.user_id = wait_for_key.user_id and t.priority > wait_for_key.priority
    ) and private.eligible_key(
      wait_for_key.user_id, wait_for_key.priority::bigint + 1, 2147483647, wait_for_key.provider, wait_for_key.live_kids,
      wait_for_key.exclude, clock_timestamp()
    ) is not null
  then
    -- Something changed while this call waited, or the key's cooldown has to be expired first.
    return null;
  end if;
  return generation;
end;
$$;
comment on function private.wait_for_key is 'Waits for a key that another transaction has locked, then checks again whether it may be leased: its generation, or null when it may not.';
revoke execute on function private.wait_for_key from public, anon, authenticated, service_role;
grant execute on function private.wait_for_key to service_role;
