create function private.report_answer(log public.api_key_usage_log)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  answer constant jsonb := jsonb_build_object(
    'key_id', log.user_api_key_id,
    'state', log.state_after,
    'blocked_until', log.blocked_until,
    'consecutive_failures', log.consecutive_failures,
    'outcome', log.outcome,
    'effect', log.effect
  );
begin
  return case when log.hint is null then answer else answer || jsonb_build_object('hint', log.hint) end;
end;
$$;
comment on function private.report_answer is 'What set-key-state answers to a report, from its row in the log.';
revoke execute on function private.report_answer from public, anon, authenticated, service_role;
grant execute on function private.report_answer to service_role;

create function private.apply_report(
  user_id uuid,
  agent_id uuid,
  key_id uuid,
  lease public.api_key_usage_log,
  report private.key_report
)
returns public.api_key_usage_log
language plpgsql
volatile
set search_path = ''
as $$
declare
  by_key constant boolean := lease.id is null;
  -- Only a failure can block or disable the key. A row that is new in the log locks the key, too, through its foreign key.
  locks_key constant boolean := report.rule not in ('success', 'ignore') or by_key;
  health public.api_key_health;
  has_health boolean;
  key public.user_api_keys;
  at timestamptz;
  state private.key_state;
  after private.key_state;
  -- The keys of this pool and provider that other reports have just disabled.
  disabled_ids uuid[];
  log public.api_key_usage_log;
begin
  if by_key then
    -- A key of another pool is not locked, so that its callers do not wait; below it is not found.
    select k.id into apply_report.key_id
    from public.user_api_keys k
    where k.id = apply_report.key_id and k.user_id = apply_report.user_id;
  end if;

  -- One caller of a key at a time: see lease_api_key. The key row is locked before the health row, and the health row is never
  -- waited for: an operator's reset locks them in the other order.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(apply_report.key_id, 0));
  if locks_key then
    -- A TRUNCATE of the health table locks the keys next: wait for it here, before this call holds a key.
    perform from public.api_key_health h where h.user_api_key_id = apply_report.key_id;
    perform from public.user_api_keys k where k.id = apply_report.key_id for no key update;
  end if;
  select h.* into health
  from public.api_key_health h
  where h.user_api_key_id = apply_report.key_id
  -- An operator who holds the health row is not waited for.
  for no key update skip locked;
  has_health := found;
  -- Read after the lock: an edit that resets or disables a key writes both rows, so that all of it is seen here or nothing.
  select k.* into key
  from public.user_api_keys k
  where k.id = apply_report.key_id and k.user_id = apply_report.user_id;
  if not found then
    raise exception using errcode = 'PT404', message = case when by_key then 'key_not_found' else 'lease_not_found' end;
  elsif not has_health then
    raise exception using errcode = 'lock_not_available', message = 'lock_conflict';
  end if;

  at := clock_timestamp();
  if by_key then
    select l.* into lease
    from public.api_key_usage_log l
    where l.user_api_key_id = apply_report.key_id
      and coalesce(l.agent_id, l.user_id) = coalesce(apply_report.agent_id, apply_report.user_id)
      and l.reported_at is null
    order by l.issued_at desc
    limit 1;
  end if;
  report.issued_at := coalesce(lease.issued_at, at);
  report.key_generation := lease.key_generation;
  report.cause := report.outcome;
  state := row(
    key.is_active, key.unusable_reason is null, key.generation, health.blocked_until, health.rate_blocked_until,
    health.consecutive_failures, health.last_failure_at, health.recent_server_errors, health.reason, health.reason_code,
    health.reason_since, null, null, null, null
  );
  after := private.next_state(state, report, at);

  if after.effect = 'disabled' and report.breaker_most is not null then
    -- Two dead keys within a minute may be two dead keys; a third one more probably means that a network refuses all of them.
    disabled_ids := private.lately_disabled(apply_report.user_id, key.provider, report.breaker_window_seconds);
    at := clock_timestamp();
    if cardinality(disabled_ids) >= report.breaker_most then
      report.rule := 'cool';
      report.cause := 'many_at_once';
    end if;
    after := private.next_state(state, report, at);
  end if;

  update public.api_key_usage_log l
  set (reported_at, outcome, error_code, effect, state_before, state_after, blocked_until, consecutive_failures, hint) = row(
    at, report.outcome, report.error_code, after.effect, after.state_before, after.state_after,
    case when after.blocked_until > at then after.blocked_until end, after.consecutive_failures, after.hint
  )
  where l.id = lease.id
    -- Not reported yet. Written like this, the plan cannot read the index of all open leases, which looks cheaper than the
    -- primary key while there are few of them.
    and l.outcome is null
  returning l.* into log;
  if not found then
    -- The lease was reported, released or pruned meanwhile: the caller looks for it again.
    if lease.id is not null then
      raise exception using errcode = 'lock_not_available', message = 'lock_conflict';
    end if;
    insert into public.api_key_usage_log (
      user_api_key_id, user_id, agent_id, key_generation, reported_at, outcome, error_code, effect, state_before,
      state_after, blocked_until, consecutive_failures, hint
    )
    values (
      key.id, apply_report.user_id, apply_report.agent_id, key.generation, at, report.outcome, report.error_code,
      after.effect, after.state_before, after.state_after,
      case when after.blocked_until > at then after.blocked_until end, after.consecutive_failures, after.hint
    )
    returning * into log;
  end if;

  if after.effect = 'disabled' then
    update public.user_api_keys k set is_active = false where k.id = key.id;
    update private.api_key_breakers b
    set key_ids = disabled_ids || key.id
    -- Keys for any provider count among themselves.
    where b.user_id = apply_report.user_id and b.provider = coalesce(key.provider, '') and disabled_ids is not null;
  end if;
  update public.api_key_health h
  set blocked_until = after.blocked_until,
    rate_blocked_until = after.rate_blocked_until,
    consecutive_failures = after.consecutive_failures,
    recent_server_errors = after.recent_server_errors,
    last_failure_at = after.last_failure_at,
    reason = after.reason,
    reason_code = after.reason_code,
    reason_since = after.reason_since,
    reason_log_id = case when after.effect in ('cooled', 'disabled') then log.id else h.reason_log_id end,
    last_reported_at = at,
    last_outcome = report.outcome,
    last_error_code = report.error_code,
    last_effect = after.effect
  where h.user_api_key_id = key.id;
  if report.cause = 'many_at_once' then
    perform private.alert_once(
      apply_report.user_id,
      key.provider,
      report.cause,
      key.id,
      jsonb_build_object('error_code', report.error_code, 'disabled_key_ids', disabled_ids),
      report.breaker_quiet_seconds
    );
  end if;
  return log;
end;
$$;
comment on function private.apply_report is
  'What report_api_key goes on to when a report may move something: next_state, under the locks of the key. lease: null where the report names a key alone. Returns the row of the log. Raises PT404, and 55P03 where somebody holds the health row or was first: nothing was done, call again.';
revoke execute on function private.apply_report from public, anon, authenticated, service_role;
grant execute on function private.apply_report to service_role;
