create function public.report_api_key(
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
  error_threshold integer default null,
  window_seconds double precision default null,
  reset_after_seconds double precision default null,
  hint_given boolean default false,
  breaker_most integer default null,
  breaker_window_seconds double precision default null,
  breaker_quiet_seconds double precision default null
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
-- guard: a report reads no table from end to end
set enable_seqscan = off
-- end
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
      -- guard: fast path: a duplicate is told at once
      -- without: not report_api_key.hint_given and (
      -- guard: hint: told also where nothing moves
      -- without: l.outcome is null and (
      l.outcome is null and not report_api_key.hint_given and (
      -- end
      -- end
        report_api_key.rule = 'success'
        -- guard: fast path: a hint is weighed
        -- without: or report_api_key.rule = 'escalate'
        or report_api_key.rule = 'escalate' and report_api_key.hint_seconds is null and report_api_key.hint_at is null
        -- end
      ),
      pg_catalog.pg_current_xact_id_if_assigned() is not null
    into report.key_id, key_generation, issued, may_be_steady, has_written
    from public.api_key_usage_log l
    -- guard: pool test of a lease
    -- without: where l.id = report_api_key.lease_id and l.issued_at is not null;
    where l.id = report_api_key.lease_id and l.user_id = report_api_key.user_id and l.issued_at is not null;
    -- end
    if not found or report_api_key.key_id <> report.key_id then
      if report.key_id is null then
        raise exception using errcode = 'PT404', message = 'lease_not_found';
      end if;
      raise exception using errcode = 'PT422', message = 'lease_key_mismatch';
    end if;

    if may_be_steady then
      -- The key's other callers go first: see lease_api_key.
      in_turn := pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(report.key_id, 0)) is not null;
      -- The health row says all that makes a report steady, of the key as well: every edit that would change it writes this row.
      -- An operator who holds it is not waited for, or whoever comes next would wait, too. Nobody holds a row whose xmax is 0, nor
      -- one that its own maker had locked before; one who takes it at this very moment is waited for once.
      update public.api_key_health h
      set last_reported_at = clock_timestamp(),
        last_outcome = report_api_key.outcome,
        last_error_code = report_api_key.error_code,
        last_effect = case report_api_key.rule when 'success' then 'none' else 'ignored' end
      where h.user_api_key_id = report.key_id
        -- guard: fast path: who holds the health row is not waited for
        -- guard: fast path: a row is free again that its own maker had locked
        -- without: and h.xmax = 0
        and (h.xmax = 0 or h.xmax = h.xmin)
        -- end
        -- end
        -- guard: fast path: not on a lease from before an operator's edit
        -- without: and h.settled_generation is not null
        -- guard: fast path: only on a key of which the health row remembers that it is on
        and h.settled_generation <= key_generation
        -- end
        -- end
        -- guard: fast path: no server errors to be forgotten
        and h.recent_server_errors = '{}'
        -- end
        and case report_api_key.rule
          when 'success' then
            -- guard: fast path: no success after failures
            -- without: (h.blocked_until is null or h.blocked_until <= clock_timestamp())
            h.consecutive_failures = 0
            -- guard: fast path: no success inside a block
            and (h.blocked_until is null or h.blocked_until <= clock_timestamp())
            -- end
            -- end
            -- guard: fast path: no success on a lease from before the last failure
            and (h.last_failure_at is null or h.last_failure_at < issued)
            -- end
          -- guard: fast path: a failure of the known outage alone
          -- without: else true
          else issued < h.rate_blocked_until
          -- end
        end
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
        -- guard: fast path: one lease, one effect
        -- without: where l.id = report_api_key.lease_id
        where l.id = report_api_key.lease_id and l.outcome is null
        -- end
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

  return private.apply_report(
    outcome => report_api_key.outcome,
    rule => report_api_key.rule,
    user_id => report_api_key.user_id,
    agent_id => report.agent_id,
    lease_id => report_api_key.lease_id,
    lease_generation => report.key_generation,
    issued => issued,
    key_id => coalesce(report.key_id, report_api_key.key_id),
    has_touched => at is not null,
    -- guard: fast path: what a caller wrote before is not the report's
    -- without: may_hold_health => may_be_steady,
    may_hold_health => may_be_steady and not has_written,
    -- end
    error_code => report_api_key.error_code,
    base_seconds => report_api_key.base_seconds,
    cap_seconds => report_api_key.cap_seconds,
    jitter => report_api_key.jitter,
    hint_seconds => report_api_key.hint_seconds,
    hint_at => report_api_key.hint_at,
    hint_cap_seconds => report_api_key.hint_cap_seconds,
    error_threshold => report_api_key.error_threshold,
    window_seconds => report_api_key.window_seconds,
    reset_after_seconds => report_api_key.reset_after_seconds,
    hint_given => report_api_key.hint_given,
    breaker_most => report_api_key.breaker_most,
    breaker_window_seconds => report_api_key.breaker_window_seconds,
    breaker_quiet_seconds => report_api_key.breaker_quiet_seconds
  );
end;
$$;
comment on function public.report_api_key is 'Takes the outcome of a key''s use. For the function set-key-state; rule and numbers come from packages/core. hint_given: the provider named a wait, which may be none that can be read. Raises PT401 invalid_credential, PT404 lease_not_found or key_not_found, PT409 already_reported, PT422 lease_key_mismatch, and 55P03 when a row stayed locked: nothing was done, ask again.';
revoke execute on function public.report_api_key from public, anon, authenticated, service_role;
grant execute on function public.report_api_key to service_role;

-- A provider's answer is sometimes read by whose answer it is: Google says OpenAI's sentence of an empty account for every limit.
create function public.api_key_provider(
  token_hash text default null,
  user_id uuid default null,
  lease_id uuid default null,
  key_id uuid default null
)
returns text
language sql
stable
security invoker
set search_path = ''
as $$
  select k.provider
  from private.key_caller(api_key_provider.token_hash, api_key_provider.user_id) c
  join public.user_api_keys k on k.user_id = c.pool_user_id
  where k.id = coalesce(
    api_key_provider.key_id,
    (
      select l.user_api_key_id
      from public.api_key_usage_log l
      where l.id = api_key_provider.lease_id and l.user_id = c.pool_user_id
    )
  );
$$;
comment on function public.api_key_provider is
  'The provider of a key of the caller''s pool, named by itself or by a lease; null for a key of any provider and for none. For set-key-state and get-active-key, where it decides what a report means. Raises PT401 invalid_credential.';
revoke execute on function public.api_key_provider from public, anon, authenticated, service_role;
grant execute on function public.api_key_provider to service_role;
