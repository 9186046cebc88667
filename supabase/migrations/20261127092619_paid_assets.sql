SET local check_function_bodies = off;

DROP POLICY "hub_asset_versions_select" ON "public"."hub_asset_versions";

DROP POLICY "hub_assets_select" ON "public"."hub_assets";

DROP TRIGGER "hub_assets_30_guard_update" ON "public"."hub_assets";

DROP INDEX "public"."hub_purchases_asset_id_idx";

DROP VIEW "public"."hub_listings";

ALTER TABLE "private"."hub_calls"
  DROP CONSTRAINT "hub_calls_kind_check";

ALTER TABLE "public"."hub_assets"
  DROP CONSTRAINT "hub_assets_price_cents_check";

ALTER TABLE "public"."hub_events"
  DROP CONSTRAINT "hub_events_action_check";

ALTER TABLE "public"."hub_purchases"
  DROP CONSTRAINT "hub_purchases_asset_id_fkey";

ALTER TABLE "public"."hub_purchases"
  DROP CONSTRAINT "hub_purchases_currency_check";

ALTER TABLE "public"."hub_purchases"
  DROP CONSTRAINT "hub_purchases_pkey";

ALTER TABLE "public"."hub_purchases"
  DROP CONSTRAINT "hub_purchases_price_cents_check";

DROP FUNCTION "private"."insert_listing"(uuid, text, uuid, text, text, text, text[], text, text, uuid);

DROP FUNCTION "private"."publish_snapshot"(uuid, text, uuid, text, text, text, text[], text, jsonb, text, text, jsonb, jsonb, jsonb, boolean, integer, text, text, text);

ALTER TABLE "public"."hub_purchases"
  DROP COLUMN "provider_reference";

ALTER TABLE "public"."hub_purchases"
  DROP COLUMN "version";

CREATE TABLE "private"."ledger" (
  "id"           bigint                   GENERATED ALWAYS AS IDENTITY NOT NULL,
  "provider"     text                     NOT NULL,
  "event_id"     text                     NOT NULL,
  "order_id"     uuid                     NOT NULL,
  "account"      text                     NOT NULL,
  "kind"         text                     NOT NULL,
  "amount_cents" integer                  NOT NULL,
  "currency"     text                     NOT NULL,
  "creator_id"   uuid                     NOT NULL,
  "asset_id"     uuid                     NOT NULL,
  "at"           timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT "ledger_account_check" CHECK ((account = ANY (ARRAY['buyer'::text, 'platform'::text, 'creator'::text, 'provider_fee'::text]))),
  CONSTRAINT "ledger_amount_check" CHECK ((amount_cents <> 0)),
  CONSTRAINT "ledger_kind_check" CHECK ((kind = ANY (ARRAY['sale'::text, 'refund'::text, 'dispute'::text, 'provider_fee'::text]))),
  CONSTRAINT "ledger_pkey" PRIMARY KEY (id)
);

ALTER TABLE "private"."ledger"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."orders" (
  "id"           uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "buyer_id"     uuid                     NOT NULL,
  "creator_id"   uuid                     NOT NULL,
  "asset_id"     uuid                     NOT NULL,
  "title"        text                     NOT NULL,
  "provider"     text                     NOT NULL,
  "account_id"   text                     NOT NULL,
  "price_cents"  integer                  NOT NULL,
  "currency"     text                     NOT NULL,
  "fee_bps"      integer                  NOT NULL,
  "fee_cents"    integer                  NOT NULL,
  "state"        text                     NOT NULL DEFAULT 'open'::text,
  "checkout_id"  text,
  "checkout_url" text,
  "payment_id"   text,
  "created_at"   timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  "expires_at"   timestamp with time zone NOT NULL DEFAULT (clock_timestamp() + '01:00:00'::interval),
  "paid_at"      timestamp with time zone,
  "delivered_at" timestamp with time zone,
  CONSTRAINT "orders_buyer_check" CHECK ((buyer_id <> creator_id)),
  CONSTRAINT "orders_currency_check" CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT "orders_fee_check" CHECK (((fee_bps >= 0) AND (fee_bps <= 10000) AND (fee_cents = ((((price_cents)::bigint * fee_bps) + 5000) / 10000)))),
  CONSTRAINT "orders_pkey" PRIMARY KEY (id),
  CONSTRAINT "orders_price_cents_check" CHECK (((price_cents >= 100) AND (price_cents <= 100000))),
  CONSTRAINT "orders_state_check" CHECK ((state = ANY (ARRAY['open'::text, 'expired'::text, 'paid'::text, 'disputed'::text, 'lost'::text, 'refunded'::text])))
);

ALTER TABLE "private"."orders"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."payment_events" (
  "provider"           text                     NOT NULL,
  "event_id"           text                     NOT NULL,
  "kind"               text                     NOT NULL,
  "order_id"           uuid,
  "object_id"          text,
  "amount_cents"       integer,
  "currency"           text,
  "provider_fee_cents" integer                  NOT NULL DEFAULT 0,
  "outcome"            text                     NOT NULL,
  "received_at"        timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT "payment_events_fee_check" CHECK ((provider_fee_cents >= 0)),
  CONSTRAINT "payment_events_kind_check"
    CHECK
    ((kind = ANY (ARRAY['paid'::text, 'expired'::text, 'refunded'::text, 'refund_failed'::text, 'disputed'::text, 'dispute_won'::text, 'dispute_lost'::text, 'account'::text]))),
  CONSTRAINT "payment_events_object_check" CHECK (((outcome <> 'applied'::text) OR (object_id IS NOT NULL))),
  CONSTRAINT "payment_events_outcome_check" CHECK ((outcome = ANY (ARRAY['applied'::text, 'mismatch'::text, 'unknown'::text]))),
  CONSTRAINT "payment_events_pkey" PRIMARY KEY (PROVIDER, event_id)
);

ALTER TABLE "private"."payment_events"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."hub_payout_accounts" (
  "user_id"         uuid                     NOT NULL,
  "provider"        text                     NOT NULL,
  "account_id"      text                     NOT NULL,
  "charges_enabled" boolean                  NOT NULL DEFAULT false,
  "reported_at"     timestamp with time zone,
  "created_at"      timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT "hub_payout_accounts_account_key" UNIQUE (PROVIDER, account_id),
  CONSTRAINT "hub_payout_accounts_pkey" PRIMARY KEY (user_id)
);

ALTER TABLE "public"."hub_payout_accounts"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."hub_payout_accounts" FROM "anon";

ALTER TABLE "public"."hub_assets"
  ADD COLUMN "currency" text;

ALTER TABLE "public"."hub_assets"
  ADD COLUMN "teaser" text;

ALTER TABLE "public"."hub_profiles"
  ADD COLUMN "verified_at" timestamp WITH time zone;

ALTER TABLE "public"."hub_purchases"
  ADD COLUMN "id" uuid NOT NULL DEFAULT gen_random_uuid();

ALTER TABLE "public"."hub_purchases"
  ADD COLUMN "order_id" uuid NOT NULL;

ALTER TABLE "public"."hub_purchases"
  ADD COLUMN "revoked_at" timestamp WITH time zone;

ALTER TABLE "public"."hub_purchases"
  ADD COLUMN "revoked_reason" text;

ALTER TABLE "public"."hub_settings"
  ADD COLUMN "currency" text NOT NULL DEFAULT 'USD'::text;

ALTER TABLE "public"."hub_settings"
  ADD COLUMN "fee_bps" integer NOT NULL DEFAULT 3000;

ALTER TABLE "public"."hub_settings"
  ADD COLUMN "verified_fee_bps" integer NOT NULL DEFAULT 2000;

ALTER TABLE "public"."hub_purchases"
  ALTER COLUMN "purchased_at" SET DEFAULT clock_timestamp();

CREATE TYPE "private"."offer" AS (
  "price_cents" integer,
  "currency"    text,
  "teaser"      text,
  "provider"    text
);

