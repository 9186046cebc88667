create function private.set_picture(user_id uuid, id_or_slug text, picture jsonb, hourly_limit integer)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  found_id constant uuid := private.find_asset(set_picture.id_or_slug);
  asset public.hub_assets;
begin
  perform private.begin_write(set_picture.user_id);
  perform private.limit_calls(set_picture.user_id, 'pictures', set_picture.hourly_limit);
  -- Somebody else's listing is neither found nor locked here.
  select a.* into asset
  from public.hub_assets a
  where a.id = found_id and a.creator_id = set_picture.user_id
  for no key update;
  if asset.id is null and exists (select from public.hub_assets a where a.id = found_id and a.is_visible) then
    -- not_owner discloses that the asset exists, so it is raised only for a visible asset.
    raise exception using errcode = 'PT403', message = 'not_owner';
  end if;
  if asset.id is null or asset.deleted_at is not null then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  if asset.is_shared then
    -- A creator who has left the organization cannot change the pictures that members see.
    perform private.organization_of(set_picture.user_id, asset.organization_id);
  end if;

  if set_picture.picture is null then
    delete from public.hub_pictures p where p.asset_id = asset.id;
  else
    insert into public.hub_pictures as p (asset_id, media_type, bytes, width, height)
    values (
      asset.id,
      set_picture.picture ->> 'media_type',
      decode(set_picture.picture ->> 'bytes', 'base64'),
      (set_picture.picture ->> 'width')::integer,
      (set_picture.picture ->> 'height')::integer
    )
    on conflict on constraint hub_pictures_pkey do update
    set media_type = excluded.media_type, bytes = excluded.bytes, width = excluded.width, height = excluded.height,
      created_at = clock_timestamp()
    -- The same picture again changes nothing.
    where p.bytes <> excluded.bytes;
  end if;
  return jsonb_build_object(
    'id', asset.id,
    'picture', (select a.picture from public.hub_assets a where a.id = asset.id)
  );
end;
$$;
comment on function private.set_picture is 'Stores or removes the picture of a user''s listing and counts the call for the hourly limit. Called by public.hub_set_picture.';
revoke execute on function private.set_picture from public, anon, authenticated, service_role;
grant execute on function private.set_picture to service_role;

create function public.hub_set_picture(user_id uuid, id_or_slug text, picture jsonb, hourly_limit integer)
returns jsonb
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.set_picture(
    hub_set_picture.user_id, hub_set_picture.id_or_slug, hub_set_picture.picture, hub_set_picture.hourly_limit
  );
$$;
comment on function public.hub_set_picture is 'For hub-picture: gives a listing of the user a checked picture {media_type, bytes in base64, width, height}; with null, removes it. Returns {id, picture}. Raises PT403 banned or not_owner (only for visible assets), PT404 asset_not_found, PT429 rate_limited.';
revoke execute on function public.hub_set_picture from public, anon, authenticated, service_role;
grant execute on function public.hub_set_picture to service_role;

create function public.hub_picture(asset_id uuid, sha256 text)
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select jsonb_build_object('media_type', p.media_type, 'bytes', translate(encode(p.bytes, 'base64'), E'\n', ''))
  from public.hub_pictures p
  where p.asset_id = hub_picture.asset_id and p.sha256 = hub_picture.sha256;
$$;
comment on function public.hub_picture is 'Returns the picture of a listing that the caller may see, {media_type, bytes in base64}; null when the listing has no picture with this SHA-256.';
revoke execute on function public.hub_picture from public, anon, authenticated, service_role;
grant execute on function public.hub_picture to anon, authenticated, service_role;
