-- Keeps a source row and its registry row consistent: the mirrors hub_asset_id and is_public, and the deletion of a registry row
-- that was never published together with its source row.

-- Mirrors are looked up at every write of a source row, so that no write can set other values.
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
  -- guard: hub: mirrors are looked up at every write
  new.hub_asset_id := listing.id;
  -- end
  if tg_argv[0] <> 'template' then
    new.is_public := coalesce(listing.is_public, false);
  end if;
  return new;
end;
$$;
comment on function private.mirror_listing is 'Sets hub_asset_id and is_public of a source row from its registry row, if there is one.';
revoke execute on function private.mirror_listing from public, anon, authenticated, service_role;

create trigger prompt_templates_15_mirror before insert or update on public.prompt_templates
for each row execute function private.mirror_listing('template');
create trigger custom_components_15_mirror before insert or update on public.custom_components
for each row execute function private.mirror_listing('component');
create trigger orchestrator_configs_15_mirror before insert or update on public.orchestrator_configs
for each row execute function private.mirror_listing('orchestration');

create function private.refresh_mirror()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  listing constant public.hub_assets := case when tg_op = 'DELETE' then old else new end;
begin
  if listing.asset_type = 'template' then
    update public.prompt_templates t set hub_asset_id = t.hub_asset_id where t.id = listing.ref_id;
  elsif listing.asset_type = 'component' then
    update public.custom_components c set hub_asset_id = c.hub_asset_id where c.id = listing.ref_id;
  elsif listing.asset_type = 'orchestration' then
    update public.orchestrator_configs o set hub_asset_id = o.hub_asset_id where o.id = listing.ref_id;
  elsif listing.asset_type <> 'ai_preset' then
    perform private.refuse_asset_type(listing.asset_type);
  end if;
  return null;
end;
$$;
comment on function private.refresh_mirror is 'Refreshes the mirrors of the source row, by an update that fires mirror_listing.';
revoke execute on function private.refresh_mirror from public, anon, authenticated, service_role;

create trigger hub_assets_80_refresh_mirror
after insert or delete or update of is_public, deleted_at on public.hub_assets
for each row execute function private.refresh_mirror();

-- Once per statement, and in the order of ids, which is the lock order.
create function private.delete_unpublished_listings()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform from public.hub_assets a
  where a.asset_type = tg_argv[0] and a.ref_id in (select r.id from removed r) and a.published_at is null
  order by a.id
  for update;
  delete from public.hub_assets a
  -- guard: hub: a published listing stays when its source is deleted
  -- without: where a.asset_type = tg_argv[0] and a.ref_id in (select r.id from removed r) ;
  where a.asset_type = tg_argv[0] and a.ref_id in (select r.id from removed r) and a.published_at is null;
  -- end
  return null;
end;
$$;
comment on function private.delete_unpublished_listings is 'Deletes registry rows that were never published together with their source rows; published ones stay.';
revoke execute on function private.delete_unpublished_listings from public, anon, authenticated, service_role;

create trigger prompt_templates_delete_unpublished after delete on public.prompt_templates
referencing old table as removed for each statement execute function private.delete_unpublished_listings('template');
create trigger custom_components_delete_unpublished after delete on public.custom_components
referencing old table as removed for each statement execute function private.delete_unpublished_listings('component');
create trigger orchestrator_configs_delete_unpublished after delete on public.orchestrator_configs
referencing old table as removed for each statement execute function private.delete_unpublished_listings('orchestration');
create trigger ai_model_settings_delete_unpublished after delete on public.ai_model_settings
referencing old table as removed for each statement execute function private.delete_unpublished_listings('ai_preset');
