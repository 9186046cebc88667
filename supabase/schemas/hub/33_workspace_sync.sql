-- Keeps a source row and its registry row consistent: maintains the mirrors hub_asset_id and is_public, and deletes a registry row
-- that was never published together with its source row.

-- Sets the mirrors of a source row from its registry row at every write, so that no write can set other values.
create function private.mirror_listing()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  listing record;
begin
  select a.id, a.is_public into listing
  from public.hub_assets a
  where a.asset_type = tg_argv[0] and a.ref_id = new.id and a.deleted_at is null;
  new.hub_asset_id := listing.id;
  if tg_argv[0] <> 'template' then
    new.is_public := coalesce(listing.is_public, false);
  end if;
  return new;
end;
$$;
comment on function private.mirror_listing is 'Sets hub_asset_id and is_public of a source row from its registry row, if there is one.';
revoke execute on function private.mirror_listing from public, anon, authenticated, service_role;

-- Deletes the registry rows of deleted source rows that were never published. Runs once per statement and in the order of ids,
-- which is the lock order.
create function private.delete_unpublished_listings()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform from public.hub_assets a
  where a.asset_type = tg_argv[0] and a.ref_id in (select r.id from removed r) and a.published_at is null and a.current_version = 0
  order by a.id
  for update;
  delete from public.hub_assets a
  -- A published listing stays when its source is deleted.
  where a.asset_type = tg_argv[0] and a.ref_id in (select r.id from removed r) and a.published_at is null and a.current_version = 0;
  return null;
end;
$$;
comment on function private.delete_unpublished_listings is 'Deletes registry rows that were never published together with their source rows; published ones stay.';
revoke execute on function private.delete_unpublished_listings from public, anon, authenticated, service_role;
