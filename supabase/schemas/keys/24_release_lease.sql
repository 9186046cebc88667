create function private.release_lease(user_id uuid, lease_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  lease public.api_key_usage_log;
  provider text;
begin
  -- Locks the key row before the log row, as all code does. Of two calls that release the same lease, only the one that deletes the
  -- log row changes the key; the other finds no row.
  perform from public.user_api_keys k
  where k.id = (
    select l.user_api_key_id
    from public.api_key_usage_log l
    where l.id = release_lease.lease_id and l.user_id = release_lease.user_id
  )
  for no key update;
  delete from public.api_key_usage_log l
  where l.id = release_lease.lease_id and l.user_id = release_lease.user_id and l.outcome is null and l.issued_at is not null
  returning l.* into lease;

  update public.user_api_keys k
  set usage_count = greatest(k.usage_count - 1, 0)
  where k.id = lease.user_api_key_id;
  -- A ciphertext that was replaced after the lease is not marked as unusable, because nobody has tried to open it.
  update public.user_api_keys k
  set unusable_reason = 'the sealed text cannot be opened, or is not of the key of its fingerprint: seal the key again for this user_id',
    unusable_since = clock_timestamp()
  where k.id = lease.user_api_key_id and k.generation = lease.key_generation and k.unusable_reason is null
  returning k.provider into provider;
  if found then
    perform private.alert_once(lease.user_id, provider, 'key_unopenable', lease.user_api_key_id, '{}', 0);
  end if;
end;
$$;
comment on function private.release_lease is 'Withdraws a lease whose sealed text could not be opened: deletes the log row of the lease and lowers usage_count by one. Unless the ciphertext was replaced meanwhile, also sets unusable_reason, so that the key is not leased until its ciphertext or owner changes, and writes a key_unopenable alert.';
revoke execute on function private.release_lease from public, anon, authenticated, service_role;
grant execute on function private.release_lease to service_role;
