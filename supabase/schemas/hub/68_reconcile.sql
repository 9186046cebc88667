-- Compares the books with the provider's events and corrects nothing, because a person reads the rows of hub_reconcile and decides.
-- payment-webhook asks the provider about open orders (hub_orders_to_ask).
create function private.reconcile()
returns table (order_id uuid, problem text, detail jsonb)
language sql
stable
security definer
set search_path = ''
as $$
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
$$;
comment on function private.reconcile is 'Returns one row for each disagreement between orders, purchases, ledger and events, and for each order that needs attention. Called by public.hub_reconcile.';
revoke execute on function private.reconcile from public, anon, authenticated, service_role;
grant execute on function private.reconcile to service_role;

create function public.hub_reconcile()
returns table (order_id uuid, problem text, detail jsonb)
language sql
stable
security invoker
set search_path = ''
as $$
  select r.order_id, r.problem, r.detail from private.reconcile() r;
$$;
comment on function public.hub_reconcile is 'For operators: returns one row for each problem of an order. ledger, state, purchase: the books differ from the events (never, unless a trigger was disabled); mismatch, unknown: an event whose amount, currency or provider differs from its order, or an event without an order; refund_failed: the buyer did not get the money of a refund; undelivered: the order is paid but not delivered, so the money is due back; open: the order has been open for more than an hour, although payment-webhook asks the provider about it every hour.';
revoke execute on function public.hub_reconcile from public, anon, authenticated, service_role;
grant execute on function public.hub_reconcile to service_role;

create function private.orders_to_ask(most integer)
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'order_id', o.id, 'checkout_id', o.checkout_id, 'payment_id', o.payment_id, 'price_cents', o.price_cents, 'currency', o.currency,
    'undelivered', o.state = 'paid'
  )), '[]')
  from (
    (
      select * from private.orders o
      where o.state = 'open' and o.created_at < clock_timestamp() - interval '1 hour'
      order by o.created_at
      limit orders_to_ask.most
    )
    union all
    (
      select * from private.orders o
      where o.state = 'paid' and o.delivered_at is null
      order by o.created_at
      limit orders_to_ask.most
    )
  ) o;
$$;
comment on function private.orders_to_ask is 'Returns old open orders and paid orders that were never delivered, at most `most` of each. Called by public.hub_orders_to_ask.';
revoke execute on function private.orders_to_ask from public, anon, authenticated, service_role;
grant execute on function private.orders_to_ask to service_role;

create function public.hub_orders_to_ask(most integer)
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select private.orders_to_ask(hub_orders_to_ask.most);
$$;
comment on function public.hub_orders_to_ask is 'For payment-webhook: returns orders that have been open for more than an hour, and paid orders that were never delivered, so that their money is due back, oldest first and at most `most` of each: [{order_id, checkout_id, payment_id, price_cents, currency, undelivered}].';
revoke execute on function public.hub_orders_to_ask from public, anon, authenticated, service_role;
grant execute on function public.hub_orders_to_ask to service_role;

create function private.order_for_status(order_id uuid, user_id uuid)
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'order_id', o.id, 'checkout_id', o.checkout_id, 'payment_id', o.payment_id, 'price_cents', o.price_cents, 'currency', o.currency,
    'state', o.state
  )
  from private.orders o
  where o.id = order_for_status.order_id
    and (
      o.buyer_id = order_for_status.user_id
      or exists (select from public.hub_admins a where a.user_id = order_for_status.user_id)
    );
$$;
comment on function private.order_for_status is 'Returns an order of the user, or any order for an admin. Called by public.hub_order_for_status.';
revoke execute on function private.order_for_status from public, anon, authenticated, service_role;
grant execute on function private.order_for_status to service_role;

create function public.hub_order_for_status(order_id uuid, user_id uuid)
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select private.order_for_status(hub_order_for_status.order_id, hub_order_for_status.user_id);
$$;
comment on function public.hub_order_for_status is 'For hub-checkout: returns the data for asking the provider about an order of that user, or, for an admin, of anybody: {order_id, checkout_id, payment_id, price_cents, currency, state}; null when there is no such order.';
revoke execute on function public.hub_order_for_status from public, anon, authenticated, service_role;
grant execute on function public.hub_order_for_status to service_role;
