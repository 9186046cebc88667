create function private.hint_member(hint text)
returns jsonb
language sql
immutable
set search_path = ''
as $$
  select case when hint_member.hint is null then '{}' else jsonb_build_object('hint', hint_member.hint) end;
$$;
comment on function private.hint_member is 'The member of a report''s answer that tells of a hint; none when no hint was sent.';
revoke execute on function private.hint_member from public, anon, authenticated, service_role;
grant execute on function private.hint_member to service_role;

create function private.apply_report(
  outcome text,
  rule text,
  user_id uuid,
  agent_id uuid,
  lease_id uuid,
  lease_generation integer,
  issued timestamptz,
  key_id uuid,
  has_touched boolean,
  may_hold_health boolean,
  error_code text,
  base_seconds double precision,
  cap_seconds double precision,
  jitter double precision,
  hint_seconds double precision,
  hint_at timestamptz,
  hint_cap_seconds double precision,
  error_threshold integer,
  window_seconds double precision,
  reset_after_seconds double precision,
  hint_given boolean,
  breaker_most integer,
  breaker_window_seconds double precision,
  breaker_quiet_seconds double precision
)
returns jsonb
language plpgsql
volatile
set search_path = ''
as $$
<<report>>
declare
  by_key constant boolean := apply_report.lease_id is null;
  -- Only a failure can move the key itself: block or disable it. A row that is new in the log locks the key, too, through
  -- its foreign key.
  -- guard: a report that adds a log row locks the key first
  -- without: moves_key boolean := apply_report.rule not in ('success', 'ignore') ;
  moves_key boolean := apply_report.rule not in ('success', 'ignore') or by_key;
  -- end
  target_id uuid := apply_report.key_id;
  is_active boolean;
  is_usable boolean;
  generation integer;
  provider text;
  blocked timestamptz;
  rate_until timestamptz;
  failures integer;
  failed_at timestamptz;
  at timestamptz;
  hint double precision;
  -- What the answer says of the hint; null when none was sent.
  hint_word text := case
    when apply_report.hint_given or apply_report.hint_seconds is not null or apply_report.hint_at is not null then 'ignored'
  end;
  until timestamptz;
  errors timestamptz[];
  -- The keys of this pool and provider that other reports have just disabled.
  disabled_ids uuid[];
  -- What explains the state that the key comes to.
  cause text := apply_report.outcome;
  effect text;
  state_before text;
  state_after text;
  first record;
