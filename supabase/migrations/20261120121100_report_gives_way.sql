-- A report holds its key while it waits for the health table, and TRUNCATE of that table waits for keys: whoever
-- reports lets go of the key before the deadlock detector looks, and comes again.

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
-- Shorter than deadlock_timeout: a report that waits in a circle gives way before that, and comes again.
set lock_timeout = '400ms'
as $$
<<report>>
declare
  pool_user_id uuid := report_api_key.user_id;
  agent_id uuid;
  target_id uuid := report_api_key.key_id;
  -- Only a failure can move the key itself: block or disable it. A row that is new in the log locks the key, too, through
  -- its foreign key.
  moves_key constant boolean := report_api_key.rule not in ('success', 'ignore') or report_api_key.lease_id is null;
  -- No row types: reading their definition would wait for a TRUNCATE, outside of the loop below.
  key record;
  health record;
  failures integer;
  rate_until timestamptz;
  lease public.api_key_usage_log;
  at timestamptz;
  started constant timestamptz := clock_timestamp();
  issued timestamptz;
  hint double precision;
  in_block boolean;
  until timestamptz;
  errors timestamptz[];
  effect text;
  state_before text;
  state_after text;
begin
  if report_api_key.token_hash is not null or report_api_key.user_id is null then
    select c.pool_user_id, c.agent_id into pool_user_id, agent_id
    from private.key_caller(report_api_key.token_hash, report_api_key.user_id) c;
  end if;

  if report_api_key.lease_id is not null then
    select l.* into lease
    from public.api_key_usage_log l
    where l.id = report_api_key.lease_id and l.user_id = pool_user_id and l.issued_at is not null;
    if not found then
      raise exception using errcode = 'PT404', message = 'lease_not_found';
    end if;
    target_id := lease.user_api_key_id;
    if report_api_key.key_id <> target_id then
      raise exception using errcode = 'PT422', message = 'lease_key_mismatch';
    end if;
  else
    -- Nobody holds up the callers of a key that is not theirs.
    perform from public.user_api_keys k where k.id = target_id and k.user_id = pool_user_id;
    if not found then
      raise exception using errcode = 'PT404', message = 'key_not_found';
    end if;
  end if;

  -- The health row orders the reports on a key, and puts each before or after any edit that resets or disables it: such
  -- an edit writes both rows. It is never waited for while the key is held (an operator's reset locks them the other way
  -- round): give way and come again.
  loop
    -- Nothing is held that anybody could wait for but callers of this key: no subtransaction is needed to let go of it.
    if not moves_key and pg_catalog.pg_try_advisory_xact_lock(pg_catalog.uuid_hash_extended(target_id, 0)) then
      select
        h.blocked_until, h.rate_blocked_until, h.consecutive_failures, h.recent_server_errors, h.last_failure_at, h.reason
      into health
      from public.api_key_health h
      where h.user_api_key_id = target_id
      for no key update skip locked;
      exit when found;
    end if;
    begin
      -- Queue with the other callers first: see lease_api_key.
      perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(target_id, 0));
      if moves_key then
        perform from public.user_api_keys k where k.id = target_id for no key update;
      end if;
      select
        h.blocked_until, h.rate_blocked_until, h.consecutive_failures, h.recent_server_errors, h.last_failure_at, h.reason
      into health
      from public.api_key_health h
      where h.user_api_key_id = target_id
      for no key update skip locked;
      exit when found;
      perform from public.user_api_keys k where k.id = target_id and k.user_id = pool_user_id;
      if found then
        raise exception using errcode = 'KH001', message = 'give way';
      end if;
      raise exception using
        errcode = 'PT404',
        message = case when report_api_key.lease_id is null then 'key_not_found' else 'lease_not_found' end;
    exception
      when sqlstate 'KH001' or lock_not_available then
        if clock_timestamp() > started + interval '5 seconds' then
          raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "the key stayed locked"}';
        end if;
        perform pg_sleep(0.01);
    end;
  end loop;
  select k.id, k.user_id, k.is_active, k.unusable_reason, k.generation into key
  from public.user_api_keys k
  where k.id = target_id and k.user_id = pool_user_id;
  if not found then
    raise exception using
      errcode = 'PT404',
      message = case when report_api_key.lease_id is null then 'key_not_found' else 'lease_not_found' end;
  end if;

  at := clock_timestamp();
  in_block := coalesce(health.blocked_until > at, false);

  if report_api_key.lease_id is null then
    select l.* into lease
    from public.api_key_usage_log l
    where l.user_api_key_id = key.id
      and coalesce(l.agent_id, l.user_id) = coalesce(report.agent_id, pool_user_id)
      and l.reported_at is null
    order by l.issued_at desc
    limit 1;
  end if;

  issued := coalesce(lease.issued_at, at);
  state_before := case
    when not key.is_active or key.unusable_reason is not null then 'disabled'
    when in_block then 'cooling_down'
    else 'available'
  end;
  hint := coalesce(report_api_key.hint_seconds, extract(epoch from report_api_key.hint_at - at));
  hint := case when hint > 0 then least(hint, report_api_key.hint_cap_seconds) end;
  errors := health.recent_server_errors;
  until := health.blocked_until;
  rate_until := health.rate_blocked_until;
  failures := health.consecutive_failures;

  if lease.key_generation < key.generation then
    effect := 'stale';

  elsif report_api_key.rule = 'success' then
    if in_block or issued <= health.last_failure_at or (not key.is_active and failures > 0) then
      effect := 'stale';
    else
      effect := case when failures > 0 then 'recovered' else 'none' end;
      failures := 0;
      errors := '{}';
    end if;

  elsif not key.is_active then
    effect := 'ignored';

  elsif report_api_key.rule = 'disable' then
    effect := 'disabled';
    errors := '{}';

  elsif report_api_key.rule = 'escalate' then
    errors := '{}';
    if issued < health.rate_blocked_until then
      -- The same outage: only the provider's own word can lengthen the block.
      until := greatest(until, at + make_interval(secs => hint));
      effect := case when until is distinct from health.blocked_until then 'cooled' else 'ignored' end;
    else
      if health.last_failure_at <= at - make_interval(secs => report_api_key.forget_seconds) then
        failures := 0;
      end if;
      failures := least(failures + 1, 1000000000);
      until := greatest(
        until,
        at + make_interval(secs => coalesce(
          hint,
          least(
            report_api_key.base_seconds * power(2::double precision, least(failures - 1, 64)),
            report_api_key.cap_seconds
          ) * (1 + report_api_key.jitter)
        ))
      );
      effect := 'cooled';
    end if;
    if effect = 'cooled' then
      rate_until := until;
    end if;

  elsif report_api_key.rule = 'cool' then
    errors := '{}';
    -- A block of the same cause is the same news; another one may be lengthened, never shortened.
    if not (in_block and health.reason = report_api_key.outcome) then
      until := greatest(until, at + make_interval(secs => coalesce(hint, report_api_key.base_seconds)));
    end if;
    effect := case when until is distinct from health.blocked_until then 'cooled' else 'ignored' end;

  elsif report_api_key.rule = 'tolerate' then
    effect := 'ignored';
    if not in_block then
      errors := array(
        select e from unnest(errors) e where e > at - make_interval(secs => report_api_key.window_seconds) order by e
      ) || at;
      if cardinality(errors) > report_api_key.tolerated then
        until := at + make_interval(secs => coalesce(hint, report_api_key.base_seconds));
        effect := 'cooled';
        errors := errors[cardinality(errors) - report_api_key.tolerated + 1:];
      end if;
    end if;

  elsif report_api_key.rule = 'ignore' then
    errors := '{}';
    effect := 'ignored';

  else
    raise exception using errcode = 'PT422', message = 'unknown_rule';
  end if;

  state_after := case
    when effect = 'disabled' or state_before = 'disabled' then 'disabled'
    when until > at then 'cooling_down'
    else 'available'
  end;

  if lease.reported_at is null and lease.id is not null then
    update public.api_key_usage_log l
    set reported_at = at,
      outcome = report_api_key.outcome,
      error_code = report_api_key.error_code,
      effect = report.effect,
      state_before = report.state_before,
      state_after = report.state_after,
      blocked_until = case when until > at then until end,
      consecutive_failures = failures
    where l.id = lease.id and l.reported_at is null;
    if not found then
      -- Reported, voided or pruned since it was read.
      select l.* into lease from public.api_key_usage_log l where l.id = lease.id;
      if not found and report_api_key.lease_id is not null then
        raise exception using errcode = 'PT404', message = 'lease_not_found';
      end if;
    end if;
  end if;
  if lease.id is null then
    insert into public.api_key_usage_log (
      user_api_key_id, user_id, agent_id, key_generation, reported_at, outcome, error_code, effect,
      state_before, state_after, blocked_until, consecutive_failures
    )
    values (
      key.id, key.user_id, report.agent_id, key.generation, at, report_api_key.outcome, report_api_key.error_code, effect,
      state_before, state_after, case when until > at then until end, failures
    )
    returning id into lease.id;
  end if;

  if lease.reported_at is not null then
    if lease.outcome is distinct from report_api_key.outcome then
      raise exception using errcode = 'PT409', message = 'already_reported';
    end if;
    return jsonb_build_object(
      'key_id', key.id,
      'state', lease.state_after,
      'blocked_until', lease.blocked_until,
      'consecutive_failures', lease.consecutive_failures,
      'outcome', lease.outcome,
      'effect', 'duplicate'
    );
  end if;

  if effect = 'disabled' then
    update public.user_api_keys k set is_active = false where k.id = key.id;
  end if;

  if effect in ('cooled', 'disabled') then
    -- A block that is lengthened keeps the time it began; what explains it is the newest report that moved it.
    update public.api_key_health h
    set blocked_until = until,
      rate_blocked_until = rate_until,
      consecutive_failures = failures,
      recent_server_errors = errors,
      last_failure_at = at,
      reason = report_api_key.outcome,
      reason_code = report_api_key.error_code,
      reason_since = case when effect = 'disabled' or not in_block then at else h.reason_since end,
      reason_log_id = lease.id,
      last_reported_at = at,
      last_outcome = report_api_key.outcome,
      last_error_code = report_api_key.error_code,
      last_effect = effect
    where h.user_api_key_id = key.id;
  else
    update public.api_key_health h
    set consecutive_failures = failures,
      recent_server_errors = errors,
      last_reported_at = at,
      last_outcome = report_api_key.outcome,
      last_error_code = report_api_key.error_code,
      last_effect = effect
    where h.user_api_key_id = key.id;
  end if;

  return jsonb_build_object(
    'key_id', key.id,
    'state', state_after,
    'blocked_until', case when until > at then until end,
    'consecutive_failures', failures,
    'outcome', report_api_key.outcome,
    'effect', effect
  );
end;
$$;
