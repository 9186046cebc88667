SET local check_function_bodies = off;

DROP TRIGGER "ai_model_settings_before_write" ON "public"."ai_model_settings";

ALTER TABLE "public"."ai_model_settings"
  ADD COLUMN "extra" jsonb;

ALTER TABLE "public"."ai_model_settings"
  ADD COLUMN "source_format" text;

ALTER TABLE "public"."ai_model_settings"
  ADD COLUMN "source_text" text;

ALTER TABLE "public"."custom_components"
  ADD COLUMN "source_format" text;

ALTER TABLE "public"."custom_components"
  ADD COLUMN "source_text" text;

ALTER TABLE "public"."orchestrator_configs"
  ADD COLUMN "source_format" text;

ALTER TABLE "public"."orchestrator_configs"
  ADD COLUMN "source_text" text;

ALTER TABLE "public"."prompt_templates"
  ADD COLUMN "source_format" text;

ALTER TABLE "public"."prompt_templates"
  ADD COLUMN "source_text" text;

CREATE OR REPLACE FUNCTION private.content_of (
  asset_type text,
  source     jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  columns text[];
  -- Left out while they are null, as in a payload.
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
$function$;

CREATE OR REPLACE FUNCTION private.drop_edited_source()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  not_read constant text[] := '{description,source_format,source_text}';
begin
  if private.content_of(tg_argv[0], to_jsonb(new)) - not_read <> private.content_of(tg_argv[0], to_jsonb(old)) - not_read then
    new.source_format := null;
    new.source_text := null;
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.insert_sources (
  user_id uuid,
  rows    jsonb,
  names   text[]
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.workspace_before_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  item jsonb;
  faults jsonb := '[]';
  mirrors constant text[] := '{hub_asset_id,is_public,updated_at}';
begin
  -- The patterns of private.clean are not run on a text that is much too long.
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
    -- The same expressions as in the constraint.
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
    -- to_jsonb writes NaN and infinity as strings.
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
$function$;

CREATE OR REPLACE FUNCTION private.write_content (
  asset_type text,
  ref_id     uuid,
  content    jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

ALTER TABLE "public"."ai_model_settings"
  ADD CONSTRAINT "ai_model_settings_extra_check" CHECK (((jsonb_typeof(extra) = 'object'::text) AND (octet_length((extra)::text) <= 16384)));

ALTER TABLE "public"."ai_model_settings"
  ADD CONSTRAINT "ai_model_settings_source_check"
    CHECK ((((source_format IS NULL) = (source_text IS NULL)) AND (source_format ~ '^[a-z0-9-]{1,40}$'::text) AND (octet_length(source_text) <= 1048576)));

ALTER TABLE "public"."custom_components"
  ADD CONSTRAINT "custom_components_source_check"
    CHECK ((((source_format IS NULL) = (source_text IS NULL)) AND (source_format ~ '^[a-z0-9-]{1,40}$'::text) AND (octet_length(source_text) <= 1048576)));

ALTER TABLE "public"."orchestrator_configs"
  ADD CONSTRAINT "orchestrator_configs_source_check"
    CHECK ((((source_format IS NULL) = (source_text IS NULL)) AND (source_format ~ '^[a-z0-9-]{1,40}$'::text) AND (octet_length(source_text) <= 1048576)));

ALTER TABLE "public"."prompt_templates"
  ADD CONSTRAINT "prompt_templates_source_check"
    CHECK ((((source_format IS NULL) = (source_text IS NULL)) AND (source_format ~ '^[a-z0-9-]{1,40}$'::text) AND (octet_length(source_text) <= 1048576)));

CREATE TRIGGER ai_model_settings_10_before_write
  BEFORE INSERT OR UPDATE ON public.ai_model_settings
  FOR EACH ROW
  EXECUTE FUNCTION private.workspace_before_write();

CREATE TRIGGER ai_model_settings_12_drop_edited_source
  BEFORE UPDATE ON public.ai_model_settings
  FOR EACH ROW
  WHEN (((old.source_text IS NOT NULL) AND (NOT (new.source_text IS DISTINCT FROM old.source_text))))
  EXECUTE FUNCTION private.drop_edited_source('ai_preset');

CREATE TRIGGER custom_components_12_drop_edited_source
  BEFORE UPDATE ON public.custom_components
  FOR EACH ROW
  WHEN (((old.source_text IS NOT NULL) AND (NOT (new.source_text IS DISTINCT FROM old.source_text))))
  EXECUTE FUNCTION private.drop_edited_source('component');

CREATE TRIGGER orchestrator_configs_12_drop_edited_source
  BEFORE UPDATE ON public.orchestrator_configs
  FOR EACH ROW
  WHEN (((old.source_text IS NOT NULL) AND (NOT (new.source_text IS DISTINCT FROM old.source_text))))
  EXECUTE FUNCTION private.drop_edited_source('orchestration');

CREATE TRIGGER prompt_templates_12_drop_edited_source
  BEFORE UPDATE ON public.prompt_templates
  FOR EACH ROW
  WHEN (((old.source_text IS NOT NULL) AND (NOT (new.source_text IS DISTINCT FROM old.source_text))))
  EXECUTE FUNCTION private.drop_edited_source('template');

COMMENT ON FUNCTION "private"."drop_edited_source"() IS 'Drops source_text when what was read from it is changed without it.';

REVOKE ALL ON FUNCTION "private"."drop_edited_source"() FROM PUBLIC;

REVOKE ALL ("extra") ON TABLE "public"."ai_model_settings" FROM "authenticated";

GRANT INSERT ("extra"), UPDATE ("extra") ON TABLE "public"."ai_model_settings" TO "authenticated";

REVOKE ALL ("source_format") ON TABLE "public"."ai_model_settings" FROM "authenticated";

GRANT INSERT ("source_format"), UPDATE ("source_format") ON TABLE "public"."ai_model_settings" TO "authenticated";

REVOKE ALL ("source_text") ON TABLE "public"."ai_model_settings" FROM "authenticated";

GRANT INSERT ("source_text"), UPDATE ("source_text") ON TABLE "public"."ai_model_settings" TO "authenticated";

REVOKE ALL ("source_format") ON TABLE "public"."custom_components" FROM "authenticated";

GRANT INSERT ("source_format"), UPDATE ("source_format") ON TABLE "public"."custom_components" TO "authenticated";

REVOKE ALL ("source_text") ON TABLE "public"."custom_components" FROM "authenticated";

GRANT INSERT ("source_text"), UPDATE ("source_text") ON TABLE "public"."custom_components" TO "authenticated";

REVOKE ALL ("source_format") ON TABLE "public"."orchestrator_configs" FROM "authenticated";

GRANT INSERT ("source_format"), UPDATE ("source_format") ON TABLE "public"."orchestrator_configs" TO "authenticated";

REVOKE ALL ("source_text") ON TABLE "public"."orchestrator_configs" FROM "authenticated";

GRANT INSERT ("source_text"), UPDATE ("source_text") ON TABLE "public"."orchestrator_configs" TO "authenticated";

REVOKE ALL ("source_format") ON TABLE "public"."prompt_templates" FROM "authenticated";

GRANT INSERT ("source_format"), UPDATE ("source_format") ON TABLE "public"."prompt_templates" TO "authenticated";

REVOKE ALL ("source_text") ON TABLE "public"."prompt_templates" FROM "authenticated";

GRANT INSERT ("source_text"), UPDATE ("source_text") ON TABLE "public"."prompt_templates" TO "authenticated";

-- A row counts with its new columns.
update private.workspace_usage u
set byte_count = c.bytes
from (select s.user_id, sum(private.source_bytes(s.source))::bigint as bytes from private.all_sources() s group by s.user_id) c
where c.user_id = u.user_id and c.bytes <> u.byte_count;
