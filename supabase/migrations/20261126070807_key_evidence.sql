SET local check_function_bodies = off;

DROP TRIGGER "user_api_keys_20_before_write" ON "public"."user_api_keys";

DROP VIEW "private"."key_leases";

DROP VIEW "public"."api_key_states";

ALTER TABLE "public"."api_key_usage_log"
  DROP CONSTRAINT "api_key_usage_log_user_api_key_id_fkey";

CREATE TABLE "public"."api_key_deleted" (
  "id"          uuid                     NOT NULL,
  "user_id"     uuid                     NOT NULL,
  "key_name"    text                     NOT NULL,
  "key_hint"    text,
  "fingerprint" text,
  "provider"    text,
  "deleted_at"  timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "api_key_deleted_pkey" PRIMARY KEY (id)
);

ALTER TABLE "public"."api_key_deleted"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."api_key_deleted" FROM "anon", "authenticated";

ALTER TABLE "public"."user_api_keys"
  ADD COLUMN "fingerprint" text;

ALTER TABLE "public"."user_api_keys"
  ADD COLUMN "key_hint" text;

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

CREATE OR REPLACE FUNCTION private.forget_deleted_key()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  delete from public.api_key_usage_log l where l.user_api_key_id = old.id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.keep_deleted_key()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into public.api_key_deleted (id, user_id, key_name, key_hint, fingerprint, provider)
  select old.id, old.user_id, old.key_name, old.key_hint, old.fingerprint, old.provider
  from auth.users u
  where u.id = old.user_id
  -- A key that was deleted before, and came back under its id.
  on conflict (id) do update
  set (user_id, key_name, key_hint, fingerprint, provider, deleted_at) =
    row(excluded.user_id, excluded.key_name, excluded.key_hint, excluded.fingerprint, excluded.provider, now());
  if not found then
    -- The account is deleted, too.
    delete from public.api_key_usage_log l where l.user_api_key_id = old.id;
  end if;
  return null;
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
  where k.id = lease.user_api_key_id and k.generation = lease.key_generation and k.unusable_reason is null;
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
  -- Sealed text, fingerprint, hint.
  parts text[];
  same_key text;
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
    or new.api_key_encrypted !~ '^hpke\.v1\.[A-Za-z0-9_-]{1,64}\.[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{23,}(#[0-9a-f]{32}\.([A-Za-z0-9_*-]{4})?)?$'
  ) then
    raise exception using
      errcode = 'PT422',
      message = 'api_key_encrypted is not a sealed text. Seal the key first and paste what this prints: npm run seal -- --user <user_id>',
      detail = '{"code": "key_not_sealed"}';
  end if;
  if replaced then
    parts := regexp_match(new.api_key_encrypted, '^([^#]*)(?:#([0-9a-f]{32})\.(.*))?$');
    new.api_key_encrypted := parts[1];
  end if;
  -- No edit of their own.
  new.fingerprint := case when replaced then parts[2] else old.fingerprint end;
  new.key_hint := case when replaced then nullif(parts[3], '') else old.key_hint end;
  if (new.user_id, new.fingerprint) is distinct from (old.user_id, old.fingerprint) then
    select k.key_name into same_key
    from public.user_api_keys k
    where k.user_id = new.user_id and k.fingerprint = new.fingerprint and k.id <> new.id;
    if found then
      raise exception using
        errcode = 'PT422',
        message = format('the pool has this key already: %s', to_json(same_key)),
        detail = '{"code": "duplicate_key"}';
    end if;
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
  -- Its order has each plan look into the index of the keys, where a key without rows would have the whole log read.
  delete from public.api_key_deleted d
  where (
    select l.id from public.api_key_usage_log l where l.user_api_key_id = d.id order by coalesce(l.agent_id, l.user_id) limit 1
  ) is null;
  return pruned;
end;
$function$;

ALTER TABLE "public"."api_key_deleted"
  ADD CONSTRAINT "api_key_deleted_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE VIEW "private"."key_leases" WITH (security_invoker=true) AS  SELECT id,
    usage_count,
    jsonb_build_object('kind', 'leased', 'key_id', id, 'user_id', user_id, 'key_name', key_name, 'provider', provider, 'api_key_encrypted', api_key_encrypted, 'fingerprint', fingerprint, 'generation', generation, 'priority', priority, 'settings', settings) AS lease
   FROM public.user_api_keys k;

CREATE VIEW "public"."api_key_pools" WITH (security_invoker=true) AS  SELECT user_id,
    provider,
    available,
    limited,
    cooling_down,
    disabled,
    soonest_seconds,
    ( SELECT count(*) AS count
           FROM (public.user_api_keys k
             JOIN public.api_key_usage_log l ON ((l.user_api_key_id = k.id)))
          WHERE ((k.user_id = p.user_id) AND (NOT (k.provider IS DISTINCT FROM p.provider)) AND (l.issued_at > (clock_timestamp() - '01:00:00'::interval)))) AS leases_last_hour,
    ( SELECT count(*) AS count
           FROM (public.user_api_keys k
             JOIN public.api_key_usage_log l ON ((l.user_api_key_id = k.id)))
          WHERE ((k.user_id = p.user_id) AND (NOT (k.provider IS DISTINCT FROM p.provider)) AND (l.reported_at > (clock_timestamp() - '01:00:00'::interval)) AND (l.outcome <> 'success'::text))) AS failures_last_hour
   FROM ( SELECT k.user_id,
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
          GROUP BY k.user_id, k.provider) p;

REVOKE ALL ON TABLE "public"."api_key_pools" FROM "anon", "authenticated";

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
        END AS limited_models,
    k.key_hint,
    k.fingerprint
   FROM (public.user_api_keys k
     JOIN public.api_key_health h ON ((h.user_api_key_id = k.id)));

