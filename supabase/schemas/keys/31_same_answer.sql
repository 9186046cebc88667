-- When a provider refuses the same request with two keys in the same way, the fault is in the request. private.lift_report takes
-- back the effect of the first report, and the second report has no effect.
create function private.lift_report(told public.api_key_usage_log)
returns boolean
language plpgsql
volatile
set search_path = ''
as $$
declare
  key_ids uuid[];
  at timestamptz;
  keys integer;
  models integer;
  is_limit constant boolean := told.outcome in ('rate_limited', 'quota_exhausted');
begin
  -- report_same_answer holds no lock when it calls this function, and it does not lock the key of its own report. So two calls that
  -- lift each other's blocks do not deadlock.
  key_ids := private.lock_for_report(
    told.user_id, told.user_api_key_id, case told.effect when 'cooled' then 'account' else 'key' end, told.model
  );
  at := clock_timestamp();
  if told.effect = 'disabled' then
    -- Enabling a key resets its health row. After that, the key cools down for a minute.
    update public.user_api_keys k
    set is_active = true
    from public.api_key_health h
    where k.id = told.user_api_key_id and h.user_api_key_id = k.id and h.reason_log_id = told.id and not k.is_active;
    if found then
      update public.api_key_health h
      set blocked_until = at + interval '60 s',
        reason = told.outcome,
        reason_code = told.error_code,
        reason_since = at,
        last_reported_at = at,
        last_effect = 'lifted'
      where h.user_api_key_id = told.user_api_key_id;
    end if;
    return found;
  end if;
  update public.api_key_health h
  set blocked_until = null,
    rate_blocked_until = null,
    consecutive_failures = greatest(h.consecutive_failures - is_limit::integer, 0),
    reason = null,
    reason_code = null,
    reason_since = null,
    reason_log_id = null,
    last_reported_at = at,
    last_effect = 'lifted'
  where h.user_api_key_id = any (key_ids)
    -- Lifts only a block that began with the report told and that no later report has changed.
    and h.reason_log_id = told.id
    and h.reason_since = told.reported_at;
  get diagnostics keys = row_count;
  update public.api_key_model_health m
  set blocked_until = null,
    rate_blocked_until = null,
    consecutive_failures = greatest(m.consecutive_failures - is_limit::integer, 0),
    reason = null,
    reason_code = null,
    reason_since = null,
    caused_by_log_id = null,
    last_reported_at = at
  where m.user_api_key_id = any (key_ids)
    and m.model = told.model
    and m.caused_by_log_id = told.id
    and m.reason_since = told.reported_at;
  get diagnostics models = row_count;
  return keys + models > 0;
end;
$$;
comment on function private.lift_report is 'Takes back the effect of the report told on each key, and on each key with a model, whose block or disabling that report still explains. Returns whether it changed anything. Raises 55P03 like private.apply_report.';
revoke execute on function private.lift_report from public, anon, authenticated, service_role;
grant execute on function private.lift_report to service_role;

create function private.report_same_answer(user_id uuid, agent_id uuid, lease public.api_key_usage_log, report private.key_report)
returns jsonb
language plpgsql
volatile
set search_path = ''
as $$
declare
  told public.api_key_usage_log;
  lifted boolean;
  at timestamptz;
  log public.api_key_usage_log;
begin
  select l.* into told
  from public.api_key_usage_log l
  where l.id = report.same_answer_as
    and l.user_id = report_same_answer.user_id
    and l.agent_id is not distinct from report_same_answer.agent_id
    and l.user_api_key_id <> lease.user_api_key_id
    and l.outcome in (report.outcome, 'caller_fault')
    and l.error_code is not distinct from report.error_code
    and l.reported_at > clock_timestamp() - interval '60 s'
    -- An answer of the provider that says that the key is dead concerns the key, not the request.
    and not coalesce(l.dead, false)
    and not coalesce(report.dead, false);
  if not found then
    return null;
  end if;
  lifted := told.effect in ('cooled', 'disabled') and private.lift_report(told);
  at := clock_timestamp();
  -- The log row decides which of two reports on the lease was first.
  update public.api_key_usage_log l
  set (reported_at, outcome, error_code, effect, state_before, state_after, blocked_until, consecutive_failures, model, scope) = (
    select
      at, 'caller_fault', report.error_code, case when lifted then 'lifted' else 'ignored' end, s.state, s.state,
      case when h.blocked_until > at then h.blocked_until end, h.consecutive_failures, coalesce(report.model, l.model), 'request'
    from public.api_key_states s
    join public.api_key_health h on h.user_api_key_id = s.user_api_key_id
    where s.user_api_key_id = l.user_api_key_id
  )
  where l.id = lease.id and l.outcome is null
  returning l.* into log;
  if not found then
    raise exception using errcode = 'lock_not_available', message = 'lock_conflict';
  end if;
  return private.report_answer(log);
end;
$$;
comment on function private.report_same_answer is
  'Handles a report with same_answer_as, the caller''s lease of another key for which the provider gave the same answer. Records the report as caller_fault and lifts the effect of the report on that other lease. Returns null when the other lease is not the caller''s or is of the same key, was reported more than a minute ago, or has another outcome or error code, or when one of the two reports says that its key is dead. After null, report_api_key processes the report like any other. Raises 55P03 like private.apply_report.';
revoke execute on function private.report_same_answer from public, anon, authenticated, service_role;
grant execute on function private.report_same_answer to service_role;
