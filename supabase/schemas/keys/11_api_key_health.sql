-- Each row is the health of one key: its block, its failures and the reason for its state. Operators reset blocked_until and
-- consecutive_failures. The other columns explain the state to operators, and the rules of set-key-state read some of them.
-- All code locks the key row first and then the health row. Only an operator's reset locks them in the other order: the UPDATE
-- locks the health row, then its trigger locks the key row. Code that holds a key row must therefore never wait for a health row.
create table public.api_key_health (
  user_api_key_id uuid not null,
  blocked_until timestamptz,
  consecutive_failures integer not null default 0,
  rate_blocked_until timestamptz,
  reason text,
  reason_code text,
  reason_since timestamptz,
  reason_log_id uuid,
  last_failure_at timestamptz,
  recent_server_errors timestamptz[] not null default '{}',
  last_reported_at timestamptz,
  last_outcome text,
  last_error_code text,
  last_effect text,
  constraint api_key_health_pkey primary key (user_api_key_id),
  constraint api_key_health_user_api_key_id_fkey foreign key (user_api_key_id) references public.user_api_keys (id) on delete cascade,
  constraint api_key_health_consecutive_failures_check check (consecutive_failures between 0 and 1000000000)
)
-- Fillfactor 50 keeps half of each page free. No index covers the columns that a report changes, so a new version of a row that
-- finds space on the same page needs no index entry, and the next report on that page removes the old version without vacuum.
with (
  fillfactor = 50,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_analyze_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.2
);
comment on table public.api_key_health is 'The health of each key, one row per key, inserted together with the key. Reset a block with: update api_key_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ...';
comment on column public.api_key_health.blocked_until is 'The key cools down while this is later than now; null: no cooldown.';
comment on column public.api_key_health.consecutive_failures is 'Number n of rate and quota blocks in a row, without a success between them. The cooldown of the nth block is base * 2^(n-1), up to a cap, unless the provider states a wait.';
comment on column public.api_key_health.rate_blocked_until is 'End of the last block by a rate or quota failure. A further such failure on a lease that was issued before this time does not raise consecutive_failures, because it has the same cause as the block.';
comment on column public.api_key_health.reason is 'Why the key is blocked or disabled: an outcome of set-key-state, many_at_once (the breaker), blocked_by_operator or disabled_by_operator.';
comment on column public.api_key_health.reason_code is 'The error code of the report that set reason; null when the report had none or an operator set reason.';
comment on column public.api_key_health.reason_since is 'When the present block began, or when the key was disabled.';
comment on column public.api_key_health.reason_log_id is 'The id of the usage log row of the report that set reason. Not a foreign key. Pruning keeps that log row while the block lasts or the key is disabled.';
comment on column public.api_key_health.last_failure_at is 'Time of the newest failure that blocked or disabled the key. A success on a lease that was not issued after this time is stale.';
comment on column public.api_key_health.recent_server_errors is 'Times of the server errors that were reported without any other report between them and that did not block the key, oldest first. When more of them than the threshold fall within the window (both numbers are in the report), the key cools down.';
comment on column public.api_key_health.last_reported_at is 'Time of the newest report of any outcome. It may be a second too old, because a report that changes nothing updates this column at most once a second while the outcome stays the same, and not while another transaction holds the row.';
alter table public.api_key_health enable row level security;
revoke all on table public.api_key_health from public, anon, authenticated, service_role;
grant select, insert, update, delete on table public.api_key_health to service_role;

create policy api_key_health_service_all on public.api_key_health for all to service_role using (true) with check (true);

-- Gives every new key a health row, so that the documented reset always finds a row. An edit of the key overrides earlier reports:
-- a key that was replaced, enabled or given to another user starts with clean health.
create function private.user_api_keys_after_write()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into public.api_key_health (user_api_key_id) values (new.id);
  elsif new.generation > old.generation then
    update public.api_key_health h
    set blocked_until = null,
      consecutive_failures = 0,
      last_failure_at = null
    where h.user_api_key_id = new.id;
  end if;
  if not new.is_active and old.is_active is distinct from false then
    -- A report that disables a key overwrites disabled_by_operator with its outcome in the same transaction.
    update public.api_key_health h
    set reason = 'disabled_by_operator', reason_code = null, reason_since = clock_timestamp(), reason_log_id = null
    where h.user_api_key_id = new.id;
  end if;
  return null;
end;
$$;
comment on function private.user_api_keys_after_write is 'Inserts the health row of a new key. Clears the block of a key that is replaced, enabled or given away, and stores disabled_by_operator as the reason of a key that is disabled.';
revoke execute on function private.user_api_keys_after_write from public, anon, authenticated, service_role;

create trigger user_api_keys_50_after_write
after insert or update of api_key_encrypted, is_active, user_id on public.user_api_keys
for each row execute function private.user_api_keys_after_write();

create function private.api_key_health_before_update()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
declare
  lengthened constant boolean := new.blocked_until > greatest(old.blocked_until, clock_timestamp());
