-- Each report read its key, only to learn that nobody had disabled, flagged or edited it since the one before. Now the health row,
-- which a report holds anyway, remembers that, and every edit of that kind makes it forget.

alter table public.api_key_health add column settled_generation integer;
comment on column public.api_key_health.settled_generation is 'Set while a report need not look at the key: it is on, can be opened and has this generation. Null: not known; the next report looks. Forgotten by whatever changes one of these.';

create or replace function private.make_api_key_health()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  insert into public.api_key_health (user_api_key_id, settled_generation, reason, reason_since)
  values (
    new.id,
    case when new.is_active then new.generation end,
    case when not new.is_active then 'disabled_by_operator' end,
    case when not new.is_active then clock_timestamp() end
  );
  return null;
end;
$$;

create or replace function private.user_api_keys_after_update()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  if new.generation > old.generation then
    update public.api_key_health h
    set blocked_until = null,
      consecutive_failures = 0,
      last_failure_at = null,
      reason = case when not new.is_active then h.reason end,
      reason_code = case when not new.is_active then h.reason_code end,
      reason_since = case when not new.is_active then h.reason_since end,
      reason_log_id = case when not new.is_active then h.reason_log_id end
    where h.user_api_key_id = new.id;
  elsif old.is_active and not new.is_active then
    -- set-key-state overwrites this with its own reason in the same transaction.
    update public.api_key_health h
    set settled_generation = null,
      reason = 'disabled_by_operator',
      reason_code = null,
      reason_since = clock_timestamp(),
      reason_log_id = null
    where h.user_api_key_id = new.id;
  elsif new.unusable_reason is not null and old.unusable_reason is null then
    update public.api_key_health h set settled_generation = null where h.user_api_key_id = new.id;
  end if;
  return null;
end;
$$;

drop trigger user_api_keys_after_update on public.user_api_keys;
create trigger user_api_keys_after_update
after update of api_key_encrypted, is_active, user_id, unusable_reason on public.user_api_keys
for each row execute function private.user_api_keys_after_update();

create or replace function private.api_key_health_before_update()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  if new.user_api_key_id is distinct from old.user_api_key_id then
    raise exception using errcode = 'PT422', message = 'health_row_is_bound', detail = '{"column": "user_api_key_id"}';
  end if;
  if new.blocked_until is null then
    -- A reset, or a key that was replaced, enabled or given away: it is of a new generation.
    new.settled_generation := null;
    new.rate_blocked_until := null;
    new.recent_server_errors := '{}';
    if (select k.is_active from public.user_api_keys k where k.id = new.user_api_key_id) then
      new.reason := null;
      new.reason_code := null;
      new.reason_since := null;
      new.reason_log_id := null;
    end if;
  elsif new.blocked_until is distinct from old.blocked_until then
    -- Moved by hand: the end of the rate block moves along, never past the block itself.
    new.rate_blocked_until := least(new.rate_blocked_until, new.blocked_until);
    if new.blocked_until > coalesce(old.blocked_until, '-infinity') and new.blocked_until > clock_timestamp() then
      new.reason := 'blocked_by_operator';
      new.reason_code := null;
      new.reason_since := clock_timestamp();
      new.reason_log_id := null;
    end if;
  end if;
  return new;
end;
$$;

-- Whoever sets it, a report or an edit by hand: it says what is true, or nothing. The health row is held by then, so that an edit
-- of the key which is not committed yet makes it forget afterwards.
create function private.settle_generation()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  new.settled_generation := (
    select k.generation
    from public.user_api_keys k
    where k.id = new.user_api_key_id and k.is_active and k.unusable_reason is null
  );
  return new;
end;
$$;
comment on function private.settle_generation is 'Takes what settled_generation says from the key.';
revoke execute on function private.settle_generation from public, anon, authenticated, service_role;

create trigger api_key_health_settle_generation
before update of settled_generation on public.api_key_health
for each row
when (new.settled_generation is not null and new.settled_generation is distinct from old.settled_generation)
execute function private.settle_generation();

-- A key that cannot be opened is flagged: its health row has to forget.
create or replace function private.void_lease(user_id uuid, lease_id uuid)
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
  where l.id = void_lease.lease_id and l.user_id = void_lease.user_id;

  -- In turn with the reports, which hold the health row until they are committed. The row decides: the same void twice finds
  -- no lease the second time.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(key_id, 0));
  perform from public.user_api_keys k where k.id = key_id for no key update;
  delete from public.api_key_usage_log l
  where l.id = void_lease.lease_id and l.user_id = void_lease.user_id and l.outcome is null and l.issued_at is not null
  returning l.* into lease;
  if not found then
    return;
  end if;

  update public.user_api_keys k
  set usage_count = greatest(k.usage_count - 1, 0)
  where k.id = key_id;
  -- A ciphertext replaced in between is another one: nothing is known of it.
  perform from public.user_api_keys k
  where k.id = key_id and k.generation = lease.key_generation and k.unusable_reason is null;
  if not found then
    return;
  end if;
  -- Flagging writes the health row, too, for which an operator must not be waited for while the key is held.
  perform from public.api_key_health h where h.user_api_key_id = key_id for no key update skip locked;
  if not found then
    raise exception using errcode = 'lock_not_available', message = 'give way';
  end if;
  update public.user_api_keys k
  set unusable_reason = 'the sealed text cannot be opened: seal the key again for this user_id',
    unusable_since = clock_timestamp()
  where k.id = key_id;
end;
$$;