begin
  if by_key then
    -- Somebody else's key is not even looked for: its callers are not held up, and below it is not found.
    select k.id into target_id
    from public.user_api_keys k
    -- guard: a key of somebody else is not held up
    -- without: where k.id = apply_report.key_id;
    where k.id = apply_report.key_id and k.user_id = apply_report.user_id;
    -- end
  end if;

  if moves_key then
    -- One outage is one escalation: most of its failures change nothing, and need not lock the key. Looked at again below.
    -- Besides, who waits for a TRUNCATE of the health table, which wants the keys next, waits here, with nothing in hand.
    moves_key := not coalesce(
      (
        select
          apply_report.rule = 'escalate'
          and apply_report.hint_seconds is null
          and apply_report.hint_at is null
          and issued < h.rate_blocked_until
        -- guard: who waits for the health table has no key in hand
        -- without: from (select null::timestamptz as rate_blocked_until) h
        from public.api_key_health h
        where h.user_api_key_id = target_id
        -- end
      ),
      false
    );
  end if;

  -- Queue with the other callers first: see lease_api_key. The health row orders the reports on a key, and puts each
  -- before or after any edit that resets or disables it: such an edit writes both rows. It is never waited for while the
  -- key is held (an operator's reset locks them the other way round).
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(target_id, 0));
  if moves_key then
    -- Written for nothing, the health row is still locked if it changed at that very moment, which the transaction's id tells.
    -- guard: fast path: who may hold the health row does not wait for the key
    -- without: if false and pg_catalog.pg_current_xact_id_if_assigned() is not null then
    if apply_report.may_hold_health and pg_catalog.pg_current_xact_id_if_assigned() is not null then
    -- end
      raise exception using errcode = 'lock_not_available', message = 'lock_conflict';
    end if;
    -- guard: row lock of a report
    perform from public.user_api_keys k where k.id = target_id for no key update;
    -- end
  end if;
  select h.blocked_until, h.rate_blocked_until, h.consecutive_failures, h.last_failure_at
  into blocked, rate_until, failures, failed_at
  from public.api_key_health h
  where h.user_api_key_id = target_id
  -- guard: giving way to an operator who holds the health row
  -- without: for no key update;
  for no key update skip locked;
  -- end
  if not found then
    perform from public.user_api_keys k where k.id = target_id and k.user_id = apply_report.user_id;
    if found then
      raise exception using errcode = 'lock_not_available', message = 'lock_conflict';
    end if;
  end if;
  select k.is_active, k.unusable_reason is null, k.generation, k.provider into is_active, is_usable, generation, provider
  from public.user_api_keys k
  -- guard: pool test of a report
  -- without: where k.id = target_id;
  where k.id = target_id and k.user_id = apply_report.user_id;
  -- end
  if not found then
    raise exception using
      errcode = 'PT404',
      message = case when by_key then 'key_not_found' else 'lease_not_found' end;
  end if;

  at := clock_timestamp();

  if by_key then
    select l.id, l.key_generation, l.issued_at into apply_report.lease_id, lease_generation, issued
    from public.api_key_usage_log l
    where l.user_api_key_id = target_id
      and coalesce(l.agent_id, l.user_id) = coalesce(apply_report.agent_id, apply_report.user_id)
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
    -- guard: generation test: leases from before an operator's edit are stale
    -- without: when false then 'stale'
    when lease_generation < generation then 'stale'
    -- end
    when apply_report.rule = 'success' then
      case
        -- guard: stale success: during a block
        -- without: when issued <= failed_at or (not is_active and failures > 0) then 'stale'
        -- guard: stale success: on a lease from before the last failure
        -- without: when blocked > at or (not is_active and failures > 0) then 'stale'
        when blocked > at or issued <= failed_at or (not is_active and failures > 0) then 'stale'
        -- end
        -- end
        when failures > 0 then 'recovered'
        else 'none'
      end
    -- guard: a report on a disabled key changes nothing
    -- without: when apply_report.rule = 'ignore' then 'ignored'
    when not is_active or apply_report.rule = 'ignore' then 'ignored'
    -- end
    -- guard: a failure of an outage that has been reset meanwhile counts
    -- without: when not moves_key then 'ignored'
    when not moves_key and issued < rate_until then 'ignored'
    -- end
  end;

  if effect is null then
    if not moves_key then
      -- The outage that it was to be part of has been reset meanwhile.
      raise exception using errcode = 'lock_not_available', message = 'lock_conflict';
    end if;
    hint := coalesce(apply_report.hint_seconds, extract(epoch from apply_report.hint_at - at));
    hint := case when hint > 0 then least(hint, apply_report.hint_cap_seconds) end;

    if apply_report.rule = 'disable' and apply_report.breaker_most is not null then
      -- Two dead keys within a minute are two dead keys; one more is rather a network that says no to all of them.
      disabled_ids := private.lately_disabled(apply_report.user_id, provider, apply_report.breaker_window_seconds);
      at := clock_timestamp();
      -- guard: breaker: a third key is not disabled
      -- without: if false then
      if cardinality(disabled_ids) >= apply_report.breaker_most then
      -- end
        cause := 'many_at_once';
      end if;
    end if;

    if apply_report.rule = 'disable' and cause <> 'many_at_once' then
      effect := 'disabled';

    elsif apply_report.rule = 'escalate' then
      -- guard: issue-time test: an old lease cannot escalate
      -- without: if false then
      if issued < rate_until then
      -- end
        -- The same outage: only the provider's own word can lengthen the block.
        -- guard: greatest(): a hint never shortens a block
        -- without: until := coalesce(at + make_interval(secs => hint), until);
        until := greatest(until, at + make_interval(secs => hint));
        -- end
        effect := case when until is distinct from blocked then 'cooled' else 'ignored' end;
      else
        if failed_at <= at - make_interval(secs => apply_report.reset_after_seconds) then
          -- guard: forgetting after 24 hours
          -- without: null;
          failures := 0;
          -- end
        end if;
        failures := least(failures + 1, 1000000000);
        until := greatest(
          -- guard: greatest(): a new block never shortens the one there is
          until,
          -- end
          at + make_interval(secs => coalesce(
            hint,
            least(
              -- guard: exponent is bounded
              -- without: apply_report.base_seconds * power(2::double precision, (failures - 1)),
              apply_report.base_seconds * power(2::double precision, least(failures - 1, 64)),
              -- end
              apply_report.cap_seconds
            ) * (1 + apply_report.jitter)
          ))
        );
        effect := 'cooled';
      end if;
      if effect = 'cooled' then
        rate_until := until;
      end if;

    elsif apply_report.rule = 'cool' or cause = 'many_at_once' then
      -- A block of the same cause is the same news; another one may be lengthened, never shortened.
      if not exists (
        select
        from public.api_key_health h
        -- guard: breaker: the same news again is no news
        -- without: where h.user_api_key_id = target_id and h.blocked_until > at and h.reason = apply_report.outcome
        where h.user_api_key_id = target_id and h.blocked_until > at and h.reason = cause
        -- end
      ) then
        until := greatest(until, at + make_interval(secs => coalesce(hint, apply_report.base_seconds)));
      end if;
      effect := case when until is distinct from blocked then 'cooled' else 'ignored' end;

    elsif apply_report.rule = 'tolerate' then
      effect := 'ignored';
      select h.recent_server_errors into errors from public.api_key_health h where h.user_api_key_id = target_id;
      -- guard: server errors inside a block are not counted
      -- without: if true then
      if not coalesce(blocked > at, false) then
      -- end
        errors := array(
          select e from unnest(errors) e where e > at - make_interval(secs => apply_report.window_seconds) order by e
        ) || at;
        if cardinality(errors) > apply_report.error_threshold then
          until := at + make_interval(secs => coalesce(hint, apply_report.base_seconds));
          effect := 'cooled';
          errors := errors[cardinality(errors) - apply_report.error_threshold + 1:];
        end if;
      end if;

    else
      raise exception using errcode = 'PT422', message = 'unknown_rule';
    end if;

    -- guard: hint: used only where it set the block
    -- without: if hint is not null then
    if effect = 'cooled' and until = at + make_interval(secs => hint) then
    -- end
      hint_word := case
        -- guard: hint: capped
        -- without: when coalesce(apply_report.hint_seconds, extract(epoch from apply_report.hint_at - at)) > 1e12
        when coalesce(apply_report.hint_seconds, extract(epoch from apply_report.hint_at - at)) > apply_report.hint_cap_seconds
        -- end
        then 'capped'
        else 'used'
      end;
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
    outcome = apply_report.outcome,
    error_code = apply_report.error_code,
    effect = report.effect,
    state_before = report.state_before,
    state_after = report.state_after,
    blocked_until = case when until > at then until end,
    consecutive_failures = failures,
    hint = hint_word
  where l.id = apply_report.lease_id
    -- Not reported yet. Asked like that, the plan cannot be to walk through the index of all open leases, which looks
    -- cheaper than a step into the primary key while there are few of them.
    -- guard: duplicate test: one lease, one effect
    -- without: ;
    -- guard: a report does not walk through all open leases
    -- without: and l.reported_at is null;
    and l.outcome is null;
    -- end
    -- end
  if not found then
    -- There was no lease, or it has been reported, voided or pruned.
    select l.outcome, l.state_after, l.blocked_until, l.consecutive_failures, l.hint into first
    from public.api_key_usage_log l
    where l.id = apply_report.lease_id;
    if found then
      -- guard: another outcome on a reported lease is refused
      -- without: if false then
      if first.outcome is distinct from apply_report.outcome then
      -- end
        raise exception using errcode = 'PT409', message = 'already_reported';
      end if;
      -- guard: fast path: a duplicate that was late leaves no trace
      -- without: if false then
      if apply_report.has_touched then
      -- end
        -- Reported by somebody else meanwhile. The health row tells of this one, which is no news.
        raise exception using errcode = 'lock_not_available', message = 'lock_conflict';
      end if;
      return jsonb_build_object(
        'key_id', target_id,
        'state', first.state_after,
        'blocked_until', first.blocked_until,
        'consecutive_failures', first.consecutive_failures,
        'outcome', first.outcome,
        'effect', 'duplicate'
      -- guard: hint: a duplicate tells the first answer
      -- without: ) || private.hint_member(hint_word);
      ) || private.hint_member(first.hint);
      -- end
    end if;
    -- guard: a lease that has vanished is not reported on, also when its key is named
    -- without: if apply_report.key_id is null then
    if not by_key then
    -- end
      raise exception using errcode = 'PT404', message = 'lease_not_found';
    end if;
    insert into public.api_key_usage_log (
      user_api_key_id, user_id, agent_id, key_generation, reported_at, outcome, error_code, effect,
      state_before, state_after, blocked_until, consecutive_failures, hint
    )
    values (
      target_id, apply_report.user_id, apply_report.agent_id, generation, at, apply_report.outcome,
      apply_report.error_code, effect, state_before, state_after, case when until > at then until end, failures,
      hint_word
    )
    returning id into apply_report.lease_id;
  end if;

  if effect in ('cooled', 'disabled') then
    if effect = 'disabled' then
      update public.user_api_keys k set is_active = false where k.id = target_id;
      update private.api_key_breakers b
      -- guard: breaker: only the last of the disabled are listed, with this one
      -- without: set key_ids = array[target_id]
      set key_ids = disabled_ids || target_id
      -- end
      -- guard: breaker: keys for any provider count among themselves
      -- without: where b.user_id = apply_report.user_id and b.provider = report.provider and disabled_ids is not null;
      where b.user_id = apply_report.user_id and b.provider = coalesce(report.provider, '') and disabled_ids is not null;
      -- end
    end if;
    -- A block that is lengthened keeps the time it began; what explains it is the newest report that moved it.
    update public.api_key_health h
    set blocked_until = until,
      rate_blocked_until = rate_until,
      consecutive_failures = failures,
      recent_server_errors = coalesce(errors, '{}'),
      last_failure_at = at,
      -- guard: breaker: the state says why
      -- without: reason = apply_report.outcome,
      reason = cause,
      -- end
      reason_code = apply_report.error_code,
      reason_since = case when effect = 'disabled' or not coalesce(blocked > at, false) then at else h.reason_since end,
      reason_log_id = apply_report.lease_id,
      last_reported_at = at,
      last_outcome = apply_report.outcome,
      last_error_code = apply_report.error_code,
      last_effect = effect
    where h.user_api_key_id = target_id;
  else
    update public.api_key_health h
    -- guard: fast path: after a report that was weighed
    -- without: set consecutive_failures = failures,
    set settled_generation = generation,
      consecutive_failures = failures,
    -- end
      recent_server_errors = case
        when errors is not null then errors
        when effect = 'stale' or not is_active then h.recent_server_errors
        else '{}'
      end,
      last_reported_at = at,
      last_outcome = apply_report.outcome,
      last_error_code = apply_report.error_code,
      last_effect = effect
    where h.user_api_key_id = target_id;
  end if;

  if cause = 'many_at_once' then
    perform private.alert_once(
      apply_report.user_id,
      provider,
      cause,
      target_id,
      jsonb_build_object('error_code', apply_report.error_code, 'disabled_key_ids', disabled_ids),
      apply_report.breaker_quiet_seconds
    );
  end if;

  return jsonb_build_object(
    'key_id', target_id,
    'state', state_after,
    'blocked_until', case when until > at then until end,
    'consecutive_failures', failures,
    'outcome', apply_report.outcome,
    'effect', effect
  ) || private.hint_member(hint_word);
end;
$$;
comment on function private.apply_report is 'What report_api_key goes on to when the report may move something: weighs every case, under lock. has_touched: the health row tells of this report already; may_hold_health: it was tried to, and whether it is locked now the transaction''s id tells.';
revoke execute on function private.apply_report from public, anon, authenticated, service_role;
grant execute on function private.apply_report to service_role;
