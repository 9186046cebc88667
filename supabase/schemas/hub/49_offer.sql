-- The offer of a paid listing: price, currency, teaser and payment provider.
create type private.offer as (price_cents integer, currency text, teaser text, provider text);

create function private.check_offer(user_id uuid, license text, price_cents integer, currency text, teaser text)
returns private.offer
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  faults jsonb := '[]';
  shown constant text := private.clean(check_offer.teaser);
  own constant text := (select s.currency from public.hub_settings s);
  account public.hub_payout_accounts;
begin
  if check_offer.license <> 'paid' then
    return row(0, null, null, null)::private.offer;
  end if;
  if (check_offer.price_cents between 100 and 100000) is not true then
    faults := faults || private.fault('price_cents', 'invalid_value', 'must be 100 to 100000');
  end if;
  if coalesce(check_offer.currency, own) <> own then
    faults := faults || private.fault('currency', 'invalid_value', 'must be ' || own);
  end if;
  if shown is null then
    faults := faults || private.fault('teaser', 'required', 'is required');
  elsif char_length(shown) > 2000 then
    faults := faults || private.fault('teaser', 'too_big', 'must be at most 2000 characters');
  elsif private.has_invisible_characters(shown) then
    faults := faults || private.fault('teaser', 'invalid_text', 'must be without invisible characters');
  end if;
  perform private.refuse_faults(faults);
  select a.* into account from public.hub_payout_accounts a where a.user_id = check_offer.user_id and a.charges_enabled;
  if not found then
    raise exception using errcode = 'PT422', message = 'payout_account_required';
  end if;
  return row(check_offer.price_cents, own, shown, account.provider)::private.offer;
end;
$$;
comment on function private.check_offer is 'Checks and returns the offer of a publication; it is empty unless the license is paid. Raises PT422 payout_account_required or validation_failed.';
revoke execute on function private.check_offer from public, anon, authenticated, service_role;

create function private.product_id(offer private.offer, asset_id uuid)
returns text
language sql
immutable
set search_path = ''
as $$
  select (product_id.offer).provider || ':keyhub_' || replace(product_id.asset_id::text, '-', '');
$$;
comment on function private.product_id is 'Returns the listing''s product id at the payment provider, which gets the product with its first checkout; null for a free listing.';
revoke execute on function private.product_id from public, anon, authenticated, service_role;
