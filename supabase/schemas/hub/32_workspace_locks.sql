-- Locks of writes to the workspace and of publications. The lock order is in docs/design/locks.md.

-- A client's write to the workspace calls begin_write before any row is locked. So it is serialized with a ban and with the
-- deletion of the account.
create function private.lock_caller()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- Operators and edge functions have no auth.uid(). Row level security refuses callers without an account.
  if (select auth.uid()) is not null and private.is_member() then
    -- A banned user may still edit the workspace.
    perform private.begin_write((select auth.uid()), allow_banned => true);
  end if;
  return null;
end;
$$;
comment on function private.lock_caller is 'Locks the caller''s profile and account before a statement. Raises 42501 when the account is deleted.';
revoke execute on function private.lock_caller from public, anon, authenticated, service_role;

-- Not fired for writes by triggers and cascades.
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
    -- guard: hub: another user's item cannot be published
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
comment on function private.lock_source is 'Locks a source row of a user, which comes before its registry row in the lock order; false when the user has no such row.';
revoke execute on function private.lock_source from public, anon, authenticated, service_role;
