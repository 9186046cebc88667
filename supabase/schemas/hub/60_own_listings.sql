-- Calls for creators: unpublish, republish and delete their published listings.
create function private.lock_with_stars(asset_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  started constant timestamptz := clock_timestamp();
  locked bigint;
begin
  -- Lock order: a concurrent unstar locks the star and then waits for the asset. This loop therefore does not wait for stars while
  -- it holds the lock of the asset: on a lock conflict it releases all locks and takes them again.
  loop
    begin
      perform from public.hub_assets a where a.id = lock_with_stars.asset_id for no key update;
      select count(*) into locked from (
        select from public.hub_stars s where s.asset_id = lock_with_stars.asset_id for update skip locked
      ) s;
      exit when locked = (select count(*) from public.hub_stars s where s.asset_id = lock_with_stars.asset_id);
      raise exception using errcode = 'KH001', message = 'lock_conflict';
    exception
      when sqlstate 'KH001' then
        if clock_timestamp() > started + interval '5 seconds' then
          raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "lock conflict on a star, retries exhausted"}';
        end if;
        perform pg_sleep(0.01);
    end;
  end loop;
end;
$$;
comment on function private.lock_with_stars is 'Locks an asset that will become a tombstone, and its stars. Raises PT503 unavailable after 5 seconds of lock conflicts.';
revoke execute on function private.lock_with_stars from public, anon, authenticated, service_role;

create function private.own_listing(asset_id uuid, with_stars boolean default false)
returns public.hub_assets
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  caller constant uuid := (select auth.uid());
  asset public.hub_assets;
begin
  if caller is null or not private.is_member() then
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
  perform private.begin_write(caller);
  select a.* into asset from public.hub_assets a where a.id = own_listing.asset_id;
  if asset.creator_id = caller and asset.deleted_at is null then
    perform private.lock_source(asset.asset_type, asset.ref_id, caller);
    if own_listing.with_stars then
      perform private.lock_with_stars(asset.id);
    end if;
    select a.* into asset from public.hub_assets a where a.id = own_listing.asset_id for no key update;
  end if;
  if asset.deleted_at is null and asset.creator_id = caller then
    if asset.published_at is null and asset.current_version = 0 then
      raise exception using errcode = 'PT409', message = 'not_published';
    end if;
    return asset;
  end if;
  -- not_owner discloses that the asset exists, so only a caller who sees the asset gets this answer.
  if private.is_seen_by(asset, caller) then
    raise exception using errcode = 'PT403', message = 'not_owner';
  end if;
  raise exception using errcode = 'PT404', message = 'asset_not_found';
end;
$$;
comment on function private.own_listing is 'Locks and returns the caller''s own listing. Raises PT403 banned or not_owner (only for assets that the caller sees), PT404 asset_not_found, PT409 not_published.';
revoke execute on function private.own_listing from public, anon, authenticated, service_role;

create function private.unpublish_asset(asset_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  asset constant public.hub_assets := private.own_listing(unpublish_asset.asset_id);
begin
  update public.hub_assets a
  set is_public = false, shared_at = null
  where a.id = asset.id and (a.is_public or a.shared_at is not null);
end;
$$;
comment on function private.unpublish_asset is 'Clears is_public and shared_at of the caller''s listing. Called by public.hub_unpublish_asset.';
revoke execute on function private.unpublish_asset from public, anon, authenticated, service_role;
grant execute on function private.unpublish_asset to authenticated;

create function private.republish_asset(asset_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  asset constant public.hub_assets := private.own_listing(republish_asset.asset_id);
  content public.hub_asset_versions;
begin
  select v.* into content
  from public.hub_asset_versions v
  where v.asset_id = asset.id and v.version = asset.current_version;
  if content.version is null then
    raise exception using errcode = 'PT409', message = 'not_published';
  end if;
  if asset.organization_id is null then
    update public.hub_assets a set is_public = true where a.id = asset.id and not a.is_public;
  else
    -- The listing returns to the same organization as before, never to more readers.
    perform private.organization_of(asset.creator_id, asset.organization_id);
    update public.hub_assets a set shared_at = clock_timestamp() where a.id = asset.id and a.shared_at is null;
  end if;
end;
$$;
comment on function private.republish_asset is 'Makes the caller''s listing public again, or puts it on its organization''s shelf again. Called by public.hub_republish_asset.';
revoke execute on function private.republish_asset from public, anon, authenticated, service_role;
grant execute on function private.republish_asset to authenticated;

create function private.delete_asset(asset_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  asset constant public.hub_assets := private.own_listing(delete_asset.asset_id, with_stars => true);
begin
  -- While a buyer has a live purchase, only unpublishes the listing, so that buyers keep what they paid for.
  if exists (select from public.hub_purchases p where p.asset_id = asset.id and p.revoked_at is null) then
    update public.hub_assets a set is_public = false where a.id = asset.id and a.is_public;
    return;
  end if;
  update public.hub_assets a set deleted_at = clock_timestamp() where a.id = asset.id;
end;
$$;
comment on function private.delete_asset is 'Makes the caller''s listing a tombstone, or only unpublishes it while a buyer has access. Called by public.hub_delete_asset.';
revoke execute on function private.delete_asset from public, anon, authenticated, service_role;
grant execute on function private.delete_asset to authenticated;

create function public.hub_unpublish_asset(asset_id uuid)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.unpublish_asset(hub_unpublish_asset.asset_id);
$$;
comment on function public.hub_unpublish_asset is 'Unpublishes the caller''s own listing, or takes it off its shelf; slug, stars, versions and published_at stay. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 not_published.';
revoke execute on function public.hub_unpublish_asset from public, anon, authenticated, service_role;
grant execute on function public.hub_unpublish_asset to authenticated;

create function public.hub_republish_asset(asset_id uuid)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.republish_asset(hub_republish_asset.asset_id);
$$;
comment on function public.hub_republish_asset is 'Republishes the caller''s own listing with its current version, to the same readers as before; a listing that moderation has hidden stays hidden. Raises PT403 banned or not_owner, PT404 asset_not_found or organization_not_found, PT409 not_published.';
revoke execute on function public.hub_republish_asset from public, anon, authenticated, service_role;
grant execute on function public.hub_republish_asset to authenticated;

create function public.hub_delete_asset(asset_id uuid)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.delete_asset(hub_delete_asset.asset_id);
$$;
comment on function public.hub_delete_asset is 'Turns the caller''s own listing into a tombstone: versions and stars are deleted, slug and reports stay, remixes keep working; while a buyer has a live purchase of the listing, it is only unpublished. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 not_published.';
revoke execute on function public.hub_delete_asset from public, anon, authenticated, service_role;
grant execute on function public.hub_delete_asset to authenticated;
