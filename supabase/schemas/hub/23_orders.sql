-- Sales. An order keeps the terms of the time when its checkout began. Only private.payment_events records what happened to the
-- order later, and private.ledger has every amount that moved. Both are append-only. No foreign key refers to users or listings:
-- users and listings can be deleted, but the books stay. See docs/design/payments.md.
create table private.orders (
  id uuid not null default gen_random_uuid(),
  buyer_id uuid not null,
  creator_id uuid not null,
  asset_id uuid not null,
  title text not null,
  provider text not null,
  account_id text not null,
  price_cents integer not null,
  currency text not null,
  fee_bps integer not null,
  fee_cents integer not null,
  state text not null default 'open',
  checkout_id text,
  checkout_url text,
  payment_id text,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null default clock_timestamp() + interval '1 hour',
  paid_at timestamptz,
  delivered_at timestamptz,
  constraint orders_pkey primary key (id),
  constraint orders_state_check check (state in ('open', 'expired', 'paid', 'disputed', 'lost', 'refunded')),
  constraint orders_price_cents_check check (price_cents between 100 and 100000),
  constraint orders_currency_check check (currency ~ '^[A-Z]{3}$'),
  constraint orders_fee_check check (fee_bps >= 0 and fee_bps <= 10000 and fee_cents = (price_cents::bigint * fee_bps + 5000) / 10000),
  constraint orders_buyer_check check (buyer_id <> creator_id)
);
comment on table private.orders is 'Orders, as agreed when the checkout began. state follows from private.payment_events; besides it, only columns that become known later change.';
comment on column private.orders.title is 'Title of the listing at the time of the order.';
comment on column private.orders.account_id is 'The creator''s account at the provider.';
comment on column private.orders.fee_cents is 'The platform''s share of the price.';
comment on column private.orders.checkout_id is 'The provider''s id of the payment page.';
comment on column private.orders.payment_id is 'The provider''s id of the payment; refunds need it.';
comment on column private.orders.delivered_at is 'When the buyer first got access to the listing.';
alter table private.orders enable row level security;
revoke all on table private.orders from public, anon, authenticated, service_role;
grant select on table private.orders to service_role;

create index orders_buyer_id_idx on private.orders (buyer_id, created_at desc);
create index orders_newest_idx on private.orders (created_at desc, id desc);
create index orders_open_idx on private.orders (created_at) where state = 'open';
create index orders_undelivered_idx on private.orders (created_at) where state = 'paid' and delivered_at is null;
create unique index orders_one_open_key on private.orders (buyer_id, asset_id) where state = 'open';

create policy orders_service_select on private.orders for select to service_role using (true);

create table private.payment_events (
  provider text not null,
  event_id text not null,
  kind text not null,
  order_id uuid,
  object_id text,
  amount_cents integer,
  currency text,
  provider_fee_cents integer not null default 0,
  outcome text not null,
  received_at timestamptz not null default clock_timestamp(),
  constraint payment_events_pkey primary key (provider, event_id),
  constraint payment_events_kind_check check (
    kind in ('paid', 'expired', 'refunded', 'refund_failed', 'disputed', 'dispute_won', 'dispute_lost', 'account')
  ),
  constraint payment_events_outcome_check check (outcome in ('applied', 'mismatch', 'unknown')),
  constraint payment_events_fee_check check (provider_fee_cents >= 0),
  constraint payment_events_object_check check (outcome <> 'applied' or object_id is not null)
);
comment on table private.payment_events is 'Events that the payment provider reported, each once. The state of an order and its ledger follow from the applied events, whatever the sequence in which they arrived.';
comment on column private.payment_events.object_id is 'The payment, refund, dispute or account that the event is about.';
comment on column private.payment_events.provider_fee_cents is 'The provider''s fee for it, as far as the provider has reported one.';
comment on column private.payment_events.outcome is 'mismatch: amount, currency or provider differ from the order, so that the event changes nothing; unknown: the event belongs to no order or account of ours.';
alter table private.payment_events enable row level security;
revoke all on table private.payment_events from public, anon, authenticated, service_role;
grant select on table private.payment_events to service_role;

create index payment_events_order_id_idx on private.payment_events (order_id) where order_id is not null;
create index payment_events_refused_idx on private.payment_events (received_at) where outcome <> 'applied';

create policy payment_events_service_select on private.payment_events for select to service_role using (true);

create table private.ledger (
  id bigint not null generated always as identity,
  provider text not null,
  event_id text not null,
  order_id uuid not null,
  account text not null,
  kind text not null,
  amount_cents integer not null,
  currency text not null,
  creator_id uuid not null,
  asset_id uuid not null,
  at timestamptz not null default clock_timestamp(),
  constraint ledger_pkey primary key (id),
  constraint ledger_event_fkey foreign key (provider, event_id) references private.payment_events (provider, event_id),
  constraint ledger_order_id_fkey foreign key (order_id) references private.orders (id),
  constraint ledger_account_check check (account in ('buyer', 'platform', 'creator', 'provider_fee')),
  constraint ledger_kind_check check (kind in ('sale', 'refund', 'dispute', 'provider_fee')),
  constraint ledger_amount_check check (amount_cents <> 0)
);
comment on table private.ledger is 'Every amount that moved: what an account gained by an event, or lost when negative. The lines of an event add up to zero.';
comment on column private.ledger.kind is 'Why the amount moved: the sale, a refund, a dispute, or the provider''s fee.';
alter table private.ledger enable row level security;
revoke all on table private.ledger from public, anon, authenticated, service_role;
revoke all on sequence private.ledger_id_seq from public, anon, authenticated, service_role;
grant select on table private.ledger to service_role;

