SET local check_function_bodies = off;

DROP TRIGGER "user_api_keys_20_before_write" ON "public"."user_api_keys";

DROP INDEX "public"."api_key_usage_log_key_idx";

DROP VIEW "private"."key_leases";

DROP VIEW "public"."api_key_states";

DROP FUNCTION "private"."lately_disabled"(uuid, text, double precision);

DROP FUNCTION "private"."lease_batch"(uuid, uuid, integer, text, text[], integer);

DROP FUNCTION "private"."least_usage_count"(uuid, integer, uuid);

DROP FUNCTION "private"."pool_availability"(uuid, text, text[], uuid[]);

DROP FUNCTION "private"."tend_tier"(uuid, integer, boolean);

DROP FUNCTION "public"."api_key_provider"(text, uuid, uuid, uuid);

DROP FUNCTION "public"."lease_api_key"(text, uuid, text, text[], uuid, integer, integer, uuid[]);

DROP FUNCTION "public"."report_and_lease"(jsonb, text, uuid, text, text[], uuid[]);

CREATE TABLE "public"."api_key_model_health" (
  "user_api_key_id"      uuid                     NOT NULL,
  "model"                text                     NOT NULL,
  "blocked_until"        timestamp with time zone,
  "consecutive_failures" integer                  NOT NULL DEFAULT 0,
  "rate_blocked_until"   timestamp with time zone,
  "reason"               text,
  "reason_code"          text,
  "reason_since"         timestamp with time zone,
  "caused_by_log_id"     uuid,
  "last_failure_at"      timestamp with time zone,
  "last_reported_at"     timestamp with time zone,
  "reset_at"             timestamp with time zone,
  CONSTRAINT "api_key_model_health_consecutive_failures_check" CHECK (((consecutive_failures >= 0) AND (consecutive_failures <= 1000000000))),
  CONSTRAINT "api_key_model_health_model_check" CHECK ((model ~ '^[^[:cntrl:]]{1,128}$'::text)),
  CONSTRAINT "api_key_model_health_pkey" PRIMARY KEY (user_api_key_id, model)
);

ALTER TABLE "public"."api_key_model_health"
  ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."api_key_model_health"
  SET (fillfactor=50);

REVOKE ALL ON TABLE "public"."api_key_model_health" FROM "anon", "authenticated";

ALTER TABLE "private"."api_key_tiers"
  ADD COLUMN "model_marks" jsonb NOT NULL DEFAULT '{}'::jsonb;

ALTER TABLE "public"."api_key_usage_log"
  ADD COLUMN "dead" boolean;

ALTER TABLE "public"."api_key_usage_log"
  ADD COLUMN "model" text;

ALTER TABLE "public"."api_key_usage_log"
  ADD COLUMN "scope" text;

ALTER TABLE "public"."user_api_keys"
  ADD COLUMN "account" text;

ALTER TABLE "public"."user_api_keys"
  ADD COLUMN "limited_models" text[];

ALTER TABLE "public"."user_api_keys"
  ADD COLUMN "limited_until" timestamp WITH time zone[];

ALTER TABLE "public"."user_api_keys"
  ADD COLUMN "skipped_count" bigint NOT NULL DEFAULT 0;

ALTER TYPE "private"."key_report" ADD ATTRIBUTE "dead" boolean CASCADE;

ALTER TYPE "private"."key_report" ADD ATTRIBUTE "model" text CASCADE;

ALTER TYPE "private"."key_report" ADD ATTRIBUTE "same_answer_as" uuid CASCADE;

ALTER TYPE "private"."key_report" ADD ATTRIBUTE "scope" text CASCADE;

CREATE OR REPLACE FUNCTION private.api_key_model_health_before_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- Whatever names a caller makes up: the rows whose block is over, or ends first, make room.
  delete from public.api_key_model_health m
  where m.user_api_key_id = new.user_api_key_id
    and m.model in (
      select other.model
      from public.api_key_model_health other
      where other.user_api_key_id = new.user_api_key_id and other.model <> new.model
      order by other.blocked_until desc nulls last
      offset 199
    );
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.api_key_model_health_before_update()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  lengthened constant boolean := new.blocked_until > greatest(old.blocked_until, clock_timestamp());
begin
  if (new.user_api_key_id, new.model) is distinct from (old.user_api_key_id, old.model) then
    raise exception using errcode = 'PT422', message = 'health_row_is_bound', detail = '{"column": "user_api_key_id, model"}';
  elsif new.blocked_until is null then
    new.reset_at := clock_timestamp();
  end if;
  new.rate_blocked_until := case when new.blocked_until is not null then least(new.rate_blocked_until, new.blocked_until) end;
  -- What explained the block before explains it no more.
  if lengthened or new.blocked_until is null then
    new.reason := case when lengthened then 'blocked_by_operator' end;
    new.reason_code := null;
    new.reason_since := case when lengthened then clock_timestamp() end;
    new.caused_by_log_id := null;
  end if;
  return new;
end;
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
      -- Only a failure can block or disable a key. A row that is new in the log locks the key, too, through its foreign key.
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

CREATE OR REPLACE FUNCTION private.copy_model_block_to_key()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  edited constant public.api_key_model_health := case tg_op when 'DELETE' then old else new end;
  ends timestamptz := case when tg_op <> 'DELETE' then new.blocked_until end;
  at timestamptz;
  key public.user_api_keys;
  before timestamptz;
