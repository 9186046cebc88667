-- How the workspace is written to and published from: who writes locks first (docs/design/locks.md).

-- A client's write to the workspace begins as every other write does: before any row is locked. So it meets neither a ban
-- nor a deletion of the account half way.
create function private.lock_caller()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- Operators and functions have no caller; whoever is no member is refused by row level security.
  if (select auth.uid()) is not null and private.is_member() then
    -- The workspace stays with a banned user.
    perform private.begin_write((select auth.uid()), even_banned => true);
  end if;
  return null;
end;
$$;
comment on function private.lock_caller is 'Locks the caller and their profile before a statement. Raises 42501 when the account is gone.';
revoke execute on function private.lock_caller from public, anon, authenticated, service_role;

-- Not what triggers and cascades write.
create trigger prompt_templates_lock_caller before insert or update or delete on public.prompt_templates
for each statement when (pg_trigger_depth() = 0) execute function private.lock_caller();
create trigger custom_components_lock_caller before insert or update or delete on public.custom_components
for each statement when (pg_trigger_depth() = 0) execute function private.lock_caller();
create trigger orchestrator_configs_lock_caller before insert or update or delete on public.orchestrator_configs
for each statement when (pg_trigger_depth() = 0) execute function private.lock_caller();
create trigger ai_model_settings_lock_caller before insert or update or delete on public.ai_model_settings
for each statement when (pg_trigger_depth() = 0) execute function private.lock_caller();

create function private.lock_source(asset_type text, ref_id uuid, user_id uuid)
returns boolean
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if lock_source.asset_type = 'template' then
    -- guard: hub: publishing somebody else's item
    -- without: perform from public.prompt_templates t where t.id = lock_source.ref_id for no key update;
    perform from public.prompt_templates t where t.id = lock_source.ref_id and t.user_id = lock_source.user_id for no key update;
    -- end
  elsif lock_source.asset_type = 'component' then
    perform from public.custom_components c where c.id = lock_source.ref_id and c.user_id = lock_source.user_id for no key update;
  elsif lock_source.asset_type = 'orchestration' then
    perform from public.orchestrator_configs o where o.id = lock_source.ref_id and o.user_id = lock_source.user_id for no key update;
  elsif lock_source.asset_type = 'ai_preset' then
    perform from public.ai_model_settings s where s.id = lock_source.ref_id and s.user_id = lock_source.user_id for no key update;
  else
    perform private.refuse_asset_type(lock_source.asset_type);
  end if;
  return found;
end;
$$;
comment on function private.lock_source is 'Locks a user''s source row, which comes before its registry row; false when there is none of theirs.';
revoke execute on function private.lock_source from public, anon, authenticated, service_role;
