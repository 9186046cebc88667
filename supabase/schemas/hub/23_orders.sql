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
comment on table private.orders is 'Orders, as agreed when the checkout began. state follows from private.payment_events; apart from state, only columns whose value becomes known later change, such as paid_at.';
comment on column private.orders.title is 'Title of the listing at the time of the order.';
comment on column private.orders.account_id is 'The creator''s account at the provider.';
comment on column private.orders.fee_cents is 'The platform''s share of the price.';
comment on column private.orders.checkout_id is 'The provider''s id of the payment page.';
comment on column private.orders.payment_id is 'The provider''s id of the payment; a refund needs this id.';
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
comment on column private.payment_events.provider_fee_cents is 'The provider''s fee for that payment, refund or dispute, 0 when the provider has reported none.';
comment on column private.payment_events.outcome is 'applied: the event has taken effect; mismatch: amount, currency or provider differ from the order, so that the event changes nothing; unknown: the event belongs to no order or account of ours.';
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
comment on table private.ledger is 'Every amount that moved: what an account gained by an event, or lost when amount_cents is negative. The lines of an event add up to zero.';
comment on column private.ledger.kind is 'Why the amount moved: the sale, a refund, a dispute, or the provider''s fee.';
alter table private.ledger enable row level security;
revoke all on table private.ledger from public, anon, authenticated, service_role;
revoke all on sequence private.ledger_id_seq from public, anon, authenticated, service_role;
grant select on table private.ledger to service_role;

create index ledger_event_idx on private.ledger (provider, event_id);
create index ledger_order_id_idx on private.ledger (order_id);
create index ledger_creator_id_idx on private.ledger (creator_id, at);

create policy ledger_service_select on private.ledger for select to service_role using (true);

-- The purchases: each is the right of a buyer to read a listing.
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
comment on column public.hub_purchases.revoked_reason is 'refunded, disputed or lost: the state of the order that revoked the purchase; operator: somebody revoked the purchase by hand.';
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
comment on table public.hub_payout_accounts is 'The accounts of creators at the payment provider, which receive the creators'' share of sales.';
comment on column public.hub_payout_accounts.charges_enabled is 'Whether the provider accepts payments for the account: its owner can sell only while this is true.';
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