begin
  if new.user_api_key_id is distinct from old.user_api_key_id then
    raise exception using errcode = 'PT422', message = 'health_row_is_bound', detail = '{"column": "user_api_key_id"}';
  end if;
  if new.blocked_until is null then
    new.rate_blocked_until := null;
    new.recent_server_errors := '{}';
  elsif new.blocked_until is distinct from old.blocked_until then
    -- When an edit moves the block to an earlier end, the rate block ends no later than the block.
    new.rate_blocked_until := least(new.rate_blocked_until, new.blocked_until);
  end if;
  -- The stored reason explains the block before the edit, so a longer block gets a new reason, and a reset block has none.
  if lengthened
    or new.blocked_until is null and (select k.is_active from public.user_api_keys k where k.id = new.user_api_key_id)
  then
    new.reason := case when lengthened then 'blocked_by_operator' end;
    new.reason_code := null;
    new.reason_since := case when lengthened then clock_timestamp() end;
    new.reason_log_id := null;
  end if;
  return new;
end;
$$;
comment on function private.api_key_health_before_update is 'When somebody edits a block by hand, stores blocked_by_operator as the reason of a longer block and clears the reason of a reset block. Raises PT422 health_row_is_bound when the edit would move the row to another key.';
revoke execute on function private.api_key_health_before_update from public, anon, authenticated, service_role;

-- Fires only for edits by hand: a report always changes last_reported_at.
create trigger api_key_health_before_update
before update of blocked_until, user_api_key_id on public.api_key_health
for each row
when (old.last_reported_at is not distinct from new.last_reported_at)
execute function private.api_key_health_before_update();

-- Copies the end of a block to the key row. When an operator moves the end into the past, the copy is null, so that the key is
-- ready at once. Such an edit, like a reset, makes the key ready, and therefore keeps the row of the key's tier locked until the
-- commit.
create function private.copy_block_to_key()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
declare
  -- True when somebody reset this health row itself, at trigger depth 1. At a greater depth, an edit of the key resets the row, and
  -- that edit has already raised the generation.
  reset constant boolean := new.blocked_until is null
    and new.last_reported_at is not distinct from old.last_reported_at
    and pg_trigger_depth() = 1;
  live constant timestamptz := case
    -- A block that an operator moves into the past ends at once. A report copies the end of its block unchanged, even when that
    -- time has passed, because clearing the cooldown would lock the tier of the key.
    when new.blocked_until > clock_timestamp() or new.last_reported_at is distinct from old.last_reported_at
    then new.blocked_until
  end;
begin
  update public.user_api_keys k
  set cooling_until = live, generation = k.generation + reset::integer
  where k.id = new.user_api_key_id
    and (reset or k.cooling_until is distinct from live);
  return null;
end;
$$;
comment on function private.copy_block_to_key is 'Copies blocked_until to user_api_keys.cooling_until, or null when an edit by hand moved blocked_until into the past. When the block was reset by hand, also raises the generation of the key.';
revoke execute on function private.copy_block_to_key from public, anon, authenticated, service_role;

-- Also fires when an operator sets consecutive_failures to 0 for a key without a block, so that this reset raises the generation,
-- too.
create trigger api_key_health_copy_block
after update of blocked_until on public.api_key_health
for each row
when (
  old.blocked_until is distinct from new.blocked_until
  or (new.blocked_until is null and old.consecutive_failures > 0 and new.consecutive_failures = 0
    and old.last_reported_at is not distinct from new.last_reported_at)
)
execute function private.copy_block_to_key();

-- Gives a key a new health row when its health row is deleted by hand, and resets the key. When the health row is deleted because
-- its key was deleted, there is no key to reset and no new row. TRUNCATE, which a dashboard may use to empty a table, fires no row
-- trigger, so a second trigger resets every key.
create function private.restore_api_key_health()
returns trigger
language plpgsql
volatile
-- SECURITY DEFINER, because Auth deletes an account with a role that has no rights on these tables, and the triggers of the cascade
-- run as that role.
security definer
set search_path = ''
as $$
begin
  with reset as (
    update public.user_api_keys k
    set cooling_until = null, generation = k.generation + 1
    where k.id = any (
      case tg_op when 'DELETE' then array[old.user_api_key_id] else array(select every.id from public.user_api_keys every) end
    )
    returning k.id
  )
  insert into public.api_key_health (user_api_key_id)
  -- Gives each key that was reset a new health row.
  select r.id from reset r;
  return null;
end;
$$;
comment on function private.restore_api_key_health is 'Gives a key a new health row and resets the key when its health row is deleted. When the table is truncated, does this for every key.';
revoke execute on function private.restore_api_key_health from public, anon, authenticated, service_role;

create trigger api_key_health_restore_on_delete
after delete on public.api_key_health
for each row execute function private.restore_api_key_health();

create trigger api_key_health_restore_on_truncate
after truncate on public.api_key_health
for each statement execute function private.restore_api_key_health();
