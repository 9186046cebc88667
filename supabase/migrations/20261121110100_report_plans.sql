-- The report again: a session that was started while the log was empty, or while few leases were open, kept plans that read
-- the whole log or every open lease in each call, until the next analyze. So did the call that takes a lease back.

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
  -- Only a failure can move the key itself: block or disable it. A row that is new in the log locks the key, too, through
  -- its foreign key.
  moves_key boolean := report_api_key.rule not in ('success', 'ignore') or report_api_key.lease_id is null;
  by_key boolean;
  target_id uuid;
  lease_generation integer;
  issued timestamptz;
  is_active boolean;
  is_usable boolean;
  generation integer;
  blocked timestamptz;
  rate_until timestamptz;
  failures integer;
  failed_at timestamptz;
  at timestamptz;
  hint double precision;
  until timestamptz;
  errors timestamptz[];
  effect text;
  state_before text;
  state_after text;
  first record;
begin
  -- From here on user_id is the owner of the pool.
  if report_api_key.token_hash is not null or report_api_key.user_id is null then
    select c.pool_user_id, c.agent_id into report_api_key.user_id, agent_id
    from private.key_caller(report_api_key.token_hash, report_api_key.user_id) c;
  end if;

  if report_api_key.lease_id is not null then
    select l.user_api_key_id, l.key_generation, l.issued_at into target_id, lease_generation, issued
    from public.api_key_usage_log l
    where l.id = report_api_key.lease_id and l.user_id = report_api_key.user_id and l.issued_at is not null;
    if not found or report_api_key.key_id <> target_id then
      if target_id is null then
        raise exception using errcode = 'PT404', message = 'lease_not_found';
      end if;
      raise exception using errcode = 'PT422', message = 'lease_key_mismatch';
    end if;
  else
    -- Somebody else's key is not even looked for: its callers are not held up, and below it is not found.
    select k.id into target_id
    from public.user_api_keys k
    where k.id = report_api_key.key_id and k.user_id = report_api_key.user_id;
    by_key := true;
  end if;

  if moves_key then
    -- One outage is one escalation: most of its failures change nothing, and need not lock the key. Looked at again below.
    -- Besides, who waits for a TRUNCATE of the health table, which wants the keys next, waits here, with nothing in hand.
    moves_key := not coalesce(
      (
        select
          report_api_key.rule = 'escalate'
          and report_api_key.hint_seconds is null
          and report_api_key.hint_at is null
          and issued < h.rate_blocked_until
        from public.api_key_health h
        where h.user_api_key_id = target_id
      ),
      false
    );
  end if;

  -- Queue with the other callers first: see lease_api_key. The health row orders the reports on a key, and puts each
  -- before or after any edit that resets or disables it: such an edit writes both rows. It is never waited for while the
  -- key is held (an operator's reset locks them the other way round).
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(target_id, 0));
  if moves_key then
    perform from public.user_api_keys k where k.id = target_id for no key update;
  end if;
  select h.blocked_until, h.rate_blocked_until, h.consecutive_failures, h.last_failure_at
  into blocked, rate_until, failures, failed_at
  from public.api_key_health h
  where h.user_api_key_id = target_id
  for no key update skip locked;
  if not found then
    perform from public.user_api_keys k where k.id = target_id and k.user_id = report_api_key.user_id;
    if found then
      raise exception using errcode = 'lock_not_available', message = 'give way';
    end if;
  end if;
  select k.is_active, k.unusable_reason is null, k.generation into is_active, is_usable, generation
  from public.user_api_keys k
  where k.id = target_id and k.user_id = report_api_key.user_id;
  if not found then
    raise exception using
      errcode = 'PT404',
      message = case when by_key then 'key_not_found' else 'lease_not_found' end;
  end if;

  at := clock_timestamp();

  if by_key then
    select l.id, l.key_generation, l.issued_at into report_api_key.lease_id, lease_generation, issued
    from public.api_key_usage_log l
    where l.user_api_key_id = target_id
      and coalesce(l.agent_id, l.user_id) = coalesce(report.agent_id, report_api_key.user_id)
      and l.reported_at is null
    order by l.issued_at desc
    limit 1;
    issued := coalesce(issued, at);
  end if;

  until := blocked;
  state_before := case
    when not is_active or not is_usable then 'disabled'
    when blocked > at then 'cooling_down'
    else 'available'
  end;
  effect := case
    when lease_generation < generation then 'stale'
    when report_api_key.rule = 'success' then
      case
        when blocked > at or issued <= failed_at or (not is_active and failures > 0) then 'stale'
        when failures > 0 then 'recovered'
        else 'none'
      end
    when not is_active or report_api_key.rule = 'ignore' then 'ignored'
    when not moves_key and issued < rate_until then 'ignored'
  end;

  if effect is null then
    if not moves_key then
      -- The outage that it was to be part of has been reset meanwhile.
      raise exception using errcode = 'lock_not_available', message = 'give way';
    end if;
    hint := coalesce(report_api_key.hint_seconds, extract(epoch from report_api_key.hint_at - at));
    hint := case when hint > 0 then least(hint, report_api_key.hint_cap_seconds) end;

    if report_api_key.rule = 'disable' then
      effect := 'disabled';

    elsif report_api_key.rule = 'escalate' then
      if issued < rate_until then
        -- The same outage: only the provider's own word can lengthen the block.
        until := greatest(until, at + make_interval(secs => hint));
        effect := case when until is distinct from blocked then 'cooled' else 'ignored' end;
      else
        if failed_at <= at - make_interval(secs => report_api_key.forget_seconds) then
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
      -- A block of the same cause is the same news; another one may be lengthened, never shortened.
      if not exists (
        select
        from public.api_key_health h
        where h.user_api_key_id = target_id and h.blocked_until > at and h.reason = report_api_key.outcome
      ) then
        until := greatest(until, at + make_interval(secs => coalesce(hint, report_api_key.base_seconds)));
      end if;
      effect := case when until is distinct from blocked then 'cooled' else 'ignored' end;

    elsif report_api_key.rule = 'tolerate' then
      effect := 'ignored';
      select h.recent_server_errors into errors from public.api_key_health h where h.user_api_key_id = target_id;
      if not coalesce(blocked > at, false) then
        errors := array(
          select e from unnest(errors) e where e > at - make_interval(secs => report_api_key.window_seconds) order by e
        ) || at;
        if cardinality(errors) > report_api_key.tolerated then
          until := at + make_interval(secs => coalesce(hint, report_api_key.base_seconds));
          effect := 'cooled';
          errors := errors[cardinality(errors) - report_api_key.tolerated + 1:];
        end if;
      end if;

    else
      raise exception using errcode = 'PT422', message = 'unknown_rule';
    end if;
  elsif effect = 'recovered' then
    failures := 0;
  end if;

  state_after := case
    when effect = 'disabled' or state_before = 'disabled' then 'disabled'
    when until > at then 'cooling_down'
    else 'available'
  end;

  update public.api_key_usage_log l
  set reported_at = at,
    outcome = report_api_key.outcome,
    error_code = report_api_key.error_code,
    effect = report.effect,
    state_before = report.state_before,
    state_after = report.state_after,
    blocked_until = case when until > at then until end,
    consecutive_failures = failures
  where l.id = report_api_key.lease_id
    -- Not reported yet. Asked like that, the plan cannot be to walk through the index of all open leases, which looks
    -- cheaper than a step into the primary key while there are few of them.
    and l.outcome is null;
  if not found then
    -- There was no lease, or it has been reported, voided or pruned.
    select l.outcome, l.state_after, l.blocked_until, l.consecutive_failures into first
    from public.api_key_usage_log l
    where l.id = report_api_key.lease_id;
    if found then
      if first.outcome is distinct from report_api_key.outcome then
        raise exception using errcode = 'PT409', message = 'already_reported';
      end if;
      return jsonb_build_object(
        'key_id', target_id,
        'state', first.state_after,
        'blocked_until', first.blocked_until,
        'consecutive_failures', first.consecutive_failures,
        'outcome', first.outcome,
        'effect', 'duplicate'
      );
    end if;
    if by_key is not true then
      raise exception using errcode = 'PT404', message = 'lease_not_found';
    end if;
    insert into public.api_key_usage_log (
      user_api_key_id, user_id, agent_id, key_generation, reported_at, outcome, error_code, effect,
      state_before, state_after, blocked_until, consecutive_failures
    )
    values (
      target_id, report_api_key.user_id, report.agent_id, generation, at, report_api_key.outcome,
      report_api_key.error_code, effect, state_before, state_after, case when until > at then until end, failures
    )
    returning id into report_api_key.lease_id;
  end if;

  if effect in ('cooled', 'disabled') then
    if effect = 'disabled' then
      update public.user_api_keys k set is_active = false where k.id = target_id;
    end if;
    -- A block that is lengthened keeps the time it began; what explains it is the newest report that moved it.
    update public.api_key_health h
    set blocked_until = until,
      rate_blocked_until = rate_until,
      consecutive_failures = failures,
      recent_server_errors = coalesce(errors, '{}'),
      last_failure_at = at,
      reason = report_api_key.outcome,
      reason_code = report_api_key.error_code,
      reason_since = case when effect = 'disabled' or not coalesce(blocked > at, false) then at else h.reason_since end,
      reason_log_id = report_api_key.lease_id,
      last_reported_at = at,
      last_outcome = report_api_key.outcome,
      last_error_code = report_api_key.error_code,
      last_effect = effect
    where h.user_api_key_id = target_id;
  else
    update public.api_key_health h
    set consecutive_failures = failures,
      recent_server_errors = case
        when errors is not null then errors
        when effect = 'stale' or not is_active then h.recent_server_errors
        else '{}'
      end,
      last_reported_at = at,
      last_outcome = report_api_key.outcome,
      last_error_code = report_api_key.error_code,
      last_effect = effect
    where h.user_api_key_id = target_id;
  end if;

  return jsonb_build_object(
    'key_id', target_id,
    'state', state_after,
    'blocked_until', case when until > at then until end,
    'consecutive_failures', failures,
    'outcome', report_api_key.outcome,
    'effect', effect
  );
end;
$$;

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

  -- The row decides, without the key's queue, where a report may wait for an operator. The same void twice finds no lease
  -- the second time.
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
  update public.user_api_keys k
  set unusable_reason = 'the sealed text cannot be opened: seal the key again for this user_id',
    unusable_since = clock_timestamp()
  where k.id = key_id and k.generation = lease.key_generation;
end;
$$;