begin
  if tg_op = 'UPDATE' and old.blocked_until is not distinct from new.blocked_until then
    return null;
  end if;
  select k.* into key from public.user_api_keys k where k.id = edited.user_api_key_id for no key update;
  at := clock_timestamp();
  before := key.limited_until[array_position(key.limited_models, edited.model)];
  -- A block that is reset ends now: the next lease for the model finds it so and levels the key.
  ends := coalesce(ends, least(before, at));
  update public.user_api_keys k
  set (limited_models, limited_until) = (
    select array_agg(l.model), array_agg(l.until)
    from (
      select o.model, o.until
      from unnest(key.limited_models, key.limited_until) o (model, until)
      -- Of models that nobody asks for any more, what is over goes.
      where o.model <> edited.model and (o.until > at or cardinality(key.limited_models) < 200)
      union all
      select edited.model, ends where ends > at or before is not null
    ) l
  )
  where k.id = key.id and (ends > at or before is not null);
  if ends < before then
    update private.api_key_tiers t set model_marks = '{}' where t.user_id = key.user_id and t.priority = key.priority;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.forget_model_blocks()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'TRUNCATE' then
    update public.user_api_keys k
    set limited_until = array_fill(clock_timestamp(), array[cardinality(k.limited_models)])
    where k.limited_models is not null;
    update private.api_key_tiers t set model_marks = '{}' where t.model_marks <> '{}';
  else
    delete from public.api_key_model_health m where m.user_api_key_id = new.id;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lease_batch (
  user_id     uuid,
  agent_id    uuid,
  priority    integer,
  provider    text,
  live_kids   text[],
  calls       integer,
  model       text,
  start_count bigint,
  start_id    uuid,
  at          timestamp with time zone
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET enable_material TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  answers jsonb;
begin
  with held as (
    select k.id, k.usage_count, k.generation
    from public.user_api_keys k
    where k.user_id = lease_batch.user_id
      and k.priority = lease_batch.priority
      and k.is_ready
      and (k.usage_count, k.id) >= (lease_batch.start_count, lease_batch.start_id)
      and (lease_batch.provider is null or k.provider is null or k.provider = lease_batch.provider)
      and k.sealed_kid = any (lease_batch.live_kids)
      and (lease_batch.model is null or coalesce(k.limited_until[array_position(k.limited_models, lease_batch.model)] <= lease_batch.at, true))
    order by k.usage_count, k.id
    limit lease_batch.calls
    -- A caller that holds a key waits for no other.
    for no key update skip locked
  ),
  -- The same keys that single calls one after the other would get: always the least used, whose count then rises by one.
  turns as (
    select h.id, h.generation
    from held h, pg_catalog.generate_series(0, lease_batch.calls - 1) more
    order by h.usage_count + more, h.id
    limit lease_batch.calls
  ),
  leases as (
    insert into public.api_key_usage_log (user_api_key_id, user_id, agent_id, key_generation, issued_at, model)
    select t.id, lease_batch.user_id, lease_batch.agent_id, t.generation, clock_timestamp(), lease_batch.model
    from turns t
    returning id, user_api_key_id, issued_at
  ),
  counted as (
    update private.key_leases k
    set usage_count = k.usage_count + taken.number
    from (select l.user_api_key_id as id, count(*) as number from leases l group by 1) taken
    where k.id = taken.id
    returning k.id, k.lease
  )
  select jsonb_agg(k.lease || jsonb_build_object('lease_id', l.id, 'leased_at', l.issued_at, 'model', lease_batch.model) order by l.place)
  into answers
  from (select l.*, row_number() over () as place from leases l) l
  join counted k on k.id = l.user_api_key_id;
  return answers;
end;
$function$;

CREATE OR REPLACE FUNCTION private.least_usage_count (
  user_id   uuid,
  priority  integer,
  except_id uuid,
  is_ready  boolean
)
  RETURNS bigint
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select k.usage_count
  from public.user_api_keys k
  where k.user_id = least_usage_count.user_id
    and k.priority = least_usage_count.priority
    and k.is_ready = least_usage_count.is_ready
    and k.is_active
    and k.id is distinct from least_usage_count.except_id
    -- Not through what leases have left behind in the index.
    and k.usage_count >= coalesce(
      (
        select t.low_water_count
        from private.api_key_tiers t
        where t.user_id = least_usage_count.user_id
          and t.priority = least_usage_count.priority
          and least_usage_count.is_ready
      ),
      0
    )
  order by k.usage_count, k.id
  limit 1;
$function$;

CREATE OR REPLACE FUNCTION private.level_for_model (
  user_id  uuid,
  priority integer,
  model    text,
  at       timestamp with time zone
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  -- Nobody else may edit these columns of the key row.
  select set_config('keyhub.levelling', 'on', true);
  update public.user_api_keys k
  -- The most that a count may be raised at once: see refuse_huge_usage_count.
  set usage_count = k.usage_count + greatest(least(least_free.usage_count - k.usage_count, 1000000), 0),
    skipped_count = k.skipped_count + greatest(least(least_free.usage_count - k.usage_count, 1000000), 0),
    limited_models = nullif(array_remove(k.limited_models, level_for_model.model), '{}'),
    limited_until = nullif(
      k.limited_until[: array_position(k.limited_models, level_for_model.model) - 1]
        || k.limited_until[array_position(k.limited_models, level_for_model.model) + 1 :],
      '{}'
    )
  from (
    select coalesce((
      select f.usage_count
      from public.user_api_keys f
      where f.user_id = level_for_model.user_id
        and f.priority = level_for_model.priority
        and f.is_ready
        and (f.limited_models is null or level_for_model.model <> all (f.limited_models))
        and (f.usage_count, f.id) >= (
          select t.low_water_count, t.low_water_id
          from private.api_key_tiers t
          where t.user_id = level_for_model.user_id and t.priority = level_for_model.priority
        )
      order by f.usage_count, f.id
      limit 1
    ), 0) as usage_count
  ) least_free
  where k.id in (
    select over.id
    from public.user_api_keys over
    where over.user_id = level_for_model.user_id
      and over.priority = level_for_model.priority
      and over.is_ready
      and over.limited_until[array_position(over.limited_models, level_for_model.model)] <= level_for_model.at
    order by over.usage_count, over.id
    limit 64
    for no key update skip locked
  );
  select set_config('keyhub.levelling', '', true);
$function$;

CREATE OR REPLACE FUNCTION private.lift_report (
  told public.api_key_usage_log
)
  RETURNS boolean
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  key_ids uuid[];
  at timestamptz;
  keys integer;
  models integer;
  is_limit constant boolean := told.outcome in ('rate_limited', 'quota_exhausted');
begin
  -- The caller holds no lock yet, and takes none of its own key: two that lift each other's blocks wait for one key each.
  key_ids := private.lock_for_report(
    told.user_id, told.user_api_key_id, case told.effect when 'cooled' then 'account' else 'key' end, told.model
  );
  at := clock_timestamp();
  if told.effect = 'disabled' then
    -- Enabling makes its health clean; then it rests.
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
    -- Nothing has moved the block since, and it began with that report.
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
$function$;

CREATE OR REPLACE FUNCTION private.lock_for_report (
  user_id uuid,
  key_id  uuid,
  reach   text,
  model   text
)
  RETURNS uuid[]
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  own public.user_api_keys;
  next_id uuid;
  key_ids uuid[] := array[lock_for_report.key_id];
  give_up_at timestamptz;
begin
  -- One caller of a key at a time: see lease_api_key.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(lock_for_report.key_id, 0));
  if lock_for_report.reach <> 'health' then
    -- A TRUNCATE of a health table locks the keys next: wait for it here, before this call holds a key.
    perform from public.api_key_health h where h.user_api_key_id = lock_for_report.key_id;
    perform from public.api_key_model_health m where m.user_api_key_id = lock_for_report.key_id limit 1;
    select k.* into own from public.user_api_keys k where k.id = lock_for_report.key_id and k.user_id = lock_for_report.user_id;
    if own.account is null or lock_for_report.reach = 'key' then
      perform from public.user_api_keys k where k.id = lock_for_report.key_id for no key update;
    else
      -- The one place where a call waits for a row while it holds others: each such call takes the account's lock and then its
      -- keys in one order (the own key first would be a livelock), and gives up after .6 s, so that an operator who edits many
      -- keys in another order never meets the deadlock detector.
      perform pg_catalog.pg_advisory_xact_lock(
        pg_catalog.hashtextextended(concat_ws(' ', own.user_id, own.provider, own.account), 2)
      );
      perform set_config('lock_timeout', '300ms', true);
      key_ids := '{}';
      for next_id in
        select k.id
        from public.user_api_keys k
        where k.user_id = own.user_id and k.account = own.account and k.provider is not distinct from own.provider
        order by k.id
      loop
        if clock_timestamp() > give_up_at then
          raise exception using errcode = 'lock_not_available', message = 'lock_conflict';
        end if;
        perform from public.user_api_keys k
        -- Who disabled a key, or took it out of the account, meanwhile, did it before this report.
        where k.id = next_id and (k.id = own.id or k.is_active and k.user_id = own.user_id and k.account = own.account)
        for no key update;
        if found then
          key_ids := key_ids || next_id;
        end if;
        give_up_at := coalesce(give_up_at, clock_timestamp() + interval '300 ms');
      end loop;
    end if;
  end if;

  -- Rows of health are never waited for: an operator's reset locks them before the key.
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
$function$;

CREATE OR REPLACE FUNCTION private.lower_low_water_mark()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- Locks the tier's row also where the mark is low enough already: refresh_tier cannot see this key before it is committed, and
  -- must not raise the mark until then.
  insert into private.api_key_tiers as t (user_id, priority, low_water_count, low_water_id)
  values (new.user_id, new.priority, new.usage_count, new.id)
  on conflict (user_id, priority) do update
  set (low_water_count, low_water_id) = (
      select low.usage_count, low.id
      from (values (excluded.low_water_count, excluded.low_water_id), (t.low_water_count, t.low_water_id)) low (usage_count, id)
      order by low.usage_count, low.id
      limit 1
    ),
    model_marks = '{}'
  where (excluded.low_water_count, excluded.low_water_id) < (t.low_water_count, t.low_water_id) or t.model_marks <> '{}';
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.pool_availability (
  user_id   uuid,
  provider  text,
  live_kids text[],
  exclude   uuid[],
  model     text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  at constant timestamptz := clock_timestamp();
  pool record;
begin
  select
    count(*) filter (
      where k.is_usable
        and k.free_at <= at
        and k.id <> all (pool_availability.exclude)
    ) as ready,
    count(*) filter (where k.is_usable and k.ready_at > at) as cooling_down,
    count(*) filter (where k.is_usable and k.ready_at <= at and k.free_at > at) as limited,
    count(*) filter (where not k.is_usable) as disabled,
    min(k.free_at) filter (where k.is_usable and k.free_at > at and isfinite(k.free_at)) as soonest
  into pool
  from (
    -- A key sealed to a pair that is not live counts as disabled.
    select
      k.id,
      k.ready_at,
      -- greatest() passes over null: the key is not limited for the model, or none is asked for.
      greatest(
        k.ready_at,
        case when pool_availability.model is not null then k.limited_until[array_position(k.limited_models, pool_availability.model)] end
      ) as free_at,
      k.is_active and k.unusable_reason is null and k.sealed_kid = any (pool_availability.live_kids) as is_usable
    from public.user_api_keys k
    where k.user_id = pool_availability.user_id
      and (pool_availability.provider is null or k.provider is null or k.provider = pool_availability.provider)
    -- Kept apart, or free_at is computed anew in each of the filters above.
    offset 0
  ) k;
  if pool.ready > 0 then
    return null;
  end if;
  return jsonb_build_object(
    'kind', 'none',
    'cooling_down', pool.cooling_down,
    'limited', pool.limited,
    'disabled', pool.disabled,
    'retry_after', case when pool.soonest is not null then greatest(1, ceil(extract(epoch from pool.soonest - at))) end,
    'other_providers', case
      when pool.cooling_down + pool.limited + pool.disabled = 0 and pool_availability.provider is not null
      then (
        select (array_agg(distinct k.provider order by k.provider))[1:100]
        from public.user_api_keys k
        where k.user_id = pool_availability.user_id
      )
    end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.raise_model_mark (
  user_id  uuid,
  priority integer,
  model    text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  at constant timestamptz := clock_timestamp();
  tier private.api_key_tiers;
  old_mark jsonb;
  until timestamptz := 'infinity';
  front_count bigint;
  front_id uuid;
begin
  -- Held as by whatever makes a key ready or ends a block early, so that the queries below see all of it.
  select t.* into tier
  from private.api_key_tiers t
  where t.user_id = raise_model_mark.user_id and t.priority = raise_model_mark.priority
  -- A tier that another call refreshes is not waited for.
  for no key update skip locked;
  if not found then
    return;
  end if;
  old_mark := tier.model_marks -> raise_model_mark.model;
  if (old_mark ->> 'until')::timestamptz > at then
    tier.low_water_count := old_mark ->> 'count';
    tier.low_water_id := old_mark ->> 'id';
    until := old_mark ->> 'until';
  end if;
  select k.usage_count, k.id into front_count, front_id
  from public.user_api_keys k
  where k.user_id = tier.user_id
    and k.priority = tier.priority
    and k.is_ready
    and (k.usage_count, k.id) >= (tier.low_water_count, tier.low_water_id)
    and (k.limited_models is null or raise_model_mark.model <> all (k.limited_models))
  order by k.usage_count, k.id
  limit 1;
  -- Where none is free, the mark is behind every key.
  front_count := coalesce(front_count, 5000000000000000000);
  front_id := coalesce(front_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  -- The first block to end of the keys that are passed over.
  select least(until, min(k.limited_until[array_position(k.limited_models, raise_model_mark.model)])) into until
  from public.user_api_keys k
  where k.user_id = tier.user_id
    and k.priority = tier.priority
    and k.is_ready
    and (k.usage_count, k.id) >= (tier.low_water_count, tier.low_water_id)
    and (k.usage_count, k.id) < (front_count, front_id);
  if until > at and until < 'infinity' then
    update private.api_key_tiers t
    set model_marks = (
      -- Those of other models go when they are over, or when there are many.
      select case when count(*) < 200 then coalesce(jsonb_object_agg(m.key, m.value), '{}') else '{}' end
      from jsonb_each(t.model_marks) m
      where (m.value ->> 'until')::timestamptz > at
    ) || jsonb_build_object(
      raise_model_mark.model, jsonb_build_object('count', front_count, 'id', front_id, 'until', until)
    )
    where t.user_id = tier.user_id and t.priority = tier.priority;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.rebuild_tiers (
  user_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into private.api_key_tiers as t (user_id, priority, low_water_count, low_water_id)
  select distinct k.user_id, k.priority, 0, '00000000-0000-0000-0000-000000000000'::uuid
  from public.user_api_keys k
  where k.user_id = rebuild_tiers.user_id
  on conflict (user_id, priority) do update
  set low_water_count = excluded.low_water_count, low_water_id = excluded.low_water_id, model_marks = '{}';
$function$;

CREATE OR REPLACE FUNCTION private.recently_disabled_keys (
  user_id        uuid,
  provider       text,
  window_seconds double precision
)
  RETURNS uuid[]
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  listed uuid[];
begin
  -- Held to the end of the transaction, and taken last: who has it waits for nothing any more.
  insert into private.api_key_breakers as b (user_id, provider)
  values (recently_disabled_keys.user_id, coalesce(recently_disabled_keys.provider, ''))
  on conflict on constraint api_key_breakers_pkey do update set provider = b.provider
  returning b.key_ids into listed;
  -- What an operator has enabled since does not count, nor what one has disabled.
  return array(
    select k.id
    from public.user_api_keys k
    join public.api_key_health h on h.user_api_key_id = k.id
    where k.id = any (listed)
      -- A key that was given away does not count.
      and k.user_id = recently_disabled_keys.user_id
      -- An operator's enabling takes a key out of the count.
      and not k.is_active
      -- An operator's disabling does not count.
      and h.reason = 'invalid_key'
      and h.reason_since > clock_timestamp() - make_interval(secs => recently_disabled_keys.window_seconds)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.refresh_tier (
  user_id      uuid,
  priority     integer,
  only_expired boolean DEFAULT false
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  batch constant integer := 64;
  -- Taken before anything is read: a cooldown that is not visible below is newer.
  at constant timestamptz := clock_timestamp();
  over_id uuid;
  expired integer := 0;
begin
  -- Mostly there are none: then nobody waits for this call who makes a key ready.
  if refresh_tier.only_expired then
    perform from public.user_api_keys k
    where k.user_id = refresh_tier.user_id and k.priority = refresh_tier.priority and not k.is_ready and k.ready_at <= at
    order by k.ready_at
    limit 1;
    if not found then
      return;
    end if;
  end if;
  -- Whoever makes a key ready holds this lock until the commit, so that the queries below see all ready keys.
  perform from private.api_key_tiers t
  where t.user_id = refresh_tier.user_id and t.priority = refresh_tier.priority
  -- A tier that another call refreshes is not waited for.
  for no key update skip locked;
  if not found then
    return;
  end if;

  -- Without the advisory lock of a key: a caller that waits for that lock must not keep the key from becoming ready.
  -- In the order of their counts: where no key is ready, each comes back to those before it.
  for over_id in
    select over.id
    from (
      select k.usage_count, k.id
      from public.user_api_keys k
      where k.user_id = refresh_tier.user_id
        and k.priority = refresh_tier.priority
        and not k.is_ready
        and k.ready_at <= at
      order by k.ready_at
      limit batch
      for no key update skip locked
    ) over
    order by over.usage_count, over.id
  loop
    update public.user_api_keys k set cooling_until = null where k.id = over_id;
    expired := expired + 1;
  end loop;

  update private.api_key_tiers t
  set low_water_count = front.usage_count,
    low_water_id = front.id,
    next_expiry_check_at = case
      -- There are more. An eighth of the time goes into them; in the rest callers take the keys that are ready.
      when expired = batch then at + 8 * (clock_timestamp() - at)
      -- A tier without a ready key is checked at once, and a key that is noticed later loses no place.
      else at + interval '0.5 s'
    end
  from private.api_key_tiers mark
  cross join lateral (
    select k.usage_count, k.id
    from public.user_api_keys k
    where k.user_id = mark.user_id
      and k.priority = mark.priority
      and k.is_ready
      and (k.usage_count, k.id) >= (mark.low_water_count, mark.low_water_id)
    order by k.usage_count, k.id
    limit 1
  ) front
  where mark.user_id = refresh_tier.user_id
    and mark.priority = refresh_tier.priority
    and t.user_id = mark.user_id
    and t.priority = mark.priority;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_state_edit()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  raise exception using
    errcode = 'PT422',
    message = 'api_key_states is for reading: edit user_api_keys, api_key_health or api_key_model_health',
    detail = '{"code": "read_only"}';
end;
$function$;

CREATE OR REPLACE FUNCTION private.report_answer (
  log public.api_key_usage_log
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.report_same_answer (
  user_id  uuid,
  agent_id uuid,
  lease    public.api_key_usage_log,
  report   private.key_report
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
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
    -- What says that the key is dead is about the key.
    and not coalesce(l.dead, false)
    and not coalesce(report.dead, false);
  if not found then
    return null;
  end if;
  lifted := told.effect in ('cooled', 'disabled') and private.lift_report(told);
  at := clock_timestamp();
  -- The row of the log decides who was first.
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
$function$;

CREATE OR REPLACE FUNCTION private.user_api_keys_before_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  -- In an insert all of old is null: a new key is one that its owner has just been given.
  given_away constant boolean := new.user_id is distinct from old.user_id;
  replaced constant boolean := tg_op = 'INSERT' or new.api_key_encrypted is distinct from old.api_key_encrypted;
  resealed constant boolean := coalesce(current_setting('keyhub.resealing', true), '') = 'on';
  enabled boolean;
  -- A lease clears a block that is over.
  expired constant boolean := new.cooling_until is null and old.cooling_until <= clock_timestamp();
  joins boolean;
  comes_back boolean;
  least bigint;
begin
  if coalesce(current_setting('keyhub.levelling', true), '') = 'on' then
    return new;
  end if;
  -- Direct edits only: the triggers of the health tables write these columns from one level deeper.
  if pg_trigger_depth() = 1 then
    -- A copy of the block, which an edit does not change.
    new.cooling_until := case when expired then null else old.cooling_until end;
    new.limited_models := old.limited_models;
    new.limited_until := old.limited_until;
    new.skipped_count := coalesce(old.skipped_count, 0);
    new.generation := old.generation;
  end if;
  new.provider := nullif(lower(btrim(new.provider)), '');
  new.account := nullif(btrim(new.account), '');
  if new.provider is distinct from old.provider and new.provider !~ '^[a-z0-9][a-z0-9._-]{0,62}$' then
    raise exception using
      errcode = 'PT422',
      message = 'provider may have letters a to z, digits and the signs . _ -, begins with a letter or digit, and has at most 63 characters, such as openai',
      detail = '{"code": "provider_not_valid"}';
  end if;

  if (new.user_id, new.provider, new.account) is distinct from (old.user_id, old.provider, old.account) and (
    select count(*)
    from public.user_api_keys k
    where k.user_id = new.user_id and k.account = new.account and k.provider is not distinct from new.provider and k.id <> new.id
  ) >= 100 then
    raise exception using
      errcode = 'PT422',
      message = 'an account has at most 100 keys: a report on one of them may lock them all',
      detail = '{"code": "account_too_large"}';
  end if;

  -- A plaintext key must not be stored by mistake, nor come back in the message.
  if replaced and (
    new.api_key_encrypted is null
    or octet_length(new.api_key_encrypted) > 16384
    or new.api_key_encrypted !~ '^hpke\.v1\.[A-Za-z0-9_-]{1,64}\.[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{23,}$'
  ) then
    raise exception using
      errcode = 'PT422',
      message = 'api_key_encrypted is not a sealed text. Seal the key first and paste what this prints: npm run seal -- --user <user_id>',
      detail = '{"code": "key_not_sealed"}';
  end if;
  if replaced or given_away then
    new.unusable_reason := null;
  end if;
  -- The report spoke of the old key; what an operator disabled stays so.
  if tg_op = 'UPDATE' and replaced and not resealed and not new.is_active then
    new.is_active := exists (
      select from public.api_key_health h
      where h.user_api_key_id = old.id
        and h.reason = 'invalid_key'
    );
  end if;
  enabled := new.is_active and not old.is_active;
  if new.unusable_reason is null then
    new.unusable_since := null;
  end if;
  if enabled or given_away or (replaced and not resealed) then
    new.generation := coalesce(old.generation, 0) + 1;
    new.cooling_until := null;
  end if;

  -- Into a tier it did not serve: added, enabled, repaired, or of another priority or owner.
  joins := new.is_active and new.unusable_reason is null
    and (enabled or old.unusable_reason is not null or given_away or new.priority <> old.priority);
  -- Its block is over: by a lease that found it so, by a reset or by an edit.
  comes_back := not joins and new.is_active and new.unusable_reason is null
    and old.cooling_until is not null and new.cooling_until is null;
  if (joins or comes_back) and new.usage_count = coalesce(old.usage_count, 0) then
    least := private.least_usage_count(new.user_id, new.priority, new.id, true);
    new.usage_count := case
      when comes_back then greatest(new.usage_count, least)
      -- Where no key is ready: the least of those that will be.
      else coalesce(least, private.least_usage_count(new.user_id, new.priority, new.id, false), new.usage_count)
    end;
    new.skipped_count := new.skipped_count + new.usage_count - coalesce(old.usage_count, 0);
  end if;
  -- Ready at once when its cooldown is over: the tier's next check may have been postponed before the key came.
  if joins and new.cooling_until <= clock_timestamp() then
    new.cooling_until := null;
  end if;
  if pg_trigger_depth() = 1 and not expired then
    new.updated_at := clock_timestamp();
  end if;
  return new;
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
  else
    -- The log row first: its foreign key finds the key row locked already, and need not lock the next version of it.
    insert into public.api_key_usage_log (user_api_key_id, user_id, agent_id, key_generation, issued_at, model)
    values (chosen_id, lease_api_key.user_id, agent_id, chosen_generation, clock_timestamp(), lease_api_key.model)
    returning id, issued_at into lease_id, leased_at;

    update private.key_leases k
    set usage_count = k.usage_count + 1
    where k.id = chosen_id
    returning k.lease || jsonb_build_object('lease_id', lease_id, 'leased_at', leased_at, 'model', lease_api_key.model)
    into answer;
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

REVOKE ALL ON FUNCTION "public"."lease_api_key"(text, uuid, text, text[], uuid, integer, integer, uuid[], text) FROM PUBLIC, "anon", "authenticated";

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
  return pruned;
end;
$function$;

CREATE OR REPLACE FUNCTION public.report_and_lease (
  report     jsonb,
  token_hash text   DEFAULT NULL::text,
  user_id    uuid   DEFAULT NULL::uuid,
  provider   text   DEFAULT NULL::text,
  live_kids  text[] DEFAULT '{}'::text[],
  exclude    uuid[] DEFAULT '{}'::uuid[],
  model      text   DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  SET lock_timeout TO '600ms'
  AS $function$
declare
  -- The report first, so that a key it blocks is not leased again.
  reported constant jsonb := public.report_api_key(
    report => report_and_lease.report,
    token_hash => report_and_lease.token_hash,
    user_id => report_and_lease.user_id,
    lease_id => (report_and_lease.report ->> 'lease_id')::uuid
  );
begin
  -- The report holds locks, so that the lease waits for no key and may answer retry; the report is committed in any case.
  return jsonb_build_object(
    'reported', reported,
    'lease', public.lease_api_key(
      token_hash => report_and_lease.token_hash,
      user_id => report_and_lease.user_id,
      provider => report_and_lease.provider,
      live_kids => report_and_lease.live_kids,
      exclude => report_and_lease.exclude,
      model => report_and_lease.model
    )
  );
end;
$function$;

REVOKE ALL ON FUNCTION "public"."report_and_lease"(jsonb, text, uuid, text, text[], uuid[], text) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.report_api_key (
  report     jsonb,
  token_hash text  DEFAULT NULL::text,
  user_id    uuid  DEFAULT NULL::uuid,
  lease_id   uuid  DEFAULT NULL::uuid,
  key_id     uuid  DEFAULT NULL::uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  SET lock_timeout TO '600ms'
  AS $function$
<<this>>
declare
  -- Taken before anything is read: what is not visible below came later.
  at constant timestamptz := clock_timestamp();
  outcome constant text := report_api_key.report ->> 'outcome';
  rule constant text := report_api_key.report ->> 'rule';
  error_code constant text := report_api_key.report ->> 'error_code';
  named_scope constant text := report_api_key.report ->> 'scope';
  is_same_answer constant boolean := report_api_key.report ? 'same_answer_as';
  model text;
  scope text;
  agent_id uuid;
  lease public.api_key_usage_log;
  told private.key_report;
  tried boolean := false;
  last_at timestamptz;
  last_outcome_of_key text;
  answer jsonb;
begin
  -- From here on user_id is the owner of the pool.
  select c.pool_user_id, c.agent_id into report_api_key.user_id, agent_id
  from private.key_caller(report_api_key.token_hash, report_api_key.user_id) c;

  loop
    if report_api_key.lease_id is null then
      select l.* into lease
      from public.api_key_usage_log l
      where l.user_api_key_id = report_api_key.key_id
        and coalesce(l.agent_id, l.user_id) = coalesce(this.agent_id, report_api_key.user_id)
        and l.user_id = report_api_key.user_id
        and l.reported_at is null
        and l.issued_at > at - interval '24 h'
      order by l.issued_at desc
      limit 1;
      if not found then
        if not exists (select from public.user_api_keys k where k.id = report_api_key.key_id and k.user_id = report_api_key.user_id) then
          raise exception using errcode = 'PT404', message = 'key_not_found';
        -- Who was not leased a key within a day says nothing about it.
        elsif not exists (
          select
          from public.api_key_usage_log l
          where l.user_api_key_id = report_api_key.key_id
            and coalesce(l.agent_id, l.user_id) = coalesce(this.agent_id, report_api_key.user_id)
            and l.issued_at > at - interval '24 h'
        ) then
          raise exception using errcode = 'PT404', message = 'lease_not_found';
        end if;
      end if;
    else
      select l.* into lease
      from public.api_key_usage_log l
      where l.id = report_api_key.lease_id
        and l.user_id = report_api_key.user_id
        and l.issued_at is not null
        -- An agent reports its own leases, the owner of the pool any.
        and (this.agent_id is null or l.agent_id = this.agent_id);
      if not found then
        raise exception using errcode = 'PT404', message = 'lease_not_found';
      elsif report_api_key.key_id <> lease.user_api_key_id then
        raise exception using errcode = 'PT422', message = 'lease_key_mismatch';
      elsif lease.outcome <> this.outcome and not (lease.outcome = 'caller_fault' and is_same_answer) then
        raise exception using errcode = 'PT409', message = 'already_reported';
      elsif lease.outcome is not null then
        -- Duplicates end here, before any queue: also those that lost the race below.
        lease.effect := 'duplicate';
        return private.report_answer(lease);
      end if;
    end if;
    -- A model that the answer alone names is none: leases without a model would not see its block.
    model := coalesce(report_api_key.report ->> 'model', lease.model);
    scope := case
      when this.outcome = 'caller_fault' or named_scope = 'request' then 'request'
      when this.rule in ('success', 'ignore', 'tolerate') then null
      when named_scope = 'account' then 'account'
      -- A limit is the model's, where there is one, unless the answer speaks of the key or the account.
      when model is not null and coalesce(named_scope, case this.outcome when 'rate_limited' then 'model' end) = 'model' then 'model'
      else 'key'
    end;
    exit when tried
      or lease.id is null
      or is_same_answer
      or this.rule not in ('success', 'escalate')
      or report_api_key.report ?| array['hint_given', 'hint_seconds', 'hint_at'];
    tried := true;

    -- A report that changes nothing: a success on a key in good health, or one more failure of a known outage. It reads key
    -- and health in one snapshot and locks the row of the log alone, which tells who was first. So it stands before every
    -- failure, reset and edit that it does not see. The pool is the lease's: a key that was given away has risen in generation.
    update public.api_key_usage_log l
    set reported_at = at,
      outcome = this.outcome,
      error_code = this.error_code,
      effect = case this.rule when 'success' then 'none' else 'ignored' end,
      state_before = case when block.ends > at then 'cooling_down' else 'available' end,
      state_after = case when block.ends > at then 'cooling_down' else 'available' end,
      blocked_until = case when block.ends > at then block.ends end,
      consecutive_failures = block.failures,
      model = this.model,
      scope = this.scope
    from public.user_api_keys k
    join public.api_key_health h on h.user_api_key_id = k.id
    left join public.api_key_model_health m on m.user_api_key_id = k.id and m.model = this.model
    cross join lateral (
      select
        case this.scope when 'model' then m.blocked_until else h.blocked_until end,
        case this.scope when 'model' then m.rate_blocked_until else h.rate_blocked_until end,
        case this.scope when 'model' then m.consecutive_failures else h.consecutive_failures end
    ) block (ends, rate_ends, failures)
    where l.id = lease.id
      -- One lease has one effect.
      and l.outcome is null
      and k.id = lease.user_api_key_id
      and k.is_active
      -- Only a key that can be opened.
      and k.unusable_reason is null
      -- Not on a lease from before an operator's edit.
      and k.generation <= lease.key_generation
      -- A success would make it forget server errors.
      and h.recent_server_errors = '{}'
      and case this.rule
        when 'success' then
          h.consecutive_failures = 0
          and (h.blocked_until is null or h.blocked_until <= at)
          and (h.last_failure_at is null or h.last_failure_at < lease.issued_at)
          -- Nor would it end an outage of its model.
          and (m.model is null or (
            m.consecutive_failures = 0
            and (m.blocked_until is null or m.blocked_until <= at)
            and (m.last_failure_at is null or m.last_failure_at < lease.issued_at)
          ))
        -- A failure counts here only when it belongs to the known outage.
        else lease.issued_at < block.rate_ends
      end
    returning h.last_reported_at, h.last_outcome, private.report_answer(l)
    into last_at, last_outcome_of_key, answer;
    if found then
      -- The newest outcome for operators, to the second. A locked row is skipped, not waited for.
      if last_at is null or last_at < at - interval '1 s' or last_outcome_of_key <> this.outcome then
        update public.api_key_health h
        set last_reported_at = at,
          last_outcome = this.outcome,
          last_error_code = this.error_code,
          last_effect = case this.rule when 'success' then 'none' else 'ignored' end
        where h.user_api_key_id = (
          select free.user_api_key_id
          from public.api_key_health free
          where free.user_api_key_id = lease.user_api_key_id
            -- A newer outcome stays.
            and (free.last_reported_at is null or free.last_reported_at < at)
          for no key update skip locked
        );
      end if;
      return answer;
    end if;
  end loop;

  told := jsonb_populate_record(null::private.key_report, report_api_key.report);
  if is_same_answer and lease.id is not null then
    answer := private.report_same_answer(report_api_key.user_id, agent_id, lease, told);
    if answer is not null then
      return answer;
    end if;
  end if;
  told.model := model;
  told.scope := scope;
  return private.report_answer(private.apply_report(
    report_api_key.user_id,
    agent_id,
    coalesce(lease.user_api_key_id, report_api_key.key_id),
    lease,
    told
  ));
end;
$function$;

CREATE OR REPLACE FUNCTION public.report_successes (
  lease_ids  uuid[],
  token_hash text   DEFAULT NULL::text,
  user_id    uuid   DEFAULT NULL::uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  SET lock_timeout TO '600ms'
  AS $function$
<<this>>
declare
  at constant timestamptz := clock_timestamp();
  agent_id uuid;
  answers jsonb;
begin
  select c.pool_user_id, c.agent_id into report_successes.user_id, agent_id
  from private.key_caller(report_successes.token_hash, report_successes.user_id) c;

  -- As in report_api_key: reports that change nothing and whose log row is not locked. The caller reports the others one by one.
  with open as materialized (
    select l.id, l.user_api_key_id, l.model
    from public.api_key_usage_log l
    where l.id = any (report_successes.lease_ids)
      -- Somebody else's lease is left alone.
      and l.user_id = report_successes.user_id
      and (this.agent_id is null or l.agent_id = this.agent_id)
      -- A lease that was reported is evaluated alone.
      and l.outcome is null
      and l.issued_at is not null
    -- A lease that another call holds is not waited for.
    for no key update skip locked
  ),
  reported as (
    update public.api_key_usage_log l
    set reported_at = at,
      outcome = 'success',
      effect = 'none',
      state_before = 'available',
      state_after = 'available',
      consecutive_failures = 0
    from open o
    join public.user_api_keys k on k.id = o.user_api_key_id
    join public.api_key_health h on h.user_api_key_id = o.user_api_key_id
    left join public.api_key_model_health m on m.user_api_key_id = o.user_api_key_id and m.model = o.model
    where l.id = o.id
      -- The rest is evaluated alone: a key that is off or cannot be opened, a lease from before an operator's edit, server errors or
      -- failures that the success ends, a block, and a failure after the lease.
      and k.is_active
      and k.unusable_reason is null
      and k.generation <= l.key_generation
      and h.recent_server_errors = '{}'
      and h.consecutive_failures = 0
      and (h.blocked_until is null or h.blocked_until <= at)
      and (h.last_failure_at is null or h.last_failure_at < l.issued_at)
      -- Or an outage of its model.
      and (m.model is null or (
        m.consecutive_failures = 0
        and (m.blocked_until is null or m.blocked_until <= at)
        and (m.last_failure_at is null or m.last_failure_at < l.issued_at)
      ))
    returning l.id, l.user_api_key_id, private.report_answer(l) as answer,
      h.last_reported_at is null or h.last_reported_at < at - interval '1 s' or h.last_outcome <> 'success' as is_due
  ),
  heard as (
    update public.api_key_health h
    set last_reported_at = at, last_outcome = 'success', last_error_code = null, last_effect = 'none'
    where h.user_api_key_id = any (array(
      select free.user_api_key_id
      from public.api_key_health free
      where free.user_api_key_id in (select r.user_api_key_id from reported r where r.is_due)
        -- A newer outcome stays.
        and (free.last_reported_at is null or free.last_reported_at < at)
      -- A health row that another call holds is not waited for.
      for no key update of free skip locked
    ))
  )
  select coalesce(jsonb_agg(
    -- The same lease twice is one report.
    case when a.turn = 1 and r.id is not null then r.answer else '{"kind": "retry"}' end
    order by a.place
  ), '[]')
  into answers
  from (
    select u.id, u.place, row_number() over (partition by u.id order by u.place) as turn
    from unnest(report_successes.lease_ids) with ordinality u (id, place)
  ) a
  left join reported r on r.id = a.id;
  return answers;
end;
$function$;

CREATE OR REPLACE FUNCTION public.undo_reports (
  user_id  uuid,
  agent_id uuid,
  since    timestamp with time zone
)
  RETURNS TABLE (
    user_api_key_id uuid,
    key_name        text,
    model           text,
    reason          text,
    reason_code     text
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  -- The reports of the agent that explain something now.
  causes uuid[] := array(
    select l.id
    from public.user_api_keys k
    join public.api_key_health h on h.user_api_key_id = k.id
    left join public.api_key_model_health m on m.user_api_key_id = k.id
    join public.api_key_usage_log l on l.id in (h.reason_log_id, m.caused_by_log_id)
    where k.user_id = undo_reports.user_id
      and l.agent_id is not distinct from undo_reports.agent_id
      and l.reported_at >= undo_reports.since
  );
begin
  return query
  update public.user_api_keys k
  set is_active = true
  from public.api_key_health h
  -- A key that an operator disabled stays disabled.
  where h.user_api_key_id = k.id and h.reason_log_id = any (causes) and h.reason = 'invalid_key' and not k.is_active
  returning k.id, k.key_name, null::text, h.reason, h.reason_code;
  -- Models before keys: the reset of a key forgets its models.
  return query
  update public.api_key_model_health m
  set blocked_until = null, consecutive_failures = 0
  from public.user_api_keys k, public.api_key_usage_log l
  where m.caused_by_log_id = any (causes) and m.blocked_until > clock_timestamp() and k.id = m.user_api_key_id and l.id = m.caused_by_log_id
  returning k.id, k.key_name, m.model, l.outcome, l.error_code;
  return query
  update public.api_key_health h
  set blocked_until = null, consecutive_failures = 0
  from public.user_api_keys k, public.api_key_usage_log l
  where h.reason_log_id = any (causes) and h.blocked_until > clock_timestamp() and k.id = h.user_api_key_id and k.is_active and l.id = h.reason_log_id
  returning k.id, k.key_name, null::text, l.outcome, l.error_code;
end;
$function$;

REVOKE ALL ON FUNCTION "public"."undo_reports"(uuid, uuid, timestamp WITH time zone) FROM PUBLIC, "anon", "authenticated";

ALTER TABLE "public"."api_key_model_health"
  ADD CONSTRAINT "api_key_model_health_user_api_key_id_fkey" FOREIGN KEY (user_api_key_id) REFERENCES public.user_api_keys(id) ON DELETE CASCADE;

ALTER TABLE "public"."user_api_keys"
  ADD CONSTRAINT "user_api_keys_account_check" CHECK ((account ~ '^[^[:cntrl:]]{1,200}$'::text));

ALTER TABLE "public"."user_api_keys"
  ADD CONSTRAINT "user_api_keys_limited_check" CHECK ((NOT (cardinality(limited_models) IS DISTINCT FROM cardinality(limited_until))));

CREATE VIEW "private"."key_leases" WITH (security_invoker=true) AS  SELECT id,
    usage_count,
    jsonb_build_object('kind', 'leased', 'key_id', id, 'user_id', user_id, 'key_name', key_name, 'provider', provider, 'api_key_encrypted', api_key_encrypted, 'generation', generation, 'priority', priority, 'settings', settings) AS lease
   FROM public.user_api_keys k;

CREATE VIEW "public"."api_key_states" WITH (security_invoker=true) AS  SELECT k.id AS user_api_key_id,
    k.user_id,
    k.key_name,
    k.provider,
    k.priority,
    k.usage_count,
        CASE
            WHEN (k.ready_at <= clock_timestamp()) THEN 'available'::text
            WHEN ((NOT k.is_active) OR (k.unusable_reason IS NOT NULL)) THEN 'disabled'::text
            ELSE 'cooling_down'::text
        END AS state,
        CASE
            WHEN (k.is_active AND (k.unusable_reason IS NULL) AND (k.ready_at > clock_timestamp()) AND isfinite(k.ready_at)) THEN (ceil(EXTRACT(epoch FROM (k.ready_at - clock_timestamp()))))::bigint
            ELSE NULL::bigint
        END AS seconds_left,
    h.consecutive_failures,
        CASE
            WHEN (k.ready_at <= clock_timestamp()) THEN NULL::text
            WHEN (k.is_active AND (k.unusable_reason IS NOT NULL)) THEN k.unusable_reason
            ELSE concat_ws(' '::text, h.reason, h.reason_code)
        END AS why,
        CASE
            WHEN (k.ready_at <= clock_timestamp()) THEN NULL::timestamp with time zone
            WHEN (k.is_active AND (k.unusable_reason IS NOT NULL)) THEN k.unusable_since
            ELSE h.reason_since
        END AS since,
        CASE
            WHEN (k.ready_at > clock_timestamp()) THEN h.reason_log_id
            ELSE NULL::uuid
        END AS caused_by_log_id,
    h.last_outcome,
    h.last_error_code,
    h.last_effect,
    h.last_reported_at,
    k.sealed_kid,
    k.account,
        CASE
            WHEN (k.limited_models IS NOT NULL) THEN ARRAY( SELECT l.model
               FROM UNNEST(k.limited_models, k.limited_until) l(model, ends)
              WHERE (l.ends > clock_timestamp())
              ORDER BY l.model)
            ELSE NULL::text[]
        END AS limited_models
   FROM (public.user_api_keys k
     JOIN public.api_key_health h ON ((h.user_api_key_id = k.id)));

REVOKE ALL ON TABLE "public"."api_key_states" FROM "anon", "authenticated";

CREATE INDEX api_key_usage_log_key_idx ON public.api_key_usage_log USING btree (user_api_key_id, COALESCE(agent_id, user_id), issued_at DESC);

CREATE INDEX user_api_keys_account_idx ON public.user_api_keys USING btree (user_id, account, id)
  WHERE (account IS NOT NULL);

CREATE TRIGGER api_key_model_health_before_insert
  BEFORE INSERT ON public.api_key_model_health
  FOR EACH ROW
  EXECUTE FUNCTION private.api_key_model_health_before_insert();

CREATE TRIGGER api_key_model_health_before_update
  BEFORE UPDATE OF blocked_until, user_api_key_id, model ON public.api_key_model_health
  FOR EACH ROW
  WHEN ((NOT (old.last_reported_at IS DISTINCT FROM new.last_reported_at)))
  EXECUTE FUNCTION private.api_key_model_health_before_update();

CREATE TRIGGER api_key_model_health_copy_block
  AFTER INSERT OR DELETE OR UPDATE OF blocked_until ON public.api_key_model_health
  FOR EACH ROW
  EXECUTE FUNCTION private.copy_model_block_to_key();

CREATE TRIGGER api_key_model_health_forget_on_truncate
  AFTER TRUNCATE ON public.api_key_model_health
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.forget_model_blocks();

CREATE TRIGGER api_key_states_read_only
  INSTEAD OF INSERT OR DELETE OR UPDATE ON public.api_key_states
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_state_edit();

CREATE TRIGGER user_api_keys_20_before_write
  BEFORE INSERT OR UPDATE OF id,
    user_id,
    key_name,
    api_key_encrypted,
    priority, PROVIDER, is_active, generation, cooling_until, unusable_reason, unusable_since, account, limited_models, limited_until, skipped_count ON public.user_api_keys
  FOR EACH ROW
  EXECUTE FUNCTION private.user_api_keys_before_write();

CREATE TRIGGER user_api_keys_52_forget_model_blocks
  AFTER UPDATE OF generation, cooling_until, api_key_encrypted, is_active, user_id ON public.user_api_keys
  FOR EACH ROW
  WHEN ((new.generation > old.generation))
  EXECUTE FUNCTION private.forget_model_blocks();

CREATE POLICY "api_key_model_health_service_all" ON "public"."api_key_model_health"
  FOR ALL
  TO "service_role"
  USING (true)
  WITH CHECK (true);

COMMENT ON COLUMN "private"."api_key_tiers"."model_marks" IS 'By model {count, id, until}: until then no ready key before (count, id) is free for the model. Emptied by whatever makes a key ready, lowers its count or ends a block of a model early.';

COMMENT ON COLUMN "private"."api_key_tiers"."next_expiry_check_at" IS 'Until then leases do not look for expired cooldowns. At most half a second ahead.';

COMMENT ON COLUMN "public"."api_key_model_health"."caused_by_log_id" IS 'The usage log row of the report behind reason. No foreign key: pruning spares it by looking here.';

COMMENT ON COLUMN "public"."api_key_model_health"."model" IS 'Lower case, without models/ in front, as get-active-key is asked for it.';

COMMENT ON COLUMN "public"."api_key_model_health"."reset_at" IS 'When an operator reset it last; a report on a lease issued before is stale.';

COMMENT ON COLUMN "public"."api_key_usage_log"."dead" IS 'The answer said that the key is dead.';

COMMENT ON COLUMN "public"."api_key_usage_log"."model" IS 'The model that the key was leased for, or that the report named.';

COMMENT ON COLUMN "public"."api_key_usage_log"."scope" IS 'What the reported answer was about: request, model, key or account; null where it says nothing about a key.';

COMMENT ON COLUMN "public"."user_api_keys"."account" IS 'Keys of a pool with the same provider and account share their limits: one organization or project at the provider. At most 100 keys; null: the key stands alone.';

COMMENT ON COLUMN "public"."user_api_keys"."limited_models" IS 'Copy of the blocks in api_key_model_health, kept by trigger; edit them there. A block that is over stays until a lease for the model finds it.';

COMMENT ON COLUMN "public"."user_api_keys"."limited_until" IS 'When the block of each of limited_models ends, in the same order.';

COMMENT ON COLUMN "public"."user_api_keys"."skipped_count" IS 'What was added to usage_count when the key joined its peers or came back to them.';

COMMENT ON COLUMN "public"."user_api_keys"."usage_count" IS 'Orders the keys of a priority. Leases, counted from the least of its peers when it was added, enabled, moved or came back from a block; usage_count - skipped_count is the exact count.';

COMMENT ON FUNCTION "private"."api_key_model_health_before_insert"() IS 'Keeps the rows of a key at 200.';

COMMENT ON FUNCTION "private"."api_key_model_health_before_update"() IS 'As private.api_key_health_before_update, for a row of a model.';

COMMENT ON FUNCTION "private"."apply_report"(uuid, uuid, uuid, public.api_key_usage_log, private.key_report) IS 'The locked path of report_api_key, for a report that may change something: next_state of the key, or of one model of it. lease: null where the report names a key alone. Returns the row of the log. Raises PT404, and 55P03 where somebody holds the health row or was first: nothing was done, call again.';

COMMENT ON FUNCTION "private"."copy_model_block_to_key"() IS 'Keeps the copy of a model''s block in its key row; a block that ends earlier empties the marks of the tier.';

COMMENT ON FUNCTION "private"."forget_model_blocks"() IS 'What was known of the models of a key goes when the key is reset, replaced, enabled or given away; TRUNCATE resets every model.';

COMMENT ON FUNCTION "private"."lease_batch"(uuid, uuid, integer, text, text[], integer, text, bigint, uuid, timestamp with time zone) IS 'Makes so many leases of one tier for a caller that has locked a ready key of it: of the least used keys from (start_count, start_id) on that no other transaction has locked and that are free for the model.';

COMMENT ON FUNCTION "private"."least_usage_count"(uuid, integer, uuid, boolean) IS 'The least count of the other ready keys of a user and priority, or of those that are active and not ready; null when there are none.';

COMMENT ON FUNCTION "private"."level_for_model"(uuid, integer, text, timestamp with time zone) IS 'Raises the count of keys whose block of a model is over to the least of the keys that were free for it, at most 64 keys. Never waits.';

COMMENT ON FUNCTION "private"."lift_report"(public.api_key_usage_log) IS 'Takes back what a report did, where it still explains the state of its keys; whether there was anything. Raises 55P03 as private.apply_report.';

COMMENT ON FUNCTION "private"."lock_for_report"(uuid, uuid, text, text) IS 'Locks what a report may change, and returns the ids of the keys: reach is health, key or account (the key, or all active keys of its account), model one whose rows are locked, too. Raises 55P03 when somebody else holds it: nothing was done, call again.';

COMMENT ON FUNCTION "private"."lower_low_water_mark"() IS 'Keeps the low-water mark of a tier, and its marks for models, at or below every key that becomes ready or gets a lower count.';

COMMENT ON FUNCTION "private"."pool_availability"(uuid, text, text[], uuid[], text) IS 'Looks at a whole pool without locks: null when a key is available that is not excluded; otherwise what lease_api_key answers: counts (limited: blocked for the model alone), when the first key will be free, and for an unknown provider those of the pool, the first hundred.';

COMMENT ON FUNCTION "private"."raise_model_mark"(uuid, integer, text) IS 'Moves the mark of a model in a tier up to the first ready key that is not limited for it. Does nothing while another transaction holds the tier. Never waits.';

COMMENT ON FUNCTION "private"."recently_disabled_keys"(uuid, text, double precision) IS 'The keys of a pool and provider that reports have disabled within the window and that still are; holds them at that number until the transaction ends.';

COMMENT ON FUNCTION "private"."refresh_tier"(uuid, integer, boolean) IS 'Makes keys ready whose cooldown is over, the earliest end first; moves the low-water mark up to the first ready key; postpones the next expiry check. Does nothing while another transaction holds the tier, or with only_expired when there are none. Never waits.';

COMMENT ON FUNCTION "private"."report_same_answer"(uuid, uuid, public.api_key_usage_log, private.key_report) IS 'Takes a report whose answer the caller had on another key before, as caller_fault, and lifts what that report did. Null where the other report is not the caller''s, not of the last minute, not the same, or where one says that its key is dead: the report is one like any other. Raises 55P03 as private.apply_report.';

COMMENT ON FUNCTION "public"."lease_api_key"(text, uuid, text, text[], uuid, integer, integer, uuid[], text) IS 'Leases one eligible key of the caller''s pool. kind: leased; none, with the reasons and in how many seconds there will be one; or retry: keys are locked by other calls and this call must not wait for them; call again with attempt raised by one. With model, keys that are limited for it are passed over. For the function get-active-key. With calls above 1 an array of so many leases; an answer without a key is for all of them. Keys of exclude are passed over unless nothing else is left; other_providers: those of the pool, when it has none of the one asked for. Raises PT401 invalid_credential, PT503 unavailable, and 55P03 when a lock was waited for too long: nothing was done, call again.';

COMMENT ON FUNCTION "public"."report_and_lease"(jsonb, text, uuid, text, text[], uuid[], text) IS 'report_api_key and then lease_api_key in one transaction: {reported, lease}. A lease of kind retry is asked for by lease_api_key alone. For the function get-active-key. Raises what the two raise; then neither was done.';

COMMENT ON FUNCTION "public"."report_api_key"(jsonb, text, uuid, uuid, uuid) IS 'Takes the outcome of a key''s use. For the function set-key-state; report is what core makes of it: outcome, rule, error_code and the rule''s numbers (private.key_report). hint_given: the provider named a wait, which may be none that can be read. An agent reports its own leases only, the owner of the pool any. Raises PT401 invalid_credential, PT404 lease_not_found or key_not_found, PT409 already_reported, PT422 lease_key_mismatch, and 55P03 when a row stayed locked: nothing was done, call again.';

COMMENT ON FUNCTION "public"."report_successes"(uuid[], text, uuid) IS 'Successes of one caller in one transaction: an array of what report_api_key answers, or {"kind": "retry"} for one that is to be asked again, alone, because it may move something, is refused, or would have to wait. Waits for nobody. For the function set-key-state. Raises PT401 invalid_credential.';

COMMENT ON FUNCTION "public"."undo_reports"(uuid, uuid, timestamp with time zone) IS 'Resets the blocks and enables the keys of a pool that reports of an agent (null: of the owner) since a moment still explain, and returns them. What operators did stays so. For operators.';

COMMENT ON TABLE "public"."api_key_model_health" IS 'Blocks of one model of a key, at most 200 a key; the columns mean what they mean in api_key_health. Reset one with: update api_key_model_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ... and model = ...; a reset of the key in api_key_health resets them all.';

COMMENT ON TYPE "private"."key_report" IS 'A report as core reads it: outcome, rule and the rule''s numbers. cause: what explains a block that it sets. issued_at and key_generation are of its lease. scope: model, key or account, what the answer is about; model: the one that the report or the answer names; dead: the answer says that the key is.';

COMMENT ON TYPE "private"."key_state" IS 'Of a key and its health row, or the row of a model, what decides about a report. The last four are of the newest report: the state before and after, its effect, and what became of its hint.';

COMMENT ON VIEW "private"."key_leases" IS 'What a lease holds of its key. lease_api_key raises usage_count through it, and adds lease_id, leased_at and model.';

COMMENT ON VIEW "public"."api_key_states" IS 'For operators: the state of each key, how long it lasts and why, and for which models it is limited alone (api_key_model_health has the rest). Only the functions know which seal pairs are live: a key whose sealed_kid is of none is passed over though it shows as available.';

REVOKE ALL ON FUNCTION "private"."api_key_model_health_before_insert"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."api_key_model_health_before_update"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."copy_model_block_to_key"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."forget_model_blocks"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lease_batch"(uuid, uuid, integer, text, text[], integer, text, bigint, uuid, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."lease_batch"(uuid, uuid, integer, text, text[], integer, text, bigint, uuid, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."least_usage_count"(uuid, integer, uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."least_usage_count"(uuid, integer, uuid, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."level_for_model"(uuid, integer, text, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."level_for_model"(uuid, integer, text, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."lift_report"(public.api_key_usage_log) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."lift_report"(public.api_key_usage_log) TO "service_role";

REVOKE ALL ON FUNCTION "private"."lock_for_report"(uuid, uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."lock_for_report"(uuid, uuid, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."pool_availability"(uuid, text, text[], uuid[], text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pool_availability"(uuid, text, text[], uuid[], text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."raise_model_mark"(uuid, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."raise_model_mark"(uuid, integer, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."recently_disabled_keys"(uuid, text, double precision) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."recently_disabled_keys"(uuid, text, double precision) TO "service_role";

REVOKE ALL ON FUNCTION "private"."refresh_tier"(uuid, integer, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refresh_tier"(uuid, integer, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."report_same_answer"(uuid, uuid, public.api_key_usage_log, private.key_report) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."report_same_answer"(uuid, uuid, public.api_key_usage_log, private.key_report) TO "service_role";

REVOKE ALL ON FUNCTION "public"."lease_api_key"(text, uuid, text, text[], uuid, integer, integer, uuid[], text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."lease_api_key"(text, uuid, text, text[], uuid, integer, integer, uuid[], text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."lease_api_key"(text, uuid, text, text[], uuid, integer, integer, uuid[], text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."report_and_lease"(jsonb, text, uuid, text, text[], uuid[], text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."report_and_lease"(jsonb, text, uuid, text, text[], uuid[], text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."report_and_lease"(jsonb, text, uuid, text, text[], uuid[], text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."undo_reports"(uuid, uuid, timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."undo_reports"(uuid, uuid, timestamp WITH time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."undo_reports"(uuid, uuid, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON TABLE "public"."api_key_model_health" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."api_key_model_health" TO "postgres";

REVOKE ALL ON TABLE "public"."api_key_model_health" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."api_key_model_health" TO "service_role";

GRANT SELECT, UPDATE ON TABLE "private"."key_leases" TO "service_role";

REVOKE ALL ON TABLE "public"."api_key_states" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."api_key_states" TO "postgres";

REVOKE ALL ON TABLE "public"."api_key_states" FROM "service_role";

GRANT SELECT ON TABLE "public"."api_key_states" TO "service_role";