create index ledger_event_idx on private.ledger (provider, event_id);
create index ledger_order_id_idx on private.ledger (order_id);
create index ledger_creator_id_idx on private.ledger (creator_id, at);

create policy ledger_service_select on private.ledger for select to service_role using (true);

-- The entitlement: the right of a buyer to read a listing.
create table public.hub_purchases (
  id uuid not null default gen_random_uuid(),
  order_id uuid not null,
  user_id uuid not null,
  asset_id uuid not null,
  price_cents integer not null,
  currency text not null,
  purchased_at timestamptz not null default clock_timestamp(),
  revoked_at timestamptz,
  revoked_reason text,
  constraint hub_purchases_pkey primary key (id),
  constraint hub_purchases_order_id_key unique (order_id),
  constraint hub_purchases_order_id_fkey foreign key (order_id) references private.orders (id),
  constraint hub_purchases_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint hub_purchases_revoked_check check (
    (revoked_at is null) = (revoked_reason is null) and revoked_reason in ('refunded', 'disputed', 'lost', 'operator')
  )
);
comment on table public.hub_purchases is 'The right of a user to read a bought listing, while revoked_at is null. One row for each delivered order; deleted with the account, not with the listing.';
comment on column public.hub_purchases.revoked_reason is 'The state of the order, or operator: revoked by hand.';
alter table public.hub_purchases enable row level security;
revoke all on table public.hub_purchases from public, anon, authenticated, service_role;
grant select on table public.hub_purchases to authenticated, service_role;

create unique index hub_purchases_live_key on public.hub_purchases (user_id, asset_id) where revoked_at is null;
create index hub_purchases_asset_id_idx on public.hub_purchases (asset_id) where revoked_at is null;
create index hub_purchases_user_id_idx on public.hub_purchases (user_id);

create policy hub_purchases_select on public.hub_purchases for select to authenticated using (user_id = (select auth.uid()));
create policy hub_purchases_service_select on public.hub_purchases for select to service_role using (true);

create table public.hub_payout_accounts (
  user_id uuid not null,
  provider text not null,
  account_id text not null,
  charges_enabled boolean not null default false,
  reported_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  constraint hub_payout_accounts_pkey primary key (user_id),
  constraint hub_payout_accounts_account_key unique (provider, account_id),
  constraint hub_payout_accounts_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
);
comment on table public.hub_payout_accounts is 'The accounts of creators at the payment provider, which receive their share.';
comment on column public.hub_payout_accounts.charges_enabled is 'Whether the provider takes payments for the account: only then can its owner sell.';
comment on column public.hub_payout_accounts.reported_at is 'The provider''s time of the newest event about the account; older events that arrive later change nothing.';
alter table public.hub_payout_accounts enable row level security;
revoke all on table public.hub_payout_accounts from public, anon, authenticated, service_role;
grant select on table public.hub_payout_accounts to authenticated, service_role;

create policy hub_payout_accounts_select on public.hub_payout_accounts for select to authenticated using (user_id = (select auth.uid()));
create policy hub_payout_accounts_service_select on public.hub_payout_accounts for select to service_role using (true);

create trigger payment_events_append_only before update or delete on private.payment_events
for each row execute function private.refuse_change();
create trigger payment_events_forbid_truncate before truncate on private.payment_events
for each statement execute function private.refuse_change();
create trigger ledger_append_only before update or delete on private.ledger
for each row execute function private.refuse_change();
create trigger ledger_forbid_truncate before truncate on private.ledger
for each statement execute function private.refuse_change();
create trigger orders_forbid_delete before delete on private.orders
for each row execute function private.refuse_change();
create trigger orders_forbid_truncate before truncate on private.orders
for each statement execute function private.refuse_change();
create trigger hub_purchases_forbid_truncate before truncate on public.hub_purchases
for each statement execute function private.refuse_change();

-- Computes the state of an order from its events. The result depends on which events exist, not on their sequence: a refund that
-- arrives before its payment takes effect together with it. For a dispute, lost outweighs won. A refund ends access even when it
-- fails later; the failure only returns the money to the books.
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
  -- The platform returns its share in proportion to the refund: for the whole price, exactly the whole share.
  cross join lateral (values ((o.fee_cents::bigint * j.refunded_cents / o.price_cents)::integer)) s (fee_back)
  cross join lateral (
    values
      ('sale', 'buyer', -o.price_cents),
      ('sale', 'platform', o.fee_cents),
      ('sale', 'creator', o.price_cents - o.fee_cents),
      ('refund', 'buyer', j.refunded_cents),
      ('refund', 'platform', -s.fee_back),
      ('refund', 'creator', s.fee_back - j.refunded_cents),
      -- The platform is the seller, so it bears what a dispute takes.
      ('dispute', 'buyer', j.disputed_cents),
      ('dispute', 'platform', -j.disputed_cents),
      ('provider_fee', 'platform', -j.provider_fee_cents),
      ('provider_fee', 'provider_fee', j.provider_fee_cents)
  ) l (kind, account, amount)
  where o.id = due_lines.order_id and j.state not in ('open', 'expired') and l.amount <> 0;
$$;
comment on function private.due_lines is 'Returns what the ledger must hold for an order now, by kind and account.';
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
comment on function private.unbooked is 'Returns the amounts that the ledger of an order still lacks; none between two events.';
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
comment on function private.order_rank is 'Returns the rank of a state. An order moves only to states of a higher rank; only a won dispute leads back to paid.';
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
comment on function private.orders_guard is 'Keeps what was agreed, and lets the state move only forward, as the events say. Raises PT409 order_is_fixed.';
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
comment on function private.purchases_guard is 'Requires that a purchase has the buyer, asset and price of its order and keeps them; it can only be revoked and given back. Raises PT409 order_is_fixed.';
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
