-- Events of the payment provider. Each event is applied once, with its effects in the same transaction.
create function private.deliver(ordered private.orders)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
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
$$;
comment on function private.deliver is 'Gives the buyer of a paid order access to the listing, if buyer and listing still exist and the buyer does not have access already.';
revoke execute on function private.deliver from public, anon, authenticated, service_role;

create function private.is_undelivered(order_id uuid)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  select exists (
    select from private.orders o
    left join public.hub_purchases p on p.order_id = o.id
    where o.id = is_undelivered.order_id
      and o.state = 'paid'
      -- A purchase is deleted with the account of its buyer, so a delivered order without its purchase does not count as
      -- undelivered, and no money is due back.
      and (o.delivered_at is null or p.revoked_reason = 'disputed')
  );
$$;
comment on function private.is_undelivered is 'Returns whether an order is paid but its buyer has no access: the money is due back.';
revoke execute on function private.is_undelivered from public, anon, authenticated, service_role;

create function private.settle_order(order_id uuid, provider text, event_id text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  ordered private.orders;
  told record;
begin
  select * into told from private.judge_order(settle_order.order_id);
  select o.* into ordered from private.orders o where o.id = settle_order.order_id;
  insert into private.ledger (provider, event_id, order_id, account, kind, amount_cents, currency, creator_id, asset_id)
  select settle_order.provider, settle_order.event_id, ordered.id, u.account, u.kind, u.amount_cents, ordered.currency,
    ordered.creator_id, ordered.asset_id
  from private.unbooked(ordered.id) u;
  update private.orders o
  set state = told.state,
    paid_at = coalesce(o.paid_at, case when told.state not in ('open', 'expired') then clock_timestamp() end)
  where o.id = ordered.id and o.state <> told.state;
  if told.state = 'paid' then
    perform private.deliver(ordered);
  else
    update public.hub_purchases p
    set revoked_at = coalesce(p.revoked_at, clock_timestamp()), revoked_reason = told.state
    where p.order_id = ordered.id and p.revoked_reason is distinct from told.state and p.revoked_reason is distinct from 'operator';
  end if;
end;
$$;
comment on function private.settle_order is 'Brings state, ledger and purchase of an order in line with its events; the new ledger lines belong to the given event.';
revoke execute on function private.settle_order from public, anon, authenticated, service_role;

create function private.lock_order(order_id uuid)
returns private.orders
language plpgsql
volatile
security definer
set search_path = ''
as $$
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
$$;
comment on function private.lock_order is 'Locks the buyer of an order, then the order. Raises PT503 unavailable while the buyer''s account is being deleted.';
revoke execute on function private.lock_order from public, anon, authenticated, service_role;

create function private.apply_payment_event(
  provider text,
  event_id text,
  kind text,
  order_id uuid,
  object_id text default null,
  amount_cents integer default null,
  currency text default null,
  provider_fee_cents integer default 0,
  payment_id text default null
)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  ordered constant private.orders := private.lock_order(apply_payment_event.order_id);
  verdict constant text := case
    when ordered.id is null then 'unknown'
    when apply_payment_event.kind = 'expired' then 'applied'
    when apply_payment_event.provider <> ordered.provider then 'mismatch'
    when upper(apply_payment_event.currency) is distinct from ordered.currency then 'mismatch'
    when apply_payment_event.kind = 'paid' and apply_payment_event.amount_cents is distinct from ordered.price_cents then 'mismatch'
    when (apply_payment_event.amount_cents between 1 and ordered.price_cents) is not true then 'mismatch'
    else 'applied'
  end;
begin
  insert into private.payment_events (
    provider, event_id, kind, order_id, object_id, amount_cents, currency, provider_fee_cents, outcome
  )
  values (
    apply_payment_event.provider, apply_payment_event.event_id, apply_payment_event.kind, apply_payment_event.order_id,
    apply_payment_event.object_id, apply_payment_event.amount_cents, upper(apply_payment_event.currency),
    apply_payment_event.provider_fee_cents, verdict
  )
  on conflict on constraint payment_events_pkey do nothing;
  if not found then
    return jsonb_build_object('outcome', 'duplicate', 'undelivered', private.is_undelivered(ordered.id));
  end if;
  if verdict = 'applied' then
    if apply_payment_event.payment_id is not null then
      update private.orders o set payment_id = apply_payment_event.payment_id where o.id = ordered.id and o.payment_id is null;
    end if;
    perform private.settle_order(ordered.id, apply_payment_event.provider, apply_payment_event.event_id);
  end if;
  return jsonb_build_object('outcome', verdict, 'undelivered', private.is_undelivered(ordered.id));
end;
$$;
comment on function private.apply_payment_event is 'Stores an event about an order, judges whether it fits the order, and settles the order if the event fits. Called by public.hub_apply_payment_event.';
revoke execute on function private.apply_payment_event from public, anon, authenticated, service_role;
grant execute on function private.apply_payment_event to service_role;

create function public.hub_apply_payment_event(
  provider text,
  event_id text,
  kind text,
  order_id uuid,
  object_id text default null,
  amount_cents integer default null,
  currency text default null,
  provider_fee_cents integer default 0,
  payment_id text default null
)
returns jsonb
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.apply_payment_event(
    hub_apply_payment_event.provider, hub_apply_payment_event.event_id, hub_apply_payment_event.kind, hub_apply_payment_event.order_id,
    hub_apply_payment_event.object_id, hub_apply_payment_event.amount_cents, hub_apply_payment_event.currency,
    hub_apply_payment_event.provider_fee_cents, hub_apply_payment_event.payment_id
  );
$$;
comment on function public.hub_apply_payment_event is 'For payment-webhook and hub-checkout: stores an event of the payment provider about an order and applies its effects: {outcome: applied, duplicate, mismatch or unknown; undelivered: whether the payment is due back}. Raises PT503 unavailable while the buyer''s account is being deleted.';
revoke execute on function public.hub_apply_payment_event from public, anon, authenticated, service_role;
grant execute on function public.hub_apply_payment_event to service_role;

create function private.apply_account_event(provider text, event_id text, account_id text, charges_enabled boolean, at timestamptz)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  owner uuid;
begin
  select a.user_id into owner
  from public.hub_payout_accounts a
  where a.provider = apply_account_event.provider and a.account_id = apply_account_event.account_id
  for no key update;
  insert into private.payment_events (provider, event_id, kind, object_id, outcome)
  values (
    apply_account_event.provider, apply_account_event.event_id, 'account', apply_account_event.account_id,
    case when owner is null then 'unknown' else 'applied' end
  )
  on conflict on constraint payment_events_pkey do nothing;
  if not found then
    return '{"outcome": "duplicate"}';
  end if;
  update public.hub_payout_accounts a
  set charges_enabled = apply_account_event.charges_enabled, reported_at = apply_account_event.at
  where a.user_id = owner
    -- Events arrive in any sequence: an older one is ignored.
    and (a.reported_at is null or a.reported_at <= apply_account_event.at);
  return jsonb_build_object('outcome', case when owner is null then 'unknown' else 'applied' end);
end;
$$;
comment on function private.apply_account_event is 'Stores an event about a payout account and updates charges_enabled unless a newer event was applied. Called by public.hub_apply_account_event.';
revoke execute on function private.apply_account_event from public, anon, authenticated, service_role;
grant execute on function private.apply_account_event to service_role;

create function public.hub_apply_account_event(provider text, event_id text, account_id text, charges_enabled boolean, at timestamptz)
returns jsonb
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.apply_account_event(
    hub_apply_account_event.provider, hub_apply_account_event.event_id, hub_apply_account_event.account_id,
    hub_apply_account_event.charges_enabled, hub_apply_account_event.at
  );
$$;
comment on function public.hub_apply_account_event is 'For payment-webhook: stores whether the provider accepts payments for a creator''s account. Returns {outcome: applied, duplicate or unknown}.';
revoke execute on function public.hub_apply_account_event from public, anon, authenticated, service_role;
grant execute on function public.hub_apply_account_event to service_role;
