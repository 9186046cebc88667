-- A title may be the very reason why a listing was hidden: its creator's deletion must not show it again.

create or replace function private.tombstone(id_or_slug text)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  asset public.hub_assets;
begin
  select a.* into asset
  from public.hub_assets a
  -- What was never published has nothing to be remembered by.
  where a.id = private.find_asset(tombstone.id_or_slug) and a.deleted_at is not null and a.published_at is not null;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  -- What moderation took from sight does not come back by its own end.
  if asset.is_hidden or asset.hidden_by_ban then
    return '{"deleted": true}';
  end if;
  return jsonb_build_object(
    'id', asset.id,
    'slug', asset.slug,
    'asset_type', asset.asset_type,
    'title', asset.title,
    'license', asset.license,
    'creator', private.creator(asset.creator_id),
    'remix_depth', asset.remix_depth,
    'attribution', private.shown_attribution(asset.attribution),
    'deleted', true
  );
end;
$$;
comment on function private.tombstone is 'What is still told of a listing that was deleted: the fields of an attribution, or that it is gone and nothing else when moderation had hidden it. Raises PT404 asset_not_found of anything else.';
comment on function public.hub_asset is 'One listing with its content: the current version, or an older one for its owner, admins and importers. Of a deleted listing only the fields of an attribution, with deleted = true; of one that moderation had hidden, deleted = true alone. Raises PT404 asset_not_found.';
