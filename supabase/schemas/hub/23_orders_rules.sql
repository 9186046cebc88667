-- The rules of orders, purchases and the ledger: states follow from events, purchases from paid orders, and the ledger adds up.

-- Computes the state of an order from its events. The result depends on which events exist, not on their sequence: a refund that
-- arrives before its payment takes effect together with the payment. A dispute that was reported both as lost and as won is lost. A
-- refund of the whole price ends the buyer's access even when the refund fails later; the failure only removes the refund from the
-- books.
create function private.judge_order(order_id uuid)
returns table (state text, refunded_cents integer, disputed_cents integer, provider_fee_cents integer, refund_failed boolean)
language sql
stable
security definer
set search_path = ''
as $$
  with told as (
    select
      e.object_id,
      bool_or(e.kind = 'paid') as paid,
      bool_or(e.kind = 'expired') as expired,
      bool_or(e.kind = 'refunded') as refunded,
      bool_or(e.kind = 'refund_failed') as failed,
      bool_or(e.kind in ('disputed', 'dispute_lost')) as disputed,
      bool_or(e.kind = 'dispute_won') as won,
      bool_or(e.kind = 'dispute_lost') as lost,
      max(e.amount_cents) as amount,
      max(e.provider_fee_cents) as fee
    from private.payment_events e
    where e.order_id = judge_order.order_id and e.outcome = 'applied'
    group by e.object_id
  ),
  summed as (
    select
      coalesce(bool_or(t.paid), false) as paid,
      coalesce(bool_or(t.expired), false) as expired,
      coalesce(bool_or(t.lost), false) as lost,
      coalesce(bool_or(t.disputed and not t.won and not t.lost), false) as disputed,
      coalesce(bool_or(t.refunded and t.failed), false) as refund_failed,
      coalesce(sum(t.amount) filter (where t.refunded), 0) as attempted,
      coalesce(sum(t.amount) filter (where t.refunded and not t.failed), 0) as refunded,
      coalesce(sum(t.amount) filter (where t.disputed and (t.lost or not t.won)), 0) as taken,
      coalesce(sum(t.fee), 0) as fees
    from told t
  )
  select
    case
      when not s.paid then case when s.expired then 'expired' else 'open' end
      when s.attempted >= o.price_cents then 'refunded'
      when s.lost then 'lost'
      when s.disputed then 'disputed'
      else 'paid'
    end,
    case when s.paid then least(s.refunded, o.price_cents) else 0 end::integer,
    case when s.paid then s.taken else 0 end::integer,
    case when s.paid then s.fees else 0 end::integer,
    s.refund_failed
  from private.orders o, summed s
  where o.id = judge_order.order_id;
$$;
comment on function private.judge_order is 'Returns the state of an order and the amounts that moved, according to its events.';
revoke execute on function private.judge_order from public, anon, authenticated, service_role;

create function private.due_lines(order_id uuid)
returns table (kind text, account text, amount_cents integer)
language sql
stable
security definer
set search_path = ''
as $$
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
$$;
comment on function private.due_lines is 'Returns the amounts that the ledger must have for an order after all its events, by kind and account.';
revoke execute on function private.due_lines from public, anon, authenticated, service_role;

create function private.unbooked(order_id uuid)
returns table (kind text, account text, amount_cents integer)
language sql
stable
security definer
set search_path = ''
as $$
  select coalesce(d.kind, b.kind), coalesce(d.account, b.account), (coalesce(d.amount_cents, 0) - coalesce(b.booked, 0))::integer
  from private.due_lines(unbooked.order_id) d
  full join (
    select l.kind, l.account, sum(l.amount_cents) as booked
    from private.ledger l
    where l.order_id = unbooked.order_id
    group by l.kind, l.account
  ) b on b.kind = d.kind and b.account = d.account
  where coalesce(d.amount_cents, 0) <> coalesce(b.booked, 0);
$$;
comment on function private.unbooked is 'Returns the amounts that the ledger of an order still lacks; no row once every event is booked.';
revoke execute on function private.unbooked from public, anon, authenticated, service_role;

create function private.ledger_adds_up()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if (select sum(l.amount_cents) from private.ledger l where l.provider = new.provider and l.event_id = new.event_id) <> 0 then
    raise exception using errcode = 'PT409', message = 'ledger_unbalanced';
  end if;
  return null;
