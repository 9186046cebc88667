-- What operators do after an alert: bring back what reports have disabled since a moment.
create function public.reenable_keys(user_id uuid, provider text, since timestamptz)
returns table (user_api_key_id uuid, key_name text, disabled_at timestamptz, reason_code text)
language plpgsql
volatile
security invoker
set search_path = ''
as $$
begin
  -- One by one in a fixed order, each locked before it is looked at: what somebody enables meanwhile is left alone.
  for reenable_keys.user_api_key_id in
    select k.id
    from public.user_api_keys k
    -- guard: reenable: of one pool
    -- without: where true
    where k.user_id = reenable_keys.user_id
    -- end
      -- guard: reenable: of one provider
      and (reenable_keys.provider is null or k.provider = reenable_keys.provider)
      -- end
      and not k.is_active
    order by k.id
  loop
    perform from public.user_api_keys k where k.id = reenable_keys.user_api_key_id for no key update;
    select k.key_name, h.reason_since, h.reason_code
    into reenable_keys.key_name, reenable_keys.disabled_at, reenable_keys.reason_code
    from public.user_api_keys k
    join public.api_key_health h on h.user_api_key_id = k.id
    where k.id = reenable_keys.user_api_key_id
      -- guard: reenable: what operators disabled stays so
      and h.reason = 'invalid_key'
      -- end
      -- guard: reenable: since a moment
      -- without: ;
      and h.reason_since >= reenable_keys.since;
      -- end
    if found then
      update public.user_api_keys k set is_active = true where k.id = reenable_keys.user_api_key_id;
      return next;
    end if;
  end loop;
end;
$$;
comment on function public.reenable_keys is 'Enables the keys of a pool that reports have disabled since a moment, of one provider or (null) of all, and returns them. What operators disabled stays so. For operators.';
revoke execute on function public.reenable_keys from public, anon, authenticated, service_role;
grant execute on function public.reenable_keys to service_role;
