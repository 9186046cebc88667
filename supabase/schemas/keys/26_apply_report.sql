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
    'effect', log.effect,
    'scope', log.scope,
    'model', case when log.scope = 'model' then log.model end
  );
begin
  return case when log.hint is null then answer else answer || jsonb_build_object('hint', log.hint) end;
end;
$$;
comment on function private.report_answer is 'Builds the answer that set-key-state returns for a report from the log row of the report.';
revoke execute on function private.report_answer from public, anon, authenticated, service_role;
grant execute on function private.report_answer to service_role;

create function private.lock_for_report(user_id uuid, key_id uuid, reach text, model text)
returns uuid[]
language plpgsql
volatile
set search_path = ''
as $$
declare
  own public.user_api_keys;
  next_id uuid;
  key_ids uuid[] := array[lock_for_report.key_id];
  most_ms constant integer := 300;
  left_ms integer := most_ms;
  first_held_at timestamptz;
begin
  -- Takes the advisory lock of the key, so that the calls that wait for this key run one after another: see lease_api_key.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(lock_for_report.key_id, 0));
  if lock_for_report.reach <> 'health' then
    -- A TRUNCATE of a health table locks the key rows afterwards. These two reads wait for such a TRUNCATE while this call holds no
    -- key row yet, so the two cannot deadlock.
    perform from public.api_key_health h where h.user_api_key_id = lock_for_report.key_id;
    perform from public.api_key_model_health m where m.user_api_key_id = lock_for_report.key_id limit 1;
    select k.* into own from public.user_api_keys k where k.id = lock_for_report.key_id and k.user_id = lock_for_report.user_id;
    if own.account is null or lock_for_report.reach = 'key' then
      perform from public.user_api_keys k where k.id = lock_for_report.key_id for no key update;
    else
      -- This is the only place where a call waits for a row while it holds others. Each such call takes the lock of the account and
      -- then the keys of the account in the order of their ids. (Starting with its own key would cause a livelock.) Once the call
      -- holds a key, all its waits together may take .3 s. The last one may take twice its timeout, because Postgres counts the queue
      -- for a row and the holder of the row separately. So the call gives up after about .6 s, and an operator who edits many keys in
      -- another order never meets the deadlock detector, which runs after a wait of 1 s.
      perform pg_catalog.pg_advisory_xact_lock(
        pg_catalog.hashtextextended(concat_ws(' ', own.user_id, own.provider, own.account), 2)
      );
      key_ids := '{}';
      for next_id in
        select k.id
        from public.user_api_keys k
        where k.user_id = own.user_id and k.account = own.account and k.provider is not distinct from own.provider
        order by k.id
      loop
        -- A timeout of 0 would mean none.
        perform set_config('lock_timeout', greatest(left_ms, 1)::text, true);
        perform from public.user_api_keys k
        -- Skips keys that an edit disabled or moved out of the account meanwhile: the edit is treated as earlier than this report.
        where k.id = next_id and (k.id = own.id or k.is_active and k.user_id = own.user_id and k.account = own.account)
        for no key update;
        if found then
          key_ids := key_ids || next_id;
        end if;
        first_held_at := coalesce(first_held_at, clock_timestamp());
        left_ms := most_ms - 1000 * extract(epoch from clock_timestamp() - first_held_at);
      end loop;
    end if;
  end if;

  -- Never waits for a locked health row, because an operator's reset locks the health row before the key row.
  if exists (
    select h.user_api_key_id from public.api_key_health h where h.user_api_key_id = any (key_ids)
    except
    select held.user_api_key_id
    from (
      select h.user_api_key_id from public.api_key_health h where h.user_api_key_id = any (key_ids) for no key update skip locked
    ) held
  ) or lock_for_report.model is not null and exists (
    select m.user_api_key_id
    from public.api_key_model_health m
    where m.user_api_key_id = any (key_ids) and m.model = lock_for_report.model
    except
    select held.user_api_key_id
    from (
      select m.user_api_key_id
      from public.api_key_model_health m
      where m.user_api_key_id = any (key_ids) and m.model = lock_for_report.model
      for no key update skip locked
    ) held
  ) then
    raise exception using errcode = 'lock_not_available', message = 'lock_conflict';
  end if;
  return key_ids;
