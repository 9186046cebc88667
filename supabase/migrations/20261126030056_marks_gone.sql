SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.adds_secret (
  before text,
  after  text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- A match that was in the text before, such as a placeholder, discloses nothing new.
  select private.looks_secret(adds_secret.after) and exists (
    select
    from private.searched_forms(adds_secret.after) r
    cross join private.secret_patterns() p
    cross join lateral regexp_matches(r.form, '(' || p.pattern || ')', 'g') m (found)
    -- A match that was there before is not an added secret.
    where not exists (
      select from private.searched_forms(coalesce(adds_secret.before, '')) b
      where strpos(b.form, regexp_replace(m.found[1], '^[^A-Za-z0-9]|[^A-Za-z0-9]$', '', 'g')) > 0
    )
  );
$function$;

CREATE OR REPLACE FUNCTION private.alert_once (
  user_id       uuid,
  provider      text,
  kind          text,
  key_id        uuid,
  detail        jsonb,
  quiet_seconds double precision
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into public.api_key_alerts (user_id, provider, kind, user_api_key_id, key_name, detail, created_at)
  select alert_once.user_id, alert_once.provider, alert_once.kind, alert_once.key_id, k.key_name, alert_once.detail, clock_timestamp()
  from public.user_api_keys k
  where k.id = alert_once.key_id
    and not exists (
      select
      from public.api_key_alerts a
      where a.user_id = alert_once.user_id
        and a.provider is not distinct from alert_once.provider
        and a.kind = alert_once.kind
        and a.created_at > clock_timestamp() - make_interval(secs => alert_once.quiet_seconds)
    );
$function$;

CREATE OR REPLACE FUNCTION private.api_key_health_before_update()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  lengthened constant boolean := new.blocked_until > greatest(old.blocked_until, clock_timestamp());
begin
  if new.user_api_key_id is distinct from old.user_api_key_id then
    raise exception using errcode = 'PT422', message = 'health_row_is_bound', detail = '{"column": "user_api_key_id"}';
  end if;
  if new.blocked_until is null then
    new.rate_blocked_until := null;
    new.recent_server_errors := '{}';
  elsif new.blocked_until is distinct from old.blocked_until then
    -- Moved by hand: the end of the rate block moves along, never past the block itself.
    new.rate_blocked_until := least(new.rate_blocked_until, new.blocked_until);
  end if;
  -- What explained the block before explains it no more.
  if lengthened
    or new.blocked_until is null and (select k.is_active from public.user_api_keys k where k.id = new.user_api_key_id)
  then
    new.reason := case when lengthened then 'blocked_by_operator' end;
    new.reason_code := null;
    new.reason_since := case when lengthened then clock_timestamp() end;
    new.reason_log_id := null;
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
$function$;

CREATE OR REPLACE FUNCTION private.begin_preview (
  user_id      uuid,
  hourly_limit integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.begin_write(begin_preview.user_id);
  -- A preview is counted before any work is done.
  perform private.limit_calls(begin_preview.user_id, 'previews', begin_preview.hourly_limit);
end;
$function$;

CREATE OR REPLACE FUNCTION private.begin_write (
  user_id      uuid,
  allow_banned boolean DEFAULT false
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- The lock of the profile serializes the writes of a user, and each of them with a ban of that user.
  loop
    perform from public.hub_profiles p where p.user_id = begin_write.user_id for no key update;
    exit when found;
    if not exists (select from auth.users u where u.id = begin_write.user_id) then
      -- No caller: an edge function writes for a user. The token was still valid, but the account is deleted.
      if (select auth.uid()) is null then
        raise exception using errcode = 'PT401', message = 'invalid_credential';
      end if;
      raise exception using errcode = '42501', message = 'permission denied';
    end if;
    -- A user without a profile gets one on the first write.
    perform private.make_profile(begin_write.user_id, null);
  end loop;
  -- Lock order: a deletion of the account locks this row first and the profile later. So this lock never waits. It is taken after
  -- the profile's: writers that wait there must not hold it, or two of them could block the deletion by taking turns.
  perform from auth.users u where u.id = begin_write.user_id for key share skip locked;
  if not found then
    raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "the account is being deleted"}';
  end if;
  if begin_write.allow_banned then
    return;
  end if;
  if private.is_banned(begin_write.user_id) then
    raise exception using errcode = 'PT403', message = 'banned';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_key_settings()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  new.settings := coalesce(new.settings, '{}');
  if jsonb_typeof(new.settings) <> 'object'
    or new.settings - array['base_url', 'organization', 'project'] <> '{}'
    or exists (
      select
      from jsonb_each(new.settings) s
      where jsonb_typeof(s.value) <> 'string'
        or private.looks_secret(s.value #>> '{}')
        or char_length(s.value #>> '{}') > case s.key when 'base_url' then 2048 else 200 end
        or s.value #>> '{}' !~ case s.key
          -- No user info, no query, no fragment.
          when 'base_url' then '^https://[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?(/[A-Za-z0-9._~%:@!$&''()*+,;=/-]*)?$'
          else '^[^[:space:][:cntrl:]]([^[:cntrl:]]*[^[:space:][:cntrl:]])?$'
        end
    )
  then
    -- What stands in it may be a secret, and is not repeated.
    raise exception using
      errcode = 'PT422',
      message = 'settings may hold base_url (https, without user info, query or fragment), organization and project (at most 200 characters each), and nothing secret',
      detail = '{"code": "settings_not_valid"}';
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.copy_block_to_key()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  -- One level deep means an edit of this very row; deeper, the edit of the key has raised it already.
  reset constant boolean := new.blocked_until is null
    and new.last_reported_at is not distinct from old.last_reported_at
    and pg_trigger_depth() = 1;
  live constant timestamptz := case
    -- A block that an operator moves into the past is over at once. A report does not lock the tier of the key that it blocks.
    when new.blocked_until > clock_timestamp() or new.last_reported_at is distinct from old.last_reported_at
    then new.blocked_until
  end;
begin
  update public.user_api_keys k
  set cooling_until = live, generation = k.generation + reset::integer
  where k.id = new.user_api_key_id
    and (reset or k.cooling_until is distinct from live);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.copy_rows (
  user_id  uuid,
  rows     jsonb,
  asset_id uuid,
  version  integer,
  sha256   text,
  mode     text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
<<copy>>
declare
  source public.hub_assets;
  names text[];
  registry_ids uuid[];
  created jsonb;
begin
  if copy_rows.asset_id is not null then
    select a.* into source from public.hub_assets a where a.id = copy_rows.asset_id;
  end if;
  -- Locked, so that assets that the copies refer to are not erased meanwhile. No reference is made to an asset erased before.
  perform from public.hub_assets a
  where a.id in (
    select copy_rows.asset_id
    union
    select (r.value #>> '{attribution,root,id}')::uuid from jsonb_array_elements(copy_rows.rows) r (value)
  )
  -- An import waits for the erasure of its root.
  order by a.id
  for key share;

  select array_agg(n.name order by n.place), array_agg(gen_random_uuid()) into names, registry_ids
  from private.free_names(copy_rows.user_id, copy_rows.rows) n;

  if exists (
    select from jsonb_array_elements(copy_rows.rows) r (value)
    where (r.value ->> 'asset_type' = any (private.asset_types())) is not true
  ) then
    perform private.refuse_asset_type(null);
  end if;

  -- The registry rows first: source rows look their mirrors up when they are inserted.
  insert into public.hub_assets (
    id, asset_type, ref_id, creator_id, slug, title, description, tags, license,
    source_asset_id, parent_asset_id, remix_depth, attribution
  )
  select copy.registry_ids[r.place], r.value ->> 'asset_type', (r.value ->> 'id')::uuid, copy_rows.user_id,
    'copy-' || replace(gen_random_uuid()::text, '-', ''), copy.names[r.place], private.remove_invisible(r.value ->> 'description'),
    array(select t.tag from jsonb_array_elements_text(r.value -> 'tags') with ordinality t (tag, n) order by t.n),
    r.value ->> 'license', root.id,
    -- In a kit only the main row has a parent. A copy in mode "use" gets its parent when it is published.
    case when r.place = 1 and copy_rows.mode = 'remix' then source.id end,
    case when r.place = 1 and copy_rows.mode = 'remix' and source.id is not null then source.remix_depth + 1 else 0 end,
    nullif(r.value -> 'attribution', 'null')
  from jsonb_array_elements(copy_rows.rows) with ordinality r (value, place)
  left join public.hub_assets root on root.id = (r.value #>> '{attribution,root,id}')::uuid
  order by r.place;

  perform private.insert_sources(copy_rows.user_id, copy_rows.rows, copy.names);

  select jsonb_agg(
    jsonb_build_object(
      'asset_type', r.value -> 'asset_type',
      'table', r.value -> 'table',
      'id', r.value -> 'id',
      'hub_asset_id', copy.registry_ids[r.place],
      'title', copy.names[r.place]
    )
    order by r.place
  ) into created
  from jsonb_array_elements(copy_rows.rows) with ordinality r (value, place);

  if copy_rows.asset_id is null then
    return created;
  end if;
  -- Last, because counting locks the listing: concurrent imports of it wait here, and only until the commit.
  insert into public.hub_imports (asset_id, user_id, version, mode, created)
  select source.id, copy_rows.user_id, copy_rows.version, copy_rows.mode, created where source.id is not null;
  -- Re-check under the lock: the listing may have been hidden, deleted or unpublished after it was read.
  select a.* into source from public.hub_assets a where a.id = copy_rows.asset_id;
  if (source.is_visible or (source.deleted_at is null and source.creator_id = copy_rows.user_id)) is not true
    or not exists (
      select from public.hub_asset_versions v
      where v.asset_id = source.id and v.version = copy_rows.version and v.sha256 = copy_rows.sha256
    )
  then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return created;
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_installs()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  started constant timestamptz := clock_timestamp();
  locked bigint;
begin
  if tg_op = 'INSERT' then
    -- The import that counts is chosen under the lock of the asset.
    perform from public.hub_assets a where a.id in (select n.asset_id from added n) order by a.id for no key update;
    with first as (
      select distinct on (n.asset_id, n.user_id) n.id, n.asset_id
      from added n
      join public.hub_assets a on a.id = n.asset_id
      -- The creator's own import is not counted.
      where n.user_id is distinct from a.creator_id
        and not exists (
          select from public.hub_imports i
          where i.asset_id = n.asset_id and i.user_id = n.user_id and i.counts
        )
      order by n.asset_id, n.user_id, n.id
    ),
    counted as (
      update public.hub_imports i set counts = true from first f where i.id = f.id
    )
    update public.hub_assets a
    set install_count = a.install_count + c.users
    from (select f.asset_id, count(*)::integer as users from first f group by f.asset_id) c
    where a.id = c.asset_id;
  else
    -- A counted row was deleted: another row of the same user takes its place, so all of them are locked. Lock order: a
    -- concurrent delete holds such a row and then waits for the asset. So rows are not waited for under the lock of the asset: on
    -- a lock conflict all locks are released and taken again.
    loop
      begin
        perform from public.hub_assets a where a.id in (select o.asset_id from removed o) order by a.id for no key update;
        select count(*) into locked from (
          select from public.hub_imports i
          where (i.asset_id, i.user_id) in (select o.asset_id, o.user_id from removed o where o.counts)
          for no key update skip locked
        ) h;
        exit when locked = (
          select count(*) from public.hub_imports i
          where (i.asset_id, i.user_id) in (select o.asset_id, o.user_id from removed o where o.counts)
        );
        raise exception using errcode = 'KH001', message = 'lock_conflict';
      exception
        when sqlstate 'KH001' then
          if clock_timestamp() > started + interval '5 seconds' then
            raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "lock conflict on an import, retries exhausted"}';
          end if;
          perform pg_sleep(0.01);
      end;
    end loop;
    -- A user with other imports of the asset is still counted, by the oldest of them.
    with lost as (
      select o.asset_id, o.user_id from removed o where o.counts
    ),
    oldest as (
      select distinct on (i.asset_id, i.user_id) i.id
      from lost l
      join public.hub_imports i on i.asset_id = l.asset_id and i.user_id = l.user_id
      order by i.asset_id, i.user_id, i.created_at, i.id
    ),
    heirs as (
      update public.hub_imports i set counts = true from oldest o where i.id = o.id
      returning i.asset_id, i.user_id
    )
    update public.hub_assets a
    set install_count = a.install_count - g.users
    from (
      select l.asset_id, count(*)::integer as users
      from lost l
      -- Another import of the same user counts instead of the deleted one.
      where not exists (select from heirs h where h.asset_id = l.asset_id and h.user_id = l.user_id)
      group by l.asset_id
    ) g
    where a.id = g.asset_id;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_reports()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  threshold constant integer := 5;
  reached uuid[];
begin
  if tg_op = 'INSERT' then
    -- The asset is locked before its moderation row.
    perform from public.hub_assets a where a.id in (select n.asset_id from added n) order by a.id for no key update;
    -- Re-check under the lock: the asset may have become invisible after row level security was checked.
    if exists (select from added n join public.hub_assets a on a.id = n.asset_id where not a.is_visible) then
      raise exception using errcode = '42501', message = 'new row violates row-level security policy for table "hub_reports"';
    end if;
    if exists (
      select from public.hub_reports r
      join public.hub_assets a on a.id = r.asset_id and a.deleted_at is null
      where r.reporter_id in (select n.reporter_id from added n) and not r.resolved
      group by r.reporter_id
      having count(*) > 20
    ) then
      raise exception using errcode = 'PT409', message = 'too_many_open_reports';
    end if;
    with moved as (
      update private.hub_moderation m
      set open_reports = m.open_reports + d.open, counting_reports = m.counting_reports + d.counting
      from (
        select n.asset_id, count(*)::integer as open, count(*) filter (where n.counts)::integer as counting
        from added n
        group by n.asset_id
      ) d
      where m.asset_id = d.asset_id
      returning m.asset_id, m.counting_reports
    )
    select array_agg(m.asset_id) into reached from moved m where m.counting_reports >= threshold;
    update public.hub_assets a
    set is_hidden = true, hidden_reason = 'reports'
    where a.id = any (reached) and not a.is_hidden;
    return null;
  end if;

  perform from private.hub_moderation m where m.asset_id in (select o.asset_id from removed o) order by m.asset_id for no key update;
  if tg_op = 'UPDATE' then
    update private.hub_moderation m
    set open_reports = m.open_reports - d.open, counting_reports = m.counting_reports - d.counting
    from (
      select
        o.asset_id,
        count(*) filter (where n.resolved)::integer as open,
        count(*) filter (where o.counts and (n.resolved or not n.counts))::integer as counting
      from removed o
      join added n on n.id = o.id
      where not o.resolved
      group by o.asset_id
    ) d
    where m.asset_id = d.asset_id and (d.open <> 0 or d.counting <> 0);
  else
    update private.hub_moderation m
    set open_reports = m.open_reports - d.open, counting_reports = m.counting_reports - d.counting
    from (
      select o.asset_id, count(*)::integer as open, count(*) filter (where o.counts)::integer as counting
      from removed o
      where not o.resolved
      group by o.asset_id
    ) d
    where m.asset_id = d.asset_id;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_stars()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'INSERT' then
    -- Assets are locked in the order of their ids.
    perform from public.hub_assets a where a.id in (select s.asset_id from added s) order by a.id for no key update;
    -- Re-check under the lock: the asset may have become invisible after row level security was checked.
    if exists (select from added s join public.hub_assets a on a.id = s.asset_id where not a.is_visible) then
      raise exception using errcode = '42501', message = 'new row violates row-level security policy for table "hub_stars"';
    end if;
    update public.hub_assets a
    set star_count = a.star_count + s.stars
    from (select n.asset_id, count(*)::integer as stars from added n group by n.asset_id) s
    where a.id = s.asset_id;
  else
    perform from public.hub_assets a where a.id in (select s.asset_id from removed s) order by a.id for no key update;
    update public.hub_assets a
    set star_count = a.star_count - s.stars
    from (select o.asset_id, count(*)::integer as stars from removed o group by o.asset_id) s
    where a.id = s.asset_id;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_trending (
  most integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET jit TO 'off'
  AS $function$
begin
  return (
    with acts as (
      -- Of somebody's acts of a kind on a listing one counts.
      select distinct l.kind, l.asset_id, l.user_id
      from (
        (
          select 'star' as kind, s.asset_id, s.user_id
          from public.hub_stars s
          where s.starred_at > now() - interval '7 days'
          order by s.starred_at desc
          limit count_trending.most
        )
        union all
        (
          select 'import', i.asset_id, i.user_id
          from public.hub_imports i
          where i.created_at > now() - interval '7 days'
          order by i.created_at desc
          limit count_trending.most
        )
        union all
        (
          select 'remix', r.parent_asset_id, r.creator_id
          from public.hub_assets r
          where r.is_visible and r.published_at > now() - interval '7 days'
          order by r.published_at desc, r.id desc
          limit count_trending.most
        )
      ) l
      where l.asset_id is not null and l.user_id is not null
    ),
    counted as (
      select a.id, coalesce(a.creator_id, a.id) as creator, a.published_at,
        sum(case c.kind when 'import' then 3 when 'star' then 2 else 5 end) as weight
      from acts c
      join public.hub_assets a on a.id = c.asset_id
      where a.is_visible
        -- The creator's own acts do not count.
        and c.user_id is distinct from a.creator_id
      group by a.id
    ),
    scored as (
      select c.id, c.creator,
        ln(1 + c.weight)::float8
          * greatest(0.25, power(2::float8, - extract(epoch from now() - c.published_at)::float8 / 86400 / 14)) as score
      from counted c
    ),
    ranked as (
      select s.*, row_number() over (partition by s.creator order by s.score desc, s.id) as of_creator from scored s
    ),
    -- The first twenty have at most two of one creator; what these push out comes behind them.
    first as (
      select r.id from ranked r where r.of_creator <= 2 order by r.score desc, r.id limit 20
    ),
    placed as (
      select r.id, r.score, f.id is not null as is_first
      from ranked r
      left join first f on f.id = r.id
      -- At most two of a creator are among the first twenty.
      where f.id is not null or (select count(*) from first) = 20
      order by f.id is not null desc, r.score desc, r.id
      limit 120
    )
    select coalesce(jsonb_agg(p.id order by p.is_first desc, p.score desc, p.id), '[]') from placed p
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_usage (
  user_ids    uuid[],
  row_counts  integer[],
  byte_counts bigint[]
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  most_rows constant integer := 2000;
  most_bytes constant bigint := 100 * 1024 * 1024;
  step record;
  held private.workspace_usage;
begin
  -- One after another in the order of ids: two statements that concern several accounts cannot deadlock here.
  for step in
    select s.user_id, sum(s.rows)::integer as rows, sum(s.bytes)::bigint as bytes
    from unnest(count_usage.user_ids, count_usage.row_counts, count_usage.byte_counts) s (user_id, rows, bytes)
    group by s.user_id
    having sum(s.rows) <> 0 or sum(s.bytes) <> 0
    order by s.user_id
  loop
    update private.workspace_usage u
    set row_count = u.row_count + step.rows, byte_count = u.byte_count + step.bytes
    where u.user_id = step.user_id
    returning u.* into held;
    if not found and step.rows > 0 then
      insert into private.workspace_usage as u (user_id, row_count, byte_count)
      values (step.user_id, step.rows, step.bytes)
      on conflict (user_id) do update
      set row_count = u.row_count + excluded.row_count, byte_count = u.byte_count + excluded.byte_count
      returning u.* into held;
    end if;
    -- What makes the workspace smaller is never refused.
    if step.rows > 0 and held.row_count > most_rows then
      perform private.refuse_usage('workspace_rows', most_rows);
    elsif step.bytes > 0 and held.byte_count > most_bytes then
      perform private.refuse_usage('workspace_bytes', most_bytes);
    end if;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.creator (
  user_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select jsonb_build_object('username', p.username, 'avatar_url', p.avatar_url)
  from public.hub_profiles p
  where p.user_id = creator.user_id and not private.is_banned(p.user_id);
$function$;

CREATE OR REPLACE FUNCTION private.creator_by_name (
  username text
)
  RETURNS uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select p.user_id
  from public.hub_profiles p
  -- The first is what the index is over.
  where private.username_key(p.username) = private.username_key(creator_by_name.username)
    and lower(p.username) = lower(creator_by_name.username)
    and not private.is_banned(p.user_id);
$function$;

CREATE OR REPLACE FUNCTION private.creator_totals (
  user_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'published_assets', count(*),
    'total_installs', coalesce(sum(a.install_count), 0),
    'total_stars', coalesce(sum(a.star_count), 0)
  )
  from public.hub_assets a
  where a.creator_id = creator_totals.user_id and a.is_visible;
$function$;

CREATE OR REPLACE FUNCTION private.delete_unpublished_listings()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform from public.hub_assets a
  where a.asset_type = tg_argv[0] and a.ref_id in (select r.id from removed r) and a.published_at is null
  order by a.id
  for update;
  delete from public.hub_assets a
  -- A published listing stays when its source is deleted.
  where a.asset_type = tg_argv[0] and a.ref_id in (select r.id from removed r) and a.published_at is null;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.enforce_hourly_limit (
  kind         text,
  recent       timestamp with time zone[],
  hourly_limit integer
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if cardinality(enforce_hourly_limit.recent) >= enforce_hourly_limit.hourly_limit then
    raise exception using
      errcode = 'PT429',
      message = 'rate_limited',
      detail = jsonb_build_object(
        'limit', enforce_hourly_limit.kind,
        'per_hour', enforce_hourly_limit.hourly_limit,
        'retry_after', greatest(1, ceil(extract(
          epoch from enforce_hourly_limit.recent[enforce_hourly_limit.hourly_limit] + interval '1 hour' - clock_timestamp()
        )))
      )::text;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.feature_asset (
  asset_id   uuid,
  "position" integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset constant public.hub_assets := private.asset_for_admin(feature_asset.asset_id);
begin
  if not asset.is_visible then
    raise exception using errcode = 'PT409', message = 'not_visible';
  end if;
  insert into public.hub_featured (asset_id, position)
  values (asset.id, coalesce(feature_asset.position, (select 1 + max(f.position) from public.hub_featured f), 1))
  on conflict on constraint hub_featured_pkey do update
  set position = coalesce(feature_asset.position, public.hub_featured.position);
end;
$function$;

CREATE OR REPLACE FUNCTION private.free_names (
  user_id uuid,
  rows    jsonb
)
  RETURNS TABLE (
    place bigint,
    name  text
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with wanted as (
    select r.place, r.value ->> 'asset_type' as asset_type, t.name,
      left(regexp_replace(t.name, ' \([0-9]{1,6}\)$', ''), 100) as base
    from jsonb_array_elements(free_names.rows) with ordinality r (value, place)
    cross join lateral (select private.as_one_line(r.value ->> 'title') as name) t
  ),
  mine as (
    select o.asset_type, o.name, left(regexp_replace(o.name, ' \([0-9]{1,6}\)$', ''), 100) as base,
      coalesce(substring(o.name from ' \(([0-9]{1,6})\)$')::integer, 1) as number
    from private.own_names(free_names.user_id) o
    where o.asset_type in (select w.asset_type from wanted w)
  ),
  judged as (
    select w.*,
      row_number() over (partition by w.asset_type, w.name order by w.place) > 1
      or (w.asset_type, w.name) in (select m.asset_type, m.name from mine m) as is_taken
    from wanted w
  ),
  used as (
    select m.asset_type, m.base, max(m.number) as last from mine m group by m.asset_type, m.base
  )
  select j.place,
    case
      when j.is_taken
      then j.base || ' (' || (
        coalesce(u.last, 1) + row_number() over (partition by j.asset_type, j.base, j.is_taken order by j.place)
      ) || ')'
      else j.name
    end
  from judged j
  left join used u on u.asset_type = j.asset_type and u.base = j.base;
$function$;

CREATE OR REPLACE FUNCTION private.from_cursor (
  cursor text,
  list   jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  place jsonb;
begin
  begin
    place := convert_from(
      decode(rpad(translate(from_cursor.cursor, '-_', '+/'), 4 * ((char_length(from_cursor.cursor) + 3) / 4), '='), 'base64'),
      'UTF8'
    )::jsonb;
  exception
    when data_exception or program_limit_exceeded then null;
  end;
  if place -> 'list' is distinct from from_cursor.list then
    raise exception using errcode = 'PT400', message = 'malformed_cursor';
  end if;
  return place;
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_response (
  user_id         uuid,
  endpoint        text,
  idempotency_key text,
  request_sha256  text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  stored private.hub_idempotent_responses;
begin
  if get_response.idempotency_key is null then
    return null;
  end if;
  select h.* into stored
  from private.hub_idempotent_responses h
  where h.user_id = get_response.user_id
    and h.endpoint = get_response.endpoint
    and h.idempotency_key = get_response.idempotency_key
    and h.created_at > clock_timestamp() - interval '24 hours';
  if stored.request_sha256 <> get_response.request_sha256 then
    raise exception using errcode = 'PT422', message = 'idempotency_key_reused';
  end if;
  return stored.answer;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_admins_before_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- The same advisory lock as in hub_bans_before_insert: an admin is added and banned one after the other.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(new.user_id, 2));
  if private.is_banned(new.user_id) then
    raise exception using errcode = 'PT409', message = 'user_is_banned', detail = '{"hint": "select hub_unban_creator(user_id) first"}';
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_begin_edit()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  editor constant uuid := (select auth.uid());
begin
  -- An owner's edit takes its locks in the order of all writers.
  if editor is not null then
    perform private.begin_write(editor);
    perform from public.hub_assets a where a.creator_id = editor order by a.id for no key update;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_check_text()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  edited constant boolean := (select auth.uid()) is not null;
  before public.hub_assets;
  sent_tags constant text[] := new.tags;
  faults jsonb := '[]';
  secrets jsonb := '[]';
begin
  if tg_op = 'UPDATE' then
    before := old;
  end if;
  -- Sizes first: normalising a long run of combining marks takes quadratic time and cannot be cancelled.
  if octet_length(new.title) > 4000 then
    faults := faults || private.fault('title', 'invalid_length', 'must be 1 to 120 visible characters');
  end if;
  if octet_length(new.description) > 40000 then
    faults := faults || private.fault('description', 'too_big', 'must be at most 2000 visible characters');
  end if;
  if cardinality(new.tags) > 100 or octet_length(array_to_string(new.tags, '')) > 20000
    or exists (select from unnest(new.tags) u (tag) where octet_length(u.tag) > 1000)
  then
    faults := faults || private.fault('tags', 'invalid_format', 'must be at most 20 tags of 1 to 64 letters, digits and + . _ : / -');
  end if;
  if octet_length(new.thumbnail_url) > 4000 then
    faults := faults || private.fault('thumbnail_url', 'invalid_format', 'must be an https address of at most 2048 characters');
  end if;
  perform private.refuse_faults(faults);

  if tg_op = 'INSERT' or new.title is distinct from before.title then
    new.title := private.clean(new.title);
    if new.title is null or char_length(new.title) not between 1 and 120 then
      faults := faults || private.fault('title', 'invalid_length', 'must be 1 to 120 visible characters');
    elsif private.has_breaks_or_invisible(new.title) then
      faults := faults || private.fault('title', 'invalid_text', 'must be one line without invisible characters');
    end if;
  end if;
  if tg_op = 'INSERT' or new.description is distinct from before.description then
    new.description := private.clean(new.description);
    if char_length(new.description) > 2000 then
      faults := faults || private.fault('description', 'too_big', 'must be at most 2000 visible characters');
    elsif private.has_invisible_characters(new.description) then
      faults := faults || private.fault('description', 'invalid_text', 'must be without invisible characters');
    elsif new.description is null and new.published_at is not null and before.description is not null then
      faults := faults || private.fault('description', 'required', 'is required');
    end if;
  end if;
  if tg_op = 'INSERT' or new.tags is distinct from before.tags then
    new.tags := private.normalize_tags(new.tags);
    if new.tags is null or not private.tags_are_valid(new.tags)
      or exists (select from unnest(new.tags) u (tag) where private.has_breaks_or_invisible(u.tag) or u.tag ~ '[\u200c\u200d\ufe0e\ufe0f]')
    then
      faults := faults || private.fault('tags', 'invalid_format', 'must be at most 20 tags of 1 to 64 letters, digits and + . _ : / -');
    end if;
  end if;
  if tg_op = 'INSERT' or new.thumbnail_url is distinct from before.thumbnail_url then
    new.thumbnail_url := private.clean(new.thumbnail_url);
    if not private.is_https_url(new.thumbnail_url) then
      faults := faults || private.fault('thumbnail_url', 'invalid_format', 'must be an https address of at most 2048 characters');
    end if;
  end if;
  perform private.refuse_faults(faults);

  -- Edge functions have removed secrets by more exact rules before, which leave placeholders in the text.
  if not edited then
    return new;
  end if;
  if private.adds_secret(before.title, new.title) then
    secrets := secrets || private.fault('title', 'secret_detected', 'looks like a secret');
  end if;
  if private.adds_secret(before.description, new.description) then
    secrets := secrets || private.fault('description', 'secret_detected', 'looks like a secret');
  end if;
  -- Also the tags as sent: some secrets do not match their pattern in lower case.
  if private.adds_secret(array_to_string(before.tags, ' '), array_to_string(sent_tags, ' '))
    or private.adds_secret(array_to_string(before.tags, ' '), array_to_string(new.tags, ' '))
  then
    secrets := secrets || private.fault('tags', 'secret_detected', 'looks like a secret');
  end if;
  if private.adds_secret(before.thumbnail_url, new.thumbnail_url) then
    secrets := secrets || private.fault('thumbnail_url', 'secret_detected', 'looks like a secret');
  end if;
  if secrets <> '[]' then
    raise exception using errcode = 'PT422', message = 'secret_detected', detail = jsonb_build_object('errors', secrets)::text;
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_guard()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'UPDATE' then
    if (new.id, new.asset_type, new.ref_id) is distinct from (old.id, old.asset_type, old.ref_id) then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["id", "asset_type", "ref_id"]}';
    end if;
    -- install_count depends on the creator. creator_id becomes null with the account and never changes otherwise.
    if new.creator_id is not null and new.creator_id is distinct from old.creator_id then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["creator_id"]}';
    end if;
    if old.attribution is not null and new.attribution is distinct from old.attribution then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["attribution"]}';
    end if;
    -- Lineage is set when a copy is made or first published. Later a reference can only become null, when its asset is erased.
    if (old.current_version > 0 or old.published_at is not null) and (
      new.remix_depth <> old.remix_depth
      or (new.source_asset_id is not null and new.source_asset_id is distinct from old.source_asset_id)
      or (new.parent_asset_id is not null and new.parent_asset_id is distinct from old.parent_asset_id)
    ) then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["source_asset_id", "parent_asset_id", "remix_depth"]}';
    end if;
    -- Never cleared: an asset without published_at counts as not published, and the next publication would change its slug.
    new.published_at := coalesce(new.published_at, old.published_at);
  end if;

  if new.deleted_at is not null then
    new.is_public := false;
  end if;
  if new.is_public then
    new.published_at := coalesce(new.published_at, clock_timestamp());
    new.content_updated_at := coalesce(new.content_updated_at, new.published_at);
  end if;
  if not new.is_hidden then
    new.hidden_at := null;
    new.hidden_reason := null;
  else
    new.hidden_at := coalesce(new.hidden_at, clock_timestamp());
    new.hidden_reason := coalesce(new.hidden_reason, 'moderator');
  end if;
  -- Without a creator the ban cannot be looked up any more: the old value stays.
  if new.creator_id is not null then
    -- Derived from the bans, whatever was written.
    new.hidden_by_ban := private.is_banned(new.creator_id);
  elsif tg_op = 'UPDATE' then
    new.hidden_by_ban := old.hidden_by_ban;
  end if;
  if tg_op = 'UPDATE' then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_guard_counters()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'INSERT' then
    new.star_count := 0;
    new.install_count := 0;
  -- Counters change only through the triggers of stars and imports.
  elsif pg_trigger_depth() = 1 then
    new.star_count := old.star_count;
    new.install_count := old.install_count;
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_have_content()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if exists (
    select from public.hub_assets a
    where a.id = new.id
      and a.is_public
      and not exists (
        select from public.hub_asset_versions v where v.asset_id = a.id and v.version = a.current_version
      )
  ) then
    raise exception using
      errcode = 'PT409',
      message = 'version_missing',
      detail = '{"hint": "a listing is public with a stored version as its current one; publishing makes one"}';
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_limit_edits()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  editor constant uuid := (select auth.uid());
begin
  if editor is not null then
    perform private.limit_calls(editor, 'edits', 600);
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_on_restore()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.close_reports(array[new.id], 'dismissed');
  update private.hub_moderation m
  set reviewed_version = new.current_version, reviewed_at = clock_timestamp()
  where m.asset_id = new.id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_on_tombstone()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if new.hidden_reason = 'removed' then
    perform private.close_reports(array[new.id], 'upheld');
  end if;
  -- A tombstone has no stars and no content.
  delete from public.hub_stars s where s.asset_id = new.id;
  delete from public.hub_featured f where f.asset_id = new.id;
  delete from public.hub_bundle_items i where i.asset_id = new.id;
  delete from public.hub_asset_versions v where v.asset_id = new.id;
  delete from public.hub_receipts r where r.asset_id = new.id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_bans_apply()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  assets uuid[];
  locked uuid[];
  reports uuid[];
begin
  -- A running publication holds this lock. Either it commits first and its asset is found below, or it runs after the ban and is
  -- refused.
  perform from public.hub_profiles p where p.user_id = new.user_id for no key update;
  assets := array(select a.id from public.hub_assets a where a.creator_id = new.user_id order by a.id for no key update);
  locked := private.lock_reports(assets, new.user_id);
  reports := array(
    select r.id
    from public.hub_reports r
    where r.id = any (locked) and not r.resolved and (r.asset_id = any (assets) or (r.reporter_id = new.user_id and r.counts))
  );
  perform from private.hub_moderation m
  where m.asset_id in (select r.asset_id from public.hub_reports r where r.id = any (reports))
  order by m.asset_id
  for no key update;

  -- hub_assets_guard computes the value from the bans.
  update public.hub_assets a set hidden_by_ban = true where a.id = any (assets);
  update public.hub_reports r
  set resolved = r.asset_id = any (assets),
    outcome = case when r.asset_id = any (assets) then 'upheld' end,
    note = case when r.asset_id = any (assets) then new.reason else r.note end,
    -- Open reports of a banned user are not counted.
    counts = r.counts and r.asset_id = any (assets)
  where r.id = any (reports);
  perform private.log_event('banned', user_id => new.user_id, details => jsonb_build_object('reason', new.reason));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_bans_before_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if new.user_id = (select auth.uid()) then
    raise exception using errcode = 'PT422', message = 'cannot_ban_self';
  end if;
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(new.user_id, 2));
  if exists (select from public.hub_admins a where a.user_id = new.user_id) then
    raise exception using errcode = 'PT422', message = 'cannot_ban_admin';
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_bans_lift()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- The ban is also deleted with its account; then the assets stay hidden.
  if exists (select from auth.users u where u.id = old.user_id) then
    perform from public.hub_profiles p where p.user_id = old.user_id for no key update;
    perform from public.hub_assets a where a.creator_id = old.user_id order by a.id for no key update;
    update public.hub_assets a set hidden_by_ban = false where a.creator_id = old.user_id;
    perform private.log_event('unbanned', user_id => old.user_id);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_profiles_before_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  before public.hub_profiles;
  faults jsonb := '[]';
  secrets jsonb := '[]';
begin
  if tg_op = 'UPDATE' and new.user_id = (select auth.uid()) and private.is_banned(new.user_id) then
    raise exception using errcode = 'PT403', message = 'banned';
  end if;
  if tg_op = 'UPDATE' then
    before := old;
  end if;
  if tg_op = 'INSERT' or new.username is distinct from before.username then
    new.username := private.clean(new.username);
    if new.username is null or new.username !~ '^[A-Za-z0-9][A-Za-z0-9_-]{1,28}[A-Za-z0-9]$' then
      faults := faults || private.fault('username', 'invalid_format', 'must be 3 to 30 letters (a to z), digits, _ or -');
    end if;
  end if;
  if tg_op = 'INSERT' or new.display_name is distinct from before.display_name then
    new.display_name := private.clean(new.display_name);
    if char_length(new.display_name) > 80 then
      faults := faults || private.fault('display_name', 'invalid_format', 'must be at most 80 visible characters');
    elsif private.has_breaks_or_invisible(new.display_name) then
      faults := faults || private.fault('display_name', 'invalid_text', 'must be one line without invisible characters');
    end if;
  end if;
  if tg_op = 'INSERT' or new.avatar_url is distinct from before.avatar_url then
    new.avatar_url := private.clean(new.avatar_url);
    if not private.is_https_url(new.avatar_url) then
      faults := faults || private.fault('avatar_url', 'invalid_format', 'must be an https address of at most 2048 characters');
    end if;
  end if;
  perform private.refuse_faults(faults);

  if private.adds_secret(before.username, new.username) then
    secrets := secrets || private.fault('username', 'secret_detected', 'looks like a secret');
  end if;
  if private.adds_secret(before.display_name, new.display_name) then
    secrets := secrets || private.fault('display_name', 'secret_detected', 'looks like a secret');
  end if;
  if private.adds_secret(before.avatar_url, new.avatar_url) then
    secrets := secrets || private.fault('avatar_url', 'secret_detected', 'looks like a secret');
  end if;
  if secrets <> '[]' then
    raise exception using errcode = 'PT422', message = 'secret_detected', detail = jsonb_build_object('errors', secrets)::text;
  end if;

  if tg_op = 'UPDATE' and private.username_key(new.username) <> private.username_key(old.username) then
    -- Reserved names are compared with rn for m as well; for all names this would refuse too many.
    if private.username_key(new.username) = any (array(
      select private.username_key(spelling)
      from unnest('{admin,administrator,anonymous,api,deleted,help,hub,keyhub,mod,moderator,"null",official,operator,owner,root,security,staff,support,system,undefined}'::text[]) reserved
      cross join lateral (values (reserved), (replace(reserved, 'm', 'rn'))) s (spelling)
    )) then
      raise exception using errcode = 'PT409', message = 'username_taken';
    end if;
    -- Two users who want one name at once: the second waits for the advisory lock and then finds the name taken here, so that the
    -- unique index raises no error of its own.
    perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended(private.username_key(new.username), 4));
    if exists (
      select from public.hub_profiles p
      where private.username_key(p.username) = private.username_key(new.username) and p.user_id <> new.user_id
    ) then
      raise exception using errcode = 'PT409', message = 'username_taken';
    end if;
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_reports_before_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset public.hub_assets;
  earlier public.hub_reports;
begin
  -- For another user or without an account: row level security refuses the row later; no error here may disclose anything.
  if (select auth.uid()) is not null and (new.reporter_id is distinct from (select auth.uid()) or not private.is_member()) then
    return new;
  end if;
  new.details := private.clean(new.details);
  if new.reason is null or new.reason not in ('spam', 'inappropriate', 'copyright', 'malicious_code', 'other') then
    perform private.refuse_faults(private.fault('reason', 'invalid_value', 'must be "spam" or "inappropriate" or "copyright" or "malicious_code" or "other"'));
  end if;
  if char_length(new.details) > 1000 then
    perform private.refuse_faults(private.fault('details', 'too_big', 'must be at most 1000 characters'));
  end if;
  if new.reason = 'other' and new.details is null then
    raise exception using errcode = 'PT422', message = 'details_required';
  end if;
  if new.reporter_id is not null then
    perform private.begin_write(new.reporter_id);
  end if;

  select a.* into asset from public.hub_assets a where a.id = new.asset_id;
  if asset.creator_id = new.reporter_id then
    raise exception using errcode = 'PT422', message = 'own_asset';
  end if;
  select r.* into earlier
  from public.hub_reports r
  where r.asset_id = new.asset_id and r.reporter_id = new.reporter_id and not r.resolved;
  if found then
    if earlier.counts or earlier.version >= asset.current_version or not asset.is_visible then
      raise exception using errcode = 'PT409', message = 'already_reported';
    end if;
    -- The earlier report was not counted and is about an older version: it is dismissed, and the new one replaces it.
    perform from public.hub_assets a where a.id = new.asset_id for no key update;
    update public.hub_reports r set resolved = true, outcome = 'dismissed' where r.id = earlier.id;
  end if;

  new.created_at := clock_timestamp();
  new.resolved := false;
  new.resolved_by := null;
  new.outcome := null;
  new.note := null;
  new.version := coalesce(asset.current_version, 0);
  new.counts := new.reporter_id is not null and not private.joined_after_restore(new.reporter_id, new.asset_id, new.version) and not exists (
    select from public.hub_reports r
    where r.asset_id = new.asset_id
      and r.reporter_id = new.reporter_id
      and r.resolved
      and (
        -- A reporter who was dismissed on a version counts again on the next one.
        r.outcome = 'dismissed' and r.version = new.version
        -- The asset was restored with this version: reports made before, whatever their outcome, have been reviewed.
        or exists (
          select from private.hub_moderation m where m.asset_id = new.asset_id and m.reviewed_version >= new.version
        )
      )
  );
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_reports_before_update()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if (new.id, new.asset_id, new.version) is distinct from (old.id, old.asset_id, old.version)
    or (new.reporter_id is not null and new.reporter_id is distinct from old.reporter_id)
    or (old.resolved and not new.resolved)
  then
    raise exception using errcode = 'PT409', message = 'report_is_fixed';
  end if;
  if new.resolved and not old.resolved then
    new.outcome := coalesce(new.outcome, 'dismissed');
    new.resolved_by := coalesce(new.resolved_by, (select auth.uid()));
    -- A dismissal covers the version that is current now, except when the reporter replaces an older report.
    if new.outcome = 'dismissed' and (new.resolved_by = old.reporter_id) is not true then
      select greatest(old.version, a.current_version) into new.version
      from public.hub_assets a
      where a.id = old.asset_id;
    end if;
  end if;
  -- counts may become false, never true.
  -- A report of a deleted account is not counted.
  new.counts := new.counts and old.counts and new.reporter_id is not null;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_stars_before_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- For another user or without an account: row level security refuses the row later; no error here may disclose anything.
  if (select auth.uid()) is not null and (new.user_id is distinct from (select auth.uid()) or not private.is_member()) then
    return new;
  end if;
  perform private.begin_write(new.user_id);
  if exists (select from public.hub_stars s where s.asset_id = new.asset_id and s.user_id = new.user_id)
    and exists (select from public.hub_assets a where a.id = new.asset_id and a.is_visible)
  then
    -- Starred already: idempotent, also for an insert without "on conflict". The lock of begin_write excludes a race.
    return null;
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.import_asset (
  user_id         uuid,
  rows            jsonb,
  mode            text,
  asset_id        uuid    DEFAULT NULL::uuid,
  version         integer DEFAULT NULL::integer,
  sha256          text    DEFAULT NULL::text,
  attribution     jsonb   DEFAULT NULL::jsonb,
  warnings        jsonb   DEFAULT '[]'::jsonb,
  dry_run         boolean DEFAULT false,
  hourly_limit    integer DEFAULT NULL::integer,
  idempotency_key text    DEFAULT NULL::text,
  request_sha256  text    DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  answer jsonb;
  created jsonb;
begin
  -- Serialized with a ban: either the ban waits for this lock, or this call finds the ban. Refuses a token that outlived its account.
  perform private.begin_write(import_asset.user_id);
  answer := private.get_response(
    import_asset.user_id, 'hub-import', import_asset.idempotency_key, import_asset.request_sha256
  );
  if answer is not null then
    return answer;
  end if;
  perform private.limit_calls(
    import_asset.user_id, case when import_asset.dry_run then 'previews' else 'imports' end, import_asset.hourly_limit
  );
  begin
    created := private.copy_rows(
      import_asset.user_id, import_asset.rows, import_asset.asset_id, import_asset.version, import_asset.sha256, import_asset.mode
    );
    if import_asset.dry_run then
      raise exception using errcode = 'KH002', message = 'only a plan';
    end if;
  exception
    when sqlstate 'KH002' then
      -- The rows were rolled back: their ids mean nothing.
      select jsonb_agg(c.value || '{"id": null, "hub_asset_id": null}' order by c.place) into created
      from jsonb_array_elements(created) with ordinality c (value, place);
  end;
  answer := jsonb_build_object(
    'stored', 'cloud',
    'created', created,
    'attribution', import_asset.attribution,
    'warnings', import_asset.warnings || (
      select coalesce(jsonb_agg(jsonb_build_object(
        'code', 'name_taken',
        'message', 'There is an item of that name already; the new one has another.',
        'wanted', r.value -> 'title',
        'title', created -> (r.place - 1)::integer -> 'title'
      ) order by r.place), '[]')
      from jsonb_array_elements(import_asset.rows) with ordinality r (value, place)
      where private.as_one_line(r.value ->> 'title') <> created -> (r.place - 1)::integer ->> 'title'
    )
  );
  if import_asset.dry_run then
    return answer || '{"dry_run": true}';
  end if;
  perform private.store_response(
    import_asset.user_id, 'hub-import', import_asset.idempotency_key, import_asset.request_sha256, answer
  );
  return answer;
end;
$function$;

CREATE OR REPLACE FUNCTION private.invisible_characters()
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- Control characters except tab and line breaks, invisible format characters, characters that are shown as nothing where they
  -- are not supported, private use, noncharacters, planes without characters, unassigned jamo, and blank letters.
  select '\u0001-\u0008\u000b-\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b\u200e-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud7c7-\ud7ca\ud7fc-\ud7ff\ue000-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffc\ufffe-\uffff\U0001107f\U00013430-\U00013455\U00016fe4\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U0001fffe-\U0001ffff\U0002fffe-\U0002ffff\U0003fffe-\U0010ffff'::text;
$function$;

CREATE OR REPLACE FUNCTION private.is_confirmed (
  user_id        uuid,
  content_sha256 text,
  scan_token     text
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select exists (
    select from private.hub_scan_tokens t
    where t.user_id = is_confirmed.user_id
      and t.content_sha256 = is_confirmed.content_sha256
      and t.token_sha256 = encode(sha256(convert_to(is_confirmed.scan_token, 'UTF8')), 'hex')
      and t.expires_at > clock_timestamp()
  );
$function$;

CREATE OR REPLACE FUNCTION private.is_current_content (
  asset_id uuid,
  version  integer,
  sha256   text,
  license  text,
  items    jsonb
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select exists (
    select from public.hub_asset_versions v
    where v.asset_id = is_current_content.asset_id
      and v.version = is_current_content.version
      and v.sha256 = is_current_content.sha256
      and v.license = is_current_content.license
  )
  and (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        -- A changed item makes a new version of the kit.
        'asset_type', i.asset_type, 'ref_id', i.ref_id, 'sha256', i.sha256, 'title', i.title, 'license', i.license
      )
      order by i.position
    ), '[]')
    from public.hub_bundle_items i
    where i.asset_id = is_current_content.asset_id and i.version = is_current_content.version
  ) = (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        'asset_type', i.item -> 'asset_type', 'ref_id', i.item -> 'ref_id', 'sha256', i.item -> 'sha256',
        'title', i.item -> 'title', 'license', i.item -> 'license'
      )
      order by i.position
    ), '[]')
    from jsonb_array_elements(is_current_content.items) with ordinality as i (item, position)
  );
$function$;

CREATE OR REPLACE FUNCTION private.is_member()
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- A Supabase anonymous session has the role authenticated, but no account: it is treated as signed out (Lite).
  select (select auth.uid()) is not null and coalesce((select auth.jwt()) ->> 'is_anonymous', 'false') <> 'true';
$function$;

CREATE OR REPLACE FUNCTION private.is_operator()
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- SECURITY DEFINER does not change the setting "role". API requests run as anon, authenticated or service_role, and none of
  -- them is a member of the role that owns this schema.
  select pg_catalog.pg_has_role(
    coalesce(nullif(current_setting('role', true), 'none'), session_user)::name,
    n.nspowner,
    'member'
  )
  from pg_catalog.pg_namespace n
  where n.nspname = 'private';
$function$;

CREATE OR REPLACE FUNCTION private.is_unchanged (
  payload     jsonb,
  attribution jsonb
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with origins as (
    select (o.origin ->> 'id')::uuid as asset_id, (o.origin ->> 'version')::integer as version
    from (
      values (is_unchanged.attribution -> 'root'), (is_unchanged.attribution -> 'parent')
      union all
      select v.origin from jsonb_array_elements(is_unchanged.attribution -> 'via') v (origin)
    ) o (origin)
    where o.origin is not null
  )
  select exists (
    select from origins o
    join public.hub_asset_versions v on v.asset_id = o.asset_id and v.version = o.version
    where v.payload - 'name' = is_unchanged.payload - 'name'
  )
  or exists (
    select from origins o
    join public.hub_bundle_items i on i.asset_id = o.asset_id and i.version = o.version
    where i.payload - 'name' = is_unchanged.payload - 'name'
  );
$function$;

CREATE OR REPLACE FUNCTION private.joined_after_restore (
  user_id  uuid,
  asset_id uuid,
  version  integer
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- Users can set neither of the two times. The profile may be newer than the account, but not older.
  select exists (
    select from private.hub_moderation m
    where m.asset_id = joined_after_restore.asset_id
      -- Such an account counts again on the next version.
      and m.reviewed_version >= joined_after_restore.version
      and m.reviewed_at < coalesce(
        (select u.created_at from auth.users u where u.id = joined_after_restore.user_id),
        (select p.created_at from public.hub_profiles p where p.user_id = joined_after_restore.user_id)
      )
  );
$function$;

CREATE OR REPLACE FUNCTION private.key_caller (
  token_hash text,
  user_id    uuid,
  OUT        pool_user_id uuid,
  OUT        agent_id uuid
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  at constant timestamptz := clock_timestamp();
begin
  if key_caller.token_hash is not null then
    select a.user_id, a.id into key_caller.user_id, agent_id
    from public.api_key_agents a
    where a.token_hash = key_caller.token_hash
      and (a.revoked_at is null or a.revoked_at > at);
  end if;
  select u.id into pool_user_id
  from auth.users u
  where u.id = key_caller.user_id
    -- An owner who is banned from signing in, or deleted, leases nothing.
    and (u.banned_until is null or u.banned_until <= at)
    and u.deleted_at is null;
  if pool_user_id is null then
    raise exception using errcode = 'PT401', message = 'invalid_credential';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lately_disabled (
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
  values (lately_disabled.user_id, coalesce(lately_disabled.provider, ''))
  on conflict on constraint api_key_breakers_pkey do update set provider = b.provider
  returning b.key_ids into listed;
  -- What an operator has enabled since does not count, nor what one has disabled.
  return array(
    select k.id
    from public.user_api_keys k
    join public.api_key_health h on h.user_api_key_id = k.id
    where k.id = any (listed)
      -- A key that was given away does not count.
      and k.user_id = lately_disabled.user_id
      -- An operator's enabling takes a key out of the count.
      and not k.is_active
      -- An operator's disabling does not count.
      and h.reason = 'invalid_key'
      and h.reason_since > clock_timestamp() - make_interval(secs => lately_disabled.window_seconds)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.lease_batch (
  user_id   uuid,
  agent_id  uuid,
  priority  integer,
  provider  text,
  live_kids text[],
  calls     integer
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
      and (k.usage_count, k.id) >= (
        select t.low_water_count, t.low_water_id
        from private.api_key_tiers t
        where t.user_id = lease_batch.user_id and t.priority = lease_batch.priority
      )
      and (lease_batch.provider is null or k.provider is null or k.provider = lease_batch.provider)
      and k.sealed_kid = any (lease_batch.live_kids)
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
    insert into public.api_key_usage_log (user_api_key_id, user_id, agent_id, key_generation, issued_at)
    select t.id, lease_batch.user_id, lease_batch.agent_id, t.generation, clock_timestamp()
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
  select jsonb_agg(k.lease || jsonb_build_object('lease_id', l.id, 'leased_at', l.issued_at) order by l.place)
  into answers
  from (select l.*, row_number() over () as place from leases l) l
  join counted k on k.id = l.user_api_key_id;
  return answers;
end;
$function$;

CREATE OR REPLACE FUNCTION private.limit_calls (
  user_id      uuid,
  kind         text,
  hourly_limit integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  checked_at constant timestamptz := clock_timestamp();
  recent timestamptz[];
begin
  if limit_calls.hourly_limit is null then
    return;
  end if;
  -- A call is counted for one hour.
  delete from private.hub_calls c
  where c.user_id = limit_calls.user_id and c.kind = limit_calls.kind and c.at <= checked_at - interval '1 hour';
  recent := array(
    select c.at
    from private.hub_calls c
    where c.user_id = limit_calls.user_id and c.kind = limit_calls.kind
    order by c.at desc
    limit limit_calls.hourly_limit
  );
  perform private.enforce_hourly_limit(limit_calls.kind, recent, limit_calls.hourly_limit);
  insert into private.hub_calls (user_id, kind) values (limit_calls.user_id, limit_calls.kind);
end;
$function$;

CREATE OR REPLACE FUNCTION private.limit_publications (
  user_id      uuid,
  hourly_limit integer
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  checked_at constant timestamptz := clock_timestamp();
  recent timestamptz[];
begin
  recent := array(
    select e.at
    from public.hub_events e
    where e.user_id = limit_publications.user_id
      and e.action = 'published'
      and e.at > checked_at - interval '1 hour'
    order by e.at desc
    limit limit_publications.hourly_limit
  );
  perform private.enforce_hourly_limit('publications', recent, limit_publications.hourly_limit);
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_before_user_deletion()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- The user's row is locked already: no new row can refer to it.
  -- First the user's own ban and those that the user imposed: lifting a ban locks the ban and then the assets.
  perform from private.hub_bans b where b.user_id = old.id or b.banned_by = old.id order by b.user_id for update;
  perform from public.hub_profiles p where p.user_id = old.id for update;
  perform private.lock_own_sources(old.id);
  perform from public.hub_stars s where s.user_id = old.id order by s.asset_id, s.user_id for update;
  perform from public.hub_imports i where i.user_id = old.id order by i.asset_id, i.id for update;
  perform from public.hub_assets a
  where a.id in (
    select own.id from public.hub_assets own where own.creator_id = old.id
    union
    select s.asset_id from public.hub_stars s where s.user_id = old.id
    union
    select i.asset_id from public.hub_imports i where i.user_id = old.id
  )
  -- Assets are locked in the order of their ids.
  order by a.id
  for no key update;
  perform private.lock_reports(null, old.id);
  perform from private.hub_moderation m
  where m.asset_id in (select r.asset_id from public.hub_reports r where r.reporter_id = old.id and not r.resolved)
  order by m.asset_id
  for no key update;
  return old;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_reports (
  asset_ids uuid[],
  user_id   uuid
)
  RETURNS uuid[]
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  wanted uuid[];
  locked uuid[];
begin
  loop
    wanted := array(
      select r.id
      from public.hub_reports r
      where (r.asset_id = any (lock_reports.asset_ids) and not r.resolved)
        or r.reporter_id = lock_reports.user_id
        or r.resolved_by = lock_reports.user_id
    );
    begin
      -- All reports are locked, or none.
      locked := array(select r.id from public.hub_reports r where r.id = any (wanted) for no key update skip locked);
      if cardinality(locked) = cardinality(wanted) then
        return locked;
      end if;
      raise exception using errcode = 'KH001', message = 'lock_conflict';
    exception
      when sqlstate 'KH001' then
        -- Lock conflict: the rollback of the inner block has released all locks. Wait for the first report that was locked by
        -- another transaction, release it as well, and retry.
        begin
          perform from public.hub_reports r
          where r.id = (select w.id from unnest(wanted) w (id) where w.id <> all (locked) limit 1)
          for no key update;
          raise exception using errcode = 'KH001', message = 'lock_conflict';
        exception
          when sqlstate 'KH001' then
            null;
        end;
    end;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_source (
  asset_type text,
  ref_id     uuid,
  user_id    uuid
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if lock_source.asset_type = 'template' then
    perform from public.prompt_templates t where t.id = lock_source.ref_id and t.user_id = lock_source.user_id for no key update;
  elsif lock_source.asset_type = 'component' then
    perform from public.custom_components c where c.id = lock_source.ref_id and c.user_id = lock_source.user_id for no key update;
  elsif lock_source.asset_type = 'orchestration' then
    perform from public.orchestrator_configs o where o.id = lock_source.ref_id and o.user_id = lock_source.user_id for no key update;
  elsif lock_source.asset_type = 'ai_preset' then
    perform from public.ai_model_settings s where s.id = lock_source.ref_id and s.user_id = lock_source.user_id for no key update;
  else
    perform private.refuse_asset_type(lock_source.asset_type);
  end if;
  return found;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_with_stars (
  asset_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  started constant timestamptz := clock_timestamp();
  locked bigint;
begin
  -- Lock order: a concurrent unstar locks the star and then waits for the asset. So stars are not waited for under the lock of
  -- the asset: on a lock conflict all locks are released and taken again.
  loop
    begin
      perform from public.hub_assets a where a.id = lock_with_stars.asset_id for no key update;
      select count(*) into locked from (
        -- A star is not waited for under the lock of the asset.
        select from public.hub_stars s where s.asset_id = lock_with_stars.asset_id for update skip locked
      ) s;
      exit when locked = (select count(*) from public.hub_stars s where s.asset_id = lock_with_stars.asset_id);
      raise exception using errcode = 'KH001', message = 'lock_conflict';
    exception
      when sqlstate 'KH001' then
        if clock_timestamp() > started + interval '5 seconds' then
          raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "lock conflict on a star, retries exhausted"}';
        end if;
        perform pg_sleep(0.01);
    end;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lower_low_water_mark()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- Locks the tier's row also where the mark is low enough already: tend_tier cannot see this key before it is committed, and
  -- must not raise the mark until then.
  insert into private.api_key_tiers as t (user_id, priority, low_water_count, low_water_id)
  values (new.user_id, new.priority, new.usage_count, new.id)
  on conflict (user_id, priority) do update
  set low_water_count = excluded.low_water_count, low_water_id = excluded.low_water_id
  where (excluded.low_water_count, excluded.low_water_id) < (t.low_water_count, t.low_water_id);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.mirror_listing()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  listing record;
begin
  select a.id, a.is_public into listing
  from public.hub_assets a
  where a.asset_type = tg_argv[0] and a.ref_id = new.id and a.deleted_at is null;
  -- The mirror is looked up at every write.
  new.hub_asset_id := listing.id;
  if tg_argv[0] <> 'template' then
    new.is_public := coalesce(listing.is_public, false);
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.next_state (
  state  private.key_state,
  report private.key_report,
  at     timestamp with time zone
)
  RETURNS private.key_state
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
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
    -- A lease from before an operator's edit.
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
      -- The same outage: only the provider's own word can lengthen the block.
      after.blocked_until := greatest(state.blocked_until, at + make_interval(secs => hint));
      after.effect := case when after.blocked_until is distinct from state.blocked_until then 'cooled' else 'ignored' end;
    else
      if state.last_failure_at <= at - make_interval(secs => report.reset_after_seconds) then
        -- Old failures are forgotten.
        after.consecutive_failures := 0;
      end if;
      after.consecutive_failures := least(after.consecutive_failures + 1, 1000000000);
      after.blocked_until := greatest(
        -- A new block never shortens the one there is.
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
    -- A block of the same cause stays as it is; one of another cause may be lengthened, never shortened.
    if not (was_blocked and state.reason is not distinct from report.cause) then
      after.blocked_until := greatest(state.blocked_until, at + make_interval(secs => coalesce(hint, report.base_seconds)));
    end if;
    after.effect := case when after.blocked_until is distinct from state.blocked_until then 'cooled' else 'ignored' end;

  elsif report.rule = 'tolerate' then
    after.effect := 'ignored';
    -- Server errors inside a block are not counted.
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
    -- A block that is lengthened keeps the time it began; what explains it is the newest report that moved it.
    after.last_failure_at := at;
    after.reason := report.cause;
    after.reason_code := report.error_code;
    if after.effect = 'disabled' or not was_blocked then
      after.reason_since := at;
    end if;
    -- A hint counts as used only where it set the block.
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
$function$;

CREATE OR REPLACE FUNCTION private.own_attribution (
  asset_type text,
  ref_id     uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select a.attribution
  from public.hub_assets a
  where a.asset_type = own_attribution.asset_type
    and a.ref_id = own_attribution.ref_id
    -- The attribution of a deleted listing still applies.
    and a.creator_id = (select auth.uid());
$function$;

CREATE OR REPLACE FUNCTION private.own_listing (
  asset_id   uuid,
  with_stars boolean DEFAULT false
)
  RETURNS public.hub_assets
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  asset public.hub_assets;
begin
  if caller is null or not private.is_member() then
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
  perform private.begin_write(caller);
  select a.* into asset from public.hub_assets a where a.id = own_listing.asset_id;
  if asset.creator_id = caller and asset.deleted_at is null then
    perform private.lock_source(asset.asset_type, asset.ref_id, caller);
    if own_listing.with_stars then
      perform private.lock_with_stars(asset.id);
    end if;
    select a.* into asset from public.hub_assets a where a.id = own_listing.asset_id for no key update;
  end if;
  if asset.deleted_at is null and asset.creator_id = caller then
    if asset.published_at is null then
      raise exception using errcode = 'PT409', message = 'not_published';
    end if;
    return asset;
  end if;
  -- not_owner tells that the asset exists: only when it is visible.
  if asset.is_visible then
    raise exception using errcode = 'PT403', message = 'not_owner';
  end if;
  raise exception using errcode = 'PT404', message = 'asset_not_found';
end;
$function$;

CREATE OR REPLACE FUNCTION private.pool_availability (
  user_id   uuid,
  provider  text,
  live_kids text[],
  exclude   uuid[]
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
        and k.ready_at <= at
        and k.id <> all (pool_availability.exclude)
    ) as ready,
    count(*) filter (where k.is_usable and k.ready_at > at) as cooling_down,
    count(*) filter (where not k.is_usable) as disabled,
    min(k.ready_at) filter (where k.is_usable and k.ready_at > at and isfinite(k.ready_at)) as soonest
  into pool
  from (
    -- A key sealed to a pair that is not live counts as disabled.
    select
      k.id,
      k.ready_at,
      k.is_active and k.unusable_reason is null and k.sealed_kid = any (pool_availability.live_kids) as is_usable
    from public.user_api_keys k
    where k.user_id = pool_availability.user_id
      and (pool_availability.provider is null or k.provider is null or k.provider = pool_availability.provider)
  ) k;
  if pool.ready > 0 then
    return null;
  end if;
  return jsonb_build_object(
    'leased', false,
    'retry', false,
    'cooling_down', pool.cooling_down,
    'disabled', pool.disabled,
    'retry_after', case when pool.soonest is not null then greatest(1, ceil(extract(epoch from pool.soonest - at))) end,
    'other_providers', case
      when pool.cooling_down + pool.disabled = 0 and pool_availability.provider is not null
      then (
        select (array_agg(distinct k.provider order by k.provider))[1:100]
        from public.user_api_keys k
        where k.user_id = pool_availability.user_id
      )
    end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.preview_slug (
  slug     text,
  asset_id uuid
)
  RETURNS text
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select private.nth_slug(preview_slug.slug, coalesce((
    select n.attempt
    from generate_series(1, 9) n (attempt)
    where not exists (
      select from public.hub_assets a
      -- A preview does not disclose the slug of an invisible listing.
      where a.slug = private.nth_slug(preview_slug.slug, n.attempt) and a.is_visible and a.id <> preview_slug.asset_id
    )
    order by n.attempt
    limit 1
  ), 10));
$function$;

CREATE OR REPLACE FUNCTION private.publish_asset (
  user_id         uuid,
  publication     jsonb,
  scan_token      text,
  dry_run         boolean,
  hourly_limit    integer,
  idempotency_key text,
  request_sha256  text
)
  RETURNS json
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  wanted constant jsonb := publish_asset.publication;
  answer json;
  made jsonb;
begin
  -- The requests of a user are serialized.
  perform private.begin_write(publish_asset.user_id);
  answer := private.get_response(
    publish_asset.user_id, 'hub-publish', publish_asset.idempotency_key, publish_asset.request_sha256
  );
  if answer is not null then
    return answer;
  end if;
  begin
    made := private.publish_snapshot(
      user_id => publish_asset.user_id,
      asset_type => wanted ->> 'asset_type',
      ref_id => (wanted ->> 'ref_id')::uuid,
      slug => wanted ->> 'slug',
      title => wanted ->> 'title',
      description => wanted ->> 'description',
      tags => array(select t.tag from jsonb_array_elements_text(wanted -> 'tags') with ordinality t (tag, n) order by t.n),
      thumbnail_url => wanted ->> 'thumbnail_url',
      license => wanted ->> 'license',
      payload => wanted -> 'payload',
      sha256 => wanted ->> 'sha256',
      scan => nullif(wanted -> 'scan', 'null'),
      redactions => wanted -> 'redactions',
      items => wanted -> 'items',
      confirmed => publish_asset.dry_run
        or wanted ->> 'content_sha256' is null
        or private.is_confirmed(publish_asset.user_id, wanted ->> 'content_sha256', publish_asset.scan_token),
      hourly_limit => case when not publish_asset.dry_run then publish_asset.hourly_limit end
    );
    answer := private.publication(
      publish_asset.user_id, (made ->> 'asset_id')::uuid, (made ->> 'version')::integer, (made ->> 'created')::boolean,
      -- An existing listing keeps its slug. For a new one the preview shows the slug that it would probably get.
      case
        when publish_asset.dry_run and (made ->> 'first')::boolean
        then private.preview_slug(wanted ->> 'slug', (made ->> 'asset_id')::uuid)
      end
    );
    if publish_asset.dry_run then
      raise exception using errcode = 'KH002', message = 'dry run';
    end if;
  exception
    when sqlstate 'KH002' then
      -- A preview runs the real publication and rolls it back, so that the two cannot differ.
      return answer;
  end;
  perform private.store_response(
    publish_asset.user_id, 'hub-publish', publish_asset.idempotency_key, publish_asset.request_sha256,
    -- A listing can be removed later: its content must not stay in a stored answer.
    answer::jsonb - array['payload', 'items', 'sha256', 'license']
  );
  return answer;
end;
$function$;

CREATE OR REPLACE FUNCTION private.publish_snapshot (
  user_id       uuid,
  asset_type    text,
  ref_id        uuid,
  slug          text,
  title         text,
  description   text,
  tags          text[],
  license       text,
  payload       jsonb,
  sha256        text,
  thumbnail_url text    DEFAULT NULL::text,
  scan          jsonb   DEFAULT NULL::jsonb,
  redactions    jsonb   DEFAULT '[]'::jsonb,
  items         jsonb   DEFAULT '[]'::jsonb,
  confirmed     boolean DEFAULT true,
  hourly_limit  integer DEFAULT NULL::integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
<<publish>>
declare
  asset public.hub_assets;
  parent public.hub_assets;
  first boolean;
  next_version integer;
begin
  -- Serialized with a ban: either the ban waits for this lock and finds the new asset, or this call finds the ban.
  perform private.begin_write(publish_snapshot.user_id);
  if publish_snapshot.license = 'paid' then
    raise exception using errcode = 'PT422', message = 'license_not_available';
  end if;
  if private.clean(publish_snapshot.description) is null then
    perform private.refuse_faults(private.fault('description', 'required', 'is required'));
  end if;
  if not private.lock_source(publish_snapshot.asset_type, publish_snapshot.ref_id, publish_snapshot.user_id) then
    raise exception using errcode = 'PT404', message = 'source_not_found';
  end if;
  select a.* into asset
  from public.hub_assets a
  where a.asset_type = publish_snapshot.asset_type and a.ref_id = publish_snapshot.ref_id
  for no key update;
  if asset.creator_id is distinct from publish_snapshot.user_id and asset.id is not null then
    raise exception using errcode = 'PT404', message = 'source_not_found';
  end if;
  if asset.hidden_reason = 'removed' then
    raise exception using errcode = 'PT409', message = 'removed';
  end if;

  if asset.deleted_at is null
    and (asset.title, asset.tags, asset.license) = (
      private.clean(publish_snapshot.title), private.normalize_tags(publish_snapshot.tags), publish_snapshot.license
    )
    and asset.description = private.clean(publish_snapshot.description)
    and asset.thumbnail_url is not distinct from publish_snapshot.thumbnail_url
    and private.is_current_content(
      asset.id, asset.current_version, publish_snapshot.sha256, publish_snapshot.license, publish_snapshot.items
    )
  then
    update public.hub_assets a set is_public = true where a.id = asset.id and not a.is_public;
    return jsonb_build_object(
      'asset_id', asset.id, 'slug', asset.slug, 'version', asset.current_version, 'created', false, 'first', false
    );
  end if;
  perform private.limit_publications(publish_snapshot.user_id, publish_snapshot.hourly_limit);
  perform private.refuse_hidden_items(publish_snapshot.user_id, publish_snapshot.items);
  if not publish_snapshot.confirmed then
    raise exception using errcode = 'PT409', message = 'scan_confirmation_required';
  end if;

  first := asset.published_at is null;
  if asset.id is null then
    asset.id := private.insert_listing(
      publish_snapshot.user_id, publish_snapshot.asset_type, publish_snapshot.ref_id, publish_snapshot.slug,
      publish_snapshot.title, publish_snapshot.description, publish_snapshot.tags, publish_snapshot.thumbnail_url,
      publish_snapshot.license
    );
    next_version := 1;
  else
    -- Not current_version + 1: an operator may have set current_version back, and the newer versions keep their numbers.
    select greatest(asset.current_version, max(v.version)) + 1 into next_version
    from public.hub_asset_versions v
    where v.asset_id = asset.id;
    -- An imported copy that is published becomes a remix of what was imported.
    if first then
      -- A claimed origin is not a parent.
      if asset.attribution ? 'parent' and asset.parent_asset_id is null then
        -- Locked, so that it is not erased before the reference to it is written.
        select p.* into parent from public.hub_assets p where p.id = (asset.attribution #>> '{parent,id}')::uuid for key share;
        update public.hub_assets a
        set parent_asset_id = parent.id,
          remix_depth = greatest(
            a.remix_depth,
            coalesce(parent.remix_depth, (asset.attribution #>> '{parent,remix_depth}')::integer, 0) + 1
          )
        where a.id = asset.id;
      end if;
      for attempt in 1..30 loop
        begin
          update public.hub_assets a set slug = private.nth_slug(publish_snapshot.slug, attempt) where a.id = asset.id;
          exit;
        exception
          when unique_violation then null;
        end;
      end loop;
    end if;
    update public.hub_assets a
    set title = publish_snapshot.title,
      description = publish_snapshot.description,
      tags = publish_snapshot.tags,
      thumbnail_url = publish_snapshot.thumbnail_url,
      license = publish_snapshot.license,
      current_version = next_version,
      is_public = true,
      content_updated_at = clock_timestamp(),
      -- Restores a listing that its creator had deleted, with its slug, reports and hidden state.
      deleted_at = null
    where a.id = asset.id;
  end if;

  insert into public.hub_asset_versions (asset_id, version, payload, sha256, license, scan)
  values (asset.id, next_version, publish_snapshot.payload, publish_snapshot.sha256, publish_snapshot.license, publish_snapshot.scan);
  insert into public.hub_bundle_items (asset_id, version, position, asset_type, ref_id, title, payload, sha256, license, attribution)
  select asset.id, next_version, i.position, i.item ->> 'asset_type', (i.item ->> 'ref_id')::uuid, i.item ->> 'title',
    i.item -> 'payload', i.item ->> 'sha256', i.item ->> 'license', nullif(i.item -> 'attribution', 'null')
  from jsonb_array_elements(publish_snapshot.items) with ordinality as i (item, position);
  insert into public.hub_receipts (asset_id, version, redactions)
  values (asset.id, next_version, publish_snapshot.redactions);

  select a.slug into asset.slug from public.hub_assets a where a.id = asset.id;
  return jsonb_build_object(
    'asset_id', asset.id, 'slug', asset.slug, 'version', next_version, 'created', true, 'first', first
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.refresh_old_trending()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- A fresh snapshot is left as it is. One writer makes a new one, and nobody waits.
  perform from private.hub_snapshots s
  where s.name = 'trending' and s.made_at < clock_timestamp() - interval '15 minutes'
  for update skip locked;
  if found then
    update private.hub_snapshots s
    -- Where there are few acts, each call counts them.
    set value = case when private.has_many_acts() then private.count_trending(2000) end, made_at = clock_timestamp()
    where s.name = 'trending';
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_banned()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Not in a cascade: a banned user may still delete rows of their workspace.
  if pg_trigger_depth() = 1 and (select auth.uid()) is not null and private.is_banned((select auth.uid())) then
    raise exception using errcode = 'PT403', message = 'banned';
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_change()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  raise exception using
    errcode = 'PT409',
    message = 'append_only',
    detail = jsonb_build_object('table', tg_table_name, 'verb', lower(tg_op))::text;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_hidden_items (
  user_id uuid,
  items   jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  hidden jsonb;
begin
  select jsonb_agg(
    private.fault('items.' || (i.position - 1) || '.ref_id', a.hidden_reason, 'is hidden by moderation') -> 0 order by i.position
  ) into hidden
  from jsonb_array_elements(refuse_hidden_items.items) with ordinality i (item, position)
  join public.hub_assets a
    on a.asset_type = i.item ->> 'asset_type'
    and a.ref_id = (i.item ->> 'ref_id')::uuid
    and a.creator_id = refuse_hidden_items.user_id
  where a.is_hidden;
  if hidden is not null then
    raise exception using errcode = 'PT409', message = 'item_hidden', detail = jsonb_build_object('errors', hidden)::text;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_huge_usage_count()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  largest constant bigint := 1000000000000000;
begin
  -- What has been counted up, or taken over from its peers, comes in small steps.
  if tg_op = 'INSERT' or new.usage_count > old.usage_count + 1000000 then
    raise exception using
      errcode = 'PT422',
      message = 'validation_failed',
      detail = format('{"errors": [{"path": "usage_count", "code": "too_big", "message": "must be at most %s"}]}', largest);
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_snapshot_delete()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if exists (select from public.hub_assets a where a.id = old.asset_id and a.deleted_at is null) then
    raise exception using
      errcode = 'PT409',
      message = 'append_only',
      detail = jsonb_build_object('table', tg_table_name, 'verb', 'delete')::text;
  end if;
  return old;
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
  set unusable_reason = 'the sealed text cannot be opened: seal the key again for this user_id',
    unusable_since = clock_timestamp()
  where k.id = lease.user_api_key_id and k.generation = lease.key_generation and k.unusable_reason is null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.remix_page (
  asset_id uuid,
  direct   boolean,
  last_at  timestamp with time zone,
  last_id  uuid,
  wanted   integer
)
  RETURNS TABLE (
    id           uuid,
    published_at timestamp with time zone,
    creator_id   uuid
  )
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
begin
  if remix_page.direct then
    return query
    select r.id, r.published_at, r.creator_id
    from public.hub_assets r
    where r.is_visible
      and r.parent_asset_id = remix_page.asset_id
      and (r.published_at, r.id) < (remix_page.last_at, remix_page.last_id)
    order by r.published_at desc, r.id desc
    limit remix_page.wanted;
  else
    return query
    select r.id, r.published_at, r.creator_id
    from public.hub_assets r
    where r.is_visible
      and r.source_asset_id = remix_page.asset_id
      and r.parent_asset_id is distinct from r.source_asset_id
      and (r.published_at, r.id) < (remix_page.last_at, remix_page.last_id)
    order by r.published_at desc, r.id desc
    limit remix_page.wanted;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.remove_asset (
  asset_id uuid,
  note     text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset constant public.hub_assets := private.asset_for_admin(remove_asset.asset_id, with_stars => true);
begin
  if not asset.is_hidden then
    raise exception using errcode = 'PT409', message = 'not_hidden';
  end if;
  perform private.set_audit_note(remove_asset.note);
  update public.hub_assets a set deleted_at = clock_timestamp(), hidden_reason = 'removed' where a.id = asset.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.republish_asset (
  asset_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset constant public.hub_assets := private.own_listing(republish_asset.asset_id);
begin
  if not exists (
    select from public.hub_asset_versions v where v.asset_id = asset.id and v.version = asset.current_version
  ) then
    raise exception using errcode = 'PT409', message = 'not_published';
  end if;
  update public.hub_assets a set is_public = true where a.id = asset.id and not a.is_public;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_admin()
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if not (private.is_admin() or private.is_operator()) then
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.restore_api_key_health()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  with reset as (
    update public.user_api_keys k
    set cooling_until = null, generation = k.generation + 1
    where k.id = any (
      case tg_op when 'DELETE' then array[old.user_api_key_id] else array(select every.id from public.user_api_keys every) end
    )
    returning k.id
  )
  insert into public.api_key_health (user_api_key_id)
  -- A deleted health row comes back.
  select r.id from reset r;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.searched_forms (
  value text
)
  RETURNS TABLE (
    form text
  )
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select r.form
  -- A secret is also found when invisible characters split it, or in full-width letters.
  from (select regexp_replace(searched_forms.value, '[\u200c\u200d\ufe0e\ufe0f' || private.invisible_characters() || ']', '', 'g') as visible) s
  cross join lateral (values (s.visible), (normalize(s.visible, nfkc))) r (form);
$function$;

CREATE OR REPLACE FUNCTION private.shown_attribution (
  attribution jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  root constant jsonb := private.shown_origin(shown_attribution.attribution -> 'root');
  parent constant jsonb := private.shown_origin(shown_attribution.attribution -> 'parent');
  via constant jsonb := shown_attribution.attribution -> 'via';
  claimed constant jsonb := shown_attribution.attribution -> 'claimed';
  original constant jsonb := coalesce(claimed -> 'root', claimed);
begin
  if shown_attribution.attribution is null then
    return null;
  end if;
  return case when claimed is null then '{}' else jsonb_build_object('claimed', claimed) end
    || case
      when via is null then '{}'
      else jsonb_build_object('via', (
        select jsonb_agg(private.shown_origin(v.origin) order by v.place)
        from jsonb_array_elements(via) with ordinality v (origin, place)
      ))
    end
    || jsonb_build_object(
      'root', root,
      'parent', parent,
      'text', case
        when root is null then 'Said to come from “' || (original ->> 'title') || '”' || coalesce(' by ' || (original ->> 'creator'), '')
        when (root -> 'deleted')::boolean then 'Remixed from a deleted asset' || coalesce(' by @' || (root #>> '{creator,username}'), '')
        else 'Remixed from “' || (root ->> 'title') || '”' || coalesce(' by @' || (root #>> '{creator,username}'), '')
      end
    );
end;
$function$;

CREATE OR REPLACE FUNCTION private.shown_origin (
  origin jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- Of the original's current row only this is disclosed: whether it can be opened and whether it is deleted.
  -- An attribution shows no author's id.
  select shown_origin.origin - 'creator_id' || jsonb_build_object(
    'creator', private.creator((shown_origin.origin ->> 'creator_id')::uuid),
    -- A hidden original cannot be opened.
    'available', coalesce(a.is_visible, false),
    'deleted', a.id is null or a.deleted_at is not null
  )
  from (values (1)) one
  left join public.hub_assets a on a.id = (shown_origin.origin ->> 'id')::uuid
  where shown_origin.origin is not null;
$function$;

CREATE OR REPLACE FUNCTION private.snapshot (
  name    text,
  max_age interval
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select s.value
  from private.hub_snapshots s
  where s.name = snapshot.name and s.made_at > now() - snapshot.max_age;
$function$;

CREATE OR REPLACE FUNCTION private.store_response (
  user_id         uuid,
  endpoint        text,
  idempotency_key text,
  request_sha256  text,
  answer          jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if store_response.idempotency_key is null then
    return;
  end if;
  delete from private.hub_idempotent_responses h
  where h.user_id = store_response.user_id and h.created_at <= clock_timestamp() - interval '24 hours';
  insert into private.hub_idempotent_responses (user_id, endpoint, idempotency_key, request_sha256, answer)
  values (
    store_response.user_id, store_response.endpoint, store_response.idempotency_key, store_response.request_sha256, store_response.answer
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.tend_tier (
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
  expired integer;
begin
  -- Mostly there are none: then nobody waits for this call who makes a key ready.
  if tend_tier.only_expired then
    perform from public.user_api_keys k
    where k.user_id = tend_tier.user_id and k.priority = tend_tier.priority and not k.is_ready and k.ready_at <= at
    order by k.ready_at
    limit 1;
    if not found then
      return;
    end if;
  end if;
  -- Whoever makes a key ready holds this lock until the commit, so that the queries below see all ready keys.
  perform from private.api_key_tiers t
  where t.user_id = tend_tier.user_id and t.priority = tend_tier.priority
  -- A tier that another call tends is not waited for.
  for no key update skip locked;
  if not found then
    return;
  end if;

  -- Without the advisory lock of a key: a caller that waits for that lock must not keep the key from becoming ready.
  update public.user_api_keys k
  set cooling_until = null
  where k.id in (
    select over.id
    from public.user_api_keys over
    where over.user_id = tend_tier.user_id
      and over.priority = tend_tier.priority
      and not over.is_ready
      and over.ready_at <= at
    order by over.ready_at
    limit batch
    for no key update skip locked
  );
  get diagnostics expired = row_count;

  update private.api_key_tiers t
  set low_water_count = front.usage_count,
    low_water_id = front.id,
    next_expiry_check_at = case
      -- There are more. An eighth of the time goes into them; in the rest callers take the keys that are ready.
      when expired = batch then at + 8 * (clock_timestamp() - at)
      else least(
        at + interval '0.5 s',
        (
          select k.ready_at
          from public.user_api_keys k
          where k.user_id = tend_tier.user_id and k.priority = tend_tier.priority and not k.is_ready
          order by k.ready_at
          limit 1
        )
      )
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
  where mark.user_id = tend_tier.user_id
    and mark.priority = tend_tier.priority
    and t.user_id = mark.user_id
    and t.priority = mark.priority;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tombstone (
  id_or_slug text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset public.hub_assets;
begin
  select a.* into asset
  from public.hub_assets a
  -- An asset that was never published has no public tombstone.
  where a.id = private.find_asset(tombstone.id_or_slug) and a.deleted_at is not null and a.published_at is not null;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  -- The tombstone of a hidden asset shows nothing of it.
  if asset.is_hidden or asset.hidden_by_ban then
    return '{"deleted": true}';
  end if;
  return jsonb_build_object(
    'id', asset.id,
    'slug', asset.slug,
    'asset_type', asset.asset_type,
    'title', asset.title,
    'license', asset.license,
    'creator', private.creator(asset.creator_id),
    'remix_depth', asset.remix_depth,
    'attribution', private.shown_attribution(asset.attribution),
    'deleted', true
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.updates()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'kind', u.kind,
      'id', u.id,
      'asset_type', u.asset_type,
      'ref_id', u.ref_id,
      'title', u.title,
      'source', u.source
    )
    order by u.kind, u.created_at desc, u.id
  ), '[]')
  from (
    select 'newer_version' as kind, c.id, c.asset_type, c.ref_id, c.title, c.created_at,
      jsonb_build_object(
        'id', s.id,
        'slug', s.slug,
        'title', s.title,
        'version', (c.attribution #>> '{parent,version}')::integer,
        'current_version', s.current_version
      ) as source
    from public.hub_assets c
    join public.hub_assets s on s.id = (c.attribution #>> '{parent,id}')::uuid
    where c.creator_id = (select auth.uid())
      and c.deleted_at is null
      and s.is_visible
      and s.current_version > (c.attribution #>> '{parent,version}')::integer
    union all
    select h.kind, c.id, c.asset_type, c.ref_id, c.title, c.created_at,
      o.origin - 'creator_id' - 'license' - 'remix_depth'
    from public.hub_assets c
    cross join lateral (
      select distinct on (e.origin ->> 'id') e.origin
      from (
        values (1, c.attribution -> 'parent'), (2, c.attribution -> 'root')
        union all
        -- Harmful origins in via are listed, too.
        select 3, v.origin from jsonb_array_elements(c.attribution -> 'via') v (origin)
      ) e (place, origin)
      order by e.origin ->> 'id', e.place
    ) o
    join public.hub_assets s on s.id = (o.origin ->> 'id')::uuid
    cross join lateral (
      values (case s.hidden_reason when 'removed' then 'removed' when 'malicious_code' then 'malicious_code' end)
    ) h (kind)
    where c.creator_id = (select auth.uid())
      and c.deleted_at is null
      and h.kind is not null
  ) u;
$function$;

CREATE OR REPLACE FUNCTION private.user_api_keys_after_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'INSERT' then
    insert into public.api_key_health (user_api_key_id) values (new.id);
  elsif new.generation > old.generation then
    update public.api_key_health h
    -- A replaced or re-enabled key starts with clean health.
    set blocked_until = null,
      consecutive_failures = 0,
      last_failure_at = null
    where h.user_api_key_id = new.id;
  end if;
  if not new.is_active and old.is_active is distinct from false then
    -- set-key-state overwrites this with its own reason in the same transaction.
    update public.api_key_health h
    set reason = 'disabled_by_operator', reason_code = null, reason_since = clock_timestamp(), reason_log_id = null
    where h.user_api_key_id = new.id;
  end if;
  return null;
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
begin
  -- Direct edits only: the trigger of api_key_health writes these columns from one level deeper.
  if pg_trigger_depth() = 1 then
    -- A copy of the block, which an edit does not change.
    new.cooling_until := case when expired then null else old.cooling_until end;
    new.generation := old.generation;
  end if;
  new.provider := nullif(lower(btrim(new.provider)), '');
  if new.provider is distinct from old.provider and new.provider !~ '^[a-z0-9][a-z0-9._-]{0,62}$' then
    raise exception using
      errcode = 'PT422',
      message = 'provider may have letters a to z, digits and the signs . _ -, begins with a letter or digit, and has at most 63 characters, such as openai',
      detail = '{"code": "provider_not_valid"}';
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
  if joins and new.usage_count = coalesce(old.usage_count, 0) then
    new.usage_count := coalesce(private.least_usage_count(new.user_id, new.priority, new.id), new.usage_count);
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

CREATE OR REPLACE FUNCTION private.users_make_profile()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.make_profile(new.id, new.created_at);
  return null;
exception
  when others then
    -- A sign-up must not fail because of the profile; begin_write makes it later.
    raise warning 'no hub profile was made: %', sqlstate;
    return null;
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_prune()
  RETURNS integer
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  pruned integer;
  expired_tokens integer;
  expired_calls integer;
  unused_words integer;
begin
  delete from private.hub_idempotent_responses h where h.created_at <= clock_timestamp() - interval '24 hours';
  get diagnostics pruned = row_count;
  delete from private.hub_scan_tokens t where t.expires_at <= clock_timestamp();
  get diagnostics expired_tokens = row_count;
  delete from private.hub_calls c where c.at <= clock_timestamp() - interval '1 hour';
  get diagnostics expired_calls = row_count;
  -- Nobody waits: a listing that is published at this moment with a word that no other one has is found by the whole of it.
  delete from private.hub_words k
  where not exists (select from private.hub_documents d where d.document @@ ('''' || k.word || '''')::tsquery);
  get diagnostics unused_words = row_count;
  return pruned + expired_tokens + expired_calls + unused_words;
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_remixes (
  asset_id uuid,
  cursor   text DEFAULT NULL::text
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
declare
  page_size constant integer := 24;
  list constant jsonb := jsonb_build_array('remixes', hub_remixes.asset_id);
  place jsonb;
  last_at timestamptz := 'infinity';
  last_id uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  ids uuid[] := '{}';
  creator_ids uuid[] := '{}';
  times timestamptz[] := '{}';
  directs integer := 0;
begin
  if hub_remixes.cursor is not null then
    place := private.from_cursor(hub_remixes.cursor, list);
    -- Cursors are not signed: check the types of a decoded place.
    if not jsonb_path_exists(place, '$ ? (@.direct.type() == "boolean" && @.at.type() == "string" && @.id.type() == "string")')
      or not pg_input_is_valid(place ->> 'at', 'timestamptz')
      or not pg_input_is_valid(place ->> 'id', 'uuid')
    then
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
    last_at := place ->> 'at';
    last_id := place ->> 'id';
  end if;
  if place is null or (place -> 'direct')::boolean then
    select coalesce(array_agg(p.id), '{}'), coalesce(array_agg(p.creator_id), '{}'), coalesce(array_agg(p.published_at), '{}')
    into ids, creator_ids, times
    from private.remix_page(hub_remixes.asset_id, true, last_at, last_id, page_size + 1) p;
    directs := cardinality(ids);
    last_at := 'infinity';
    last_id := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  end if;
  if directs <= page_size then
    select ids || coalesce(array_agg(p.id), '{}'), creator_ids || coalesce(array_agg(p.creator_id), '{}'),
      times || coalesce(array_agg(p.published_at), '{}')
    into ids, creator_ids, times
    from private.remix_page(hub_remixes.asset_id, false, last_at, last_id, page_size + 1 - directs) p;
  end if;
  return json_build_object(
    'items', private.remix_cards(ids[:page_size], creator_ids, directs),
    'next_cursor', case
      when cardinality(ids) > page_size
      then private.to_cursor(jsonb_build_object(
        'list', list, 'direct', page_size <= directs, 'at', times[page_size], 'id', ids[page_size]
      ))
    end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_sources (
  items jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  -- Twice the limit of a kit with its orchestration: JSON of the database has extra spaces, and the exact limit is checked later.
  max_bytes constant integer := 12582912;
  bytes bigint := 0;
  found record;
  content jsonb;
  sources jsonb[] := '{}';
begin
  for found in
    select i.asset_type, i.ref_id
    from (select distinct r.asset_type, r.ref_id from jsonb_to_recordset(hub_sources.items) as r (asset_type text, ref_id uuid)) i
  loop
    content := private.source_row(found.asset_type, found.ref_id);
    continue when content is null;
    sources := sources || jsonb_build_object(
      'asset_type', found.asset_type,
      'ref_id', found.ref_id,
      'content', content,
      'attribution', private.own_attribution(found.asset_type, found.ref_id)
    );
    -- Stop early: sources that are much too large for a kit are neither read completely nor sent.
    bytes := bytes + octet_length(sources[cardinality(sources)]::text);
    if bytes > max_bytes then
      raise exception using
        errcode = 'PT422',
        message = 'validation_failed',
        detail = '{"errors": [{"path": "items", "code": "too_big", "message": "are too large together"}]}';
    end if;
    -- A kit has at most 50 items: 51 rows are enough to see that there are too many.
    exit when cardinality(sources) > 50;
  end loop;
  return to_jsonb(sources);
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
  exclude          uuid[]  DEFAULT '{}'::uuid[]
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
  retry constant jsonb := '{"leased": false, "retry": true}';
  agent_id uuid;
  at timestamptz := clock_timestamp();
  -- Tiers from this priority up have no key for this call.
  above bigint := 2147483648;
  tier_priority integer;
  is_due boolean;
  -- The tier that this call has tended last.
  tended integer;
  -- Where the search starts.
  start_count bigint;
  start_id uuid;
  mark_id uuid;
  -- Where the key stands that this call has waited for.
  held_priority integer;
  held_count bigint;
  held_id uuid;
  chosen_id uuid;
  chosen_generation integer;
  is_ready boolean;
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
    select t.priority, t.low_water_count, t.low_water_id, t.next_expiry_check_at <= at
    into tier_priority, start_count, start_id, is_due
    from private.api_key_tiers t
    where t.user_id = lease_api_key.user_id and t.priority < above
    order by t.priority desc
    limit 1;
    if not found then
      -- No tier has a key: the answer comes from one look at the whole pool.
      answer := private.pool_availability(
        lease_api_key.user_id, lease_api_key.provider, lease_api_key.live_kids, lease_api_key.exclude
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
    if is_due and lease_api_key.attempt % 2 = 0 and tended is distinct from tier_priority then
      tended := tier_priority;
      perform private.tend_tier(lease_api_key.user_id, tier_priority, only_expired => true);
      continue;
    end if;

    -- The tier's first key in the documented order that is not locked. The first caller of a pool starts at the low-water
    -- mark. Callers that come while it works start at a random place, or each would step over the keys that all others have
    -- locked. A retry starts at the mark, so that it misses no free key.
    if tier_priority = held_priority then
      start_count := held_count;
      start_id := held_id;
    elsif lease_api_key.attempt = 0
      and not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.uuid_hash_extended(lease_api_key.user_id, 1))
    then
      mark_id := start_id;
      start_id := gen_random_uuid();
      start_count := start_count + (start_id < mark_id)::integer;
    end if;
    select k.id, k.generation into chosen_id, chosen_generation
    from public.user_api_keys k
    where k.user_id = lease_api_key.user_id
      and k.priority = tier_priority
      and k.is_ready
      and (k.usage_count, k.id) >= (start_count, start_id)
      and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
      -- Only texts that are sealed to a live pair.
      and k.sealed_kid = any (lease_api_key.live_kids)
      and k.id <> all (lease_api_key.exclude)
    order by k.usage_count, k.id
    limit 1
    for no key update skip locked;
    exit when found;

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
    order by k.usage_count, k.id
    limit 1;
    if not found then
      -- In one look, also at the mark: a key that another call makes ready meanwhile is either over in it, or not below the mark.
      -- Any of the first, so that callers spread over the keys.
      select k.id, k.is_ready into chosen_id, is_ready
      from private.api_key_tiers t
      cross join lateral (
        (
          select k.id, k.is_ready
          from public.user_api_keys k
          where k.user_id = t.user_id
            and k.priority = t.priority
            and k.is_ready
            and (k.usage_count, k.id) >= (t.low_water_count, t.low_water_id)
            and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
            and k.sealed_kid = any (lease_api_key.live_kids)
            and k.id <> all (lease_api_key.exclude)
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
          order by k.ready_at
          limit 1
        )
      ) k
      where t.user_id = lease_api_key.user_id and t.priority = tier_priority
      order by k.is_ready desc, random()
      limit 1;
    end if;
    if not found then
      above := tier_priority;
      continue;
    end if;
    -- A tier without a ready key is checked for expired cooldowns, whenever its next check is due.
    if not is_ready and lease_api_key.attempt % 2 = 0 and tended is distinct from tier_priority then
      tended := tier_priority;
      perform private.tend_tier(lease_api_key.user_id, tier_priority, only_expired => true);
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
      lease_api_key.user_id, agent_id, tier_priority, lease_api_key.provider, lease_api_key.live_kids, lease_api_key.calls
    );
  else
    -- The log row first: its foreign key finds the key row locked already, and need not lock the next version of it.
    insert into public.api_key_usage_log (user_api_key_id, user_id, agent_id, key_generation, issued_at)
    values (chosen_id, lease_api_key.user_id, agent_id, chosen_generation, clock_timestamp())
    returning id, issued_at into lease_id, leased_at;

    update private.key_leases k
    set usage_count = k.usage_count + 1
    where k.id = chosen_id
    returning k.lease || jsonb_build_object('lease_id', lease_id, 'leased_at', leased_at) into answer;
  end if;

  -- Once in 64 leases the low-water mark is raised and the next expiry check postponed. Never waits.
  if random() < 0.015625 * lease_api_key.calls then
    perform private.tend_tier(lease_api_key.user_id, tier_priority);
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

CREATE OR REPLACE FUNCTION public.reenable_keys (
  user_id  uuid,
  provider text,
  since    timestamp with time zone
)
  RETURNS TABLE (
    user_api_key_id uuid,
    key_name        text,
    disabled_at     timestamp with time zone,
    reason_code     text
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  locked_ids uuid[];
begin
  -- Locked in a fixed order before they are looked at: what somebody enables meanwhile is left alone.
  locked_ids := array(
    select k.id
    from public.user_api_keys k
    where k.user_id = reenable_keys.user_id
      and (reenable_keys.provider is null or k.provider = reenable_keys.provider)
      and not k.is_active
    order by k.id
    for no key update
  );
  return query
  update public.user_api_keys k
  set is_active = true
  from public.api_key_health h
  where k.id = any (locked_ids)
    and h.user_api_key_id = k.id
    -- A key that an operator disabled stays disabled.
    and h.reason = 'invalid_key'
    and h.reason_since >= reenable_keys.since
  returning k.id, k.key_name, h.reason_since, h.reason_code;
end;
$function$;

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
  agent_id uuid;
  reported_id uuid;
  last_at timestamptz;
  last_outcome_of_key text;
  answer jsonb;
  lease public.api_key_usage_log;
begin
  -- From here on user_id is the owner of the pool.
  select c.pool_user_id, c.agent_id into report_api_key.user_id, agent_id
  from private.key_caller(report_api_key.token_hash, report_api_key.user_id) c;

  if report_api_key.lease_id is not null then
    if this.rule in ('success', 'escalate') and not report_api_key.report ?| array['hint_given', 'hint_seconds', 'hint_at'] then
      -- A report that changes nothing: a success on a key in good health, or one more failure of a known outage. It reads key
      -- and health in one snapshot and locks the row of the log alone, which tells who was first. So it stands before every
      -- failure, reset and edit that it does not see. The pool is the lease's: a key that was given away has risen in
      -- generation, and a condition on its owner would let a plan walk through all of the owner's keys.
      update public.api_key_usage_log l
      set reported_at = at,
        outcome = this.outcome,
        error_code = this.error_code,
        effect = case this.rule when 'success' then 'none' else 'ignored' end,
        state_before = case when h.blocked_until > at then 'cooling_down' else 'available' end,
        state_after = case when h.blocked_until > at then 'cooling_down' else 'available' end,
        blocked_until = case when h.blocked_until > at then h.blocked_until end,
        consecutive_failures = h.consecutive_failures
      from public.user_api_keys k, public.api_key_health h
      where l.id = report_api_key.lease_id
        and l.user_id = report_api_key.user_id
        -- One lease has one effect.
        and l.outcome is null
        and l.issued_at is not null
        and (report_api_key.key_id is null or report_api_key.key_id = l.user_api_key_id)
        and k.id = l.user_api_key_id
        and k.is_active
        -- Only a key that can be opened.
        and k.unusable_reason is null
        -- Not on a lease from before an operator's edit.
        and k.generation <= l.key_generation
        and h.user_api_key_id = l.user_api_key_id
        -- A success would make it forget server errors.
        and h.recent_server_errors = '{}'
        and case this.rule
          when 'success' then
            h.consecutive_failures = 0
            and (h.blocked_until is null or h.blocked_until <= at)
            and (h.last_failure_at is null or h.last_failure_at < l.issued_at)
          -- A failure counts here only when it belongs to the known outage.
          else l.issued_at < h.rate_blocked_until
        end
      returning l.user_api_key_id, h.last_reported_at, h.last_outcome, private.report_answer(l)
      into reported_id, last_at, last_outcome_of_key, answer;
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
            where free.user_api_key_id = reported_id
              -- A newer outcome stays.
              and (free.last_reported_at is null or free.last_reported_at < at)
            for no key update skip locked
          );
        end if;
        return answer;
      end if;
    end if;

    select l.* into lease
    from public.api_key_usage_log l
    where l.id = report_api_key.lease_id and l.user_id = report_api_key.user_id and l.issued_at is not null;
    if not found then
      raise exception using errcode = 'PT404', message = 'lease_not_found';
    elsif report_api_key.key_id <> lease.user_api_key_id then
      raise exception using errcode = 'PT422', message = 'lease_key_mismatch';
    elsif lease.outcome <> this.outcome then
      raise exception using errcode = 'PT409', message = 'already_reported';
    elsif lease.outcome is not null then
      -- Answered here, before any queue: who came too late above still holds the row of the log.
      lease.effect := 'duplicate';
      return private.report_answer(lease);
    end if;
  end if;

  return private.report_answer(private.apply_report(
    report_api_key.user_id,
    agent_id,
    coalesce(lease.user_api_key_id, report_api_key.key_id),
    lease,
    jsonb_populate_record(null::private.key_report, report_api_key.report)
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
declare
  at constant timestamptz := clock_timestamp();
  answers jsonb;
begin
  select c.pool_user_id into report_successes.user_id
  from private.key_caller(report_successes.token_hash, report_successes.user_id) c;

  -- As in report_api_key: reports that change nothing and whose log row is not locked. The caller reports the others one by one.
  with open as materialized (
    select l.id
    from public.api_key_usage_log l
    where l.id = any (report_successes.lease_ids)
      -- Somebody else's lease is left alone.
      and l.user_id = report_successes.user_id
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
    from open o, public.user_api_keys k, public.api_key_health h
    where l.id = o.id
      and k.id = l.user_api_key_id
      -- The rest is evaluated alone: a key that is off or cannot be opened, a lease from before an operator's edit, server errors or
      -- failures that the success ends, a block, and a failure after the lease.
      and k.is_active
      and k.unusable_reason is null
      and k.generation <= l.key_generation
      and h.user_api_key_id = l.user_api_key_id
      and h.recent_server_errors = '{}'
      and h.consecutive_failures = 0
      and (h.blocked_until is null or h.blocked_until <= at)
      and (h.last_failure_at is null or h.last_failure_at < l.issued_at)
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
    case when a.turn = 1 and r.id is not null then r.answer else '{"retry": true}' end
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
