create function public.hub_featured_assets()
returns json
language sql
stable
security invoker
set search_path = ''
as $$
  select json_build_object('items', private.asset_cards(array(
    select f.asset_id from public.hub_featured f order by f.position, f.created_at, f.asset_id limit 100
  )));
$$;
comment on function public.hub_featured_assets is 'Returns the cards of the curated collection in the order of the collection, at most 100: {items}.';
revoke execute on function public.hub_featured_assets from public, anon, authenticated, service_role;
grant execute on function public.hub_featured_assets to anon, authenticated, service_role;

create function private.feature_asset(asset_id uuid, "position" integer)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  asset constant public.hub_assets := private.asset_for_admin(feature_asset.asset_id);
begin
  if not asset.is_visible then
    raise exception using errcode = 'PT409', message = 'not_visible';
  end if;
  insert into public.hub_featured (asset_id, position)
  values (asset.id, coalesce(feature_asset.position, (select 1 + max(f.position) from public.hub_featured f), 1))
  on conflict on constraint hub_featured_pkey do update
  set position = coalesce(feature_asset.position, public.hub_featured.position);
end;
$$;
comment on function private.feature_asset is 'Inserts a visible listing into hub_featured or changes its position. Called by public.hub_feature_asset.';
revoke execute on function private.feature_asset from public, anon, authenticated, service_role;
grant execute on function private.feature_asset to authenticated;

create function public.hub_feature_asset(asset_id uuid, place integer default null)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.feature_asset(hub_feature_asset.asset_id, hub_feature_asset.place);
$$;
comment on function public.hub_feature_asset is 'For admins: adds a visible listing to the curated collection, at the end or at the given place, or moves it to that place. Raises 42501, PT404 asset_not_found, PT409 not_visible.';
revoke execute on function public.hub_feature_asset from public, anon, authenticated, service_role;
grant execute on function public.hub_feature_asset to authenticated;

create function private.unfeature_asset(asset_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.require_admin();
  delete from public.hub_featured f where f.asset_id = unfeature_asset.asset_id;
end;
$$;
comment on function private.unfeature_asset is 'Deletes a listing from hub_featured. Called by public.hub_unfeature_asset.';
revoke execute on function private.unfeature_asset from public, anon, authenticated, service_role;
grant execute on function private.unfeature_asset to authenticated;

create function public.hub_unfeature_asset(asset_id uuid)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.unfeature_asset(hub_unfeature_asset.asset_id);
$$;
comment on function public.hub_unfeature_asset is 'For admins: removes a listing from the curated collection; does nothing if the listing is not in it. Raises 42501.';
revoke execute on function public.hub_unfeature_asset from public, anon, authenticated, service_role;
grant execute on function public.hub_unfeature_asset to authenticated;
