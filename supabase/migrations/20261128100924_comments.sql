SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.accept_invitation (
  token text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  sha256_of_token constant text := encode(sha256(convert_to(left(accept_invitation.token, 200), 'UTF8')), 'hex');
  live private.organization_invitations;
  joined jsonb;
begin
  perform private.begin_organization_write();
  -- Locks the organization whatever the state of the invitation: whether it is still valid is checked under this lock.
  perform private.lock_organization((
    select i.organization_id from private.organization_invitations i where i.token_sha256 = sha256_of_token
  ));
  select jsonb_build_object('id', o.id, 'slug', o.slug, 'name', o.name) into joined
  from private.organization_invitations i
  join public.organizations o on o.id = i.organization_id
  where i.token_sha256 = sha256_of_token and private.is_member_of(caller, i.organization_id);
  if found then
    -- The caller is a member already, so the invitation is not used.
    return joined;
  end if;
  live := private.live_invitation(accept_invitation.token);
  if live.id is null then
    raise exception using errcode = 'PT404', message = 'invitation_not_found';
  end if;
  if live.email_hash is not null and not exists (
    select from auth.users u where u.id = caller and private.email_hash(live.id, u.email::text) = live.email_hash
  ) then
    raise exception using errcode = 'PT403', message = 'other_address';
  end if;
  perform private.refuse_more('members', (
    select count(*) from public.organization_members m where m.organization_id = live.organization_id
  ), 10000);
  insert into public.organization_members (organization_id, user_id, role) values (live.organization_id, caller, live.role);
  update private.organization_invitations i set used = i.used + 1 where i.id = live.id;
  return private.organization_card(live.organization_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.add_to_creators (
  changes private.creator_change[]
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- Changes the rows in the order of ids, so that two statements for the same creators do not deadlock. The join skips creators
  -- whose profile is deleted.
  insert into private.hub_creators as t (user_id, names, published_assets, total_installs, total_stars)
  select c.creator_id, private.name_keys(p.username, p.display_name), c.listings, c.installs, c.stars
  from (
    select u.creator_id, sum(u.listings) as listings, sum(u.installs) as installs, sum(u.stars) as stars
    from unnest(add_to_creators.changes) u
    where u.creator_id is not null
    group by u.creator_id
    having sum(u.listings) <> 0 or sum(u.installs) <> 0 or sum(u.stars) <> 0
  ) c
  join public.hub_profiles p on p.user_id = c.creator_id
  order by c.creator_id
  on conflict (user_id) do update
  set published_assets = t.published_assets + excluded.published_assets,
    total_installs = t.total_installs + excluded.total_installs,
    total_stars = t.total_stars + excluded.total_stars;
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
    -- When an edit moves the block to an earlier end, the rate block ends no later than the block.
    new.rate_blocked_until := least(new.rate_blocked_until, new.blocked_until);
  end if;
  -- The stored reason explains the block before the edit, so a longer block gets a new reason, and a reset block has none.
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

CREATE OR REPLACE FUNCTION private.api_key_model_health_before_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- Callers may invent any number of model names, so a new row replaces an old one when the key has 200 rows: first a row without a
  -- block, then the row whose block ends first.
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
  -- The stored reason explains the block before the edit, so a longer block gets a new reason, and a reset block has none.
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

CREATE OR REPLACE FUNCTION private.begin_onboarding (
  user_id    uuid,
  provider   text,
  account_id text
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  held text;
begin
  perform private.begin_write(begin_onboarding.user_id);
  if begin_onboarding.account_id is not null then
    insert into public.hub_payout_accounts as a (user_id, provider, account_id)
    values (begin_onboarding.user_id, begin_onboarding.provider, begin_onboarding.account_id)
    -- Replaces a stored account of another provider: the hub has changed its provider since that account was stored.
    on conflict on constraint hub_payout_accounts_pkey do update
    set provider = excluded.provider, account_id = excluded.account_id, charges_enabled = false, reported_at = null
    where a.provider <> excluded.provider;
  end if;
  select a.account_id into held
  from public.hub_payout_accounts a
  where a.user_id = begin_onboarding.user_id and a.provider = begin_onboarding.provider;
  return held;
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
      -- auth.uid() is null when an edge function writes for a user. The user's token is still valid then, but the account is
      -- deleted, so the edge function gets invalid_credential.
      if (select auth.uid()) is null then
        raise exception using errcode = 'PT401', message = 'invalid_credential';
      end if;
      raise exception using errcode = '42501', message = 'permission denied';
    end if;
    -- A user without a profile gets one on the first write.
    perform private.make_profile(begin_write.user_id, null);
  end loop;
  -- Lock order: the deletion of an account locks the row of auth.users first and the profile later, so the lock on the row of
  -- auth.users must not wait here. The lock on that row is taken after the lock of the profile, because two writers who held it
  -- while they wait for the profile could block the deletion by taking turns.
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
  SECURITY DEFINER
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
          -- The address may have no user info, no query and no fragment.
          when 'base_url' then '^https://[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?(/[A-Za-z0-9._~%:@!$&''()*+,;=/-]*)?$'
          else '^[^[:space:][:cntrl:]]([^[:cntrl:]]*[^[:space:][:cntrl:]])?$'
        end
    )
  then
    -- The settings may contain a secret, so the error message does not repeat them.
    raise exception using
      errcode = 'PT422',
      message = 'settings may hold base_url (https, without user info, query or fragment), organization and project (at most 200 characters each), and nothing secret',
      detail = '{"code": "settings_not_valid"}';
  end if;
  return new;
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
      -- The account is being deleted: its appeals are deleted as well.
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

CREATE OR REPLACE FUNCTION private.close_links (
  organization_id uuid,
  user_id         uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update private.organization_invitations i
  set revoked_at = clock_timestamp()
  where i.organization_id = close_links.organization_id and i.revoked_at is null
    -- An invitation that somebody else made for another address is not revoked, because it does not let this user in.
    and (
      i.email_hash is null or i.invited_by = close_links.user_id
      or exists (select from auth.users u where u.id = close_links.user_id and private.email_hash(i.id, u.email::text) = i.email_hash)
    );
end;
$function$;

CREATE OR REPLACE FUNCTION private.copy_block_to_key()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  -- True when somebody reset this health row itself, at trigger depth 1. At a greater depth, an edit of the key resets the row, and
  -- that edit has already raised the generation.
  reset constant boolean := new.blocked_until is null
    and new.last_reported_at is not distinct from old.last_reported_at
    and pg_trigger_depth() = 1;
  live constant timestamptz := case
    -- A block that an operator moves into the past ends at once. A report copies the end of its block unchanged, even when that
    -- time has passed, because clearing the cooldown would lock the tier of the key.
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
  -- A block that is reset or deleted ends now in the copy. The next lease for the model finds the block expired and levels the key.
  ends := coalesce(ends, least(before, at));
  update public.user_api_keys k
  set (limited_models, limited_until) = (
    select array_agg(l.model), array_agg(l.until)
    from (
      select o.model, o.until
      from unnest(key.limited_models, key.limited_until) o (model, until)
      -- When 200 models are listed, drops the expired blocks of other models: perhaps nobody asks for these models again, so that
      -- no lease would remove them from the list.
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

CREATE OR REPLACE FUNCTION private.copy_rows (
  user_id  uuid,
  rows     jsonb,
  asset_id uuid,
  version  integer,
  sha256   text,
  mode     text,
  pinned   boolean
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  source public.hub_assets;
  created jsonb;
begin
  if copy_rows.asset_id is not null then
    select a.* into source from public.hub_assets a where a.id = copy_rows.asset_id;
  end if;
  perform private.lock_origins(copy_rows.asset_id, copy_rows.rows);
  created := private.insert_copies(
    copy_rows.user_id, copy_rows.rows, copy_rows.rows #>> '{0,id}', source, copy_rows.mode,
    case when copy_rows.pinned then copy_rows.version end
  );
  if copy_rows.asset_id is null then
    return created;
  end if;
  -- This insert comes last, because counting the install locks the listing: concurrent imports of the same listing wait here, and
  -- only until the commit.
  insert into public.hub_imports (asset_id, user_id, version, mode, created)
  select source.id, copy_rows.user_id, copy_rows.version, copy_rows.mode, created where source.id is not null;
  perform private.check_importable(copy_rows.user_id, copy_rows.asset_id, copy_rows.version, copy_rows.sha256);
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
    -- A counted row was deleted. Another row of the same user and asset is counted instead, so all these rows are locked. A
    -- concurrent delete may hold such a row and wait for the asset. This loop holds the asset, so it skips locked rows instead of
    -- waiting: on a lock conflict it releases all locks and takes them again.
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
    -- Lock order: first the assets by id, then their moderation rows.
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

CREATE OR REPLACE FUNCTION private.count_stars()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'INSERT' then
    -- Locks assets in the order of their ids, so that two writers who lock several assets do not deadlock.
    perform from public.hub_assets a where a.id in (select s.asset_id from added s) order by a.id for no key update;
    -- Re-check under the lock: the asset may have become invisible after row level security was checked.
    if exists (select from added s join public.hub_assets a on a.id = s.asset_id where not private.is_seen_by(a, s.user_id)) then
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
  -- Changes the accounts in the order of their ids, so that two statements that concern several accounts cannot deadlock here.
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
    -- A change that makes the workspace smaller is never refused.
    if step.rows > 0 and held.row_count > most_rows then
      perform private.refuse_usage('workspace_rows', most_rows);
    elsif step.bytes > 0 and held.byte_count > most_bytes then
      perform private.refuse_usage('workspace_bytes', most_bytes);
    end if;
  end loop;
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

CREATE OR REPLACE FUNCTION private.delete_asset (
  asset_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset constant public.hub_assets := private.own_listing(delete_asset.asset_id, with_stars => true);
begin
  -- While a buyer has a live purchase, only unpublishes the listing, so that buyers keep what they paid for.
  if exists (select from public.hub_purchases p where p.asset_id = asset.id and p.revoked_at is null) then
    update public.hub_assets a set is_public = false where a.id = asset.id and a.is_public;
    return;
  end if;
  update public.hub_assets a set deleted_at = clock_timestamp() where a.id = asset.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.deliver (
  ordered private.orders
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- This call is serialized with the creator's deletion of the listing: either the deletion finds the purchase, or nothing is left
  -- to deliver.
  perform from public.hub_assets a where a.id = ordered.asset_id and a.deleted_at is null for share;
  if not found or not exists (select from auth.users u where u.id = ordered.buyer_id) then
    return;
  end if;
  -- A buyer who has paid twice gets the listing once; the second payment is due back.
  if exists (
    select from public.hub_purchases p
    where p.user_id = ordered.buyer_id and p.asset_id = ordered.asset_id and p.revoked_at is null
  ) then
    return;
  end if;
  insert into public.hub_purchases (order_id, user_id, asset_id, price_cents, currency)
  values (ordered.id, ordered.buyer_id, ordered.asset_id, ordered.price_cents, ordered.currency)
  on conflict on constraint hub_purchases_order_id_key do update
  set revoked_at = null, revoked_reason = null
  -- Only a purchase that a dispute revoked is restored; one that an operator revoked by hand stays revoked.
  where hub_purchases.revoked_reason = 'disputed';
  update private.orders o set delivered_at = clock_timestamp() where o.id = ordered.id and o.delivered_at is null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.due_lines (
  order_id uuid
)
  RETURNS TABLE (
    kind         text,
    account      text,
    amount_cents integer
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select l.kind, l.account, l.amount
  from private.orders o
  cross join lateral private.judge_order(o.id) j
  -- The platform returns its share in proportion to the refund: a refund of the whole price returns exactly the whole share.
  cross join lateral (values ((o.fee_cents::bigint * j.refunded_cents / o.price_cents)::integer)) s (fee_back)
  cross join lateral (
    values
      ('sale', 'buyer', -o.price_cents),
      ('sale', 'platform', o.fee_cents),
      ('sale', 'creator', o.price_cents - o.fee_cents),
      ('refund', 'buyer', j.refunded_cents),
      ('refund', 'platform', -s.fee_back),
      ('refund', 'creator', s.fee_back - j.refunded_cents),
      -- The platform is the seller, so the platform bears the amount that a dispute takes back.
      ('dispute', 'buyer', j.disputed_cents),
      ('dispute', 'platform', -j.disputed_cents),
      ('provider_fee', 'platform', -j.provider_fee_cents),
      ('provider_fee', 'provider_fee', j.provider_fee_cents)
  ) l (kind, account, amount)
  where o.id = due_lines.order_id and j.state not in ('open', 'expired') and l.amount <> 0;
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
  -- Hangul and the marks of Japanese stay whole. Like ä, ö and ü, the spellings ae, oe and ue become a, o and u, except before a
  -- vowel. The exception does no harm to a search for the beginning of a word: the folded beginning still begins the folded word.
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

CREATE OR REPLACE FUNCTION private.following_page (
  user_id uuid,
  place   jsonb,
  wanted  integer
)
  RETURNS TABLE (
    id           uuid,
    published_at timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- Reads at most one page of listings of each creator, in the order of the index.
  select n.id, n.published_at
  from public.hub_follows f
  cross join lateral (
    select a.id, a.published_at
    from public.hub_assets a
    where a.creator_id = f.creator_id and a.is_visible
      and (a.published_at, a.id) < (
        coalesce((following_page.place ->> 'at')::timestamptz, 'infinity'),
        coalesce((following_page.place ->> 'id')::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      )
    order by a.published_at desc, a.id desc
    limit following_page.wanted
  ) n
  where f.user_id = following_page.user_id
  order by n.published_at desc, n.id desc
  limit following_page.wanted;
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
  -- Refuses mixed scripts only in titles that readers see: a copy keeps the title of its original until it is published.
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
  -- Checks the tags both as sent and as normalised: some secrets do not match their pattern in lower case.
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
    -- Root, parent and depth are set when a copy is made or first published. Later source_asset_id and parent_asset_id can only
    -- become null, when the asset that they name is erased.
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
  -- Making an older version current again, by its owner or an operator, is not logged as a new publication.
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
  -- A publication that is running holds this lock of the creator's profile. Either it commits first and its asset is found below,
  -- or it runs after the ban and is refused.
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

CREATE OR REPLACE FUNCTION private.hub_follows_before_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- When the row is for another user or the caller has no account, row level security refuses the row later. This trigger raises no
  -- error then, because an error could disclose something.
  if (select auth.uid()) is not null and (new.user_id is distinct from (select auth.uid()) or not private.is_member()) then
    return new;
  end if;
  perform private.begin_write(new.user_id);
  if new.creator_id = new.user_id then
    perform private.refuse_faults(private.fault('creator_id', 'invalid_value', 'must be somebody else'));
  end if;
  if exists (select from public.hub_follows f where f.user_id = new.user_id and f.creator_id = new.creator_id) then
    return null;
  end if;
  -- The count is exact, because begin_write serializes a user's writes.
  if (select count(*) from public.hub_follows f where f.user_id = new.user_id) >= 1000 then
    raise exception using errcode = 'PT422', message = 'limit_reached', detail = '{"limit": "follows", "most": 1000}';
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
  faults jsonb := '[]';
begin
  -- When the row is for another user or the caller has no account, row level security refuses the row later. This trigger raises no
  -- error then, because an error could disclose something.
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
        -- A report of this reporter on this version was dismissed. A report of this reporter on the next version counts again.
        r.outcome = 'dismissed' and r.version = new.version
        -- The asset was restored with this version: the earlier reports of this reporter, whatever their outcome, have been
        -- reviewed, so a new one does not count.
        or exists (
          select from private.hub_moderation m where m.asset_id = new.asset_id and m.reviewed_version >= new.version
        )
      )
  );
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
  -- When the row is for another user or the caller has no account, row level security refuses the row later. This trigger raises no
  -- error then, because an error could disclose something.
  if (select auth.uid()) is not null and (new.user_id is distinct from (select auth.uid()) or not private.is_member()) then
    return new;
  end if;
  perform private.begin_write(new.user_id);
  if exists (select from public.hub_stars s where s.asset_id = new.asset_id and s.user_id = new.user_id)
    and exists (select from public.hub_assets a where a.id = new.asset_id and private.is_seen_by(a, new.user_id))
  then
    -- The star exists already: starring is idempotent, also for an insert without "on conflict". The lock of begin_write keeps
    -- another insert of this user from running in between.
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
  request_sha256  text    DEFAULT NULL::text,
  pinned          boolean DEFAULT false,
  into_copy       uuid    DEFAULT NULL::uuid,
  overwrite       boolean DEFAULT false
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
  -- This call is serialized with a ban: either the ban waits for this lock, or this call finds the ban. begin_write also refuses a
  -- token whose account is deleted.
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
    created := case
      when import_asset.into_copy is null then private.copy_rows(
        import_asset.user_id, import_asset.rows, import_asset.asset_id, import_asset.version, import_asset.sha256, import_asset.mode,
        import_asset.pinned
      )
      else private.update_copy(
        import_asset.user_id, import_asset.rows, import_asset.asset_id, import_asset.version, import_asset.sha256,
        import_asset.pinned, import_asset.into_copy, import_asset.overwrite
      )
    end;
    if import_asset.dry_run then
      raise exception using errcode = 'KH002', message = 'only a plan';
    end if;
  exception
    when sqlstate 'KH002' then
      -- The new rows were rolled back, so their ids have no meaning, and the plan has null instead.
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
      where import_asset.into_copy is null
        and private.as_one_line(r.value ->> 'title') <> created -> (r.place - 1)::integer ->> 'title'
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
  -- Leaves out terms of one or two characters, such as the pairs of scripts without spaces, because a query uses such terms as they
  -- are.
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
    -- from the document, and with it all endings of words.
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

CREATE OR REPLACE FUNCTION private.insert_listing (
  creator_id      uuid,
  asset_type      text,
  ref_id          uuid,
  slug            text,
  title           text,
  description     text,
  tags            text[],
  thumbnail_url   text,
  license         text,
  organization_id uuid,
  offer           private.offer
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  made uuid;
  new_id constant uuid := gen_random_uuid();
begin
  for attempt in 1..30 loop
    insert into public.hub_assets (
      id, price_cents, currency, teaser, payment_product_id,
      asset_type, ref_id, creator_id, slug, title, description, tags, thumbnail_url, license,
      organization_id, is_public, current_version, published_at, shared_at, content_updated_at
    )
    values (
      new_id, (insert_listing.offer).price_cents, (insert_listing.offer).currency, (insert_listing.offer).teaser,
      private.product_id(insert_listing.offer, new_id),
      insert_listing.asset_type, insert_listing.ref_id, insert_listing.creator_id,
      private.nth_slug(insert_listing.slug, private.first_attempt(insert_listing.organization_id) + attempt),
      insert_listing.title, insert_listing.description, insert_listing.tags, insert_listing.thumbnail_url, insert_listing.license,
      insert_listing.organization_id, insert_listing.organization_id is null, 1,
      case when insert_listing.organization_id is null then clock_timestamp() end,
      case when insert_listing.organization_id is not null then clock_timestamp() end,
      clock_timestamp()
    )
    -- The insert waits for a concurrent transaction that inserts the same slug. If that commits, the loop tries the next form of
    -- the slug.
    on conflict on constraint hub_assets_slug_key do nothing
    returning id into made;
    exit when made is not null;
  end loop;
  return made;
end;
$function$;

CREATE OR REPLACE FUNCTION private.invite_member (
  organization_id uuid,
  role            text,
  email           text,
  days            integer,
  max_uses        integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  held constant text := private.begin_organization_write(invite_member.organization_id);
  address constant text := private.clean(invite_member.email);
  -- Two random uuids carry 244 bits of the server's strong randomness, so nobody can guess a token.
  token constant text := 'kh_invite_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  id constant uuid := gen_random_uuid();
  expires constant timestamptz := clock_timestamp() + coalesce(invite_member.days, 7) * interval '1 day';
  faults jsonb := '[]';
begin
  perform private.refuse_role(held, '{owner,admin}');
  if coalesce(invite_member.role, 'member') not in ('admin', 'member') then
    faults := faults || private.fault('role', 'invalid_value', 'must be "admin" or "member"');
  end if;
  if char_length(address) > 320 or address !~ '^[^\s@]+@[^\s@]+$' then
    faults := faults || private.fault('email', 'invalid_format', 'must be an e-mail address');
  end if;
  if coalesce(invite_member.days, 7) not between 1 and 90 then
    faults := faults || private.fault('days', 'invalid_value', 'must be from 1 to 90');
  end if;
  if coalesce(invite_member.max_uses, 1) not between 1 and (case when address is null then 1000 else 1 end) then
    faults := faults || private.fault('max_uses', 'invalid_value', 'must be from 1 to 1000, and 1 for one address');
  end if;
  perform private.refuse_faults(faults);
  -- Only an owner may decide who becomes an admin.
  if invite_member.role = 'admin' then
    perform private.refuse_role(held, '{owner}');
  end if;
  perform private.refuse_more('invitations', (
    select count(*)
    from private.organization_invitations i
    where i.organization_id = invite_member.organization_id
      and i.revoked_at is null and i.used < i.max_uses and i.expires_at > clock_timestamp()
  ), 100);
  insert into private.organization_invitations (id, organization_id, email_hash, role, token_sha256, invited_by, expires_at, max_uses)
  values (
    id, invite_member.organization_id, case when address is not null then private.email_hash(id, address) end,
    coalesce(invite_member.role, 'member'), encode(sha256(convert_to(token, 'UTF8')), 'hex'), (select auth.uid()), expires,
    coalesce(invite_member.max_uses, 1)
  );
  return jsonb_build_object('id', id, 'token', token, 'expires_at', expires);
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
  -- Users cannot change the created_at of their account or profile. A profile is never older than its account, so the time of the
  -- profile cannot make the account look older.
  select coalesce(
    coalesce(
      (select u.created_at from auth.users u where u.id = is_old_enough.user_id),
      (select p.created_at from public.hub_profiles p where p.user_id = is_old_enough.user_id)
    ) <= clock_timestamp() - (select s.min_reporter_age from public.hub_settings s),
    true
  );
$function$;

CREATE OR REPLACE FUNCTION private.is_operator()
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- SECURITY DEFINER does not change the setting "role", so the setting still names the role of the request. API requests run as
  -- anon, authenticated or service_role, and none of these is a member of the role that owns the schema private.
  select pg_catalog.pg_has_role(
    coalesce(nullif(current_setting('role', true), 'none'), session_user)::name,
    n.nspowner,
    'member'
  )
  from pg_catalog.pg_namespace n
  where n.nspname = 'private';
$function$;

CREATE OR REPLACE FUNCTION private.is_reserved_name (
  key text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- Also compares the reserved words spelled with rn instead of m. Treating rn like m in all names would refuse too many names.
  select exists (
    select
    from unnest('{anonymous,api,deleted,help,hub,mod,"null",operator,owner,root,security,system,undefined}'::text[]) word
    cross join lateral (values (word), (replace(word, 'm', 'rn'))) s (spelling)
    where private.username_key(spelling) = is_reserved_name.key
  ) or exists (
    select
    from unnest('{keyhub,admin,official,support,moderator,staff}'::text[]) beginning
    cross join lateral (values (beginning), (replace(beginning, 'm', 'rn'))) s (spelling)
    where starts_with(is_reserved_name.key, private.username_key(spelling))
  );
$function$;

CREATE OR REPLACE FUNCTION private.is_undelivered (
  order_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select exists (
    select from private.orders o
    left join public.hub_purchases p on p.order_id = o.id
    where o.id = is_undelivered.order_id
      and o.state = 'paid'
      -- A purchase is deleted with the account of its buyer, so a delivered order without its purchase does not count as
      -- undelivered, and no money is due back.
      and (o.delivered_at is null or p.revoked_reason = 'disputed')
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
  -- Users cannot change the created_at of their account or profile. A profile is never older than its account, so the time of the
  -- profile cannot make the account look older.
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
  -- The row exists already when a key with the same id was deleted before and then added again.
  on conflict (id) do update
  set (user_id, key_name, key_hint, fingerprint, provider, deleted_at) =
    row(excluded.user_id, excluded.key_name, excluded.key_hint, excluded.fingerprint, excluded.provider, now());
  if not found then
    -- The account is being deleted as well.
    delete from public.api_key_usage_log l where l.user_api_key_id = old.id;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.keep_owner()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  changed uuid;
begin
  for changed in
    select distinct c.organization_id from changed_members c order by c.organization_id
  loop
    -- Skips an organization that was deleted together with its members.
    continue when not private.lock_organization(changed);
    if not exists (select from public.organization_members m where m.organization_id = changed) then
      -- An organization without members is closed.
      delete from public.organizations o where o.id = changed;
    elsif not exists (select from public.organization_members m where m.organization_id = changed and m.role = 'owner') then
      update public.organization_members m
      set role = 'owner'
      where m.organization_id = changed and m.user_id = (
        select h.user_id
        from public.organization_members h
        where h.organization_id = changed
        order by h.role = 'admin' desc, h.created_at, h.user_id
        limit 1
      );
    end if;
  end loop;
  return null;
end;
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
    -- When the owner is banned from signing in, or deleted, neither the owner nor an agent of the owner is accepted.
    and (u.banned_until is null or u.banned_until <= at)
    and u.deleted_at is null;
  if pool_user_id is null then
    raise exception using errcode = 'PT401', message = 'invalid_credential';
  end if;
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
    -- Skips locked keys: this transaction already holds the lock of a key, so it must not wait for the lock of another.
    for no key update skip locked
  ),
  -- Chooses the keys that the same number of single calls would lease one after another: each call leases the least used key, whose
  -- usage_count then rises by one.
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
    -- A search for ready keys starts at the low-water mark, because below it the index is full of dead entries that leases left
    -- behind.
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
  -- With the setting keyhub.levelling, the trigger user_api_keys_before_write accepts the update. Without it, the trigger would
  -- undo the changes of limited_models, limited_until and skipped_count.
  select set_config('keyhub.levelling', 'on', true);
  update public.user_api_keys k
  -- A usage_count rises by at most 1000000 here, because refuse_huge_usage_count may refuse a larger rise.
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
  -- report_same_answer holds no lock when it calls this function, and it does not lock the key of its own report. So two calls that
  -- lift each other's blocks do not deadlock.
  key_ids := private.lock_for_report(
    told.user_id, told.user_api_key_id, case told.effect when 'cooled' then 'account' else 'key' end, told.model
  );
  at := clock_timestamp();
  if told.effect = 'disabled' then
    -- Enabling a key resets its health row. After that, the key cools down for a minute.
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
    -- Lifts only a block that began with the report told and that no later report has changed.
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
  -- Deletes calls that are older than an hour, because the limit is for one hour.
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

CREATE OR REPLACE FUNCTION private.lock_before_user_deletion()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- The user's row in auth.users is already locked, so no new row can refer to it. Locks the user's own ban and the bans that the
  -- user imposed. They come before all other rows, because lifting a ban locks the ban and then the assets.
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
  -- Locks assets in the order of their ids, so that two writers who lock several assets do not deadlock.
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

CREATE OR REPLACE FUNCTION private.lock_caller()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Skips operators and edge functions, which have no auth.uid(), and callers without an account, whom row level security refuses.
  if (select auth.uid()) is not null and private.is_member() then
    -- A banned user may still edit the workspace.
    perform private.begin_write((select auth.uid()), allow_banned => true);
  end if;
  return null;
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
      -- then the keys of the account in the order of their ids. (Starting with its own key would cause a livelock.) The call gives
      -- up after .6 s, so that an operator who edits many keys in another order never meets the deadlock detector.
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
        -- Skips keys that an edit disabled or moved out of the account meanwhile: the edit is treated as earlier than this report.
        where k.id = next_id and (k.id = own.id or k.is_active and k.user_id = own.user_id and k.account = own.account)
        for no key update;
        if found then
          key_ids := key_ids || next_id;
        end if;
        give_up_at := coalesce(give_up_at, clock_timestamp() + interval '300 ms');
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
$function$;

CREATE OR REPLACE FUNCTION private.lock_order (
  order_id uuid
)
  RETURNS private.orders
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  ordered private.orders;
begin
  select o.* into ordered from private.orders o where o.id = lock_order.order_id;
  -- Locks the buyer first, as every write of the buyer does. A buyer whose account is deleted makes no writes and needs no lock.
  if exists (select from auth.users u where u.id = ordered.buyer_id) then
    perform private.begin_write(ordered.buyer_id, allow_banned => true);
  end if;
  select o.* into ordered from private.orders o where o.id = lock_order.order_id for no key update;
  return ordered;
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

CREATE OR REPLACE FUNCTION private.lower_low_water_mark()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- Locks the tier's row even when the mark is already low enough. refresh_tier cannot see this key before the commit, so until
  -- then it must not raise the mark above the key.
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
    -- The lease was issued before an operator edited the key.
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
        -- The last failure is longer ago than reset_after_seconds, so earlier failures no longer lengthen the new block.
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
    -- A block of the same cause keeps its end. A block of another cause may be lengthened, but is never shortened.
    if not (was_blocked and state.reason is not distinct from report.cause) then
      after.blocked_until := greatest(state.blocked_until, at + make_interval(secs => coalesce(hint, report.base_seconds)));
    end if;
    after.effect := case when after.blocked_until is distinct from state.blocked_until then 'cooled' else 'ignored' end;

  elsif report.rule = 'tolerate' then
    after.effect := 'ignored';
    -- A server error during a block is not added to recent_server_errors.
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
    -- A lengthened block keeps the time when it began (reason_since). The newest report that changed the block becomes its reason.
    after.last_failure_at := at;
    after.reason := report.cause;
    after.reason_code := report.error_code;
    if after.effect = 'disabled' or not was_blocked then
      after.reason_since := at;
    end if;
    -- The hint is recorded as used or capped only when the block ends at the time of the hint.
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
  -- The model is stored only if some key is limited for it, because agents may send any text as the model.
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
    -- There is a conflict when a lease is just ending the open starvation: it has locked the row, so the query above skipped it.
    on conflict do nothing
    returning * into last;
  elsif last.ended_at is not null then
    -- Reopens a starvation that had no alert and whose last refusal is at most a minute old. Otherwise a pool at its limit, where
    -- refused and granted leases alternate, would get a new row every second.
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
    -- A key that is sealed to a pair outside live_kids is counted as disabled, because no function can open it.
    select
      k.id,
      k.ready_at,
      -- The second argument is null when no model was requested or the key is not limited for it; greatest() ignores null.
      greatest(
        k.ready_at,
        case when pool_availability.model is not null then k.limited_until[array_position(k.limited_models, pool_availability.model)] end
      ) as free_at,
      k.is_active and k.unusable_reason is null and k.sealed_kid = any (pool_availability.live_kids) as is_usable
    from public.user_api_keys k
    where k.user_id = pool_availability.user_id
      and (pool_availability.provider is null or k.provider is null or k.provider = pool_availability.provider)
    -- offset 0 keeps the planner from merging this subquery into the outer query, which would compute free_at again in each filter.
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
      -- A preview runs the real publication and rolls it back, so that a preview cannot differ from the publication.
      return answer;
  end;
  perform private.store_response(
    publish_asset.user_id, 'hub-publish', publish_asset.idempotency_key, publish_asset.request_sha256,
    -- Leaves out the content, because a listing can be removed later, and its content must not stay in a stored answer.
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
  hourly_limit  integer DEFAULT NULL::integer,
  label         text    DEFAULT NULL::text,
  changelog     text    DEFAULT NULL::text,
  organization  text    DEFAULT NULL::text,
  price_cents   integer DEFAULT NULL::integer,
  currency      text    DEFAULT NULL::text,
  teaser        text    DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
<<publish>>
declare
  asset public.hub_assets;
  offer constant private.offer := private.check_offer(
    publish_snapshot.user_id, publish_snapshot.license, publish_snapshot.price_cents, publish_snapshot.currency, publish_snapshot.teaser
  );
  parent public.hub_assets;
  readers uuid;
  kept_attribution jsonb;
  first boolean;
  needs_slug boolean;
  next_version integer;
  notes record;
  same record;
begin
  -- This call is serialized with a ban: either the ban waits for this lock and finds the new asset, or this call finds the ban.
  perform private.begin_write(publish_snapshot.user_id);
  if private.clean(publish_snapshot.description) is null then
    perform private.refuse_faults(private.fault('description', 'required', 'is required'));
  end if;
  if publish_snapshot.organization is not null and publish_snapshot.license = 'paid' then
    perform private.refuse_faults(private.fault('organization', 'not_allowed', 'is for free listings only'));
  end if;
  select * into notes from private.check_version_notes(publish_snapshot.label, publish_snapshot.changelog);
  if publish_snapshot.organization is not null then
    readers := private.organization_by_slug(publish_snapshot.user_id, publish_snapshot.organization);
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
  -- Sharing must not silently take a listing away from the public or from its buyers.
  if readers is not null and (
    asset.is_public or exists (select from public.hub_purchases p where p.asset_id = asset.id and p.revoked_at is null)
  ) then
    raise exception using errcode = 'PT409', message = 'already_public';
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
    and asset.organization_id is not distinct from readers
  then
    update public.hub_assets a
    set is_public = readers is null, shared_at = case when readers is not null then coalesce(a.shared_at, clock_timestamp()) end,
      price_cents = offer.price_cents, currency = offer.currency, teaser = offer.teaser
    where a.id = asset.id
      and (a.is_public or a.shared_at is not null, a.price_cents, a.currency, a.teaser)
        is distinct from (true, offer.price_cents, offer.currency, offer.teaser);
    -- When the same content comes with a new label or changelog, writes these to the existing version.
    if coalesce(notes.label, notes.changelog) is not null then
      perform private.write_version_notes(
        asset.id, asset.current_version, notes.label, notes.changelog, keeps_missing => true
      );
    end if;
    return jsonb_build_object(
      'asset_id', asset.id, 'slug', asset.slug, 'version', asset.current_version, 'created', false, 'first', false
    );
  end if;
  perform private.limit_publications(publish_snapshot.user_id, publish_snapshot.hourly_limit);
  perform private.refuse_hidden_items(publish_snapshot.user_id, publish_snapshot.items);
  perform private.refuse_other_readers(publish_snapshot.user_id, readers, asset.attribution, publish_snapshot.items);
  select * into same
  from private.same_content(publish_snapshot.user_id, asset, publish_snapshot.asset_type, publish_snapshot.payload);
  if same.id is not null then
    perform private.refuse_same_content(publish_snapshot.user_id, same.id, same.slug, same.license);
  end if;
  if not publish_snapshot.confirmed then
    raise exception using errcode = 'PT409', message = 'scan_confirmation_required';
  end if;

  first := asset.id is null or (asset.published_at is null and asset.current_version = 0);
  -- The first publication for everybody makes a new slug: the slug from the shelf may disclose the title that the listing had
  -- there.
  needs_slug := first or (readers is null and asset.published_at is null);
  if asset.id is null then
    asset.id := private.insert_listing(
      publish_snapshot.user_id, publish_snapshot.asset_type, publish_snapshot.ref_id, publish_snapshot.slug,
      publish_snapshot.title, publish_snapshot.description, publish_snapshot.tags, publish_snapshot.thumbnail_url,
      publish_snapshot.license, readers, offer
    );
    next_version := 1;
  else
    -- The next version is not current_version + 1: an operator may have set current_version back, and the newer versions keep
    -- their numbers.
    select greatest(asset.current_version, max(v.version)) + 1 into next_version
    from public.hub_asset_versions v
    where v.asset_id = asset.id;
    kept_attribution := case
      when readers is null then private.public_attribution(asset.attribution, publish_snapshot.user_id)
      else asset.attribution
    end;
    -- An imported copy that is published becomes a remix of the imported listing.
    if first then
      -- Only a listing that the hub recorded at the import becomes the parent, not an original that an imported file claims to
      -- have.
      if kept_attribution ? 'parent' and (asset.parent_asset_id is null or kept_attribution is distinct from asset.attribution) then
        -- The parent is locked, so that it is not erased before the reference to it is written.
        select p.* into parent from public.hub_assets p where p.id = (kept_attribution #>> '{parent,id}')::uuid for key share;
        update public.hub_assets a
        set parent_asset_id = parent.id,
          remix_depth = greatest(
            a.remix_depth,
            coalesce(parent.remix_depth, (kept_attribution #>> '{parent,remix_depth}')::integer, 0) + 1
          )
        where a.id = asset.id;
      end if;
    end if;
    if needs_slug then
      for attempt in 1..30 loop
        begin
          update public.hub_assets a
          set slug = private.nth_slug(publish_snapshot.slug, private.first_attempt(readers) + attempt)
          where a.id = asset.id;
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
      attribution = kept_attribution,
      source_asset_id = case
        when kept_attribution is not distinct from asset.attribution or a.source_asset_id::text = kept_attribution #>> '{root,id}'
        then a.source_asset_id
      end,
      parent_asset_id = case
        when kept_attribution is not distinct from asset.attribution or a.parent_asset_id::text = kept_attribution #>> '{parent,id}'
        then a.parent_asset_id
      end,
      price_cents = offer.price_cents,
      currency = offer.currency,
      teaser = offer.teaser,
      payment_product_id = coalesce(a.payment_product_id, private.product_id(offer, a.id)),
      current_version = next_version,
      organization_id = readers,
      is_public = readers is null,
      shared_at = case when readers is not null then coalesce(a.shared_at, clock_timestamp()) end,
      content_updated_at = clock_timestamp(),
      -- Restores a listing that its creator had deleted, with its slug, reports and hidden state.
      deleted_at = null
    where a.id = asset.id;
  end if;

  insert into public.hub_asset_versions (asset_id, version, payload, sha256, license, scan, is_open, organization_id)
  values (
    asset.id, next_version, publish_snapshot.payload, publish_snapshot.sha256, publish_snapshot.license, publish_snapshot.scan, true, readers
  );
  perform private.write_version_notes(asset.id, next_version, notes.label, notes.changelog);
  insert into public.hub_bundle_items (asset_id, version, position, asset_type, ref_id, title, payload, sha256, license, attribution)
  select asset.id, next_version, i.position, i.item ->> 'asset_type', (i.item ->> 'ref_id')::uuid, i.item ->> 'title',
    i.item -> 'payload', i.item ->> 'sha256', i.item ->> 'license',
    case
      when readers is null then private.public_attribution(nullif(i.item -> 'attribution', 'null'), publish_snapshot.user_id)
      else nullif(i.item -> 'attribution', 'null')
    end
  from jsonb_array_elements(publish_snapshot.items) with ordinality as i (item, position);
  insert into public.hub_receipts (asset_id, version, redactions)
  values (asset.id, next_version, publish_snapshot.redactions);

  if same.id is not null then
    insert into public.hub_events (actor_id, action, asset_id, user_id, details)
    values (
      (select auth.uid()), 'same_content', asset.id, publish_snapshot.user_id, jsonb_build_object('same_as', same.id, 'version', next_version)
    );
  end if;
  select a.slug into asset.slug from public.hub_assets a where a.id = asset.id;
  return jsonb_build_object(
    'asset_id', asset.id, 'slug', asset.slug, 'version', next_version, 'created', true, 'first', needs_slug, 'same_as', same.slug
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
  -- Every transaction that makes a key ready, or ends a block early, holds this lock until its commit, so the queries below see all
  -- such changes.
  select t.* into tier
  from private.api_key_tiers t
  where t.user_id = raise_model_mark.user_id and t.priority = raise_model_mark.priority
  -- Skips a tier that another call is refreshing.
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
  -- When no ready key is free for the model, sets the mark behind every key.
  front_count := coalesce(front_count, 5000000000000000000);
  front_id := coalesce(front_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  -- The mark is valid until a key before the mark becomes free for the model: until the earliest end of these blocks.
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
      -- Drops expired marks of all models. When 200 or more marks have not expired, drops these as well, to keep the column small.
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
      -- Leaves out a key that was given to another user.
      and k.user_id = recently_disabled_keys.user_id
      -- Leaves out a key that has been enabled again.
      and not k.is_active
      -- Leaves out a key that an operator disabled.
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

CREATE OR REPLACE FUNCTION private.refresh_old_trending()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Leaves a fresh snapshot as it is. Of concurrent writers, one replaces an old snapshot, and the others do not wait for it.
  perform from private.hub_snapshots s
  where s.name = 'trending' and s.made_at < clock_timestamp() - interval '15 minutes'
  for update skip locked;
  if found then
    update private.hub_snapshots s
    -- When there are few acts, the value is null, and each call counts the acts.
    set value = case when private.has_many_acts() then private.count_trending(2000) end, made_at = clock_timestamp()
    where s.name = 'trending';
  end if;
  return null;
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
  -- Reads the clock before any row, so a cooldown that the queries below do not see was committed after this time.
  at constant timestamptz := clock_timestamp();
  over_id uuid;
  expired integer := 0;
begin
  -- Checks without a lock first, because usually no cooldown has expired. If this call took the lock at once, a transaction that
  -- makes a key ready would have to wait for it.
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
  -- the keys in the order of their usage_count. When the tier had no ready key, the usage_count of each further key rises to the
  -- least usage_count of the keys that this loop made ready before.
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
      -- This batch was full, so more cooldowns may have expired. The next batch starts when eight times the duration of this one
      -- has passed, so that clearing takes an eighth of the time. In the rest, callers lease the ready keys.
      when expired = batch then at + 8 * (clock_timestamp() - at)
      -- A check every half second is enough, because leases check a tier without a ready key at once, and a key that becomes ready
      -- somewhat later keeps its place in the order of selection.
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

CREATE OR REPLACE FUNCTION private.refuse_banned()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Does not check a ban in a cascade, because a banned user may still delete rows of their workspace.
  if pg_trigger_depth() = 1 and (select auth.uid()) is not null and private.is_banned((select auth.uid())) then
    raise exception using errcode = 'PT403', message = 'banned';
  end if;
  return null;
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
  -- Accepts small rises of a count that is already huge: a batch of leases adds fewer than 1000000, and levelling adds at most
  -- 1000000.
  if tg_op = 'INSERT' or new.usage_count > old.usage_count + 1000000 then
    raise exception using
      errcode = 'PT422',
      message = 'validation_failed',
      detail = format('{"errors": [{"path": "usage_count", "code": "too_big", "message": "must be at most %s"}]}', largest);
  end if;
  return new;
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
  -- Locks the key row before the log row, as all code does. Of two calls that release the same lease, only the one that deletes the
  -- log row changes the key; the other finds no row.
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
  -- A ciphertext that was replaced after the lease is not marked as unusable, because nobody has tried to open it.
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

CREATE OR REPLACE FUNCTION private.remove_invisible (
  value text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- Replaces twice, because a joiner may be out of place only after the first pass has removed the character beside it.
  select regexp_replace(regexp_replace(remove_invisible.value, private.invisible_pattern(), '', 'g'), private.invisible_pattern(), '', 'g');
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
    -- An answer of the provider that says that the key is dead concerns the key, not the request.
    and not coalesce(l.dead, false)
    and not coalesce(report.dead, false);
  if not found then
    return null;
  end if;
  lifted := told.effect in ('cooled', 'disabled') and private.lift_report(told);
  at := clock_timestamp();
  -- The log row decides which of two reports on the lease was first.
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

CREATE OR REPLACE FUNCTION private.resolve_appeal (
  id     uuid,
  accept boolean,
  answer text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  found_appeal public.hub_appeals;
begin
  perform private.require_admin();
  if resolve_appeal.accept is null then
    perform private.refuse_faults(private.fault('accept', 'required', 'is required'));
  end if;
  if char_length(private.clean(resolve_appeal.answer)) > 2000 then
    perform private.refuse_faults(private.fault('answer', 'too_big', 'must be at most 2000 characters'));
  end if;
  perform from auth.users u where u.id = (select auth.uid()) for key share;
  select p.* into found_appeal from public.hub_appeals p where p.id = resolve_appeal.id;
  if not found then
    raise exception using errcode = 'PT404', message = 'appeal_not_found';
  end if;
  -- Lock order: every change of an appeal holds the lock of its listing, or of the profile of the banned user.
  if found_appeal.asset_id is null then
    perform from auth.users u where u.id = found_appeal.user_id for key share;
    perform from private.hub_bans b where b.user_id = found_appeal.user_id for update;
    perform from public.hub_profiles p where p.user_id = found_appeal.user_id for no key update;
  else
    perform from public.hub_assets a where a.id = found_appeal.asset_id for no key update;
  end if;
  update public.hub_appeals p
  set state = case when resolve_appeal.accept then 'accepted' else 'rejected' end, answer = private.clean(resolve_appeal.answer)
  where p.id = resolve_appeal.id;
  -- The appeal was deleted with the account of its user while this call waited.
  if not found then
    raise exception using errcode = 'PT404', message = 'appeal_not_found';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.review_queue()
  RETURNS TABLE (
    asset_id         uuid,
    asset_type       text,
    slug             text,
    title            text,
    creator_id       uuid,
    creator_username text,
    creator_banned   boolean,
    is_public        boolean,
    is_hidden        boolean,
    hidden_reason    text,
    hidden_at        timestamp with time zone,
    deleted_at       timestamp with time zone,
    current_version  integer,
    reviewed_version integer,
    open_reports     integer,
    counting_reports integer,
    reports          jsonb
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.require_admin();
  return query
  select
    a.id, a.asset_type, a.slug, a.title, a.creator_id, p.username, private.is_banned(a.creator_id),
    a.is_public, a.is_hidden, a.hidden_reason, a.hidden_at, a.deleted_at,
    a.current_version, m.reviewed_version, m.open_reports, m.counting_reports,
    coalesce(r.reports, '[]')
  from public.hub_assets a
  join private.hub_moderation m on m.asset_id = a.id
  left join public.hub_profiles p on p.user_id = a.creator_id
  left join lateral (
    select jsonb_agg(jsonb_build_object(
      'id', o.id,
      'reason', o.reason,
      'details', o.details,
      'work_url', o.work_url,
      'work_holder', o.work_holder,
      'version', o.version,
      'counts', o.counts,
      'created_at', o.created_at,
      'reporter_id', o.reporter_id
    ) order by o.created_at, o.id) as reports
    from public.hub_reports o
    where o.asset_id = a.id and not o.resolved
  ) r on true
  where (m.open_reports > 0 or (a.is_hidden and a.deleted_at is null))
    -- Leaves out the listings about which the admins of an organization decide: those of an organization, unless the hub's own
    -- moderation has hidden them.
    and (a.organization_id is null or a.hidden_reason not in ('organization', 'organization_reports'))
  -- Sorts hidden assets first, then the assets that are nearest to the threshold.
  order by a.is_hidden desc, m.counting_reports desc, m.open_reports desc, a.hidden_at, a.id
  limit 500;
end;
$function$;

CREATE OR REPLACE FUNCTION private.rows_of_copy (
  user_id   uuid,
  into_copy uuid
)
  RETURNS TABLE (
    import_id   uuid,
    asset_id    uuid,
    item_type   text,
    item_ref_id uuid,
    source_id   uuid,
    registry_id uuid
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select i.id, i.asset_id, c.value ->> 'asset_type', b.ref_id, a.ref_id, a.id
  from (
    select *
    from public.hub_imports i
    where i.user_id = rows_of_copy.user_id
      and i.created @> jsonb_build_array(jsonb_build_object('hub_asset_id', rows_of_copy.into_copy))
    order by i.created_at desc, i.id
    limit 1
  ) i
  cross join lateral jsonb_array_elements(i.created) with ordinality c (value, place)
  join public.hub_assets a on a.id = (c.value ->> 'hub_asset_id')::uuid and a.creator_id = i.user_id and a.deleted_at is null
  left join public.hub_bundle_items b on b.asset_id = i.asset_id and b.version = i.version and b.position = c.place - 1
  where private.source_row(a.asset_type, a.ref_id) is not null
    -- When a kit was deleted and published again, the items of its old version are unknown, so the rows made from them are left
    -- out.
    and (c.place = 1 or b.ref_id is not null);
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
    -- Leaves out AI presets, prompts of fewer than 200 characters and orchestrations whose JSON has fewer than 1,000 characters,
    -- which can be equal by chance: every new orchestration starts with the same pipeline.
    and same_content.asset_type <> 'ai_preset'
    and (same_content.asset_type <> 'orchestration' or char_length(same_content.payload::text) >= 1000)
    and (same_content.asset_type <> 'template' or char_length(same_content.payload ->> 'content') >= 200)
    and a.is_visible
    -- Leaves out a version on a shelf, because nobody outside its organization may notice it.
    and v.organization_id is null
    and (a.current_version = v.version or (v.is_open and v.yanked_at is null))
    and a.creator_id is distinct from same_content.user_id
    and private.root_of(a) is distinct from private.root_of(same_content.asset)
    -- Leaves out a listing of a creator whom the lineage names: when a creator has published the content twice, a copy names only
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
  -- A list is an index that has the listings in the wanted order. Each tag has its own list for every order, a creator has one only
  -- for the newest listings first.
  list constant text := case
    when of_tag then format('private.hub_listing_tags l where l.tag = %L', (
      -- When several tags are given, takes the tag with the shortest list: the rarer a tag, the older its hundredth newest listing.
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
    -- When fewer than ten listings have all words, also takes listings that have some of the words.
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
        -- The parts of the score, from the greatest weight to the least: the exact title; how many of the words; words in the title
        -- before words in tags before words in the description; the words in their sequence; short titles; popular listings.
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
    -- The last word may be unfinished, unless a blank follows it.
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
  -- The creator with this username, and the four oldest profiles with this display name: only the oldest, because anybody may take
  -- a display name.
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

CREATE OR REPLACE FUNCTION private.search_request (
  q               text,
  types           text[],
  tags            text[],
  model           text,
  cardinality     text,
  license         text,
  creator         text,
  sort            text,
  cursor          text,
  page_size       integer,
  organization_id uuid    DEFAULT NULL::uuid
)
  RETURNS private.search_request
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  request private.search_request;
  model text[];
  faults jsonb;
begin
  request.license := search_request.license;
  request.creator := lower(search_request.creator);
  request.page_size := coalesce(search_request.page_size, 24);
  request.types := nullif(search_request.types, '{}');
  if octet_length(search_request.q) <= 2000 and search_request.q ~ '[^\s\u3000]' then
    -- Keeps one blank after the last word, because it shows that the word is finished.
    request.q := regexp_replace(ltrim(search_request.q, E' \t\n\r\u3000'), '[\s\u3000]+$', ' ');
  end if;
  request.sort := coalesce(search_request.sort, case when request.q is null then 'newest' else 'relevance' end);
  if octet_length(search_request.model) <= 300 then
    model := private.normalize_tags(array[search_request.model]);
  end if;
  if pg_catalog.cardinality(search_request.tags) <= 20 and octet_length(array_to_string(search_request.tags, '')) <= 6000 then
    request.tags := private.normalize_tags(search_request.tags);
  end if;
  select jsonb_agg(f.fault -> 0) into faults from (values
    (octet_length(search_request.q) > 2000 or char_length(request.q) > 500, private.fault('q', 'too_big', 'must be at most 500 characters')),
    (not request.types <@ private.asset_types() or pg_catalog.cardinality(request.types) > pg_catalog.cardinality(private.asset_types()), private.fault('types', 'invalid_value', 'must be some of ' || array_to_string(private.asset_types(), ', '))),
    (search_request.tags is not null and request.tags is null or not private.tags_are_valid(request.tags), private.fault('tags', 'invalid_format', 'must be at most 20 tags of 1 to 64 letters, digits and + . _ : / -')),
    (search_request.model is not null and (model is null or not private.tags_are_valid(model) or pg_catalog.cardinality(model) <> 1), private.fault('model', 'invalid_format', 'must be the tag of a model')),
    (lower(ltrim(search_request.cardinality, '#')) not in ('1to1', '1ton', 'batch'), private.fault('cardinality', 'invalid_value', 'must be one of 1to1, 1ton, batch')),
    (request.license not in ('cc0', 'cc-by', 'platform-free', 'paid'), private.fault('license', 'invalid_value', 'must be one of cc0, cc-by, platform-free, paid')),
    (char_length(request.creator) > 100, private.fault('creator', 'invalid_format', 'must be the username of a creator')),
    (request.sort not in ('newest', 'most_installed', 'most_starred', 'recently_updated', 'relevance'), private.fault('sort', 'invalid_value', 'must be one of newest, most_installed, most_starred, recently_updated, relevance')),
    (request.sort = 'relevance' and request.q is null, private.fault('sort', 'invalid_value', 'relevance needs q')),
    (request.page_size not between 1 and 100, private.fault('page_size', 'invalid_value', 'must be from 1 to 100'))
  ) f (is_wrong, fault) where f.is_wrong;
  perform private.refuse_faults(coalesce(faults, '[]'));
  request.tags := nullif(private.normalize_tags(array_remove(request.tags || model || lower(ltrim(search_request.cardinality, '#')), null)), '{}');
  -- A cursor is valid only for the query that returned it, so the list is named after the query.
  request.list := to_jsonb('search ' || md5(jsonb_build_array(request.q, request.types, request.tags, request.license, request.creator, request.sort)::text)
    || coalesce(' on the shelf of ' || search_request.organization_id, ''));
  if search_request.cursor is not null then
    request.place := private.from_cursor(left(search_request.cursor, 2001), request.list);
    -- Accepts only places of the form that a cursor holds: anybody can write a text that decodes to another place.
    if not coalesce(
      pg_input_is_valid(request.place ->> 'id', 'uuid') and case
        when request.sort in ('newest', 'recently_updated') then pg_input_is_valid(request.place ->> 'key', 'timestamptz')
        when request.sort <> 'relevance' then pg_input_is_valid(request.place ->> 'key', 'integer')
        when search_request.organization_id is not null then pg_input_is_valid(request.place ->> 'key', 'numeric(12,5)')
        else request.place ->> 'in' in ('ranked', 'rest') and jsonb_typeof(request.place -> 'score') = 'number'
          and pg_input_is_valid(request.place ->> 'score', case request.place ->> 'in' when 'rest' then 'smallint' else 'numeric(12,5)' end)
          and coalesce(
            pg_input_is_valid(request.place -> 'floor' ->> 'popularity', 'smallint') and pg_input_is_valid(request.place -> 'floor' ->> 'id', 'uuid')
              and jsonb_typeof(request.place -> 'floor' -> 'walk') = 'boolean',
            request.place ->> 'in' = 'ranked' and request.place ->> 'floor' is null
          )
      end, false)
    then
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
  end if;
  return request;
end;
$function$;

CREATE OR REPLACE FUNCTION private.set_member_role (
  organization_id uuid,
  user_id         uuid,
  role            text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  held constant text := private.begin_organization_write(set_member_role.organization_id);
begin
  if set_member_role.role is null or set_member_role.role not in ('owner', 'admin', 'member') then
    perform private.refuse_faults(private.fault('role', 'invalid_value', 'must be "owner" or "admin" or "member"'));
  end if;
  perform private.refuse_role(held, '{owner}');
  if not exists (
    select from public.organization_members m
    where m.organization_id = set_member_role.organization_id and m.user_id = set_member_role.user_id
  ) then
    raise exception using errcode = 'PT404', message = 'member_not_found';
  end if;
  if set_member_role.role <> 'owner' then
    perform private.refuse_last_owner(set_member_role.organization_id, set_member_role.user_id);
  end if;
  update public.organization_members m
  set role = set_member_role.role
  where m.organization_id = set_member_role.organization_id and m.user_id = set_member_role.user_id and m.role <> set_member_role.role;
  if found and set_member_role.role = 'member' then
    -- Without this, the user could leave and come back as an admin by an invitation for admins.
    perform private.close_links(set_member_role.organization_id, set_member_role.user_id);
  end if;
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
  -- Of the current row of the original, the result shows only whether the original can be opened and whether it is deleted. The ids
  -- of its author and its organization are left out.
  select shown_origin.origin - 'creator_id' - 'organization_id' || jsonb_build_object(
    'creator', private.creator((shown_origin.origin ->> 'creator_id')::uuid),
    -- Neither a hidden original nor one on another organization's shelf can be opened.
    'available', coalesce(private.is_seen_by(a, (select auth.uid())), false),
    'deleted', a.id is null or a.deleted_at is not null
  )
  from (values (1)) one
  left join public.hub_assets a on a.id = (shown_origin.origin ->> 'id')::uuid
  where shown_origin.origin is not null;
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
  -- Each form is the first seven letters of the word with at most one of them left out, or at most two for a word of eight or more
  -- letters. i and j are the positions that are left out; at the position after the last letter, nothing is left out.
  return array(
    select distinct overlay(overlay(head placing '' from j for 1) placing '' from i for 1)
    from generate_series(1, ends) i
    cross join generate_series(case when char_length(slips.word) >= 8 then 1 else ends end, ends) j
    where i < j or i = ends
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.spelling_candidates (
  word text
)
  RETURNS SETOF text
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  left_over constant text[] := private.slips(spelling_candidates.word);
begin
  -- Corrects neither a word without slips (with digits, too short or too long) nor a word that occurs in listings as it was typed
  -- or as the beginning of a longer word.
  if left_over = '{}' or exists (
    select from private.hub_words k where k.word >= spelling_candidates.word and k.word < spelling_candidates.word || U&'\+10FFFD'
  ) then
    return;
  end if;
  return query
  select c.word
  from (select k.word from private.hub_words k where k.slips && left_over limit 500) c
  where extensions.levenshtein_less_equal(c.word, spelling_candidates.word, 2) <= 2
  group by c.word
  order by extensions.levenshtein_less_equal(c.word, spelling_candidates.word, 2), left(c.word, 1) <> left(spelling_candidates.word, 1), c.word
  limit 4;
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

CREATE OR REPLACE FUNCTION private.trending (
  wanted integer
)
  RETURNS uuid[]
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  -- Writers of stars and imports renew the snapshot, so when the snapshot is hours old, little has happened since.
  ids constant jsonb := coalesce(private.snapshot('trending', '1 day'), private.count_trending(100));
begin
  return array(
    select a.id
    from jsonb_array_elements_text(ids) with ordinality t (id, place)
    join public.hub_assets a on a.id = t.id::uuid
    -- A listing may have been hidden after the snapshot was made.
    where a.is_visible
    order by t.place
    limit trending.wanted
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.unshare_all()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Locks assets in the order of their ids, so that two writers who lock several assets do not deadlock.
  perform from public.hub_assets a where a.organization_id = old.id and a.shared_at is not null order by a.id for no key update;
  update public.hub_assets a set shared_at = null where a.organization_id = old.id and a.shared_at is not null;
  return null;
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
        'current_version', s.current_version,
        'label', v.label,
        'changelog', v.changelog
      ) as source
    from public.hub_assets c
    join public.hub_assets s on s.id = (c.attribution #>> '{parent,id}')::uuid
    join public.hub_asset_versions v on v.asset_id = s.id and v.version = s.current_version
    left join private.hub_copies k on k.asset_id = c.id
    where c.creator_id = (select auth.uid())
      and c.deleted_at is null
      and private.is_seen_by(s, (select auth.uid()))
      and c.pinned_version is null
      and s.current_version > greatest((c.attribution #>> '{parent,version}')::integer, k.dismissed_version)
      -- A buyer whose money was returned keeps the copy but gets no later versions.
      and (v.license <> 'paid' or s.id in (select private.my_paid_content()))
    union all
    select 'yanked', c.id, c.asset_type, c.ref_id, c.title, c.created_at,
      jsonb_build_object(
        'id', s.id,
        'slug', s.slug,
        'title', s.title,
        'version', v.version,
        'current_version', s.current_version,
        'reason', v.yank_reason
      )
    from public.hub_assets c
    join public.hub_assets s on s.id = (c.attribution #>> '{parent,id}')::uuid
    join public.hub_asset_versions v on v.asset_id = s.id and v.version = (c.attribution #>> '{parent,version}')::integer
    where c.creator_id = (select auth.uid())
      and c.deleted_at is null
      and private.is_seen_by(s, (select auth.uid()))
      and v.yanked_at is not null
    union all
    select h.kind, c.id, c.asset_type, c.ref_id, c.title, c.created_at,
      o.origin - 'creator_id' - 'license' - 'remix_depth' - 'organization_id'
    from public.hub_assets c
    cross join lateral (
      select distinct on (e.origin ->> 'id') e.origin
      from (
        values (1, c.attribution -> 'parent'), (2, c.attribution -> 'root')
        union all
        -- The works in `via` are included as well.
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
  -- In an insert every column of old is null, so given_away is true for a new key.
  given_away constant boolean := new.user_id is distinct from old.user_id;
  replaced constant boolean := tg_op = 'INSERT' or new.api_key_encrypted is distinct from old.api_key_encrypted;
  resealed constant boolean := coalesce(current_setting('keyhub.resealing', true), '') = 'on';
  enabled boolean;
  -- True when this update clears a cooldown that has expired, as a lease does.
  expired constant boolean := new.cooling_until is null and old.cooling_until <= clock_timestamp();
  joins boolean;
  comes_back boolean;
  least bigint;
  -- The parts of the written text: sealed text, fingerprint, key hint.
  parts text[];
  same_key text;
begin
  if coalesce(current_setting('keyhub.levelling', true), '') = 'on' then
    return new;
  end if;
  -- Undoes changes of these columns in a direct edit, which has trigger depth 1. The triggers of the health tables write the
  -- columns from a greater depth.
  if pg_trigger_depth() = 1 then
    -- An edit cannot change cooling_until, a copy of the block. It can only clear a cooldown that has expired.
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

  -- A plaintext key must neither be stored by mistake nor be repeated in the error message.
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

  -- True when the key joins a tier: it was added or enabled, its text became usable again, or its priority or owner changed.
  joins := new.is_active and new.unusable_reason is null
    and (enabled or old.unusable_reason is not null or given_away or new.priority <> old.priority);
  -- True when the block of the key ends: a lease found it expired, an operator reset it, or the key was replaced.
  comes_back := not joins and new.is_active and new.unusable_reason is null
    and old.cooling_until is not null and new.cooling_until is null;
  if (joins or comes_back) and new.usage_count = coalesce(old.usage_count, 0) then
    least := private.least_usage_count(new.user_id, new.priority, new.id, true);
    new.usage_count := case
      when comes_back then greatest(new.usage_count, least)
      -- When the tier has no other ready key, takes the least count of its active keys that are not ready.
      else coalesce(least, private.least_usage_count(new.user_id, new.priority, new.id, false), new.usage_count)
    end;
    new.skipped_count := new.skipped_count + new.usage_count - coalesce(old.usage_count, 0);
  end if;
  -- A key that joins with an expired cooldown becomes ready here, because the next expiry check of its new tier may be later.
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
        -- The hash of a paid version is only for users who may read its content: short content, such as an AI preset, could be
        -- guessed from the hash.
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

CREATE OR REPLACE FUNCTION private.workspace_before_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  item jsonb;
  faults jsonb := '[]';
  mirrors constant text[] := '{hub_asset_id,is_public,updated_at}';
begin
  -- Does not apply the patterns of private.clean to a text that is much too long.
  if octet_length(new.name) <= 4096 then
    new.name := private.clean(new.name);
  end if;
  item := to_jsonb(new);
  if new.name is null or char_length(new.name) not between 1 and 120 or private.has_breaks_or_invisible(new.name) then
    faults := faults || private.fault('name', 'invalid_length', 'must be 1 to 120 visible characters');
  end if;
  if tg_table_name = 'prompt_templates' then
    if item ->> 'content' is null or octet_length(item ->> 'content') > 262144 then
      faults := faults || private.fault('content', 'too_big', 'must be a text of at most 256 KiB');
    end if;
    if jsonb_typeof(item -> 'variables') not in ('array', 'object') then
      faults := faults || private.fault('variables', 'invalid_type', 'must be an array or an object');
    elsif octet_length((item -> 'variables')::text) > 262144 then
      faults := faults || private.fault('variables', 'too_big', 'must be at most 256 KiB');
    end if;
  elsif tg_table_name = 'custom_components' then
    if item ->> 'source' is null or octet_length(item ->> 'source') > 524288 then
      faults := faults || private.fault('source', 'too_big', 'must be a text of at most 512 KiB');
    end if;
    if jsonb_typeof(item -> 'props_schema') <> 'object' then
      faults := faults || private.fault('props_schema', 'invalid_type', 'must be an object');
    elsif octet_length((item -> 'props_schema')::text) > 524288 then
      faults := faults || private.fault('props_schema', 'too_big', 'must be at most 512 KiB');
    end if;
  elsif tg_table_name = 'orchestrator_configs' then
    if jsonb_path_exists(item, 'strict $.tags ? (@.type() != "array")')
      or jsonb_path_exists(item, 'strict $.tags[*] ? (@.type() != "string")')
    then
      faults := faults || private.fault('tags', 'invalid_type', 'must be an array of texts');
    elsif jsonb_array_length(item -> 'tags') > 50 or octet_length(item ->> 'tags') > 8192 then
      faults := faults || private.fault('tags', 'too_big', 'must be at most 50 tags');
    end if;
    if jsonb_typeof(item -> 'nodes') <> 'array' then
      faults := faults || private.fault('nodes', 'invalid_type', 'must be an array');
    end if;
    if jsonb_typeof(item -> 'edges') <> 'array' then
      faults := faults || private.fault('edges', 'invalid_type', 'must be an array');
    end if;
    if jsonb_typeof(item -> 'stage_configs') <> 'array' then
      faults := faults || private.fault('stage_configs', 'invalid_type', 'must be an array');
    end if;
    if octet_length(concat(item -> 'nodes', item -> 'edges', item -> 'stage_configs')) > 1048576 then
      faults := faults || private.fault('nodes', 'too_big', 'nodes, edges and stage_configs must be at most 1 MiB together');
    end if;
  elsif tg_table_name = 'ai_model_settings' then
    -- These are the same expressions as in the constraint ai_model_settings_size_check.
    if octet_length((item -> 'pricing')::text) > 16384
      or octet_length(concat(item ->> 'model_id', item ->> 'thinking_level', item ->> 'generate_content_api', item ->> 'organization_code', item ->> 'api_key')) > 16384
    then
      faults := faults || private.fault('', 'too_big', 'must be at most 16 KiB');
    end if;
    if jsonb_typeof(item -> 'extra') not in ('object', 'null') then
      faults := faults || private.fault('extra', 'invalid_type', 'must be an object');
    elsif octet_length((item -> 'extra')::text) > 16384 then
      faults := faults || private.fault('extra', 'too_big', 'must be at most 16 KiB');
    end if;
    -- to_jsonb writes NaN and infinity as strings, so a string here is not a finite number.
    if jsonb_typeof(item -> 'temperature') = 'string' then
      faults := faults || private.fault('temperature', 'invalid_value', 'must be a finite number');
    end if;
    if jsonb_typeof(item -> 'top_p') = 'string' then
      faults := faults || private.fault('top_p', 'invalid_value', 'must be a finite number');
    end if;
  else
    perform private.refuse_asset_type(tg_table_name);
  end if;
  if (new.source_format is null) <> (new.source_text is null) then
    faults := faults || private.fault('source_text', 'unpaired', 'source_format and source_text are given together');
  elsif new.source_format !~ '^[a-z0-9-]{1,40}$' then
    faults := faults || private.fault('source_format', 'invalid_format', 'must be the id of a format');
  end if;
  if octet_length(new.source_text) > 1048576 then
    faults := faults || private.fault('source_text', 'too_big', 'must be at most 1 MiB');
  end if;
  if octet_length(item ->> 'description') > 16384 then
    faults := faults || private.fault('description', 'too_big', 'must be at most 16 KiB');
  end if;
  perform private.refuse_faults(faults);
  if tg_op = 'UPDATE' and (item - mirrors) is distinct from (to_jsonb(old) - mirrors) then
    new.updated_at := clock_timestamp();
  end if;
  return new;
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
  -- Looks for starved pools here as well: perhaps no agent has asked for a key since the starvation began, because agents wait as
  -- long as the refusal told them to.
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
      -- Leaves out an alert that is more than a day old, because it helps nobody.
      and w.created_at > at - interval '1 day'
      and (w.claimed_until is null or w.claimed_until <= at)
    order by w.created_at, w.id
    limit claim_api_key_alerts.most
    for update skip locked
  )
  returning a.id, a.user_id, a.provider, a.kind, a.user_api_key_id, a.key_name, a.detail, a.created_at;
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
  -- word finds this listing; the beginning of the word or a misspelling does not.
  delete from private.hub_words k
  where not exists (select from private.hub_documents d where d.document @@ ('''' || k.word || '''')::tsquery);
  get diagnostics unused_words = row_count;
  return pruned + expired_tokens + expired_calls + expired_overwritten + unused_words + former_names;
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
    -- Checks the types in the decoded place, because cursors are not signed and a client may have written this one.
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
  -- The limit of 12 MiB is twice that of a kit with its orchestration: JSON from the database has extra spaces, and the exact limit
  -- is checked later.
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

CREATE OR REPLACE FUNCTION public.issue_agent_token (
  user_id uuid,
  name    text
)
  RETURNS text
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  -- Two random uuids have 244 random bits together, from the server's cryptographic random source.
  token constant text := 'kh_agent_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
begin
  insert into public.api_key_agents (user_id, name, token_hash)
  values (issue_agent_token.user_id, issue_agent_token.name, encode(sha256(convert_to(token, 'UTF8')), 'hex'));
  return token;
end;
$function$;

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
        -- Prunes a part of the log every minute. Each run reads at most 4096 pages (32 MB), which takes some 50 ms, and deletes at
        -- most 50,000 rows. At this rate a log of ten million rows is read within an hour.
        ('keyhub-prune-usage-log', '* * * * *', 'select public.prune_api_key_usage_log(batch => 50000, pages => 4096)'),
        ('keyhub-prune-hub', '17 * * * *', 'select public.hub_prune()'),
        ('keyhub-refresh-discovery', '*/10 * * * *', 'select public.hub_refresh_discovery()')
      union all
      select
        f.job,
        f.schedule,
        'select net.http_post('
        || 'url := u.decrypted_secret || ''/functions/v1/' || f.name || ''', '
        || 'headers := jsonb_build_object(''Content-Type'', ''application/json'', ''apikey'', k.decrypted_secret), '
        || 'body := ''{}''::jsonb) '
        || 'from vault.decrypted_secrets u, vault.decrypted_secrets k '
        || 'where u.name = ''keyhub_url'' and k.name = ''keyhub_secret_key'''
      from (values ('keyhub-alerts', '* * * * *', 'keyhub-alerts'), ('keyhub-payments', '23 * * * *', 'payment-webhook')) f (job, schedule, name)
      -- These two jobs call edge functions over HTTP. They are made only where pg_net, which sends the request, and Vault, which
      -- stores the address and the secret key, are enabled.
      where exists (
          select from pg_catalog.pg_proc p where p.pronamespace = to_regnamespace('net') and p.proname = 'http_post'
        )
        and to_regclass('vault.decrypted_secrets') is not null
    ) jobs (name, schedule, command)
  loop
    -- cron.schedule replaces a job of the same name, so a second call of keyhub_schedule makes no second job.
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
  -- The search continues with tiers below this priority. Higher tiers, and a tier with this priority, have no key for this call.
  above bigint := 2147483648;
  tier_priority integer;
  is_due boolean;
  -- The (usage_count, id) where a search of the tier begins: the mark of the tier for the model while that mark is valid, otherwise
  -- the low-water mark of the tier.
  model_mark jsonb;
  mark_count bigint;
  mark_id uuid;
  -- The priority of the tier that this call has refreshed last.
  refreshed integer;
  -- The (usage_count, id) where the current search starts: the mark, a random place, or the key that this call has waited for.
  start_count bigint;
  start_id uuid;
  -- Priority, usage_count and id of the key that this call has waited for and has locked.
  held_priority integer;
  held_count bigint;
  held_id uuid;
  chosen_id uuid;
  chosen_generation integer;
  is_ready boolean;
  -- True when the block of the chosen key for the model is over, but the usage_count of the key is not levelled yet.
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
      -- No tier has a key for this call: one query over the whole pool gives the answer.
      answer := private.pool_availability(
        lease_api_key.user_id, lease_api_key.provider, lease_api_key.live_kids, lease_api_key.exclude, lease_api_key.model
      );
      if answer is not null and lease_api_key.exclude <> '{}' then
        -- No key outside exclude can be leased: searches again with all keys, because an excluded key is better than none.
        lease_api_key.exclude := '{}';
        above := 2147483648;
        continue;
      elsif answer is null and lease_api_key.attempt > 0 then
        -- This is a retry, and the pool still has a ready key that no tier leads to. So the row of the key was inserted without
        -- firing triggers, and the tiers must be rebuilt.
        perform private.rebuild_tiers(lease_api_key.user_id);
      end if;
      if answer is not null then
        perform private.note_starvation(lease_api_key.user_id, lease_api_key.provider, lease_api_key.model, answer);
      end if;
      return coalesce(answer, retry);
    end if;

    -- Clears expired cooldowns before the search. Odd attempts skip this step, so that they may wait for a key: the step locks the
    -- tier, and a call that holds a lock must not wait for a key.
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
    -- Takes the first unlocked key of the tier in the order usage_count, id. The first call for a pool starts at the mark. Calls
    -- that arrive before the transaction of the first call ends start at a random place; otherwise each would step over the keys
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
      -- Leaves out keys that no function can open: those sealed to a pair outside live_kids.
      and k.sealed_kid = any (lease_api_key.live_kids)
      and k.id <> all (lease_api_key.exclude)
      and (lease_api_key.model is null or coalesce(k.limited_until[array_position(k.limited_models, lease_api_key.model)] <= at, true))
    order by k.usage_count, k.id
    limit 1
    for no key update skip locked;
    if found then
      -- The key is locked and may be leased: continues after the loop.
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
      -- Reads the mark and the keys in one snapshot. A key that another call is making ready is therefore seen either as not ready
      -- with an expired cooldown, or as ready and not below the mark, so this query does not miss it. Picks one of the first 16
      -- keys at random, so that callers spread over them.
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
      -- Odd attempts do not raise the mark, so that they may wait for a key: raising it locks the tier.
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

    -- Waits for the chosen key, because a lower tier must not serve the call instead. A call that holds a row lock (its transaction
    -- then has an id) must not wait for another row, because two such calls could wait for each other. A call may hold a lock
    -- without having changed anything: a key that was ready when the search found it, but not when the search locked it, stays
    -- locked.
    if pg_catalog.pg_current_xact_id_if_assigned() is not null then
      return retry;
    end if;
    perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(chosen_id, 0));
    select k.priority, k.usage_count, k.id into held_priority, held_count, held_id
    from public.user_api_keys k
    where k.id = chosen_id
    for no key update;
    -- Keys or tiers may have changed during the wait. Searches again, as a retry does, from the highest tier on. In the tier of the
    -- locked key, the search starts at that key.
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

  -- On average once in 64 leases, raises the low-water mark and postpones the next expiry check. These calls never wait.
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
  -- Each delete statement reads 128 pages (one megabyte), so that pruning stops soon after the batch is full.
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

  -- This lock makes two pruning calls run one after the other. Leases and reports never lock this row.
  select p.next_page into page from private.api_key_log_pruning p for no key update;
  page := coalesce(page, 0);
  while unseen > 0 loop
    if page >= size then
      -- After the last page of the log, pruning continues with the first page.
      page := 0;
    end if;
    delete from public.api_key_usage_log l
    where l.ctid = any (array(
      select old.ctid
      from public.api_key_usage_log old
      where old.ctid >= format('(%s,0)', page)::tid
        and old.ctid < format('(%s,0)', page + slice)::tid
        and coalesce(old.issued_at, old.reported_at) < clock_timestamp() - prune_api_key_usage_log.keep
        -- Keeps an old lease whose report is recent.
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
      -- Skips a row that a report has locked, because after that report the row may explain a block.
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
  -- Locks the keys in the order of their ids, and before reading why they are disabled. A key that somebody enables meanwhile is
  -- left out.
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
  -- The report holds locks, so lease_api_key must not wait for a key and may return the kind retry. In that case the report is
  -- still committed. An error of lease_api_key rolls the report back.
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
        -- A caller that has not leased the key within the last 24 hours cannot report on it.
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
        -- An agent may report only on its own leases, the owner of the pool on every lease of the pool.
        and (this.agent_id is null or l.agent_id = this.agent_id);
      if not found then
        raise exception using errcode = 'PT404', message = 'lease_not_found';
      elsif report_api_key.key_id <> lease.user_api_key_id then
        raise exception using errcode = 'PT422', message = 'lease_key_mismatch';
      elsif lease.outcome <> this.outcome and not (lease.outcome = 'caller_fault' and is_same_answer) then
        raise exception using errcode = 'PT409', message = 'already_reported';
      elsif lease.outcome is not null then
        -- A second report on a lease ends here, before any lock. So does a call that reads the lease again because another call
        -- reported on the lease before the update below.
        lease.effect := 'duplicate';
        return private.report_answer(lease);
      end if;
    end if;
    -- A model that only the provider's answer names is ignored, because leases that name no model would not respect a block for it.
    model := coalesce(report_api_key.report ->> 'model', lease.model);
    scope := case
      when this.outcome = 'caller_fault' or named_scope = 'request' then 'request'
      when this.rule in ('success', 'ignore', 'tolerate') then null
      when named_scope = 'account' then 'account'
      -- If a model is known, the scope is `model` when the report says so, or when a rate limit is reported without a scope.
      when model is not null and coalesce(named_scope, case this.outcome when 'rate_limited' then 'model' end) = 'model' then 'model'
      else 'key'
    end;
    exit when tried
      or lease.id is null
      or is_same_answer
      or this.rule not in ('success', 'escalate')
      or report_api_key.report ?| array['hint_given', 'hint_seconds', 'hint_at'];
    tried := true;

    -- The fast path of a report that changes nothing: a success on a healthy key, or another failure during a known outage. It
    -- reads key and health in one snapshot and locks only the log row, which decides which of two reports was first. The report is
    -- therefore treated as earlier than every failure, reset and edit that the snapshot does not show. The owner of the key is not
    -- checked, because a key that was given away has a higher generation.
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
      -- Stores this report in the health row as the newest, for operators: at most once a second while the outcome stays the same.
      -- Skips a locked row instead of waiting for it.
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
            -- Keeps an outcome that a newer report has stored.
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

  -- Processes reports on the fast path of report_api_key when they change nothing and their log row is not locked. The caller must
  -- report the other leases one by one, with report_api_key.
  with open as materialized (
    select l.id, l.user_api_key_id, l.model
    from public.api_key_usage_log l
    where l.id = any (report_successes.lease_ids)
      -- Skips leases of other callers.
      and l.user_id = report_successes.user_id
      and (this.agent_id is null or l.agent_id = this.agent_id)
      -- Skips leases that have been reported: the caller passes them to report_api_key.
      and l.outcome is null
      and l.issued_at is not null
    -- Skips a lease whose log row another call has locked.
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
      -- The same conditions apply to the health of the key with the model of the lease.
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
        -- Keeps an outcome that a newer report has stored.
        and (free.last_reported_at is null or free.last_reported_at < at)
      -- Skips a health row that another call has locked.
      for no key update of free skip locked
    ))
  )
  select coalesce(jsonb_agg(
    -- A lease that is listed twice is reported once: its first entry has the answer, the second one {"kind": "retry"}.
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

CREATE OR REPLACE FUNCTION public.reseal_api_key (
  key_id   uuid,
  expected text,
  resealed text
)
  RETURNS boolean
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  replaced boolean;
begin
  -- With this setting the trigger of user_api_keys keeps the generation, because the key itself is the same: its block and its
  -- leases stay valid.
  perform set_config('keyhub.resealing', 'on', true);
  update public.user_api_keys k
  set api_key_encrypted = reseal_api_key.resealed
  where k.id = reseal_api_key.key_id and k.api_key_encrypted = reseal_api_key.expected;
  replaced := found;
  perform set_config('keyhub.resealing', '', true);
  return replaced;
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
  -- The ids of the agent's reports that explain the present state of a key, or of a key with a model.
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
  -- Resets models before keys: the reset of a key deletes the rows of its models.
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

COMMENT ON COLUMN "private"."api_key_breakers"."key_ids" IS 'The ids of the keys that reports disabled most recently. recently_disabled_keys reads only these keys, so the list has every key that is still within the window.';

COMMENT ON COLUMN "private"."api_key_breakers"."provider" IS 'The provider of the keys; an empty text for keys that serve any provider.';

COMMENT ON COLUMN "private"."api_key_tiers"."model_marks" IS 'The model marks of the tier: {model: {count, id, until}}. Before the time until, no ready key with a (usage_count, id) below (count, id) is free for the model, so a search for the model starts there. Every change that makes a key ready, lowers its usage_count or ends a block for a model early deletes all model marks of the tier.';

COMMENT ON COLUMN "private"."api_key_tiers"."next_expiry_check_at" IS 'While the tier has a ready key, leases do not look for its expired cooldowns before this time, which is normally half a second after the last check.';

COMMENT ON COLUMN "private"."hub_copies"."dismissed_version" IS 'The newest version of the imported listing that the owner of the copy has dismissed: hub_updates announces only newer versions.';

COMMENT ON COLUMN "private"."hub_documents"."popularity" IS 'The logarithm of the listing''s stars and installs, rounded down (private.popularity). It changes less often than the counters, so the row is seldom written.';

COMMENT ON COLUMN "private"."hub_documents"."title_key" IS 'The folded title: a listing whose folded title equals the folded query comes first in the results.';

COMMENT ON COLUMN "private"."hub_idempotent_responses"."request_sha256" IS 'SHA-256 of the request''s canonical form: another request with the same key is refused.';

COMMENT ON COLUMN "private"."hub_listing_tags"."tag_bits" IS 'private.tag_bits of all tags of the listing: when a query has several tags, the index alone rules out most listings that lack one of them.';

COMMENT ON COLUMN "private"."hub_moderation"."counting_reports" IS 'The number of unresolved reports that count towards hiding the asset. Maintained by a trigger.';

COMMENT ON COLUMN "private"."hub_moderation"."open_reports" IS 'The number of unresolved reports. Maintained by a trigger.';

COMMENT ON COLUMN "private"."hub_moderation"."reviewed_at" IS 'When the asset was last restored. Reports by accounts created later are not counted for reviewed_version and older versions.';

COMMENT ON COLUMN "private"."hub_overwritten"."sha256" IS 'The value of hub_copies.sha256 before the update; hub_restore_copy writes it back.';

COMMENT ON COLUMN "private"."hub_snapshots"."value" IS 'Null, for trending only: the last seven days have so few stars, imports and listings that each call counts them.';

COMMENT ON COLUMN "private"."hub_words"."added_by" IS 'The creator whose listing first had the word; an account adds at most 5,000 words.';

COMMENT ON COLUMN "private"."hub_words"."slips" IS 'Forms of the word with letters left out (private.slips): two words that differ by a typing error have one of these forms in common. A form that 64 words already have is not stored for another word.';

COMMENT ON COLUMN "private"."orders"."payment_id" IS 'The provider''s id of the payment; a refund needs this id.';

COMMENT ON COLUMN "private"."organization_invitations"."email_hash" IS 'For an invitation of one e-mail address: SHA-256 over the id of the row and the address in lower case. Null: anybody who has the link may join.';

COMMENT ON COLUMN "private"."payment_events"."outcome" IS 'applied: the event has taken effect; mismatch: amount, currency or provider differ from the order, so that the event changes nothing; unknown: the event belongs to no order or account of ours.';

COMMENT ON COLUMN "private"."payment_events"."provider_fee_cents" IS 'The provider''s fee for that payment, refund or dispute, 0 when the provider has reported none.';

COMMENT ON COLUMN "private"."shelf_documents"."title_key" IS 'The folded title: a listing whose folded title equals the folded query comes first in the results.';

COMMENT ON COLUMN "public"."api_key_agents"."revoked_at" IS 'The token is refused from this time on; null: it is not revoked.';

COMMENT ON COLUMN "public"."api_key_alerts"."claimed_until" IS 'Until this time one call of keyhub-alerts is sending the alert; afterwards another call may send it.';

COMMENT ON COLUMN "public"."api_key_alerts"."kind" IS 'The change of state that the alert tells of. pool_starved: no key could be leased for a minute, or no key comes back by itself; pool_recovered: after pool_starved, a key was leased again; key_disabled: a report disabled a key; key_unopenable: a sealed text could not be opened; many_at_once: reports would have disabled more keys of the provider within a minute than the breaker allows, so that further keys cool down.';

COMMENT ON COLUMN "public"."api_key_alerts"."provider" IS 'Provider of the keys that the alert is about; null: keys that serve any provider, or calls that named no provider.';

COMMENT ON COLUMN "public"."api_key_alerts"."sent_at" IS 'When keyhub-alerts delivered the alert to KEYHUB_ALERT_URL; null: not delivered yet.';

COMMENT ON COLUMN "public"."api_key_alerts"."user_api_key_id" IS 'The id of the key that caused the alert; null for an alert about a pool. Not a foreign key, because the alert stays when the key is deleted.';

COMMENT ON COLUMN "public"."api_key_health"."consecutive_failures" IS 'Number n of rate and quota blocks in a row, without a success between them. The cooldown of the nth block is base * 2^(n-1), up to a cap, unless the provider states a wait.';

COMMENT ON COLUMN "public"."api_key_health"."last_failure_at" IS 'Time of the newest failure that blocked or disabled the key. A success on a lease that was not issued after this time is stale.';

COMMENT ON COLUMN "public"."api_key_health"."last_reported_at" IS 'Time of the newest report of any outcome. It may be a second too old, because a report that changes nothing updates this column at most once a second while the outcome stays the same, and not while another transaction holds the row.';

COMMENT ON COLUMN "public"."api_key_health"."rate_blocked_until" IS 'End of the last block by a rate or quota failure. A further such failure on a lease that was issued before this time does not raise consecutive_failures, because it has the same cause as the block.';

COMMENT ON COLUMN "public"."api_key_health"."reason" IS 'Why the key is blocked or disabled: an outcome of set-key-state, many_at_once (the breaker), blocked_by_operator or disabled_by_operator.';

COMMENT ON COLUMN "public"."api_key_health"."reason_code" IS 'The error code of the report that set reason; null when the report had none or an operator set reason.';

COMMENT ON COLUMN "public"."api_key_health"."reason_log_id" IS 'The id of the usage log row of the report that set reason. Not a foreign key. Pruning keeps that log row while the block lasts or the key is disabled.';

COMMENT ON COLUMN "public"."api_key_health"."reason_since" IS 'When the present block began, or when the key was disabled.';

COMMENT ON COLUMN "public"."api_key_health"."recent_server_errors" IS 'Times of the server errors that were reported without any other report between them and that did not block the key, oldest first. When more of them than the threshold fall within the window (both numbers are in the report), the key cools down.';

COMMENT ON COLUMN "public"."api_key_model_health"."caused_by_log_id" IS 'The id of the usage log row of the report that set reason. Not a foreign key. Pruning keeps that log row while the block lasts.';

COMMENT ON COLUMN "public"."api_key_model_health"."model" IS 'Name of the model, in lower case and without the prefix models/: the form in which get-active-key passes it to lease_api_key.';

COMMENT ON COLUMN "public"."api_key_model_health"."reset_at" IS 'When an operator last reset the block of the key for the model. A report on a lease that was issued before this time is stale.';

COMMENT ON COLUMN "public"."api_key_starvations"."ended_at" IS 'When a fitting key was leased again; null while the starvation lasts.';

COMMENT ON COLUMN "public"."api_key_starvations"."model" IS 'The model that the refused calls requested, if a key was limited for that model; otherwise null.';

COMMENT ON COLUMN "public"."api_key_starvations"."provider" IS 'The provider that the refused calls requested; null: they named no provider.';

COMMENT ON COLUMN "public"."api_key_starvations"."refusals" IS 'Number of refused calls; of the calls within one second, only one is counted.';

COMMENT ON COLUMN "public"."api_key_starvations"."soonest_at" IS 'When the first key comes back from its block, according to the last refusal; null: no key comes back without an operator.';

COMMENT ON COLUMN "public"."api_key_usage_log"."agent_id" IS 'The agent that leased the key or reported without a lease; null when the user called with an access token. Not a foreign key, because with one all leases of an agent would lock the same agent row.';

COMMENT ON COLUMN "public"."api_key_usage_log"."blocked_until" IS 'The end of the block after the report, as set-key-state returned it: the block of the key, or, with scope model, the block of the key for the model. null: no block.';

COMMENT ON COLUMN "public"."api_key_usage_log"."consecutive_failures" IS 'The consecutive_failures after the report, as set-key-state returned it: of the key, or, with scope model, of the key with the model.';

COMMENT ON COLUMN "public"."api_key_usage_log"."dead" IS 'True when the answer of the provider said that the key is dead, so that it will never work again.';

COMMENT ON COLUMN "public"."api_key_usage_log"."hint" IS 'How the report used the wait that the provider stated (the hint): used, capped (shortened to the longest wait allowed) or ignored; null: the provider stated none.';

COMMENT ON COLUMN "public"."api_key_usage_log"."model" IS 'The model that the report named; without one, the model that the key was leased for.';

COMMENT ON COLUMN "public"."api_key_usage_log"."scope" IS 'What the reported answer of the provider was about: request, model, key or account; null for a success, and for a failure that says nothing about any of these.';

COMMENT ON COLUMN "public"."api_key_usage_log"."user_api_key_id" IS 'The id of the key. Not a foreign key, because the log rows stay when the key is deleted (api_key_deleted keeps its name).';

COMMENT ON COLUMN "public"."api_key_usage_log"."user_id" IS 'Owner of the pool. Not a foreign key, because with one all leases of a pool would lock the same user row.';

COMMENT ON COLUMN "public"."hub_appeals"."event_id" IS 'The decision that the appeal is about: an entry of hub_events with the action hidden, removed or banned. No foreign key: entries are never deleted.';

COMMENT ON COLUMN "public"."hub_asset_versions"."changelog" IS 'What changed in this version, as plain text for readers.';

COMMENT ON COLUMN "public"."hub_asset_versions"."is_open" IS 'Whether readers still see the version when another version is current. False for versions that were published when readers could not see older versions yet.';

COMMENT ON COLUMN "public"."hub_asset_versions"."organization_id" IS 'The organization whose members may read the version; null: everybody. Never changes, whatever happens to the listing. No foreign key: when the organization is closed, the version stays closed to other readers.';

COMMENT ON COLUMN "public"."hub_asset_versions"."yanked_at" IS 'When the owner withdrew the version: the version cannot be imported any more; users who imported this version can still read it.';

COMMENT ON COLUMN "public"."hub_assets"."attribution" IS 'What the listing was imported or remixed from: {root, parent, via: [...], claimed}. root, parent and each work in via are {id, title, slug, creator_id, license, version, remix_depth}; claimed is what an imported file says about its original. Later, an update of a copy changes only versions and adds works, and a publication for everybody leaves out the creator''s own shared works.';

COMMENT ON COLUMN "public"."hub_assets"."current_version" IS 'The version that readers see; 0 before the first publication. An operator may set this column back to an older stored version.';

COMMENT ON COLUMN "public"."hub_assets"."deleted_at" IS 'When the listing became a tombstone: its content is deleted, id and slug stay. Setting this column makes triggers delete the content.';

COMMENT ON COLUMN "public"."hub_assets"."hidden_by_ban" IS 'True while the creator is banned, which hides the listing. Maintained from private.hub_bans; kept when a banned creator deletes the account.';

COMMENT ON COLUMN "public"."hub_assets"."hidden_reason" IS 'Why the listing is hidden: reports (the threshold was reached) or moderator; on a shelf organization_reports or organization; the reason of an upheld report; or removed. The creator can read it.';

COMMENT ON COLUMN "public"."hub_assets"."install_count" IS 'Number of distinct signed-in users, other than the creator, who imported the listing. Maintained by a trigger.';

COMMENT ON COLUMN "public"."hub_assets"."is_hidden" IS 'Whether moderation hides the listing. Setting it to false restores the listing and dismisses its open reports.';

COMMENT ON COLUMN "public"."hub_assets"."is_shared" IS 'True while the listing is on the shelf of its organization, where only members see it.';

COMMENT ON COLUMN "public"."hub_assets"."is_visible" IS 'True while the listing is public on the hub: policies, indexes and functions use no other predicate for that.';

COMMENT ON COLUMN "public"."hub_assets"."organization_id" IS 'The organization in which the listing is or was shared. Stays when the listing is taken off the shelf or the organization is closed. Null: the listing was never shared, or it has been published for everybody since. No foreign key: content for members only stays private when the organization is gone.';

COMMENT ON COLUMN "public"."hub_assets"."parent_asset_id" IS 'The asset from which a remix was made directly. A copy that was imported for use gets its parent when it is published.';

COMMENT ON COLUMN "public"."hub_assets"."payment_product_id" IS 'The id of the product at the payment provider, such as stripe:<product>; set when the listing is first published as paid.';

COMMENT ON COLUMN "public"."hub_assets"."picture" IS 'SHA-256 of the listing''s picture in hub_pictures; null without a picture. Maintained by a trigger.';

COMMENT ON COLUMN "public"."hub_assets"."pinned_version" IS 'For a copy: the version of the imported listing to which the owner has pinned the copy, so that newer versions are not announced. Null: newer versions are announced.';

COMMENT ON COLUMN "public"."hub_assets"."price_cents" IS 'The price in the minor unit of currency, such as cents; 0 unless the license is paid.';

COMMENT ON COLUMN "public"."hub_assets"."published_at" IS 'When the listing was first published for everybody; republishing does not change it.';

COMMENT ON COLUMN "public"."hub_assets"."ref_id" IS 'The id of the source in the table of asset_type. No foreign key: a listing stays when its source is deleted.';

COMMENT ON COLUMN "public"."hub_assets"."shared_at" IS 'When the listing was put on the shelf of its organization; null while the listing is on no shelf.';

COMMENT ON COLUMN "public"."hub_assets"."slug" IS 'Part of the permanent address of the listing. The slug is made at the first publication, and once more when a shared listing is first published for everybody; a copy that was never published has copy-<random>. Unique, also among tombstones.';

COMMENT ON COLUMN "public"."hub_assets"."source_asset_id" IS 'The root of the lineage: the asset from which the first remix was made, also when other remixes lie between.';

COMMENT ON COLUMN "public"."hub_assets"."star_count" IS 'Number of the listing''s rows in hub_stars. Maintained by a trigger.';

COMMENT ON COLUMN "public"."hub_assets"."updated_at" IS 'The last change of the row, except changes of install_count, star_count and pinned_version.';

COMMENT ON COLUMN "public"."hub_events"."actor_id" IS 'The signed-in user who did the action; null for an action of an operator or of the system. No foreign key.';

COMMENT ON COLUMN "public"."hub_imports"."counts" IS 'Whether install_count includes this import: true for one import of each user other than the creator. Maintained by a trigger.';

COMMENT ON COLUMN "public"."hub_payout_accounts"."charges_enabled" IS 'Whether the provider accepts payments for the account: its owner can sell only while this is true.';

COMMENT ON COLUMN "public"."hub_profiles"."created_at" IS 'Shown as "member since": the time when the account was created, or, for a profile that a later write made, the time of that write.';

COMMENT ON COLUMN "public"."hub_profiles"."username" IS '3 to 30 ASCII letters, digits, _ and -. No two user names have the same private.username_key.';

COMMENT ON COLUMN "public"."hub_purchases"."revoked_reason" IS 'refunded, disputed or lost: the state of the order that revoked the purchase; operator: somebody revoked the purchase by hand.';

COMMENT ON COLUMN "public"."hub_reports"."counts" IS 'Whether the report counts towards hiding the listing. False when the reporter''s earlier report on this version was dismissed, when an earlier report of the reporter is closed and moderation has restored this version, when the reporter''s account was created after the version was restored, or when the reporter is younger than hub_settings.min_reporter_age, banned or deleted.';

COMMENT ON COLUMN "public"."hub_reports"."version" IS 'The version that was reported; after a dismissal, the version that was current when the report was dismissed.';

COMMENT ON COLUMN "public"."hub_reports"."work_holder" IS 'For a copyright report: the holder of the rights in the copied work.';

COMMENT ON COLUMN "public"."hub_settings"."contact_url" IS 'Where people without an account report that a listing copies a work of theirs: an https or mailto address that the pages show.';

COMMENT ON COLUMN "public"."hub_settings"."fee_bps" IS 'The platform''s share of a sale by a creator who is not verified, in hundredths of a percent. Existing orders keep their share.';

COMMENT ON COLUMN "public"."hub_settings"."min_reporter_age" IS 'The age of an account from which its reports count. A report of a younger account is stored but does not count towards hiding a listing.';

COMMENT ON COLUMN "public"."hub_settings"."verified_fee_bps" IS 'The platform''s share of a sale by a verified creator, in hundredths of a percent. Existing orders keep their share.';

COMMENT ON COLUMN "public"."organization_members"."role" IS 'An owner may do everything. An admin may invite members, remove members and decide about reported listings. A member may read, share, import, star and report.';

COMMENT ON COLUMN "public"."organizations"."slug" IS 'Part of the address of the organization''s shelf: 3 to 40 small letters, digits and single hyphens. No two slugs have the same private.username_key.';

COMMENT ON COLUMN "public"."user_api_keys"."account" IS 'A name for what several keys belong to at the provider, such as one organization or project. The keys of a pool with the same provider and account share their limits: a rate limit of one blocks them all. An account has at most 100 keys. null: the key shares its limits with no other key.';

COMMENT ON COLUMN "public"."user_api_keys"."api_key_encrypted" IS 'The key as HPKE sealed text, hpke.v1.<kid>.<enc>.<ciphertext>, which can be opened only for the same user_id. Made by: npm run seal -- --user <user_id>. That command appends #<fingerprint>.<hint> to the text; a trigger moves these two values into the columns fingerprint and key_hint.';

COMMENT ON COLUMN "public"."user_api_keys"."cooling_until" IS 'End of the cooldown of the key: a copy of api_key_health.blocked_until, kept by a trigger, so edit blocked_until instead. After that time has passed, the first lease that looks for expired cooldowns sets this column to null. So does an edit that enables the key or moves it to another tier.';

COMMENT ON COLUMN "public"."user_api_keys"."fingerprint" IS 'Identifies a key without revealing it: the first 32 hex digits of SHA-256 over keyhub-fingerprint:v1:<user_id>:<key>. A trigger takes it from the end of the text that is written to api_key_encrypted; null when that text had no fingerprint (npm run reseal adds one).';

COMMENT ON COLUMN "public"."user_api_keys"."generation" IS 'Rises by one when the key is replaced by another ciphertext, enabled again, given to another user, or when an operator resets its block. A report on a lease of an older generation is stale. A resealed key keeps its generation.';

COMMENT ON COLUMN "public"."user_api_keys"."is_ready" IS 'True when the key is enabled, no failure to open it is known, and cooling_until is null, so that a search for ready keys compares no times. A key whose cooldown has expired becomes ready only when a lease clears cooling_until.';

COMMENT ON COLUMN "public"."user_api_keys"."key_hint" IS 'The last four characters of the key, so that people recognize it; characters other than letters, digits, _ and - are shown as *. null for a key of fewer than 16 characters. A trigger takes it from the end of the text that is written to api_key_encrypted.';

COMMENT ON COLUMN "public"."user_api_keys"."limited_models" IS 'The models that the key is blocked for: a copy from api_key_model_health, kept by a trigger, so edit that table instead. A model whose block has expired stays listed until a lease for the model removes it.';

COMMENT ON COLUMN "public"."user_api_keys"."limited_until" IS 'The end of the block of each model in limited_models, in the same order.';

COMMENT ON COLUMN "public"."user_api_keys"."priority" IS 'Of the keys of a pool, those with a higher priority are leased first.';

COMMENT ON COLUMN "public"."user_api_keys"."provider" IS 'The provider of the key, in lower case, such as openai; null: the key can serve a call for any provider.';

COMMENT ON COLUMN "public"."user_api_keys"."ready_at" IS 'The time from which the key may be leased: the end of its cooldown; -infinity: it has no cooldown; infinity: the key is disabled or cannot be opened, so waiting does not help. Leases and the view api_key_states both read this column.';

COMMENT ON COLUMN "public"."user_api_keys"."sealed_kid" IS 'Name (kid) of the seal pair that can open api_key_encrypted.';

COMMENT ON COLUMN "public"."user_api_keys"."settings" IS 'Settings for calls with the key, which each lease returns: a JSON object that may have the texts base_url (https), organization and project. Must not hold secrets.';

COMMENT ON COLUMN "public"."user_api_keys"."skipped_count" IS 'The part of usage_count that does not come from leases. It was added when the key joined its tier or came back from a block, so that its usage_count equals the least count of the other keys.';

COMMENT ON COLUMN "public"."user_api_keys"."unusable_reason" IS 'Why the sealed text could not be opened; null: no such failure is known. While this column is set, the key is not leased. A trigger clears the column when the ciphertext or the owner changes.';

COMMENT ON COLUMN "public"."user_api_keys"."usage_count" IS 'Spreads the leases over the keys of a tier: the key with the lowest usage_count is leased first, and each lease adds one. A key that is added, enabled, or moved to another priority or owner starts at the least usage_count of the other keys of its tier. A key that comes back from a block is raised to that count if it is lower. Otherwise such a key would get all leases until it had caught up. usage_count - skipped_count is the exact number of leases.';

COMMENT ON FUNCTION "private"."accept_invitation"(text) IS 'Inserts the caller as a member under the lock of the organization and counts the use of the invitation. Called by public.accept_invitation.';

COMMENT ON FUNCTION "private"."add_api_key"(text, text, text, text, integer) IS 'Checks the name of the key and the limit of 200 keys for a pool, then inserts the key. Called by public.add_api_key.';

COMMENT ON FUNCTION "private"."add_to_creators"(private.creator_change[]) IS 'Adds the given changes of listings, installs and stars to the sums of their creators.';

COMMENT ON FUNCTION "private"."alert_once"(uuid, text, text, uuid, jsonb, double precision) IS 'Writes an alert about a key, unless an alert of the same pool, provider and kind is less than quiet_seconds old. The caller must hold a lock against concurrent calls, because two of them could both write the alert.';

COMMENT ON FUNCTION "private"."alert_starvation"(public.api_key_starvations, text, jsonb) IS 'Writes an alert of the given kind with the model, the start and the expected end of a starvation.';

COMMENT ON FUNCTION "private"."allow_content"(uuid, text) IS 'Stores that a user may publish content that equals a version of a listing, and logs it. Called by public.hub_allow_content.';

COMMENT ON FUNCTION "private"."api_key_health_before_update"() IS 'When somebody edits a block by hand, stores blocked_by_operator as the reason of a longer block and clears the reason of a reset block. Raises PT422 health_row_is_bound when the edit would move the row to another key.';

COMMENT ON FUNCTION "private"."api_key_model_health_before_insert"() IS 'Keeps at most 200 rows for a key: before an insert, deletes first the rows without a block, then those whose block ends first.';

COMMENT ON FUNCTION "private"."api_key_model_health_before_update"() IS 'Does for a row of api_key_model_health what private.api_key_health_before_update does for the row of a key, and stores the time of a reset in reset_at. Raises PT422 health_row_is_bound when the edit would move the row to another key or model.';

COMMENT ON FUNCTION "private"."appeal"(uuid, text) IS 'Checks that the caller''s listing is hidden or the caller banned, and inserts an appeal. Called by public.hub_appeal.';

COMMENT ON FUNCTION "private"."apply_account_event"(text, text, text, boolean, timestamp with time zone) IS 'Stores an event about a payout account and updates charges_enabled unless a newer event was applied. Called by public.hub_apply_account_event.';

COMMENT ON FUNCTION "private"."apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) IS 'Stores an event about an order, judges whether it fits the order, and settles the order if the event fits. Called by public.hub_apply_payment_event.';

COMMENT ON FUNCTION "private"."apply_report"(uuid, uuid, uuid, public.api_key_usage_log, private.key_report) IS 'The full evaluation of a report that may change the key: locks the rows and applies next_state to the key, or to the key with one model. lease is null when the report names only a key and the caller has no open lease of it. Returns the log row of the report. Raises PT404 lease_not_found when the key is not in the pool any more. Raises 55P03 lock_conflict when another transaction holds a row, or when another call has reported on the lease first: then nothing was done, so call again.';

COMMENT ON FUNCTION "private"."asset_cards"(uuid[], uuid) IS 'Returns the cards of the listings with the given ids, in the order of the ids: of visible listings, or, with an organization, of the listings on its shelf.';

COMMENT ON FUNCTION "private"."ban_creator"(uuid, text, text) IS 'Inserts a ban; triggers apply it. Called by public.hub_ban_creator.';

COMMENT ON FUNCTION "private"."begin_checkout"(uuid, text, text, integer) IS 'Returns the buyer''s open order if its terms still hold; otherwise expires that order and makes a new order. Called by public.hub_begin_checkout.';

COMMENT ON FUNCTION "private"."begin_onboarding"(uuid, text, text) IS 'Stores a creator''s payout account if it is the creator''s first account at this provider, and returns the stored account. Called by public.hub_begin_onboarding.';

COMMENT ON FUNCTION "private"."begin_organization_write"(uuid) IS 'Locks the caller''s profile and the organization and returns the caller''s role in it; without an organization, locks only the profile and returns null. Raises 42501 without an account, PT403 banned, PT404 organization_not_found.';

COMMENT ON FUNCTION "private"."begin_preview"(uuid, integer) IS 'Locks the user''s profile and counts a preview. Called by public.hub_begin_preview.';

COMMENT ON FUNCTION "private"."begin_refund"(uuid, integer, text) IS 'Checks the amount of a refund and logs the request; the ledger does not change yet. Called by public.hub_begin_refund.';

COMMENT ON FUNCTION "private"."begin_write"(uuid, boolean) IS 'Locks a user''s profile and account; every write to the hub calls this function first. Raises 42501 when the account does not exist (PT401 invalid_credential when an edge function calls), PT403 banned, PT503 unavailable while the account is being deleted.';

COMMENT ON FUNCTION "private"."categories"() IS 'Returns the stored counts of categories if they are at most 30 minutes old, otherwise an estimate. Called by public.hub_categories.';

COMMENT ON FUNCTION "private"."check_importable"(uuid, uuid, integer, text) IS 'Checks that a user may import that version of a listing. Raises PT403 purchase_required, PT404 asset_not_found, PT409 version_yanked.';

COMMENT ON FUNCTION "private"."check_key_settings"() IS 'Raises PT422 unless settings is an object whose only members are the texts base_url, organization and project, each in its form and length, and none of which looks like a secret. The error message never repeats the settings.';

COMMENT ON FUNCTION "private"."check_offer"(uuid, text, integer, text, text) IS 'Checks and returns the offer of a publication. For a free license, the price is 0 and the rest of the offer null. Raises PT422 payout_account_required or validation_failed.';

COMMENT ON FUNCTION "private"."check_version_notes"(text, text) IS 'Checks label and changelog and returns them as they are stored; an empty text becomes null. Raises PT422 validation_failed.';

COMMENT ON FUNCTION "private"."clean"(text) IS 'Returns a text without the white space around it; null when the text has no visible character.';

COMMENT ON FUNCTION "private"."close_appeals"() IS 'Closes the open appeals of a creator or listing: as accepted when the ban is lifted or the listing restored, as rejected when the listing is removed.';

COMMENT ON FUNCTION "private"."close_links"(uuid, uuid) IS 'Revokes the invitations of an organization by which a user could come back, and the invitations that the user made.';

COMMENT ON FUNCTION "private"."compare_creators"() IS 'Returns, for each creator, the sums stored in private.hub_creators beside the sums of the visible listings.';

COMMENT ON FUNCTION "private"."compare_usage"() IS 'Returns, for each account, the sums stored in private.workspace_usage beside the sums of its source rows.';

COMMENT ON FUNCTION "private"."content_of"(text, jsonb) IS 'Returns the content of a source row: the columns that an update of a copy overwrites. Leaves out the name, the description and tags of an orchestration, and what is never published, such as an API key.';

COMMENT ON FUNCTION "private"."copy_block_to_key"() IS 'Copies blocked_until to user_api_keys.cooling_until, or null when an edit by hand moved blocked_until into the past. When the block was reset by hand, also raises the generation of the key.';

COMMENT ON FUNCTION "private"."copy_model_block_to_key"() IS 'Copies the end of the block of a key for a model to limited_until in the key row. When the block ends earlier than before, also deletes the model marks of the tier, because a key before a mark may now be free.';

COMMENT ON FUNCTION "private"."count_source_usage"() IS 'Adds the rows and bytes that a statement changes in a source table to private.workspace_usage. Raises PT422 limit_reached.';

COMMENT ON FUNCTION "private"."count_trending"(integer) IS 'Returns the ids of trending listings, best first, counted from the stars, imports and remixes of the last seven days. Reads the latest `most` stars, imports and new listings, or, with null, all.';

COMMENT ON FUNCTION "private"."count_usage"(uuid[], integer[], bigint[]) IS 'Adds the given numbers of rows and bytes, which may be negative, to the sums of accounts in private.workspace_usage. Raises PT422 limit_reached with the name of the limit and its number.';

COMMENT ON FUNCTION "private"."create_organization"(text, text) IS 'Inserts an organization with the caller as owner, unless the caller owns 20 already. Called by public.create_organization.';

COMMENT ON FUNCTION "private"."creator"(uuid) IS 'Returns username, avatar_url and verified of a creator, as cards show them; null when the account is deleted or banned.';

COMMENT ON FUNCTION "private"."creator_by_name"(text) IS 'Returns the creator who has a username, or who gave it up in the last 180 days; null when there is no such creator or the creator is banned.';

COMMENT ON FUNCTION "private"."creator_totals"(uuid) IS 'Returns how many visible listings a creator has, and how often they were installed and starred.';

COMMENT ON FUNCTION "private"."creators"(uuid[]) IS 'Returns username, avatar_url and verified of each of these creators, as cards show them, without deleted and banned creators.';

COMMENT ON FUNCTION "private"."creators_page"(text, text, jsonb, integer) IS 'Returns the next `wanted` creators with visible listings, one more than a page shows, whose user name or display name contains q. The names are compared by their keys.';

COMMENT ON FUNCTION "private"."delete_asset"(uuid) IS 'Makes the caller''s listing a tombstone, or only unpublishes it while a buyer has access. Called by public.hub_delete_asset.';

COMMENT ON FUNCTION "private"."delete_unpublished_listings"() IS 'When source rows are deleted, deletes those of their registry rows that were never published or shared; the other registry rows stay.';

COMMENT ON FUNCTION "private"."deliver"(private.orders) IS 'Gives the buyer of a paid order access to the listing, if buyer and listing still exist and the buyer does not have access already.';

COMMENT ON FUNCTION "private"."describe_copy"(uuid, uuid) IS 'Returns the rows that the import of a copy has made, as JSON. Called by public.hub_copy.';

COMMENT ON FUNCTION "private"."directory"(text, text, text, integer) IS 'Checks the arguments and returns a page of the directory. Called by public.hub_creators.';

COMMENT ON FUNCTION "private"."dismiss_update"(uuid, integer) IS 'Stores the version up to which the owner of a copy has dismissed updates. Called by public.hub_dismiss_update.';

COMMENT ON FUNCTION "private"."due_lines"(uuid) IS 'Returns the amounts that the ledger must have for an order after all its events, by kind and account.';

COMMENT ON FUNCTION "private"."edit_version"(uuid, integer, text, text) IS 'Checks and replaces label and changelog of a version. Called by public.hub_edit_version.';

COMMENT ON FUNCTION "private"."email_hash"(uuid, text) IS 'Returns the hash by which the address of an invitation is stored; the id of the invitation makes the hashes of equal addresses differ.';

COMMENT ON FUNCTION "private"."end_starvations"(uuid, uuid, text) IS 'Ends the open starvations of a pool whose provider and model fit the key and the model of a lease. Writes a pool_recovered alert for each of them that had a pool_starved alert.';

COMMENT ON FUNCTION "private"."estimate_categories"(integer) IS 'Returns the counts of count_categories, estimated from a sample of `most` tags of listings; exact when the hub has fewer.';

COMMENT ON FUNCTION "private"."fault"(text, text, text) IS 'Returns one validation fault as a JSON array of one element, so that callers can append it to other faults.';

COMMENT ON FUNCTION "private"."feature_asset"(uuid, integer) IS 'Inserts a visible listing into hub_featured or changes its position. Called by public.hub_feature_asset.';

COMMENT ON FUNCTION "private"."first_attempt"(uuid) IS 'Returns how many forms of private.nth_slug a listing skips: 9 for a listing of an organization, which gets a random suffix, and 0 for a public one.';

COMMENT ON FUNCTION "private"."fold"(text) IS 'Returns a text in lower case, without accents and full-width forms, so that different spellings of a word are equal after it.';

COMMENT ON FUNCTION "private"."following"(text, integer) IS 'Returns the ids of the listings of a page of hub_following, and the cursor of the next page.';

COMMENT ON FUNCTION "private"."following_page"(uuid, jsonb, integer) IS 'Returns the next `wanted` visible listings of the creators whom a user follows, newest first, after the place of a cursor.';

COMMENT ON FUNCTION "private"."forget_deleted_key"() IS 'Deletes the log rows of a deleted key when its row in api_key_deleted is deleted: with the user, or by an operator.';

COMMENT ON FUNCTION "private"."forget_model_blocks"() IS 'Deletes the rows of api_key_model_health of a key that is reset, replaced, enabled or given away. After a TRUNCATE of that table, ends the blocks for models in all key rows.';

COMMENT ON FUNCTION "private"."former_owner"(text) IS 'Returns the user who gave up the user name with this username_key in the last 180 days; null when there is none.';

COMMENT ON FUNCTION "private"."from_cursor"(text, jsonb) IS 'Decodes a cursor that this list returned to the place in the list. Raises PT400 malformed_cursor for any other text.';

COMMENT ON FUNCTION "private"."get_response"(uuid, text, text, text) IS 'Returns the stored answer to this request of a user from the last 24 hours; null when there is none. Raises PT422 idempotency_key_reused when the key belongs to another request.';

COMMENT ON FUNCTION "private"."has_invisible_characters"(text) IS 'Returns whether a text that may have several lines contains invisible characters, which can make it look like another text.';

COMMENT ON FUNCTION "private"."has_many_acts"() IS 'Returns whether the last seven days have more stars, imports or new listings than the 100 of each that hub_trending counts in a call.';

COMMENT ON FUNCTION "private"."hide_asset"(uuid, text, text) IS 'Hides a visible or shared asset for the reason moderator. Called by public.hub_hide_asset.';

COMMENT ON FUNCTION "private"."hub_admins_before_insert"() IS 'Refuses to make a banned user an admin. Raises PT409 user_is_banned.';

COMMENT ON FUNCTION "private"."hub_appeals_apply"() IS 'Logs an appeal and its outcome; an accepted appeal restores the listing or lifts the ban, also when an operator edits the row.';

COMMENT ON FUNCTION "private"."hub_appeals_before_update"() IS 'Refuses every change of an appeal except of answer and state; state changes only once, from open. Raises PT409 append_only or appeal_resolved.';

COMMENT ON FUNCTION "private"."hub_assets_begin_edit"() IS 'Locks the profile of a client who edits listings, then all listings of that client, in the lock order of all writes. Raises PT403 banned.';

COMMENT ON FUNCTION "private"."hub_assets_check_text"() IS 'Normalises and checks those of title, description, tags and thumbnail that have changed. Raises PT422 mixed_script, validation_failed or secret_detected; no error contains a value that was sent.';

COMMENT ON FUNCTION "private"."hub_assets_derive_picture"() IS 'Sets hub_assets.picture to the SHA-256 of the listing''s row in hub_pictures, whatever value a statement wrote.';

COMMENT ON FUNCTION "private"."hub_assets_guard"() IS 'Sets the columns that depend on other columns, whoever edits the row, and refuses changes of fixed columns. Raises PT409 asset_is_fixed.';

COMMENT ON FUNCTION "private"."hub_assets_guard_counters"() IS 'Ignores edits of star_count and install_count by hand, so that only the triggers of hub_stars and hub_imports change them.';

COMMENT ON FUNCTION "private"."hub_assets_index_shelf"() IS 'Keeps the search document of a listing current while the listing is on a shelf, and deletes it afterwards.';

COMMENT ON FUNCTION "private"."hub_assets_limit_edits"() IS 'Counts an owner''s edit of a listing and refuses more than 600 edits an hour by one owner. Raises PT429 rate_limited.';

COMMENT ON FUNCTION "private"."hub_assets_log"() IS 'Logs publication and moderation of a listing, also when somebody edits the row by hand.';

COMMENT ON FUNCTION "private"."hub_assets_on_restore"() IS 'When is_hidden is cleared, dismisses the open reports of the listing and records the version that was reviewed.';

COMMENT ON FUNCTION "private"."hub_bans_apply"() IS 'Hides all assets of a banned creator, upholds the open reports on them, stops counting the creator''s own open reports, and logs the ban.';

COMMENT ON FUNCTION "private"."hub_bans_before_insert"() IS 'Refuses to ban an admin or the caller. Raises PT422 cannot_ban_admin or cannot_ban_self.';

COMMENT ON FUNCTION "private"."hub_follows_before_insert"() IS 'Skips the insert when the user follows the creator already, and refuses more than 1,000 follows of one user. Raises PT403 banned, PT422 limit_reached or validation_failed.';

COMMENT ON FUNCTION "private"."hub_profiles_before_write"() IS 'Checks the changed columns of a profile. Raises PT403 banned, PT409 username_taken or display_name_taken, PT422 validation_failed or secret_detected; no error contains a value that was sent.';

COMMENT ON FUNCTION "private"."hub_reports_before_update"() IS 'Refuses to reopen a report or to change its asset, version or reporter. Fills outcome, resolved_by and version of a report that is closed, and stops counting a report of a deleted account. Raises PT409 report_is_fixed.';

COMMENT ON FUNCTION "private"."hub_stars_before_insert"() IS 'Skips the insert when the star exists already, so that starring is idempotent. Raises PT403 banned.';

COMMENT ON FUNCTION "private"."insert_copies"(uuid, jsonb, text, public.hub_assets, text, integer) IS 'Inserts planned rows into a user''s workspace, with their registry rows. Returns these rows in the form of hub_imports.created. Raises PT422 validation_failed.';

COMMENT ON FUNCTION "private"."insert_listing"(uuid, text, uuid, text, text, text, text[], text, text, uuid, private.offer) IS 'Inserts a listing with the first free form of its slug (private.nth_slug) and returns the id of the listing.';

COMMENT ON FUNCTION "private"."invisible_characters"() IS 'Returns the invisible characters that no writing system needs, as the text between the brackets of a regular expression.';

COMMENT ON FUNCTION "private"."invisible_pattern"() IS 'Returns a regular expression that matches invisible characters, and also joiners and variation selectors in places where no writing system needs them.';

COMMENT ON FUNCTION "private"."invitation"(text) IS 'Returns the name of the organization of a live invitation. Called by public.invitation.';

COMMENT ON FUNCTION "private"."invite_member"(uuid, text, text, integer, integer) IS 'Checks the caller''s role and the limits and inserts an invitation. Called by public.invite_member.';

COMMENT ON FUNCTION "private"."is_admin"() IS 'Returns whether the caller is an admin of the hub. Policies write (select private.is_admin()), so that the function runs once per statement, not once per row.';

COMMENT ON FUNCTION "private"."is_confirmed"(uuid, text, text) IS 'Returns whether scan_token is a token of this user for this content and has not expired.';

COMMENT ON FUNCTION "private"."is_member"() IS 'Returns whether the caller is signed in with an account. False for an anonymous session of Supabase.';

COMMENT ON FUNCTION "private"."is_old_enough"(uuid) IS 'Returns whether an account has reached the age from which its reports count (hub_settings.min_reporter_age).';

COMMENT ON FUNCTION "private"."is_own_shared"(jsonb, uuid) IS 'Returns whether a work in an attribution is a version that the given creator had shared in an organization.';

COMMENT ON FUNCTION "private"."is_reserved_name"(text) IS 'Returns whether a name, given as its username_key or name_key, seems to speak for the hub: the name is a word of the first list, or it begins with a word of the second list.';

COMMENT ON FUNCTION "private"."is_seen_by"(public.hub_assets, uuid) IS 'Returns whether a user sees a listing as a reader: the listing is visible, or it is on the shelf of one of the user''s organizations.';

COMMENT ON FUNCTION "private"."is_unchanged"(jsonb, jsonb) IS 'Returns whether one of the versions in an attribution has exactly this content, as its own payload or as an item of a kit. The name is not compared, because an import names a copy after its listing.';

COMMENT ON FUNCTION "private"."issue_my_agent_token"(text) IS 'Checks the name of the agent and the limit of 50 agents that are not revoked, then makes the agent and its token. Called by public.issue_my_agent_token.';

COMMENT ON FUNCTION "private"."joined_attribution"(jsonb, jsonb) IS 'Returns the attribution after an update, with every work that only the attribution before the update names added to its via.';

COMMENT ON FUNCTION "private"."keep_deleted_key"() IS 'Stores the name of a deleted key in api_key_deleted, so that its log rows stay readable. When the key is deleted because its user is deleted, deletes its log rows instead.';

COMMENT ON FUNCTION "private"."keep_former_name"() IS 'Stores the user name that a renamed or deleted profile had. Each new name deletes all but the five newest former names of the user.';

COMMENT ON FUNCTION "private"."keep_overwritten"(uuid, jsonb, jsonb, text) IS 'Stores the overwritten content of a copy for hub_restore_copy; keeps the newest ten of each copy.';

COMMENT ON FUNCTION "private"."keep_owner"() IS 'When an organization has lost its last owner, makes the admin who joined first its owner, or, without an admin, the member who joined first. Deletes an organization without members.';

COMMENT ON FUNCTION "private"."keeps_origins"(jsonb, jsonb) IS 'Returns whether a changed attribution has the same root, parent and claimed as before, in any versions, and still names every work that it named before.';

COMMENT ON FUNCTION "private"."key_caller"(text, uuid) IS 'Returns the owner of the pool that a caller uses, and the agent. With token_hash, these are the agent of that token and its owner; without it, the owner is the signed-in user user_id, and there is no agent. Raises PT401 invalid_credential for an unknown or revoked token, and when Auth has banned or soft-deleted the owner.';

COMMENT ON FUNCTION "private"."key_owner"() IS 'Returns the user id of the caller, who must be signed in to an account. Raises 42501 for a caller without a session or with an anonymous one.';

COMMENT ON FUNCTION "private"."lease_batch"(uuid, uuid, integer, text, text[], integer, text, bigint, uuid, timestamp with time zone) IS 'Makes the given number of leases (calls) from one tier in one statement and returns them as an array; a key may be leased several times. The caller has already locked a ready key of the tier. Leases the least used keys from (start_count, start_id) on that serve the provider, are free for the model, can be opened with live_kids, and are not locked by another transaction.';

COMMENT ON FUNCTION "private"."least_usage_count"(uuid, integer, uuid, boolean) IS 'Returns the least usage_count of the ready keys of a tier, or, with is_ready false, of its active keys that are not ready; null when there are no such keys. Leaves out the key except_id.';

COMMENT ON FUNCTION "private"."leave_organization"(uuid) IS 'Deletes the caller''s membership, unless the caller is the last owner and other members stay. Called by public.leave_organization.';

COMMENT ON FUNCTION "private"."led_organization_ids"() IS 'Returns the ids of the organizations of which the caller is an owner or admin. Policies call it in the same form as private.member_organization_ids.';

COMMENT ON FUNCTION "private"."level_for_model"(uuid, integer, text, timestamp with time zone) IS 'Levels at most 64 keys of a tier whose block for the model is over: raises their usage_count to the least usage_count of the ready keys that were free for the model, and removes the model from limited_models. Skips locked keys, so it never waits.';

COMMENT ON FUNCTION "private"."lexemes"(text, text, integer, integer) IS 'Returns the search terms of a text, as the text of a tsvector: words, pairs of characters, and, after ~, the endings of words that have at least endings_from letters.';

COMMENT ON FUNCTION "private"."lift_report"(public.api_key_usage_log) IS 'Takes back the effect of the report told on each key, and on each key with a model, whose block or disabling that report still explains. Returns whether it changed anything. Raises 55P03 like private.apply_report.';

COMMENT ON FUNCTION "private"."limit_calls"(uuid, text, integer) IS 'Counts a call of a user, such as a preview, an import, an edit or a picture, and enforces the hourly limit; with null, neither counts nor limits. Raises PT429 rate_limited.';

COMMENT ON FUNCTION "private"."limit_own_rows"(uuid, text, integer) IS 'Raises PT422 limit_reached when the owner already has the maximum number (most) of keys or of agents that are not revoked.';

COMMENT ON FUNCTION "private"."limit_publications"(uuid, integer) IS 'Refuses a publication when the user has reached the hourly limit; null means no limit. Raises PT429 rate_limited.';

COMMENT ON FUNCTION "private"."list_orders"(text, text, text) IS 'Returns a page of orders after checking that the caller is an admin. Called by public.hub_orders.';

COMMENT ON FUNCTION "private"."live_invitation"(text) IS 'Returns the invitation with that token if somebody can still join with it; otherwise null.';

COMMENT ON FUNCTION "private"."lock_for_report"(uuid, uuid, text, text) IS 'Locks the rows that a report may change and returns the ids of the keys. reach says which key rows: health: none; key: the key; account: the key and all other active keys of its account. Always locks the health rows of these keys; with model, also their rows for that model. Raises 55P03 lock_conflict when another transaction holds one of the rows: then nothing was done, so call again.';

COMMENT ON FUNCTION "private"."lock_order"(uuid) IS 'Locks the buyer of an order, then the order. Raises PT503 unavailable while the buyer''s account is being deleted.';

COMMENT ON FUNCTION "private"."lock_organization"(uuid) IS 'Locks an organization; returns false when the organization does not exist.';

COMMENT ON FUNCTION "private"."lock_origins"(uuid, jsonb) IS 'Locks the imported listing and the roots of the works that the import copies.';

COMMENT ON FUNCTION "private"."log_event"(text, uuid, uuid, uuid, jsonb, boolean) IS 'Adds an entry to the audit log. The actor is the caller, or null with by_system; the notes are those that set_audit_note has stored, public_note only for the actions hidden, removed and banned.';

COMMENT ON FUNCTION "private"."lower_low_water_mark"() IS 'When a key becomes ready, joins a tier or gets a lower usage_count: lowers the low-water mark of the tier to this key if the mark is higher, and deletes the model marks of the tier.';

COMMENT ON FUNCTION "private"."make_document"(public.hub_assets) IS 'Returns the search document of a listing. No word and no tag holds a quote, a backslash or a blank, so the text needs no escaping.';

COMMENT ON FUNCTION "private"."make_profile"(uuid, timestamp with time zone) IS 'Makes a profile with a free user name for a user who has no profile.';

COMMENT ON FUNCTION "private"."member_organization_ids"() IS 'Returns the ids of the caller''s organizations. Policies write = any (array(select private.member_organization_ids())), so that the function runs once per statement, not once per row.';

COMMENT ON FUNCTION "private"."mirror_listing"() IS 'Sets the mirrors hub_asset_id and is_public of a source row from its registry row; without a registry row, to null and false.';

COMMENT ON FUNCTION "private"."mixes_scripts"(text) IS 'Returns whether a word of the title mixes Latin letters with Cyrillic or Greek letters that look like Latin ones.';

COMMENT ON FUNCTION "private"."my_agents"() IS 'Returns the caller''s agents, each with the time of its last lease or report. Called by public.my_agents.';

COMMENT ON FUNCTION "private"."my_api_key_log"(uuid, uuid, text, timestamp with time zone) IS 'Filters the newest 1,000 log rows of each pair of a key of the caller and an agent (or the caller), and returns the newest 100 rows that pass the filters. Called by public.my_api_key_log.';

COMMENT ON FUNCTION "private"."my_api_key_pools"() IS 'Returns the rows of api_key_pools that belong to the caller. Called by public.my_api_key_pools.';

COMMENT ON FUNCTION "private"."my_api_keys"() IS 'Returns the keys of the caller with their states. Called by public.my_api_keys.';

COMMENT ON FUNCTION "private"."my_decisions"() IS 'Returns the decisions on the caller''s listings and account with their appeals. Called by public.hub_my_decisions.';

COMMENT ON FUNCTION "private"."my_paid_content"() IS 'Returns private.paid_content of the caller. Policies write (select private.my_paid_content()), so that the function runs once per statement, not once per row.';

COMMENT ON FUNCTION "private"."my_purchases"(uuid) IS 'Returns the caller''s orders, each with the amount that was refunded. Called by public.hub_my_purchases.';

COMMENT ON FUNCTION "private"."next_state"(private.key_state, private.key_report, timestamp with time zone) IS 'Returns the state of a key, or of a key with one model, after a report at the time at, together with the effect of the report. Has one branch for each rule of a report, and reads no table. Raises PT422 unknown_rule.';

COMMENT ON FUNCTION "private"."note_checkout"(uuid, text, text) IS 'Stores id and address of the payment page, unless the order has a payment page already. Called by public.hub_note_checkout.';

COMMENT ON FUNCTION "private"."note_starvation"(uuid, text, text, jsonb) IS 'Records a refused lease in api_key_starvations; refusal is the answer of pool_availability. Writes one pool_starved alert for a starvation: when it has lasted a minute, or at once when no key comes back by itself.';

COMMENT ON FUNCTION "private"."nth_slug"(text, integer) IS 'Returns the form of a slug for an attempt: the slug itself for attempt 1, with -2 to -9 for attempts 2 to 9, and with a random suffix for later attempts.';

COMMENT ON FUNCTION "private"."open_appeals"() IS 'Returns the open appeals after checking that the caller is an admin. Called by public.hub_open_appeals.';

COMMENT ON FUNCTION "private"."order_for_status"(uuid, uuid) IS 'Returns an order of the user, or any order for an admin. Called by public.hub_order_for_status.';

COMMENT ON FUNCTION "private"."order_rank"(text) IS 'Returns the rank of an order''s state. An order moves only to states of a higher rank, except that a won dispute leads back to paid.';

COMMENT ON FUNCTION "private"."orders_guard"() IS 'Refuses to change the agreed columns, or paid_at, payment_id and delivered_at once they are set. Allows only the state that follows from the events, and a lower rank only from disputed to paid. Raises PT409 order_is_fixed.';

COMMENT ON FUNCTION "private"."orders_to_ask"(integer) IS 'Returns old open orders and paid orders that were never delivered, at most `most` of each. Called by public.hub_orders_to_ask.';

COMMENT ON FUNCTION "private"."organization_by_slug"(uuid, text) IS 'Returns the id of the organization with that slug, and locks the user''s membership until the commit. Raises PT404 organization_not_found when there is no such organization or the user is not a member.';

COMMENT ON FUNCTION "private"."organization_card"(uuid) IS 'Returns id, slug and name of an organization to its members; null to everybody else.';

COMMENT ON FUNCTION "private"."organization_invitations"(uuid) IS 'Returns the invitations of an organization to its owners and admins. Called by public.organization_invitations.';

COMMENT ON FUNCTION "private"."organization_of"(uuid, uuid) IS 'Locks the membership of a user who writes to the shelf of an organization. Raises PT404 organization_not_found when the user is not a member.';

COMMENT ON FUNCTION "private"."organization_review"(uuid, boolean, text) IS 'Keeps or hides a listing of a shelf and closes its open reports. Called by public.organization_review.';

COMMENT ON FUNCTION "private"."organization_review_queue"(uuid) IS 'Returns the reported and hidden listings of a shelf to the owners and admins of its organization. Called by public.organization_review_queue.';

COMMENT ON FUNCTION "private"."own_attribution"(text, uuid) IS 'Returns the attribution of a source of the caller; null for an original.';

COMMENT ON FUNCTION "private"."own_key"(uuid) IS 'Locks the row of one of the caller''s keys and returns it. Raises PT404 key_not_found.';

COMMENT ON FUNCTION "private"."own_log"(uuid, uuid, uuid, integer) IS 'Returns the newest looked_at log rows of each pair of a key of the owner and a caller (the owner or an agent of the owner). key_id or agent_id limits this to one key or one caller; the user id of the owner as agent_id means the calls with an access token.';

COMMENT ON FUNCTION "private"."own_version"(uuid, integer) IS 'Locks the caller''s own listing, counts the call as an edit and returns a version of that listing. Raises PT403 banned or not_owner, PT404 asset_not_found or organization_not_found, PT409 not_published, PT429 rate_limited.';

COMMENT ON FUNCTION "private"."paid_content"(uuid) IS 'Returns the listings whose paid versions that user may read: the user''s own listings that were ever published, and the listings of the user''s live purchases unless they are hidden or deleted.';

COMMENT ON FUNCTION "private"."pin"(uuid, integer) IS 'Sets or clears pinned_version of the caller''s copy. Called by public.hub_pin.';

COMMENT ON FUNCTION "private"."pool_availability"(uuid, text, text[], uuid[], text) IS 'Reads all keys of a pool that serve a provider, without locks. Returns null when a key outside exclude can be leased for the model. Otherwise returns the answer of lease_api_key with the kind none: the numbers of keys that are cooling_down, limited (blocked for the model alone) or disabled, and retry_after, the seconds until the first key is free. When the pool has no key for the provider, other_providers has the first 100 providers of the pool.';

COMMENT ON FUNCTION "private"."product_id"(private.offer, uuid) IS 'Returns the id of the listing''s product at the payment provider, which gets the product with the listing''s first checkout; null for a free listing.';

COMMENT ON FUNCTION "private"."publication"(uuid, uuid, integer, boolean, text, text) IS 'Returns the answer to a publication: the listing, the version with its content, and the receipt. In a preview, shown_slug replaces the slug of the listing.';

COMMENT ON FUNCTION "private"."publish_asset"(uuid, jsonb, text, boolean, integer, text, text) IS 'Publishes, or in a dry run publishes and rolls back; a repeated request gets the stored answer. Called by public.hub_publish. hourly_limit is the limit of publications and does not apply to a dry run, because hub_begin_preview counts previews. The ids and times in a preview belong to rows that were rolled back.';

COMMENT ON FUNCTION
  "private"."publish_snapshot"(uuid, text, uuid, text, text, text, text[], text, jsonb, text, text, jsonb, jsonb, jsonb, boolean, integer, text, text, text, integer, text, text) IS
  'Publishes a snapshot, with secrets removed, of a user''s source: makes a listing or a new version, or changes nothing when the content is unchanged. With an organization, only its members can read it. Raises PT403 banned, PT404 organization_not_found or source_not_found, PT409 already_public, duplicate_content, item_hidden, label_taken, removed or scan_confirmation_required, PT422 mixed_script, organization_only, payout_account_required or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "private"."purchases_guard"() IS 'Requires that a purchase has the buyer, asset and price of its order, and refuses to change them; later a purchase can only be revoked or restored. Raises PT409 order_is_fixed.';

COMMENT ON FUNCTION "private"."raise_model_mark"(uuid, integer, text) IS 'Moves the mark of a model in a tier up to the first ready key that is not limited for the model. Does nothing while another transaction has locked the row of the tier. Never waits for a lock.';

COMMENT ON FUNCTION "private"."rebuild_tiers"(uuid) IS 'Inserts the missing tiers of a pool and sets the low-water mark of each tier below all keys. Needed after keys were inserted without firing triggers, such as from a restored dump.';

COMMENT ON FUNCTION "private"."recently_disabled_keys"(uuid, text, double precision) IS 'Returns keys of a pool and provider: the ids of those that were disabled by reports within the last window_seconds and are still disabled. Locks the row of the breaker until the transaction ends, so that no other report can disable a key there meanwhile.';

COMMENT ON FUNCTION "private"."reconcile"() IS 'Returns one row for each disagreement between orders, purchases, ledger and events, and for each order that needs attention. Called by public.hub_reconcile.';

COMMENT ON FUNCTION "private"."refresh_mirror"() IS 'Refreshes the mirrors of a listing''s source row: an update of that row fires mirror_listing, which sets them.';

COMMENT ON FUNCTION "private"."refresh_old_trending"() IS 'Renews the snapshot of trending on a hub without a schedule: the first star or import when the snapshot is more than 15 minutes old counts at most the latest 2,000 acts of each kind.';

COMMENT ON FUNCTION "private"."refresh_tier"(uuid, integer, boolean) IS 'Clears at most 64 expired cooldowns of a tier, the earliest first, moves the low-water mark of the tier up to its first ready key, and sets the time of the next expiry check. Does nothing while another transaction has locked the row of the tier, or, with only_expired, when no cooldown has expired. Never waits for a lock.';

COMMENT ON FUNCTION "private"."refuse_banned"() IS 'Raises PT403 banned when a banned caller deletes stars or follows, which row level security allows.';

COMMENT ON FUNCTION "private"."refuse_change"() IS 'Refuses the statement that fires this trigger function, whatever role runs the statement. Raises PT409 append_only.';

COMMENT ON FUNCTION "private"."refuse_faults"(jsonb) IS 'Raises PT422 validation_failed with all the given faults; does nothing when the array is empty.';

COMMENT ON FUNCTION "private"."refuse_huge_usage_count"() IS 'Raises PT422 validation_failed for a usage_count above 10^15 that is inserted, or that an update raises by more than 1,000,000 at once: somebody wrote such a count by hand.';

COMMENT ON FUNCTION "private"."refuse_last_owner"(uuid, uuid) IS 'Raises PT409 last_owner when the organization has no owner besides this user. Called under the lock of the organization.';

COMMENT ON FUNCTION "private"."refuse_more"(text, bigint, integer) IS 'Raises PT422 limit_reached, with the name of the limit, when held, the number that exists already, is at least most.';

COMMENT ON FUNCTION "private"."refuse_other_readers"(uuid, uuid, jsonb, jsonb) IS 'Refuses to publish a copy of a shared listing for readers outside its organization, also as an item of a kit; the creator of the shared listing may do so. Raises PT422 organization_only with one error for each refused content.';

COMMENT ON FUNCTION "private"."refuse_role"(text, text[]) IS 'Raises PT403 role_required, with the needed roles, when the role held is none of them.';

COMMENT ON FUNCTION "private"."refuse_same_content"(uuid, uuid, text, text) IS 'Raises PT409 duplicate_content with the slug of the listing that has the content already, unless its license is cc0 or an admin has allowed the user to publish the content.';

COMMENT ON FUNCTION "private"."refuse_state_edit"() IS 'Refuses every write to the view api_key_states; the message names the tables to edit instead. Raises PT422 read_only.';

COMMENT ON FUNCTION "private"."refuse_usage"(text, bigint) IS 'Raises PT422 limit_reached with the name of the limit and its number.';

COMMENT ON FUNCTION "private"."refuse_version_change"() IS 'Refuses changes of a version, except of label, changelog, yanked_at and yank_reason. Raises PT409 append_only.';

COMMENT ON FUNCTION "private"."release_lease"(uuid, uuid) IS 'Withdraws a lease whose sealed text could not be opened: deletes the log row of the lease and lowers usage_count by one. Unless the ciphertext was replaced meanwhile, also sets unusable_reason, so that the key is not leased until its ciphertext or owner changes, and writes a key_unopenable alert.';

COMMENT ON FUNCTION "private"."remix_cards"(uuid[], uuid[], integer) IS 'Returns the cards of a page of remixes in the order of the given ids; the first `directs` of them are marked as direct remixes.';

COMMENT ON FUNCTION "private"."remix_page"(uuid, boolean, timestamp with time zone, uuid, integer) IS 'Returns the next `wanted` visible remixes of an asset after a cursor, whose place is last_at and last_id, newest first: with direct, those made from the asset itself; otherwise those made from one of its remixes.';

COMMENT ON FUNCTION "private"."remove_api_key"(uuid) IS 'Deletes one of the caller''s keys. Called by public.remove_api_key.';

COMMENT ON FUNCTION "private"."remove_asset"(uuid, text, text) IS 'Makes a hidden asset a tombstone with the reason removed. Called by public.hub_remove_asset.';

COMMENT ON FUNCTION "private"."remove_member"(uuid, uuid) IS 'Deletes a membership and revokes the invitations by which the removed user could come back. Called by public.remove_member.';

COMMENT ON FUNCTION "private"."rename_creator"() IS 'Updates the stored names of a creator, so that a search for creators finds the current names.';

COMMENT ON FUNCTION "private"."report_answer"(public.api_key_usage_log) IS 'Builds the answer that set-key-state returns for a report from the log row of the report.';

COMMENT ON FUNCTION "private"."report_same_answer"(uuid, uuid, public.api_key_usage_log, private.key_report) IS 'Handles a report with same_answer_as, the caller''s lease of another key for which the provider gave the same answer. Records the report as caller_fault and lifts the effect of the report on that other lease. Returns null when the other lease is not the caller''s or is of the same key, was reported more than a minute ago, or has another outcome or error code, or when one of the two reports says that its key is dead. After null, report_api_key processes the report like any other. Raises 55P03 like private.apply_report.';

COMMENT ON FUNCTION "private"."republish_asset"(uuid) IS 'Makes the caller''s listing public again, or puts it on its organization''s shelf again. Called by public.hub_republish_asset.';

COMMENT ON FUNCTION "private"."require_admin"() IS 'Raises 42501 permission denied unless the caller is an admin of the hub or an operator.';

COMMENT ON FUNCTION "private"."reset_api_key"(uuid) IS 'Resets the block of one of the caller''s keys, and its blocks for single models. Called by public.reset_api_key.';

COMMENT ON FUNCTION "private"."reset_install_counts"() IS 'Sets install_count of all listings to 0 when hub_imports is truncated.';

COMMENT ON FUNCTION "private"."reset_report_counts"() IS 'Sets open_reports and counting_reports of all assets to 0 when hub_reports is truncated.';

COMMENT ON FUNCTION "private"."reset_star_counts"() IS 'Sets star_count of all listings to 0 when hub_stars is truncated.';

COMMENT ON FUNCTION "private"."resolve_appeal"(uuid, boolean, text) IS 'Sets state and answer of an appeal; triggers apply the outcome. Called by public.hub_resolve_appeal.';

COMMENT ON FUNCTION "private"."resolve_report"(uuid, text, text, text) IS 'Dismisses one report, or upholds all open reports on the asset and hides the asset. Called by public.hub_resolve_report.';

COMMENT ON FUNCTION "private"."restore_api_key_health"() IS 'Gives a key a new health row and resets the key when its health row is deleted. When the table is truncated, does this for every key.';

COMMENT ON FUNCTION "private"."restore_asset"(uuid, text) IS 'Clears is_hidden; triggers then dismiss the open reports. Called by public.hub_restore_asset.';

COMMENT ON FUNCTION "private"."restore_copy"(uuid) IS 'Writes the newest overwritten content back to the caller''s copy. If the copy was edited after the update, first stores the edited content as overwritten. Called by public.hub_restore_copy.';

COMMENT ON FUNCTION "private"."revenue"(date, date) IS 'Sums the caller''s lines of the ledger by day and listing, for at most 1,100 days. Called by public.hub_revenue.';

COMMENT ON FUNCTION "private"."review_queue"() IS 'Returns the review queue after checking that the caller is an admin. Called by public.hub_review_queue.';

COMMENT ON FUNCTION "private"."revoke_invitation"(uuid) IS 'Sets revoked_at of an invitation, for owners and admins. Called by public.revoke_invitation.';

COMMENT ON FUNCTION "private"."revoke_my_agent"(uuid) IS 'Revokes one of the caller''s agents. An agent that is revoked already keeps the time of its revocation. Called by public.revoke_my_agent.';

COMMENT ON FUNCTION "private"."same_content"(uuid, public.hub_assets, text, jsonb) IS 'Returns the oldest visible listing of somebody else that has this content in a version and was published before the asset, unless that listing or its creator is in the lineage of the asset.';

COMMENT ON FUNCTION "private"."search_by_column"(text, tsquery, tsquery, text[], text, uuid, text[], jsonb, integer) IS 'Returns the ids of visible listings in the order of a column, and in keys the value of each listing in that column.';

COMMENT ON FUNCTION "private"."search_by_relevance"(text, tsquery, jsonb, integer) IS 'Returns visible listings by how well they match: the matches worth ranking by score, then the other matches by popularity. Of the wanted rows, only the last but one has its place in `at`: it is the last row of the page, after which the next page begins.';

COMMENT ON FUNCTION "private"."search_candidates"(tsquery, jsonb) IS 'Returns the matches that are worth ranking: all, or the popular ones down to a floor. above is null on the first page, later the floor of the first page, or a JSON null when the first page had no floor.';

COMMENT ON FUNCTION "private"."search_facets"(private.search_request) IS 'Returns how many listings of a result have each type and license, and the most used tags and models of the result.';

COMMENT ON FUNCTION "private"."search_page"(private.search_request, jsonb, integer) IS 'Returns the ids of the next `wanted` visible listings, one more than a page shows, and the place of the last but one: it is the last listing of the page, after which the next page begins.';

COMMENT ON FUNCTION "private"."search_plan"(text) IS 'Returns the queries for a typed text; matches is null when the text has no word.';

COMMENT ON FUNCTION "private"."search_rare"(text, tsquery, jsonb, integer) IS 'Returns the listings that match a query, in the order of a column. Reads them by the index of documents, which is for queries that few listings match.';

COMMENT ON FUNCTION "private"."search_request"(text, text[], text[], text, text, text, text, text, text, integer, uuid) IS 'Checks the arguments of a search and returns them in normal form. Raises PT400 malformed_cursor, PT422 validation_failed with every fault.';

COMMENT ON FUNCTION "private"."searched_forms"(text) IS 'Returns the two forms of a short text in which secrets are searched: the text without invisible characters, and that form normalised (NFKC).';

COMMENT ON FUNCTION "private"."secret_patterns"() IS 'Returns regular expressions that match what looks like a secret, one per row; they work in Postgres and in JavaScript.';

COMMENT ON FUNCTION "private"."set_api_key_active"(uuid, boolean) IS 'Enables or disables one of the caller''s keys. Called by public.set_api_key_active.';

COMMENT ON FUNCTION "private"."set_audit_note"(text, text) IS 'Stores an admin''s note and the note for the creator. private.log_event copies both into the entries that this transaction adds to the audit log.';

COMMENT ON FUNCTION "private"."set_member_role"(uuid, uuid, text) IS 'Changes a member''s role under the lock of the organization; when the role becomes member, revokes the invitations by which the user could get the old role back. Called by public.set_member_role.';

COMMENT ON FUNCTION "private"."set_picture"(uuid, text, jsonb, integer) IS 'Stores or removes the picture of a user''s listing and counts the call for the hourly limit. Called by public.hub_set_picture.';

COMMENT ON FUNCTION "private"."shelf_page"(private.search_request, uuid, integer) IS 'Returns the ids of the next `wanted` listings on a shelf, and in keys the value by which each is sorted; nothing when the caller is not a member of the organization.';

COMMENT ON FUNCTION "private"."shown_attribution"(jsonb) IS 'Returns an attribution as a badge shows it: root, parent and via with their authors'' current names and whether they can be opened or are deleted, and a sentence about the original.';

COMMENT ON FUNCTION "private"."shown_origin"(jsonb) IS 'Returns a work of an attribution as readers see it: with the current name of its creator, and whether it can be opened or is deleted.';

COMMENT ON FUNCTION "private"."slips"(text) IS 'Returns the first seven letters of a word with at most one letter left out, or at most two for a word of eight or more letters; nothing for a word with digits, with fewer than 4 or with more than 40 letters.';

COMMENT ON FUNCTION "private"."source_bytes"(jsonb) IS 'Returns the number of bytes that a source row adds to the size of a workspace. A new column of a source table changes this number, so its migration must recount private.workspace_usage.';

COMMENT ON FUNCTION "private"."spelling_candidates"(text) IS 'Returns at most four words of which the given word may be a misspelling; none when a word of a listing begins with the given word.';

COMMENT ON FUNCTION "private"."starting_with"(text) IS 'Returns the text of a tsquery for all words with this beginning; when there are at most 16 such words, the query lists them. Null when there is no such word.';

COMMENT ON FUNCTION "private"."tag_bits"(text[]) IS 'Returns a number in which each tag sets one of 64 bits. A listing with all of the given tags has all of their bits; a listing with all of the bits may still lack a tag.';

COMMENT ON FUNCTION "private"."title_key"(text) IS 'Returns the folded words of a title: titles that differ only in case, accents or signs have the same key.';

COMMENT ON FUNCTION "private"."to_cursor"(jsonb) IS 'Encodes a place in a list, such as the id and the time of the last row of a page, as a cursor.';

COMMENT ON FUNCTION "private"."tombstone"(text) IS 'Returns what readers see of a deleted listing: the fields that an attribution would show of it, or only deleted = true when moderation had hidden it. Raises PT404 asset_not_found for any other asset.';

COMMENT ON FUNCTION "private"."unban_creator"(uuid) IS 'Deletes the ban of a creator; triggers then show the creator''s listings again. Called by public.hub_unban_creator.';

COMMENT ON FUNCTION "private"."unbooked"(uuid) IS 'Returns the amounts that the ledger of an order still lacks; no row once every event is booked.';

COMMENT ON FUNCTION "private"."unfeature_asset"(uuid) IS 'Deletes a listing from hub_featured. Called by public.hub_unfeature_asset.';

COMMENT ON FUNCTION "private"."unpublish_asset"(uuid) IS 'Clears is_public and shared_at of the caller''s listing. Called by public.hub_unpublish_asset.';

COMMENT ON FUNCTION "private"."unyank_version"(uuid, integer) IS 'Takes back a yank, makes the version current again if it is newer than the current one, and logs that the yank was taken back. Called by public.hub_unyank_version.';

COMMENT ON FUNCTION "private"."update_copy"(uuid, jsonb, uuid, integer, text, boolean, uuid, boolean) IS 'Writes the content of another version into the rows that an import made, and adds the items that are new in this version; deletes nothing. Raises PT403 purchase_required, PT404 asset_not_found, PT409 modified_copy or version_yanked, PT422 validation_failed, PT503 unavailable.';

COMMENT ON FUNCTION "private"."updates"() IS 'Returns the news about the caller''s copies, each with its kind. Called by public.hub_updates.';

COMMENT ON FUNCTION "private"."user_api_keys_after_write"() IS 'Inserts the health row of a new key. Clears the block of a key that is replaced, enabled or given away, and stores disabled_by_operator as the reason of a key that is disabled.';

COMMENT ON FUNCTION "private"."user_api_keys_before_write"() IS 'Checks and completes a key row that is inserted or edited. Raises PT422 for text that is not sealed (the message does not repeat the text), for a key that the pool already has, for a provider that is not valid, and for an account with 100 keys. Moves the fingerprint and the key hint from the written text into their columns. Sets generation and usage_count, and undoes edits of the copies of blocks.';

COMMENT ON FUNCTION "private"."username_key"(text) IS 'Returns the form of a user name that must be unique: in lower case, without _ and -, with o for 0 and with l for 1 and i, which look alike.';

COMMENT ON FUNCTION "private"."verify_creator"(text, boolean) IS 'Sets or clears verified_at of a creator and logs the change. Called by public.hub_verify_creator.';

COMMENT ON FUNCTION "private"."versions"(text) IS 'Returns the versions of a listing that the caller may know of. Called by public.hub_versions.';

COMMENT ON FUNCTION "private"."yank_version"(uuid, integer, text) IS 'Yanks a version, makes another version current if the yanked one was, and logs the yank. Called by public.hub_yank_version.';

COMMENT ON FUNCTION "public"."accept_invitation"(text) IS 'Makes the caller a member of the organization of an invitation and returns the organization: {id, slug, name}. For a caller who is a member already, changes nothing. Raises PT403 banned or other_address, PT404 invitation_not_found, PT422 limit_reached.';

COMMENT ON FUNCTION "public"."add_api_key"(text, text, text, text, integer) IS 'Adds a key to the caller''s pool and returns {id, name, hint}. sealed is the key as sealed text, which the caller has bound to the caller''s user id. Raises PT422 limit_reached when the pool has 200 keys already. Also raises PT422 account_too_large, duplicate_key, key_not_sealed, provider_not_valid or validation_failed.';

COMMENT ON FUNCTION "public"."claim_api_key_alerts"(integer) IS 'For keyhub-alerts: writes a pool_starved alert for each pool that has been starved for a minute and has no such alert yet. Then returns at most `most` unsent alerts of the last day, oldest first. No other call returns these alerts for two minutes.';

COMMENT ON FUNCTION "public"."hub_apply_account_event"(text, text, text, boolean, timestamp with time zone) IS 'For payment-webhook: stores whether the provider accepts payments for a creator''s account. Returns {outcome: applied, duplicate or unknown}.';

COMMENT ON FUNCTION "public"."hub_apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) IS 'For payment-webhook and hub-checkout: stores an event of the payment provider about an order and applies its effects: {outcome: applied, duplicate, mismatch or unknown; undelivered: whether the payment is due back}. Raises PT503 unavailable while the buyer''s account is being deleted.';

COMMENT ON FUNCTION "public"."hub_asset"(text, integer) IS 'Returns one listing with its content: the current version, or the given older one. Everybody may read an open version that is not yanked, the listing''s owner and admins any version, and importers any version except a yanked one that they did not import. For a deleted listing, returns only the fields of an attribution and deleted = true; if moderation had hidden it, only deleted = true. Raises PT404 asset_not_found.';

COMMENT ON FUNCTION "public"."hub_ban_creator"(uuid, text, text) IS 'For admins: hides all assets of a user and refuses all writes of the user to the hub; the user reads public_note. Banning a user again changes nothing. Raises PT404 user_not_found, PT422 cannot_ban_self or cannot_ban_admin.';

COMMENT ON FUNCTION "public"."hub_begin_checkout"(uuid, text, text, integer) IS 'For hub-checkout: returns the buyer''s open order for a listing that is on sale, or a new order; checkout_url is null until the order has a payment page. Raises PT403 banned, PT404 asset_not_found, PT409 already_purchased or not_for_sale, PT422 own_asset, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_begin_onboarding"(uuid, text, text) IS 'For hub-checkout: returns the id of a creator''s account at the provider, or null when there is none; a given account_id is stored if there is none yet. Raises PT403 banned.';

COMMENT ON FUNCTION "public"."hub_begin_preview"(uuid, integer) IS 'For hub-publish: counts a preview before anything is read or scanned for it, so that the dry run of hub_publish, which follows, need not count it. Raises PT401 invalid_credential, PT403 banned, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_begin_refund"(uuid, integer, text) IS 'For hub-checkout, called as an admin: logs why a payment or a part of it is refunded, and returns what the provider needs for the refund. With amount_cents null, the amount is all that was not refunded yet. The order changes when the provider reports the refund. Raises PT404 order_not_found, also for everybody who is not an admin, PT409 not_refundable, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_check_counters"() IS 'For operators: returns one row for each counter that differs from the number of rows it counts; no row when all counters are right. For the counters of accounts and creators, asset_id holds the id of the user.';

COMMENT ON FUNCTION "public"."hub_delete_asset"(uuid) IS 'Turns the caller''s own listing into a tombstone: versions and stars are deleted, slug and reports stay, remixes keep working; while a buyer has a live purchase of the listing, it is only unpublished. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 not_published.';

COMMENT ON FUNCTION "public"."hub_dismiss_update"(uuid, integer) IS 'Makes hub_updates leave out, for the caller''s copy, the versions of the imported listing up to the given version. Raises PT403 banned, PT404 asset_not_found, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_edit_version"(uuid, integer, text, text) IS 'Replaces label and changelog of a version of the caller''s own listing; a null or empty argument removes the stored one. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 label_taken or not_published, PT422 secret_detected or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_feature_asset"(uuid, integer) IS 'For admins: adds a visible listing to the curated collection, at the end or at the given place, or moves it to that place. Raises 42501, PT404 asset_not_found, PT409 not_visible.';

COMMENT ON FUNCTION "public"."hub_featured_assets"() IS 'Returns the cards of the curated collection in the order of the collection, at most 100: {items}.';

COMMENT ON FUNCTION "public"."hub_hide_asset"(uuid, text, text) IS 'For admins: hides a visible or shared asset. note is required and only admins and operators read it; the creator of the asset reads public_note. Raises PT404 asset_not_found, PT409 not_visible.';

COMMENT ON FUNCTION "public"."hub_my_decisions"() IS 'Returns the decisions of moderation on the caller''s listings and account (hidden, removed, banned), newest first, at most 200: category, the note for the creator, date, version, whether the decision is in force, and the appeal. A banned user may call it.';

COMMENT ON FUNCTION "public"."hub_my_purchases"(uuid) IS 'Returns the newest 500 paid orders of the caller, or the order with that id in any state: [{order_id, asset_id, title, slug, asset_type, price_cents, currency, refunded_cents, state, readable, created_at, paid_at}]; slug is null when the listing is hidden or deleted.';

COMMENT ON FUNCTION "public"."hub_orders"(text, text, text) IS 'For admins: returns orders, newest first, 50 a page: {items: [{id, state, title, slug, asset_type, price_cents, currency, fee_cents, refunded_cents, created_at, paid_at, buyer, creator}], next_cursor}. q is the id of an order, a part of a title, or the username of a buyer or creator. Raises 42501, PT400 malformed_cursor.';

COMMENT ON FUNCTION "public"."hub_orders_to_ask"(integer) IS 'For payment-webhook: returns orders that have been open for more than an hour, and paid orders that were never delivered, so that their money is due back, oldest first and at most `most` of each: [{order_id, checkout_id, payment_id, price_cents, currency, undelivered}].';

COMMENT ON FUNCTION "public"."hub_pin"(uuid, integer) IS 'Pins the caller''s copy to the version that the copy has, so that hub_updates does not list newer versions. With version null, hub_updates lists newer versions again. Raises PT403 banned, PT404 asset_not_found, PT409 version_yanked, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_prune"() IS 'For operators: deletes idempotent responses older than 24 hours, expired scan tokens, calls counted for hourly limits more than one hour ago, overwritten contents of copies older than 30 days, user names given up at least 180 days ago, and words that no visible listing has any more; returns the number of deleted rows.';

COMMENT ON FUNCTION "public"."hub_publish"(uuid, jsonb, text, boolean, integer, text, text) IS 'For hub-publish: publishes prepared content, with secrets removed: {asset_type, ref_id, slug, title, description, tags, thumbnail_url, license, payload, sha256, scan, redactions, items, label, changelog, organization, price_cents, currency, teaser, content_sha256 if the scan has findings}; a dry run returns what would be published and changes nothing. Raises PT403 banned, PT404 organization_not_found or source_not_found, PT409 already_public, duplicate_content, item_hidden, label_taken, removed or scan_confirmation_required, PT422 idempotency_key_reused, mixed_script, organization_only, payout_account_required or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_reconcile"() IS 'For operators: returns one row for each problem of an order. ledger, state, purchase: the books differ from the events (never, unless a trigger was disabled); mismatch, unknown: an event whose amount, currency or provider differs from its order, or an event without an order; refund_failed: the buyer did not get the money of a refund; undelivered: the order is paid but not delivered, so the money is due back; open: the order has been open for more than an hour, although payment-webhook asks the provider about it every hour.';

COMMENT ON FUNCTION "public"."hub_refresh_discovery"() IS 'For operators and schedules: computes trending and the counts of categories, so that no call of a reader has to count them.';

COMMENT ON FUNCTION "public"."hub_remixes"(uuid, text) IS 'Returns the visible remixes of an asset, the direct ones before the others, each newest first, 24 a page: {items, next_cursor}. Raises PT400 malformed_cursor.';

COMMENT ON FUNCTION "public"."hub_remove_asset"(uuid, text, text) IS 'For admins: removes a hidden asset permanently; a tombstone keeps its id and slug. The creator of the asset reads public_note. Raises PT404 asset_not_found, PT409 not_hidden.';

COMMENT ON FUNCTION "public"."hub_republish_asset"(uuid) IS 'Republishes the caller''s own listing with its current version, to the same readers as before; a listing that moderation has hidden stays hidden. Raises PT403 banned or not_owner, PT404 asset_not_found or organization_not_found, PT409 not_published.';

COMMENT ON FUNCTION "public"."hub_resolve_appeal"(uuid, boolean, text) IS 'For admins: answers an appeal; with accept = true, restores the listing or lifts the ban. Raises PT404 appeal_not_found, PT409 appeal_resolved, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_resolve_report"(uuid, text, text, text) IS 'For admins: the outcome dismissed closes this report; the outcome upheld closes all open reports on the asset and hides the asset, whose creator reads public_note. Raises PT404 report_not_found, PT409 report_resolved, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_review_queue"() IS 'For admins: returns the assets that are hidden or have open reports, with these reports; hidden assets first, at most 500. Leaves out the assets about which the admins of an organization decide.';

COMMENT ON FUNCTION "public"."hub_search"(text, text[], text[], text, text, text, text, text, text, integer, boolean) IS 'Returns visible listings that match the words and filters: {items, next_cursor}, and with facets = true also facets. Raises PT400 malformed_cursor, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_unchanged"(jsonb) IS 'For hub-publish: contents are [{payload, attribution}]. Returns [boolean]: for each content, whether it still equals a version or kit item that its attribution names.';

COMMENT ON FUNCTION "public"."hub_unyank_version"(uuid, integer) IS 'Takes back the yank of a version of the caller''s own listing; a version that is newer than the current one becomes current again, if it is for the same readers and is paid or free like the current one. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 not_published, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_updates"() IS 'Returns the caller''s copies about which there is news: the parent has a newer version (newer_version; not for pinned copies or dismissed versions), the version that the copy was made from was withdrawn (yanked), or a work that the copy was made from was hidden for malicious code (malicious_code) or removed (removed).';

COMMENT ON FUNCTION "public"."hub_verify_creator"(text, boolean) IS 'For admins: marks a creator as verified, or removes the mark; the fee of later orders is that of a verified creator, or without the mark the usual one. Raises 42501, PT404 user_not_found.';

COMMENT ON FUNCTION "public"."hub_versions"(text) IS 'Returns the newest 100 versions of a listing, newest first: [{version, label, changelog, license, sha256, published_at, yanked, yank_reason, readable}]; readable: whether hub_asset returns the content of the version to the caller; sha256 is null for a paid version that the caller has not bought. Raises PT404 asset_not_found.';

COMMENT ON FUNCTION "public"."hub_yank_version"(uuid, integer, text) IS 'Withdraws a version of the caller''s own listing: it cannot be imported any more, and only the creator of the listing, admins and users who imported this version can read it. If it was the current version, the newest version that is not yanked, has the same readers and is paid or free like this version becomes current; without such a version, the call is refused with last_version. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 last_version or not_published, PT422 secret_detected or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."invitation"(text) IS 'Returns the organization that an invitation is for: {name}. Raises PT404 invitation_not_found, also when the invitation is used up, expired or revoked.';

COMMENT ON FUNCTION "public"."invite_member"(uuid, text, text, integer, integer) IS 'For owners and admins: makes an invitation; only owners may invite an admin. Returns {id, token, expires_at}; the token cannot be read again later. With email, only the account with that address can accept the invitation. At most 100 live invitations per organization. Raises PT403 banned or role_required, PT404 organization_not_found, PT422 limit_reached or validation_failed.';

COMMENT ON FUNCTION "public"."issue_my_agent_token"(text) IS 'Makes an agent of the caller''s pool and returns {id, token}; the token cannot be read again later. Raises PT422 limit_reached when the pool has 50 agents already that are not revoked, and PT422 validation_failed.';

COMMENT ON FUNCTION "public"."keyhub_schedule"() IS 'For operators and migrations: makes or replaces every pg_cron job of the project and returns the names of the jobs. Leaves out the jobs that call edge functions where pg_net or Vault is not enabled. Where pg_cron is not enabled, makes no job and returns an empty array.';

COMMENT ON FUNCTION "public"."lease_api_key"(text, uuid, text, text[], uuid, integer, integer, uuid[], text) IS 'Leases one eligible key of the caller''s pool. For the function get-active-key. The answer has a kind. leased: the lease with its key. none: no key can be leased now; the answer has the numbers of blocked keys by their state and the seconds until a key is free, and, when the pool has no key of the requested provider, other_providers with the providers that it has. retry: other calls have locked the keys and this call must not wait for them, so call again with attempt raised by one. With model, skips keys that are limited for the model. Skips the keys of exclude unless no other key can be leased. With calls above 1, returns an array of that many leases; an answer of the kind none or retry applies to all of these calls. Raises PT401 invalid_credential, and 55P03 when a lock was not granted in time: then nothing was done, so call again.';

COMMENT ON FUNCTION "public"."leave_organization"(uuid) IS 'Lets the caller leave the organization; when the last member leaves, the organization is closed. Raises PT403 banned, PT404 organization_not_found, PT409 last_owner.';

COMMENT ON FUNCTION "public"."my_agents"() IS 'Returns the caller''s agents: [{id, name, created_at, revoked_at, last_used_at}].';

COMMENT ON FUNCTION "public"."my_api_key_log"(uuid, uuid, text, timestamp with time zone) IS 'Returns the newest 100 leases and reports of the caller''s pool, newest first: [{id, at, reported_at, key_id, agent_id, model, outcome, error_code, effect, scope}]. Four optional filters: key_id; agent_id (the caller''s own user id: calls with an access token); outcome (open: not reported yet); before: only rows from before this time. The filters outcome and before look only at the newest 1,000 rows of each key and agent.';

COMMENT ON FUNCTION "public"."my_api_key_pools"() IS 'Returns the rows of the view api_key_pools for the caller''s pool, one for each provider, without user_id.';

COMMENT ON FUNCTION "public"."my_api_keys"() IS 'Returns the caller''s keys with their states, never with their sealed texts: [{id, name, provider, account, priority, hint, state, why, since, seconds_left, limited_models, usage_count, last_outcome, last_error_code, last_reported_at, created_at}].';

COMMENT ON FUNCTION "public"."organization_review"(uuid, boolean, text) IS 'For owners and admins: with keep = true, dismisses the open reports on a listing of their shelf and shows the listing again if it was hidden; with keep = false, upholds the reports and hides the listing, whose creator reads the note. Raises PT403 banned or role_required, PT404 asset_not_found, PT409 hidden_by_hub, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."organization_review_queue"(uuid) IS 'For owners and admins: returns the listings on their shelf that are reported or hidden, hidden listings first, at most 200: [{asset_id, asset_type, slug, title, creator, is_hidden, hidden_reason, open_reports, reports}]. Raises PT404 organization_not_found.';

COMMENT ON FUNCTION "public"."prune_api_key_usage_log"(interval, integer, integer) IS 'Deletes at most batch log rows that are older than keep and returns how many rows it deleted. Starts at the page where the last call stopped. Reads at most the given number of pages. Without pages it may read the whole log; then call it until it returns 0. Keeps the rows that explain a block that still lasts or a disabled key. Also deletes alerts and starvations that are older than keep, and the rows of api_key_deleted that have no log row left.';

COMMENT ON FUNCTION "public"."reenable_keys"(uuid, text, timestamp with time zone) IS 'For operators: enables the keys of a pool that reports have disabled since a given time, and returns these keys. provider limits this to the keys of one provider; null: all keys. Keys that operators disabled stay disabled.';

COMMENT ON FUNCTION "public"."remove_api_key"(uuid) IS 'Deletes one of the caller''s keys. Its log rows, and its name beside them, stay until the log is pruned. Raises PT404 key_not_found.';

COMMENT ON FUNCTION "public"."remove_member"(uuid, uuid) IS 'Removes a member: owners may remove anybody, admins only members who are neither owner nor admin. The removed member keeps imported copies but gets no more updates. Raises PT403 banned or role_required, PT404 member_not_found or organization_not_found, PT409 last_owner.';

COMMENT ON FUNCTION "public"."report_and_lease"(jsonb, text, uuid, text, text[], uuid[], text) IS 'Calls report_api_key and then lease_api_key in one transaction and returns both answers as {reported, lease}. For the function get-active-key. When lease has the kind retry, the report was recorded: call lease_api_key alone. Raises the errors of both functions; after an error, neither the report nor a lease was made.';

COMMENT ON FUNCTION "public"."report_api_key"(jsonb, text, uuid, uuid, uuid) IS 'Records the outcome of one use of a key and changes the state of the key accordingly. For the function set-key-state. report has the fields of private.key_report, as core makes them: outcome, rule, error_code and the numbers of the rule. Its field hint_given is true when the provider stated a wait, even one that core could not read. An agent may report only on its own leases, the owner of the pool on every lease of the pool. Raises PT401 invalid_credential, PT404 lease_not_found or key_not_found, PT409 already_reported, PT422 lease_key_mismatch, and 55P03 when another transaction kept a row locked: then nothing was done, so call again.';

COMMENT ON FUNCTION "public"."report_successes"(uuid[], text, uuid) IS 'Reports the successes of one caller in one transaction. For the function set-key-state. Returns an array with one entry for each lease of lease_ids: the answer of report_api_key, or {"kind": "retry"} for a lease that the caller must report with report_api_key, because the report may change the key, must be refused, or would have to wait for a lock. Waits for no row. Raises PT401 invalid_credential.';

COMMENT ON FUNCTION "public"."reseal_api_key"(uuid, text, text) IS 'For operators (npm run reseal): replaces the sealed text of a key with the same key sealed to a newer pair. Returns false, and changes nothing, when the stored text is not the expected one any more.';

COMMENT ON FUNCTION "public"."reset_api_key"(uuid) IS 'Resets the block of one of the caller''s keys, and its blocks for single models. Raises PT404 key_not_found.';

COMMENT ON FUNCTION "public"."revoke_my_agent"(uuid) IS 'Revokes the token of one of the caller''s agents. Raises PT404 agent_not_found.';

COMMENT ON FUNCTION "public"."set_api_key_active"(uuid, boolean) IS 'Enables (active true) or disables one of the caller''s keys. Raises PT404 key_not_found.';

COMMENT ON FUNCTION "public"."settle_api_key_alerts"(uuid[], uuid[]) IS 'For keyhub-alerts: marks the alerts with the ids of sent as sent. Releases the alerts with the ids of failed, so that the next call of claim_api_key_alerts may return them again.';

COMMENT ON FUNCTION "public"."undo_reports"(uuid, uuid, timestamp with time zone) IS 'For operators: takes back what the reports of an agent since a given time have done to a pool. Resets the blocks and enables the keys whose present state one of these reports explains, and returns the keys. agent_id null: the reports that the owner made with an access token. Blocks and keys that an operator has changed since stay as they are.';

COMMENT ON SCHEMA "private" IS 'Internal functions and tables, which the API (PostgREST) never exposes.';

COMMENT ON TABLE "private"."api_key_breakers" IS 'The breakers: one row per pool and provider, inserted before a report first disables a key there. A report that is about to disable a key locks the row, so that two reports cannot both disable the last key that the breaker allows.';

COMMENT ON TABLE "private"."api_key_log_pruning" IS 'One row: the page of the usage log where the next pruning starts. A wrong page number does no harm, because pruning goes on to the other pages afterwards.';

COMMENT ON TABLE "private"."api_key_tiers" IS 'The tiers of each pool, with the low-water mark, where a search for the least used ready key of the tier starts. A tier keeps its row when it has no keys any more.';

COMMENT ON TABLE "private"."hub_allowed_content" IS 'Users who may publish content that equals a version of the listing asset_id, because an admin has allowed it.';

COMMENT ON TABLE "private"."hub_calls" IS 'Previews, imports, edits, pictures and checkouts of the last hour, for their limits. Each call deletes the expired rows of its user and kind; hub_prune deletes those of all users.';

COMMENT ON TABLE "private"."hub_copies" IS 'Data of copies that their registry rows do not have: one row for each copy of a listing.';

COMMENT ON TABLE "private"."hub_creators" IS 'Creators who have or had visible listings, with the sums over the visible listings. Maintained by triggers; hub_check_counters compares the sums.';

COMMENT ON TABLE "private"."hub_former_names" IS 'User names that users gave up by a new name or by the deletion of their account. For 180 days nobody else may take such a name, and the name still finds its former owner.';

COMMENT ON TABLE "private"."hub_idempotent_responses" IS 'Answers of hub-publish and hub-import by Idempotency-Key, each kept for 24 hours.';

COMMENT ON TABLE "private"."hub_moderation" IS 'One row per asset, inserted with the asset. When counting_reports reaches the threshold of private.count_reports, the asset is hidden.';

COMMENT ON TABLE "private"."hub_overwritten" IS 'Contents that updates of copies have overwritten, kept for 30 days and at most 10 per copy; hub_restore_copy brings back the newest content of a copy.';

COMMENT ON TABLE "private"."hub_scan_tokens" IS 'Tokens for confirming the findings of a scan, at most the newest ten for each user and content. Only the hash of a token is stored.';

COMMENT ON TABLE "private"."hub_snapshots" IS 'Stored results of trending and of the counts of categories. hub_refresh_discovery writes both results; writers of stars and imports renew only trending.';

COMMENT ON TABLE "private"."hub_words" IS 'The words of all documents, for completing the beginning of a word and for correcting a misspelling. hub_prune deletes words that no document holds.';

COMMENT ON TABLE "private"."ledger" IS 'Every amount that moved: what an account gained by an event, or lost when amount_cents is negative. The lines of an event add up to zero.';

COMMENT ON TABLE "private"."orders" IS 'Orders, as agreed when the checkout began. state follows from private.payment_events; apart from state, only columns whose value becomes known later change, such as paid_at.';

COMMENT ON TABLE "private"."organization_invitations" IS 'Links by which users join an organization. Only the hash of the token in a link is stored.';

COMMENT ON TABLE "private"."workspace_usage" IS 'The number of rows and bytes of each account in the four source tables. Written by triggers; hub_check_counters compares it with the source rows.';

COMMENT ON TABLE "public"."ai_model_settings" IS 'AI presets of a user''s workspace. Only the columns on the allow-list of the core package are published.';

COMMENT ON TABLE "public"."api_key_agents" IS 'Agents and the SHA-256 (hex) of their tokens. Revoke a token with: update api_key_agents set revoked_at = now() where id = ...';

COMMENT ON TABLE "public"."api_key_alerts" IS 'Events in a pool that an operator should look at. The edge function keyhub-alerts sends them. Pruning the usage log also deletes old alerts.';

COMMENT ON TABLE "public"."api_key_deleted" IS 'Deleted keys that still have rows in api_key_usage_log. A trigger inserts a row when a key is deleted; pruning the log deletes the row when the last log row of the key is gone. Deleting a row by hand also deletes the log rows of that key.';

COMMENT ON TABLE "public"."api_key_health" IS 'The health of each key, one row per key, inserted together with the key. Reset a block with: update api_key_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ...';

COMMENT ON TABLE "public"."api_key_model_health" IS 'Blocks of a key for one model, at most 200 rows per key. A column that api_key_health also has means the same here, for the one model. Reset one block with: update api_key_model_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ... and model = ...; a reset of the key in api_key_health resets all models of the key.';

COMMENT ON TABLE "public"."api_key_starvations" IS 'Starvations: periods in which no key of a pool could be leased for the requested provider and model. Pruning the usage log also deletes old starvations.';

COMMENT ON TABLE "public"."api_key_usage_log" IS 'Who leased which key when, and which outcome was reported. id is the id of the lease. Never holds a provider''s error text.';

COMMENT ON TABLE "public"."hub_admins" IS 'Admins, who moderate the hub. An operator adds one by insert into hub_admins (user_id) values (...).';

COMMENT ON TABLE "public"."hub_appeals" IS 'Appeals of creators against decisions of moderation. Setting state to accepted restores the listing or lifts the ban.';

COMMENT ON TABLE "public"."hub_asset_versions" IS 'Published snapshots, with secrets removed; deleted only with the listing. The owner may edit label and changelog, and yank a version; nothing else changes. Readers see the current version, and other versions with is_open that are not yanked.';

COMMENT ON TABLE "public"."hub_featured" IS 'The listings of the curated collection on the landing page, in order of position. Edited by operators and admins.';

COMMENT ON TABLE "public"."hub_follows" IS 'Which users follow which creators; at most 1,000 creators per user. Following a creator again changes nothing.';

COMMENT ON TABLE "public"."hub_imports" IS 'One row for each import of an asset by a user. install_count of an asset is the number of the rows of that asset where counts is true.';

COMMENT ON TABLE "public"."hub_payout_accounts" IS 'The accounts of creators at the payment provider, which receive the creators'' share of sales.';

COMMENT ON TABLE "public"."hub_pictures" IS 'Pictures of listings, at most one per listing. The function hub-picture checks the bytes and removes their metadata before they are stored; everybody who may read a listing may read its picture.';

COMMENT ON TABLE "public"."hub_profiles" IS 'Public profiles: one row for each user, as other users see that user. A trigger makes the row of a new user.';

COMMENT ON TABLE "public"."hub_reports" IS 'Reports of listings. Setting resolved by hand dismisses a report; hub_resolve_report can also uphold a report, which hides the listing.';

COMMENT ON TABLE "public"."hub_stars" IS 'One star per user and asset. Starring an asset again changes nothing.';

COMMENT ON TABLE "public"."organizations" IS 'Teams that share listings among their members. Only members see the row. The last member who leaves closes the organization: the row is deleted.';

COMMENT ON TABLE "public"."user_api_keys" IS 'API keys of providers, stored as sealed text. A key may be leased when its ready_at is not later than now and the functions have its seal pair. Order in which leases select the keys of a pool: priority descending, usage_count ascending, id ascending.';

COMMENT ON TYPE "private"."key_report" IS 'A report as core passes it to SQL: its outcome, its rule and the numbers of the rule. cause: the reason that is stored with a block that the report sets. issued_at and key_generation come from the lease of the report. scope: what the provider''s answer is about: request, model, key, account or, with null, none of these. model: the model of the report, otherwise the model of its lease. dead: the provider''s answer says that the key is dead.';

COMMENT ON TYPE "private"."key_state" IS 'The columns of a key and its health row, or of its health row for one model, that next_state reads and changes. The last four are set by next_state alone: state_before, state_after, effect, and hint (what happened to the wait that the provider stated).';

COMMENT ON VIEW "private"."key_leases" IS 'One row per key: its id, its usage_count, and in lease the JSON object with the fields of the key that a lease returns. lease_api_key and lease_batch raise usage_count through this view and add lease_id, leased_at and model to the object.';

COMMENT ON VIEW "public"."api_key_pools" IS 'For operators: one row for each provider of a pool. available, limited, cooling_down and disabled: how many keys are available for every model, limited for some models, cooling down or disabled. soonest_seconds: the seconds until the first cooling key is back. leases_last_hour and failures_last_hour: the leases of the last hour and the failures reported on them, for the keys that exist now. starved_since: since when no key could be leased.';

COMMENT ON VIEW "public"."api_key_states" IS 'For operators: one row per key with its state, why it has this state, since when and for how many more seconds, and the models that the key is limited for (api_key_model_health has the details). A key that is sealed to a pair that is not live shows as available here although no call leases it, because only the functions know the live pairs.';