CREATE OR REPLACE FUNCTION private.apply_account_event (
  provider        text,
  event_id        text,
  account_id      text,
  charges_enabled boolean,
  at              timestamp with time zone
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
    -- Events come in any order: an older one is no news.
    and (a.reported_at is null or a.reported_at <= apply_account_event.at);
  return jsonb_build_object('outcome', case when owner is null then 'unknown' else 'applied' end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.apply_payment_event (
  provider           text,
  event_id           text,
  kind               text,
  order_id           uuid,
  object_id          text    DEFAULT NULL::text,
  amount_cents       integer DEFAULT NULL::integer,
  currency           text    DEFAULT NULL::text,
  provider_fee_cents integer DEFAULT 0,
  payment_id         text    DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.asset_card (
  asset public.hub_assets
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'id', (asset_card.asset).id,
    'slug', (asset_card.asset).slug,
    'asset_type', (asset_card.asset).asset_type,
    'title', (asset_card.asset).title,
    'description', (asset_card.asset).description,
    'tags', (asset_card.asset).tags,
    'thumbnail_url', (asset_card.asset).thumbnail_url,
    'picture', (asset_card.asset).picture,
    'license', (asset_card.asset).license,
    'price_cents', (asset_card.asset).price_cents,
    'currency', (asset_card.asset).currency,
    'creator', private.creator((asset_card.asset).creator_id),
    'install_count', (asset_card.asset).install_count,
    'star_count', (asset_card.asset).star_count,
    'published_at', coalesce((asset_card.asset).published_at, (asset_card.asset).shared_at),
    'content_updated_at', (asset_card.asset).content_updated_at,
    'remix_depth', (asset_card.asset).remix_depth
  );
$function$;

CREATE OR REPLACE FUNCTION private.asset_cards (
  asset_ids       uuid[],
  organization_id uuid   DEFAULT NULL::uuid
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
begin
  return (
    with listings as materialized (
      select a.id, a.slug, a.asset_type, a.title, a.description, a.tags, a.thumbnail_url, a.picture, a.license, a.price_cents, a.currency,
        a.creator_id, a.install_count, a.star_count, coalesce(a.published_at, a.shared_at) as published_at, a.content_updated_at,
        a.remix_depth, w.place
      from unnest(asset_cards.asset_ids) with ordinality w (id, place)
      join public.hub_assets a on a.id = w.id
      where case when asset_cards.organization_id is null then a.is_visible else a.is_shared and a.organization_id = asset_cards.organization_id end
    )
    select coalesce(json_agg(row_to_json(r) order by a.place), '[]')
    from listings a
    left join private.creators(array(select l.creator_id from listings l where l.creator_id is not null)) c on c.user_id = a.creator_id
    cross join lateral (
      select a.id, a.slug, a.asset_type, a.title, a.description, a.tags, a.thumbnail_url, a.picture, a.license, a.price_cents, a.currency,
        c.card as creator,
        a.install_count, a.star_count, a.published_at, a.content_updated_at, a.remix_depth
    ) r
  );
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
    -- A page that is about to close, or was never made.
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
    -- Of another provider: the hub has changed it since.
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

CREATE OR REPLACE FUNCTION private.begin_refund (
  order_id     uuid,
  amount_cents integer,
  reason       text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  ordered private.orders;
  refunded integer;
begin
  -- Whether an order exists is nobody else's matter.
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
$function$;

CREATE OR REPLACE FUNCTION private.check_importable (
  user_id  uuid,
  asset_id uuid,
  version  integer,
  sha256   text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  source public.hub_assets;
  content public.hub_asset_versions;
  has_content boolean;
begin
  select a.* into source from public.hub_assets a where a.id = check_importable.asset_id;
  select v.* into content
  from public.hub_asset_versions v
  where v.asset_id = source.id and v.version = check_importable.version and v.sha256 = check_importable.sha256;
  select source.id in (select private.paid_content(check_importable.user_id)) into has_content;
  if content.version is null or (
    (source.deleted_at is null and source.creator_id = check_importable.user_id)
    or (content.license = 'paid' and has_content)
    or private.is_seen_by(source, check_importable.user_id)
      and (content.organization_id is null or private.is_member_of(check_importable.user_id, content.organization_id))
  ) is not true then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  if content.license = 'paid' and not has_content then
    raise exception using errcode = 'PT403', message = 'purchase_required';
  end if;
  if content.yanked_at is not null then
    raise exception using errcode = 'PT409', message = 'version_yanked';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_offer (
  user_id     uuid,
  license     text,
  price_cents integer,
  currency    text,
  teaser      text
)
  RETURNS private.offer
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.creator (
  user_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select jsonb_build_object('username', p.username, 'avatar_url', p.avatar_url, 'verified', p.verified_at is not null)
  from public.hub_profiles p
  where p.user_id = creator.user_id and not private.is_banned(p.user_id);
$function$;

CREATE OR REPLACE FUNCTION private.creator_cards (
  user_ids uuid[]
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(jsonb_build_object(
    'username', p.username,
    'display_name', p.display_name,
    'avatar_url', p.avatar_url,
    'verified', p.verified_at is not null,
    'member_since', p.created_at,
    'published_assets', t.published_assets,
    'total_installs', t.total_installs,
    'total_stars', t.total_stars
  ) order by u.place), '[]')
  from unnest(creator_cards.user_ids) with ordinality u (user_id, place)
  join public.hub_profiles p on p.user_id = u.user_id
  join private.hub_creators t on t.user_id = u.user_id;
$function$;

CREATE OR REPLACE FUNCTION private.creators (
  user_ids uuid[]
)
  RETURNS TABLE (
    user_id uuid,
    card    json
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
begin
  return query
  select p.user_id, json_build_object('username', p.username, 'avatar_url', p.avatar_url, 'verified', p.verified_at is not null)
  from public.hub_profiles p
  where p.user_id = any (creators.user_ids)
    and not exists (select from private.hub_bans b where b.user_id = p.user_id);
end;
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
  -- Buyers keep what they paid for: the listing only leaves the shelf.
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
  -- Serialized with the creator's deletion of the listing: either it finds the buyer, or nothing is left to deliver.
  perform from public.hub_assets a where a.id = ordered.asset_id and a.deleted_at is null for share;
  if not found or not exists (select from auth.users u where u.id = ordered.buyer_id) then
    return;
  end if;
  -- Who has paid twice gets it once; the second payment is due back.
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
  -- What an operator took away by hand stays away.
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
  -- The platform gives its share of a refund back in proportion; of the whole price exactly the whole share.
  cross join lateral (values ((o.fee_cents::bigint * j.refunded_cents / o.price_cents)::integer)) s (fee_back)
  cross join lateral (
    values
      ('sale', 'buyer', -o.price_cents),
      ('sale', 'platform', o.fee_cents),
      ('sale', 'creator', o.price_cents - o.fee_cents),
      ('refund', 'buyer', j.refunded_cents),
      ('refund', 'platform', -s.fee_back),
      ('refund', 'creator', s.fee_back - j.refunded_cents),
      -- The platform sells, so that it bears what a dispute takes.
      ('dispute', 'buyer', j.disputed_cents),
      ('dispute', 'platform', -j.disputed_cents),
      ('provider_fee', 'platform', -j.provider_fee_cents),
      ('provider_fee', 'provider_fee', j.provider_fee_cents)
  ) l (kind, account, amount)
  where o.id = due_lines.order_id and j.state not in ('open', 'expired') and l.amount <> 0;
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
    -- Waits for a concurrent transaction that inserts the same slug.
    on conflict on constraint hub_assets_slug_key do nothing
    returning id into made;
    exit when made is not null;
  end loop;
  return made;
end;
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
      -- A delivered purchase goes with its buyer's account: then nothing is due.
      and (o.delivered_at is null or p.revoked_reason = 'disputed')
  );
$function$;

CREATE OR REPLACE FUNCTION private.judge_order (
  order_id uuid
)
  RETURNS TABLE (
    state              text,
    refunded_cents     integer,
    disputed_cents     integer,
    provider_fee_cents integer,
    refund_failed      boolean
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.ledger_adds_up()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if (select sum(l.amount_cents) from private.ledger l where l.provider = new.provider and l.event_id = new.event_id) <> 0 then
    raise exception using errcode = 'PT409', message = 'ledger_unbalanced';
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_orders (
  q      text,
  state  text,
  cursor text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
  -- First the buyer, as every write of theirs does; a buyer who is gone has no writes.
  if exists (select from auth.users u where u.id = ordered.buyer_id) then
    perform private.begin_write(ordered.buyer_id, allow_banned => true);
  end if;
  select o.* into ordered from private.orders o where o.id = lock_order.order_id for no key update;
  return ordered;
end;
$function$;

CREATE OR REPLACE FUNCTION private.my_paid_content()
  RETURNS SETOF uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select private.paid_content((select auth.uid()));
$function$;

CREATE OR REPLACE FUNCTION private.my_purchases (
  order_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.note_checkout (
  order_id     uuid,
  checkout_id  text,
  checkout_url text
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update private.orders o
  set checkout_id = note_checkout.checkout_id, checkout_url = note_checkout.checkout_url
  where o.id = note_checkout.order_id and o.checkout_id is null;
$function$;

CREATE OR REPLACE FUNCTION private.order_for_status (
  order_id uuid,
  user_id  uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.order_rank (
  state text
)
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select array_position(array['open', 'expired', 'paid', 'disputed', 'lost', 'refunded'], order_rank.state);
$function$;

CREATE OR REPLACE FUNCTION private.orders_guard()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.orders_to_ask (
  most integer
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.paid_content (
  user_id uuid
)
  RETURNS SETOF uuid
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return query
  select a.id
  from public.hub_assets a
  where a.creator_id = paid_content.user_id and a.published_at is not null
  union all
  select p.asset_id
  from public.hub_purchases p
  join public.hub_assets a on a.id = p.asset_id
  where p.user_id = paid_content.user_id
    and p.revoked_at is null
    -- What moderation hides, it hides from buyers, too; what left the shelf in another way stays theirs.
    and not a.is_hidden
    and a.deleted_at is null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.product_id (
  offer    private.offer,
  asset_id uuid
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select (product_id.offer).provider || ':keyhub_' || replace(product_id.asset_id::text, '-', '');
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
  -- The requests of a user are serialized.
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
      -- An existing listing keeps its slug. For a new one the preview shows the slug that it would probably get.
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
      -- A preview runs the real publication and rolls it back, so that the two cannot differ.
      return answer;
  end;
  perform private.store_response(
    publish_asset.user_id, 'hub-publish', publish_asset.idempotency_key, publish_asset.request_sha256,
    -- A listing can be removed later: its content must not stay in a stored answer.
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
  -- Serialized with a ban: either the ban waits for this lock and finds the new asset, or this call finds the ban.
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
  -- What everybody may read, or somebody has bought, is not taken away in passing.
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
    -- The same content with words of its own: they are of the version that is there.
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
  from private.same_content(
    publish_snapshot.user_id, asset, publish_snapshot.asset_type, publish_snapshot.payload, publish_snapshot.sha256
  );
  if same.id is not null then
    perform private.refuse_same_content(publish_snapshot.user_id, same.id, same.slug, same.license);
  end if;
  if not publish_snapshot.confirmed then
    raise exception using errcode = 'PT409', message = 'scan_confirmation_required';
  end if;

  first := asset.id is null or (asset.published_at is null and asset.current_version = 0);
  -- For everybody the slug is made anew: that of the shelf may tell what the title was there.
  needs_slug := first or (readers is null and asset.published_at is null);
  if asset.id is null then
    asset.id := private.insert_listing(
      publish_snapshot.user_id, publish_snapshot.asset_type, publish_snapshot.ref_id, publish_snapshot.slug,
      publish_snapshot.title, publish_snapshot.description, publish_snapshot.tags, publish_snapshot.thumbnail_url,
      publish_snapshot.license, readers, offer
    );
    next_version := 1;
  else
    -- Not current_version + 1: an operator may have set current_version back, and the newer versions keep their numbers.
    select greatest(asset.current_version, max(v.version)) + 1 into next_version
    from public.hub_asset_versions v
    where v.asset_id = asset.id;
    kept_attribution := case
      when readers is null then private.public_attribution(asset.attribution, publish_snapshot.user_id)
      else asset.attribution
    end;
    -- An imported copy that is published becomes a remix of what was imported.
    if first then
      -- A claimed origin is not a parent.
      if kept_attribution ? 'parent' and (asset.parent_asset_id is null or kept_attribution is distinct from asset.attribution) then
        -- Locked, so that it is not erased before the reference to it is written.
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

CREATE OR REPLACE FUNCTION private.purchases_are_paid()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.purchases_guard()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
  -- What failed may have been returned in another way; the state does not go back.
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

CREATE OR REPLACE FUNCTION private.remix_cards (
  asset_ids   uuid[],
  creator_ids uuid[],
  directs     integer
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
begin
  return (
    select coalesce(json_agg(row_to_json(r) order by p.n), '[]')
    from unnest(remix_cards.asset_ids) with ordinality p (id, n)
    join public.hub_assets a on a.id = p.id
    left join private.creators(remix_cards.creator_ids) c on c.user_id = a.creator_id
    cross join lateral (
      select a.id, a.slug, a.asset_type, a.title, a.description, a.tags, a.thumbnail_url, a.picture, a.license, a.price_cents, a.currency,
        c.card as creator,
        a.install_count, a.star_count, a.published_at, a.content_updated_at, a.remix_depth,
        p.n <= remix_cards.directs as direct, a.parent_asset_id
    ) r
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.revenue (
  "from" date,
  "to"   date
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.settle_order (
  order_id uuid,
  provider text,
  event_id text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.unbooked (
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
  select coalesce(d.kind, b.kind), coalesce(d.account, b.account), (coalesce(d.amount_cents, 0) - coalesce(b.booked, 0))::integer
  from private.due_lines(unbooked.order_id) d
  full join (
    select l.kind, l.account, sum(l.amount_cents) as booked
    from private.ledger l
    where l.order_id = unbooked.order_id
    group by l.kind, l.account
  ) b on b.kind = d.kind and b.account = d.account
  where coalesce(d.amount_cents, 0) <> coalesce(b.booked, 0);
$function$;

CREATE OR REPLACE FUNCTION private.unyank_version (
  asset_id uuid,
  version  integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  yanked constant public.hub_asset_versions := private.own_version(unyank_version.asset_id, unyank_version.version);
begin
  if yanked.yanked_at is null then
    return;
  end if;
  update public.hub_asset_versions v
  set yanked_at = null, yank_reason = null
  where v.asset_id = yanked.asset_id and v.version = yanked.version;
  update public.hub_assets a
  set current_version = yanked.version, license = yanked.license
  where a.id = yanked.asset_id and a.current_version < yanked.version
    and (a.license = 'paid') = (yanked.license = 'paid')
    -- What was for other readers does not come back to these.
    and a.organization_id is not distinct from yanked.organization_id;
  perform private.log_event('unyanked', yanked.asset_id, (select auth.uid()), details => jsonb_build_object('version', yanked.version));
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
      -- Who got the money back keeps the copy, without what comes later.
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
        -- Harmful origins in via are listed, too.
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

CREATE OR REPLACE FUNCTION private.verify_creator (
  username text,
  verified boolean
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
        -- Of settings and other short content a hash tells too much.
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

CREATE OR REPLACE FUNCTION private.yank_version (
  asset_id uuid,
  version  integer,
  reason   text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  yanked constant public.hub_asset_versions := private.own_version(yank_version.asset_id, yank_version.version);
  why constant text := private.as_one_line(left(yank_version.reason, 2000));
  instead public.hub_asset_versions;
begin
  if char_length(why) > 500 then
    perform private.refuse_faults(private.fault('reason', 'too_big', 'must be at most 500 characters'));
  end if;
  perform private.refuse_secret('reason', yanked.yank_reason, why);
  select v.* into instead
  from public.hub_asset_versions v
  where v.asset_id = yanked.asset_id and v.version <> yanked.version and v.yanked_at is null
    -- For the same readers.
    and v.organization_id is not distinct from yanked.organization_id
    -- A listing is not given away, and not priced, by a yank.
    and (v.license = 'paid') = (yanked.license = 'paid')
  order by v.version desc
  limit 1;
  if not found then
    raise exception using errcode = 'PT409', message = 'last_version';
  end if;
  update public.hub_asset_versions v
  set yanked_at = coalesce(v.yanked_at, clock_timestamp()), yank_reason = nullif(why, '')
  where v.asset_id = yanked.asset_id and v.version = yanked.version;
  update public.hub_assets a
  set current_version = instead.version, license = instead.license
  where a.id = yanked.asset_id and a.current_version = yanked.version;
  if yanked.yanked_at is null then
    perform private.log_event('yanked', yanked.asset_id, (select auth.uid()), details => jsonb_build_object('version', yanked.version));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_apply_account_event (
  provider        text,
  event_id        text,
  account_id      text,
  charges_enabled boolean,
  at              timestamp with time zone
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.apply_account_event(
    hub_apply_account_event.provider, hub_apply_account_event.event_id, hub_apply_account_event.account_id,
    hub_apply_account_event.charges_enabled, hub_apply_account_event.at
  );
$function$;

REVOKE ALL ON FUNCTION "public"."hub_apply_account_event"(text, text, text, boolean, timestamp WITH time zone) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_apply_payment_event (
  provider           text,
  event_id           text,
  kind               text,
  order_id           uuid,
  object_id          text    DEFAULT NULL::text,
  amount_cents       integer DEFAULT NULL::integer,
  currency           text    DEFAULT NULL::text,
  provider_fee_cents integer DEFAULT 0,
  payment_id         text    DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.apply_payment_event(
    hub_apply_payment_event.provider, hub_apply_payment_event.event_id, hub_apply_payment_event.kind, hub_apply_payment_event.order_id,
    hub_apply_payment_event.object_id, hub_apply_payment_event.amount_cents, hub_apply_payment_event.currency,
    hub_apply_payment_event.provider_fee_cents, hub_apply_payment_event.payment_id
  );
$function$;

REVOKE ALL ON FUNCTION "public"."hub_apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_asset (
  id_or_slug text,
  version    integer DEFAULT NULL::integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  asset public.hub_assets;
  content public.hub_asset_versions;
begin
  select a.* into asset
  from public.hub_assets a
  where a.id = private.find_asset(hub_asset.id_or_slug) and a.deleted_at is null;
  if not found then
    return private.tombstone(hub_asset.id_or_slug);
  end if;
  select v.* into content
  from public.hub_asset_versions v
  where v.asset_id = asset.id and v.version = coalesce(hub_asset.version, asset.current_version);
  -- Of a paid version that the caller may not read, the current one is shown without its content.
  if content.version is null and hub_asset.version is not null
    and (asset.license <> 'paid' or hub_asset.version <> asset.current_version)
  then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return private.asset_card(asset) || jsonb_build_object(
    'deleted', false,
    'is_visible', asset.is_visible,
    'organization', private.organization_card(asset.organization_id),
    'version_organization_id', content.organization_id,
    'teaser', asset.teaser,
    'readable', content.version is not null,
    'creator_id', asset.creator_id,
    'source_asset_id', asset.source_asset_id,
    'parent_asset_id', asset.parent_asset_id,
    'remix_count', (
      select count(*)
      from public.hub_assets r
      where r.is_visible and (r.source_asset_id = asset.id or r.parent_asset_id = asset.id)
    ),
    'lineage', asset.attribution,
    'attribution', private.shown_attribution(asset.attribution),
    'current_version', asset.current_version,
    'versions', (
      select coalesce(jsonb_agg(
        jsonb_build_object(
          'version', v.version, 'license', v.license, 'created_at', v.created_at, 'label', v.label, 'yanked', v.yanked_at is not null
        )
        order by v.version desc
      ), '[]')
      from public.hub_asset_versions v
      where v.asset_id = asset.id
    ),
    'version', content.version,
    'version_license', content.license,
    'label', content.label,
    'changelog', content.changelog,
    'yanked', content.yanked_at is not null,
    'yank_reason', content.yank_reason,
    'payload', content.payload,
    'sha256', content.sha256,
    'scan', content.scan,
    'items', (
      select coalesce(jsonb_agg(
        jsonb_build_object(
          'asset_type', i.asset_type,
          'ref_id', i.ref_id,
          'title', i.title,
          'payload', i.payload,
          'sha256', i.sha256,
          'license', i.license,
          'lineage', i.attribution,
          'attribution', private.shown_attribution(i.attribution)
        )
        order by i.position
      ), '[]')
      from public.hub_bundle_items i
      where i.asset_id = asset.id and i.version = content.version
    )
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_begin_checkout (
  user_id      uuid,
  listing      text,
  provider     text,
  hourly_limit integer
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.begin_checkout(
    hub_begin_checkout.user_id, hub_begin_checkout.listing, hub_begin_checkout.provider, hub_begin_checkout.hourly_limit
  );
$function$;

REVOKE ALL ON FUNCTION "public"."hub_begin_checkout"(uuid, text, text, integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_begin_onboarding (
  user_id    uuid,
  provider   text,
  account_id text DEFAULT NULL::text
)
  RETURNS text
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.begin_onboarding(hub_begin_onboarding.user_id, hub_begin_onboarding.provider, hub_begin_onboarding.account_id);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_begin_onboarding"(uuid, text, text) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_begin_refund (
  order_id     uuid,
  amount_cents integer,
  reason       text
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.begin_refund(hub_begin_refund.order_id, hub_begin_refund.amount_cents, hub_begin_refund.reason);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_begin_refund"(uuid, integer, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_creator (
  username text
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  profile record;
  totals jsonb;
  page json;
begin
  select p.user_id, p.username, p.display_name, p.avatar_url, p.created_at, p.verified_at into profile
  from public.hub_profiles p
  -- Found apart: row level security cannot use an index over a function.
  where p.user_id = private.creator_by_name(hub_creator.username);
  if not found then
    raise exception using errcode = 'PT404', message = 'user_not_found';
  end if;
  totals := private.creator_totals(profile.user_id);
  page := public.hub_search(creator => profile.username);
  return json_build_object(
    'username', profile.username,
    'display_name', profile.display_name,
    'avatar_url', profile.avatar_url,
    'verified', profile.verified_at is not null,
    'member_since', profile.created_at,
    'published_assets', totals -> 'published_assets',
    'total_installs', totals -> 'total_installs',
    'total_stars', totals -> 'total_stars',
    'items', page -> 'items',
    'next_cursor', page -> 'next_cursor'
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_my_purchases (
  order_id uuid DEFAULT NULL::uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.my_purchases(hub_my_purchases.order_id);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_my_purchases"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_note_checkout (
  order_id     uuid,
  checkout_id  text,
  checkout_url text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.note_checkout(hub_note_checkout.order_id, hub_note_checkout.checkout_id, hub_note_checkout.checkout_url);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_note_checkout"(uuid, text, text) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_order_for_status (
  order_id uuid,
  user_id  uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.order_for_status(hub_order_for_status.order_id, hub_order_for_status.user_id);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_order_for_status"(uuid, uuid) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_orders (
  q      text DEFAULT NULL::text,
  state  text DEFAULT NULL::text,
  cursor text DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.list_orders(hub_orders.q, hub_orders.state, hub_orders.cursor);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_orders"(text, text, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_orders_to_ask (
  most integer
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.orders_to_ask(hub_orders_to_ask.most);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_orders_to_ask"(integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_reconcile()
  RETURNS TABLE (
    order_id uuid,
    problem  text,
    detail   jsonb
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select r.order_id, r.problem, r.detail from private.reconcile() r;
$function$;

REVOKE ALL ON FUNCTION "public"."hub_reconcile"() FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_revenue (
  "from" date,
  "to"   date
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.revenue(hub_revenue."from", hub_revenue."to");
$function$;

REVOKE ALL ON FUNCTION "public"."hub_revenue"(date, date) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_verify_creator (
  username text,
  verified boolean
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.verify_creator(hub_verify_creator.username, hub_verify_creator.verified);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_verify_creator"(text, boolean) FROM PUBLIC, "anon", "service_role";

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
        -- A little every minute: 32 MB of the log are looked at in some 50 ms, so that ten million rows are gone through within
        -- the hour, and up to 50,000 a minute are deleted.
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
      -- The functions are called over HTTP: it needs pg_net, and Vault for the address and the key.
      where exists (
          select from pg_catalog.pg_proc p where p.pronamespace = to_regnamespace('net') and p.proname = 'http_post'
        )
        and to_regclass('vault.decrypted_secrets') is not null
    ) jobs (name, schedule, command)
  loop
    -- A job of that name is replaced.
    execute 'select cron.schedule($1, $2, $3)' using job.name, job.schedule, job.command;
    made := made || job.name;
  end loop;
  return made;
end;
$function$;

ALTER TABLE "private"."hub_calls"
  ADD CONSTRAINT "hub_calls_kind_check" CHECK ((kind = ANY (ARRAY['previews'::text, 'imports'::text, 'edits'::text, 'pictures'::text, 'checkouts'::text])));

ALTER TABLE "private"."ledger"
  ADD CONSTRAINT "ledger_order_id_fkey" FOREIGN KEY (order_id) REFERENCES private.orders(id);

ALTER TABLE "private"."ledger"
  ADD CONSTRAINT "ledger_event_fkey" FOREIGN KEY (PROVIDER, event_id) REFERENCES private.payment_events(PROVIDER, event_id);

ALTER TABLE "public"."hub_assets"
  ADD CONSTRAINT "hub_assets_currency_check" CHECK ((currency ~ '^[A-Z]{3}$'::text));

ALTER TABLE "public"."hub_assets"
  ADD CONSTRAINT "hub_assets_paid_check" CHECK (((NOT is_public) OR (license <> 'paid'::text) OR ((price_cents > 0) AND (currency IS NOT NULL) AND (teaser IS NOT NULL))));

ALTER TABLE "public"."hub_assets"
  ADD CONSTRAINT "hub_assets_price_cents_check" CHECK (((price_cents = 0) OR ((license = 'paid'::text) AND ((price_cents >= 100) AND (price_cents <= 100000)))));

ALTER TABLE "public"."hub_assets"
  ADD CONSTRAINT "hub_assets_teaser_check" CHECK (((char_length(teaser) >= 1) AND (char_length(teaser) <= 2000)));

ALTER TABLE "public"."hub_events"
  ADD CONSTRAINT "hub_events_action_check"
    CHECK
    ((action = ANY (ARRAY['published'::text, 'same_content'::text, 'content_allowed'::text, 'unpublished'::text, 'republished'::text, 'yanked'::text, 'unyanked'::text,
    'deleted'::text,
    'hidden'::text,
    'restored'::text,
    'removed'::text,
    'erased'::text,
    'report_resolved'::text,
    'banned'::text,
    'unbanned'::text,
    'admin_added'::text,
    'admin_removed'::text, 'appealed'::text, 'appeal_accepted'::text, 'appeal_rejected'::text, 'refund_requested'::text, 'creator_verified'::text, 'creator_unverified'::text])));

ALTER TABLE "public"."hub_payout_accounts"
  ADD CONSTRAINT "hub_payout_accounts_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_purchases"
  ADD CONSTRAINT "hub_purchases_order_id_fkey" FOREIGN KEY (order_id) REFERENCES private.orders(id);

ALTER TABLE "public"."hub_purchases"
  ADD CONSTRAINT "hub_purchases_order_id_key" UNIQUE (order_id);

ALTER TABLE "public"."hub_purchases"
  ADD CONSTRAINT "hub_purchases_pkey" PRIMARY KEY (id);

ALTER TABLE "public"."hub_purchases"
  ADD CONSTRAINT "hub_purchases_revoked_check"
    CHECK ((((revoked_at IS NULL) = (revoked_reason IS NULL)) AND (revoked_reason = ANY (ARRAY['refunded'::text, 'disputed'::text, 'lost'::text, 'operator'::text]))));

ALTER TABLE "public"."hub_settings"
  ADD CONSTRAINT "hub_settings_currency_check" CHECK ((currency ~ '^[A-Z]{3}$'::text));

ALTER TABLE "public"."hub_settings"
  ADD CONSTRAINT "hub_settings_fees_check" CHECK (((fee_bps >= 0) AND (fee_bps <= 10000) AND (verified_fee_bps >= 0) AND (verified_fee_bps <= 10000)));

CREATE VIEW "public"."hub_listings" WITH (security_invoker=true) AS  SELECT a.id,
    a.slug,
    a.asset_type,
    a.title,
    a.description,
    a.tags,
    a.thumbnail_url,
    a.picture,
    a.license,
    a.price_cents,
    a.currency,
        CASE
            WHEN (p.user_id IS NOT NULL) THEN jsonb_build_object('username', p.username, 'avatar_url', p.avatar_url, 'verified', (p.verified_at IS NOT NULL))
            ELSE NULL::jsonb
        END AS creator,
    a.install_count,
    a.star_count,
    a.published_at,
    a.content_updated_at,
    a.remix_depth,
    a.current_version AS version
   FROM (public.hub_assets a
     LEFT JOIN public.hub_profiles p ON ((p.user_id = a.creator_id)))
  WHERE a.is_visible;

CREATE INDEX ledger_creator_id_idx ON private.ledger USING btree (creator_id, at);

CREATE INDEX ledger_event_idx ON private.ledger USING btree (PROVIDER, event_id);

CREATE INDEX ledger_order_id_idx ON private.ledger USING btree (order_id);

CREATE INDEX orders_buyer_id_idx ON private.orders USING btree (buyer_id, created_at DESC);

CREATE INDEX orders_newest_idx ON private.orders USING btree (created_at DESC, id DESC);

CREATE UNIQUE INDEX orders_one_open_key ON private.orders USING btree (buyer_id, asset_id)
  WHERE (state = 'open'::text);

CREATE INDEX orders_open_idx ON private.orders USING btree (created_at)
  WHERE (state = 'open'::text);

CREATE INDEX orders_undelivered_idx ON private.orders USING btree (created_at)
  WHERE ((state = 'paid'::text) AND (delivered_at IS NULL));

CREATE INDEX payment_events_order_id_idx ON private.payment_events USING btree (order_id)
  WHERE (order_id IS NOT NULL);

CREATE INDEX payment_events_refused_idx ON private.payment_events USING btree (received_at)
  WHERE (outcome <> 'applied'::text);

CREATE INDEX hub_purchases_asset_id_idx ON public.hub_purchases USING btree (asset_id)
  WHERE (revoked_at IS NULL);

CREATE UNIQUE INDEX hub_purchases_live_key ON public.hub_purchases USING btree (user_id, asset_id)
  WHERE (revoked_at IS NULL);

CREATE INDEX hub_purchases_user_id_idx ON public.hub_purchases USING btree (user_id);

CREATE CONSTRAINT TRIGGER ledger_adds_up
  AFTER INSERT ON private.ledger DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  EXECUTE FUNCTION private.ledger_adds_up();

CREATE TRIGGER ledger_append_only
  BEFORE DELETE OR UPDATE ON private.ledger
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER ledger_forbid_truncate
  BEFORE TRUNCATE ON private.ledger
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER orders_forbid_delete
  BEFORE DELETE ON private.orders
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER orders_forbid_truncate
  BEFORE TRUNCATE ON private.orders
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER orders_guard
  BEFORE UPDATE ON private.orders
  FOR EACH ROW
  EXECUTE FUNCTION private.orders_guard();

CREATE CONSTRAINT TRIGGER orders_purchases_are_paid
  AFTER UPDATE OF state ON private.orders DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  EXECUTE FUNCTION private.purchases_are_paid();

CREATE TRIGGER payment_events_append_only
  BEFORE DELETE OR UPDATE ON private.payment_events
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER payment_events_forbid_truncate
  BEFORE TRUNCATE ON private.payment_events
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER hub_assets_30_guard_update
  BEFORE UPDATE OF id,
    asset_type,
    ref_id,
    creator_id,
    slug,
    title,
    description,
    tags,
    thumbnail_url,
    source_asset_id,
    parent_asset_id,
    remix_depth,
    is_public,
    published_at,
    is_hidden,
    license,
    price_cents,
    currency,
    teaser,
    payment_product_id,
    created_at,
    updated_at, current_version, attribution, hidden_reason, hidden_at, hidden_by_ban, content_updated_at, deleted_at, organization_id, shared_at, picture ON public.hub_assets
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_assets_guard();

CREATE CONSTRAINT TRIGGER hub_purchases_are_paid
  AFTER INSERT OR UPDATE ON public.hub_purchases DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  EXECUTE FUNCTION private.purchases_are_paid();

CREATE TRIGGER hub_purchases_forbid_truncate
  BEFORE TRUNCATE ON public.hub_purchases
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER hub_purchases_guard
  BEFORE INSERT OR UPDATE ON public.hub_purchases
  FOR EACH ROW
  EXECUTE FUNCTION private.purchases_guard();

CREATE POLICY "ledger_service_select" ON "private"."ledger"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "orders_service_select" ON "private"."orders"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "payment_events_service_select" ON "private"."payment_events"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_asset_versions_paid_anon" ON "public"."hub_asset_versions"
  AS RESTRICTIVE
  FOR SELECT
  TO "anon"
  USING ((license <> 'paid'::text));

CREATE POLICY "hub_asset_versions_paid" ON "public"."hub_asset_versions"
  AS RESTRICTIVE
  FOR SELECT
  TO "authenticated"
  USING (((license <> 'paid'::text) OR (asset_id = ANY (ARRAY( SELECT private.my_paid_content() AS my_paid_content))) OR ( SELECT private.is_admin() AS is_admin)));

CREATE POLICY "hub_asset_versions_select" ON "public"."hub_asset_versions"
  FOR SELECT
  TO "authenticated"
  USING ((EXISTS ( SELECT
   FROM public.hub_assets a
  WHERE
    ((a.id = hub_asset_versions.asset_id) AND (((a.deleted_at IS NULL) AND ((a.creator_id = ( SELECT auth.uid() AS uid)) OR ( SELECT private.is_admin() AS is_admin))) OR
    (((hub_asset_versions.organization_id IS NULL) OR (hub_asset_versions.organization_id = ANY (ARRAY( SELECT private.member_organization_ids() AS member_organization_ids)))) AND
    ((a.current_version = hub_asset_versions.version) OR (hub_asset_versions.is_open AND (hub_asset_versions.yanked_at IS NULL)) OR (EXISTS ( SELECT
           FROM public.hub_imports i
          WHERE ((i.asset_id = a.id) AND (i.user_id = ( SELECT auth.uid() AS uid)) AND ((hub_asset_versions.yanked_at IS NULL) OR (i.version = hub_asset_versions.version))))))) OR
            ((hub_asset_versions.license = 'paid'::text) AND (hub_asset_versions.yanked_at IS NULL) AND (a.id = ANY (ARRAY( SELECT private.my_paid_content() AS
            my_paid_content)))))))));

CREATE POLICY "hub_assets_select" ON "public"."hub_assets"
  FOR SELECT
  TO "authenticated"
  USING
    ((is_visible OR (is_shared AND (organization_id = ANY (ARRAY( SELECT private.member_organization_ids() AS member_organization_ids)))) OR ((deleted_at IS NULL) AND ((creator_id
    = ( SELECT auth.uid() AS uid)) OR ( SELECT private.is_admin() AS is_admin))) OR ((shared_at IS
    NOT NULL) AND (NOT hidden_by_ban) AND (organization_id = ANY (ARRAY( SELECT private.led_organization_ids() AS led_organization_ids)))) OR
    ((deleted_at IS NULL) AND (id = ANY (ARRAY( SELECT private.my_paid_content() AS my_paid_content))))));

CREATE POLICY "hub_payout_accounts_select" ON "public"."hub_payout_accounts"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "hub_payout_accounts_service_select" ON "public"."hub_payout_accounts"
  FOR SELECT
  TO "service_role"
  USING (true);

COMMENT ON COLUMN "private"."ledger"."kind" IS 'Why it moved: the sale, a refund, a dispute, or what the provider keeps.';

COMMENT ON COLUMN "private"."orders"."account_id" IS 'The creator''s account at the provider.';

COMMENT ON COLUMN "private"."orders"."checkout_id" IS 'The provider''s id of the payment page.';

COMMENT ON COLUMN "private"."orders"."delivered_at" IS 'When the buyer first got what was paid.';

COMMENT ON COLUMN "private"."orders"."fee_cents" IS 'What the platform keeps of the price.';

COMMENT ON COLUMN "private"."orders"."payment_id" IS 'The provider''s id of the payment; refunds need it.';

COMMENT ON COLUMN "private"."orders"."title" IS 'Of the listing when it was ordered.';

COMMENT ON COLUMN "private"."payment_events"."object_id" IS 'What it is about: a payment, a refund, a dispute, an account.';

COMMENT ON COLUMN "private"."payment_events"."outcome" IS 'mismatch: of another amount, currency or provider than the order, so that it changes nothing; unknown: of no order or account of ours.';

COMMENT ON COLUMN "private"."payment_events"."provider_fee_cents" IS 'What the provider keeps for it, as far as it said so.';

COMMENT ON COLUMN "public"."hub_assets"."payment_product_id" IS 'The provider''s product, such as stripe:<product>; set when the listing is first published as paid.';

COMMENT ON COLUMN "public"."hub_assets"."price_cents" IS 'In the minor unit of currency; 0 unless the license is paid.';

COMMENT ON COLUMN "public"."hub_assets"."teaser" IS 'What everybody reads of a paid listing, instead of its content.';

COMMENT ON COLUMN "public"."hub_payout_accounts"."charges_enabled" IS 'Whether the provider takes payments for it: only then its owner sells.';

COMMENT ON COLUMN "public"."hub_payout_accounts"."reported_at" IS 'The provider''s time of the newest event about it; older ones that come later change nothing.';

COMMENT ON COLUMN "public"."hub_profiles"."verified_at" IS 'When an admin has verified who the creator is: a badge, and a lower fee.';

COMMENT ON COLUMN "public"."hub_purchases"."revoked_reason" IS 'The state of the order, or operator: taken away by hand.';

COMMENT ON COLUMN "public"."hub_settings"."currency" IS 'The currency of new prices (ISO 4217). Listings and orders keep theirs.';

COMMENT ON COLUMN "public"."hub_settings"."fee_bps" IS 'What the platform keeps of a sale, in hundredths of a percent. Orders keep theirs.';

COMMENT ON COLUMN "public"."hub_settings"."verified_fee_bps" IS 'The same for sales of verified creators.';

COMMENT ON FUNCTION "private"."apply_account_event"(text, text, text, boolean, timestamp with time zone) IS 'Implements hub_apply_account_event.';

COMMENT ON FUNCTION "private"."apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) IS 'Implements hub_apply_payment_event.';

COMMENT ON FUNCTION "private"."begin_checkout"(uuid, text, text, integer) IS 'Implements hub_begin_checkout.';

COMMENT ON FUNCTION "private"."begin_onboarding"(uuid, text, text) IS 'Implements hub_begin_onboarding.';

COMMENT ON FUNCTION "private"."begin_refund"(uuid, integer, text) IS 'Implements hub_begin_refund.';

COMMENT ON FUNCTION "private"."check_importable"(uuid, uuid, integer, text) IS 'Whether a user may import that version. Raises PT403 purchase_required, PT404 asset_not_found, PT409 version_yanked.';

COMMENT ON FUNCTION "private"."check_offer"(uuid, text, integer, text, text) IS 'What a publication is offered for; nothing unless the license is paid. Raises PT422 payout_account_required or validation_failed.';

COMMENT ON FUNCTION "private"."copy_rows"(uuid, jsonb, uuid, integer, text, text, boolean) IS 'Inserts the rows of an import, and the row of hub_imports when they come from a listing. Raises PT403 purchase_required, PT404 asset_not_found, PT409 version_yanked, PT422 validation_failed.';

COMMENT ON FUNCTION "private"."deliver"(private.orders) IS 'Gives the buyer of a paid order what was bought, if there is somebody and something left, and the buyer does not have it already.';

COMMENT ON FUNCTION "private"."due_lines"(uuid) IS 'What the ledger must hold for an order by now, by kind and account.';

COMMENT ON FUNCTION "private"."import_asset"(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, integer, text, text, boolean, uuid, boolean) IS
  'Imports planned rows into a user''s workspace, all or none, or updates the copy into_copy with them; a dry run does it and rolls back. hourly_limit is the limit of imports, or of previews for a dry run. Raises PT401 invalid_credential, PT403 banned or purchase_required, PT404 asset_not_found, PT409 modified_copy or version_yanked, PT422 idempotency_key_reused or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "private"."insert_listing"(uuid, text, uuid, text, text, text, text[], text, text, uuid, private.offer) IS 'Inserts a listing with the first free form of its slug.';

COMMENT ON FUNCTION "private"."is_undelivered"(uuid) IS 'Whether an order is paid, and its buyer has nothing for it: the money is due back.';

COMMENT ON FUNCTION "private"."judge_order"(uuid) IS 'The state of an order and what moved, as its events tell.';

COMMENT ON FUNCTION "private"."ledger_adds_up"() IS 'The lines of an event add up to zero. Raises PT409 ledger_unbalanced at the commit.';

COMMENT ON FUNCTION "private"."list_orders"(text, text, text) IS 'Implements hub_orders.';

COMMENT ON FUNCTION "private"."lock_order"(uuid) IS 'Locks the buyer of an order, and the order. Raises PT503 unavailable while the account is being deleted.';

COMMENT ON FUNCTION "private"."my_paid_content"() IS 'The same for the caller. Policies write (select private.my_paid_content()), so that it runs once per statement.';

COMMENT ON FUNCTION "private"."my_purchases"(uuid) IS 'Implements hub_my_purchases.';

COMMENT ON FUNCTION "private"."note_checkout"(uuid, text, text) IS 'Implements hub_note_checkout.';

COMMENT ON FUNCTION "private"."order_for_status"(uuid, uuid) IS 'Implements hub_order_for_status.';

COMMENT ON FUNCTION "private"."order_rank"(text) IS 'States of an order move forward in this order; only a dispute that is won leads back to paid.';

COMMENT ON FUNCTION "private"."orders_guard"() IS 'What was agreed never changes, and the state only forward, as the events tell. Raises PT409 order_is_fixed.';

COMMENT ON FUNCTION "private"."orders_to_ask"(integer) IS 'Implements hub_orders_to_ask.';

COMMENT ON FUNCTION "private"."paid_content"(uuid) IS 'The listings whose paid versions that user may read: own ones, and those with a live purchase.';

COMMENT ON FUNCTION "private"."product_id"(private.offer, uuid) IS 'What the listing is called at the payment provider, which gets the product with its first checkout; null for a free one.';

COMMENT ON FUNCTION
  "private"."publish_snapshot"(uuid, text, uuid, text, text, text, text[], text, jsonb, text, text, jsonb, jsonb, jsonb, boolean, integer, text, text, text, integer, text, text) IS
  'Publishes a snapshot, with secrets removed, of a user''s source item: makes a listing or a new version, or changes nothing when the content is unchanged. With an organization it is for its members only. Raises PT403 banned, PT404 organization_not_found or source_not_found, PT409 already_public, duplicate_content, item_hidden, label_taken, removed or scan_confirmation_required, PT422 mixed_script, organization_only, payout_account_required or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "private"."purchases_are_paid"() IS 'A live purchase has a paid order. Raises PT409 purchase_unpaid at the commit.';

COMMENT ON FUNCTION "private"."purchases_guard"() IS 'A purchase is of its order''s buyer, asset and price, and stays so; it can only be revoked and given back. Raises PT409 order_is_fixed.';

COMMENT ON FUNCTION "private"."reconcile"() IS 'Implements hub_reconcile.';

COMMENT ON FUNCTION "private"."revenue"(date, date) IS 'Implements hub_revenue.';

COMMENT ON FUNCTION "private"."settle_order"(uuid, text, text) IS 'Brings state, ledger and purchase of an order to what its events tell; the lines are of this event.';

COMMENT ON FUNCTION "private"."unbooked"(uuid) IS 'What the ledger of an order still misses; nothing between two events.';

COMMENT ON FUNCTION "private"."update_copy"(uuid, jsonb, uuid, integer, text, boolean, uuid, boolean) IS 'Replaces the content of what an import has made by that of another version, and adds what is new in it; nothing is deleted. Raises PT403 purchase_required, PT404 asset_not_found, PT409 modified_copy or version_yanked, PT422 validation_failed, PT503 unavailable.';

COMMENT ON FUNCTION "private"."verify_creator"(text, boolean) IS 'Implements hub_verify_creator.';

COMMENT ON FUNCTION "public"."hub_apply_account_event"(text, text, text, boolean, timestamp with time zone) IS 'For payment-webhook: notes whether the provider takes payments for a creator''s account: {outcome}.';

COMMENT ON FUNCTION "public"."hub_apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) IS 'For payment-webhook: notes an event of the payment provider about an order, and does what follows from it: {outcome: applied, duplicate, mismatch or unknown; undelivered: whether the payment is due back}. Raises PT503 unavailable while the buyer''s account is being deleted.';

COMMENT ON FUNCTION "public"."hub_begin_checkout"(uuid, text, text, integer) IS 'For hub-checkout: the order of a listing that is for sale, the open one or a new one; with checkout_url when its payment page is there. Raises PT403 banned, PT404 asset_not_found, PT409 already_purchased or not_for_sale, PT422 own_asset, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_begin_onboarding"(uuid, text, text) IS 'For hub-checkout: a creator''s account at the provider, or null; one that was just made is noted unless there is one. Raises PT403 banned.';

COMMENT ON FUNCTION "public"."hub_begin_refund"(uuid, integer, text) IS 'For hub-checkout, called as an admin: logs why a payment, or a part of it, goes back, and returns what the provider needs for it; null is all that is left. The order changes when the provider says that it is done. Raises PT404 order_not_found, also for everybody else, PT409 not_refundable, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_delete_asset"(uuid) IS 'Turns the caller''s own listing into a tombstone: versions and stars are deleted, slug and reports stay, remixes keep working; while somebody has bought it, it is only unpublished. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 not_published.';

COMMENT ON FUNCTION "public"."hub_import"(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, integer, text, text, boolean, uuid, boolean) IS 'For hub-import: writes the rows that the core package has planned, in one transaction. Raises PT401 invalid_credential, PT403 banned or purchase_required, PT404 asset_not_found, PT409 modified_copy or version_yanked, PT422 idempotency_key_reused or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_my_purchases"(uuid) IS 'The newest 500 paid orders of the caller, or the one of that id in any state: [{order_id, asset_id, title, slug, asset_type, price_cents, currency, refunded_cents, state, readable, created_at, paid_at}]; slug is null when the listing cannot be opened.';

COMMENT ON FUNCTION "public"."hub_note_checkout"(uuid, text, text) IS 'For hub-checkout: the payment page that the provider made for an order.';

COMMENT ON FUNCTION "public"."hub_order_for_status"(uuid, uuid) IS 'For hub-checkout: what the provider is asked about an order of that user, or of anybody for an admin: {order_id, checkout_id, payment_id, price_cents, currency, state}; null for none.';

COMMENT ON FUNCTION "public"."hub_orders"(text, text, text) IS 'For admins: orders, newest first; q is the id of one, words of a title, or the username of a buyer or creator: {items: [{id, state, title, slug, asset_type, price_cents, currency, fee_cents, refunded_cents, created_at, paid_at, buyer, creator}], next_cursor}. Raises 42501, PT400 malformed_cursor.';

COMMENT ON FUNCTION "public"."hub_orders_to_ask"(integer) IS 'For hub-checkout: orders that are open for more than an hour, and paid ones whose money is due back, the oldest first: [{order_id, checkout_id, payment_id, price_cents, currency, undelivered}].';

COMMENT ON FUNCTION "public"."hub_publish"(uuid, jsonb, text, boolean, integer, text, text) IS 'For hub-publish: publishes prepared content, with secrets removed: {asset_type, ref_id, slug, title, description, tags, thumbnail_url, license, payload, sha256, scan, redactions, items, label, changelog, organization, price_cents, currency, teaser, content_sha256 if the scan has findings}; a dry run returns what would be published and changes nothing. Raises PT403 banned, PT404 organization_not_found or source_not_found, PT409 already_public, duplicate_content, label_taken, removed or scan_confirmation_required, PT422 idempotency_key_reused, mixed_script, organization_only, payout_account_required, secret_detected or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_reconcile"() IS 'For operators: what does not agree. ledger, state, purchase: the books differ from the events (never, unless a trigger was disabled); mismatch, unknown: an event of another amount, or of no order; refund_failed: the buyer did not get the money; undelivered: paid for nothing, the money is due back; open: for more than an hour, and hub-checkout asks the provider.';

COMMENT ON FUNCTION "public"."hub_revenue"(date, date) IS 'What the caller has earned, from the ledger, by day (UTC) and listing, newest first: [{day, asset_id, title, slug, asset_type, currency, sales, gross_cents, fee_cents, refunds_cents, net_cents}]; net = gross - refunds - fee. Raises PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_verify_creator"(text, boolean) IS 'For admins: marks a creator as verified, or takes the mark back; orders from then on have the fee of it. Raises 42501, PT404 user_not_found.';

COMMENT ON FUNCTION "public"."hub_versions"(text) IS 'The newest 100 versions of a listing, newest first: [{version, label, changelog, license, sha256, published_at, yanked, yank_reason, readable}]; readable tells whether hub_asset gives the caller its content; sha256 is null for a paid version that the caller has not bought. Raises PT404 asset_not_found.';

COMMENT ON TABLE "private"."hub_calls" IS 'Previews, imports, edits, pictures and checkouts of the last hour, for their limits. Each call deletes the expired rows of its user; hub_prune deletes those of all users.';

COMMENT ON TABLE "private"."ledger" IS 'Every amount that moved: what an account gained by an event, or lost when negative. The lines of an event add up to zero.';

COMMENT ON TABLE "private"."orders" IS 'Orders, as agreed when the checkout began. state follows from private.payment_events; only it and what becomes known later changes.';

COMMENT ON TABLE "private"."payment_events" IS 'What the payment provider told, each event once. The state of an order and its ledger follow from those that were applied, in whatever order they came.';

COMMENT ON TABLE "public"."hub_payout_accounts" IS 'The accounts of creators at the payment provider, where their share goes.';

COMMENT ON TABLE "public"."hub_purchases" IS 'Who may read what they bought: while revoked_at is null. One row for each order that was delivered; goes with the account, not with the listing.';

COMMENT ON VIEW "public"."hub_listings" IS 'Visible listings as a gallery shows them: the columns of a card with its creator, and the number of the current version.';

REVOKE ALL ON FUNCTION "private"."apply_account_event"(text, text, text, boolean, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."apply_account_event"(text, text, text, boolean, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."begin_checkout"(uuid, text, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begin_checkout"(uuid, text, text, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."begin_onboarding"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begin_onboarding"(uuid, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."begin_refund"(uuid, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begin_refund"(uuid, integer, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."check_offer"(uuid, text, integer, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."deliver"(private.orders) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."due_lines"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."insert_listing"(uuid, text, uuid, text, text, text, text[], text, text, uuid, private.offer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_undelivered"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge_order"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."ledger_adds_up"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."list_orders"(text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_orders"(text, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."lock_order"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."my_paid_content"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."my_paid_content"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."my_purchases"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."my_purchases"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."note_checkout"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_checkout"(uuid, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."order_for_status"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."order_for_status"(uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."order_rank"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."orders_guard"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."orders_to_ask"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."orders_to_ask"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."paid_content"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."product_id"(private.offer, uuid) FROM PUBLIC;

REVOKE ALL
  ON FUNCTION
    "private"."publish_snapshot"(uuid, text, uuid, text, text, text, text[], text, jsonb, text, text, jsonb, jsonb, jsonb, boolean, integer, text, text, text, integer, text, text)
  FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."purchases_are_paid"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."purchases_guard"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."reconcile"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reconcile"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."revenue"(date, date) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."revenue"(date, date) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."settle_order"(uuid, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."unbooked"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."verify_creator"(text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."verify_creator"(text, boolean) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_apply_account_event"(text, text, text, boolean, timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_apply_account_event"(text, text, text, boolean, timestamp WITH time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_apply_account_event"(text, text, text, boolean, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_begin_checkout"(uuid, text, text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_begin_checkout"(uuid, text, text, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_begin_checkout"(uuid, text, text, integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_begin_onboarding"(uuid, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_begin_onboarding"(uuid, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_begin_onboarding"(uuid, text, text) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_begin_refund"(uuid, integer, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_begin_refund"(uuid, integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_begin_refund"(uuid, integer, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_my_purchases"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_my_purchases"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_my_purchases"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_note_checkout"(uuid, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_note_checkout"(uuid, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_note_checkout"(uuid, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_order_for_status"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_order_for_status"(uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_order_for_status"(uuid, uuid) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_orders"(text, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_orders"(text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_orders"(text, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_orders_to_ask"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_orders_to_ask"(integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_orders_to_ask"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_reconcile"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_reconcile"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_reconcile"() TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_revenue"(date, date) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_revenue"(date, date) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_revenue"(date, date) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_verify_creator"(text, boolean) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_verify_creator"(text, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_verify_creator"(text, boolean) TO "postgres";

GRANT SELECT ON TABLE "private"."ledger" TO "service_role";

GRANT SELECT ON TABLE "private"."orders" TO "service_role";

GRANT SELECT ON TABLE "private"."payment_events" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_payout_accounts" FROM "authenticated";

GRANT SELECT ON TABLE "public"."hub_payout_accounts" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_payout_accounts" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_payout_accounts" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_payout_accounts" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_payout_accounts" TO "service_role";

REVOKE ALL ("currency") ON TABLE "public"."hub_settings" FROM "anon";

GRANT SELECT ("currency") ON TABLE "public"."hub_settings" TO "anon";

REVOKE ALL ("fee_bps") ON TABLE "public"."hub_settings" FROM "anon";

GRANT SELECT ("fee_bps") ON TABLE "public"."hub_settings" TO "anon";

REVOKE ALL ("verified_fee_bps") ON TABLE "public"."hub_settings" FROM "anon";

GRANT SELECT ("verified_fee_bps") ON TABLE "public"."hub_settings" TO "anon";

REVOKE ALL ("currency") ON TABLE "public"."hub_settings" FROM "authenticated";

GRANT SELECT ("currency") ON TABLE "public"."hub_settings" TO "authenticated";

REVOKE ALL ("fee_bps") ON TABLE "public"."hub_settings" FROM "authenticated";

GRANT SELECT ("fee_bps") ON TABLE "public"."hub_settings" TO "authenticated";

REVOKE ALL ("verified_fee_bps") ON TABLE "public"."hub_settings" FROM "authenticated";

GRANT SELECT ("verified_fee_bps") ON TABLE "public"."hub_settings" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_listings" FROM "anon";

GRANT SELECT ON TABLE "public"."hub_listings" TO "anon";

REVOKE ALL ON TABLE "public"."hub_listings" FROM "authenticated";

GRANT SELECT ON TABLE "public"."hub_listings" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_listings" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_listings" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_listings" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_listings" TO "service_role";