end;
$$;
comment on function private.lock_for_report is 'Locks the rows that a report may change and returns the ids of the keys. reach says which key rows: health: none; key: the key; account: the key and all other active keys of its account. Always locks the health rows of these keys; with model, also their rows for that model. Raises 55P03 lock_conflict when another transaction holds one of the rows: then nothing was done, so call again.';
revoke execute on function private.lock_for_report from public, anon, authenticated, service_role;
grant execute on function private.lock_for_report to service_role;

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
  -- The keys that the report may change: the key, or all keys of its account, which share its limits.
  key_ids uuid[];
  health public.api_key_health;
  limited public.api_key_model_health;
  key public.user_api_keys;
  at timestamptz;
  key_state private.key_state;
  model_state private.key_state;
  after private.key_state;
  -- The keys of this pool and provider that other reports have disabled within the window of the breaker.
  disabled_ids uuid[];
  about_model constant text := case when report.scope = 'model' or report.rule = 'success' then report.model end;
  log public.api_key_usage_log;
begin
  key_ids := private.lock_for_report(
    apply_report.user_id,
    apply_report.key_id,
    case
      -- A success or an ignored report cannot block or disable a key, so it locks no key row. A report without a lease does lock
      -- the key row, so that its log row is inserted either before the key is deleted or not at all.
      when report.rule in ('success', 'ignore') and lease.id is not null then 'health'
      when report.rule = 'escalate' or report.scope = 'account' then 'account'
      else 'key'
    end,
    about_model
  );
  -- Reads the rows only after locking them. An edit that resets or disables a key writes the key row and the health row, so that
  -- either both of its changes are visible here or neither.
  select k.* into key from public.user_api_keys k where k.id = apply_report.key_id and k.user_id = apply_report.user_id;
  if not found then
    raise exception using errcode = 'PT404', message = 'lease_not_found';
  end if;
  select h.* into health from public.api_key_health h where h.user_api_key_id = key.id;
  select m.* into limited from public.api_key_model_health m where m.user_api_key_id = key.id and m.model = about_model;
  if cardinality(key_ids) > 1 then
    -- The keys of an account share one count of failures, the lowest of their counts, because a success of any of them has ended
    -- the outage.
    select min(h.consecutive_failures) into health.consecutive_failures
    from public.api_key_health h
    where h.user_api_key_id = any (key_ids);
    select min(m.consecutive_failures) into limited.consecutive_failures
    from public.api_key_model_health m
    where m.user_api_key_id = any (key_ids) and m.model = about_model;
  end if;

  at := clock_timestamp();
  report.issued_at := coalesce(lease.issued_at, at);
  report.key_generation := lease.key_generation;
  report.cause := report.outcome;
  key_state := row(
    key.is_active, key.unusable_reason is null, key.generation, health.blocked_until, health.rate_blocked_until,
    health.consecutive_failures, health.last_failure_at, health.recent_server_errors, health.reason, health.reason_code,
    health.reason_since, null, null, null, null
  );
  model_state := row(
    key.is_active, key.unusable_reason is null,
    -- If the lease was issued before an operator's reset of the model, a huge generation makes the report stale.
    case when report.issued_at < limited.reset_at then 2147483647 else key.generation end,
    limited.blocked_until, limited.rate_blocked_until, coalesce(limited.consecutive_failures, 0), limited.last_failure_at,
    health.recent_server_errors, limited.reason, limited.reason_code, limited.reason_since, null, null, null, null
  );
  after := private.next_state(case report.scope when 'model' then model_state else key_state end, report, at);

  if after.effect = 'disabled' and report.breaker_most is not null then
    -- Two keys that are reported dead within a minute may really be dead. If there is a third, a network more probably refuses
    -- all of them.
    disabled_ids := private.recently_disabled_keys(apply_report.user_id, key.provider, report.breaker_window_seconds);
    at := clock_timestamp();
    if cardinality(disabled_ids) >= report.breaker_most then
      report.rule := 'cool';
      report.cause := 'many_at_once';
    end if;
    after := private.next_state(key_state, report, at);
  elsif report.rule = 'success' and limited.model is not null then
    -- A success ends the outage of the key with the model, too.
    model_state := private.next_state(model_state, report, at);
    update public.api_key_model_health m
    set consecutive_failures = 0, last_reported_at = at
    where m.user_api_key_id = key.id and m.model = about_model and model_state.effect = 'recovered';
    if after.effect = 'none' then
      after.effect := model_state.effect;
    end if;
  end if;

  update public.api_key_usage_log l
  set (
    reported_at, outcome, error_code, effect, state_before, state_after, blocked_until, consecutive_failures, hint, model, scope, dead
  ) = row(
    at, report.outcome, report.error_code, after.effect, after.state_before, after.state_after,
    case when after.blocked_until > at then after.blocked_until end, after.consecutive_failures, after.hint,
    report.model, report.scope, report.dead
  )
  where l.id = lease.id
    -- Finds the lease only while it is not reported. Tests outcome instead of reported_at: with reported_at, the planner could use
    -- the index of open leases, which looks cheaper than the primary key while few leases are open.
    and l.outcome is null
  returning l.* into log;
  if not found then
    -- Another call has reported, released or pruned the lease meanwhile: the caller must read the lease again.
    if lease.id is not null then
      raise exception using errcode = 'lock_not_available', message = 'lock_conflict';
    end if;
    insert into public.api_key_usage_log (
      user_api_key_id, user_id, agent_id, key_generation, reported_at, outcome, error_code, effect, state_before,
      state_after, blocked_until, consecutive_failures, hint, model, scope, dead
    )
    values (
      key.id, apply_report.user_id, apply_report.agent_id, key.generation, at, report.outcome, report.error_code,
      after.effect, after.state_before, after.state_after,
      case when after.blocked_until > at then after.blocked_until end, after.consecutive_failures, after.hint,
      report.model, report.scope, report.dead
    )
    returning * into log;
  end if;

  if after.effect = 'disabled' then
    update public.user_api_keys k set is_active = false where k.id = key.id;
    update private.api_key_breakers b
    set key_ids = disabled_ids || key.id
    -- Keys without a provider have a breaker of their own, with an empty provider.
    where b.user_id = apply_report.user_id and b.provider = coalesce(key.provider, '') and disabled_ids is not null;
    perform private.alert_once(
      apply_report.user_id, key.provider, 'key_disabled', key.id, jsonb_build_object('error_code', report.error_code), 0
    );
  end if;
  if report.scope = 'model' then
    if after.effect = 'cooled' then
      insert into public.api_key_model_health (user_api_key_id, model)
      select id, about_model from unnest(key_ids) id
      on conflict do nothing;
      update public.api_key_model_health m
      set blocked_until = after.blocked_until,
        rate_blocked_until = after.rate_blocked_until,
        consecutive_failures = after.consecutive_failures,
        last_failure_at = after.last_failure_at,
        reason = after.reason,
        reason_code = after.reason_code,
        reason_since = case when m.blocked_until > at and m.user_api_key_id <> key.id then m.reason_since else after.reason_since end,
        caused_by_log_id = log.id,
        last_reported_at = at
      where m.model = about_model
        and m.user_api_key_id = any (key_ids)
        -- Another key of the account keeps a block that ends later.
        and (m.user_api_key_id = key.id or m.blocked_until is null or m.blocked_until < after.blocked_until);
    end if;
    -- A report about one model leaves the state of the key itself as it was, except for its recent server errors.
    key_state.recent_server_errors := after.recent_server_errors;
    after := key_state;
  end if;
  -- A trigger of api_key_health copies the block to the key row, where leases read it (11_api_key_health.sql).
  update public.api_key_health h
  set blocked_until = after.blocked_until,
    rate_blocked_until = after.rate_blocked_until,
    consecutive_failures = after.consecutive_failures,
    recent_server_errors = after.recent_server_errors,
    last_failure_at = after.last_failure_at,
    reason = after.reason,
    reason_code = after.reason_code,
    reason_since = case when h.blocked_until > at and h.user_api_key_id <> key.id then h.reason_since else after.reason_since end,
    reason_log_id = case when after.effect in ('cooled', 'disabled') then log.id else h.reason_log_id end,
    last_reported_at = at,
    last_outcome = report.outcome,
    last_error_code = report.error_code,
    last_effect = log.effect
  where h.user_api_key_id = key.id
    or after.effect = 'cooled'
      and h.user_api_key_id = any (key_ids)
      and (h.blocked_until is null or h.blocked_until < after.blocked_until);
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
  'The full evaluation of a report that may change the key: locks the rows and applies next_state to the key, or to the key with one model. lease is null when the report names only a key and the caller has no open lease of it. Returns the log row of the report. Raises PT404 lease_not_found when the key is not in the pool any more. Raises 55P03 lock_conflict when another transaction holds a row, or when another call has reported on the lease first: then nothing was done, so call again.';
revoke execute on function private.apply_report from public, anon, authenticated, service_role;
grant execute on function private.apply_report to service_role;
