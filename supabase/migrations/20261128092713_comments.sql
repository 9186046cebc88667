SET local check_function_bodies = off;

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
  -- The keys that the report may change: the key, or all keys of its account, which share its limits.
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
      -- Only a failure can block or disable a key. A report without a lease also locks the key, so that its new log row is inserted
      -- before the key is deleted or not at all.
      when report.rule in ('success', 'ignore') and lease.id is not null then 'health'
      when report.rule = 'escalate' or report.scope = 'account' then 'account'
      else 'key'
    end,
    about_model
  );
  -- Read after locking: an edit that resets or disables a key writes both rows, so that either all of the edit is visible here or
  -- nothing.
  select k.* into key from public.user_api_keys k where k.id = apply_report.key_id and k.user_id = apply_report.user_id;
  if not found then
    raise exception using errcode = 'PT404', message = 'lease_not_found';
  end if;
  select h.* into health from public.api_key_health h where h.user_api_key_id = key.id;
  select m.* into limited from public.api_key_model_health m where m.user_api_key_id = key.id and m.model = about_model;
  if cardinality(key_ids) > 1 then
    -- The keys of an account share one count: a success of any of them has ended the outage.
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
    -- Two keys that die within a minute may really be dead; a third one more probably means that a network refuses all of them.
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
    -- Finds the lease only while it is not reported. Tests outcome instead of reported_at: with reported_at, the planner could use
    -- the index of open leases, which looks cheaper than the primary key while few leases are open.
    and l.outcome is null
  returning l.* into log;
  if not found then
    -- The lease was reported, released or pruned meanwhile: the caller must read it again.
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
        -- Another key of the account keeps a block that is longer.
        and (m.user_api_key_id = key.id or m.blocked_until is null or m.blocked_until < after.blocked_until);
    end if;
    -- A report on a model changes only the recent server errors of the key itself.
    key_state.recent_server_errors := after.recent_server_errors;
    after := key_state;
  end if;
  -- A trigger of this table copies the block to the key's row, which leases read (11_api_key_health.sql).
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

CREATE OR REPLACE FUNCTION private.asset_for_admin (
  asset_id   uuid,
  with_stars boolean DEFAULT false
)
  RETURNS public.hub_assets
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset public.hub_assets;
begin
  perform private.require_admin();
  -- Locks the admin's account, to which the resolved reports will refer: accounts come first in the lock order.
  perform from auth.users u where u.id = (select auth.uid()) for key share;
  if asset_for_admin.with_stars then
    select a.* into asset from public.hub_assets a where a.id = asset_for_admin.asset_id;
    perform private.lock_source(asset.asset_type, asset.ref_id, asset.creator_id);
    perform private.lock_with_stars(asset.id);
  end if;
  select a.* into asset
  from public.hub_assets a
  where a.id = asset_for_admin.asset_id and a.deleted_at is null
  for no key update;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return asset;
end;
$function$;

CREATE OR REPLACE FUNCTION private.begin_checkout (
  user_id      uuid,
  listing      text,
  provider     text,
  hourly_limit integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset public.hub_assets;
  seller public.hub_payout_accounts;
  ordered private.orders;
  bps integer;
begin
  perform private.begin_write(begin_checkout.user_id);
  select a.* into asset from public.hub_assets a where a.id = private.find_asset(begin_checkout.listing) and a.is_visible;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  if asset.creator_id = begin_checkout.user_id then
    raise exception using errcode = 'PT422', message = 'own_asset';
  end if;
  select p.* into seller
  from public.hub_payout_accounts p
  where p.user_id = asset.creator_id and p.provider = begin_checkout.provider and p.charges_enabled;
  if asset.license <> 'paid' or not found then
    raise exception using errcode = 'PT409', message = 'not_for_sale';
  end if;
  if exists (
    select from public.hub_purchases p
    where p.user_id = begin_checkout.user_id and p.asset_id = asset.id and p.revoked_at is null
  ) then
    raise exception using errcode = 'PT409', message = 'already_purchased';
  end if;
  select case when p.verified_at is null then s.fee_bps else s.verified_fee_bps end into bps
  from public.hub_settings s
  left join public.hub_profiles p on p.user_id = asset.creator_id;

  select o.* into ordered
  from private.orders o
  where o.buyer_id = begin_checkout.user_id and o.asset_id = asset.id and o.state = 'open';
  if found and (
    (ordered.price_cents, ordered.currency, ordered.fee_bps, ordered.provider, ordered.account_id)
      <> (asset.price_cents, asset.currency, bps, seller.provider, seller.account_id)
    -- The payment page of the order closes within 2 minutes, or the order is more than 10 minutes old and has no payment page.
    or ordered.expires_at < clock_timestamp() + case when ordered.checkout_id is null then interval '50 minutes' else interval '2 minutes' end
  ) then
    perform private.apply_payment_event('keyhub', 'replaced:' || ordered.id, 'expired', ordered.id, 'checkout');
    ordered := null;
  end if;
  if ordered.id is null then
    perform private.limit_calls(begin_checkout.user_id, 'checkouts', begin_checkout.hourly_limit);
    insert into private.orders (
      buyer_id, creator_id, asset_id, title, provider, account_id, price_cents, currency, fee_bps, fee_cents
    )
    values (
      begin_checkout.user_id, asset.creator_id, asset.id, asset.title, seller.provider, seller.account_id, asset.price_cents,
      asset.currency, bps, (asset.price_cents::bigint * bps + 5000) / 10000
    )
    returning * into ordered;
  end if;
  return jsonb_build_object(
    'order_id', ordered.id, 'title', ordered.title, 'price_cents', ordered.price_cents, 'currency', ordered.currency,
    'fee_cents', ordered.fee_cents, 'account_id', ordered.account_id, 'product_id', asset.payment_product_id,
    'expires_at', ordered.expires_at, 'checkout_url', ordered.checkout_url
  );
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
  -- The lock of the profile serializes the writes of a user, and serializes each write with a ban of that user.
  loop
    perform from public.hub_profiles p where p.user_id = begin_write.user_id for no key update;
    exit when found;
    if not exists (select from auth.users u where u.id = begin_write.user_id) then
      -- auth.uid() is null when an edge function writes for a user. The user's token was still valid then, but the account is
      -- deleted.
      if (select auth.uid()) is null then
        raise exception using errcode = 'PT401', message = 'invalid_credential';
      end if;
      raise exception using errcode = '42501', message = 'permission denied';
    end if;
    -- A user without a profile gets one on the first write.
    perform private.make_profile(begin_write.user_id, null);
  end loop;
  -- Lock order: the deletion of an account locks the row of auth.users first and the profile later, so the lock on the row of
  -- auth.users must not wait here. It comes after the lock of the profile: if writers held it while they wait for the profile, two
  -- of them could block the deletion by taking turns.
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

CREATE OR REPLACE FUNCTION private.close_appeals()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_table_name = 'hub_bans' then
    if not exists (select from auth.users u where u.id = old.user_id) then
      -- The account is being deleted: its appeals go with it.
      return null;
    end if;
    update public.hub_appeals p set state = 'accepted' where p.user_id = old.user_id and p.asset_id is null and p.state = 'open';
  elsif new.is_hidden then
    -- The listing was removed for good. The removal is a new decision, against which the creator may appeal again.
    update public.hub_appeals p set state = 'rejected' where p.asset_id = new.id and p.state = 'open';
  else
    update public.hub_appeals p set state = 'accepted' where p.asset_id = new.id and p.state = 'open';
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.copy_block_to_key()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  -- At trigger depth 1 somebody edited this health row itself; at a greater depth, an edit of the key has already raised the
  -- generation.
  reset constant boolean := new.blocked_until is null
    and new.last_reported_at is not distinct from old.last_reported_at
    and pg_trigger_depth() = 1;
  live constant timestamptz := case
    -- A block that an operator moves into the past ends at once. A report copies the end of its block as it is, even when it has
    -- passed, because clearing it would lock the tier of the key.
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
    -- Locks the asset first, so that of two concurrent imports by one user only one is counted.
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
    -- A counted row was deleted. Another row of the same user takes its place, so all rows of that user are locked. A concurrent
    -- delete may hold such a row and wait for the asset. This loop holds the asset, so it skips locked rows instead of waiting: on
    -- a lock conflict it releases all locks and takes them again.
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
      -- Leaves out a user who has another import of the asset, which is now counted instead of the deleted one.
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
    if exists (select from added n join public.hub_assets a on a.id = n.asset_id where not private.is_seen_by(a, n.reporter_id)) then
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
    -- The admins of an organization decide about the listings on its shelf, so these listings get a reason of their own.
    set is_hidden = true, hidden_reason = case when a.is_shared then 'organization_reports' else 'reports' end
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
      -- Counts one act of each kind for each user and listing.
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
    -- The first twenty places hold at most two listings of one creator. Further listings of that creator come after these places,
    -- and only when all twenty are filled.
    first as (
      select r.id from ranked r where r.of_creator <= 2 order by r.score desc, r.id limit 20
    ),
    placed as (
      select r.id, r.score, f.id is not null as is_first
      from ranked r
      left join first f on f.id = r.id
      where f.id is not null or (select count(*) from first) = 20
      order by f.id is not null desc, r.score desc, r.id
      limit 120
    )
    select coalesce(jsonb_agg(p.id order by p.is_first desc, p.score desc, p.id), '[]') from placed p
  );
end;
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
  -- The first condition uses the index; the second compares the exact name.
  where private.username_key(p.username) = private.username_key(creator_by_name.username)
    and lower(p.username) = lower(creator_by_name.username)
    and not private.is_banned(p.user_id)
  union all
  -- For 180 days nobody else can take a former name, so at most one branch returns a row.
  select p.user_id
  from private.hub_former_names f
  join public.hub_profiles p on p.user_id = f.user_id
  where f.name_key = private.username_key(creator_by_name.username)
    and lower(f.username) = lower(creator_by_name.username)
    and f.given_up_at > clock_timestamp() - interval '180 days'
    and not private.is_banned(p.user_id);
$function$;

