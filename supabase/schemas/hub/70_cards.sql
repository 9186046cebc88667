-- The fields of a listing's card, in all places that show one: the listing's own page (asset_card), search and lists (asset_cards),
-- lists of remixes (remix_cards) and the view hub_listings. A field of a card must be in all four of these, and in no other file.
-- There is no function for a single card of a page: calling it for each row would make a page slower.
create function private.creator(user_id uuid)
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  select jsonb_build_object('username', p.username, 'avatar_url', p.avatar_url, 'verified', p.verified_at is not null)
  from public.hub_profiles p
  where p.user_id = creator.user_id and not private.is_banned(p.user_id);
$$;
comment on function private.creator is 'Returns username, avatar_url and verified of a creator, as cards show them; null when the account is deleted or banned.';
revoke execute on function private.creator from public, anon, authenticated, service_role;
grant execute on function private.creator to anon, authenticated, service_role;

create function private.creators(user_ids uuid[])
returns table (user_id uuid, card json)
language plpgsql
stable
security definer
set search_path = ''
set enable_seqscan = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
  select p.user_id, json_build_object('username', p.username, 'avatar_url', p.avatar_url, 'verified', p.verified_at is not null)
  from public.hub_profiles p
  where p.user_id = any (creators.user_ids)
    and not exists (select from private.hub_bans b where b.user_id = p.user_id);
end;
$$;
comment on function private.creators is 'Returns username, avatar_url and verified of each of these creators, as cards show them, without deleted and banned creators.';
revoke execute on function private.creators from public, anon, authenticated, service_role;
grant execute on function private.creators to anon, authenticated, service_role;

create function private.asset_card(asset public.hub_assets)
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
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
$$;
comment on function private.asset_card is 'Returns the card of a listing that the caller may see.';
revoke execute on function private.asset_card from public, anon, authenticated, service_role;
grant execute on function private.asset_card to anon, authenticated, service_role;

-- Returns json and not jsonb: half of a page is text, which jsonb would parse and write again.
create function private.asset_cards(asset_ids uuid[], organization_id uuid default null)
returns json
language plpgsql
stable
security invoker
set search_path = ''
set enable_seqscan = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
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
$$;
comment on function private.asset_cards is 'Returns the cards of the listings with the given ids, in the order of the ids: of visible listings, or, with an organization, of the listings on its shelf.';
revoke execute on function private.asset_cards from public, anon, authenticated, service_role;
grant execute on function private.asset_cards to anon, authenticated, service_role;

-- Returns the cards of a page of remixes. The caller passes the ids of the creators of these remixes, because it has already read
-- these ids.
create function private.remix_cards(asset_ids uuid[], creator_ids uuid[], directs integer)
returns json
language plpgsql
stable
security invoker
set search_path = ''
set enable_seqscan = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
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
$$;
comment on function private.remix_cards is 'Returns the cards of a page of remixes in the order of the given ids; the first `directs` of them are marked as direct remixes.';
revoke execute on function private.remix_cards from public, anon, authenticated, service_role;
grant execute on function private.remix_cards to anon, authenticated;

-- For callers who write their own query for a gallery. Shows visible listings only, also to callers who can see more of the table
-- (owners their private copies, admins hidden listings).
create view public.hub_listings
with (security_invoker = true)
as
select
  a.id,
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
  case when p.user_id is not null then jsonb_build_object('username', p.username, 'avatar_url', p.avatar_url, 'verified', p.verified_at is not null) end as creator,
  a.install_count,
  a.star_count,
  a.published_at,
  a.content_updated_at,
  a.remix_depth,
  a.current_version as version
from public.hub_assets a
left join public.hub_profiles p on p.user_id = a.creator_id
where a.is_visible;
comment on view public.hub_listings is 'Visible listings as a gallery shows them: the columns of a card with its creator, and the number of the current version.';
revoke all on table public.hub_listings from public, anon, authenticated, service_role;
grant select on table public.hub_listings to anon, authenticated, service_role;
