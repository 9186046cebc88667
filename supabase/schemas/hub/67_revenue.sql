create function private.revenue("from" date, "to" date)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  if (revenue."to" >= revenue."from" and revenue."to" - revenue."from" <= 1100) is not true then
    perform private.refuse_faults(private.fault('to', 'invalid_value', 'must be a day from "from" on, at most 1100 days later'));
  end if;
  return (
    select coalesce(jsonb_agg(to_jsonb(r) order by r.day desc, r.gross_cents desc, r.asset_id), '[]')
    from (
      select (l.at at time zone 'UTC')::date as day, l.asset_id, max(o.title) as title, max(a.slug) as slug, max(a.asset_type) as asset_type,
        l.currency,
        count(*) filter (where l.kind = 'sale' and l.account = 'buyer') as sales,
        coalesce(-sum(l.amount_cents) filter (where l.kind = 'sale' and l.account = 'buyer'), 0) as gross_cents,
        coalesce(sum(l.amount_cents) filter (where l.kind in ('sale', 'refund') and l.account = 'platform'), 0) as fee_cents,
        coalesce(sum(l.amount_cents) filter (where l.kind = 'refund' and l.account = 'buyer'), 0) as refunds_cents,
        coalesce(sum(l.amount_cents) filter (where l.account = 'creator'), 0) as net_cents
      from private.ledger l
      join private.orders o on o.id = l.order_id
      left join public.hub_assets a on a.id = l.asset_id
      where l.creator_id = (select auth.uid())
        and l.at >= revenue."from" at time zone 'UTC'
        and l.at < (revenue."to" + 1) at time zone 'UTC'
        and l.kind in ('sale', 'refund')
      group by 1, l.asset_id, l.currency
    ) r
  );
end;
$$;
comment on function private.revenue is 'Sums the caller''s lines of the ledger by day and listing, for at most 1,100 days. Called by public.hub_revenue.';
revoke execute on function private.revenue from public, anon, authenticated, service_role;
grant execute on function private.revenue to authenticated;

create function public.hub_revenue("from" date, "to" date)
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select private.revenue(hub_revenue."from", hub_revenue."to");
$$;
comment on function public.hub_revenue is 'Returns the caller''s earnings, from the ledger, by day (UTC) and listing, newest first: [{day, asset_id, title, slug, asset_type, currency, sales, gross_cents, fee_cents, refunds_cents, net_cents}]; net = gross - refunds - fee. Raises PT422 validation_failed.';
revoke execute on function public.hub_revenue from public, anon, authenticated, service_role;
grant execute on function public.hub_revenue to authenticated;