end;
$$;
comment on function private.ledger_adds_up is 'Refuses lines of an event that do not add up to zero. Raises PT409 ledger_unbalanced at the commit.';
revoke execute on function private.ledger_adds_up from public, anon, authenticated, service_role;

create constraint trigger ledger_adds_up
after insert on private.ledger
deferrable initially deferred
for each row execute function private.ledger_adds_up();

create function private.order_rank(state text)
returns integer
language sql
immutable
set search_path = ''
as $$
  select array_position(array['open', 'expired', 'paid', 'disputed', 'lost', 'refunded'], order_rank.state);
$$;
comment on function private.order_rank is 'Returns the rank of an order''s state. An order moves only to states of a higher rank, except that a won dispute leads back to paid.';
revoke execute on function private.order_rank from public, anon, authenticated, service_role;

create function private.orders_guard()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  changing constant text[] := array['state', 'checkout_id', 'checkout_url', 'payment_id', 'paid_at', 'delivered_at'];
begin
  if to_jsonb(new) - changing is distinct from to_jsonb(old) - changing
    or (old.paid_at is not null and new.paid_at is distinct from old.paid_at)
    or (old.payment_id is not null and new.payment_id is distinct from old.payment_id)
    or (old.delivered_at is not null and new.delivered_at is distinct from old.delivered_at)
  then
    raise exception using errcode = 'PT409', message = 'order_is_fixed';
  end if;
  if new.state is distinct from old.state and (
    (private.order_rank(new.state) < private.order_rank(old.state) and (old.state, new.state) <> ('disputed', 'paid'))
    or new.state <> (select j.state from private.judge_order(new.id) j)
  ) then
    raise exception using errcode = 'PT409', message = 'order_is_fixed', detail = '{"hint": "the state follows from payment_events"}';
  end if;
  return new;
end;
$$;
comment on function private.orders_guard is 'Refuses to change the agreed columns, or paid_at, payment_id and delivered_at once they are set. Allows only the state that follows from the events, and a lower rank only from disputed to paid. Raises PT409 order_is_fixed.';
revoke execute on function private.orders_guard from public, anon, authenticated, service_role;

create trigger orders_guard before update on private.orders
for each row execute function private.orders_guard();

create function private.purchases_guard()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  changing constant text[] := array['revoked_at', 'revoked_reason'];
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - changing is distinct from to_jsonb(old) - changing then
    raise exception using errcode = 'PT409', message = 'order_is_fixed', detail = '{"table": "hub_purchases"}';
  end if;
  if new.revoked_at is not null then
    new.revoked_reason := coalesce(new.revoked_reason, 'operator');
  end if;
  if tg_op = 'INSERT' and not exists (
    select from private.orders o
    where o.id = new.order_id and o.buyer_id = new.user_id and o.asset_id = new.asset_id
      and o.price_cents = new.price_cents and o.currency = new.currency
  ) then
    raise exception using errcode = 'PT409', message = 'order_is_fixed', detail = '{"table": "hub_purchases"}';
  end if;
  return new;
end;
$$;
comment on function private.purchases_guard is 'Requires that a purchase has the buyer, asset and price of its order, and refuses to change them; later a purchase can only be revoked or restored. Raises PT409 order_is_fixed.';
revoke execute on function private.purchases_guard from public, anon, authenticated, service_role;

create trigger hub_purchases_guard before insert or update on public.hub_purchases
for each row execute function private.purchases_guard();

create function private.purchases_are_paid()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if exists (
    select from public.hub_purchases p
    join private.orders o on o.id = p.order_id
    where p.order_id = case tg_table_name when 'orders' then to_jsonb(new) ->> 'id' else to_jsonb(new) ->> 'order_id' end::uuid
      and p.revoked_at is null
      and o.state <> 'paid'
  ) then
    raise exception using errcode = 'PT409', message = 'purchase_unpaid';
  end if;
  return null;
end;
$$;
comment on function private.purchases_are_paid is 'Requires that a live purchase has a paid order. Raises PT409 purchase_unpaid at the commit.';
revoke execute on function private.purchases_are_paid from public, anon, authenticated, service_role;

create constraint trigger hub_purchases_are_paid
after insert or update on public.hub_purchases
deferrable initially deferred
for each row execute function private.purchases_are_paid();
create constraint trigger orders_purchases_are_paid
after update of state on private.orders
deferrable initially deferred
for each row execute function private.purchases_are_paid();