REVOKE ALL ON TABLE "public"."api_key_states" FROM "anon", "authenticated";

CREATE INDEX api_key_deleted_user_id_idx ON public.api_key_deleted USING btree (user_id);

CREATE UNIQUE INDEX user_api_keys_fingerprint_key ON public.user_api_keys USING btree (user_id, fingerprint)
  WHERE (fingerprint IS NOT NULL);

CREATE TRIGGER api_key_deleted_forget
  AFTER DELETE ON public.api_key_deleted
  FOR EACH ROW
  EXECUTE FUNCTION private.forget_deleted_key();

CREATE TRIGGER api_key_states_read_only
  INSTEAD OF INSERT OR DELETE OR UPDATE ON public.api_key_states
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_state_edit();

CREATE TRIGGER user_api_keys_20_before_write
  BEFORE INSERT OR UPDATE OF id,
    user_id,
    key_name,
    api_key_encrypted,
    priority,
    PROVIDER,
    is_active, generation, cooling_until, unusable_reason, unusable_since, account, limited_models, limited_until, skipped_count, fingerprint, key_hint ON public.user_api_keys
  FOR EACH ROW
  EXECUTE FUNCTION private.user_api_keys_before_write();

CREATE TRIGGER user_api_keys_60_keep_deleted
  AFTER DELETE ON public.user_api_keys
  FOR EACH ROW
  EXECUTE FUNCTION private.keep_deleted_key();

CREATE POLICY "api_key_deleted_service_select" ON "public"."api_key_deleted"
  FOR SELECT
  TO "service_role"
  USING (true);

COMMENT ON COLUMN "public"."api_key_deleted"."id" IS 'The id that the key had in user_api_keys.';

COMMENT ON COLUMN "public"."api_key_usage_log"."user_api_key_id" IS 'The key. No foreign key: the rows of a key that was deleted stay (api_key_deleted has its name).';

COMMENT ON COLUMN "public"."user_api_keys"."api_key_encrypted" IS 'HPKE sealed text hpke.v1.<kid>.<enc>.<ciphertext>, bound to user_id. Made by: npm run seal -- --user <user_id>, which writes #<fingerprint>.<hint> behind it.';

COMMENT ON COLUMN "public"."user_api_keys"."fingerprint" IS 'Tells whether this is a given key: the first 32 hex digits of SHA-256 over keyhub-fingerprint:v1:<user_id>:<key>. Taken from the end of the sealed text; null where that had none (npm run reseal).';

COMMENT ON COLUMN "public"."user_api_keys"."key_hint" IS 'The last four characters of the key, of a key of 16 or more; each that is no letter, digit, _ or - is *. Taken from the end of the sealed text.';

COMMENT ON FUNCTION "private"."forget_deleted_key"() IS 'The log of a deleted key goes with its name: when the account is deleted, or an operator wants it so.';

COMMENT ON FUNCTION "private"."keep_deleted_key"() IS 'Keeps the name of a deleted key for its rows of the log; where the account is deleted, deletes them.';

COMMENT ON FUNCTION "private"."user_api_keys_before_write"() IS 'Refuses unsealed text, without repeating it, and a key that the pool has already, by PT422; moves fingerprint and hint from the text into their columns; keeps generation, count and block copy true under any edit of a key row.';

COMMENT ON FUNCTION "public"."prune_api_key_usage_log"(interval, integer, integer) IS 'Deletes at most batch log rows older than keep and returns how many. Goes on where the last call stopped, through the whole log (call it until it returns 0) or so many pages of it. Spares what explains a live block or a disabled key. Deleted keys that have no row left go from api_key_deleted.';

COMMENT ON TABLE "public"."api_key_deleted" IS 'Keys that were deleted and still have rows in api_key_usage_log: written by a trigger, removed by pruning. Deleting a row here deletes those rows, too.';

COMMENT ON VIEW "private"."key_leases" IS 'What a lease holds of its key. lease_api_key raises usage_count through it, and adds lease_id, leased_at and model.';

COMMENT ON VIEW "public"."api_key_pools" IS 'For operators: how many keys of each provider of a pool are available for every model, limited for some, cooling down and disabled, when the first that cools is back (seconds), and leases and failures of the last hour by the keys that are there now. Reads of the log only the keys it is asked for: name a user_id.';

COMMENT ON VIEW "public"."api_key_states" IS 'For operators: the state of each key, how long it lasts and why, and for which models it is limited alone (api_key_model_health has the rest). Only the functions know which seal pairs are live: a key whose sealed_kid is of none is passed over though it shows as available.';

REVOKE ALL ON FUNCTION "private"."forget_deleted_key"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keep_deleted_key"() FROM PUBLIC;

REVOKE ALL ON TABLE "public"."api_key_deleted" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."api_key_deleted" TO "postgres";

REVOKE ALL ON TABLE "public"."api_key_deleted" FROM "service_role";

GRANT SELECT ON TABLE "public"."api_key_deleted" TO "service_role";

GRANT SELECT, UPDATE ON TABLE "private"."key_leases" TO "service_role";

REVOKE ALL ON TABLE "public"."api_key_pools" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."api_key_pools" TO "postgres";

REVOKE ALL ON TABLE "public"."api_key_pools" FROM "service_role";

GRANT SELECT ON TABLE "public"."api_key_pools" TO "service_role";

REVOKE ALL ON TABLE "public"."api_key_states" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."api_key_states" TO "postgres";

REVOKE ALL ON TABLE "public"."api_key_states" FROM "service_role";

GRANT SELECT ON TABLE "public"."api_key_states" TO "service_role";
