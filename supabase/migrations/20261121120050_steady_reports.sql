-- Most reports move nothing: a success on a key in good health, or one more failure of an outage that is known. Each of them read
-- its lease, locked the health row, read the key and decided, each a statement, before it wrote. Now the writing of such a report
-- is its own test: both rows are updated if nothing moves, and otherwise the report goes on to what weighs every case, as before.

create or replace function public.report_api_key(
  outcome text,
  rule text,
  token_hash text default null,
  user_id uuid default null,
  lease_id uuid default null,
  key_id uuid default null,
  error_code text default null,
  base_seconds double precision default null,
  cap_seconds double precision default null,
  jitter double precision default 0,
  hint_seconds double precision default null,
  hint_at timestamptz default null,
  hint_cap_seconds double precision default null,
  tolerated integer default null,
  window_seconds double precision default null,
  forget_seconds double precision default null
)
returns jsonb
language plpgsql
volatile
security invoker
set search_path = ''
-- Statistics of a small table must not make each call plan anew.
set plan_cache_mode = 'force_generic_plan'
-- A plan from when a table was small reads it from end to end, and a session keeps it while the table grows. The one read
-- that wants an order, of open leases, has an index of that order alone.
set enable_seqscan = off
-- Shorter than deadlock_timeout: a report that waits in a circle gives way before that.
set lock_timeout = '600ms'
as $$
<<report>>
declare
  agent_id uuid;
  key_id uuid;
  key_generation integer;
  issued timestamptz;
  may_be_steady boolean;
  has_written boolean;
  in_turn boolean;
  at timestamptz;
  until timestamptz;
  failures integer;
  effect text;
  state text;
  answer jsonb;
begin
  -- From here on user_id is the owner of the pool.
  if report_api_key.token_hash is not null or report_api_key.user_id is null then
    select c.pool_user_id, c.agent_id into report_api_key.user_id, agent_id
    from private.key_caller(report_api_key.token_hash, report_api_key.user_id) c;
  end if;

  if report_api_key.lease_id is not null then
    select
      l.user_api_key_id,
      l.key_generation,
      l.issued_at,
      l.outcome is null and (
        report_api_key.rule = 'success'
        or report_api_key.rule = 'escalate' and report_api_key.hint_seconds is null and report_api_key.hint_at is null
      ),
      pg_catalog.pg_current_xact_id_if_assigned() is not null
    into report.key_id, key_generation, issued, may_be_steady, has_written
    from public.api_key_usage_log l
    where l.id = report_api_key.lease_id and l.user_id = report_api_key.user_id and l.issued_at is not null;
    if not found or report_api_key.key_id <> report.key_id then
      if report.key_id is null then
        raise exception using errcode = 'PT404', message = 'lease_not_found';
      end if;
      raise exception using errcode = 'PT422', message = 'lease_key_mismatch';
    end if;

    if may_be_steady then
      -- The key's other callers go first: see lease_api_key.
      in_turn := pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(report.key_id, 0)) is not null;
      -- First the health row, which every edit that resets or disables the key writes, too: whoever has it sees all such
      -- edits or none, so that the key need not be locked, only read when the log row is written. An operator who holds it
      -- is not waited for: whoever comes next would wait, too, the row would stay locked when it then met the condition no
      -- longer, and the time could be one from before the wait.
      update public.api_key_health h
      set last_reported_at = clock_timestamp(),
        last_outcome = report_api_key.outcome,
        last_error_code = report_api_key.error_code,
        last_effect = case report_api_key.rule when 'success' then 'none' else 'ignored' end
      where h.user_api_key_id = (
        select steady.user_api_key_id
        from public.api_key_health steady
        where steady.user_api_key_id = report.key_id
          and steady.recent_server_errors = '{}'
          and case report_api_key.rule
            when 'success' then
              steady.consecutive_failures = 0
              and (steady.blocked_until is null or steady.blocked_until <= clock_timestamp())
              and (steady.last_failure_at is null or steady.last_failure_at < issued)
            else issued < steady.rate_blocked_until
          end
        for no key update skip locked
      )
      returning
        h.last_reported_at,
        case when h.blocked_until > h.last_reported_at then h.blocked_until end,
        case when h.blocked_until > h.last_reported_at then 'cooling_down' else 'available' end,
        h.consecutive_failures,
        h.last_effect
      into at, until, state, failures, effect;
      if found then
        update public.api_key_usage_log l
        set reported_at = at,
          outcome = report_api_key.outcome,
          error_code = report_api_key.error_code,
          effect = report.effect,
          state_before = state,
          state_after = state,
          blocked_until = until,
          consecutive_failures = failures
        from public.user_api_keys k
        where l.id = report_api_key.lease_id
          and l.outcome is null
          and k.id = report.key_id
          and k.is_active
          and k.unusable_reason is null
          and k.generation <= report.key_generation
        returning jsonb_build_object(
          'key_id', report.key_id,
          'state', state,
          'blocked_until', until,
          'consecutive_failures', failures,
          'outcome', report_api_key.outcome,
          'effect', report.effect
        ) into answer;
        if found then
          return answer;
        end if;
      end if;
    end if;
  end if;

  return private.settle_report(
    outcome => report_api_key.outcome,
    rule => report_api_key.rule,
    user_id => report_api_key.user_id,
    agent_id => report.agent_id,
    lease_id => report_api_key.lease_id,
    lease_generation => report.key_generation,
    issued => issued,
    key_id => coalesce(report.key_id, report_api_key.key_id),
    has_touched => at is not null,
    may_hold_health => may_be_steady and not has_written,
    error_code => report_api_key.error_code,
    base_seconds => report_api_key.base_seconds,
    cap_seconds => report_api_key.cap_seconds,
    jitter => report_api_key.jitter,
    hint_seconds => report_api_key.hint_seconds,
    hint_at => report_api_key.hint_at,
    hint_cap_seconds => report_api_key.hint_cap_seconds,
    tolerated => report_api_key.tolerated,
    window_seconds => report_api_key.window_seconds,
    forget_seconds => report_api_key.forget_seconds
  );
end;
$$;
