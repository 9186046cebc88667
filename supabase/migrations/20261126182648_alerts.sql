SET local check_function_bodies = off;

DROP VIEW "public"."api_key_pools";

ALTER TABLE "public"."api_key_alerts"
  DROP CONSTRAINT "api_key_alerts_kind_check";

CREATE TABLE "public"."api_key_starvations" (
  "id"              uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "user_id"         uuid                     NOT NULL,
  "provider"        text,
  "model"           text,
  "since"           timestamp with time zone NOT NULL,
  "last_refused_at" timestamp with time zone NOT NULL,
  "refusals"        integer                  NOT NULL DEFAULT 1,
  "soonest_at"      timestamp with time zone,
  "ended_at"        timestamp with time zone,
  "alerted_at"      timestamp with time zone,
  CONSTRAINT "api_key_starvations_pkey" PRIMARY KEY (id)
);

ALTER TABLE "public"."api_key_starvations"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."api_key_starvations" FROM "anon", "authenticated";

ALTER TABLE "public"."api_key_alerts"
  ADD COLUMN "sent_at" timestamp WITH time zone;

ALTER TABLE "public"."api_key_alerts"
  ADD COLUMN "claimed_until" timestamp WITH time zone;

CREATE OR REPLACE FUNCTION private.alert_starvation (
  starvation public.api_key_starvations,
  kind       text,
  detail     jsonb                      DEFAULT '{}'::jsonb
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into public.api_key_alerts (user_id, provider, kind, detail, created_at)
  values (
    (alert_starvation.starvation).user_id, (alert_starvation.starvation).provider, alert_starvation.kind,
    jsonb_build_object(
      'model', (alert_starvation.starvation).model,
      'since', (alert_starvation.starvation).since,
      'soonest_at', (alert_starvation.starvation).soonest_at
    ) || alert_starvation.detail,
    clock_timestamp()
  );
$function$;

CREATE OR REPLACE FUNCTION private.apply_report (
  user_id  uuid,
  agent_id uuid,
  key_id   uuid,
  lease    public.api_key_usage_log,
  report   private.key_report
)
  RETURNS public.api_key_usage_log
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  -- The key, and those of its account, which share its limits and what is said of the account.
  key_ids uuid[];
  health public.api_key_health;
  limited public.api_key_model_health;
  key public.user_api_keys;
  at timestamptz;
  key_state private.key_state;
  model_state private.key_state;
  after private.key_state;
  -- The keys of this pool and provider that other reports have just disabled.
  disabled_ids uuid[];
  about_model constant text := case when report.scope = 'model' or report.rule = 'success' then report.model end;
  log public.api_key_usage_log;
begin
  key_ids := private.lock_for_report(
    apply_report.user_id,
    apply_report.key_id,
    case
      -- Only a failure can block or disable a key. A row that is new in the log locks the key, too: it comes before the key's deletion, or not at all.
      when report.rule in ('success', 'ignore') and lease.id is not null then 'health'
      when report.rule = 'escalate' or report.scope = 'account' then 'account'
      else 'key'
    end,
    about_model
  );
  -- Read after the lock: an edit that resets or disables a key writes both rows, so that all of it is seen here or nothing.
  select k.* into key from public.user_api_keys k where k.id = apply_report.key_id and k.user_id = apply_report.user_id;
  if not found then
    raise exception using errcode = 'PT404', message = 'lease_not_found';
  end if;
  select h.* into health from public.api_key_health h where h.user_api_key_id = key.id;
  select m.* into limited from public.api_key_model_health m where m.user_api_key_id = key.id and m.model = about_model;
  if cardinality(key_ids) > 1 then
    -- Keys of an account have one count: a success of any of them has ended the outage.
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
    -- A lease from before an operator's reset of the model.
    case when report.issued_at < limited.reset_at then 2147483647 else key.generation end,
    limited.blocked_until, limited.rate_blocked_until, coalesce(limited.consecutive_failures, 0), limited.last_failure_at,
    health.recent_server_errors, limited.reason, limited.reason_code, limited.reason_since, null, null, null, null
  );
  after := private.next_state(case report.scope when 'model' then model_state else key_state end, report, at);

  if after.effect = 'disabled' and report.breaker_most is not null then
    -- Two dead keys within a minute may be two dead keys; a third one more probably means that a network refuses all of them.
    disabled_ids := private.recently_disabled_keys(apply_report.user_id, key.provider, report.breaker_window_seconds);
    at := clock_timestamp();
    if cardinality(disabled_ids) >= report.breaker_most then
      report.rule := 'cool';
      report.cause := 'many_at_once';
    end if;
    after := private.next_state(key_state, report, at);
  elsif report.rule = 'success' and limited.model is not null then
    -- A success ends the outage of its model, too.
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
    -- Keys for any provider count among themselves.
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
        -- Of another key of the account a longer block stays.
        and (m.user_api_key_id = key.id or m.blocked_until is null or m.blocked_until < after.blocked_until);
    end if;
    -- Of the key itself it says only that no server error came last.
    key_state.recent_server_errors := after.recent_server_errors;
    after := key_state;
  end if;
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
$function$;

