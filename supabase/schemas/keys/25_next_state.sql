-- private.next_state, below, computes the effect of a report on a key as a pure function. Its caller has locked the rows from which
-- it made the two arguments.
create type private.key_report as (
  outcome text, rule text, error_code text,
  base_seconds double precision, cap_seconds double precision, jitter double precision,
  hint_given boolean, hint_seconds double precision, hint_at timestamptz, hint_cap_seconds double precision,
  error_threshold integer, window_seconds double precision, reset_after_seconds double precision,
  breaker_most integer, breaker_window_seconds double precision, breaker_quiet_seconds double precision,
  cause text, issued_at timestamptz, key_generation integer,
  dead boolean, model text, same_answer_as uuid, scope text
);
comment on type private.key_report is
  'A report as core passes it to SQL: its outcome, its rule and the numbers of the rule. cause: the reason that is stored with a block that the report sets. issued_at and key_generation come from the lease of the report. scope: what the provider''s answer is about: request, model, key, account or, with null, none of these. model: the model of the report, otherwise the model of its lease. dead: the provider''s answer says that the key is dead.';

create type private.key_state as (
  is_active boolean, is_usable boolean, generation integer,
  blocked_until timestamptz, rate_blocked_until timestamptz,
  consecutive_failures integer, last_failure_at timestamptz, recent_server_errors timestamptz[],
  reason text, reason_code text, reason_since timestamptz,
  state_before text, state_after text, effect text, hint text
);
comment on type private.key_state is
  'The columns of a key and its health row, or of its health row for one model, that next_state reads and changes. The last four are set by next_state alone: state_before, state_after, effect, and hint (what happened to the wait that the provider stated).';

create function private.next_state(state private.key_state, report private.key_report, at timestamptz)
returns private.key_state
language plpgsql
immutable
set search_path = ''
as $$
declare
  after private.key_state := next_state.state;
  was_blocked constant boolean := coalesce(state.blocked_until > at, false);
  named constant double precision := coalesce(report.hint_seconds, extract(epoch from report.hint_at - at));
  hint constant double precision := case when named > 0 then least(named, report.hint_cap_seconds) end;
begin
  after.hint := case
    when report.hint_given or report.hint_seconds is not null or report.hint_at is not null then 'ignored'
  end;
  after.state_before := case
    when not state.is_active or not state.is_usable then 'disabled'
    when was_blocked then 'cooling_down'
    else 'available'
  end;
  after.effect := case
    -- The lease was issued before an operator edited the key.
    when report.key_generation < state.generation then 'stale'
    when report.rule = 'success' then
      case
        when was_blocked then 'stale'
        when report.issued_at <= state.last_failure_at then 'stale'
        when not state.is_active and state.consecutive_failures > 0 then 'stale'
        when state.consecutive_failures > 0 then 'recovered'
        else 'none'
      end
    when not state.is_active or report.rule = 'ignore' then 'ignored'
  end;
  if after.effect is distinct from 'stale' and state.is_active and report.rule <> 'tolerate' then
    after.recent_server_errors := '{}';
  end if;

  if after.effect = 'recovered' then
    after.consecutive_failures := 0;

  elsif after.effect is not null then
    null;

  elsif report.rule = 'disable' then
    after.is_active := false;
    after.effect := 'disabled';

  elsif report.rule = 'escalate' then
    if report.issued_at < state.rate_blocked_until then
      -- The lease was issued before the end of the known block, so this failure was expected: only a hint can lengthen the block.
      after.blocked_until := greatest(state.blocked_until, at + make_interval(secs => hint));
      after.effect := case when after.blocked_until is distinct from state.blocked_until then 'cooled' else 'ignored' end;
    else
      if state.last_failure_at <= at - make_interval(secs => report.reset_after_seconds) then
        -- The last failure is longer ago than reset_after_seconds, so earlier failures no longer lengthen the new block.
        after.consecutive_failures := 0;
      end if;
      after.consecutive_failures := least(after.consecutive_failures + 1, 1000000000);
      after.blocked_until := greatest(
        -- A new block never shortens the current one.
        state.blocked_until,
        at + make_interval(secs => coalesce(
          hint,
          least(
            report.base_seconds * power(2::double precision, least(after.consecutive_failures - 1, 64)),
            report.cap_seconds
          ) * (1 + coalesce(report.jitter, 0))
        ))
      );
      after.effect := 'cooled';
    end if;
    if after.effect = 'cooled' then
      after.rate_blocked_until := after.blocked_until;
    end if;

  elsif report.rule = 'cool' then
    -- A block of the same cause keeps its end. A block of another cause may be lengthened, but is never shortened.
    if not (was_blocked and state.reason is not distinct from report.cause) then
      after.blocked_until := greatest(state.blocked_until, at + make_interval(secs => coalesce(hint, report.base_seconds)));
    end if;
    after.effect := case when after.blocked_until is distinct from state.blocked_until then 'cooled' else 'ignored' end;

  elsif report.rule = 'tolerate' then
    after.effect := 'ignored';
    -- A server error during a block is not added to recent_server_errors.
    if not was_blocked then
      after.recent_server_errors := array(
        select e
        from unnest(state.recent_server_errors) e
        where e > at - make_interval(secs => report.window_seconds)
        order by e
      ) || at;
      if cardinality(after.recent_server_errors) > report.error_threshold then
        after.blocked_until := at + make_interval(secs => coalesce(hint, report.base_seconds));
        after.effect := 'cooled';
        after.recent_server_errors := after.recent_server_errors[cardinality(after.recent_server_errors) - report.error_threshold + 1:];
      end if;
    end if;

  else
    raise exception using errcode = 'PT422', message = 'unknown_rule';
  end if;

  if after.effect in ('cooled', 'disabled') then
    -- A lengthened block keeps the time when it began (reason_since). The newest report that changed the block becomes its reason.
    after.last_failure_at := at;
    after.reason := report.cause;
    after.reason_code := report.error_code;
    if after.effect = 'disabled' or not was_blocked then
      after.reason_since := at;
    end if;
    -- The hint is recorded as used or capped only when the block ends at the time of the hint.
    if after.effect = 'cooled' and after.blocked_until = at + make_interval(secs => hint) then
      after.hint := case when named > report.hint_cap_seconds then 'capped' else 'used' end;
    end if;
  end if;
  after.state_after := case
    when after.effect = 'disabled' or after.state_before = 'disabled' then 'disabled'
    when after.blocked_until > at then 'cooling_down'
    else 'available'
  end;
  return after;
end;
$$;
comment on function private.next_state is
  'Returns the state of a key, or of a key with one model, after a report at the time at, together with the effect of the report. Has one branch for each rule of a report, and reads no table. Raises PT422 unknown_rule.';
revoke execute on function private.next_state from public, anon, authenticated, service_role;
grant execute on function private.next_state to service_role;
