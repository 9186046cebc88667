-- The rules of every write to the workspace, and the locks that the write takes first.

-- Validation of workspace rows: one function for the four tables. It checks the same limits as the constraints, but earlier, and
-- reports them as validation_failed.
create function private.workspace_before_write()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  item jsonb;
  faults jsonb := '[]';
  mirrors constant text[] := '{hub_asset_id,is_public,updated_at}';
begin
  -- Does not apply the patterns of private.clean to a text that is much too long.
  if octet_length(new.name) <= 4096 then
    new.name := private.clean(new.name);
  end if;
  item := to_jsonb(new);
  if new.name is null or char_length(new.name) not between 1 and 120 or private.has_breaks_or_invisible(new.name) then
    faults := faults || private.fault('name', 'invalid_length', 'must be 1 to 120 visible characters');
  end if;
  if tg_table_name = 'prompt_templates' then
    if item ->> 'content' is null or octet_length(item ->> 'content') > 262144 then
      faults := faults || private.fault('content', 'too_big', 'must be a text of at most 256 KiB');
    end if;
    if jsonb_typeof(item -> 'variables') not in ('array', 'object') then
      faults := faults || private.fault('variables', 'invalid_type', 'must be an array or an object');
    elsif octet_length((item -> 'variables')::text) > 262144 then
      faults := faults || private.fault('variables', 'too_big', 'must be at most 256 KiB');
    end if;
  elsif tg_table_name = 'custom_components' then
    if item ->> 'source' is null or octet_length(item ->> 'source') > 524288 then
      faults := faults || private.fault('source', 'too_big', 'must be a text of at most 512 KiB');
    end if;
    if jsonb_typeof(item -> 'props_schema') <> 'object' then
      faults := faults || private.fault('props_schema', 'invalid_type', 'must be an object');
    elsif octet_length((item -> 'props_schema')::text) > 524288 then
      faults := faults || private.fault('props_schema', 'too_big', 'must be at most 512 KiB');
    end if;
  elsif tg_table_name = 'orchestrator_configs' then
    if jsonb_path_exists(item, 'strict $.tags ? (@.type() != "array")')
      or jsonb_path_exists(item, 'strict $.tags[*] ? (@.type() != "string")')
    then
      faults := faults || private.fault('tags', 'invalid_type', 'must be an array of texts');
    elsif jsonb_array_length(item -> 'tags') > 50 or octet_length(item ->> 'tags') > 8192 then
      faults := faults || private.fault('tags', 'too_big', 'must be at most 50 tags');
    end if;
    if jsonb_typeof(item -> 'nodes') <> 'array' then
      faults := faults || private.fault('nodes', 'invalid_type', 'must be an array');
    end if;
    if jsonb_typeof(item -> 'edges') <> 'array' then
      faults := faults || private.fault('edges', 'invalid_type', 'must be an array');
    end if;
    if jsonb_typeof(item -> 'stage_configs') <> 'array' then
      faults := faults || private.fault('stage_configs', 'invalid_type', 'must be an array');
    end if;
    if octet_length(concat(item -> 'nodes', item -> 'edges', item -> 'stage_configs')) > 1048576 then
      faults := faults || private.fault('nodes', 'too_big', 'nodes, edges and stage_configs must be at most 1 MiB together');
    end if;
  elsif tg_table_name = 'ai_model_settings' then
    -- These are the same expressions as in the constraint ai_model_settings_size_check.
    if octet_length((item -> 'pricing')::text) > 16384
      or octet_length(concat(item ->> 'model_id', item ->> 'thinking_level', item ->> 'generate_content_api', item ->> 'organization_code', item ->> 'api_key')) > 16384
    then
      faults := faults || private.fault('', 'too_big', 'must be at most 16 KiB');
    end if;
    if jsonb_typeof(item -> 'extra') not in ('object', 'null') then
      faults := faults || private.fault('extra', 'invalid_type', 'must be an object');
    elsif octet_length((item -> 'extra')::text) > 16384 then
      faults := faults || private.fault('extra', 'too_big', 'must be at most 16 KiB');
    end if;
    -- to_jsonb writes NaN and infinity as strings, so a string here is not a finite number.
    if jsonb_typeof(item -> 'temperature') = 'string' then
      faults := faults || private.fault('temperature', 'invalid_value', 'must be a finite number');
    end if;
    if jsonb_typeof(item -> 'top_p') = 'string' then
      faults := faults || private.fault('top_p', 'invalid_value', 'must be a finite number');
    end if;
  else
    perform private.refuse_asset_type(tg_table_name);
  end if;
  if (new.source_format is null) <> (new.source_text is null) then
    faults := faults || private.fault('source_text', 'unpaired', 'source_format and source_text are given together');
  elsif new.source_format !~ '^[a-z0-9-]{1,40}$' then
    faults := faults || private.fault('source_format', 'invalid_format', 'must be the id of a format');
  end if;
  if octet_length(new.source_text) > 1048576 then
    faults := faults || private.fault('source_text', 'too_big', 'must be at most 1 MiB');
  end if;
  if octet_length(item ->> 'description') > 16384 then
    faults := faults || private.fault('description', 'too_big', 'must be at most 16 KiB');
  end if;
  perform private.refuse_faults(faults);
  if tg_op = 'UPDATE' and (item - mirrors) is distinct from (to_jsonb(old) - mirrors) then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end;
$$;
comment on function private.workspace_before_write is 'Validates a row of any source table. Raises PT422 validation_failed.';
revoke execute on function private.workspace_before_write from public, anon, authenticated, service_role;

-- Locks of writes to the workspace. The lock order is in docs/design/locks.md.

-- Calls begin_write before a client's write to the workspace locks any row. This serializes the write with a ban and with the
-- deletion of the account.
create function private.lock_caller()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- Skips operators and edge functions, which have no auth.uid(), and callers without an account, whom row level security refuses.
  if (select auth.uid()) is not null and private.is_member() then
    -- A banned user may still edit the workspace.
    perform private.begin_write((select auth.uid()), allow_banned => true);
  end if;
  return null;
end;
$$;
comment on function private.lock_caller is 'Locks the caller''s profile and account before a statement. Raises 42501 when the account is deleted.';
revoke execute on function private.lock_caller from public, anon, authenticated, service_role;
