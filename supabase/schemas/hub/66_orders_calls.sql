-- Calls for admins about orders and creators.
create function private.begin_refund(order_id uuid, amount_cents integer, reason text)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  ordered private.orders;
  refunded integer;
begin
  -- Only admins and operators may learn whether an order exists.
  if not (private.is_admin() or private.is_operator()) then
    raise exception using errcode = 'PT404', message = 'order_not_found';
  end if;
  if private.clean(begin_refund.reason) is null then
    perform private.refuse_faults(private.fault('reason', 'required', 'is required'));
  end if;
  select o.* into ordered from private.orders o where o.id = begin_refund.order_id for no key update;
  if not found then
    raise exception using errcode = 'PT404', message = 'order_not_found';
  end if;
  select j.refunded_cents into refunded from private.judge_order(ordered.id) j;
  if ordered.state not in ('paid', 'refunded') or ordered.payment_id is null or refunded >= ordered.price_cents then
    raise exception using errcode = 'PT409', message = 'not_refundable';
  end if;
  if (coalesce(begin_refund.amount_cents, ordered.price_cents - refunded) between 1 and ordered.price_cents - refunded) is not true then
    perform private.refuse_faults(private.fault(
      'amount_cents', 'invalid_value', 'must be 1 to ' || (ordered.price_cents - refunded) || ', what is left of the payment'
    ));
  end if;
  perform private.set_audit_note(begin_refund.reason);
  perform private.log_event(
    'refund_requested', ordered.asset_id, ordered.creator_id,
    details => jsonb_build_object('order_id', ordered.id, 'amount_cents', coalesce(begin_refund.amount_cents, ordered.price_cents - refunded))
  );
  return jsonb_build_object(
    'order_id', ordered.id, 'payment_id', ordered.payment_id, 'price_cents', ordered.price_cents, 'currency', ordered.currency,
    'amount_cents', coalesce(begin_refund.amount_cents, ordered.price_cents - refunded)
  );
end;
$$;
comment on function private.begin_refund is 'Checks the amount of a refund and logs the request; the ledger does not change yet. Called by public.hub_begin_refund.';
revoke execute on function private.begin_refund from public, anon, authenticated, service_role;
grant execute on function private.begin_refund to authenticated;

create function public.hub_begin_refund(order_id uuid, amount_cents integer, reason text)
returns jsonb
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.begin_refund(hub_begin_refund.order_id, hub_begin_refund.amount_cents, hub_begin_refund.reason);
$$;
comment on function public.hub_begin_refund is 'For hub-checkout, called as an admin: logs why a payment or a part of it is refunded, and returns what the provider needs for the refund. With amount_cents null, the amount is all that was not refunded yet. The order changes when the provider reports the refund. Raises PT404 order_not_found, also for everybody who is not an admin, PT409 not_refundable, PT422 validation_failed.';
revoke execute on function public.hub_begin_refund from public, anon, authenticated, service_role;
grant execute on function public.hub_begin_refund to authenticated;

create function private.list_orders(q text, state text, cursor text)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  page_size constant integer := 50;
  list constant jsonb := jsonb_build_array('orders', list_orders.q, list_orders.state);
  place jsonb;
  rows jsonb;
begin
  perform private.require_admin();
  if list_orders.cursor is not null then
    place := private.from_cursor(list_orders.cursor, list);
    if not pg_input_is_valid(place ->> 'at', 'timestamptz') or not pg_input_is_valid(place ->> 'id', 'uuid') then
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
  end if;
  select coalesce(jsonb_agg(to_jsonb(r) order by r.created_at desc, r.id desc), '[]') into rows
  from (
    select o.id, o.state, o.title, a.slug, a.asset_type, o.price_cents, o.currency, o.fee_cents, o.created_at, o.paid_at,
      b.username as buyer, c.username as creator,
      coalesce((
        select sum(l.amount_cents) from private.ledger l where l.order_id = o.id and l.account = 'buyer' and l.kind = 'refund'
      ), 0) as refunded_cents
    from private.orders o
    left join public.hub_assets a on a.id = o.asset_id
    left join public.hub_profiles b on b.user_id = o.buyer_id
    left join public.hub_profiles c on c.user_id = o.creator_id
    where (list_orders.state is null or o.state = list_orders.state)
      and (place is null or (o.created_at, o.id) < ((place ->> 'at')::timestamptz, (place ->> 'id')::uuid))
      and (
        list_orders.q is null
        or o.id::text = lower(list_orders.q)
        or strpos(lower(o.title), lower(list_orders.q)) > 0
        or lower(b.username) = lower(list_orders.q)
        or lower(c.username) = lower(list_orders.q)
      )
    order by o.created_at desc, o.id desc
    limit page_size + 1
  ) r;
  return jsonb_build_object(
    'items', (select coalesce(jsonb_agg(r.value order by r.place), '[]') from jsonb_array_elements(rows) with ordinality r (value, place) where r.place <= page_size),
    'next_cursor', case
      when jsonb_array_length(rows) > page_size
      then private.to_cursor(jsonb_build_object('list', list, 'at', rows -> (page_size - 1) -> 'created_at', 'id', rows -> (page_size - 1) -> 'id'))
    end
  );
end;
$$;
comment on function private.list_orders is 'Returns a page of orders after checking that the caller is an admin. Called by public.hub_orders.';
revoke execute on function private.list_orders from public, anon, authenticated, service_role;
grant execute on function private.list_orders to authenticated;

create function public.hub_orders(q text default null, state text default null, cursor text default null)
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select private.list_orders(hub_orders.q, hub_orders.state, hub_orders.cursor);
$$;
comment on function public.hub_orders is 'For admins: returns orders, newest first, 50 a page: {items: [{id, state, title, slug, asset_type, price_cents, currency, fee_cents, refunded_cents, created_at, paid_at, buyer, creator}], next_cursor}. q is the id of an order, a part of a title, or the username of a buyer or creator. Raises 42501, PT400 malformed_cursor.';
revoke execute on function public.hub_orders from public, anon, authenticated, service_role;
grant execute on function public.hub_orders to authenticated;

create function private.verify_creator(username text, verified boolean)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  creator constant uuid := private.creator_by_name(verify_creator.username);
begin
  perform private.require_admin();
  if creator is null then
    raise exception using errcode = 'PT404', message = 'user_not_found';
  end if;
  update public.hub_profiles p
  set verified_at = case when verify_creator.verified then clock_timestamp() end
  where p.user_id = creator and (p.verified_at is not null) is distinct from verify_creator.verified;
  if found then
    perform private.log_event(case when verify_creator.verified then 'creator_verified' else 'creator_unverified' end, user_id => creator);
  end if;
end;
$$;
comment on function private.verify_creator is 'Sets or clears verified_at of a creator and logs the change. Called by public.hub_verify_creator.';
revoke execute on function private.verify_creator from public, anon, authenticated, service_role;
grant execute on function private.verify_creator to authenticated;

create function public.hub_verify_creator(username text, verified boolean)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.verify_creator(hub_verify_creator.username, hub_verify_creator.verified);
$$;
comment on function public.hub_verify_creator is 'For admins: marks a creator as verified, or removes the mark; the fee of later orders is that of a verified creator, or without the mark the usual one. Raises 42501, PT404 user_not_found.';
revoke execute on function public.hub_verify_creator from public, anon, authenticated, service_role;
grant execute on function public.hub_verify_creator to authenticated;
