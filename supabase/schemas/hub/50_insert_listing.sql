create function private.insert_listing(
  creator_id uuid,
  asset_type text,
  ref_id uuid,
  slug text,
  title text,
  description text,
  tags text[],
  thumbnail_url text,
  license text,
  organization_id uuid,
  offer private.offer
)
returns uuid
language plpgsql
volatile
security definer
set search_path = ''
as $$
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
$$;
comment on function private.insert_listing is 'Inserts a listing with the first free form of its slug (private.nth_slug) and returns the id of the listing.';
revoke execute on function private.insert_listing from public, anon, authenticated, service_role;

-- Returns how many forms of a slug are skipped. A shared listing skips the plain form and the numbered ones, so its slug ends with
-- random characters: if it took the plain form, others could learn from the taken slug that a listing with this title exists.
create function private.first_attempt(organization_id uuid)
returns integer
language sql
immutable
set search_path = ''
as $$
  select case when first_attempt.organization_id is null then 0 else 9 end;
$$;
comment on function private.first_attempt is 'Returns how many forms of private.nth_slug a listing skips: 9 for a listing of an organization, which gets a random suffix, and 0 for a public one.';
revoke execute on function private.first_attempt from public, anon, authenticated, service_role;

create function private.nth_slug(slug text, attempt integer)
returns text
language sql
volatile
set search_path = ''
as $$
  select case
    when nth_slug.attempt = 1 then left(nth_slug.slug, 80)
    when nth_slug.attempt <= 9 then rtrim(left(nth_slug.slug, 78), '-') || '-' || nth_slug.attempt
    else rtrim(left(nth_slug.slug, 71), '-') || '-' || left(replace(gen_random_uuid()::text, '-', ''), 8)
  end;
$$;
comment on function private.nth_slug is 'Returns the form of a slug for an attempt: the slug itself for attempt 1, with -2 to -9 for attempts 2 to 9, and with a random suffix for later attempts.';
revoke execute on function private.nth_slug from public, anon, authenticated, service_role;
