-- Reads one listing for its readers: card, content and attribution. Row level security decides which rows a caller sees; only the
-- names of authors and the state of an original are read with SECURITY DEFINER.
create function private.shown_origin(origin jsonb)
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  -- Of the current row of the original, the result shows only whether the original can be opened and whether it is deleted. The ids
  -- of its author and its organization are left out.
  select shown_origin.origin - 'creator_id' - 'organization_id' || jsonb_build_object(
    'creator', private.creator((shown_origin.origin ->> 'creator_id')::uuid),
    -- Neither a hidden original nor one on another organization's shelf can be opened.
    'available', coalesce(private.is_seen_by(a, (select auth.uid())), false),
    'deleted', a.id is null or a.deleted_at is not null
  )
  from (values (1)) one
  left join public.hub_assets a on a.id = (shown_origin.origin ->> 'id')::uuid
  where shown_origin.origin is not null;
$$;
comment on function private.shown_origin is 'Returns a work of an attribution as readers see it: with the current name of its creator, and whether it can be opened or is deleted.';
revoke execute on function private.shown_origin from public, anon, authenticated, service_role;

create function private.shown_attribution(attribution jsonb)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  root constant jsonb := private.shown_origin(shown_attribution.attribution -> 'root');
  parent constant jsonb := private.shown_origin(shown_attribution.attribution -> 'parent');
  via constant jsonb := shown_attribution.attribution -> 'via';
  claimed constant jsonb := shown_attribution.attribution -> 'claimed';
  original constant jsonb := coalesce(claimed -> 'root', claimed);
begin
  if shown_attribution.attribution is null then
    return null;
  end if;
  return case when claimed is null then '{}' else jsonb_build_object('claimed', claimed) end
    || case
      when via is null then '{}'
      else jsonb_build_object('via', (
        select jsonb_agg(private.shown_origin(v.origin) order by v.place)
        from jsonb_array_elements(via) with ordinality v (origin, place)
      ))
    end
    || jsonb_build_object(
      'root', root,
      'parent', parent,
      'text', case
        when root is null then 'Said to come from “' || (original ->> 'title') || '”' || coalesce(' by ' || (original ->> 'creator'), '')
        when (root -> 'deleted')::boolean then 'Remixed from a deleted asset' || coalesce(' by @' || (root #>> '{creator,username}'), '')
        else 'Remixed from “' || (root ->> 'title') || '”' || coalesce(' by @' || (root #>> '{creator,username}'), '')
      end
    );
end;
$$;
comment on function private.shown_attribution is 'Returns an attribution as a badge shows it: root, parent and via with their authors'' current names and whether they can be opened or are deleted, and a sentence about the original.';
revoke execute on function private.shown_attribution from public, anon, authenticated, service_role;
grant execute on function private.shown_attribution to anon, authenticated, service_role;

create function private.find_asset(id_or_slug text)
returns uuid
language sql
stable
security invoker
set search_path = ''
as $$
  -- No slug has the form of an id, so at most one asset fits.
  select a.id
  from public.hub_assets a
  where a.slug = lower(find_asset.id_or_slug)
    or a.id = case
      when find_asset.id_or_slug ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then find_asset.id_or_slug::uuid
    end
  order by a.slug = lower(find_asset.id_or_slug)
  limit 1;
$$;
comment on function private.find_asset is 'Returns the id of the asset with this id or slug, if the caller may see it.';
revoke execute on function private.find_asset from public, anon, authenticated, service_role;
grant execute on function private.find_asset to anon, authenticated, service_role;

-- Returns the tombstone of a deleted listing. A listing may have been hidden because of its title: a later deletion by its creator
-- must not show the title again.
create function private.tombstone(id_or_slug text)
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
  -- An asset that was never published has no public tombstone.
  where a.id = private.find_asset(tombstone.id_or_slug) and a.deleted_at is not null and a.published_at is not null
    -- An asset that was last on a shelf has no public tombstone either.
    and a.organization_id is null;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  -- The tombstone of a hidden asset shows nothing of the asset.
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
comment on function private.tombstone is 'Returns what readers see of a deleted listing: the fields that an attribution would show of it, or only deleted = true when moderation had hidden it. Raises PT404 asset_not_found for any other asset.';
revoke execute on function private.tombstone from public, anon, authenticated, service_role;
grant execute on function private.tombstone to anon, authenticated, service_role;

create function public.hub_asset(id_or_slug text, version integer default null)
returns jsonb
language plpgsql
stable
security invoker
set search_path = ''
as $$
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
  -- When the caller may not read the current version of a paid listing, the listing is shown without its content.
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
$$;
comment on function public.hub_asset is 'Returns one listing with its content: the current version, or the given older one. Everybody may read an open version that is not yanked, the listing''s owner and admins any version, and importers any version except a yanked one that they did not import. For a deleted listing, returns only the fields of an attribution and deleted = true; if moderation had hidden it, only deleted = true. Raises PT404 asset_not_found.';
revoke execute on function public.hub_asset from public, anon, authenticated, service_role;
grant execute on function public.hub_asset to anon, authenticated, service_role;
