-- For operators after an alert: enables the keys that reports have disabled since a given time.
create function public.reenable_keys(user_id uuid, provider text, since timestamptz)
returns table (user_api_key_id uuid, key_name text, disabled_at timestamptz, reason_code text)
language plpgsql
volatile
security invoker
set search_path = ''
as $$
declare
  locked_ids uuid[];
begin
  -- Locks the keys in the order of their ids, and before reading why they are disabled. A key that somebody enables meanwhile is
  -- left out.
  locked_ids := array(
    select k.id
    from public.user_api_keys k
    where k.user_id = reenable_keys.user_id
      and (reenable_keys.provider is null or k.provider = reenable_keys.provider)
      and not k.is_active
    order by k.id
    for no key update
  );
  return query
  update public.user_api_keys k
  set is_active = true
  from public.api_key_health h
  where k.id = any (locked_ids)
    and h.user_api_key_id = k.id
    -- A key that an operator disabled stays disabled.
    and h.reason = 'invalid_key'
    and h.reason_since >= reenable_keys.since
  returning k.id, k.key_name, h.reason_since, h.reason_code;
end;
$$;
comment on function public.reenable_keys is 'For operators: enables the keys of a pool that reports have disabled since a given time, and returns these keys. provider limits this to the keys of one provider; null: all keys. Keys that operators disabled stay disabled.';
revoke execute on function public.reenable_keys from public, anon, authenticated, service_role;
grant execute on function public.reenable_keys to service_role;