CREATE OR REPLACE FUNCTION private.end_starvations (
  user_id uuid,
  key_id  uuid,
  model   text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  ended public.api_key_starvations;
begin
  for ended in
    update public.api_key_starvations s
    set ended_at = clock_timestamp()
    where s.id in (
      select o.id
      from public.api_key_starvations o
      join public.user_api_keys k on k.id = end_starvations.key_id
      where o.user_id = end_starvations.user_id
        and o.ended_at is null
        and (o.provider is null or k.provider is null or o.provider = k.provider)
        and (o.model is null or o.model = end_starvations.model)
      -- Another lease ends it.
      for update of o skip locked
    )
    returning s.*
  loop
    if ended.alerted_at is not null then
      perform private.alert_starvation(ended, 'pool_recovered', jsonb_build_object('ended_at', ended.ended_at, 'refusals', ended.refusals));
    end if;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.note_starvation (
  user_id  uuid,
  provider text,
  model    text,
  refusal  jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  at timestamptz := clock_timestamp();
  -- Only a model that some key is limited for: agents may ask for any name.
  wanted constant text := case when (note_starvation.refusal ->> 'limited')::integer > 0 then note_starvation.model end;
  soonest constant timestamptz := at + make_interval(secs => (note_starvation.refusal ->> 'retry_after')::double precision);
  last public.api_key_starvations;
begin
  -- A pool without any key for the provider is wrongly asked, not starved.
  if (note_starvation.refusal ->> 'cooling_down')::integer + (note_starvation.refusal ->> 'limited')::integer
    + (note_starvation.refusal ->> 'disabled')::integer = 0
    or not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.uuid_hash_extended(note_starvation.user_id, 3))
  then
    return;
  end if;
  select s.* into last
  from public.api_key_starvations s
  where s.user_id = note_starvation.user_id
    and s.provider is not distinct from note_starvation.provider
    and s.model is not distinct from wanted
    and (s.ended_at is null or (s.alerted_at is null and s.last_refused_at > at - interval '1 minute'))
  order by s.ended_at is null desc, s.since desc
  limit 1
  for update skip locked;
  if last.id is null then
    insert into public.api_key_starvations (user_id, provider, model, since, last_refused_at, soonest_at)
    values (note_starvation.user_id, note_starvation.provider, wanted, at, at, soonest)
    -- A lease holds the open one at this moment.
    on conflict do nothing
    returning * into last;
  elsif last.ended_at is not null then
    -- A short one of just now begins anew: a pool at its limit has no row for each second.
    update public.api_key_starvations s
    set since = at, last_refused_at = at, soonest_at = soonest, refusals = 1, ended_at = null
    where s.id = last.id
    returning s.* into last;
  elsif last.last_refused_at < at - interval '1 second' then
    update public.api_key_starvations s
    set last_refused_at = at, soonest_at = soonest, refusals = s.refusals + 1
    where s.id = last.id
    returning s.* into last;
  end if;
  if last.id is not null and last.alerted_at is null and (soonest is null or last.since <= at - interval '1 minute') then
    update public.api_key_starvations s set alerted_at = at, soonest_at = soonest where s.id = last.id returning s.* into last;
    perform private.alert_starvation(
      last, 'pool_starved', note_starvation.refusal - array['kind', 'retry_after', 'other_providers']
    );
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.release_lease (
  user_id  uuid,
  lease_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  lease public.api_key_usage_log;
  provider text;
begin
  -- The key row is locked before the log row, as everywhere. The log row decides: a second release finds no lease.
  perform from public.user_api_keys k
  where k.id = (
    select l.user_api_key_id
    from public.api_key_usage_log l
    where l.id = release_lease.lease_id and l.user_id = release_lease.user_id
  )
  for no key update;
  delete from public.api_key_usage_log l
  where l.id = release_lease.lease_id and l.user_id = release_lease.user_id and l.outcome is null and l.issued_at is not null
  returning l.* into lease;

  update public.user_api_keys k
  set usage_count = greatest(k.usage_count - 1, 0)
  where k.id = lease.user_api_key_id;
  -- A ciphertext that was replaced in between is left alone: nobody has tried it.
  update public.user_api_keys k
  set unusable_reason = 'the sealed text cannot be opened, or is not of the key of its fingerprint: seal the key again for this user_id',
    unusable_since = clock_timestamp()
  where k.id = lease.user_api_key_id and k.generation = lease.key_generation and k.unusable_reason is null
  returning k.provider into provider;
  if found then
    perform private.alert_once(lease.user_id, provider, 'key_unopenable', lease.user_api_key_id, '{}', 0);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION public.claim_api_key_alerts (
  most integer
)
  RETURNS TABLE (
    id              uuid,
    user_id         uuid,
    provider        text,
    kind            text,
    user_api_key_id uuid,
    key_name        text,
    detail          jsonb,
    created_at      timestamp with time zone
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  at constant timestamptz := clock_timestamp();
  starved public.api_key_starvations;
begin
  -- Nobody may have asked again since: agents wait as long as they are told.
  for starved in
    update public.api_key_starvations s
    set alerted_at = at
    where s.id in (
      select o.id
      from public.api_key_starvations o
      where o.ended_at is null
        and o.alerted_at is null
        and o.since <= at - interval '1 minute'
        and (o.soonest_at is null or o.soonest_at > at)
      for update skip locked
    )
    returning s.*
  loop
    perform private.alert_starvation(starved, 'pool_starved');
  end loop;
  return query
  update public.api_key_alerts a
  set claimed_until = at + interval '2 minutes'
  where a.id in (
    select w.id
    from public.api_key_alerts w
    where w.sent_at is null
      -- What is a day old helps nobody any more.
      and w.created_at > at - interval '1 day'
      and (w.claimed_until is null or w.claimed_until <= at)
    order by w.created_at, w.id
    limit claim_api_key_alerts.most
    for update skip locked
  )
  returning a.id, a.user_id, a.provider, a.kind, a.user_api_key_id, a.key_name, a.detail, a.created_at;
end;
$function$;

REVOKE ALL ON FUNCTION "public"."claim_api_key_alerts"(integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.keyhub_schedule()
  RETURNS text[]
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  job record;
  made text[] := '{}';
begin
  if to_regprocedure('cron.schedule(text, text, text)') is null then
    raise notice 'pg_cron is not enabled in this database, so that no job was made: enable it and call keyhub_schedule() again';
    return made;
  end if;
  for job in
    select *
    from (
      values
        -- A little every minute: 32 MB of the log are looked at in some 50 ms, so that ten million rows are gone through within
        -- the hour, and up to 50,000 a minute are deleted.
        ('keyhub-prune-usage-log', '* * * * *', 'select public.prune_api_key_usage_log(batch => 50000, pages => 4096)'),
        ('keyhub-prune-hub', '17 * * * *', 'select public.hub_prune()'),
        ('keyhub-refresh-discovery', '*/10 * * * *', 'select public.hub_refresh_discovery()')
      union all
      select
        'keyhub-alerts',
        '* * * * *',
        'select net.http_post('
        || 'url := u.decrypted_secret || ''/functions/v1/keyhub-alerts'', '
        || 'headers := jsonb_build_object(''Content-Type'', ''application/json'', ''apikey'', k.decrypted_secret), '
        || 'body := ''{}''::jsonb) '
        || 'from vault.decrypted_secrets u, vault.decrypted_secrets k '
        || 'where u.name = ''keyhub_url'' and k.name = ''keyhub_secret_key'''
      -- The function is called over HTTP: it needs pg_net, and Vault for the address and the key.
      where exists (
          select from pg_catalog.pg_proc p where p.pronamespace = to_regnamespace('net') and p.proname = 'http_post'
        )
        and to_regclass('vault.decrypted_secrets') is not null
    ) jobs (name, schedule, command)
  loop
    -- A job of that name is replaced.
    execute 'select cron.schedule($1, $2, $3)' using job.name, job.schedule, job.command;
    made := made || job.name;
  end loop;
  return made;
end;
$function$;

CREATE OR REPLACE FUNCTION public.lease_api_key (
  token_hash       text    DEFAULT NULL::text,
  user_id          uuid    DEFAULT NULL::uuid,
  provider         text    DEFAULT NULL::text,
  live_kids        text[]  DEFAULT '{}'::text[],
  release_lease_id uuid    DEFAULT NULL::uuid,
  attempt          integer DEFAULT 0,
  calls            integer DEFAULT 1,
  exclude          uuid[]  DEFAULT '{}'::uuid[],
  model            text    DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  SET lock_timeout TO '600ms'
  AS $function$
declare
  retry constant jsonb := '{"kind": "retry"}';
  agent_id uuid;
  at timestamptz := clock_timestamp();
  -- Tiers from this priority up have no key for this call.
  above bigint := 2147483648;
  tier_priority integer;
  is_due boolean;
  -- The tier's mark for the model while it holds, else its low-water mark.
  model_mark jsonb;
  mark_count bigint;
  mark_id uuid;
  -- The tier that this call has refreshed last.
  refreshed integer;
  -- Where the search starts.
  start_count bigint;
  start_id uuid;
  -- Where the key stands that this call has waited for.
  held_priority integer;
  held_count bigint;
  held_id uuid;
  chosen_id uuid;
  chosen_generation integer;
  is_ready boolean;
  -- The block of the chosen key for the model is over, and the key not levelled yet.
  comes_back boolean;
  levelled boolean := false;
  lease_id uuid;
  leased_at timestamptz;
  was_starved boolean;
  answer jsonb;
begin
  -- From here on user_id is the owner of the pool.
  select c.pool_user_id, c.agent_id into lease_api_key.user_id, agent_id
  from private.key_caller(lease_api_key.token_hash, lease_api_key.user_id) c;
  if lease_api_key.release_lease_id is not null then
    perform private.release_lease(lease_api_key.user_id, lease_api_key.release_lease_id);
  end if;

  loop
    -- Several small statements: starting one large joined statement takes longer than all of them.
    select t.priority, t.low_water_count, t.low_water_id, t.next_expiry_check_at <= at, t.model_marks -> lease_api_key.model
    into tier_priority, mark_count, mark_id, is_due, model_mark
    from private.api_key_tiers t
    where t.user_id = lease_api_key.user_id and t.priority < above
    order by t.priority desc
    limit 1;
    if not found then
      -- No tier has a key: the answer comes from one look at the whole pool.
      answer := private.pool_availability(
        lease_api_key.user_id, lease_api_key.provider, lease_api_key.live_kids, lease_api_key.exclude, lease_api_key.model
      );
      if answer is not null and lease_api_key.exclude <> '{}' then
        -- No other key is left: an excluded key is better than none.
        lease_api_key.exclude := '{}';
        above := 2147483648;
        continue;
      elsif answer is null and lease_api_key.attempt > 0 then
        -- A key is ready that no tier led to, more than once: its row came in without its triggers.
        perform private.rebuild_tiers(lease_api_key.user_id);
      end if;
      if answer is not null then
        perform private.note_starvation(lease_api_key.user_id, lease_api_key.provider, lease_api_key.model, answer);
      end if;
      return coalesce(answer, retry);
    end if;

    -- Expired cooldowns are cleared first. Odd attempts skip this step: it locks the tier, and a call that holds a lock must
    -- not wait for a key.
    if is_due and lease_api_key.attempt % 2 = 0 and refreshed is distinct from tier_priority then
      refreshed := tier_priority;
      perform private.refresh_tier(lease_api_key.user_id, tier_priority, only_expired => true);
      continue;
    end if;

    if (model_mark ->> 'until')::timestamptz > at then
      mark_count := model_mark ->> 'count';
      mark_id := model_mark ->> 'id';
    else
      model_mark := null;
    end if;
    -- The tier's first key in the documented order that is not locked. The first caller of a pool starts at the low-water
    -- mark. Callers that come while it works start at a random place, or each would step over the keys that all others have
    -- locked. A retry starts at the mark, so that it misses no free key.
    start_count := mark_count;
    start_id := mark_id;
    if tier_priority = held_priority then
      start_count := held_count;
      start_id := held_id;
    elsif lease_api_key.attempt = 0
      and not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.uuid_hash_extended(lease_api_key.user_id, 1))
    then
      start_id := gen_random_uuid();
      start_count := start_count + (start_id < mark_id)::integer;
    end if;
    select k.id, k.generation, coalesce(lease_api_key.model = any (k.limited_models), false)
    into chosen_id, chosen_generation, comes_back
    from public.user_api_keys k
    where k.user_id = lease_api_key.user_id
      and k.priority = tier_priority
      and k.is_ready
      and (k.usage_count, k.id) >= (start_count, start_id)
      and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
      -- Only texts that are sealed to a live pair.
      and k.sealed_kid = any (lease_api_key.live_kids)
      and k.id <> all (lease_api_key.exclude)
      and (lease_api_key.model is null or coalesce(k.limited_until[array_position(k.limited_models, lease_api_key.model)] <= at, true))
    order by k.usage_count, k.id
    limit 1
    for no key update skip locked;
    if found then
      exit when not comes_back or levelled;
      -- It and others like it start where the keys are that were free for the model: search again.
      levelled := true;
      perform private.level_for_model(lease_api_key.user_id, tier_priority, lease_api_key.model, at);
      continue;
    end if;

    -- All are locked, or there are none. Mostly there is one to wait for after a random place.
    start_id := gen_random_uuid();
    is_ready := true;
    select k.id into chosen_id
    from public.user_api_keys k
    where k.user_id = lease_api_key.user_id
      and k.priority = tier_priority
      and k.is_ready
      and (k.usage_count, k.id) >= (start_count, start_id)
      and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
      and k.sealed_kid = any (lease_api_key.live_kids)
      and k.id <> all (lease_api_key.exclude)
      and (lease_api_key.model is null or coalesce(k.limited_until[array_position(k.limited_models, lease_api_key.model)] <= at, true))
    order by k.usage_count, k.id
    limit 1;
    if not found then
      -- In one look, also at the mark: a key that another call makes ready meanwhile is either over in it, or not below the mark.
      -- Any of the first, so that callers spread over the keys.
      select k.id, k.is_ready into chosen_id, is_ready
      from private.api_key_tiers t
      cross join lateral (
        select case
          when (t.model_marks -> lease_api_key.model ->> 'until')::timestamptz > at then t.model_marks -> lease_api_key.model
        end
      ) mark (model_mark)
      cross join lateral (
        (
          select k.id, k.is_ready
          from public.user_api_keys k
          where k.user_id = t.user_id
            and k.priority = t.priority
            and k.is_ready
            and (k.usage_count, k.id) >= (
              coalesce((mark.model_mark ->> 'count')::bigint, t.low_water_count),
              coalesce((mark.model_mark ->> 'id')::uuid, t.low_water_id)
            )
            and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
            and k.sealed_kid = any (lease_api_key.live_kids)
            and k.id <> all (lease_api_key.exclude)
            and (lease_api_key.model is null or coalesce(k.limited_until[array_position(k.limited_models, lease_api_key.model)] <= at, true))
          order by k.usage_count, k.id
          limit 16
        )
        union all
        (
          select k.id, k.is_ready
          from public.user_api_keys k
          where k.user_id = t.user_id
            and k.priority = t.priority
            and not k.is_ready
            and k.ready_at <= at
            and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
            and k.sealed_kid = any (lease_api_key.live_kids)
            and k.id <> all (lease_api_key.exclude)
            and (lease_api_key.model is null or coalesce(k.limited_until[array_position(k.limited_models, lease_api_key.model)] <= at, true))
          order by k.ready_at
          limit 1
        )
      ) k
      where t.user_id = lease_api_key.user_id and t.priority = tier_priority
      order by k.is_ready desc, random()
      limit 1;
    end if;
    if not found then
      -- Not in odd attempts: it locks the tier, too.
      if lease_api_key.model is not null and model_mark is null and lease_api_key.attempt % 2 = 0 then
        perform private.raise_model_mark(lease_api_key.user_id, tier_priority, lease_api_key.model);
      end if;
      above := tier_priority;
      continue;
    end if;
    -- A tier without a ready key is checked for expired cooldowns, whenever its next check is due.
    if not is_ready and lease_api_key.attempt % 2 = 0 and refreshed is distinct from tier_priority then
      refreshed := tier_priority;
      perform private.refresh_tier(lease_api_key.user_id, tier_priority, only_expired => true);
      continue;
    end if;

    -- Wait for it: a lower tier is never served instead. A call that holds a row lock (its transaction has an id then) must
    -- not wait for another row, or two of them would wait for each other. It may hold locks without a change of its own: a
    -- row that was ready when found and no longer when locked stays locked.
    if pg_catalog.pg_current_xact_id_if_assigned() is not null then
      return retry;
    end if;
    perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(chosen_id, 0));
    select k.priority, k.usage_count, k.id into held_priority, held_count, held_id
    from public.user_api_keys k
    where k.id = chosen_id
    for no key update;
    -- Something may have changed meanwhile: search again as a retry does, from the first tier on, and in the key's own tier
    -- from the key on.
    lease_api_key.attempt := 1;
    at := clock_timestamp();
    above := 2147483648;
  end loop;

  if lease_api_key.calls > 1 then
    answer := private.lease_batch(
      lease_api_key.user_id, agent_id, tier_priority, lease_api_key.provider, lease_api_key.live_kids, lease_api_key.calls,
      lease_api_key.model, mark_count, mark_id, at
    );
    was_starved := exists (select from public.api_key_starvations s where s.user_id = lease_api_key.user_id and s.ended_at is null);
  else
    -- The log row first: its foreign key finds the key row locked already, and need not lock the next version of it.
    insert into public.api_key_usage_log (user_api_key_id, user_id, agent_id, key_generation, issued_at, model)
    values (chosen_id, lease_api_key.user_id, agent_id, chosen_generation, clock_timestamp(), lease_api_key.model)
    returning id, issued_at into lease_id, leased_at;

    update private.key_leases k
    set usage_count = k.usage_count + 1
    where k.id = chosen_id
    returning k.lease || jsonb_build_object('lease_id', lease_id, 'leased_at', leased_at, 'model', lease_api_key.model),
      exists (select from public.api_key_starvations s where s.user_id = lease_api_key.user_id and s.ended_at is null)
    into answer, was_starved;
  end if;
  if was_starved then
    perform private.end_starvations(lease_api_key.user_id, chosen_id, lease_api_key.model);
  end if;

  -- Once in 64 leases the low-water mark is raised and the next expiry check postponed. Never waits.
  if random() < 0.015625 * lease_api_key.calls then
    perform private.refresh_tier(lease_api_key.user_id, tier_priority);
    if lease_api_key.model is not null then
      perform private.raise_model_mark(lease_api_key.user_id, tier_priority, lease_api_key.model);
    end if;
  end if;
  return answer;
end;
$function$;

CREATE OR REPLACE FUNCTION public.prune_api_key_usage_log (
  keep  interval DEFAULT '30 days'::interval,
  batch integer  DEFAULT 10000,
  pages integer  DEFAULT NULL::integer
)
  RETURNS integer
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  -- One megabyte a statement, so that pruning stops soon after the batch is full.
  slice constant integer := 128;
  size constant bigint := pg_relation_size('public.api_key_usage_log') / current_setting('block_size')::integer;
  unseen bigint := least(size, prune_api_key_usage_log.pages);
  page bigint;
  pruned integer := 0;
  gone integer;
begin
  if prune_api_key_usage_log.keep < interval '1 day'
    or prune_api_key_usage_log.batch < 1
    or prune_api_key_usage_log.pages < 1
  then
    raise exception using errcode = 'PT422', message = 'keep must be at least 1 day, batch and pages at least 1';
  end if;

  -- Two pruners take turns; leases and reports never lock this row.
  select p.next_page into page from private.api_key_log_pruning p for no key update;
  page := coalesce(page, 0);
  while unseen > 0 loop
    if page >= size then
      -- It starts again after the last page.
      page := 0;
    end if;
    delete from public.api_key_usage_log l
    where l.ctid = any (array(
      select old.ctid
      from public.api_key_usage_log old
      where old.ctid >= format('(%s,0)', page)::tid
        and old.ctid < format('(%s,0)', page + slice)::tid
        and coalesce(old.issued_at, old.reported_at) < clock_timestamp() - prune_api_key_usage_log.keep
        -- A recent report keeps its row.
        and coalesce(old.reported_at, old.issued_at) < clock_timestamp() - prune_api_key_usage_log.keep
        -- The row that explains a live block or a disabled key stays for as long as it does.
        and not exists (
          select
          from public.api_key_health h
          join public.user_api_keys k on k.id = h.user_api_key_id
          where h.user_api_key_id = old.user_api_key_id
            and h.reason_log_id = old.id
            -- A block that is over needs no explanation.
            and k.ready_at > clock_timestamp()
        )
        and not exists (
          select
          from public.api_key_model_health m
          where m.user_api_key_id = old.user_api_key_id
            and m.caused_by_log_id = old.id
            and m.blocked_until > clock_timestamp()
        )
      limit prune_api_key_usage_log.batch - pruned
      -- Never waits for a report, whose row may become the one that explains a block.
      for update skip locked
    ));
    get diagnostics gone = row_count;
    pruned := pruned + gone;
    exit when pruned >= prune_api_key_usage_log.batch;
    page := page + slice;
    unseen := unseen - slice;
  end loop;
  -- The next call goes on where this one stopped.
  update private.api_key_log_pruning p set next_page = page;
  -- At most one a pool and provider in five minutes: few enough to delete in one statement.
  delete from public.api_key_alerts a where a.created_at < clock_timestamp() - prune_api_key_usage_log.keep;
  delete from public.api_key_starvations s where s.last_refused_at < clock_timestamp() - prune_api_key_usage_log.keep;
  -- Its order has each plan look into the index of the keys, where a key without rows would have the whole log read.
  delete from public.api_key_deleted d
  where (
    select l.id from public.api_key_usage_log l where l.user_api_key_id = d.id order by coalesce(l.agent_id, l.user_id) limit 1
  ) is null;
  return pruned;
end;
$function$;

CREATE OR REPLACE FUNCTION public.settle_api_key_alerts (
  sent   uuid[],
  failed uuid[]
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  update public.api_key_alerts a
  set sent_at = case when a.id = any (settle_api_key_alerts.sent) then clock_timestamp() end, claimed_until = null
  where a.id = any (settle_api_key_alerts.sent || settle_api_key_alerts.failed) and a.sent_at is null;
$function$;

REVOKE ALL ON FUNCTION "public"."settle_api_key_alerts"(uuid[], uuid[]) FROM PUBLIC, "anon", "authenticated";

ALTER TABLE "public"."api_key_alerts"
  ADD CONSTRAINT "api_key_alerts_kind_check"
    CHECK ((kind = ANY (ARRAY['pool_starved'::text, 'pool_recovered'::text, 'key_disabled'::text, 'key_unopenable'::text, 'many_at_once'::text])));

ALTER TABLE "public"."api_key_starvations"
  ADD CONSTRAINT "api_key_starvations_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE VIEW "public"."api_key_pools" WITH (security_invoker=true) AS  SELECT p.user_id,
    p.provider,
    p.available,
    p.limited,
    p.cooling_down,
    p.disabled,
    p.soonest_seconds,
    l.leases AS leases_last_hour,
    l.failures AS failures_last_hour,
        CASE
            WHEN (p.available = 0) THEN ( SELECT min(s.since) AS min
               FROM public.api_key_starvations s
              WHERE ((s.user_id = p.user_id) AND (s.ended_at IS NULL) AND ((s.provider IS NULL) OR (NOT (s.provider IS DISTINCT FROM p.provider)))))
            ELSE NULL::timestamp with time zone
        END AS starved_since
   FROM (( SELECT k.user_id,
            k.provider,
            count(*) FILTER (WHERE ((k.ready_at <= k.at) AND (NOT k.is_limited))) AS available,
            count(*) FILTER (WHERE ((k.ready_at <= k.at) AND k.is_limited)) AS limited,
            count(*) FILTER (WHERE (k.is_usable AND (k.ready_at > k.at))) AS cooling_down,
            count(*) FILTER (WHERE (NOT k.is_usable)) AS disabled,
            (ceil(EXTRACT(epoch FROM (min(k.ready_at) FILTER (WHERE (k.is_usable AND (k.ready_at > k.at))) - min(k.at)))))::bigint AS soonest_seconds
           FROM ( SELECT every.user_id,
                    every.provider,
                    every.ready_at,
                    (every.is_active AND (every.unusable_reason IS NULL)) AS is_usable,
                    (EXISTS ( SELECT
                           FROM unnest(every.limited_until) ends(ends)
                          WHERE (ends.ends > clock.at))) AS is_limited,
                    clock.at
                   FROM (( SELECT clock_timestamp() AS at) clock
                     CROSS JOIN public.user_api_keys every)) k
          GROUP BY k.user_id, k.provider) p
     LEFT JOIN LATERAL ( WITH recent AS MATERIALIZED (
                 SELECT r.user_api_key_id,
                    r.issued_at,
                    r.outcome
                   FROM public.api_key_usage_log r
                  WHERE ((r.user_id = p.user_id) AND (COALESCE(r.issued_at, r.reported_at) > (now() - '01:00:00'::interval)))
                )
         SELECT count(*) FILTER (WHERE (recent.issued_at IS NOT NULL)) AS leases,
            count(*) FILTER (WHERE (recent.outcome <> 'success'::text)) AS failures
           FROM (recent
             JOIN public.user_api_keys k ON ((k.id = recent.user_api_key_id)))
          WHERE (NOT (k.provider IS DISTINCT FROM p.provider))) l ON (true));

REVOKE ALL ON TABLE "public"."api_key_pools" FROM "anon", "authenticated";

CREATE INDEX api_key_alerts_unsent_idx ON public.api_key_alerts USING btree (created_at)
  WHERE (sent_at IS NULL);

CREATE INDEX api_key_starvations_last_refused_at_idx ON public.api_key_starvations USING btree (last_refused_at);

CREATE UNIQUE INDEX api_key_starvations_open_key ON public.api_key_starvations USING btree (user_id, COALESCE(PROVIDER, ''::text), COALESCE(model, ''::text))
  WHERE (ended_at IS NULL);

CREATE INDEX api_key_starvations_user_id_idx ON public.api_key_starvations USING btree (user_id, since);

CREATE POLICY "api_key_alerts_service_update" ON "public"."api_key_alerts"
  FOR UPDATE
  TO "service_role"
  USING (true)
  WITH CHECK (true);

CREATE POLICY "api_key_starvations_service_all" ON "public"."api_key_starvations"
  FOR ALL
  TO "service_role"
  USING (true)
  WITH CHECK (true);

COMMENT ON COLUMN "public"."api_key_alerts"."claimed_until" IS 'A call of keyhub-alerts is about to send it; after this moment another one may.';

COMMENT ON COLUMN "public"."api_key_alerts"."kind" IS 'One row a change of state. pool_starved: no key could be leased for a minute, or none can come back by itself; pool_recovered: one was leased again; key_disabled: a report did it; key_unopenable: the sealed text; many_at_once: reports would have disabled more keys of the provider within a minute than they may; the rest is cooled.';

COMMENT ON COLUMN "public"."api_key_alerts"."sent_at" IS 'When keyhub-alerts had told it to KEYHUB_ALERT_URL.';

COMMENT ON COLUMN "public"."api_key_starvations"."ended_at" IS 'When a key was leased again.';

COMMENT ON COLUMN "public"."api_key_starvations"."model" IS 'The model that was asked for, where keys were limited for it alone.';

COMMENT ON COLUMN "public"."api_key_starvations"."provider" IS 'The provider that was asked for; null: any.';

COMMENT ON COLUMN "public"."api_key_starvations"."refusals" IS 'Refused calls, counted at most once a second.';

COMMENT ON COLUMN "public"."api_key_starvations"."soonest_at" IS 'When the first key comes back, as the last refusal said; null: none does by itself.';

COMMENT ON FUNCTION "private"."alert_starvation"(public.api_key_starvations, text, jsonb) IS 'Writes an alert about a starvation.';

COMMENT ON FUNCTION "private"."end_starvations"(uuid, uuid, text) IS 'A key was leased: the starvations that it ends are over, and those that were alerted are told.';

COMMENT ON FUNCTION "private"."note_starvation"(uuid, text, text, jsonb) IS 'Writes down that a lease was refused, with the answer of pool_availability, and alerts once: after a minute, or at once when no key comes back by itself.';

COMMENT ON FUNCTION "public"."claim_api_key_alerts"(integer) IS 'For keyhub-alerts: alerts of pools that are starved for a minute, then at most so many unsent alerts of the last day, oldest first, which no other call gets for two minutes.';

COMMENT ON FUNCTION "public"."settle_api_key_alerts"(uuid[], uuid[]) IS 'For keyhub-alerts: what was sent is done; what was not is for the next call.';

COMMENT ON TABLE "public"."api_key_alerts" IS 'What an operator should look at, pool by pool; keyhub-alerts sends it. Pruned with the usage log.';

COMMENT ON TABLE "public"."api_key_starvations" IS 'Times in which no key could be leased, by what was asked for. Pruned with the usage log.';

COMMENT ON VIEW "public"."api_key_pools" IS 'For operators: how many keys of each provider of a pool are available for every model, limited for some, cooling down and disabled, when the first that cools is back (seconds), and how many leases of the last hour there are, and how many of them failed, by the keys that are there now; starved_since: since when nobody could lease any.';

REVOKE ALL ON FUNCTION "private"."alert_starvation"(public.api_key_starvations, text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."alert_starvation"(public.api_key_starvations, text, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."end_starvations"(uuid, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_starvations"(uuid, uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."note_starvation"(uuid, text, text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_starvation"(uuid, text, text, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "public"."claim_api_key_alerts"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."claim_api_key_alerts"(integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."claim_api_key_alerts"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."settle_api_key_alerts"(uuid[], uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."settle_api_key_alerts"(uuid[], uuid[]) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."settle_api_key_alerts"(uuid[], uuid[]) TO "service_role";

REVOKE ALL ("claimed_until") ON TABLE "public"."api_key_alerts" FROM "service_role";

GRANT UPDATE ("claimed_until") ON TABLE "public"."api_key_alerts" TO "service_role";

REVOKE ALL ("sent_at") ON TABLE "public"."api_key_alerts" FROM "service_role";

GRANT UPDATE ("sent_at") ON TABLE "public"."api_key_alerts" TO "service_role";

REVOKE ALL ON TABLE "public"."api_key_starvations" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."api_key_starvations" TO "postgres";

REVOKE ALL ON TABLE "public"."api_key_starvations" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."api_key_starvations" TO "service_role";

REVOKE ALL ON TABLE "public"."api_key_pools" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."api_key_pools" TO "postgres";

REVOKE ALL ON TABLE "public"."api_key_pools" FROM "service_role";

GRANT SELECT ON TABLE "public"."api_key_pools" TO "service_role";