CREATE OR REPLACE FUNCTION private.estimate_categories (
  most integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET jit TO 'off'
  AS $function$
begin
  return (
    -- Ids are random, so the tags of the listings with the lowest ids are a fair sample. When the sample holds all tags, the counts
    -- are exact.
    with sample as (
      select t.tag
      from private.hub_listing_tags t
      order by t.asset_id, t.tag
      limit estimate_categories.most
    ),
    counted as materialized (
      select s.tag, count(*) as listings from sample s group by s.tag
    ),
    size as (
      select case
        when sum(c.listings) = estimate_categories.most then greatest(
          1, (select p.reltuples from pg_catalog.pg_class p where p.oid = 'private.hub_listing_tags'::regclass) / estimate_categories.most
        )
        else 1
      end as scale
      from counted c
    )
    select jsonb_agg(
      jsonb_build_object('tag', t.tag, 'kind', t.kind, 'count', round((coalesce(c.listings, 0) * z.scale)::numeric)) order by t.place
    )
    from private.suggested_tags() t
    cross join size z
    left join counted c on c.tag = t.tag
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.find_asset (
  id_or_slug text
)
  RETURNS uuid
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  -- No slug has the form of an id, so at most one asset fits.
  select a.id
  from public.hub_assets a
  where a.slug = lower(find_asset.id_or_slug)
    or a.id = case
      when find_asset.id_or_slug ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then find_asset.id_or_slug::uuid
    end
  order by a.slug = lower(find_asset.id_or_slug)
  limit 1;
$function$;

CREATE OR REPLACE FUNCTION private.fold (
  value text
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- Wide letters become ordinary ones; case, accents and vowel marks of Arabic are dropped. The text is composed again, so that
  -- Hangul and the marks of Japanese stay whole. Like umlauts, ae, oe and ue become a, o and u, except before a vowel; the
  -- beginning of a word, once folded, still begins the folded word.
  return regexp_replace(replace(replace(replace(translate(
    normalize(
      regexp_replace(
        normalize(lower(normalize(fold.value, nfkc) collate pg_catalog.pg_c_utf8), nfd),
        '[\u0300-\u036f\u0640\u064b-\u065f\u200b-\u200f\u00ad\ufe00-\ufe0f]', '', 'g'
      ),
      nfc
    ),
    'øđłıðħŧ’‘ʼ', 'odlidht'''''''
  ), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), '([aou])e(?![aeiou])', '\1', 'g');
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
  -- An owner's edit takes its locks in the order that all writers keep: the profile, then the assets by id.
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
  -- Checks the sizes first: normalising a long run of combining marks takes quadratic time and cannot be cancelled.
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
    elsif new.description is null and coalesce(new.published_at, new.shared_at) is not null and before.description is not null then
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
  -- Applies only to titles that readers see: a copy keeps the title of its original until it is published.
  if (new.is_public or new.shared_at is not null or new.published_at is not null) and (coalesce(before.published_at, before.shared_at) is null or new.title is distinct from before.title)
    and private.mixes_scripts(new.title)
  then
    raise exception using errcode = 'PT422', message = 'mixed_script', detail = '{"path": "title"}';
  end if;

  -- The checks for secrets are only for edits by clients: edge functions have already removed secrets by more exact rules, which
  -- leave placeholders in the text.
  if not edited then
    return new;
  end if;
  if private.adds_secret(before.title, new.title) then
    secrets := secrets || private.fault('title', 'secret_detected', 'looks like a secret');
  end if;
  if private.adds_secret(before.description, new.description) then
    secrets := secrets || private.fault('description', 'secret_detected', 'looks like a secret');
  end if;
  -- Also checks the tags as sent: some secrets do not match their pattern in lower case.
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
    -- Refuses a new creator, because install_count leaves out the creator's own imports. creator_id changes only to null, when the
    -- account is deleted.
    if new.creator_id is not null and new.creator_id is distinct from old.creator_id then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["creator_id"]}';
    end if;
    if old.attribution is not null
      and new.attribution is distinct from old.attribution
      and not private.keeps_origins(old.attribution, new.attribution)
      and not (new.is_public and private.keeps_origins(private.public_attribution(old.attribution, old.creator_id), new.attribution))
    then
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
    -- published_at is never cleared: an asset without it counts as not published, and the next publication would change its slug.
    new.published_at := coalesce(new.published_at, old.published_at);
  end if;

  if new.deleted_at is not null then
    new.is_public := false;
  end if;
  if new.is_public then
    new.organization_id := null;
    new.published_at := coalesce(new.published_at, clock_timestamp());
    new.content_updated_at := coalesce(new.content_updated_at, new.published_at);
  end if;
  if new.is_public or new.deleted_at is not null or new.organization_id is null then
    new.shared_at := null;
  end if;
  if not new.is_hidden then
    new.hidden_at := null;
    new.hidden_reason := null;
  else
    new.hidden_at := coalesce(new.hidden_at, clock_timestamp());
    new.hidden_reason := coalesce(new.hidden_reason, 'moderator');
  end if;
  -- For an asset without a creator the ban cannot be looked up, so the old value stays.
  if new.creator_id is not null then
    -- The stored bans decide, whatever value the statement wrote.
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

CREATE OR REPLACE FUNCTION private.hub_assets_log()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'DELETE' then
    perform private.log_event('erased', old.id, old.creator_id, details => jsonb_build_object('slug', old.slug, 'asset_type', old.asset_type));
    return null;
  end if;
  if tg_op = 'INSERT' then
    if new.current_version > 0 then
      perform private.log_event('published', new.id, new.creator_id, details => jsonb_build_object('version', new.current_version));
    end if;
    return null;
  end if;
  -- Making an older version current again, by its owner or an operator, is not a new publication.
  if new.current_version > old.current_version and new.content_updated_at is distinct from old.content_updated_at then
    perform private.log_event('published', new.id, new.creator_id, details => jsonb_build_object('version', new.current_version));
  elsif (new.is_public or new.shared_at is not null) and not (old.is_public or old.shared_at is not null) then
    perform private.log_event('republished', new.id, new.creator_id);
  elsif (old.is_public or old.shared_at is not null) and not (new.is_public or new.shared_at is not null) and new.deleted_at is null then
    perform private.log_event('unpublished', new.id, new.creator_id);
  end if;
  if new.deleted_at is not null and old.deleted_at is null then
    perform private.log_event(case when new.hidden_reason = 'removed' then 'removed' else 'deleted' end, new.id, new.creator_id,
      details => jsonb_build_object('version', new.current_version));
  elsif new.is_hidden and (not old.is_hidden or new.hidden_reason <> old.hidden_reason) then
    perform private.log_event('hidden', new.id, new.creator_id,
      details => jsonb_build_object('reason', new.hidden_reason, 'version', new.current_version),
      -- Names no user as actor, because the threshold hides the listing, not the user who sent the last report.
      by_system => new.hidden_reason in ('reports', 'organization_reports'));
  end if;
  if old.is_hidden and not new.is_hidden then
    perform private.log_event('restored', new.id, new.creator_id);
  end if;
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

  -- hub_assets_guard sets hidden_by_ban from private.hub_bans, whatever is written here.
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

CREATE OR REPLACE FUNCTION private.hub_bans_lift()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- A ban is also deleted when its account is deleted; in that case the assets stay hidden.
  if exists (select from auth.users u where u.id = old.user_id) then
    perform from public.hub_profiles p where p.user_id = old.user_id for no key update;
    perform from public.hub_assets a where a.creator_id = old.user_id order by a.id for no key update;
    update public.hub_assets a set hidden_by_ban = false where a.creator_id = old.user_id;
    perform private.log_event('unbanned', user_id => old.user_id);
  end if;
  return null;
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
  faults jsonb := '[]';
begin
  -- When the row is for another user or the caller has no account, row level security refuses it later, and no error here may
  -- disclose anything.
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
  new.work_url := private.clean(new.work_url);
  new.work_holder := private.clean(new.work_holder);
  if not private.is_https_url(new.work_url) then
    faults := faults || private.fault('work_url', 'invalid_format', 'must be an https address of at most 2048 characters');
  end if;
  if char_length(new.work_holder) > 200 or private.has_breaks_or_invisible(new.work_holder) then
    faults := faults || private.fault('work_holder', 'invalid_length', 'must be 1 to 200 visible characters');
  end if;
  if new.reason <> 'copyright' and coalesce(new.work_url, new.work_holder) is not null then
    faults := faults || private.fault('work_url', 'unexpected', 'is of a report for copyright');
  end if;
  perform private.refuse_faults(faults);
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
    if earlier.counts or earlier.version >= asset.current_version or not private.is_seen_by(asset, new.reporter_id) then
      raise exception using errcode = 'PT409', message = 'already_reported';
    end if;
    -- The earlier report did not count and is about an older version: it is dismissed, and the new one replaces it.
    perform from public.hub_assets a where a.id = new.asset_id for no key update;
    update public.hub_reports r set resolved = true, outcome = 'dismissed' where r.id = earlier.id;
  end if;

  new.created_at := clock_timestamp();
  new.resolved := false;
  new.resolved_by := null;
  new.outcome := null;
  new.note := null;
  new.version := coalesce(asset.current_version, 0);
  new.counts := new.reporter_id is not null and private.is_old_enough(new.reporter_id) and not private.joined_after_restore(new.reporter_id, new.asset_id, new.version) and not exists (
    select from public.hub_reports r
    where r.asset_id = new.asset_id
      and r.reporter_id = new.reporter_id
      and r.resolved
      and (
        -- A report of this reporter on this version was dismissed. A report on the next version is counted again.
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

CREATE OR REPLACE FUNCTION private.index_asset (
  asset public.hub_assets
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  most constant integer := 5000;
  made private.hub_documents := private.make_document(index_asset.asset);
  -- Pairs of characters (of scripts without spaces) are not looked up, because a query uses them as they are.
  unknown constant text[] := array(
    select l.lexeme
    from unnest(tsvector_to_array(made.document)) l (lexeme)
    where l.lexeme ~ '^[^=~].{2}' and not exists (select from private.hub_words k where k.word = l.lexeme collate pg_catalog."C")
  );
  room integer := cardinality(unknown);
  new_word text;
begin
  if room > 0 and (index_asset.asset).creator_id is not null then
    room := most - (select count(*) from (select from private.hub_words k where k.added_by = (index_asset.asset).creator_id limit most) k);
  end if;
  foreach new_word in array unknown[:room] loop
    insert into private.hub_words (word, slips, added_by)
    select new_word, array(
      select s.slip
      from unnest(private.slips(new_word)) s (slip)
      -- A form that many words share distinguishes nothing, and every misspelled query would have to read these words.
      where (select count(*) from (select from private.hub_words k where k.slips @> array[s.slip] limit 64) k) < 64
    ), (index_asset.asset).creator_id;
  end loop;
  if cardinality(unknown) > room then
    -- A GIN index never removes a word. A word that no other listing has and that this account may not add is therefore deleted
    -- from the document.
    made.document := ts_delete(made.document, unknown[room + 1:] || array(select l.lexeme from unnest(made.document) l where l.lexeme like '~%'));
  end if;
  insert into private.hub_documents (asset_id, popularity, title_key, document)
  values (made.asset_id, made.popularity, made.title_key, made.document)
  on conflict (asset_id) do update
  set popularity = excluded.popularity, title_key = excluded.title_key, document = excluded.document;
  delete from private.hub_listing_tags t where t.asset_id = made.asset_id;
  insert into private.hub_listing_tags (asset_id, tag, published_at, content_updated_at, install_count, star_count, tag_bits)
  select distinct made.asset_id, t.tag, (index_asset.asset).published_at, (index_asset.asset).content_updated_at,
    (index_asset.asset).install_count, (index_asset.asset).star_count, private.tag_bits((index_asset.asset).tags)
  from unnest((index_asset.asset).tags) t (tag);
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_member()
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- A Supabase anonymous session has the role authenticated, but no account, so it is treated as signed out.
  select (select auth.uid()) is not null and coalesce((select auth.jwt()) ->> 'is_anonymous', 'false') <> 'true';
$function$;

CREATE OR REPLACE FUNCTION private.is_old_enough (
  user_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- Users can change neither created_at. A profile is never older than its account, so it cannot make the account look older.
  select coalesce(
    coalesce(
      (select u.created_at from auth.users u where u.id = is_old_enough.user_id),
      (select p.created_at from public.hub_profiles p where p.user_id = is_old_enough.user_id)
    ) <= clock_timestamp() - (select s.min_reporter_age from public.hub_settings s),
    true
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
  -- Users can change neither created_at. A profile is never older than its account, so it cannot make the account look older.
  select exists (
    select from private.hub_moderation m
    where m.asset_id = joined_after_restore.asset_id
      -- Reports of an account that joined after the restore are counted from the next version on.
      and m.reviewed_version >= joined_after_restore.version
      and m.reviewed_at < coalesce(
        (select u.created_at from auth.users u where u.id = joined_after_restore.user_id),
        (select p.created_at from public.hub_profiles p where p.user_id = joined_after_restore.user_id)
      )
  );
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
  -- The caller holds no lock and does not lock the key of its own report. So two calls that lift each other's blocks do not
  -- deadlock.
  key_ids := private.lock_for_report(
    told.user_id, told.user_api_key_id, case told.effect when 'cooled' then 'account' else 'key' end, told.model
  );
  at := clock_timestamp();
  if told.effect = 'disabled' then
    -- Enabling a key makes its health clean; after the enabling, the key cools down for a minute.
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
    -- The block began with that report, and nothing has changed it since.
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

CREATE OR REPLACE FUNCTION private.lock_before_user_deletion()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- The user's row in auth.users is already locked, so no new row can refer to it. The bans come first, because lifting a ban locks
  -- the ban and then the assets: the user's own ban and the bans that the user imposed.
  perform from private.hub_bans b where b.user_id = old.id or b.banned_by = old.id order by b.user_id for update;
  perform from public.hub_profiles p where p.user_id = old.id for update;
  -- Locks the organizations, because two owners of one organization may delete their accounts at the same time.
  perform from public.organizations o
  where o.id in (select m.organization_id from public.organization_members m where m.user_id = old.id)
  order by o.id
  for update;
  -- Also locks the rows of the user's followers, because two users who follow each other may delete their accounts at the same
  -- time.
  perform from public.hub_follows f
  where f.user_id = old.id or f.creator_id = old.id
  order by f.user_id, f.creator_id
  for update;
  perform private.lock_own_sources(old.id);
  perform from public.hub_stars s where s.user_id = old.id order by s.asset_id, s.user_id for update;
  perform from public.hub_imports i where i.user_id = old.id order by i.asset_id, i.id for update;
  perform from public.hub_assets a
  where a.id in (
    select own.id from public.hub_assets own where own.creator_id = old.id
    union
    -- These listings are on the shelf of an organization that has no other member, so the organization will be closed.
    select s.id
    from public.hub_assets s
    join public.organization_members m on m.organization_id = s.organization_id and m.user_id = old.id
    where not exists (
      select from public.organization_members o where o.organization_id = m.organization_id and o.user_id <> old.id
    )
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
  -- One caller at a time works on a key: see lease_api_key.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(lock_for_report.key_id, 0));
  if lock_for_report.reach <> 'health' then
    -- A TRUNCATE of a health table then locks the keys, so wait for the TRUNCATE here, while this call holds no key yet.
    perform from public.api_key_health h where h.user_api_key_id = lock_for_report.key_id;
    perform from public.api_key_model_health m where m.user_api_key_id = lock_for_report.key_id limit 1;
    select k.* into own from public.user_api_keys k where k.id = lock_for_report.key_id and k.user_id = lock_for_report.user_id;
    if own.account is null or lock_for_report.reach = 'key' then
      perform from public.user_api_keys k where k.id = lock_for_report.key_id for no key update;
    else
      -- This is the only place where a call waits for a row while it holds others. Each such call takes the account's lock and then
      -- the keys of the account in one order (starting with its own key would cause a livelock). It gives up after .6 s, so that an
      -- operator who edits many keys in another order never meets the deadlock detector.
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
        -- Skips keys that were disabled or left the account meanwhile: that edit ranks as earlier than this report.
        where k.id = next_id and (k.id = own.id or k.is_active and k.user_id = own.user_id and k.account = own.account)
        for no key update;
        if found then
          key_ids := key_ids || next_id;
        end if;
        give_up_at := coalesce(give_up_at, clock_timestamp() + interval '300 ms');
      end loop;
    end if;
  end if;

  -- Never waits for health rows: an operator's reset locks them before the key.
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

CREATE OR REPLACE FUNCTION private.log_event (
  action    text,
  asset_id  uuid    DEFAULT NULL::uuid,
  user_id   uuid    DEFAULT NULL::uuid,
  report_id uuid    DEFAULT NULL::uuid,
  details   jsonb   DEFAULT '{}'::jsonb,
  by_system boolean DEFAULT false
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  insert into public.hub_events (actor_id, action, asset_id, user_id, report_id, note, public_note, details)
  values (
    case when not log_event.by_system then (select auth.uid()) end,
    log_event.action,
    log_event.asset_id,
    log_event.user_id,
    log_event.report_id,
    -- An RPC passes its note to the triggers of its statements by set_audit_note.
    nullif(current_setting('keyhub.note', true), ''),
    case when log_event.action in ('hidden', 'removed', 'banned') then nullif(current_setting('keyhub.public_note', true), '') end,
    log_event.details
  );
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
    -- The lease was issued before an operator's edit.
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
      -- The lease was issued before the end of the known block, so this failure was expected: only a hint can lengthen the block.
      after.blocked_until := greatest(state.blocked_until, at + make_interval(secs => hint));
      after.effect := case when after.blocked_until is distinct from state.blocked_until then 'cooled' else 'ignored' end;
    else
      if state.last_failure_at <= at - make_interval(secs => report.reset_after_seconds) then
        -- The last failure is long ago, so earlier failures no longer lengthen the new block.
        after.consecutive_failures := 0;
      end if;
      after.consecutive_failures := least(after.consecutive_failures + 1, 1000000000);
      after.blocked_until := greatest(
        -- A new block never shortens the current one.
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
    -- A lengthened block keeps the time when it began; the newest report that changed it becomes its reason.
    after.last_failure_at := at;
    after.reason := report.cause;
    after.reason_code := report.error_code;
    if after.effect = 'disabled' or not was_blocked then
      after.reason_since := at;
    end if;
    -- A hint counts as used only when it set the block.
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
  -- The model is stored only if some key is limited for it, because agents may send any name.
  wanted constant text := case when (note_starvation.refusal ->> 'limited')::integer > 0 then note_starvation.model end;
  soonest constant timestamptz := at + make_interval(secs => (note_starvation.refusal ->> 'retry_after')::double precision);
  last public.api_key_starvations;
begin
  -- A pool that has no key for the provider is not starved: the call asked for the wrong provider.
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
    -- The insert finds a conflict when a lease holds the open row at this moment.
    on conflict do nothing
    returning * into last;
  elsif last.ended_at is not null then
    -- Reopens a starvation that had no alert and whose last refusal is at most a minute old: otherwise a pool at its limit would
    -- write a row every second.
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
  -- Serializes the requests of a user, so that a repeated request finds the stored answer of the first one.
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
      hourly_limit => case when not publish_asset.dry_run then publish_asset.hourly_limit end,
      label => wanted ->> 'label',
      changelog => wanted ->> 'changelog',
      organization => wanted ->> 'organization',
      price_cents => (wanted -> 'price_cents')::integer,
      currency => wanted ->> 'currency',
      teaser => wanted ->> 'teaser'
    );
    answer := private.publication(
      publish_asset.user_id, (made ->> 'asset_id')::uuid, (made ->> 'version')::integer, (made ->> 'created')::boolean,
      -- An existing listing keeps its slug. For a new one, the preview shows the slug that it would probably get.
      case
        when publish_asset.dry_run and (made ->> 'first')::boolean
        then case
          when wanted ->> 'organization' is null then private.preview_slug(wanted ->> 'slug', (made ->> 'asset_id')::uuid)
          else private.nth_slug(wanted ->> 'slug', 10)
        end
      end,
      made ->> 'same_as'
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
  -- Locks the breaker's row until the transaction ends. No deadlock can follow, because this lock is the last one: its holder waits
  -- for nothing else.
  insert into private.api_key_breakers as b (user_id, provider)
  values (recently_disabled_keys.user_id, coalesce(recently_disabled_keys.provider, ''))
  on conflict on constraint api_key_breakers_pkey do update set provider = b.provider
  returning b.key_ids into listed;
  return array(
    select k.id
    from public.user_api_keys k
    join public.api_key_health h on h.user_api_key_id = k.id
    where k.id = any (listed)
      -- A key that was given away does not count.
      and k.user_id = recently_disabled_keys.user_id
      -- A key that has been enabled again does not count.
      and not k.is_active
      -- A key that an operator disabled does not count.
      and h.reason = 'invalid_key'
      and h.reason_since > clock_timestamp() - make_interval(secs => recently_disabled_keys.window_seconds)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.reconcile()
  RETURNS TABLE (
    order_id uuid,
    problem  text,
    detail   jsonb
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select o.id, 'ledger', jsonb_build_object('kind', u.kind, 'account', u.account, 'missing_cents', u.amount_cents)
  from private.orders o
  cross join lateral private.unbooked(o.id) u
  union all
  select o.id, 'state', jsonb_build_object('state', o.state, 'told', j.state)
  from private.orders o
  cross join lateral private.judge_order(o.id) j
  -- After a failed refund, judge_order still returns `refunded`, because the refund may have been made in another way.
  where o.state <> j.state
  union all
  select o.id, 'refund_failed', jsonb_build_object('kept_cents', o.price_cents - j.refunded_cents)
  from private.orders o
  cross join lateral private.judge_order(o.id) j
  where o.state = 'refunded' and j.refunded_cents < o.price_cents
  union all
  select p.order_id, 'purchase', jsonb_build_object('state', o.state)
  from public.hub_purchases p
  join private.orders o on o.id = p.order_id
  where p.revoked_at is null and o.state <> 'paid'
  union all
  select o.id, 'undelivered', jsonb_build_object('price_cents', o.price_cents)
  from private.orders o
  where o.state = 'paid' and private.is_undelivered(o.id)
  union all
  select e.order_id, e.outcome, jsonb_build_object('provider', e.provider, 'event_id', e.event_id, 'kind', e.kind, 'amount_cents', e.amount_cents)
  from private.payment_events e
  where e.outcome <> 'applied' and e.kind <> 'account'
  union all
  select o.id, 'open', jsonb_build_object('since', o.created_at)
  from private.orders o
  where o.state = 'open' and o.created_at < clock_timestamp() - interval '1 hour';
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
  -- Reads the clock before any row, so a cooldown that the queries below do not see was committed after this time.
  at constant timestamptz := clock_timestamp();
  over_id uuid;
  expired integer := 0;
begin
  -- Checks without a lock first, because usually nothing has expired, and a transaction that makes a key ready would have to wait
  -- for the lock of this call.
  if refresh_tier.only_expired then
    perform from public.user_api_keys k
    where k.user_id = refresh_tier.user_id and k.priority = refresh_tier.priority and not k.is_ready and k.ready_at <= at
    order by k.ready_at
    limit 1;
    if not found then
      return;
    end if;
  end if;
  -- A transaction that makes a key ready holds this lock until its commit, so the queries below see every ready key.
  perform from private.api_key_tiers t
  where t.user_id = refresh_tier.user_id and t.priority = refresh_tier.priority
  -- Skips a tier that another call is refreshing.
  for no key update skip locked;
  if not found then
    return;
  end if;

  -- Does not take the advisory lock of a key: a caller that waits for that lock must not keep the key from becoming ready. Handles
  -- the keys in the order of their counts: when no key is ready, the count of each key rises to that of the keys that became ready
  -- before it.
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
      -- More cooldowns have expired than one batch clears. The pause makes clearing take an eighth of the time; in the rest of the
      -- time, callers lease the keys that are ready.
      when expired = batch then at + 8 * (clock_timestamp() - at)
      -- A check every half second is enough: leases check a tier without a ready key at once, and a key that is noticed later
      -- keeps its place in the order.
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

CREATE OR REPLACE FUNCTION private.refuse_huge_usage_count()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  largest constant bigint := 1000000000000000;
begin
  -- Accepts small rises of a count that is already huge: a lease adds few, and levelling adds at most 1000000.
  if tg_op = 'INSERT' or new.usage_count > old.usage_count + 1000000 then
    raise exception using
      errcode = 'PT422',
      message = 'validation_failed',
      detail = format('{"errors": [{"path": "usage_count", "code": "too_big", "message": "must be at most %s"}]}', largest);
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.same_content (
  user_id    uuid,
  asset      public.hub_assets,
  asset_type text,
  payload    jsonb
)
  RETURNS TABLE (
    id      uuid,
    slug    text,
    license text
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select a.id, a.slug, v.license
  from public.hub_asset_versions v
  join public.hub_assets a on a.id = v.asset_id
  where md5((v.payload - 'name')::text) = md5((same_content.payload - 'name')::text)
    and a.asset_type = same_content.asset_type
    -- Leaves out settings, short prompts and short pipelines, which can be equal by chance: every new orchestration starts with the
    -- same pipeline.
    and same_content.asset_type <> 'ai_preset'
    and (same_content.asset_type <> 'orchestration' or char_length(same_content.payload::text) >= 1000)
    and (same_content.asset_type <> 'template' or char_length(same_content.payload ->> 'content') >= 200)
    and a.is_visible
    -- A version on a shelf is left out, because nobody outside its organization may notice it.
    and v.organization_id is null
    and (a.current_version = v.version or (v.is_open and v.yanked_at is null))
    and a.creator_id is distinct from same_content.user_id
    and private.root_of(a) is distinct from private.root_of(same_content.asset)
    -- A listing of a creator whom the lineage names is left out: when a creator has published the content twice, a copy names only
    -- one of the two listings.
    and not coalesce(jsonb_path_exists(
      (same_content.asset).attribution, '$.*[*] ? (@.creator_id == $creator)', jsonb_build_object('creator', a.creator_id)
    ), false)
    and a.published_at < coalesce((same_content.asset).published_at, (same_content.asset).shared_at, 'infinity')
  order by a.published_at, a.id
  limit 1;
$function$;

CREATE OR REPLACE FUNCTION private.search_by_column (
  sort       text,
  matches    tsquery,
  filters    tsquery,
  types      text[],
  license    text,
  creator_id uuid,
  tags       text[],
  place      jsonb,
  wanted     integer,
  OUT        ids uuid[],
  OUT        keys text[]
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  col constant text := case search_by_column.sort
    when 'newest' then 'published_at'
    when 'recently_updated' then 'content_updated_at'
    when 'most_installed' then 'install_count'
    when 'most_starred' then 'star_count'
  end;
  query constant tsquery := coalesce(search_by_column.filters && search_by_column.matches, search_by_column.filters, search_by_column.matches);
  of_tag constant boolean := search_by_column.tags is not null;
  id_col constant text := case when of_tag then 'asset_id' else 'id' end;
  -- A tag has a list of its own in each order; a creator has one by date.
  list constant text := case
    when of_tag then format('private.hub_listing_tags l where l.tag = %L', (
      -- When several tags are given, takes the tag with the shortest list: the rarer a tag, the older its hundredth listing.
      select t.tag from unnest(search_by_column.tags) t (tag)
      order by (
        select h.published_at from private.hub_listing_tags h where h.tag = t.tag order by h.published_at desc, h.asset_id desc offset 99 limit 1
      ) nulls first limit 1
    ))
    when search_by_column.creator_id is not null and search_by_column.sort = 'newest' then
      format('public.hub_assets l where l.is_visible and l.creator_id = %L', search_by_column.creator_id)
    else 'public.hub_assets l where l.is_visible'
  end;
  after_place constant text := case when search_by_column.place is not null then format(
    ' and (l.%I, l.%I) < (%L, %L)', col, id_col, search_by_column.place ->> 'key', search_by_column.place ->> 'id'
  ) end;
  fits constant text := concat_ws(' and ', 'a.is_visible',
    case when search_by_column.types is not null then 'a.asset_type = any ($1)' end,
    case when search_by_column.license is not null then 'a.license = $2' end,
    case when search_by_column.creator_id is not null then 'a.creator_id = $3' end,
    case when of_tag then 'a.tags @> $4' end,
    -- Skips listings that cannot have all tags.
    case when of_tag then format('l.tag_bits & %1$s = %1$s', private.tag_bits(search_by_column.tags)) end,
    case when search_by_column.matches is not null then '(select d.document from private.hub_documents d where d.asset_id = a.id) @@ $5' end
  );
  stretch integer;
begin
  -- Tries the first rows of the list, then a longer part of it. If neither fills a page, the matches are rare.
  foreach stretch in array '{300,20000}'::integer[] loop
    execute format(
      'select array_agg(f.id), array_agg(f.key::text)
       from (
         select l.id, l.key
         from (select l.%1$I as id, l.%2$I as key%3$s from %4$s%5$s order by l.%2$I desc, l.%1$I desc limit %6$s) l
         join public.hub_assets a on a.id = l.id
         where %7$s
         order by l.key desc, l.id desc
         limit %8$s
       ) f',
      id_col, col, case when of_tag then ', l.tag_bits' end, list, after_place, stretch, fits, search_by_column.wanted
    ) into ids, keys using search_by_column.types, search_by_column.license, search_by_column.creator_id, search_by_column.tags, search_by_column.matches;
    -- With a single tag, or without any filter, every row of the list matches, so a page that is not full is the last.
    if cardinality(ids) = search_by_column.wanted or query is null or (of_tag and numnode(query) = 1) then
      return;
    end if;
    exit when coalesce(cardinality(ids), 0) < 3;
  end loop;
  select r.ids, r.keys into ids, keys from private.search_rare(col, query, search_by_column.place, search_by_column.wanted) r;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_by_relevance (
  q       text,
  filters tsquery,
  place   jsonb,
  wanted  integer
)
  RETURNS TABLE (
    id uuid,
    at jsonb
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  plan constant private.search_plan := private.search_plan(search_by_relevance.q);
  query constant tsquery := coalesce(search_by_relevance.filters && plan.matches, plan.matches);
  -- Copied to variables, which cost less than the fields of a row when many rows are compared.
  key constant text := plan.title_key;
  likes tsquery := plan.likes;
  titled constant tsquery := plan.titled;
  titled_exactly constant tsquery := plan.titled_exactly;
  parts tsquery[] := '{}';
  exact uuid[];
  last_popularity smallint;
  popularity smallint;
  score numeric;
  last_id uuid;
  by_walk boolean;
  ids uuid[];
  floor jsonb := search_by_relevance.place -> 'floor';
  given integer := 0;
begin
  if plan.matches is null then
    return;
  end if;
  exact := array(
    select d.asset_id from private.hub_documents d
    where d.title_key = key and (search_by_relevance.filters is null or d.document @@ search_by_relevance.filters)
    order by d.popularity desc, d.asset_id desc limit 200
  );
  if coalesce(search_by_relevance.place ->> 'in', 'ranked') = 'ranked' then
    select c.ids, c.floor into ids, floor from private.search_candidates(query, floor) c;
    -- When few listings hold all words, also takes listings that hold some of the words.
    if floor is null and coalesce(cardinality(ids), 0) < 10 and cardinality(plan.parts) > 1 and plan.creators is null then
      parts := plan.parts;
      likes := replace(likes::text, '&', '|')::tsquery;
      ids := ids || array(
        select unnest(f.ids[1:100])
        from unnest(parts) p (part)
        cross join lateral private.search_candidates(coalesce(search_by_relevance.filters && p.part, p.part), null) f
      );
    end if;
    for id, score in
      select s.asset_id, s.score
      from (
        -- The order: the exact title; all words; title before tags before description; the words in their sequence; short titles;
        -- popular listings.
        select d.asset_id,
          round((
            case when d.asset_id = any (exact) then 1000 else 0 end
            + 20.0 * h.held / greatest(1, cardinality(parts))
            + 3 * ts_rank('{0, 0.15, 0.5, 1}', d.document, likes)
            + case when not d.document @@ titled then 0 when d.document @@ titled_exactly then 6 else 4 end
            + case strpos(' ' || d.title_key, ' ' || key)
              when 0 then case when strpos(d.title_key, key) > 0 then 1 else 0 end
              when 1 then case when starts_with(d.title_key || ' ', key || ' ') then 3 else 2 end
              else 1.5
            end
            - 0.02 * least(char_length(d.title_key), 60)
            + 0.06 * d.popularity
          )::numeric, 5) as score
        from (select distinct i.id from unnest(exact || ids) i (id)) i
        join private.hub_documents d on d.asset_id = i.id
        cross join lateral (select count(*) filter (where d.document @@ p.part) as held from unnest(parts) p (part)) h
        where h.held >= least(2, (cardinality(parts) + 1) / 2)
      ) s
      where search_by_relevance.place is null
        or (s.score, s.asset_id) < ((search_by_relevance.place ->> 'score')::numeric, (search_by_relevance.place ->> 'id')::uuid)
      order by s.score desc, s.asset_id desc limit search_by_relevance.wanted
    loop
      given := given + 1;
      at := case when given = search_by_relevance.wanted - 1 then jsonb_build_object('in', 'ranked', 'score', score, 'id', id, 'floor', floor) end;
      return next;
    end loop;
  end if;
  if given = search_by_relevance.wanted or floor is null then
    return;
  end if;
  -- Reads the other matches in the order of popularity. For common words, it first walks through the next 20,000 listings in that
  -- order; the index of words finds what is still missing.
  last_popularity := coalesce(
    case when search_by_relevance.place ->> 'in' = 'rest' then search_by_relevance.place -> 'score' end, floor -> 'popularity'
  )::smallint;
  last_id := coalesce(case when search_by_relevance.place ->> 'in' = 'rest' then search_by_relevance.place ->> 'id' end, floor ->> 'id');
  foreach by_walk in array case when (floor -> 'walk')::boolean then '{true,false}' else '{false}' end::boolean[] loop
    for id, popularity in execute format(
      'select m.asset_id, m.popularity
       from (select d.asset_id, d.popularity, d.document from private.hub_documents d where %s) m
       where m.document @@ $1 and (m.popularity, m.asset_id) < ($2, $3) and not m.asset_id = any ($4)
       order by m.popularity desc, m.asset_id desc limit $5',
      case when by_walk then '(d.popularity, d.asset_id) < ($2, $3) order by d.popularity desc, d.asset_id desc limit 20000' else 'd.document @@ $1 offset 0' end
    ) using query, last_popularity, last_id, exact, search_by_relevance.wanted - given
    loop
      last_popularity := popularity;
      last_id := id;
      given := given + 1;
      at := case when given = search_by_relevance.wanted - 1 then jsonb_build_object('in', 'rest', 'score', popularity, 'id', id, 'floor', floor) end;
      return next;
    end loop;
    exit when given = search_by_relevance.wanted;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_candidates (
  query tsquery,
  above jsonb,
  OUT   ids uuid[],
  OUT   floor jsonb
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  least_popularity constant smallint := coalesce((search_candidates.above ->> 'popularity')::smallint, -1);
  least_id constant uuid := coalesce((search_candidates.above ->> 'id')::uuid, nobody);
  has_floor constant boolean := coalesce(jsonb_typeof(search_candidates.above) = 'object', false);
  -- How many listings are read in the order of popularity: on the first page until enough matches are found, on later pages down
  -- to the floor that the first page has found.
  walks constant integer[] := case
    when search_candidates.above is null then '{300,1000,3000}' when (search_candidates.above ->> 'walk')::boolean then '{4000}' else '{}'
  end;
  found integer;
  stretch integer;
  popular_alone boolean;
begin
  -- When the word is common, the most popular listings contain enough matches.
  foreach stretch in array walks loop
    select array_agg(w.asset_id) filter (where w.fits), count(*) filter (where w.fits),
      jsonb_build_object('walk', true, 'popularity', (array_agg(w.popularity))[stretch], 'id', (array_agg(w.asset_id))[stretch])
    into ids, found, floor
    from (
      select d.asset_id, d.popularity, d.document @@ search_candidates.query as fits from private.hub_documents d
      where (d.popularity, d.asset_id) >= (least_popularity, least_id)
      order by d.popularity desc, d.asset_id desc limit stretch
    ) w;
    if has_floor then
      floor := search_candidates.above;
      return;
    elsif floor ->> 'id' is null then
      -- All listings have been read, so there is no floor.
      floor := null;
      return;
    elsif found >= 60 or (stretch = 3000 and found >= 25) then
      return;
    end if;
    exit when found < stretch / 100;
  end loop;
  -- When the word is rarer, the index of popular listings is searched, then the index of all listings. A later page uses the index
  -- in which the first page found its floor.
  foreach popular_alone in array case
    when search_candidates.above is null then '{true,false}' when has_floor then array[least_popularity >= 4] else '{false}'
  end::boolean[] loop
    stretch := case when popular_alone then 1000 else 5000 end;
    -- OFFSET keeps the planner from using the index of popularity.
    execute format(
      'select array_agg(m.asset_id), jsonb_build_object(''walk'', false, ''popularity'', (array_agg(m.popularity))[$4], ''id'', (array_agg(m.asset_id))[$4])
       from (
         select f.asset_id, f.popularity
         from (select d.asset_id, d.popularity from private.hub_documents d where d.document @@ $1 %s offset 0) f
         where (f.popularity, f.asset_id) >= ($2, $3)
         order by f.popularity desc, f.asset_id desc limit $4
       ) m', case when popular_alone then 'and d.popularity >= 4' end
    ) into ids, floor using search_candidates.query, least_popularity, least_id, stretch;
    exit when has_floor or cardinality(ids) >= 60;
  end loop;
  floor := case
    when has_floor then search_candidates.above
    when floor ->> 'id' is not null then floor
    when popular_alone then jsonb_build_object('walk', false, 'popularity', 4, 'id', nobody)
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_plan (
  q text
)
  RETURNS private.search_plan
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  plan private.search_plan;
  w record;
  is_open boolean;
  core text;
  loose text;
  exact text;
begin
  plan.title_key := private.title_key(search_plan.q);
  for w in select *, count(*) over () as words from private.words(search_plan.q) with ordinality x (whole, parts, is_run, n) limit 12 loop
    -- A blank after a word shows that the word is finished.
    is_open := w.n = w.words and search_plan.q !~ '[\s\u3000]$';
    core := w.whole;
    if w.is_run then
      -- In Hangul, particles directly follow the typed word and are removed.
      if core ~ '^[\uac00-\ud7af]{3}' then
        core := regexp_replace(core, '(?:에서는|으로|에서|에게|까지|부터|처럼|보다|이랑|하고|을|를|이|가|은|는|의|에|로|와|과|도|만|용)$', '');
      end if;
      exact := (select string_agg('''' || substr(core, i, 2) || '''', ' & ') from generate_series(1, greatest(1, char_length(core) - 1)) i);
      loose := case when char_length(core) = 1 then exact || ':*' else exact end;
    else
      exact := '''' || core || '''';
      loose := concat_ws(' | ',
        exact,
        case
          -- Words that begin like this word without its ending: plurals and inflections of several languages, also with a doubled
          -- letter before the ending.
          when char_length(core) >= 5 then private.starting_with(regexp_replace(
            regexp_replace(core, '^(.{4,}?)(?:ies|ing|ed|er|es|[aeinosyавеийоуыьюя]{1,2}|[авеийоуыьюямх]{3})?$', '\1'),
            '^(.{3,}([^0-9]))\2$', '\1'
          ))
          when is_open or char_length(core) = 4 then private.starting_with(core)
        end,
        case when char_length(core) >= 4 then '''~' || core || ''':*' end,
        case when cardinality(w.parts) > 1 then '(''' || array_to_string(w.parts, ''' & ''') || '''' || case when is_open then ':*' else '' end || ')' end,
        case when cardinality(w.parts) = 1 then (select string_agg('''' || c.word || '''', ' | ') from private.spelling_candidates(core) c (word)) end
      );
    end if;
    plan.matches := coalesce(plan.matches && loose::tsquery, loose::tsquery);
    plan.likes := coalesce(plan.likes && exact::tsquery, exact::tsquery);
    plan.parts := plan.parts || loose::tsquery;
  end loop;
  -- Adds the weight A to every lexeme, so that it is searched in titles only. The pattern needs no escaping: no lexeme holds a
  -- quote.
  plan.titled := replace(regexp_replace(plan.matches::text, '(''[^'']*'')', '\1:A', 'g'), ':A:*', ':*A')::tsquery;
  plan.titled_exactly := regexp_replace(plan.likes::text, '(''[^'']*'')', '\1:A', 'g')::tsquery;
  -- The creator with this username, and creators who are shown with this name: only the oldest profiles, since anybody may take a
  -- display name.
  plan.creators := (
    select string_agg('''=creator:' || c.id || '''', ' | ')::tsquery
    from (
      select private.creator_by_name(btrim(search_plan.q)) as id
      union (
        select p.user_id from public.hub_profiles p
        where p.display_name is not null and private.fold(p.display_name) = private.fold(btrim(search_plan.q))
        order by p.created_at limit 4
      )
    ) c
  );
  plan.matches := coalesce(plan.matches || plan.creators, plan.matches);
  return plan;
end;
$function$;

CREATE OR REPLACE FUNCTION private.slips (
  word text
)
  RETURNS text[]
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  head constant text := left(slips.word, 7);
  ends constant integer := char_length(head) + 1;
begin
  if slips.word !~ '^[^0-9]{4,40}$' then
    return '{}';
  end if;
  -- Each form leaves out one of the first seven letters or none; for a word with eight or more letters, up to two. The position
  -- after the last of these letters leaves out none.
  return array(
    select distinct overlay(overlay(head placing '' from j for 1) placing '' from i for 1)
    from generate_series(1, ends) i
    cross join generate_series(case when char_length(slips.word) >= 8 then 1 else ends end, ends) j
    where i < j or i = ends
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.starting_with (
  lexeme text
)
  RETURNS text
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_hashagg TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  most constant integer := 16;
  found constant text[] := array(
    select distinct k.word
    from private.hub_words k
    where k.word >= starting_with.lexeme and k.word < starting_with.lexeme || U&'\+10FFFD'
    limit most + 1
  );
begin
  -- For a whole word, a GIN scan reads the posting list of the word only as far as needed; for a beginning, it reads the posting
  -- lists of all words with this beginning to the end. The query therefore lists the words themselves when they are few.
  if cardinality(found) <= most then
    return '''' || nullif(array_to_string(found, ''' | '''), '') || '''';
  end if;
  return '''' || starting_with.lexeme || ''':*';
end;
$function$;

CREATE OR REPLACE FUNCTION private.update_copy (
  user_id   uuid,
  rows      jsonb,
  asset_id  uuid,
  version   integer,
  sha256    text,
  pinned    boolean,
  into_copy uuid,
  overwrite boolean
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
<<copy>>
declare
  source public.hub_assets;
  made public.hub_imports;
  replaced record;
  held private.hub_copies;
  content jsonb;
  modified jsonb := '[]';
  added jsonb;
  created jsonb;
begin
  select i.* into made
  from private.rows_of_copy(update_copy.user_id, update_copy.into_copy) r
  join public.hub_imports i on i.id = r.import_id
  limit 1;
  if made.id is null then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  if made.asset_id is distinct from update_copy.asset_id then
    perform private.refuse_faults(private.fault('into', 'other_listing', 'is no copy of this listing'));
  end if;
  select a.* into source from public.hub_assets a where a.id = made.asset_id;
  perform private.lock_origins(update_copy.asset_id, update_copy.rows);

  for replaced in
    select r.value as planned, t.registry_id, a.asset_type, a.ref_id, a.attribution
    from jsonb_array_elements(update_copy.rows) with ordinality r (value, place)
    join private.rows_of_copy(update_copy.user_id, update_copy.into_copy) t on t.source_id = (r.value ->> 'id')::uuid
    join public.hub_assets a on a.id = t.registry_id
    order by a.ref_id
  loop
    if not private.lock_source(replaced.asset_type, replaced.ref_id, update_copy.user_id) then
      perform private.refuse_changed_copy();
    end if;
    content := private.source_row(replaced.asset_type, replaced.ref_id);
    select c.* into held from private.hub_copies c where c.asset_id = replaced.registry_id;
    if held.sha256 is distinct from private.content_sha256(replaced.asset_type, content) then
      modified := modified || jsonb_build_object(
        'asset_type', replaced.asset_type, 'hub_asset_id', replaced.registry_id, 'title', content -> 'name'
      );
    end if;
    perform private.keep_overwritten(
      replaced.registry_id, private.content_of(replaced.asset_type, content), replaced.attribution, held.sha256
    );
    perform private.write_content(replaced.asset_type, replaced.ref_id, replaced.planned -> 'columns');
    update public.hub_assets a
    set attribution = private.joined_attribution(a.attribution, replaced.planned -> 'attribution'),
      pinned_version = case when update_copy.pinned then update_copy.version end,
      -- The owner of a published copy has chosen its license, so the update keeps that license.
      license = case when a.published_at is null and a.current_version = 0 then replaced.planned ->> 'license' else a.license end
    where a.id = replaced.registry_id;
    insert into private.hub_copies (asset_id, sha256)
    select replaced.registry_id,
      private.content_sha256(replaced.asset_type, private.source_row(replaced.asset_type, replaced.ref_id))
    on conflict on constraint hub_copies_pkey do update set sha256 = excluded.sha256;
  end loop;
  if modified <> '[]' and not update_copy.overwrite then
    raise exception using errcode = 'PT409', message = 'modified_copy', detail = jsonb_build_object('items', modified)::text;
  end if;

  -- Collects the remaining rows of the version: items that are new in it, or whose copies were deleted. When a row was deleted
  -- after the update was planned, its listing may still exist; the update is then refused, because the id must not be used again.
  select coalesce(jsonb_agg(r.value order by r.place), '[]') into added
  from jsonb_array_elements(update_copy.rows) with ordinality r (value, place)
  where (r.value ->> 'id')::uuid not in (
    select t.source_id from private.rows_of_copy(update_copy.user_id, update_copy.into_copy) t
  );
  if exists (
    select from jsonb_array_elements(added) r (value) join public.hub_assets a on a.ref_id = (r.value ->> 'id')::uuid
  ) then
    perform private.refuse_changed_copy();
  end if;
  added := private.insert_copies(
    update_copy.user_id, added, update_copy.rows #>> '{0,id}', source, made.mode,
    case when update_copy.pinned then update_copy.version end
  );
  select jsonb_agg(
    coalesce(n.value, jsonb_build_object(
      'asset_type', r.value -> 'asset_type', 'table', r.value -> 'table', 'id', r.value -> 'id', 'hub_asset_id', a.id,
      'title', private.source_row(a.asset_type, a.ref_id) -> 'name'
    ))
    order by r.place
  ) into created
  from jsonb_array_elements(update_copy.rows) with ordinality r (value, place)
  left join jsonb_array_elements(added) n (value) on n.value ->> 'id' = r.value ->> 'id'
  left join public.hub_assets a on a.ref_id = (r.value ->> 'id')::uuid and a.asset_type = r.value ->> 'asset_type';
  update public.hub_imports i set version = update_copy.version, created = copy.created where i.id = made.id;
  perform private.check_importable(update_copy.user_id, update_copy.asset_id, update_copy.version, update_copy.sha256);
  return created;
end;
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
    set blocked_until = null,
      consecutive_failures = 0,
      last_failure_at = null
    where h.user_api_key_id = new.id;
  end if;
  if not new.is_active and old.is_active is distinct from false then
    -- A report that disables a key overwrites disabled_by_operator with its outcome in the same transaction.
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
  -- In an insert every column of old is null, so given_away is true: the owner has just received the key.
  given_away constant boolean := new.user_id is distinct from old.user_id;
  replaced constant boolean := tg_op = 'INSERT' or new.api_key_encrypted is distinct from old.api_key_encrypted;
  resealed constant boolean := coalesce(current_setting('keyhub.resealing', true), '') = 'on';
  enabled boolean;
  -- True when a lease clears an expired block.
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
  -- Applies to direct edits only: the triggers of the health tables write these columns from one level deeper.
  if pg_trigger_depth() = 1 then
    -- cooling_until is a copy of the block; an edit cannot change it.
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

  -- A plaintext key must neither be stored by mistake nor be repeated in the message.
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
  -- The fingerprint and the hint cannot be edited directly: they come from the sealed text.
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
  -- A report that disabled the key concerned the old ciphertext, so a new ciphertext enables the key again. A key that an operator
  -- disabled stays disabled.
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

  -- The key joins a tier: it was added, enabled or repaired, or its priority or owner changed.
  joins := new.is_active and new.unusable_reason is null
    and (enabled or old.unusable_reason is not null or given_away or new.priority <> old.priority);
  -- The block of the key has ended: a lease found it expired, or an operator reset the block or edited the key.
  comes_back := not joins and new.is_active and new.unusable_reason is null
    and old.cooling_until is not null and new.cooling_until is null;
  if (joins or comes_back) and new.usage_count = coalesce(old.usage_count, 0) then
    least := private.least_usage_count(new.user_id, new.priority, new.id, true);
    new.usage_count := case
      when comes_back then greatest(new.usage_count, least)
      -- When no key is ready, takes the least count of the active keys that are not ready.
      else coalesce(least, private.least_usage_count(new.user_id, new.priority, new.id, false), new.usage_count)
    end;
    new.skipped_count := new.skipped_count + new.usage_count - coalesce(old.usage_count, 0);
  end if;
  -- A key whose cooldown is over is ready at once: the tier's next expiry check may have been postponed before the key joined.
  if joins and new.cooling_until <= clock_timestamp() then
    new.cooling_until := null;
  end if;
  if pg_trigger_depth() = 1 and not expired then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.versions (
  id_or_slug text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  asset public.hub_assets;
  keeper boolean;
  has_content boolean;
begin
  select a.* into asset from public.hub_assets a where a.id = private.find_asset(versions.id_or_slug);
  keeper := asset.deleted_at is null and (asset.creator_id = caller or private.is_admin());
  has_content := asset.id in (select private.paid_content(caller)) or private.is_admin();
  if (private.is_seen_by(asset, caller) or keeper or (asset.deleted_at is null and has_content)) is not true then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        'version', v.version,
        'label', v.label,
        'changelog', v.changelog,
        'license', v.license,
        -- The hash of a paid version is only for users who may read its content: short content, such as settings, could be guessed
        -- from it.
        'sha256', case when v.license <> 'paid' or has_content then v.sha256 end,
        'published_at', v.created_at,
        'yanked', v.yanked_at is not null,
        'yank_reason', v.yank_reason,
        'readable', (v.license <> 'paid' or has_content) and (
          v.version = asset.current_version
          or (v.is_open and v.yanked_at is null)
          or coalesce(keeper, false)
          or exists (
            select from public.hub_imports i
            where i.asset_id = asset.id and i.user_id = caller and (v.yanked_at is null or i.version = v.version)
          )
        )
      )
      order by v.version desc
    ), '[]')
    from (
      select *
      from public.hub_asset_versions v
      where v.asset_id = asset.id
        and (v.organization_id is null or keeper or private.is_member_of(caller, v.organization_id))
      order by v.version desc
      limit 100
    ) v
  );
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
  expired_overwritten integer;
  unused_words integer;
  former_names integer;
begin
  delete from private.hub_idempotent_responses h where h.created_at <= clock_timestamp() - interval '24 hours';
  get diagnostics pruned = row_count;
  delete from private.hub_scan_tokens t where t.expires_at <= clock_timestamp();
  get diagnostics expired_tokens = row_count;
  delete from private.hub_calls c where c.at <= clock_timestamp() - interval '1 hour';
  get diagnostics expired_calls = row_count;
  delete from private.hub_former_names f where f.given_up_at <= clock_timestamp() - interval '180 days';
  get diagnostics former_names = row_count;
  delete from private.hub_overwritten o where o.at <= clock_timestamp() - interval '30 days';
  get diagnostics expired_overwritten = row_count;
  -- Does not wait for writers, so it may delete a word that a listing published at this moment brings back. Then only the whole
  -- word finds this listing, not its beginning or a misspelling.
  delete from private.hub_words k
  where not exists (select from private.hub_documents d where d.document @@ ('''' || k.word || '''')::tsquery);
  get diagnostics unused_words = row_count;
  return pruned + expired_tokens + expired_calls + expired_overwritten + unused_words + former_names;
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
  -- Tiers with this priority or a higher one have no key for this call.
  above bigint := 2147483648;
  tier_priority integer;
  is_due boolean;
  -- The place where the search of the tier begins: the tier's mark for the model while that mark is valid, otherwise its low-water
  -- mark.
  model_mark jsonb;
  mark_count bigint;
  mark_id uuid;
  -- The tier that this call has refreshed last.
  refreshed integer;
  -- The place where the current search starts.
  start_count bigint;
  start_id uuid;
  -- Position of the key that this call has waited for.
  held_priority integer;
  held_count bigint;
  held_id uuid;
  chosen_id uuid;
  chosen_generation integer;
  is_ready boolean;
  -- The block of the chosen key for the model is over, but its count is not levelled yet.
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
    -- Uses several small statements, because one large joined statement takes longer to start than all of the small ones take
    -- together.
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
        -- A retry, too, finds a ready key in the pool but no tier that leads to it: the key's row was inserted without firing
        -- triggers.
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
    -- Takes the first unlocked key of the tier in the order usage_count, id. The first caller of a pool starts at the mark. Callers
    -- that arrive before the transaction of the first caller ends start at a random place; otherwise each would step over the keys
    -- that all others have locked. A retry starts at the mark, so that it misses no free key.
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
      -- Only keys that are sealed to a live pair.
      and k.sealed_kid = any (lease_api_key.live_kids)
      and k.id <> all (lease_api_key.exclude)
      and (lease_api_key.model is null or coalesce(k.limited_until[array_position(k.limited_models, lease_api_key.model)] <= at, true))
    order by k.usage_count, k.id
    limit 1
    for no key update skip locked;
    if found then
      -- The key is locked and may be leased: go on after the loop.
      exit when not comes_back or levelled;
      -- Levels the keys whose block for the model is over, this key among them, and then searches again.
      levelled := true;
      perform private.level_for_model(lease_api_key.user_id, tier_priority, lease_api_key.model, at);
      continue;
    end if;

    -- The search found no unlocked key: either other calls hold the keys, or the tier has no key for this call. Looks for a key to
    -- wait for, beginning at a random place, so that callers wait for different keys.
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
      -- One snapshot shows the mark and the keys: a key that another call is making ready shows here as expired, or is not below
      -- the mark. Picks one of the first 16 keys at random, so that callers spread over them.
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
      -- Odd attempts skip this step, because it locks the tier.
      if lease_api_key.model is not null and model_mark is null and lease_api_key.attempt % 2 = 0 then
        perform private.raise_model_mark(lease_api_key.user_id, tier_priority, lease_api_key.model);
      end if;
      above := tier_priority;
      continue;
    end if;
    -- A tier without a ready key is checked for expired cooldowns at once, even when its next check is not due yet.
    if not is_ready and lease_api_key.attempt % 2 = 0 and refreshed is distinct from tier_priority then
      refreshed := tier_priority;
      perform private.refresh_tier(lease_api_key.user_id, tier_priority, only_expired => true);
      continue;
    end if;

    -- Wait for this key: a lower tier must not serve the call instead. A call that holds a row lock (its transaction then has an
    -- id) must not wait for another row, because two such calls could wait for each other. A call may hold a lock without having
    -- changed anything: a row that was ready when found, but no longer when locked, stays locked.
    if pg_catalog.pg_current_xact_id_if_assigned() is not null then
      return retry;
    end if;
    perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(chosen_id, 0));
    select k.priority, k.usage_count, k.id into held_priority, held_count, held_id
    from public.user_api_keys k
    where k.id = chosen_id
    for no key update;
    -- Something may have changed meanwhile: search again as a retry does, beginning with the first tier; in the tier of the key,
    -- begin at the key.
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
    -- The log row comes first: the update below returns its id and time as part of the lease.
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

  -- Once in 64 leases, raises the low-water mark and postpones the next expiry check. Never waits.
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
  -- Each statement reads one megabyte, so that pruning stops soon after the batch is full.
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

  -- Two pruners run one after the other; leases and reports never lock this row.
  select p.next_page into page from private.api_key_log_pruning p for no key update;
  page := coalesce(page, 0);
  while unseen > 0 loop
    if page >= size then
      -- Start again after the last page.
      page := 0;
    end if;
    delete from public.api_key_usage_log l
    where l.ctid = any (array(
      select old.ctid
      from public.api_key_usage_log old
      where old.ctid >= format('(%s,0)', page)::tid
        and old.ctid < format('(%s,0)', page + slice)::tid
        and coalesce(old.issued_at, old.reported_at) < clock_timestamp() - prune_api_key_usage_log.keep
        -- A row with a recent report stays.
        and coalesce(old.reported_at, old.issued_at) < clock_timestamp() - prune_api_key_usage_log.keep
        -- The row that explains a live block or a disabled key stays until the block or the disabling ends.
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
      -- Skips a row that a report has locked: after the report, this row may explain a block.
      for update skip locked
    ));
    get diagnostics gone = row_count;
    pruned := pruned + gone;
    exit when pruned >= prune_api_key_usage_log.batch;
    page := page + slice;
    unseen := unseen - slice;
  end loop;
  -- The next call continues where this one stopped.
  update private.api_key_log_pruning p set next_page = page;
  -- Alerts and starvations are few, so one statement deletes all old rows of a table.
  delete from public.api_key_alerts a where a.created_at < clock_timestamp() - prune_api_key_usage_log.keep;
  delete from public.api_key_starvations s where s.last_refused_at < clock_timestamp() - prune_api_key_usage_log.keep;
  -- Ordering by the second column of api_key_usage_log_key_idx makes every plan use that index; another plan would read the whole
  -- log for a key without rows.
  delete from public.api_key_deleted d
  where (
    select l.id from public.api_key_usage_log l where l.user_api_key_id = d.id order by coalesce(l.agent_id, l.user_id) limit 1
  ) is null;
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
  -- The report comes first, so that a key that it blocks is not leased again.
  reported constant jsonb := public.report_api_key(
    report => report_and_lease.report,
    token_hash => report_and_lease.token_hash,
    user_id => report_and_lease.user_id,
    lease_id => (report_and_lease.report ->> 'lease_id')::uuid
  );
begin
  -- The report holds locks, so the lease must not wait for a key and may return retry. A retry commits the report; an error of the
  -- lease rolls the report back.
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
  -- Reads the clock before any row: a change that the queries below do not see was committed after this time.
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
        -- A caller that did not lease the key within a day cannot report on it.
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
        -- An agent may report on its own leases, the owner of the pool on any.
        and (this.agent_id is null or l.agent_id = this.agent_id);
      if not found then
        raise exception using errcode = 'PT404', message = 'lease_not_found';
      elsif report_api_key.key_id <> lease.user_api_key_id then
        raise exception using errcode = 'PT422', message = 'lease_key_mismatch';
      elsif lease.outcome <> this.outcome and not (lease.outcome = 'caller_fault' and is_same_answer) then
        raise exception using errcode = 'PT409', message = 'already_reported';
      elsif lease.outcome is not null then
        -- A report on a lease that has been reported ends here, before any lock. So does a call that reads the lease again because
        -- another call reported it before the update below.
        lease.effect := 'duplicate';
        return private.report_answer(lease);
      end if;
    end if;
    -- A model that only the provider's answer names is ignored: a lease without a model would not check the block of that model.
    model := coalesce(report_api_key.report ->> 'model', lease.model);
    scope := case
      when this.outcome = 'caller_fault' or named_scope = 'request' then 'request'
      when this.rule in ('success', 'ignore', 'tolerate') then null
      when named_scope = 'account' then 'account'
      -- If a model is known, the scope is the model when the answer says so, or when a rate limit comes without a scope.
      when model is not null and coalesce(named_scope, case this.outcome when 'rate_limited' then 'model' end) = 'model' then 'model'
      else 'key'
    end;
    exit when tried
      or lease.id is null
      or is_same_answer
      or this.rule not in ('success', 'escalate')
      or report_api_key.report ?| array['hint_given', 'hint_seconds', 'hint_at'];
    tried := true;

    -- The fast path of a report that changes nothing: a success on a healthy key, or another failure of a known outage. It reads
    -- key and health in one snapshot and locks only the log row, which decides which report was first. The report therefore ranks
    -- as earlier than every failure, reset and edit that the snapshot does not show. The owner of the key is not checked: a key
    -- that was given away has a higher generation.
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
      -- Only the first report on a lease has an effect.
      and l.outcome is null
      and k.id = lease.user_api_key_id
      and k.is_active
      -- The fast path requires that the key can be opened.
      and k.unusable_reason is null
      -- The fast path requires that the lease was not issued before an operator's edit of the key.
      and k.generation <= lease.key_generation
      -- The fast path requires an empty list of server errors, because a success would clear the list.
      and h.recent_server_errors = '{}'
      and case this.rule
        when 'success' then
          h.consecutive_failures = 0
          and (h.blocked_until is null or h.blocked_until <= at)
          and (h.last_failure_at is null or h.last_failure_at < lease.issued_at)
          -- A success that ends an outage of the model needs the full evaluation as well.
          and (m.model is null or (
            m.consecutive_failures = 0
            and (m.blocked_until is null or m.blocked_until <= at)
            and (m.last_failure_at is null or m.last_failure_at < lease.issued_at)
          ))
        -- The fast path takes a failure only if its lease was issued before the end of the known block.
        else lease.issued_at < block.rate_ends
      end
    returning h.last_reported_at, h.last_outcome, private.report_answer(l)
    into last_at, last_outcome_of_key, answer;
    if found then
      -- Records the newest outcome for operators, to the second. Skips a locked row instead of waiting for it.
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

  -- Takes the fast path of report_api_key for reports that change nothing and whose log row is not locked. The caller reports the
  -- others one by one.
  with open as materialized (
    select l.id, l.user_api_key_id, l.model
    from public.api_key_usage_log l
    where l.id = any (report_successes.lease_ids)
      -- Skips leases of other callers.
      and l.user_id = report_successes.user_id
      and (this.agent_id is null or l.agent_id = this.agent_id)
      -- Skips leases that have been reported: report_api_key takes them one by one.
      and l.outcome is null
      and l.issued_at is not null
    -- Skips a lease that another call holds.
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
      -- These conditions leave a lease to report_api_key when its key is disabled or cannot be opened, was edited by an operator
      -- after the lease, has server errors or failures that the success ends, is blocked, or failed after the lease.
      and k.is_active
      and k.unusable_reason is null
      and k.generation <= l.key_generation
      and h.recent_server_errors = '{}'
      and h.consecutive_failures = 0
      and (h.blocked_until is null or h.blocked_until <= at)
      and (h.last_failure_at is null or h.last_failure_at < l.issued_at)
      -- The same applies to the model of the lease.
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
      -- Skips a health row that another call holds.
      for no key update of free skip locked
    ))
  )
  select coalesce(jsonb_agg(
    -- A lease that is listed twice is reported once.
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

COMMENT ON COLUMN "private"."api_key_breakers"."key_ids" IS 'The keys that reports disabled last, including all that recently_disabled_keys can still count.';

COMMENT ON COLUMN "private"."hub_copies"."dismissed_version" IS 'hub_updates does not announce versions of the origin up to this one, because the owner has dismissed them.';

COMMENT ON COLUMN "private"."hub_documents"."popularity" IS 'The logarithm (base 2) of the listing''s stars and installs (private.popularity): it seldom changes, so the row is seldom written.';

COMMENT ON COLUMN "private"."hub_moderation"."reviewed_at" IS 'When the asset was last restored. Reports by accounts created later are not counted for reviewed_version and older versions.';

COMMENT ON COLUMN "private"."hub_overwritten"."sha256" IS 'The value of hub_copies.sha256 before the update; hub_restore_copy writes it back.';

COMMENT ON COLUMN "private"."hub_snapshots"."value" IS 'Null: the last seven days have so few stars, imports and listings that each call counts them.';

COMMENT ON COLUMN "private"."hub_words"."added_by" IS 'The creator whose listing first had the word; an account adds at most 5,000 words.';

COMMENT ON COLUMN "private"."hub_words"."slips" IS 'Forms of the word with letters left out (private.slips): two words that differ by a typing error have one of these forms in common. A form that 64 words have is not stored for further words.';

COMMENT ON COLUMN "private"."payment_events"."provider_fee_cents" IS 'The provider''s fee for that payment, refund or dispute, as far as the provider has reported one.';

COMMENT ON COLUMN "private"."shelf_documents"."title_key" IS 'The folded title: a listing whose title equals the query comes first.';

COMMENT ON COLUMN "public"."api_key_alerts"."claimed_until" IS 'Until this time one call of keyhub-alerts is sending the alert; afterwards another call may send it.';

COMMENT ON COLUMN "public"."api_key_alerts"."sent_at" IS 'When keyhub-alerts delivered the alert to KEYHUB_ALERT_URL.';

COMMENT ON COLUMN "public"."api_key_alerts"."user_api_key_id" IS 'The key that caused the alert. No foreign key: the alert outlives the key.';

COMMENT ON COLUMN "public"."api_key_health"."consecutive_failures" IS 'Number of rate and quota blocks in a row, without a success between them: the exponent of the cooldown.';

COMMENT ON COLUMN "public"."api_key_health"."last_failure_at" IS 'Time of the newest failure that blocked or disabled the key; a success on a lease issued before that time is stale.';

COMMENT ON COLUMN "public"."api_key_health"."rate_blocked_until" IS 'End of the last block by a rate or quota failure. Failures on leases issued before that time do not raise consecutive_failures, because they have the same cause.';

COMMENT ON COLUMN "public"."api_key_health"."reason" IS 'What set the present block or disabled the key: an outcome of set-key-state, many_at_once (the breaker), blocked_by_operator or disabled_by_operator.';

COMMENT ON COLUMN "public"."api_key_health"."reason_log_id" IS 'The usage log row of the report behind reason. No foreign key; pruning keeps this row while the block lasts or the key is disabled.';

COMMENT ON COLUMN "public"."api_key_health"."recent_server_errors" IS 'Times of the newest tolerated server errors in a row, oldest first. When there are more than the threshold within the window of the report, the key cools down.';

COMMENT ON COLUMN "public"."api_key_model_health"."caused_by_log_id" IS 'The usage log row of the report behind reason. No foreign key; pruning keeps this row while the block lasts.';

COMMENT ON COLUMN "public"."api_key_model_health"."reset_at" IS 'When an operator last reset the block of the model; a report on a lease issued before that time is stale.';

COMMENT ON COLUMN "public"."api_key_starvations"."ended_at" IS 'When a key was leased again; null while the starvation lasts.';

COMMENT ON COLUMN "public"."api_key_usage_log"."blocked_until" IS 'The end of the block of the key or model after the report, as the call returned it.';

COMMENT ON COLUMN "public"."api_key_usage_log"."consecutive_failures" IS 'The consecutive_failures of the key or model after the report, as the call returned it.';

COMMENT ON COLUMN "public"."api_key_usage_log"."scope" IS 'What the reported answer was about: request, model, key or account; null where the answer says nothing about a key.';

COMMENT ON COLUMN "public"."hub_asset_versions"."changelog" IS 'What changed in this version, as plain text for readers.';

COMMENT ON COLUMN "public"."hub_asset_versions"."is_open" IS 'Whether readers still see the version when another version is current. False for versions that were published before histories were open.';

COMMENT ON COLUMN "public"."hub_asset_versions"."organization_id" IS 'The organization whose members may read the version; null: everybody. Never changes, whatever happens to the listing. No foreign key: a closed organization has no members.';

COMMENT ON COLUMN "public"."hub_asset_versions"."yanked_at" IS 'When the owner withdrew the version: it cannot be imported any more; users who imported this version can still read it.';

COMMENT ON COLUMN "public"."hub_assets"."attribution" IS 'What the listing was imported or remixed from: {root, parent, via: [...], claimed}; root, parent and each of via are {id, title, slug, creator_id, license, version, remix_depth}. Written once; an update of a copy changes only the versions and never removes an origin.';

COMMENT ON COLUMN "public"."hub_assets"."deleted_at" IS 'When the listing became a tombstone: its content is deleted, id and slug stay. Setting this column makes triggers delete the content.';

COMMENT ON COLUMN "public"."hub_assets"."hidden_by_ban" IS 'True while the creator is banned, which hides the listing. Maintained from private.hub_bans; kept when a banned creator deletes the account.';

COMMENT ON COLUMN "public"."hub_assets"."hidden_reason" IS 'reports (the threshold), moderator, organization_reports or organization (the same on a shelf), the reason of an upheld report, or removed. The creator can read it.';

COMMENT ON COLUMN "public"."hub_assets"."install_count" IS 'Number of distinct signed-in users, other than the creator, who imported the listing. Maintained by a trigger.';

COMMENT ON COLUMN "public"."hub_assets"."is_shared" IS 'True while the listing is on the shelf of its organization, where only members see it.';

COMMENT ON COLUMN "public"."hub_assets"."is_visible" IS 'True while the listing is public on the hub: policies, indexes and functions use no other predicate for that.';

COMMENT ON COLUMN "public"."hub_assets"."organization_id" IS 'The organization in which the listing is or was shared. Stays when the listing is taken off the shelf or the organization is closed. Null: the listing was never shared, or it has been published for everybody since. No foreign key: content for members only stays private when the organization is gone.';

COMMENT ON COLUMN "public"."hub_assets"."picture" IS 'SHA-256 of the listing''s picture in hub_pictures; null without a picture. Maintained by a trigger.';

COMMENT ON COLUMN "public"."hub_assets"."pinned_version" IS 'For a copy: the version of its origin to which the owner has pinned the copy, so that newer versions are not announced. Null: newer versions are announced.';

COMMENT ON COLUMN "public"."hub_assets"."published_at" IS 'When the listing was first published for everybody; republishing does not change it.';

COMMENT ON COLUMN "public"."hub_assets"."shared_at" IS 'When the listing was put on the shelf of its organization; null: it is not on a shelf.';

COMMENT ON COLUMN "public"."hub_assets"."slug" IS 'Part of the permalink. Made at the first publication, and once more when a shared listing is first published for everybody; a copy that was never published has copy-<random>. Unique, also among tombstones.';

COMMENT ON COLUMN "public"."hub_assets"."star_count" IS 'Number of the listing''s rows in hub_stars. Maintained by a trigger.';

COMMENT ON COLUMN "public"."hub_imports"."counts" IS 'Whether install_count includes this import: true for one import of each user other than the creator. Maintained by a trigger.';

COMMENT ON COLUMN "public"."hub_purchases"."revoked_reason" IS 'The state of the order that revoked the purchase, or operator: somebody revoked it by hand.';

COMMENT ON COLUMN "public"."hub_reports"."work_holder" IS 'For a copyright report: the holder of the rights in the copied work.';

COMMENT ON COLUMN "public"."hub_settings"."verified_fee_bps" IS 'The platform''s share of a sale of a verified creator, in hundredths of a percent.';

COMMENT ON COLUMN "public"."organizations"."slug" IS 'Part of the address of the organization''s shelf: 3 to 40 small letters, digits and single hyphens. Unique by private.username_key.';

COMMENT ON COLUMN "public"."user_api_keys"."cooling_until" IS 'Copy of api_key_health.blocked_until, kept by a trigger; edit that column instead. After the block has ended, an edit of the key or the first lease that finds the block expired clears this column.';

COMMENT ON COLUMN "public"."user_api_keys"."fingerprint" IS 'Identifies a key without revealing it: the first 32 hex digits of SHA-256 over keyhub-fingerprint:v1:<user_id>:<key>. Taken from the end of the sealed text; null when the text had no fingerprint (npm run reseal adds one).';

COMMENT ON COLUMN "public"."user_api_keys"."limited_models" IS 'Copy of the blocks in api_key_model_health, kept by a trigger; edit that table instead. An expired block stays listed until a lease for its model removes it.';

COMMENT ON COLUMN "public"."user_api_keys"."limited_until" IS 'The end of the block of each model in limited_models, in the same order.';

COMMENT ON COLUMN "public"."user_api_keys"."ready_at" IS 'The key may be leased from this time on; infinity: the key is disabled or cannot be opened, so waiting does not help. Leases and the view api_key_states both use it.';

COMMENT ON COLUMN "public"."user_api_keys"."skipped_count" IS 'The part of usage_count that no lease has added: it was added when the key joined its tier or came back from a block.';

COMMENT ON COLUMN "public"."user_api_keys"."unusable_reason" IS 'Why the sealed text could not be opened; the key is not leased while this is set. Cleared when the ciphertext or the owner changes.';

COMMENT ON COLUMN "public"."user_api_keys"."usage_count" IS 'Of the keys of one priority, the key with the lowest usage_count is leased first; each lease adds one. A key that is added, enabled, moved or comes back from a block starts at the least count of the other keys of its tier; usage_count - skipped_count is the exact number of leases.';

COMMENT ON FUNCTION "private"."accept_invitation"(text) IS 'Inserts the caller as a member under the lock of the organization and counts the use of the invitation. Called by public.accept_invitation.';

COMMENT ON FUNCTION "private"."add_api_key"(text, text, text, text, integer) IS 'Checks the name and the limit of 200 keys, then inserts the key. Called by public.add_api_key.';

COMMENT ON FUNCTION "private"."add_to_creators"(private.creator_change[]) IS 'Adds the given changes of listings, installs and stars to the sums of their creators.';

COMMENT ON FUNCTION "private"."alert_starvation"(public.api_key_starvations, text, jsonb) IS 'Writes an alert of the given kind with the model, the start and the expected end of a starvation.';

COMMENT ON FUNCTION "private"."allow_content"(uuid, text) IS 'Stores that a user may publish content that equals a version of a listing, and logs it. Called by public.hub_allow_content.';

COMMENT ON FUNCTION "private"."api_key_health_before_update"() IS 'When somebody edits a block by hand, stores blocked_by_operator as the reason of a longer block and clears the reason of a reset block. Raises PT422 health_row_is_bound when the row would move to another key.';

COMMENT ON FUNCTION "private"."api_key_model_health_before_insert"() IS 'Keeps at most 200 rows for a key: deletes first the rows without a block, then those whose block ends first.';

COMMENT ON FUNCTION "private"."api_key_model_health_before_update"() IS 'Does for the row of a model what private.api_key_health_before_update does for a key, and stores the time of a reset in reset_at. Raises PT422 health_row_is_bound.';

COMMENT ON FUNCTION "private"."appeal"(uuid, text) IS 'Checks that the caller''s listing is hidden or the caller banned, and inserts an appeal. Called by public.hub_appeal.';

COMMENT ON FUNCTION "private"."apply_account_event"(text, text, text, boolean, timestamp with time zone) IS 'Stores an event about a payout account and updates charges_enabled unless a newer event was applied. Called by public.hub_apply_account_event.';

COMMENT ON FUNCTION "private"."apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) IS 'Stores an event about an order, judges whether it fits the order, and settles the order if it does. Called by public.hub_apply_payment_event.';

COMMENT ON FUNCTION "private"."ban_creator"(uuid, text, text) IS 'Inserts a ban; triggers apply it. Called by public.hub_ban_creator.';

COMMENT ON FUNCTION "private"."begin_checkout"(uuid, text, text, integer) IS 'Returns the buyer''s open order if its terms still hold; otherwise expires it and makes a new one. Called by public.hub_begin_checkout.';

COMMENT ON FUNCTION "private"."begin_onboarding"(uuid, text, text) IS 'Stores a creator''s payout account if it is the first one at the provider, and returns the stored one. Called by public.hub_begin_onboarding.';

COMMENT ON FUNCTION "private"."begin_preview"(uuid, integer) IS 'Locks the user''s profile and counts a preview. Called by public.hub_begin_preview.';

COMMENT ON FUNCTION "private"."begin_refund"(uuid, integer, text) IS 'Checks the amount of a refund and logs the request; the ledger does not change yet. Called by public.hub_begin_refund.';

COMMENT ON FUNCTION "private"."categories"() IS 'Returns the stored counts of categories if they are at most 30 minutes old, otherwise an estimate. Called by public.hub_categories.';

COMMENT ON FUNCTION "private"."close_appeals"() IS 'Closes the open appeals: as accepted when the ban is lifted or the listing restored, as rejected when the listing is removed.';

COMMENT ON FUNCTION "private"."compare_creators"() IS 'Returns, for each creator, the sums stored in private.hub_creators beside the sums of the visible listings.';

COMMENT ON FUNCTION "private"."compare_usage"() IS 'Returns, for each account, the sums stored in private.workspace_usage beside the sums of its source rows.';

COMMENT ON FUNCTION "private"."content_of"(text, jsonb) IS 'Returns the content of a source row: the columns that an update of a copy overwrites. Leaves out the name, the description and tags of an orchestration, and an API key.';

COMMENT ON FUNCTION "private"."count_source_usage"() IS 'Adds the rows and bytes that a statement changes in a source table to private.workspace_usage. Raises PT422 limit_reached.';

COMMENT ON FUNCTION "private"."count_trending"(integer) IS 'Returns the ids of trending listings, best first, counted from the stars, imports and new listings of seven days: the latest `most` of each kind, or, with null, all.';

COMMENT ON FUNCTION "private"."count_usage"(uuid[], integer[], bigint[]) IS 'Adds rows and bytes to the sums of accounts; each may be negative. Raises PT422 limit_reached with the limit and its number.';

COMMENT ON FUNCTION "private"."create_organization"(text, text) IS 'Inserts an organization with the caller as owner, unless the caller owns 20 already. Called by public.create_organization.';

COMMENT ON FUNCTION "private"."delete_asset"(uuid) IS 'Makes the caller''s listing a tombstone, or only unpublishes it while a buyer has access. Called by public.hub_delete_asset.';

COMMENT ON FUNCTION "private"."deliver"(private.orders) IS 'Gives the buyer of a paid order access to the listing, if buyer and listing still exist and the buyer does not have access already.';

COMMENT ON FUNCTION "private"."describe_copy"(uuid, uuid) IS 'Returns the rows that the import of a copy has made, as JSON. Called by public.hub_copy.';

COMMENT ON FUNCTION "private"."directory"(text, text, text, integer) IS 'Checks the arguments and returns a page of the directory. Called by public.hub_creators.';

COMMENT ON FUNCTION "private"."dismiss_update"(uuid, integer) IS 'Stores the version up to which the owner of a copy has dismissed updates. Called by public.hub_dismiss_update.';

COMMENT ON FUNCTION "private"."edit_version"(uuid, integer, text, text) IS 'Checks and replaces label and changelog of a version. Called by public.hub_edit_version.';

COMMENT ON FUNCTION "private"."end_starvations"(uuid, uuid, text) IS 'Ends the open starvations whose provider and model fit the leased key, and writes a pool_recovered alert for each that had an alert.';

COMMENT ON FUNCTION "private"."estimate_categories"(integer) IS 'Returns the counts of count_categories, estimated from a sample of `most` tags of listings; exact when the hub has fewer.';

COMMENT ON FUNCTION "private"."feature_asset"(uuid, integer) IS 'Inserts a visible listing into hub_featured or changes its position. Called by public.hub_feature_asset.';

COMMENT ON FUNCTION "private"."first_attempt"(uuid) IS 'Returns how many forms of private.nth_slug a listing skips: 9 for a listing of an organization, which gets a random suffix, and 0 for a public one.';

COMMENT ON FUNCTION "private"."fold"(text) IS 'Returns a text in lower case, without accents and full-width forms, so that different spellings of a word compare as equal.';

COMMENT ON FUNCTION "private"."hide_asset"(uuid, text, text) IS 'Hides a visible or shared asset for the reason moderator. Called by public.hub_hide_asset.';

COMMENT ON FUNCTION "private"."hub_appeals_before_update"() IS 'Refuses every change but those of answer and state; state changes once, from open. Raises PT409 append_only or appeal_resolved.';

COMMENT ON FUNCTION "private"."hub_assets_begin_edit"() IS 'Locks the profile of a client who edits listings, then all listings of that client, in the lock order of all writes. Raises PT403 banned.';

COMMENT ON FUNCTION "private"."hub_assets_derive_picture"() IS 'Sets hub_assets.picture to the SHA-256 of the listing''s row in hub_pictures, whatever value a statement wrote.';

COMMENT ON FUNCTION "private"."hub_assets_guard_counters"() IS 'Ignores edits of star_count and install_count by hand, so that only the triggers of the counted tables change them.';

COMMENT ON FUNCTION "private"."hub_assets_index_shelf"() IS 'Keeps the search document of a listing current while the listing is on a shelf, and deletes it afterwards.';

COMMENT ON FUNCTION "private"."hub_bans_apply"() IS 'Hides all assets of a banned creator, upholds the open reports on them, stops counting the creator''s own open reports, and logs the ban.';

COMMENT ON FUNCTION "private"."hub_reports_before_update"() IS 'Refuses to reopen a report or to change its asset, version or reporter. Fills outcome, resolved_by and version of a report that is closed, and stops counting a report of a deleted account. Raises PT409 report_is_fixed.';

COMMENT ON FUNCTION "private"."hub_stars_before_insert"() IS 'Skips the insert when the star exists already, so that starring is idempotent. Raises PT403 banned.';

COMMENT ON FUNCTION "private"."invitation"(text) IS 'Returns the name of the organization of a live invitation. Called by public.invitation.';

COMMENT ON FUNCTION "private"."invite_member"(uuid, text, text, integer, integer) IS 'Checks the caller''s role and the limits and inserts an invitation. Called by public.invite_member.';

COMMENT ON FUNCTION "private"."issue_my_agent_token"(text) IS 'Checks the name and the limit of 50 live agents, then makes an agent. Called by public.issue_my_agent_token.';

COMMENT ON FUNCTION "private"."joined_attribution"(jsonb, jsonb) IS 'Returns an attribution together with the origins that only the earlier attribution names, which it adds to via.';

COMMENT ON FUNCTION "private"."keep_overwritten"(uuid, jsonb, jsonb, text) IS 'Stores the overwritten content of a copy for hub_restore_copy; keeps the newest ten of each copy.';

COMMENT ON FUNCTION "private"."key_owner"() IS 'Returns the caller, who must have an account. Raises 42501 for anonymous sessions.';

COMMENT ON FUNCTION "private"."leave_organization"(uuid) IS 'Deletes the caller''s membership, unless the caller is the last owner and others stay. Called by public.leave_organization.';

COMMENT ON FUNCTION "private"."lift_report"(public.api_key_usage_log) IS 'Lifts the effect of a report on each key and model whose state the report still explains; returns whether it lifted anything. Raises 55P03 like private.apply_report.';

COMMENT ON FUNCTION "private"."list_orders"(text, text, text) IS 'Returns a page of orders after checking that the caller is an admin. Called by public.hub_orders.';

COMMENT ON FUNCTION "private"."log_event"(text, uuid, uuid, uuid, jsonb, boolean) IS 'Adds an entry to the audit log, with the caller as actor (none with by_system) and with the notes of set_audit_note.';

COMMENT ON FUNCTION "private"."make_document"(public.hub_assets) IS 'Returns the search document of a listing. No word and no tag holds a quote, a backslash or a blank, so the text needs no escaping.';

COMMENT ON FUNCTION "private"."my_agents"() IS 'Returns the caller''s agents with the time of their last use. Called by public.my_agents.';

COMMENT ON FUNCTION "private"."my_api_key_log"(uuid, uuid, text, timestamp with time zone) IS 'Filters the newest 1,000 log rows of each key and agent of the caller and returns the newest 100. Called by public.my_api_key_log.';

COMMENT ON FUNCTION "private"."my_api_key_pools"() IS 'Returns the rows of api_key_pools that belong to the caller. Called by public.my_api_key_pools.';

COMMENT ON FUNCTION "private"."my_api_keys"() IS 'Returns the keys of the caller with their states. Called by public.my_api_keys.';

COMMENT ON FUNCTION "private"."my_decisions"() IS 'Returns the decisions on the caller''s listings and account with their appeals. Called by public.hub_my_decisions.';

COMMENT ON FUNCTION "private"."my_paid_content"() IS 'Returns private.paid_content of the caller. Policies write (select private.my_paid_content()), so that it runs once per statement.';

COMMENT ON FUNCTION "private"."my_purchases"(uuid) IS 'Returns the caller''s orders with what was refunded. Called by public.hub_my_purchases.';

COMMENT ON FUNCTION "private"."next_state"(private.key_state, private.key_report, timestamp with time zone) IS 'Returns the state of a key after a report at a given time, with the effect of the report. Has one branch for each rule of a report, and reads no table. Raises PT422 unknown_rule.';

COMMENT ON FUNCTION "private"."note_checkout"(uuid, text, text) IS 'Stores id and address of the payment page, unless the order has one. Called by public.hub_note_checkout.';

COMMENT ON FUNCTION "private"."open_appeals"() IS 'Returns the open appeals after checking that the caller is an admin. Called by public.hub_open_appeals.';

COMMENT ON FUNCTION "private"."order_for_status"(uuid, uuid) IS 'Returns an order of the user, or any order for an admin. Called by public.hub_order_for_status.';

COMMENT ON FUNCTION "private"."orders_guard"() IS 'Refuses to change the agreed columns, or paid_at, payment_id and delivered_at once they are set. Allows only the state that follows from the events, and a lower rank only from disputed to paid. Raises PT409 order_is_fixed.';

COMMENT ON FUNCTION "private"."orders_to_ask"(integer) IS 'Returns old open orders and paid orders that were never delivered, at most `most` of each. Called by public.hub_orders_to_ask.';

COMMENT ON FUNCTION "private"."organization_invitations"(uuid) IS 'Returns the invitations of an organization to its owners and admins. Called by public.organization_invitations.';

COMMENT ON FUNCTION "private"."organization_review"(uuid, boolean, text) IS 'Keeps or hides a listing of a shelf and closes its open reports. Called by public.organization_review.';

COMMENT ON FUNCTION "private"."organization_review_queue"(uuid) IS 'Returns the reported and hidden listings of a shelf to the owners and admins of its organization. Called by public.organization_review_queue.';

COMMENT ON FUNCTION "private"."own_log"(uuid, uuid, uuid, integer) IS 'Returns, for each key of a pool and each of its callers, the newest looked_at rows of the log.';

COMMENT ON FUNCTION "private"."own_version"(uuid, integer) IS 'Locks the caller''s own listing, counts the call as an edit and returns a version of that listing. Raises PT403 banned or not_owner, PT404 asset_not_found or organization_not_found, PT409 not_published, PT429 rate_limited.';

COMMENT ON FUNCTION "private"."pin"(uuid, integer) IS 'Sets or clears pinned_version of the caller''s copy. Called by public.hub_pin.';

COMMENT ON FUNCTION "private"."publish_asset"(uuid, jsonb, text, boolean, integer, text, text) IS 'Publishes, or in a dry run publishes and rolls back; a repeated request gets the stored answer. Called by public.hub_publish. hourly_limit is the limit of publications; hub_begin_preview counts previews. The ids and times in a preview belong to rows that were rolled back.';

COMMENT ON FUNCTION "private"."purchases_guard"() IS 'Requires that a purchase has the buyer, asset and price of its order, and refuses to change them; a purchase can only be revoked and given back. Raises PT409 order_is_fixed.';

COMMENT ON FUNCTION "private"."reconcile"() IS 'Returns what does not agree between orders, purchases, ledger and events. Called by public.hub_reconcile.';

COMMENT ON FUNCTION "private"."refuse_more"(text, bigint, integer) IS 'Raises PT422 limit_reached when held has reached most.';

COMMENT ON FUNCTION "private"."refuse_state_edit"() IS 'Refuses to edit the view api_key_states and names the tables to edit instead. Raises PT422 read_only.';

COMMENT ON FUNCTION "private"."refuse_usage"(text, bigint) IS 'Raises PT422 limit_reached with the name of the limit and its number.';

COMMENT ON FUNCTION "private"."release_lease"(uuid, uuid) IS 'Takes back a lease whose key could not be opened: deletes its log row, lowers the count, and sets unusable_reason, so that the key is not leased until its ciphertext changes.';

COMMENT ON FUNCTION "private"."remove_api_key"(uuid) IS 'Deletes one of the caller''s keys. Called by public.remove_api_key.';

COMMENT ON FUNCTION "private"."remove_asset"(uuid, text, text) IS 'Makes a hidden asset a tombstone with the reason removed. Called by public.hub_remove_asset.';

COMMENT ON FUNCTION "private"."remove_member"(uuid, uuid) IS 'Deletes a membership and revokes the links by which the member could come back. Called by public.remove_member.';

COMMENT ON FUNCTION "private"."report_same_answer"(uuid, uuid, public.api_key_usage_log, private.key_report) IS 'Handles a report whose answer the caller also got for another key: records the report as caller_fault and lifts the effect of the other report. Returns null when the other report is not the caller''s, is older than a minute, differs, or when one of the two says that its key is dead: then report_api_key processes the report like any other. Raises 55P03 like private.apply_report.';

COMMENT ON FUNCTION "private"."republish_asset"(uuid) IS 'Makes the caller''s listing public again, or puts it on its organization''s shelf again. Called by public.hub_republish_asset.';

COMMENT ON FUNCTION "private"."reset_api_key"(uuid) IS 'Resets the blocks of one of the caller''s keys and of its models. Called by public.reset_api_key.';

COMMENT ON FUNCTION "private"."reset_install_counts"() IS 'Sets install_count of all listings to 0 when hub_imports is truncated.';

COMMENT ON FUNCTION "private"."reset_report_counts"() IS 'Sets open_reports and counting_reports of all assets to 0 when hub_reports is truncated.';

COMMENT ON FUNCTION "private"."reset_star_counts"() IS 'Sets star_count of all listings to 0 when hub_stars is truncated.';

COMMENT ON FUNCTION "private"."resolve_appeal"(uuid, boolean, text) IS 'Sets state and answer of an appeal; triggers apply the outcome. Called by public.hub_resolve_appeal.';

COMMENT ON FUNCTION "private"."resolve_report"(uuid, text, text, text) IS 'Dismisses one report, or upholds all open reports on the asset and hides the asset. Called by public.hub_resolve_report.';

COMMENT ON FUNCTION "private"."restore_api_key_health"() IS 'Gives a key a new health row when its health row is deleted or the table is truncated; either is a reset of the key.';

COMMENT ON FUNCTION "private"."restore_asset"(uuid, text) IS 'Clears is_hidden; triggers then dismiss the open reports. Called by public.hub_restore_asset.';

COMMENT ON FUNCTION "private"."restore_copy"(uuid) IS 'Writes the newest overwritten content back to the caller''s copy; content that was edited since is kept as overwritten. Called by public.hub_restore_copy.';

COMMENT ON FUNCTION "private"."revenue"(date, date) IS 'Sums the caller''s lines of the ledger by day and listing, for at most 1,100 days. Called by public.hub_revenue.';

COMMENT ON FUNCTION "private"."review_queue"() IS 'Returns the review queue after checking that the caller is an admin. Called by public.hub_review_queue.';

COMMENT ON FUNCTION "private"."revoke_invitation"(uuid) IS 'Sets revoked_at of an invitation, for owners and admins. Called by public.revoke_invitation.';

COMMENT ON FUNCTION "private"."revoke_my_agent"(uuid) IS 'Revokes one of the caller''s agents, keeping the time of an earlier revocation. Called by public.revoke_my_agent.';

COMMENT ON FUNCTION "private"."search_by_relevance"(text, tsquery, jsonb, integer) IS 'Returns visible listings by how well they match: those worth ranking by score, then the rest by popularity. Only the last but one row has its place in the list, from which the next page continues.';

COMMENT ON FUNCTION "private"."set_api_key_active"(uuid, boolean) IS 'Enables or disables one of the caller''s keys. Called by public.set_api_key_active.';

COMMENT ON FUNCTION "private"."set_audit_note"(text, text) IS 'Stores an admin''s note and the note for the creator. private.log_event copies both into the entries that this transaction adds to the audit log.';

COMMENT ON FUNCTION "private"."set_member_role"(uuid, uuid, text) IS 'Changes a member''s role under the lock of the organization; revokes links when the role becomes member. Called by public.set_member_role.';

COMMENT ON FUNCTION "private"."set_picture"(uuid, text, jsonb, integer) IS 'Stores or removes the picture of a user''s listing and counts the call. Called by public.hub_set_picture.';

COMMENT ON FUNCTION "private"."shelf_page"(private.search_request, uuid, integer) IS 'Returns the listings of one page of a shelf, each with the value by which it is sorted; nothing when the caller is not a member.';

COMMENT ON FUNCTION "private"."source_bytes"(jsonb) IS 'Returns the number of bytes that a source row adds to the size of a workspace. A new column of a source table changes this number, so its migration must recount private.workspace_usage.';

COMMENT ON FUNCTION "private"."title_key"(text) IS 'Returns the folded words of a title: titles that differ only in case, accents or signs have the same key.';

COMMENT ON FUNCTION "private"."unban_creator"(uuid) IS 'Deletes the ban of a creator; triggers then show the creator''s listings again. Called by public.hub_unban_creator.';

COMMENT ON FUNCTION "private"."unbooked"(uuid) IS 'Returns the amounts that the ledger of an order still lacks; no row once every event is booked.';

COMMENT ON FUNCTION "private"."unfeature_asset"(uuid) IS 'Deletes a listing from hub_featured. Called by public.hub_unfeature_asset.';

COMMENT ON FUNCTION "private"."unpublish_asset"(uuid) IS 'Clears is_public and shared_at of the caller''s listing. Called by public.hub_unpublish_asset.';

COMMENT ON FUNCTION "private"."unyank_version"(uuid, integer) IS 'Takes back a yank, makes the version current again if it is newer than the current one, and logs this. Called by public.hub_unyank_version.';

COMMENT ON FUNCTION "private"."updates"() IS 'Returns the updates of the caller''s copies, each with its kind. Called by public.hub_updates.';

COMMENT ON FUNCTION "private"."user_api_keys_after_write"() IS 'Makes the health row of a new key. Clears the block of a key that is replaced, enabled or given away, and stores disabled_by_operator as the reason of a key that is disabled.';

COMMENT ON FUNCTION "private"."verify_creator"(text, boolean) IS 'Sets or clears verified_at of a creator and logs the change. Called by public.hub_verify_creator.';

COMMENT ON FUNCTION "private"."versions"(text) IS 'Returns the versions of a listing that the caller may know of. Called by public.hub_versions.';

COMMENT ON FUNCTION "private"."yank_version"(uuid, integer, text) IS 'Yanks a version, makes another one current if necessary, and logs this. Called by public.hub_yank_version.';

COMMENT ON FUNCTION "public"."add_api_key"(text, text, text, text, integer) IS 'Adds a key to the caller''s pool. The caller has sealed the key, bound to the caller''s user id. Returns {id, name, hint}. At most 200 keys. Raises PT422 account_too_large, duplicate_key, key_not_sealed, limit_reached, provider_not_valid or validation_failed.';

COMMENT ON FUNCTION "public"."claim_api_key_alerts"(integer) IS 'For keyhub-alerts: writes alerts for pools that have been starved for a minute, then returns at most `most` unsent alerts of the last day, oldest first. No other call returns these alerts for two minutes.';

COMMENT ON FUNCTION "public"."hub_apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) IS 'For payment-webhook and hub-checkout: stores an event of the payment provider about an order and applies its effects: {outcome: applied, duplicate, mismatch or unknown; undelivered: whether the payment is due back}. Raises PT503 unavailable while the buyer''s account is being deleted.';

COMMENT ON FUNCTION "public"."hub_begin_preview"(uuid, integer) IS 'For hub-publish: counts a preview before anything is read or scanned for it, so the dry run of hub_publish counts nothing. Raises PT401 invalid_credential, PT403 banned, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_check_counters"() IS 'For operators: returns one row for each counter that differs from the number of rows it counts; none when all are consistent. For the counters of accounts and creators, asset_id holds the id of the user.';

COMMENT ON FUNCTION "public"."hub_feature_asset"(uuid, integer) IS 'For admins: adds a visible listing to the curated collection, at the end or at the given place, or moves it to that place. Raises 42501, PT404 asset_not_found, PT409 not_visible.';

COMMENT ON FUNCTION "public"."hub_orders"(text, text, text) IS 'For admins: returns orders, newest first; q is the id of an order, a part of a title, or the username of a buyer or creator: {items: [{id, state, title, slug, asset_type, price_cents, currency, fee_cents, refunded_cents, created_at, paid_at, buyer, creator}], next_cursor}. Raises 42501, PT400 malformed_cursor.';

COMMENT ON FUNCTION "public"."hub_orders_to_ask"(integer) IS 'For payment-webhook: returns orders that have been open for more than an hour, and paid orders that were never delivered, so that their money is due back, oldest first and at most `most` of each: [{order_id, checkout_id, payment_id, price_cents, currency, undelivered}].';

COMMENT ON FUNCTION "public"."hub_publish"(uuid, jsonb, text, boolean, integer, text, text) IS 'For hub-publish: publishes prepared content, with secrets removed: {asset_type, ref_id, slug, title, description, tags, thumbnail_url, license, payload, sha256, scan, redactions, items, label, changelog, organization, price_cents, currency, teaser, content_sha256 if the scan has findings}; a dry run returns what would be published and changes nothing. Raises PT403 banned, PT404 organization_not_found or source_not_found, PT409 already_public, duplicate_content, item_hidden, label_taken, removed or scan_confirmation_required, PT422 idempotency_key_reused, mixed_script, organization_only, payout_account_required or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_reconcile"() IS 'For operators: returns what does not agree. ledger, state, purchase: the books differ from the events (never, unless a trigger was disabled); mismatch, unknown: an event whose amount, currency or provider differs from its order, or an event without an order; refund_failed: the buyer did not get the money; undelivered: paid but not delivered, so the money is due back; open: open for more than an hour, and payment-webhook asks the provider every hour.';

COMMENT ON FUNCTION "public"."hub_refresh_discovery"() IS 'For operators and schedules: computes trending and the counts of categories, so that no call of a reader has to count them.';

COMMENT ON FUNCTION "public"."hub_review_queue"() IS 'For admins: returns the assets that are hidden or have open reports, with these reports; hidden ones first, at most 500. Leaves out the assets that the admins of an organization review.';

COMMENT ON FUNCTION "public"."hub_unchanged"(jsonb) IS 'For hub-publish: returns for each of contents [{payload, attribution}] whether it still equals a version or kit item that its attribution names: [boolean].';

COMMENT ON FUNCTION "public"."hub_unyank_version"(uuid, integer) IS 'Takes back the yank of a version of the caller''s own listing; a version that is newer than the current one becomes current again, if it is for the same readers and is paid or free like the current one. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 not_published, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_updates"() IS 'Returns the caller''s copies about which there is news: the parent has a newer version (newer_version; not for pinned copies or dismissed versions), the version that the copy was made from was withdrawn (yanked), or an origin was hidden for malicious code (malicious_code) or removed (removed).';

COMMENT ON FUNCTION "public"."hub_verify_creator"(text, boolean) IS 'For admins: marks a creator as verified, or removes the mark; later orders have the fee of a verified creator, or the usual one. Raises 42501, PT404 user_not_found.';

COMMENT ON FUNCTION "public"."hub_versions"(text) IS 'Returns the newest 100 versions of a listing, newest first: [{version, label, changelog, license, sha256, published_at, yanked, yank_reason, readable}]; readable: whether hub_asset returns the content of the version to the caller; sha256 is null for a paid version that the caller has not bought. Raises PT404 asset_not_found.';

COMMENT ON FUNCTION "public"."hub_yank_version"(uuid, integer, text) IS 'Withdraws a version of the caller''s own listing: it cannot be imported any more, and only its creator, admins and users who imported it can read it. If it was the current version, the newest version that is not yanked becomes current. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 last_version or not_published, PT422 secret_detected or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."invitation"(text) IS 'Returns the organization that an invitation is for: {name}. Raises PT404 invitation_not_found, also when the invitation is used up, expired or revoked.';

COMMENT ON FUNCTION "public"."invite_member"(uuid, text, text, integer, integer) IS 'For owners and admins: makes an invitation; only owners may invite an admin. Returns {id, token, expires_at}; the token cannot be read again later. With email, only the account with that address can accept it. At most 100 live invitations per organization. Raises PT403 banned or role_required, PT404 organization_not_found, PT422 limit_reached or validation_failed.';

COMMENT ON FUNCTION "public"."lease_api_key"(text, uuid, text, text[], uuid, integer, integer, uuid[], text) IS 'Leases one eligible key of the caller''s pool. For the function get-active-key. kind is leased; none, with the reasons and the seconds until a key is free; or retry: other calls have locked the keys and this call must not wait for them; call again with attempt raised by one. With model, skips keys that are limited for it. With calls above 1, returns an array of that many leases; an answer without a key applies to all of these calls. Skips the keys of exclude unless no other key is left. other_providers lists the providers of the pool when it has no key of the requested one. Raises PT401 invalid_credential, PT503 unavailable, and 55P03 when a lock was not granted in time: nothing was done, call again.';

COMMENT ON FUNCTION "public"."prune_api_key_usage_log"(interval, integer, integer) IS 'Deletes at most batch log rows older than keep and returns their number. Continues where the last call stopped, through the whole log (call it until it returns 0) or through the given number of pages. Keeps the rows that explain a live block or a disabled key. Also deletes alerts and starvations older than keep, and the rows of api_key_deleted that have no log row left.';

COMMENT ON FUNCTION "public"."report_api_key"(jsonb, text, uuid, uuid, uuid) IS 'Records the outcome of one use of a key and changes the state of the key accordingly. For the function set-key-state. report has the fields of private.key_report, as core makes them: outcome, rule, error_code and the rule''s numbers; hint_given: the provider named a wait, even if it cannot be read. An agent may report on its own leases only, the owner of the pool on any. Raises PT401 invalid_credential, PT404 lease_not_found or key_not_found, PT409 already_reported, PT422 lease_key_mismatch, and 55P03 when a row stayed locked: nothing was done, call again.';

COMMENT ON FUNCTION "public"."report_successes"(uuid[], text, uuid) IS 'Reports the successes of one caller in one transaction. Returns an array with the answer of report_api_key for each lease, or {"kind": "retry"} for a lease that the caller must report with report_api_key, because the report may change the key, is refused, or would have to wait. Waits for no row. For the function set-key-state. Raises PT401 invalid_credential.';

COMMENT ON TABLE "private"."api_key_breakers" IS 'One row per pool and provider that had a key disabled by a report. A report that is about to disable a key locks the row, so that two reports cannot both disable the last key that the breaker allows.';

COMMENT ON TABLE "private"."api_key_log_pruning" IS 'One row: the page of the usage log where pruning continues. A wrong value does no harm: pruning then starts at another page.';

COMMENT ON TABLE "private"."hub_calls" IS 'Previews, imports, edits, pictures and checkouts of the last hour, for their limits. Each call deletes the expired rows of its user and kind; hub_prune deletes those of all users.';

COMMENT ON TABLE "private"."hub_moderation" IS 'One row per asset, inserted with the asset. When counting_reports reaches the threshold of private.count_reports, the asset is hidden.';

COMMENT ON TABLE "private"."hub_words" IS 'The words of all documents, for completing the beginning of a word and for correcting a misspelling. hub_prune deletes words that no document holds.';

COMMENT ON TABLE "private"."orders" IS 'Orders, as agreed when the checkout began. state follows from private.payment_events; apart from state, only columns whose value becomes known later change, such as paid_at.';

COMMENT ON TABLE "public"."api_key_model_health" IS 'Blocks of one model of a key, at most 200 a key; the columns mean what they mean in api_key_health. Reset one with: update api_key_model_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ... and model = ...; a reset of the key in api_key_health resets all its models.';

COMMENT ON TABLE "public"."hub_imports" IS 'One row for each import of an asset by a user. The asset''s install_count is the number of its rows where counts is true.';

COMMENT ON TABLE "public"."hub_reports" IS 'Reports of listings. Setting resolved by hand dismisses a report; hub_resolve_report can also uphold one, which hides the listing.';

COMMENT ON TABLE "public"."organizations" IS 'Teams that share listings among their members. Only members see the row. The last member who leaves closes the organization: the row is deleted.';

COMMENT ON TYPE "private"."key_report" IS 'A report as core reads it: outcome, rule and the rule''s numbers. cause: the reason stored with a block that the report sets. issued_at and key_generation come from the lease of the report. scope: what the answer is about: model, key or account. model: the model of the report, else of its lease. dead: the answer says that the key is dead.';

COMMENT ON TYPE "private"."key_state" IS 'The fields of a key and its health row, or of the row of a model, that next_state reads. next_state fills in the last four: state before and after, effect, and what happened to the hint.';
