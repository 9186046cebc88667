-- SQL functions that hub-checkout calls, for orders and for the payout accounts of creators, and the list of a user's purchases.
create function private.begin_checkout(user_id uuid, listing text, provider text, hourly_limit integer)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
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
$$;
comment on function private.begin_checkout is 'Returns the buyer''s open order if its terms still hold; otherwise expires that order and makes a new order. Called by public.hub_begin_checkout.';
revoke execute on function private.begin_checkout from public, anon, authenticated, service_role;
grant execute on function private.begin_checkout to service_role;

create function public.hub_begin_checkout(user_id uuid, listing text, provider text, hourly_limit integer)
returns jsonb
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.begin_checkout(
    hub_begin_checkout.user_id, hub_begin_checkout.listing, hub_begin_checkout.provider, hub_begin_checkout.hourly_limit
  );
$$;
comment on function public.hub_begin_checkout is 'For hub-checkout: returns the buyer''s open order for a listing that is on sale, or a new order; checkout_url is null until the order has a payment page. Raises PT403 banned, PT404 asset_not_found, PT409 already_purchased or not_for_sale, PT422 own_asset, PT429 rate_limited.';
revoke execute on function public.hub_begin_checkout from public, anon, authenticated, service_role;
grant execute on function public.hub_begin_checkout to service_role;

create function private.note_checkout(order_id uuid, checkout_id text, checkout_url text)
returns void
language sql
volatile
security definer
set search_path = ''
as $$
  update private.orders o
  set checkout_id = note_checkout.checkout_id, checkout_url = note_checkout.checkout_url
  where o.id = note_checkout.order_id and o.checkout_id is null;
$$;
comment on function private.note_checkout is 'Stores id and address of the payment page, unless the order has a payment page already. Called by public.hub_note_checkout.';
revoke execute on function private.note_checkout from public, anon, authenticated, service_role;
grant execute on function private.note_checkout to service_role;

create function public.hub_note_checkout(order_id uuid, checkout_id text, checkout_url text)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.note_checkout(hub_note_checkout.order_id, hub_note_checkout.checkout_id, hub_note_checkout.checkout_url);
$$;
comment on function public.hub_note_checkout is 'For hub-checkout: stores the payment page that the provider made for an order.';
revoke execute on function public.hub_note_checkout from public, anon, authenticated, service_role;
grant execute on function public.hub_note_checkout to service_role;

create function private.begin_onboarding(user_id uuid, provider text, account_id text)
returns text
language plpgsql
volatile
security definer
set search_path = ''
as $$
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
$$;
comment on function private.begin_onboarding is 'Stores a creator''s payout account if it is the creator''s first account at this provider, and returns the stored account. Called by public.hub_begin_onboarding.';
revoke execute on function private.begin_onboarding from public, anon, authenticated, service_role;
grant execute on function private.begin_onboarding to service_role;

create function public.hub_begin_onboarding(user_id uuid, provider text, account_id text default null)
returns text
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.begin_onboarding(hub_begin_onboarding.user_id, hub_begin_onboarding.provider, hub_begin_onboarding.account_id);
$$;
comment on function public.hub_begin_onboarding is 'For hub-checkout: returns the id of a creator''s account at the provider, or null when there is none; a given account_id is stored if there is none yet. Raises PT403 banned.';
revoke execute on function public.hub_begin_onboarding from public, anon, authenticated, service_role;
grant execute on function public.hub_begin_onboarding to service_role;

create function private.my_purchases(order_id uuid)
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'order_id', o.id,
      'asset_id', o.asset_id,
      'title', o.title,
      'slug', case when a.deleted_at is null and not a.is_hidden then a.slug end,
      'asset_type', a.asset_type,
      'price_cents', o.price_cents,
      'currency', o.currency,
      'refunded_cents', coalesce((
        select sum(l.amount_cents) from private.ledger l where l.order_id = o.id and l.account = 'buyer' and l.kind = 'refund'
      ), 0),
      'state', o.state,
      'readable', p.id is not null and p.revoked_at is null,
      'created_at', o.created_at,
      'paid_at', o.paid_at
    )
    order by o.created_at desc
  ), '[]')
  from (
    select * from private.orders o
    where o.buyer_id = (select auth.uid())
      and case when my_purchases.order_id is null then o.state not in ('open', 'expired') else o.id = my_purchases.order_id end
    order by o.created_at desc
    limit 500
  ) o
  left join public.hub_purchases p on p.order_id = o.id
  left join public.hub_assets a on a.id = o.asset_id;
$$;
comment on function private.my_purchases is 'Returns the caller''s orders, each with the amount that was refunded. Called by public.hub_my_purchases.';
revoke execute on function private.my_purchases from public, anon, authenticated, service_role;
grant execute on function private.my_purchases to authenticated;

create function public.hub_my_purchases(order_id uuid default null)
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select private.my_purchases(hub_my_purchases.order_id);
$$;
comment on function public.hub_my_purchases is 'Returns the newest 500 paid orders of the caller, or the order with that id in any state: [{order_id, asset_id, title, slug, asset_type, price_cents, currency, refunded_cents, state, readable, created_at, paid_at}]; slug is null when the listing is hidden or deleted.';
revoke execute on function public.hub_my_purchases from public, anon, authenticated, service_role;
grant execute on function public.hub_my_purchases to authenticated;
