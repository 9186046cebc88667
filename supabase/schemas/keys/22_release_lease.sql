create function private.release_lease(user_id uuid, lease_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  key_id uuid;
  lease public.api_key_usage_log;
begin
  select l.user_api_key_id into key_id
  from public.api_key_usage_log l
  where l.id = release_lease.lease_id and l.user_id = release_lease.user_id;

  -- In turn with the reports, which hold the health row until they are committed. The row decides: the same void twice finds
  -- no lease the second time.
  -- guard: settled: a void takes its turn with the reports
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(key_id, 0));
  -- end
  perform from public.user_api_keys k where k.id = key_id for no key update;
  delete from public.api_key_usage_log l
  -- guard: a void is for the caller's own lease
  -- without: where l.id = release_lease.lease_id and l.reported_at is null and l.issued_at is not null
  -- guard: who takes a lease back does not walk through all open leases
  -- without: where l.id = release_lease.lease_id and l.user_id = release_lease.user_id and l.reported_at is null and l.issued_at is not null
  where l.id = release_lease.lease_id and l.user_id = release_lease.user_id and l.outcome is null and l.issued_at is not null
  -- end
  -- end
  returning l.* into lease;
  if not found then
    return;
  end if;

  update public.user_api_keys k
  -- guard: a void gives the count back
  -- without: set usage_count = k.usage_count
  set usage_count = greatest(k.usage_count - 1, 0)
  -- end
  where k.id = key_id;
  -- A ciphertext replaced in between is another one: nothing is known of it.
  perform from public.user_api_keys k
  -- guard: a void flags only the ciphertext that was tried
  -- without: where k.id = key_id and true and k.unusable_reason is null;
  -- guard: settled: what is flagged already needs no health row
  -- without: where k.id = key_id and k.generation = lease.key_generation ;
  where k.id = key_id and k.generation = lease.key_generation and k.unusable_reason is null;
  -- end
  -- end
  if not found then
    return;
  end if;
  -- Flagging writes the health row, too, for which an operator must not be waited for while the key is held.
  -- guard: settled: a void does not wait for the health row
  -- without: perform from public.api_key_health h where h.user_api_key_id = key_id for no key update;
  perform from public.api_key_health h where h.user_api_key_id = key_id for no key update skip locked;
  -- end
  if not found then
    raise exception using errcode = 'lock_not_available', message = 'lock_conflict';
  end if;
  update public.user_api_keys k
  set unusable_reason = 'the sealed text cannot be opened: seal the key again for this user_id',
    unusable_since = clock_timestamp()
  where k.id = key_id;
end;
$$;
comment on function private.release_lease is 'Takes a lease back whose key could not be opened: the count falls, the key is flagged until its ciphertext changes.';
revoke execute on function private.release_lease from public, anon, authenticated, service_role;
grant execute on function private.release_lease to service_role;
