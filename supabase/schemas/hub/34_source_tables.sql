-- The only file that maps asset types to source tables: one function for each operation on a source row of any type, and the
-- triggers of all source tables.

create function private.lock_source(asset_type text, ref_id uuid, user_id uuid)
returns boolean
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if lock_source.asset_type = 'template' then
    perform from public.prompt_templates t where t.id = lock_source.ref_id and t.user_id = lock_source.user_id for no key update;
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
comment on function private.lock_source is 'Locks a source row of a user, which comes before its registry row in the lock order; returns false when the user has no such row.';
revoke execute on function private.lock_source from public, anon, authenticated, service_role;

create function private.lock_own_sources(user_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform from public.prompt_templates t where t.user_id = lock_own_sources.user_id order by t.id for update;
  perform from public.custom_components c where c.user_id = lock_own_sources.user_id order by c.id for update;
  perform from public.orchestrator_configs o where o.user_id = lock_own_sources.user_id order by o.id for update;
  perform from public.ai_model_settings s where s.user_id = lock_own_sources.user_id order by s.id for update;
end;
$$;
comment on function private.lock_own_sources is 'Locks all source rows of a user before they are deleted.';
revoke execute on function private.lock_own_sources from public, anon, authenticated, service_role;

create function private.source_row(asset_type text, ref_id uuid)
returns jsonb
language plpgsql
stable
security invoker
set search_path = ''
as $$
begin
  if source_row.asset_type = 'template' then
    return (select to_jsonb(t) from public.prompt_templates t where t.id = source_row.ref_id);
  elsif source_row.asset_type = 'component' then
    return (select to_jsonb(c) from public.custom_components c where c.id = source_row.ref_id);
  elsif source_row.asset_type = 'orchestration' then
    return (select to_jsonb(o) from public.orchestrator_configs o where o.id = source_row.ref_id);
  elsif source_row.asset_type = 'ai_preset' then
    return (select to_jsonb(s) from public.ai_model_settings s where s.id = source_row.ref_id);
  end if;
  return to_jsonb(private.refuse_asset_type(source_row.asset_type));
end;
$$;
comment on function private.source_row is 'Returns a source row with the caller''s rights; null when the caller cannot see such a row.';
revoke execute on function private.source_row from public, anon, authenticated, service_role;
grant execute on function private.source_row to authenticated;

create function private.own_names(user_id uuid)
returns table (asset_type text, name text)
language sql
stable
security definer
set search_path = ''
as $$
  select 'template', t.name from public.prompt_templates t where t.user_id = own_names.user_id
  union all
  select 'component', c.name from public.custom_components c where c.user_id = own_names.user_id
  union all
  select 'orchestration', o.name from public.orchestrator_configs o where o.user_id = own_names.user_id
  union all
  select 'ai_preset', s.name from public.ai_model_settings s where s.user_id = own_names.user_id;
$$;
comment on function private.own_names is 'Returns the names of all source rows of a user, with their types.';
revoke execute on function private.own_names from public, anon, authenticated, service_role;

create function private.all_sources()
returns table (user_id uuid, source jsonb)
language sql
stable
security definer
set search_path = ''
as $$
  select t.user_id, to_jsonb(t) from public.prompt_templates t
  union all
  select c.user_id, to_jsonb(c) from public.custom_components c
  union all
  select o.user_id, to_jsonb(o) from public.orchestrator_configs o
  union all
  select s.user_id, to_jsonb(s) from public.ai_model_settings s;
$$;
comment on function private.all_sources is 'Returns all source rows of all users.';
revoke execute on function private.all_sources from public, anon, authenticated, service_role;

create function private.insert_sources(user_id uuid, rows jsonb, names text[])
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if insert_sources.rows @> '[{"asset_type": "template"}]' then
    insert into public.prompt_templates (id, user_id, name, description, content, variables, source_format, source_text)
    select (r.value ->> 'id')::uuid, insert_sources.user_id, insert_sources.names[r.place], c.description, coalesce(c.content, ''), coalesce(c.variables, '[]'),
      c.source_format, c.source_text
    from jsonb_array_elements(insert_sources.rows) with ordinality r (value, place)
    cross join lateral jsonb_to_record(r.value -> 'columns') as c (description text, content text, variables jsonb, source_format text, source_text text)
    where r.value ->> 'asset_type' = 'template'
    order by r.place;
  end if;
  if insert_sources.rows @> '[{"asset_type": "component"}]' then
    insert into public.custom_components (id, user_id, name, description, source, props_schema, source_format, source_text)
    select (r.value ->> 'id')::uuid, insert_sources.user_id, insert_sources.names[r.place], c.description, coalesce(c.source, ''), coalesce(c.props_schema, '{}'),
      c.source_format, c.source_text
    from jsonb_array_elements(insert_sources.rows) with ordinality r (value, place)
    cross join lateral jsonb_to_record(r.value -> 'columns') as c (description text, source text, props_schema jsonb, source_format text, source_text text)
    where r.value ->> 'asset_type' = 'component'
    order by r.place;
  end if;
  if insert_sources.rows @> '[{"asset_type": "orchestration"}]' then
    insert into public.orchestrator_configs (id, user_id, name, description, tags, nodes, edges, stage_configs, source_format, source_text)
    select (r.value ->> 'id')::uuid, insert_sources.user_id, insert_sources.names[r.place], r.value ->> 'description',
      array(select t.tag from jsonb_array_elements_text(r.value -> 'tags') with ordinality t (tag, n) order by t.n),
      coalesce(c.nodes, '[]'), coalesce(c.edges, '[]'), coalesce(c.stage_configs, '[]'), c.source_format, c.source_text
    from jsonb_array_elements(insert_sources.rows) with ordinality r (value, place)
    cross join lateral jsonb_to_record(r.value -> 'columns') as c (nodes jsonb, edges jsonb, stage_configs jsonb, source_format text, source_text text)
    where r.value ->> 'asset_type' = 'orchestration'
    order by r.place;
  end if;
  if insert_sources.rows @> '[{"asset_type": "ai_preset"}]' then
    insert into public.ai_model_settings (
      id, user_id, name, model_id, temperature, top_p, top_k, max_output_tokens, thinking_level, thinking_budget, generate_content_api,
      extra, source_format, source_text
    )
    select (r.value ->> 'id')::uuid, insert_sources.user_id, insert_sources.names[r.place], c.model_id, c.temperature, c.top_p, c.top_k,
      c.max_output_tokens, c.thinking_level, c.thinking_budget, c.generate_content_api, c.extra, c.source_format, c.source_text
    from jsonb_array_elements(insert_sources.rows) with ordinality r (value, place)
    cross join lateral jsonb_to_record(r.value -> 'columns') as c (
      model_id text, temperature double precision, top_p double precision, top_k integer, max_output_tokens integer,
      thinking_level text, thinking_budget integer, generate_content_api text, extra jsonb, source_format text, source_text text
    )
    where r.value ->> 'asset_type' = 'ai_preset'
    order by r.place;
  end if;
  perform private.refuse_asset_type(r.value ->> 'asset_type')
  from jsonb_array_elements(insert_sources.rows) r (value)
  where (r.value ->> 'asset_type' in ('template', 'component', 'orchestration', 'ai_preset')) is not true;
end;
$$;
comment on function private.insert_sources is 'Inserts the source rows of an import with the given names. Raises PT422 validation_failed.';
revoke execute on function private.insert_sources from public, anon, authenticated, service_role;

create function private.content_of(asset_type text, source jsonb)
returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
declare
  columns text[];
  -- The columns that are left out when they are null, as in a payload.
  optional constant text[] := '{extra,source_format,source_text}';
begin
  if content_of.asset_type = 'template' then
    columns := '{description,content,variables}';
  elsif content_of.asset_type = 'component' then
    columns := '{description,source,props_schema}';
  elsif content_of.asset_type = 'orchestration' then
    columns := '{nodes,edges,stage_configs}';
  elsif content_of.asset_type = 'ai_preset' then
    columns := '{model_id,temperature,top_p,top_k,max_output_tokens,thinking_level,thinking_budget,generate_content_api}';
  else
    perform private.refuse_asset_type(content_of.asset_type);
  end if;
  return (
    select jsonb_object_agg(c.name, content_of.source -> c.name)
    from unnest(columns || optional) c (name)
    where not (c.name = any (optional) and coalesce(content_of.source -> c.name, 'null') = 'null')
  );
end;
$$;
comment on function private.content_of is 'Returns the content of a source row: the columns that an update of a copy overwrites. Leaves out the name, the description and tags of an orchestration, and what is never published, such as an API key.';
revoke execute on function private.content_of from public, anon, authenticated, service_role;

create function private.content_sha256(asset_type text, source jsonb)
returns text
language sql
immutable
set search_path = ''
as $$
  select encode(sha256(convert_to(private.content_of(content_sha256.asset_type, content_sha256.source)::text, 'UTF8')), 'hex');
$$;
comment on function private.content_sha256 is 'Returns a hash that shows whether the content of a source row has changed. It covers the stored form, so it differs from the hash of a version.';
revoke execute on function private.content_sha256 from public, anon, authenticated, service_role;

create function private.write_content(asset_type text, ref_id uuid, content jsonb)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if write_content.asset_type = 'template' then
    update public.prompt_templates t
    set description = c.description, content = coalesce(c.content, ''), variables = coalesce(c.variables, '[]'),
      source_format = c.source_format, source_text = c.source_text
    from jsonb_to_record(write_content.content) as c (description text, content text, variables jsonb, source_format text, source_text text)
    where t.id = write_content.ref_id;
  elsif write_content.asset_type = 'component' then
    update public.custom_components t
    set description = c.description, source = coalesce(c.source, ''), props_schema = coalesce(c.props_schema, '{}'),
      source_format = c.source_format, source_text = c.source_text
    from jsonb_to_record(write_content.content) as c (description text, source text, props_schema jsonb, source_format text, source_text text)
    where t.id = write_content.ref_id;
  elsif write_content.asset_type = 'orchestration' then
    update public.orchestrator_configs t
    set nodes = coalesce(c.nodes, '[]'), edges = coalesce(c.edges, '[]'), stage_configs = coalesce(c.stage_configs, '[]'),
      source_format = c.source_format, source_text = c.source_text
    from jsonb_to_record(write_content.content) as c (nodes jsonb, edges jsonb, stage_configs jsonb, source_format text, source_text text)
    where t.id = write_content.ref_id;
  elsif write_content.asset_type = 'ai_preset' then
    update public.ai_model_settings t
    set model_id = c.model_id, temperature = c.temperature, top_p = c.top_p, top_k = c.top_k,
      max_output_tokens = c.max_output_tokens, thinking_level = c.thinking_level, thinking_budget = c.thinking_budget,
      generate_content_api = c.generate_content_api, extra = c.extra, source_format = c.source_format, source_text = c.source_text
    from jsonb_to_record(write_content.content) as c (
      model_id text, temperature double precision, top_p double precision, top_k integer, max_output_tokens integer,
      thinking_level text, thinking_budget integer, generate_content_api text, extra jsonb, source_format text, source_text text
    )
    where t.id = write_content.ref_id;
  else
    perform private.refuse_asset_type(write_content.asset_type);
  end if;
end;
$$;
comment on function private.write_content is 'Replaces the content of a source row; its name and the owner''s other columns stay.';
revoke execute on function private.write_content from public, anon, authenticated, service_role;

-- Removes source_text when somebody edits the content by hand, because source_text must never contradict the shown content.
create function private.drop_edited_source()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  not_read constant text[] := '{description,source_format,source_text}';
begin
  if private.content_of(tg_argv[0], to_jsonb(new)) - not_read <> private.content_of(tg_argv[0], to_jsonb(old)) - not_read then
    new.source_format := null;
    new.source_text := null;
  end if;
  return new;
end;
$$;
comment on function private.drop_edited_source is 'Removes source_text when the content that was read from it changes and source_text does not.';
revoke execute on function private.drop_edited_source from public, anon, authenticated, service_role;

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
comment on function private.refresh_mirror is 'Refreshes the mirrors of a listing''s source row: an update of that row fires mirror_listing, which sets them.';
revoke execute on function private.refresh_mirror from public, anon, authenticated, service_role;

create trigger hub_assets_80_refresh_mirror
after insert or delete or update of is_public, deleted_at on public.hub_assets
for each row execute function private.refresh_mirror();

create trigger prompt_templates_10_before_write before insert or update on public.prompt_templates
for each row execute function private.workspace_before_write();
create trigger custom_components_10_before_write before insert or update on public.custom_components
for each row execute function private.workspace_before_write();
create trigger orchestrator_configs_10_before_write before insert or update on public.orchestrator_configs
for each row execute function private.workspace_before_write();
create trigger ai_model_settings_10_before_write before insert or update on public.ai_model_settings
for each row execute function private.workspace_before_write();

create trigger prompt_templates_12_drop_edited_source before update on public.prompt_templates
for each row when (old.source_text is not null and new.source_text is not distinct from old.source_text)
execute function private.drop_edited_source('template');
create trigger custom_components_12_drop_edited_source before update on public.custom_components
for each row when (old.source_text is not null and new.source_text is not distinct from old.source_text)
execute function private.drop_edited_source('component');
create trigger orchestrator_configs_12_drop_edited_source before update on public.orchestrator_configs
for each row when (old.source_text is not null and new.source_text is not distinct from old.source_text)
execute function private.drop_edited_source('orchestration');
create trigger ai_model_settings_12_drop_edited_source before update on public.ai_model_settings
for each row when (old.source_text is not null and new.source_text is not distinct from old.source_text)
execute function private.drop_edited_source('ai_preset');

-- These triggers do not fire for writes by other triggers and cascades, whose statement has already taken its locks.
create trigger prompt_templates_lock_caller before insert or update or delete on public.prompt_templates
for each statement when (pg_trigger_depth() = 0) execute function private.lock_caller();
create trigger custom_components_lock_caller before insert or update or delete on public.custom_components
for each statement when (pg_trigger_depth() = 0) execute function private.lock_caller();
create trigger orchestrator_configs_lock_caller before insert or update or delete on public.orchestrator_configs
for each statement when (pg_trigger_depth() = 0) execute function private.lock_caller();
create trigger ai_model_settings_lock_caller before insert or update or delete on public.ai_model_settings
for each statement when (pg_trigger_depth() = 0) execute function private.lock_caller();

create trigger prompt_templates_15_mirror before insert or update on public.prompt_templates
for each row execute function private.mirror_listing('template');
create trigger custom_components_15_mirror before insert or update on public.custom_components
for each row execute function private.mirror_listing('component');
create trigger orchestrator_configs_15_mirror before insert or update on public.orchestrator_configs
for each row execute function private.mirror_listing('orchestration');

create trigger prompt_templates_50_delete_unpublished after delete on public.prompt_templates
referencing old table as removed for each statement execute function private.delete_unpublished_listings('template');
create trigger custom_components_50_delete_unpublished after delete on public.custom_components
referencing old table as removed for each statement execute function private.delete_unpublished_listings('component');
create trigger orchestrator_configs_50_delete_unpublished after delete on public.orchestrator_configs
referencing old table as removed for each statement execute function private.delete_unpublished_listings('orchestration');
create trigger ai_model_settings_50_delete_unpublished after delete on public.ai_model_settings
referencing old table as removed for each statement execute function private.delete_unpublished_listings('ai_preset');

create trigger prompt_templates_60_count_inserted after insert on public.prompt_templates
referencing new table as after_rows for each statement execute function private.count_source_usage();
create trigger prompt_templates_60_count_updated after update on public.prompt_templates
referencing old table as before_rows new table as after_rows for each statement execute function private.count_source_usage();
create trigger prompt_templates_60_count_deleted after delete on public.prompt_templates
referencing old table as before_rows for each statement execute function private.count_source_usage();

create trigger custom_components_60_count_inserted after insert on public.custom_components
referencing new table as after_rows for each statement execute function private.count_source_usage();
create trigger custom_components_60_count_updated after update on public.custom_components
referencing old table as before_rows new table as after_rows for each statement execute function private.count_source_usage();
create trigger custom_components_60_count_deleted after delete on public.custom_components
referencing old table as before_rows for each statement execute function private.count_source_usage();

create trigger orchestrator_configs_60_count_inserted after insert on public.orchestrator_configs
referencing new table as after_rows for each statement execute function private.count_source_usage();
create trigger orchestrator_configs_60_count_updated after update on public.orchestrator_configs
referencing old table as before_rows new table as after_rows for each statement execute function private.count_source_usage();
create trigger orchestrator_configs_60_count_deleted after delete on public.orchestrator_configs
referencing old table as before_rows for each statement execute function private.count_source_usage();

create trigger ai_model_settings_60_count_inserted after insert on public.ai_model_settings
referencing new table as after_rows for each statement execute function private.count_source_usage();
create trigger ai_model_settings_60_count_updated after update on public.ai_model_settings
referencing old table as before_rows new table as after_rows for each statement execute function private.count_source_usage();
create trigger ai_model_settings_60_count_deleted after delete on public.ai_model_settings
referencing old table as before_rows for each statement execute function private.count_source_usage();
