SET local check_function_bodies = off;

ALTER TABLE "public"."hub_assets"
  DROP CONSTRAINT "hub_assets_asset_type_check";

ALTER TABLE "public"."hub_bundle_items"
  DROP CONSTRAINT "hub_bundle_items_asset_type_check";

CREATE OR REPLACE FUNCTION private.asset_types()
  RETURNS text[]
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select '{orchestration,template,component,ai_preset}'::text[];
$function$;

CREATE OR REPLACE FUNCTION private.copy_rows (
  user_id  uuid,
  rows     jsonb,
  asset_id uuid,
  version  integer,
  sha256   text,
  mode     text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
<<copy>>
declare
  source public.hub_assets;
  names text[];
  registry_ids uuid[];
  created jsonb;
begin
  if copy_rows.asset_id is not null then
    select a.* into source from public.hub_assets a where a.id = copy_rows.asset_id;
  end if;
  -- Locked, so that assets that the copies refer to are not erased meanwhile. No reference is made to an asset erased before.
  perform from public.hub_assets a
  where a.id in (
    select copy_rows.asset_id
    union
    select (r.value #>> '{attribution,root,id}')::uuid from jsonb_array_elements(copy_rows.rows) r (value)
  )
  -- guard: import: an import waits for the erasure of its root
  -- without: order by a.id;
  order by a.id
  for key share;
  -- end

  select array_agg(n.name order by n.place), array_agg(gen_random_uuid()) into names, registry_ids
  from private.free_names(copy_rows.user_id, copy_rows.rows) n;

  if exists (
    select from jsonb_array_elements(copy_rows.rows) r (value)
    where (r.value ->> 'asset_type' = any (private.asset_types())) is not true
  ) then
    perform private.refuse_asset_type(null);
  end if;

  -- The registry rows first: source rows look their mirrors up when they are inserted.
  insert into public.hub_assets (
    id, asset_type, ref_id, creator_id, slug, title, description, tags, license,
    source_asset_id, parent_asset_id, remix_depth, attribution
  )
  select copy.registry_ids[r.place], r.value ->> 'asset_type', (r.value ->> 'id')::uuid, copy_rows.user_id,
    'copy-' || replace(gen_random_uuid()::text, '-', ''), copy.names[r.place], private.remove_invisible(r.value ->> 'description'),
    array(select t.tag from jsonb_array_elements_text(r.value -> 'tags') with ordinality t (tag, n) order by t.n),
    r.value ->> 'license', root.id,
    -- In a kit only the main row has a parent. A copy in mode "use" gets its parent when it is published.
    -- guard: import: only the main row of a kit has a parent
    -- without: case when copy_rows.mode = 'remix' then source.id end,
    -- guard: import: a copy in mode use has no parent until it is published
    -- without: case when r.place = 1 then source.id end,
    case when r.place = 1 and copy_rows.mode = 'remix' then source.id end,
    -- end
    -- end
    -- guard: import: the depth of a remix is one more than its parent's
    -- without: case when r.place = 1 and copy_rows.mode = 'remix' and source.id is not null then 1 else 0 end,
    case when r.place = 1 and copy_rows.mode = 'remix' and source.id is not null then source.remix_depth + 1 else 0 end,
    -- end
    nullif(r.value -> 'attribution', 'null')
  from jsonb_array_elements(copy_rows.rows) with ordinality r (value, place)
  left join public.hub_assets root on root.id = (r.value #>> '{attribution,root,id}')::uuid
  order by r.place;

  perform private.insert_sources(copy_rows.user_id, copy_rows.rows, copy.names);

  select jsonb_agg(
    jsonb_build_object(
      'asset_type', r.value -> 'asset_type',
      'table', r.value -> 'table',
      'id', r.value -> 'id',
      'hub_asset_id', copy.registry_ids[r.place],
      'title', copy.names[r.place]
    )
    order by r.place
  ) into created
  from jsonb_array_elements(copy_rows.rows) with ordinality r (value, place);

  if copy_rows.asset_id is null then
    return created;
  end if;
  -- Last, because counting locks the listing: concurrent imports of it wait here, and only until the commit.
  insert into public.hub_imports (asset_id, user_id, version, mode, created)
  -- guard: import: an import of a listing is recorded
  -- without: select source.id, copy_rows.user_id, copy_rows.version, copy_rows.mode, created where false;
  select source.id, copy_rows.user_id, copy_rows.version, copy_rows.mode, created where source.id is not null;
  -- end
  -- Re-check under the lock: the listing may have been hidden, deleted or unpublished after it was read.
  select a.* into source from public.hub_assets a where a.id = copy_rows.asset_id;
  -- guard: import: visibility is re-checked under the lock
  -- without: if false
  -- guard: import: an invisible listing can be imported by its owner only
  -- without: if (source.is_visible or (source.deleted_at is null and true)) is not true
  if (source.is_visible or (source.deleted_at is null and source.creator_id = copy_rows.user_id)) is not true
  -- end
  -- end
    or not exists (
      select from public.hub_asset_versions v
      -- guard: import: the imported content is the stored version
      -- without: where v.asset_id = source.id and v.version = copy_rows.version 
      where v.asset_id = source.id and v.version = copy_rows.version and v.sha256 = copy_rows.sha256
      -- end
    )
  then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return created;
end;
$function$;

CREATE OR REPLACE FUNCTION private.free_names (
  user_id uuid,
  rows    jsonb
)
  RETURNS TABLE (
    place bigint,
    name  text
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with wanted as (
    select r.place, r.value ->> 'asset_type' as asset_type, t.name,
      left(regexp_replace(t.name, ' \([0-9]{1,6}\)$', ''), 100) as base
    from jsonb_array_elements(free_names.rows) with ordinality r (value, place)
    cross join lateral (select private.as_one_line(r.value ->> 'title') as name) t
  ),
  mine as (
    select o.asset_type, o.name, left(regexp_replace(o.name, ' \([0-9]{1,6}\)$', ''), 100) as base,
      coalesce(substring(o.name from ' \(([0-9]{1,6})\)$')::integer, 1) as number
    from private.own_names(free_names.user_id) o
    where o.asset_type in (select w.asset_type from wanted w)
  ),
  judged as (
    select w.*,
      row_number() over (partition by w.asset_type, w.name order by w.place) > 1
      -- guard: import: a name that the user has already is not used again
      -- without: as is_taken
      or (w.asset_type, w.name) in (select m.asset_type, m.name from mine m) as is_taken
      -- end
    from wanted w
  ),
  used as (
    select m.asset_type, m.base, max(m.number) as last from mine m group by m.asset_type, m.base
  )
  select j.place,
    case
      when j.is_taken
      then j.base || ' (' || (
        coalesce(u.last, 1) + row_number() over (partition by j.asset_type, j.base, j.is_taken order by j.place)
      ) || ')'
      else j.name
    end
  from judged j
  left join used u on u.asset_type = j.asset_type and u.base = j.base;
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
    insert into public.prompt_templates (id, user_id, name, description, content, variables)
    select (r.value ->> 'id')::uuid, insert_sources.user_id, insert_sources.names[r.place], c.description, coalesce(c.content, ''), coalesce(c.variables, '[]')
    from jsonb_array_elements(insert_sources.rows) with ordinality r (value, place)
    cross join lateral jsonb_to_record(r.value -> 'columns') as c (description text, content text, variables jsonb)
    where r.value ->> 'asset_type' = 'template'
    order by r.place;
  end if;
  if insert_sources.rows @> '[{"asset_type": "component"}]' then
    insert into public.custom_components (id, user_id, name, description, source, props_schema)
    select (r.value ->> 'id')::uuid, insert_sources.user_id, insert_sources.names[r.place], c.description, coalesce(c.source, ''), coalesce(c.props_schema, '{}')
    from jsonb_array_elements(insert_sources.rows) with ordinality r (value, place)
    cross join lateral jsonb_to_record(r.value -> 'columns') as c (description text, source text, props_schema jsonb)
    where r.value ->> 'asset_type' = 'component'
    order by r.place;
  end if;
  if insert_sources.rows @> '[{"asset_type": "orchestration"}]' then
    insert into public.orchestrator_configs (id, user_id, name, description, tags, nodes, edges, stage_configs)
    select (r.value ->> 'id')::uuid, insert_sources.user_id, insert_sources.names[r.place], r.value ->> 'description',
      array(select t.tag from jsonb_array_elements_text(r.value -> 'tags') with ordinality t (tag, n) order by t.n),
      coalesce(c.nodes, '[]'), coalesce(c.edges, '[]'), coalesce(c.stage_configs, '[]')
    from jsonb_array_elements(insert_sources.rows) with ordinality r (value, place)
    cross join lateral jsonb_to_record(r.value -> 'columns') as c (nodes jsonb, edges jsonb, stage_configs jsonb)
    where r.value ->> 'asset_type' = 'orchestration'
    order by r.place;
  end if;
  if insert_sources.rows @> '[{"asset_type": "ai_preset"}]' then
    insert into public.ai_model_settings (
      id, user_id, name, model_id, temperature, top_p, top_k, max_output_tokens, thinking_level, thinking_budget, generate_content_api
    )
    select (r.value ->> 'id')::uuid, insert_sources.user_id, insert_sources.names[r.place], c.model_id, c.temperature, c.top_p, c.top_k,
      c.max_output_tokens, c.thinking_level, c.thinking_budget, c.generate_content_api
    from jsonb_array_elements(insert_sources.rows) with ordinality r (value, place)
    cross join lateral jsonb_to_record(r.value -> 'columns') as c (
      model_id text, temperature double precision, top_p double precision, top_k integer, max_output_tokens integer,
      thinking_level text, thinking_budget integer, generate_content_api text
    )
    where r.value ->> 'asset_type' = 'ai_preset'
    order by r.place;
  end if;
  perform private.refuse_asset_type(r.value ->> 'asset_type')
  from jsonb_array_elements(insert_sources.rows) r (value)
  where (r.value ->> 'asset_type' in ('template', 'component', 'orchestration', 'ai_preset')) is not true;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_before_user_deletion()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- The user's row is locked already: no new row can refer to it.
  -- First the user's own ban and those that the user imposed: lifting a ban locks the ban and then the assets.
  perform from private.hub_bans b where b.user_id = old.id or b.banned_by = old.id order by b.user_id for update;
  perform from public.hub_profiles p where p.user_id = old.id for update;
  perform private.lock_own_sources(old.id);
  perform from public.hub_stars s where s.user_id = old.id order by s.asset_id, s.user_id for update;
  perform from public.hub_imports i where i.user_id = old.id order by i.asset_id, i.id for update;
  perform from public.hub_assets a
  where a.id in (
    select own.id from public.hub_assets own where own.creator_id = old.id
    union
    select s.asset_id from public.hub_stars s where s.user_id = old.id
    union
    select i.asset_id from public.hub_imports i where i.user_id = old.id
  )
  -- guard: hub: deleting an account locks assets in the order of ids
  -- without: limit 0;
  order by a.id
  for no key update;
  -- end
  perform private.lock_reports(null, old.id);
  perform from private.hub_moderation m
  where m.asset_id in (select r.asset_id from public.hub_reports r where r.reporter_id = old.id and not r.resolved)
  order by m.asset_id
  for no key update;
  return old;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_own_sources (
  user_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform from public.prompt_templates t where t.user_id = lock_own_sources.user_id order by t.id for update;
  perform from public.custom_components c where c.user_id = lock_own_sources.user_id order by c.id for update;
  perform from public.orchestrator_configs o where o.user_id = lock_own_sources.user_id order by o.id for update;
  perform from public.ai_model_settings s where s.user_id = lock_own_sources.user_id order by s.id for update;
end;
$function$;

CREATE OR REPLACE FUNCTION private.own_names (
  user_id uuid
)
  RETURNS TABLE (
    asset_type text,
    name       text
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select 'template', t.name from public.prompt_templates t where t.user_id = own_names.user_id
  union all
  select 'component', c.name from public.custom_components c where c.user_id = own_names.user_id
  union all
  select 'orchestration', o.name from public.orchestrator_configs o where o.user_id = own_names.user_id
  union all
  select 'ai_preset', s.name from public.ai_model_settings s where s.user_id = own_names.user_id;
$function$;

CREATE OR REPLACE FUNCTION private.search_faults (
  q           text,
  types       text[],
  tags        text[],
  model       text,
  cardinality text,
  license     text,
  creator     text,
  sort        text,
  page_size   integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  faults jsonb := '[]';
begin
  if search_faults.q is not null and char_length(search_faults.q) > 500 then
    faults := faults || private.fault('q', 'too_big', 'must be at most 500 characters');
  end if;
  if search_faults.types is not null and not search_faults.types <@ private.asset_types() or cardinality(search_faults.types) > cardinality(private.asset_types()) then
    faults := faults || private.fault('types', 'invalid_value', 'must be some of ' || array_to_string(private.asset_types(), ', '));
  end if;
  if search_faults.tags is not null and not private.tags_are_valid(search_faults.tags) then
    faults := faults || private.fault('tags', 'invalid_format', 'must be at most 20 tags of 1 to 64 letters, digits and + . _ : / -');
  end if;
  if search_faults.model is not null and not private.tags_are_valid(array[search_faults.model]) then
    faults := faults || private.fault('model', 'invalid_format', 'must be the tag of a model');
  end if;
  if search_faults.cardinality not in ('1to1', '1ton', 'batch') then
    faults := faults || private.fault('cardinality', 'invalid_value', 'must be one of 1to1, 1ton, batch');
  end if;
  if search_faults.license not in ('cc0', 'cc-by', 'platform-free', 'paid') then
    faults := faults || private.fault('license', 'invalid_value', 'must be one of cc0, cc-by, platform-free, paid');
  end if;
  if char_length(search_faults.creator) > 100 then
    faults := faults || private.fault('creator', 'invalid_format', 'must be the username of a creator');
  end if;
  if search_faults.sort not in ('newest', 'most_installed', 'most_starred', 'recently_updated', 'relevance') then
    faults := faults || private.fault('sort', 'invalid_value', 'must be one of newest, most_installed, most_starred, recently_updated, relevance');
  elsif search_faults.sort = 'relevance' and search_faults.q is null then
    faults := faults || private.fault('sort', 'invalid_value', 'relevance needs q');
  end if;
  if search_faults.page_size not between 1 and 100 then
    faults := faults || private.fault('page_size', 'invalid_value', 'must be from 1 to 100');
  end if;
  return faults;
end;
$function$;

CREATE OR REPLACE FUNCTION private.source_row (
  asset_type text,
  ref_id     uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.hub_sources (
  items jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  -- Twice the limit of a kit with its orchestration: JSON of the database has extra spaces, and the exact limit is checked later.
  max_bytes constant integer := 12582912;
  bytes bigint := 0;
  found record;
  content jsonb;
  sources jsonb[] := '{}';
begin
  for found in
    select i.asset_type, i.ref_id
    -- guard: hub: a repeated item is read once
    -- without: from (select r.asset_type, r.ref_id from jsonb_to_recordset(hub_sources.items) as r (asset_type text, ref_id uuid)) i
    from (select distinct r.asset_type, r.ref_id from jsonb_to_recordset(hub_sources.items) as r (asset_type text, ref_id uuid)) i
    -- end
  loop
    content := private.source_row(found.asset_type, found.ref_id);
    continue when content is null;
    sources := sources || jsonb_build_object(
      'asset_type', found.asset_type,
      'ref_id', found.ref_id,
      'content', content,
      'attribution', private.own_attribution(found.asset_type, found.ref_id)
    );
    -- Stop early: sources that are much too large for a kit are neither read completely nor sent.
    bytes := bytes + octet_length(sources[cardinality(sources)]::text);
    -- guard: hub: reading sources stops at a limit
    -- without: if false then
    if bytes > max_bytes then
    -- end
      raise exception using
        errcode = 'PT422',
        message = 'validation_failed',
        detail = '{"errors": [{"path": "items", "code": "too_big", "message": "are too large together"}]}';
    end if;
    -- A kit has at most 50 items: 51 rows are enough to see that there are too many.
    exit when cardinality(sources) > 50;
  end loop;
  return to_jsonb(sources);
end;
$function$;

COMMENT ON FUNCTION "private"."asset_types"() IS 'All types of assets.';

COMMENT ON FUNCTION "private"."insert_sources"(uuid, jsonb, text[]) IS 'Inserts the source rows of an import, with these names. Raises PT422 validation_failed.';

COMMENT ON FUNCTION "private"."lock_own_sources"(uuid) IS 'Locks all source rows of a user, which are going to be deleted.';

COMMENT ON FUNCTION "private"."own_names"(uuid) IS 'The names of all source rows of a user, with their types.';

COMMENT ON FUNCTION "private"."source_row"(text, uuid) IS 'A source row with the caller''s rights; null when the caller sees no such row.';

REVOKE ALL ON FUNCTION "private"."asset_types"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."asset_types"() TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."insert_sources"(uuid, jsonb, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_own_sources"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."own_names"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."source_row"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."source_row"(text, uuid) TO "authenticated";

ALTER TABLE "public"."hub_assets"
  ADD CONSTRAINT "hub_assets_asset_type_check" CHECK ((asset_type = ANY (private.asset_types())));

ALTER TABLE "public"."hub_bundle_items"
  ADD CONSTRAINT "hub_bundle_items_asset_type_check" CHECK ((asset_type = ANY (private.asset_types())));
