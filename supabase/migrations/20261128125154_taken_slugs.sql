SET local check_function_bodies = off;

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
  form text;
begin
  for attempt in 1..30 loop
    form := private.nth_slug(insert_listing.slug, private.first_attempt(insert_listing.organization_id) + attempt);
    -- An insert of a form that is taken would run every trigger of the table for nothing.
    continue when exists (select from public.hub_assets a where a.slug = form);
    insert into public.hub_assets (
      id, price_cents, currency, teaser, payment_product_id,
      asset_type, ref_id, creator_id, slug, title, description, tags, thumbnail_url, license,
      organization_id, is_public, current_version, published_at, shared_at, content_updated_at
    )
    values (
      new_id, (insert_listing.offer).price_cents, (insert_listing.offer).currency, (insert_listing.offer).teaser,
      private.product_id(insert_listing.offer, new_id),
      insert_listing.asset_type, insert_listing.ref_id, insert_listing.creator_id, form,
      insert_listing.title, insert_listing.description, insert_listing.tags, insert_listing.thumbnail_url, insert_listing.license,
      insert_listing.organization_id, insert_listing.organization_id is null, 1,
      case when insert_listing.organization_id is null then clock_timestamp() end,
      case when insert_listing.organization_id is not null then clock_timestamp() end,
      clock_timestamp()
    )
    -- The insert waits for a concurrent transaction that inserts the same slug. If that commits, the loop tries the next form of
    -- the slug.
    on conflict on constraint hub_assets_slug_key do nothing
    returning id into made;
    exit when made is not null;
  end loop;
  return made;
end;
$function$;
