SET local check_function_bodies = off;

DROP POLICY "hub_asset_versions_select_anon" ON "public"."hub_asset_versions";

DROP POLICY "hub_asset_versions_select" ON "public"."hub_asset_versions";

DROP TRIGGER "hub_asset_versions_forbid_update" ON "public"."hub_asset_versions";

ALTER TABLE "public"."hub_events"
  DROP CONSTRAINT "hub_events_action_check";

DROP FUNCTION "private"."copy_rows"(uuid, jsonb, uuid, integer, text, text);

DROP FUNCTION "private"."import_asset"(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, integer, text, text);

DROP FUNCTION "private"."publish_snapshot"(uuid, text, uuid, text, text, text, text[], text, jsonb, text, text, jsonb, jsonb, jsonb, boolean, integer);

DROP FUNCTION "public"."hub_import"(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, integer, text, text);

CREATE TABLE "private"."hub_copies" (
  "asset_id"          uuid    NOT NULL,
  "sha256"            text,
  "dismissed_version" integer,
  CONSTRAINT "hub_copies_pkey" PRIMARY KEY (asset_id),
  CONSTRAINT "hub_copies_sha256_check" CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
);

ALTER TABLE "private"."hub_copies"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."hub_overwritten" (
  "id"          bigint                   GENERATED ALWAYS AS IDENTITY NOT NULL,
  "asset_id"    uuid                     NOT NULL,
  "at"          timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  "content"     jsonb                    NOT NULL,
  "attribution" jsonb                    NOT NULL,
  "sha256"      text,
  CONSTRAINT "hub_overwritten_pkey" PRIMARY KEY (id)
);

ALTER TABLE "private"."hub_overwritten"
  ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."hub_asset_versions"
  ADD COLUMN "label" text;

ALTER TABLE "public"."hub_asset_versions"
  ADD COLUMN "changelog" text;

ALTER TABLE "public"."hub_asset_versions"
  ADD COLUMN "yanked_at" timestamp WITH time zone;

ALTER TABLE "public"."hub_asset_versions"
  ADD COLUMN "yank_reason" text;

ALTER TABLE "public"."hub_asset_versions"
  ADD COLUMN "is_open" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."hub_assets"
  ADD COLUMN "pinned_version" integer;

CREATE OR REPLACE FUNCTION private.check_importable (
  user_id  uuid,
  asset_id uuid,
  version  integer,
  sha256   text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  source public.hub_assets;
  content public.hub_asset_versions;
begin
  select a.* into source from public.hub_assets a where a.id = check_importable.asset_id;
  select v.* into content
  from public.hub_asset_versions v
  where v.asset_id = source.id and v.version = check_importable.version and v.sha256 = check_importable.sha256;
  if (source.is_visible or (source.deleted_at is null and source.creator_id = check_importable.user_id)) is not true
    or content.version is null
  then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  if content.yanked_at is not null then
    raise exception using errcode = 'PT409', message = 'version_yanked';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_version_notes (
  INOUT label text,
  INOUT changelog text
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  faults jsonb := '[]';
begin
  -- Sizes first: normalising a long run of combining marks takes quadratic time.
  if octet_length(check_version_notes.label) > 400 or char_length(private.clean(check_version_notes.label)) > 32 then
    faults := faults || private.fault('label', 'too_big', 'must be at most 32 characters');
  elsif private.has_breaks_or_invisible(private.clean(check_version_notes.label)) then
    faults := faults || private.fault('label', 'invalid_text', 'must be one line without invisible characters');
  end if;
  if octet_length(check_version_notes.changelog) > 40000 or char_length(private.clean(check_version_notes.changelog)) > 4000 then
    faults := faults || private.fault('changelog', 'too_big', 'must be at most 4000 characters');
  elsif private.has_invisible_characters(private.clean(check_version_notes.changelog)) then
    faults := faults || private.fault('changelog', 'invalid_text', 'must be without invisible characters');
  end if;
  perform private.refuse_faults(faults);
  label := private.clean(check_version_notes.label);
  changelog := private.clean(check_version_notes.changelog);
end;
$function$;

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
  return (select jsonb_object_agg(c.name, content_of.source -> c.name) from unnest(columns) c (name));
end;
$function$;

CREATE OR REPLACE FUNCTION private.content_sha256 (
  asset_type text,
  source     jsonb
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select encode(sha256(convert_to(private.content_of(content_sha256.asset_type, content_sha256.source)::text, 'UTF8')), 'hex');
$function$;

CREATE OR REPLACE FUNCTION private.copy_rows (
  user_id  uuid,
  rows     jsonb,
  asset_id uuid,
  version  integer,
  sha256   text,
  mode     text,
  pinned   boolean
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  source public.hub_assets;
  created jsonb;
begin
  if copy_rows.asset_id is not null then
    select a.* into source from public.hub_assets a where a.id = copy_rows.asset_id;
  end if;
  perform private.lock_origins(copy_rows.asset_id, copy_rows.rows);
  created := private.insert_copies(
    copy_rows.user_id, copy_rows.rows, copy_rows.rows #>> '{0,id}', source, copy_rows.mode,
    case when copy_rows.pinned then copy_rows.version end
  );
  if copy_rows.asset_id is null then
    return created;
  end if;
  -- Last, because counting locks the listing: concurrent imports of it wait here, and only until the commit.
  insert into public.hub_imports (asset_id, user_id, version, mode, created)
  select source.id, copy_rows.user_id, copy_rows.version, copy_rows.mode, created where source.id is not null;
  perform private.check_importable(copy_rows.user_id, copy_rows.asset_id, copy_rows.version, copy_rows.sha256);
  return created;
end;
$function$;

CREATE OR REPLACE FUNCTION private.describe_copy (
  user_id   uuid,
  into_copy uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  answer jsonb;
begin
  select jsonb_build_object(
    'asset_id', r.asset_id,
    'rows', jsonb_agg(jsonb_build_object('asset_type', r.item_type, 'ref_id', r.item_ref_id, 'id', r.source_id))
  ) into answer
  from private.rows_of_copy(describe_copy.user_id, describe_copy.into_copy) r
  group by r.asset_id;
  if answer is null then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return answer;
end;
$function$;

CREATE OR REPLACE FUNCTION private.dismiss_update (
  asset_id uuid,
  version  integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  copy constant public.hub_assets := private.own_copy(dismiss_update.asset_id);
begin
  if not exists (
    select from public.hub_assets s
    where s.id = (copy.attribution #>> '{parent,id}')::uuid and dismiss_update.version between 1 and s.current_version
  ) then
    perform private.refuse_faults(private.fault('version', 'unknown', 'is no version of the original'));
  end if;
  insert into private.hub_copies as c (asset_id, dismissed_version)
  values (copy.id, dismiss_update.version)
  on conflict on constraint hub_copies_pkey do update set dismissed_version = greatest(c.dismissed_version, excluded.dismissed_version);
end;
$function$;

CREATE OR REPLACE FUNCTION private.edit_version (
  asset_id  uuid,
  version   integer,
  label     text,
  changelog text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  old constant public.hub_asset_versions := private.own_version(edit_version.asset_id, edit_version.version);
  notes record;
begin
  select * into notes from private.check_version_notes(edit_version.label, edit_version.changelog);
  perform private.refuse_secret('label', old.label, notes.label);
  perform private.refuse_secret('changelog', old.changelog, notes.changelog);
  perform private.write_version_notes(old.asset_id, old.version, notes.label, notes.changelog);
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_guard()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'UPDATE' then
    if (new.id, new.asset_type, new.ref_id) is distinct from (old.id, old.asset_type, old.ref_id) then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["id", "asset_type", "ref_id"]}';
    end if;
    -- install_count depends on the creator. creator_id becomes null with the account and never changes otherwise.
    if new.creator_id is not null and new.creator_id is distinct from old.creator_id then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["creator_id"]}';
    end if;
    if old.attribution is not null
      and new.attribution is distinct from old.attribution
      and not private.keeps_origins(old.attribution, new.attribution)
    then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["attribution"]}';
    end if;
    -- Lineage is set when a copy is made or first published. Later a reference can only become null, when its asset is erased.
    if (old.current_version > 0 or old.published_at is not null) and (
      new.remix_depth <> old.remix_depth
      or (new.source_asset_id is not null and new.source_asset_id is distinct from old.source_asset_id)
      or (new.parent_asset_id is not null and new.parent_asset_id is distinct from old.parent_asset_id)
    ) then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["source_asset_id", "parent_asset_id", "remix_depth"]}';
    end if;
    -- Never cleared: an asset without published_at counts as not published, and the next publication would change its slug.
    new.published_at := coalesce(new.published_at, old.published_at);
  end if;

  if new.deleted_at is not null then
    new.is_public := false;
  end if;
  if new.is_public then
    new.published_at := coalesce(new.published_at, clock_timestamp());
    new.content_updated_at := coalesce(new.content_updated_at, new.published_at);
  end if;
  if not new.is_hidden then
    new.hidden_at := null;
    new.hidden_reason := null;
  else
    new.hidden_at := coalesce(new.hidden_at, clock_timestamp());
    new.hidden_reason := coalesce(new.hidden_reason, 'moderator');
  end if;
  -- Without a creator the ban cannot be looked up any more: the old value stays.
  if new.creator_id is not null then
    -- Derived from the bans, whatever was written.
    new.hidden_by_ban := private.is_banned(new.creator_id);
  elsif tg_op = 'UPDATE' then
    new.hidden_by_ban := old.hidden_by_ban;
  end if;
  if tg_op = 'UPDATE' then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_log()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'DELETE' then
    perform private.log_event('erased', old.id, old.creator_id, details => jsonb_build_object('slug', old.slug, 'asset_type', old.asset_type));
    return null;
  end if;
  if tg_op = 'INSERT' then
    if new.current_version > 0 then
      perform private.log_event('published', new.id, new.creator_id, details => jsonb_build_object('version', new.current_version));
    end if;
    return null;
  end if;
  -- A version that is current again, by its owner or an operator, was published before.
  if new.current_version > old.current_version and new.content_updated_at is distinct from old.content_updated_at then
    perform private.log_event('published', new.id, new.creator_id, details => jsonb_build_object('version', new.current_version));
  elsif new.is_public and not old.is_public then
    perform private.log_event('republished', new.id, new.creator_id);
  elsif old.is_public and not new.is_public and new.deleted_at is null then
    perform private.log_event('unpublished', new.id, new.creator_id);
  end if;
  if new.deleted_at is not null and old.deleted_at is null then
    perform private.log_event(case when new.hidden_reason = 'removed' then 'removed' else 'deleted' end, new.id, new.creator_id,
      details => jsonb_build_object('version', new.current_version));
  elsif new.is_hidden and (not old.is_hidden or new.hidden_reason <> old.hidden_reason) then
    perform private.log_event('hidden', new.id, new.creator_id,
      details => jsonb_build_object('reason', new.hidden_reason, 'version', new.current_version),
      -- The threshold hides it, not the user who sent the last report.
      by_system => new.hidden_reason = 'reports');
  end if;
  if old.is_hidden and not new.is_hidden then
    perform private.log_event('restored', new.id, new.creator_id);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.import_asset (
  user_id         uuid,
  rows            jsonb,
  mode            text,
  asset_id        uuid    DEFAULT NULL::uuid,
  version         integer DEFAULT NULL::integer,
  sha256          text    DEFAULT NULL::text,
  attribution     jsonb   DEFAULT NULL::jsonb,
  warnings        jsonb   DEFAULT '[]'::jsonb,
  dry_run         boolean DEFAULT false,
  hourly_limit    integer DEFAULT NULL::integer,
  idempotency_key text    DEFAULT NULL::text,
  request_sha256  text    DEFAULT NULL::text,
  pinned          boolean DEFAULT false,
  into_copy       uuid    DEFAULT NULL::uuid,
  overwrite       boolean DEFAULT false
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  answer jsonb;
  created jsonb;
begin
  -- Serialized with a ban: either the ban waits for this lock, or this call finds the ban. Refuses a token that outlived its account.
  perform private.begin_write(import_asset.user_id);
  answer := private.get_response(
    import_asset.user_id, 'hub-import', import_asset.idempotency_key, import_asset.request_sha256
  );
  if answer is not null then
    return answer;
  end if;
  perform private.limit_calls(
    import_asset.user_id, case when import_asset.dry_run then 'previews' else 'imports' end, import_asset.hourly_limit
  );
  begin
    created := case
      when import_asset.into_copy is null then private.copy_rows(
        import_asset.user_id, import_asset.rows, import_asset.asset_id, import_asset.version, import_asset.sha256, import_asset.mode,
        import_asset.pinned
      )
      else private.update_copy(
        import_asset.user_id, import_asset.rows, import_asset.asset_id, import_asset.version, import_asset.sha256,
        import_asset.pinned, import_asset.into_copy, import_asset.overwrite
      )
    end;
    if import_asset.dry_run then
      raise exception using errcode = 'KH002', message = 'only a plan';
    end if;
  exception
    when sqlstate 'KH002' then
      -- The rows were rolled back: their ids mean nothing.
      select jsonb_agg(c.value || '{"id": null, "hub_asset_id": null}' order by c.place) into created
      from jsonb_array_elements(created) with ordinality c (value, place);
  end;
  answer := jsonb_build_object(
    'stored', 'cloud',
    'created', created,
    'attribution', import_asset.attribution,
    'warnings', import_asset.warnings || (
      select coalesce(jsonb_agg(jsonb_build_object(
        'code', 'name_taken',
        'message', 'There is an item of that name already; the new one has another.',
        'wanted', r.value -> 'title',
        'title', created -> (r.place - 1)::integer -> 'title'
      ) order by r.place), '[]')
      from jsonb_array_elements(import_asset.rows) with ordinality r (value, place)
      where import_asset.into_copy is null
        and private.as_one_line(r.value ->> 'title') <> created -> (r.place - 1)::integer ->> 'title'
    )
  );
  if import_asset.dry_run then
    return answer || '{"dry_run": true}';
  end if;
  perform private.store_response(
    import_asset.user_id, 'hub-import', import_asset.idempotency_key, import_asset.request_sha256, answer
  );
  return answer;
end;
$function$;

CREATE OR REPLACE FUNCTION private.insert_copies (
  user_id        uuid,
  rows           jsonb,
  main_id        text,
  source         public.hub_assets,
  mode           text,
  pinned_version integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
<<copy>>
declare
  names text[];
  registry_ids uuid[];
begin
  select array_agg(n.name order by n.place), array_agg(gen_random_uuid()) into names, registry_ids
  from private.free_names(insert_copies.user_id, insert_copies.rows) n;

  if exists (
    select from jsonb_array_elements(insert_copies.rows) r (value)
    where (r.value ->> 'asset_type' = any (private.asset_types())) is not true
  ) then
    perform private.refuse_asset_type(null);
  end if;

  -- The registry rows first: source rows look their mirrors up when they are inserted.
  insert into public.hub_assets (
    id, asset_type, ref_id, creator_id, slug, title, description, tags, license,
    source_asset_id, parent_asset_id, remix_depth, attribution, pinned_version
  )
  select copy.registry_ids[r.place], r.value ->> 'asset_type', (r.value ->> 'id')::uuid, insert_copies.user_id,
    'copy-' || replace(gen_random_uuid()::text, '-', ''), copy.names[r.place], private.remove_invisible(r.value ->> 'description'),
    array(select t.tag from jsonb_array_elements_text(r.value -> 'tags') with ordinality t (tag, n) order by t.n),
    r.value ->> 'license', root.id,
    -- In a kit only the main row has a parent. A copy in mode "use" gets its parent when it is published.
    case when is_remix then source.id end,
    case when is_remix and source.id is not null then source.remix_depth + 1 else 0 end,
    nullif(r.value -> 'attribution', 'null'),
    insert_copies.pinned_version
  from jsonb_array_elements(insert_copies.rows) with ordinality r (value, place)
  cross join lateral (
    values (r.value ->> 'id' = insert_copies.main_id and insert_copies.mode = 'remix')
  ) m (is_remix)
  left join public.hub_assets root on root.id = (r.value #>> '{attribution,root,id}')::uuid
  order by r.place;

  perform private.insert_sources(insert_copies.user_id, insert_copies.rows, copy.names);
  if source.id is not null then
    insert into private.hub_copies (asset_id, sha256)
    select copy.registry_ids[r.place],
      private.content_sha256(r.value ->> 'asset_type', private.source_row(r.value ->> 'asset_type', (r.value ->> 'id')::uuid))
    from jsonb_array_elements(insert_copies.rows) with ordinality r (value, place);
  end if;

  return (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        'asset_type', r.value -> 'asset_type',
        'table', r.value -> 'table',
        'id', r.value -> 'id',
        'hub_asset_id', copy.registry_ids[r.place],
        'title', copy.names[r.place]
      )
      order by r.place
    ), '[]')
    from jsonb_array_elements(insert_copies.rows) with ordinality r (value, place)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_unchanged (
  payload     jsonb,
  attribution jsonb
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with origins as (
    select (o.origin ->> 'id')::uuid as asset_id, (o.origin ->> 'version')::integer as version
    from private.origins(is_unchanged.attribution) o
  )
  select exists (
    select from origins o
    join public.hub_asset_versions v on v.asset_id = o.asset_id and v.version = o.version
    where v.payload - 'name' = is_unchanged.payload - 'name'
  )
  or exists (
    select from origins o
    join public.hub_bundle_items i on i.asset_id = o.asset_id and i.version = o.version
    where i.payload - 'name' = is_unchanged.payload - 'name'
  );
$function$;

CREATE OR REPLACE FUNCTION private.joined_attribution (
  before jsonb,
  after  jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select joined_attribution.after || coalesce((
    select jsonb_build_object('via', coalesce(joined_attribution.after -> 'via', '[]') || jsonb_agg(b.origin))
    from private.origins(joined_attribution.before) b
    where b.origin ->> 'id' not in (select a.origin ->> 'id' from private.origins(joined_attribution.after) a)
    having count(*) > 0
  ), '{}');
$function$;

CREATE OR REPLACE FUNCTION private.keep_overwritten (
  asset_id    uuid,
  content     jsonb,
  attribution jsonb,
  sha256      text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.hub_overwritten (asset_id, content, attribution, sha256)
  values (keep_overwritten.asset_id, keep_overwritten.content, keep_overwritten.attribution, keep_overwritten.sha256);
  delete from private.hub_overwritten o
  where o.asset_id = keep_overwritten.asset_id
    and o.id not in (
      select n.id from private.hub_overwritten n where n.asset_id = keep_overwritten.asset_id order by n.id desc limit 10
    );
end;
$function$;

CREATE OR REPLACE FUNCTION private.keeps_origins (
  before jsonb,
  after  jsonb
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select (before #> '{root,id}', before #> '{parent,id}', before -> 'claimed')
    is not distinct from (after #> '{root,id}', after #> '{parent,id}', after -> 'claimed')
    and not exists (
      select b.origin ->> 'id' from private.origins(keeps_origins.before) b
      except
      select a.origin ->> 'id' from private.origins(keeps_origins.after) a
    );
$function$;

CREATE OR REPLACE FUNCTION private.lock_origins (
  asset_id uuid,
  rows     jsonb
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select from public.hub_assets a
  where a.id in (
    select lock_origins.asset_id
    union
    select (r.value #>> '{attribution,root,id}')::uuid from jsonb_array_elements(lock_origins.rows) r (value)
  )
  -- An import waits for the erasure of its root.
  order by a.id
  for key share;
$function$;

CREATE OR REPLACE FUNCTION private.origins (
  attribution jsonb
)
  RETURNS TABLE (
    origin jsonb
  )
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select o.origin
  from (
    values (origins.attribution -> 'root'), (origins.attribution -> 'parent')
    union all
    select v.origin from jsonb_array_elements(origins.attribution -> 'via') v (origin)
  ) o (origin)
  where o.origin is not null;
$function$;

CREATE OR REPLACE FUNCTION private.own_copy (
  asset_id uuid
)
  RETURNS public.hub_assets
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  copy public.hub_assets;
begin
  if caller is null or not private.is_member() then
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
  perform private.begin_write(caller);
  perform private.lock_source(a.asset_type, a.ref_id, caller)
  from public.hub_assets a
  where a.id = own_copy.asset_id and a.creator_id = caller;
  select a.* into copy
  from public.hub_assets a
  where a.id = own_copy.asset_id and a.creator_id = caller and a.deleted_at is null and a.attribution ? 'parent'
  for no key update;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return copy;
end;
$function$;

CREATE OR REPLACE FUNCTION private.own_version (
  asset_id uuid,
  version  integer
)
  RETURNS public.hub_asset_versions
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset constant public.hub_assets := private.own_listing(own_version.asset_id);
  found_version public.hub_asset_versions;
begin
  perform private.limit_calls(asset.creator_id, 'edits', 600);
  select v.* into found_version
  from public.hub_asset_versions v
  where v.asset_id = asset.id and v.version = own_version.version;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return found_version;
end;
$function$;

CREATE OR REPLACE FUNCTION private.pin (
  asset_id uuid,
  version  integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  copy constant public.hub_assets := private.own_copy(pin.asset_id);
begin
  if pin.version <> (copy.attribution #>> '{parent,version}')::integer then
    perform private.refuse_faults(private.fault('version', 'other_version', 'must be the version that the copy has'));
  end if;
  if exists (
    select from public.hub_asset_versions v
    where v.asset_id = (copy.attribution #>> '{parent,id}')::uuid and v.version = pin.version and v.yanked_at is not null
  ) then
    raise exception using errcode = 'PT409', message = 'version_yanked';
  end if;
  update public.hub_assets a set pinned_version = pin.version where a.id = copy.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.publication (
  user_id    uuid,
  asset_id   uuid,
  version    integer,
  created    boolean,
  shown_slug text    DEFAULT NULL::text
)
  RETURNS json
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- json, because jsonb would change the order of the columns.
  select json_build_object(
    'created', publication.created,
    'asset', row_to_json(jsonb_populate_record(
      a,
      case when publication.shown_slug is null then '{}' else jsonb_build_object('slug', publication.shown_slug) end
    )),
    'version', v.version,
    'label', v.label,
    'changelog', v.changelog,
    'payload', v.payload,
    'sha256', v.sha256,
    'license', v.license,
    'scan', v.scan,
    'items', (
      select coalesce(json_agg(row_to_json(item) order by item.position), '[]')
      from (
        select i.position, i.asset_type, i.ref_id, i.title, i.payload, i.sha256, i.license, i.attribution
        from public.hub_bundle_items i
        where i.asset_id = v.asset_id and i.version = v.version
      ) item
    ),
    'redactions', (
      select r.redactions from public.hub_receipts r where r.asset_id = v.asset_id and r.version = v.version
    )
  )
  from public.hub_assets a
  join public.hub_asset_versions v on v.asset_id = a.id and v.version = publication.version
  where a.id = publication.asset_id and a.creator_id = publication.user_id;
$function$;

CREATE OR REPLACE FUNCTION private.publish_asset (
  user_id         uuid,
  publication     jsonb,
  scan_token      text,
  dry_run         boolean,
  hourly_limit    integer,
  idempotency_key text,
  request_sha256  text
)
  RETURNS json
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  wanted constant jsonb := publish_asset.publication;
  answer json;
  made jsonb;
begin
  -- The requests of a user are serialized.
  perform private.begin_write(publish_asset.user_id);
  answer := private.get_response(
    publish_asset.user_id, 'hub-publish', publish_asset.idempotency_key, publish_asset.request_sha256
  );
  if answer is not null then
    return answer;
  end if;
  begin
    made := private.publish_snapshot(
      user_id => publish_asset.user_id,
      asset_type => wanted ->> 'asset_type',
      ref_id => (wanted ->> 'ref_id')::uuid,
      slug => wanted ->> 'slug',
      title => wanted ->> 'title',
      description => wanted ->> 'description',
      tags => array(select t.tag from jsonb_array_elements_text(wanted -> 'tags') with ordinality t (tag, n) order by t.n),
      thumbnail_url => wanted ->> 'thumbnail_url',
      license => wanted ->> 'license',
      payload => wanted -> 'payload',
      sha256 => wanted ->> 'sha256',
      scan => nullif(wanted -> 'scan', 'null'),
      redactions => wanted -> 'redactions',
      items => wanted -> 'items',
      confirmed => publish_asset.dry_run
        or wanted ->> 'content_sha256' is null
        or private.is_confirmed(publish_asset.user_id, wanted ->> 'content_sha256', publish_asset.scan_token),
      hourly_limit => case when not publish_asset.dry_run then publish_asset.hourly_limit end,
      label => wanted ->> 'label',
      changelog => wanted ->> 'changelog'
    );
    answer := private.publication(
      publish_asset.user_id, (made ->> 'asset_id')::uuid, (made ->> 'version')::integer, (made ->> 'created')::boolean,
      -- An existing listing keeps its slug. For a new one the preview shows the slug that it would probably get.
      case
        when publish_asset.dry_run and (made ->> 'first')::boolean
        then private.preview_slug(wanted ->> 'slug', (made ->> 'asset_id')::uuid)
      end
    );
    if publish_asset.dry_run then
      raise exception using errcode = 'KH002', message = 'dry run';
    end if;
  exception
    when sqlstate 'KH002' then
      -- A preview runs the real publication and rolls it back, so that the two cannot differ.
      return answer;
  end;
  perform private.store_response(
    publish_asset.user_id, 'hub-publish', publish_asset.idempotency_key, publish_asset.request_sha256,
    -- A listing can be removed later: its content must not stay in a stored answer.
    answer::jsonb - array['payload', 'items', 'sha256', 'license']
  );
  return answer;
end;
$function$;

CREATE OR REPLACE FUNCTION private.publish_snapshot (
  user_id       uuid,
  asset_type    text,
  ref_id        uuid,
  slug          text,
  title         text,
  description   text,
  tags          text[],
  license       text,
  payload       jsonb,
  sha256        text,
  thumbnail_url text    DEFAULT NULL::text,
  scan          jsonb   DEFAULT NULL::jsonb,
  redactions    jsonb   DEFAULT '[]'::jsonb,
  items         jsonb   DEFAULT '[]'::jsonb,
  confirmed     boolean DEFAULT true,
  hourly_limit  integer DEFAULT NULL::integer,
  label         text    DEFAULT NULL::text,
  changelog     text    DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
<<publish>>
declare
  asset public.hub_assets;
  parent public.hub_assets;
  first boolean;
  next_version integer;
  notes record;
begin
  -- Serialized with a ban: either the ban waits for this lock and finds the new asset, or this call finds the ban.
  perform private.begin_write(publish_snapshot.user_id);
  if publish_snapshot.license = 'paid' then
    raise exception using errcode = 'PT422', message = 'license_not_available';
  end if;
  if private.clean(publish_snapshot.description) is null then
    perform private.refuse_faults(private.fault('description', 'required', 'is required'));
  end if;
  select * into notes from private.check_version_notes(publish_snapshot.label, publish_snapshot.changelog);
  if not private.lock_source(publish_snapshot.asset_type, publish_snapshot.ref_id, publish_snapshot.user_id) then
    raise exception using errcode = 'PT404', message = 'source_not_found';
  end if;
  select a.* into asset
  from public.hub_assets a
  where a.asset_type = publish_snapshot.asset_type and a.ref_id = publish_snapshot.ref_id
  for no key update;
  if asset.creator_id is distinct from publish_snapshot.user_id and asset.id is not null then
    raise exception using errcode = 'PT404', message = 'source_not_found';
  end if;
  if asset.hidden_reason = 'removed' then
    raise exception using errcode = 'PT409', message = 'removed';
  end if;

  if asset.deleted_at is null
    and (asset.title, asset.tags, asset.license) = (
      private.clean(publish_snapshot.title), private.normalize_tags(publish_snapshot.tags), publish_snapshot.license
    )
    and asset.description = private.clean(publish_snapshot.description)
    and asset.thumbnail_url is not distinct from publish_snapshot.thumbnail_url
    and private.is_current_content(
      asset.id, asset.current_version, publish_snapshot.sha256, publish_snapshot.license, publish_snapshot.items
    )
  then
    update public.hub_assets a set is_public = true where a.id = asset.id and not a.is_public;
    -- The same content with words of its own: they are of the version that is there.
    if coalesce(notes.label, notes.changelog) is not null then
      perform private.write_version_notes(
        asset.id, asset.current_version, notes.label, notes.changelog, keeps_missing => true
      );
    end if;
    return jsonb_build_object(
      'asset_id', asset.id, 'slug', asset.slug, 'version', asset.current_version, 'created', false, 'first', false
    );
  end if;
  perform private.limit_publications(publish_snapshot.user_id, publish_snapshot.hourly_limit);
  perform private.refuse_hidden_items(publish_snapshot.user_id, publish_snapshot.items);
  if not publish_snapshot.confirmed then
    raise exception using errcode = 'PT409', message = 'scan_confirmation_required';
  end if;

  first := asset.published_at is null;
  if asset.id is null then
    asset.id := private.insert_listing(
      publish_snapshot.user_id, publish_snapshot.asset_type, publish_snapshot.ref_id, publish_snapshot.slug,
      publish_snapshot.title, publish_snapshot.description, publish_snapshot.tags, publish_snapshot.thumbnail_url,
      publish_snapshot.license
    );
    next_version := 1;
  else
    -- Not current_version + 1: an operator may have set current_version back, and the newer versions keep their numbers.
    select greatest(asset.current_version, max(v.version)) + 1 into next_version
    from public.hub_asset_versions v
    where v.asset_id = asset.id;
    -- An imported copy that is published becomes a remix of what was imported.
    if first then
      -- A claimed origin is not a parent.
      if asset.attribution ? 'parent' and asset.parent_asset_id is null then
        -- Locked, so that it is not erased before the reference to it is written.
        select p.* into parent from public.hub_assets p where p.id = (asset.attribution #>> '{parent,id}')::uuid for key share;
        update public.hub_assets a
        set parent_asset_id = parent.id,
          remix_depth = greatest(
            a.remix_depth,
            coalesce(parent.remix_depth, (asset.attribution #>> '{parent,remix_depth}')::integer, 0) + 1
          )
        where a.id = asset.id;
      end if;
      for attempt in 1..30 loop
        begin
          update public.hub_assets a set slug = private.nth_slug(publish_snapshot.slug, attempt) where a.id = asset.id;
          exit;
        exception
          when unique_violation then null;
        end;
      end loop;
    end if;
    update public.hub_assets a
    set title = publish_snapshot.title,
      description = publish_snapshot.description,
      tags = publish_snapshot.tags,
      thumbnail_url = publish_snapshot.thumbnail_url,
      license = publish_snapshot.license,
      current_version = next_version,
      is_public = true,
      content_updated_at = clock_timestamp(),
      -- Restores a listing that its creator had deleted, with its slug, reports and hidden state.
      deleted_at = null
    where a.id = asset.id;
  end if;

  insert into public.hub_asset_versions (asset_id, version, payload, sha256, license, scan, is_open)
  values (
    asset.id, next_version, publish_snapshot.payload, publish_snapshot.sha256, publish_snapshot.license, publish_snapshot.scan, true
  );
  perform private.write_version_notes(asset.id, next_version, notes.label, notes.changelog);
  insert into public.hub_bundle_items (asset_id, version, position, asset_type, ref_id, title, payload, sha256, license, attribution)
  select asset.id, next_version, i.position, i.item ->> 'asset_type', (i.item ->> 'ref_id')::uuid, i.item ->> 'title',
    i.item -> 'payload', i.item ->> 'sha256', i.item ->> 'license', nullif(i.item -> 'attribution', 'null')
  from jsonb_array_elements(publish_snapshot.items) with ordinality as i (item, position);
  insert into public.hub_receipts (asset_id, version, redactions)
  values (asset.id, next_version, publish_snapshot.redactions);

  select a.slug into asset.slug from public.hub_assets a where a.id = asset.id;
  return jsonb_build_object(
    'asset_id', asset.id, 'slug', asset.slug, 'version', next_version, 'created', true, 'first', first
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_changed_copy()
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "the copy was changed at the same time"}';
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_secret (
  path   text,
  before text,
  after  text
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  if private.adds_secret(refuse_secret.before, refuse_secret.after) then
    raise exception using
      errcode = 'PT422',
      message = 'secret_detected',
      detail = jsonb_build_object('errors', private.fault(refuse_secret.path, 'secret_detected', 'looks like a secret'))::text;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_version_change()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  editable constant text[] := array['label', 'changelog', 'yanked_at', 'yank_reason'];
begin
  -- Not a list of the fixed columns: a new column is fixed, too.
  if to_jsonb(new) - editable is distinct from to_jsonb(old) - editable then
    raise exception using
      errcode = 'PT409',
      message = 'append_only',
      detail = jsonb_build_object('table', tg_table_name, 'verb', 'update')::text;
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.restore_copy (
  asset_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  copy public.hub_assets := private.own_copy(restore_copy.asset_id);
  present constant jsonb := private.source_row(copy.asset_type, copy.ref_id);
  last private.hub_overwritten;
  held private.hub_copies;
begin
  delete from private.hub_overwritten o
  where o.id = (
    select n.id
    from private.hub_overwritten n
    where n.asset_id = copy.id and n.at > clock_timestamp() - interval '30 days'
    order by n.id desc
    limit 1
  )
  returning o.* into last;
  if last.id is null or present is null then
    raise exception using errcode = 'PT404', message = 'nothing_overwritten';
  end if;
  -- What was edited after the update is not lost, either.
  select c.* into held from private.hub_copies c where c.asset_id = copy.id;
  if held.sha256 is distinct from private.content_sha256(copy.asset_type, present) then
    perform private.keep_overwritten(copy.id, private.content_of(copy.asset_type, present), copy.attribution, held.sha256);
  end if;
  perform private.write_content(copy.asset_type, copy.ref_id, last.content);
  update public.hub_assets a
  set attribution = private.joined_attribution(a.attribution, last.attribution), pinned_version = null
  where a.id = copy.id
  returning a.* into copy;
  update private.hub_copies c set sha256 = last.sha256 where c.asset_id = copy.id;
  return jsonb_build_object(
    'id', copy.id, 'asset_type', copy.asset_type, 'ref_id', copy.ref_id, 'title', present -> 'name',
    'version', (copy.attribution #>> '{parent,version}')::integer
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.rows_of_copy (
  user_id   uuid,
  into_copy uuid
)
  RETURNS TABLE (
    import_id   uuid,
    asset_id    uuid,
    item_type   text,
    item_ref_id uuid,
    source_id   uuid,
    registry_id uuid
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select i.id, i.asset_id, c.value ->> 'asset_type', b.ref_id, a.ref_id, a.id
  from (
    select *
    from public.hub_imports i
    where i.user_id = rows_of_copy.user_id
      and i.created @> jsonb_build_array(jsonb_build_object('hub_asset_id', rows_of_copy.into_copy))
    order by i.created_at desc, i.id
    limit 1
  ) i
  cross join lateral jsonb_array_elements(i.created) with ordinality c (value, place)
  join public.hub_assets a on a.id = (c.value ->> 'hub_asset_id')::uuid and a.creator_id = i.user_id and a.deleted_at is null
  left join public.hub_bundle_items b on b.asset_id = i.asset_id and b.version = i.version and b.position = c.place - 1
  where private.source_row(a.asset_type, a.ref_id) is not null
    -- Of a kit that was deleted and published again the old items are unknown.
    and (c.place = 1 or b.ref_id is not null);
$function$;

CREATE OR REPLACE FUNCTION private.unyank_version (
  asset_id uuid,
  version  integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  yanked constant public.hub_asset_versions := private.own_version(unyank_version.asset_id, unyank_version.version);
begin
  if yanked.yanked_at is null then
    return;
  end if;
  update public.hub_asset_versions v
  set yanked_at = null, yank_reason = null
  where v.asset_id = yanked.asset_id and v.version = yanked.version;
  update public.hub_assets a
  set current_version = yanked.version, license = yanked.license
  where a.id = yanked.asset_id and a.current_version < yanked.version;
  perform private.log_event('unyanked', yanked.asset_id, (select auth.uid()), details => jsonb_build_object('version', yanked.version));
end;
$function$;

CREATE OR REPLACE FUNCTION private.update_copy (
  user_id   uuid,
  rows      jsonb,
  asset_id  uuid,
  version   integer,
  sha256    text,
  pinned    boolean,
  into_copy uuid,
  overwrite boolean
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
<<copy>>
declare
  source public.hub_assets;
  made public.hub_imports;
  replaced record;
  held private.hub_copies;
  content jsonb;
  modified jsonb := '[]';
  added jsonb;
  created jsonb;
begin
  select i.* into made
  from private.rows_of_copy(update_copy.user_id, update_copy.into_copy) r
  join public.hub_imports i on i.id = r.import_id
  limit 1;
  if made.id is null then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  if made.asset_id is distinct from update_copy.asset_id then
    perform private.refuse_faults(private.fault('into', 'other_listing', 'is no copy of this listing'));
  end if;
  select a.* into source from public.hub_assets a where a.id = made.asset_id;
  perform private.lock_origins(update_copy.asset_id, update_copy.rows);

  for replaced in
    select r.value as planned, t.registry_id, a.asset_type, a.ref_id, a.attribution
    from jsonb_array_elements(update_copy.rows) with ordinality r (value, place)
    join private.rows_of_copy(update_copy.user_id, update_copy.into_copy) t on t.source_id = (r.value ->> 'id')::uuid
    join public.hub_assets a on a.id = t.registry_id
    order by a.ref_id
  loop
    if not private.lock_source(replaced.asset_type, replaced.ref_id, update_copy.user_id) then
      perform private.refuse_changed_copy();
    end if;
    content := private.source_row(replaced.asset_type, replaced.ref_id);
    select c.* into held from private.hub_copies c where c.asset_id = replaced.registry_id;
    if held.sha256 is distinct from private.content_sha256(replaced.asset_type, content) then
      modified := modified || jsonb_build_object(
        'asset_type', replaced.asset_type, 'hub_asset_id', replaced.registry_id, 'title', content -> 'name'
      );
    end if;
    perform private.keep_overwritten(
      replaced.registry_id, private.content_of(replaced.asset_type, content), replaced.attribution, held.sha256
    );
    perform private.write_content(replaced.asset_type, replaced.ref_id, replaced.planned -> 'columns');
    update public.hub_assets a
    set attribution = private.joined_attribution(a.attribution, replaced.planned -> 'attribution'),
      pinned_version = case when update_copy.pinned then update_copy.version end,
      -- Of a copy that is published its owner has chosen the license.
      license = case when a.published_at is null then replaced.planned ->> 'license' else a.license end
    where a.id = replaced.registry_id;
    insert into private.hub_copies (asset_id, sha256)
    select replaced.registry_id,
      private.content_sha256(replaced.asset_type, private.source_row(replaced.asset_type, replaced.ref_id))
    on conflict on constraint hub_copies_pkey do update set sha256 = excluded.sha256;
  end loop;
  if modified <> '[]' and not update_copy.overwrite then
    raise exception using errcode = 'PT409', message = 'modified_copy', detail = jsonb_build_object('items', modified)::text;
  end if;

  -- What the version has besides: items that are new in it, or whose copies were deleted. A row that was deleted after it was planned to be
  -- replaced may have left its listing, whose id is not used again.
  select coalesce(jsonb_agg(r.value order by r.place), '[]') into added
  from jsonb_array_elements(update_copy.rows) with ordinality r (value, place)
  where (r.value ->> 'id')::uuid not in (
    select t.source_id from private.rows_of_copy(update_copy.user_id, update_copy.into_copy) t
  );
  if exists (
    select from jsonb_array_elements(added) r (value) join public.hub_assets a on a.ref_id = (r.value ->> 'id')::uuid
  ) then
    perform private.refuse_changed_copy();
  end if;
  added := private.insert_copies(
    update_copy.user_id, added, update_copy.rows #>> '{0,id}', source, made.mode,
    case when update_copy.pinned then update_copy.version end
  );
  select jsonb_agg(
    coalesce(n.value, jsonb_build_object(
      'asset_type', r.value -> 'asset_type', 'table', r.value -> 'table', 'id', r.value -> 'id', 'hub_asset_id', a.id,
      'title', private.source_row(a.asset_type, a.ref_id) -> 'name'
    ))
    order by r.place
  ) into created
  from jsonb_array_elements(update_copy.rows) with ordinality r (value, place)
  left join jsonb_array_elements(added) n (value) on n.value ->> 'id' = r.value ->> 'id'
  left join public.hub_assets a on a.ref_id = (r.value ->> 'id')::uuid and a.asset_type = r.value ->> 'asset_type';
  update public.hub_imports i set version = update_copy.version, created = copy.created where i.id = made.id;
  perform private.check_importable(update_copy.user_id, update_copy.asset_id, update_copy.version, update_copy.sha256);
  return created;
end;
$function$;

CREATE OR REPLACE FUNCTION private.updates()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'kind', u.kind,
      'id', u.id,
      'asset_type', u.asset_type,
      'ref_id', u.ref_id,
      'title', u.title,
      'source', u.source
    )
    order by u.kind, u.created_at desc, u.id
  ), '[]')
  from (
    select 'newer_version' as kind, c.id, c.asset_type, c.ref_id, c.title, c.created_at,
      jsonb_build_object(
        'id', s.id,
        'slug', s.slug,
        'title', s.title,
        'version', (c.attribution #>> '{parent,version}')::integer,
        'current_version', s.current_version,
        'label', v.label,
        'changelog', v.changelog
      ) as source
    from public.hub_assets c
    join public.hub_assets s on s.id = (c.attribution #>> '{parent,id}')::uuid
    join public.hub_asset_versions v on v.asset_id = s.id and v.version = s.current_version
    left join private.hub_copies k on k.asset_id = c.id
    where c.creator_id = (select auth.uid())
      and c.deleted_at is null
      and s.is_visible
      and c.pinned_version is null
      and s.current_version > greatest((c.attribution #>> '{parent,version}')::integer, k.dismissed_version)
    union all
    select 'yanked', c.id, c.asset_type, c.ref_id, c.title, c.created_at,
      jsonb_build_object(
        'id', s.id,
        'slug', s.slug,
        'title', s.title,
        'version', v.version,
        'current_version', s.current_version,
        'reason', v.yank_reason
      )
    from public.hub_assets c
    join public.hub_assets s on s.id = (c.attribution #>> '{parent,id}')::uuid
    join public.hub_asset_versions v on v.asset_id = s.id and v.version = (c.attribution #>> '{parent,version}')::integer
    where c.creator_id = (select auth.uid())
      and c.deleted_at is null
      and s.is_visible
      and v.yanked_at is not null
    union all
    select h.kind, c.id, c.asset_type, c.ref_id, c.title, c.created_at,
      o.origin - 'creator_id' - 'license' - 'remix_depth'
    from public.hub_assets c
    cross join lateral (
      select distinct on (e.origin ->> 'id') e.origin
      from (
        values (1, c.attribution -> 'parent'), (2, c.attribution -> 'root')
        union all
        -- Harmful origins in via are listed, too.
        select 3, v.origin from jsonb_array_elements(c.attribution -> 'via') v (origin)
      ) e (place, origin)
      order by e.origin ->> 'id', e.place
    ) o
    join public.hub_assets s on s.id = (o.origin ->> 'id')::uuid
    cross join lateral (
      values (case s.hidden_reason when 'removed' then 'removed' when 'malicious_code' then 'malicious_code' end)
    ) h (kind)
    where c.creator_id = (select auth.uid())
      and c.deleted_at is null
      and h.kind is not null
  ) u;
$function$;

CREATE OR REPLACE FUNCTION private.versions (
  id_or_slug text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  asset public.hub_assets;
begin
  select a.* into asset from public.hub_assets a where a.id = private.find_asset(versions.id_or_slug);
  if (asset.is_visible or (asset.deleted_at is null and (asset.creator_id = caller or private.is_admin()))) is not true then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        'version', v.version,
        'label', v.label,
        'changelog', v.changelog,
        'license', v.license,
        'sha256', v.sha256,
        'published_at', v.created_at,
        'yanked', v.yanked_at is not null,
        'yank_reason', v.yank_reason,
        'readable', v.version = asset.current_version
          or (v.is_open and v.yanked_at is null)
          or coalesce(asset.creator_id = caller, false)
          or private.is_admin()
          or exists (
            select from public.hub_imports i
            where i.asset_id = asset.id and i.user_id = caller and (v.yanked_at is null or i.version = v.version)
          )
      )
      order by v.version desc
    ), '[]')
    from (
      select * from public.hub_asset_versions v where v.asset_id = asset.id order by v.version desc limit 100
    ) v
  );
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
    set description = c.description, content = coalesce(c.content, ''), variables = coalesce(c.variables, '[]')
    from jsonb_to_record(write_content.content) as c (description text, content text, variables jsonb)
    where t.id = write_content.ref_id;
  elsif write_content.asset_type = 'component' then
    update public.custom_components t
    set description = c.description, source = coalesce(c.source, ''), props_schema = coalesce(c.props_schema, '{}')
    from jsonb_to_record(write_content.content) as c (description text, source text, props_schema jsonb)
    where t.id = write_content.ref_id;
  elsif write_content.asset_type = 'orchestration' then
    update public.orchestrator_configs t
    set nodes = coalesce(c.nodes, '[]'), edges = coalesce(c.edges, '[]'), stage_configs = coalesce(c.stage_configs, '[]')
    from jsonb_to_record(write_content.content) as c (nodes jsonb, edges jsonb, stage_configs jsonb)
    where t.id = write_content.ref_id;
  elsif write_content.asset_type = 'ai_preset' then
    update public.ai_model_settings t
    set model_id = c.model_id, temperature = c.temperature, top_p = c.top_p, top_k = c.top_k,
      max_output_tokens = c.max_output_tokens, thinking_level = c.thinking_level, thinking_budget = c.thinking_budget,
      generate_content_api = c.generate_content_api
    from jsonb_to_record(write_content.content) as c (
      model_id text, temperature double precision, top_p double precision, top_k integer, max_output_tokens integer,
      thinking_level text, thinking_budget integer, generate_content_api text
    )
    where t.id = write_content.ref_id;
  else
    perform private.refuse_asset_type(write_content.asset_type);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.write_version_notes (
  asset_id      uuid,
  version       integer,
  label         text,
  changelog     text,
  keeps_missing boolean DEFAULT false
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update public.hub_asset_versions v
  set label = coalesce(write_version_notes.label, case when keeps_missing then v.label end),
    changelog = coalesce(write_version_notes.changelog, case when keeps_missing then v.changelog end)
  where v.asset_id = write_version_notes.asset_id and v.version = write_version_notes.version;
exception
  when unique_violation then
    raise exception using errcode = 'PT409', message = 'label_taken';
end;
$function$;

CREATE OR REPLACE FUNCTION private.yank_version (
  asset_id uuid,
  version  integer,
  reason   text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  yanked constant public.hub_asset_versions := private.own_version(yank_version.asset_id, yank_version.version);
  why constant text := private.as_one_line(left(yank_version.reason, 2000));
  instead public.hub_asset_versions;
begin
  if char_length(why) > 500 then
    perform private.refuse_faults(private.fault('reason', 'too_big', 'must be at most 500 characters'));
  end if;
  perform private.refuse_secret('reason', yanked.yank_reason, why);
  select v.* into instead
  from public.hub_asset_versions v
  where v.asset_id = yanked.asset_id and v.version <> yanked.version and v.yanked_at is null
  order by v.version desc
  limit 1;
  if not found then
    raise exception using errcode = 'PT409', message = 'last_version';
  end if;
  update public.hub_asset_versions v
  set yanked_at = coalesce(v.yanked_at, clock_timestamp()), yank_reason = nullif(why, '')
  where v.asset_id = yanked.asset_id and v.version = yanked.version;
  update public.hub_assets a
  set current_version = instead.version, license = instead.license
  where a.id = yanked.asset_id and a.current_version = yanked.version;
  if yanked.yanked_at is null then
    perform private.log_event('yanked', yanked.asset_id, (select auth.uid()), details => jsonb_build_object('version', yanked.version));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_asset (
  id_or_slug text,
  version    integer DEFAULT NULL::integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  asset public.hub_assets;
  content public.hub_asset_versions;
begin
  select a.* into asset
  from public.hub_assets a
  where a.id = private.find_asset(hub_asset.id_or_slug) and a.deleted_at is null;
  if not found then
    return private.tombstone(hub_asset.id_or_slug);
  end if;
  select v.* into content
  from public.hub_asset_versions v
  where v.asset_id = asset.id and v.version = coalesce(hub_asset.version, asset.current_version);
  if content.version is null and hub_asset.version is not null then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return private.asset_card(asset) || jsonb_build_object(
    'deleted', false,
    'is_visible', asset.is_visible,
    'creator_id', asset.creator_id,
    'source_asset_id', asset.source_asset_id,
    'parent_asset_id', asset.parent_asset_id,
    'remix_count', (
      select count(*)
      from public.hub_assets r
      where r.is_visible and (r.source_asset_id = asset.id or r.parent_asset_id = asset.id)
    ),
    'lineage', asset.attribution,
    'attribution', private.shown_attribution(asset.attribution),
    'current_version', asset.current_version,
    'versions', (
      select coalesce(jsonb_agg(
        jsonb_build_object(
          'version', v.version, 'license', v.license, 'created_at', v.created_at, 'label', v.label, 'yanked', v.yanked_at is not null
        )
        order by v.version desc
      ), '[]')
      from public.hub_asset_versions v
      where v.asset_id = asset.id
    ),
    'version', content.version,
    'version_license', content.license,
    'label', content.label,
    'changelog', content.changelog,
    'yanked', content.yanked_at is not null,
    'yank_reason', content.yank_reason,
    'payload', content.payload,
    'sha256', content.sha256,
    'scan', content.scan,
    'items', (
      select coalesce(jsonb_agg(
        jsonb_build_object(
          'asset_type', i.asset_type,
          'ref_id', i.ref_id,
          'title', i.title,
          'payload', i.payload,
          'sha256', i.sha256,
          'license', i.license,
          'lineage', i.attribution,
          'attribution', private.shown_attribution(i.attribution)
        )
        order by i.position
      ), '[]')
      from public.hub_bundle_items i
      where i.asset_id = asset.id and i.version = content.version
    )
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_copy (
  user_id   uuid,
  into_copy uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.describe_copy(hub_copy.user_id, hub_copy.into_copy);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_copy"(uuid, uuid) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_dismiss_update (
  asset_id uuid,
  version  integer
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.dismiss_update(hub_dismiss_update.asset_id, hub_dismiss_update.version);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_dismiss_update"(uuid, integer) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_edit_version (
  asset_id  uuid,
  version   integer,
  label     text    DEFAULT NULL::text,
  changelog text    DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.edit_version(hub_edit_version.asset_id, hub_edit_version.version, hub_edit_version.label, hub_edit_version.changelog);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_edit_version"(uuid, integer, text, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_import (
  user_id         uuid,
  rows            jsonb,
  mode            text,
  asset_id        uuid    DEFAULT NULL::uuid,
  version         integer DEFAULT NULL::integer,
  sha256          text    DEFAULT NULL::text,
  attribution     jsonb   DEFAULT NULL::jsonb,
  warnings        jsonb   DEFAULT '[]'::jsonb,
  dry_run         boolean DEFAULT false,
  hourly_limit    integer DEFAULT NULL::integer,
  idempotency_key text    DEFAULT NULL::text,
  request_sha256  text    DEFAULT NULL::text,
  pinned          boolean DEFAULT false,
  into_copy       uuid    DEFAULT NULL::uuid,
  overwrite       boolean DEFAULT false
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.import_asset(
    hub_import.user_id, hub_import.rows, hub_import.mode, hub_import.asset_id, hub_import.version, hub_import.sha256,
    hub_import.attribution, hub_import.warnings, hub_import.dry_run, hub_import.hourly_limit, hub_import.idempotency_key,
    hub_import.request_sha256, hub_import.pinned, hub_import.into_copy, hub_import.overwrite
  );
$function$;

REVOKE ALL
  ON FUNCTION "public"."hub_import"(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, integer, text, text, boolean, uuid, boolean)
  FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_pin (
  asset_id uuid,
  version  integer DEFAULT NULL::integer
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.pin(hub_pin.asset_id, hub_pin.version);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_pin"(uuid, integer) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_prune()
  RETURNS integer
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  pruned integer;
  expired_tokens integer;
  expired_calls integer;
  expired_overwritten integer;
  unused_words integer;
  former_names integer;
begin
  delete from private.hub_idempotent_responses h where h.created_at <= clock_timestamp() - interval '24 hours';
  get diagnostics pruned = row_count;
  delete from private.hub_scan_tokens t where t.expires_at <= clock_timestamp();
  get diagnostics expired_tokens = row_count;
  delete from private.hub_calls c where c.at <= clock_timestamp() - interval '1 hour';
  get diagnostics expired_calls = row_count;
  delete from private.hub_former_names f where f.given_up_at <= clock_timestamp() - interval '180 days';
  get diagnostics former_names = row_count;
  delete from private.hub_overwritten o where o.at <= clock_timestamp() - interval '30 days';
  get diagnostics expired_overwritten = row_count;
  -- Nobody waits: a listing that is published at this moment with a word that no other one has is found by the whole of it.
  delete from private.hub_words k
  where not exists (select from private.hub_documents d where d.document @@ ('''' || k.word || '''')::tsquery);
  get diagnostics unused_words = row_count;
  return pruned + expired_tokens + expired_calls + expired_overwritten + unused_words + former_names;
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_restore_copy (
  asset_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.restore_copy(hub_restore_copy.asset_id);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_restore_copy"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_unyank_version (
  asset_id uuid,
  version  integer
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.unyank_version(hub_unyank_version.asset_id, hub_unyank_version.version);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_unyank_version"(uuid, integer) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_versions (
  id_or_slug text
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.versions(hub_versions.id_or_slug);
$function$;

CREATE OR REPLACE FUNCTION public.hub_yank_version (
  asset_id uuid,
  version  integer,
  reason   text    DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.yank_version(hub_yank_version.asset_id, hub_yank_version.version, hub_yank_version.reason);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_yank_version"(uuid, integer, text) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "private"."hub_copies"
  ADD CONSTRAINT "hub_copies_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

ALTER TABLE "private"."hub_overwritten"
  ADD CONSTRAINT "hub_overwritten_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_asset_versions"
  ADD CONSTRAINT "hub_asset_versions_changelog_check" CHECK (((char_length(changelog) >= 1) AND (char_length(changelog) <= 4000)));

ALTER TABLE "public"."hub_asset_versions"
  ADD CONSTRAINT "hub_asset_versions_label_check" CHECK (((char_length(label) >= 1) AND (char_length(label) <= 32)));

ALTER TABLE "public"."hub_asset_versions"
  ADD CONSTRAINT "hub_asset_versions_label_key" UNIQUE (asset_id, label);

ALTER TABLE "public"."hub_asset_versions"
  ADD CONSTRAINT "hub_asset_versions_yank_check" CHECK ((((yank_reason IS NULL) OR (yanked_at IS
    NOT NULL)) AND ((char_length(yank_reason) >= 1) AND (char_length(yank_reason) <= 500))));

ALTER TABLE "public"."hub_assets"
  ADD CONSTRAINT "hub_assets_pinned_version_check" CHECK ((pinned_version >= 1));

ALTER TABLE "public"."hub_events"
  ADD CONSTRAINT "hub_events_action_check"
    CHECK
    ((action = ANY (ARRAY['published'::text, 'unpublished'::text, 'republished'::text, 'yanked'::text, 'unyanked'::text, 'deleted'::text, 'hidden'::text, 'restored'::text,
    'removed'::text,
    'erased'::text,
    'report_resolved'::text, 'banned'::text, 'unbanned'::text, 'admin_added'::text, 'admin_removed'::text, 'appealed'::text, 'appeal_accepted'::text, 'appeal_rejected'::text])));

CREATE INDEX hub_overwritten_asset_id_idx ON private.hub_overwritten USING btree (asset_id, id DESC);

CREATE INDEX hub_overwritten_at_idx ON private.hub_overwritten USING btree (at);

CREATE TRIGGER hub_asset_versions_forbid_update
  BEFORE UPDATE ON public.hub_asset_versions
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_version_change();

CREATE POLICY "hub_copies_service_select" ON "private"."hub_copies"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_overwritten_service_select" ON "private"."hub_overwritten"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_asset_versions_select_anon" ON "public"."hub_asset_versions"
  FOR SELECT
  TO "anon"
  USING ((EXISTS ( SELECT
   FROM public.hub_assets a
  WHERE
    ((a.id = hub_asset_versions.asset_id) AND a.is_visible AND ((a.current_version = hub_asset_versions.version) OR (hub_asset_versions.is_open AND (hub_asset_versions.yanked_at IS
    NULL)))))));

CREATE POLICY "hub_asset_versions_select" ON "public"."hub_asset_versions"
  FOR SELECT
  TO "authenticated"
  USING ((EXISTS ( SELECT
   FROM public.hub_assets a
  WHERE
    ((a.id = hub_asset_versions.asset_id) AND ((a.is_visible AND (a.current_version = hub_asset_versions.version)) OR (a.is_visible AND hub_asset_versions.is_open AND
    (hub_asset_versions.yanked_at IS NULL)) OR ((a.deleted_at IS NULL) AND ((a.creator_id = ( SELECT auth.uid() AS uid)) OR ( SELECT private.is_admin() AS is_admin))) OR
    (a.is_visible AND (EXISTS ( SELECT
           FROM public.hub_imports i
          WHERE ((i.asset_id = a.id) AND (i.user_id = ( SELECT auth.uid() AS uid)) AND ((hub_asset_versions.yanked_at IS NULL) OR (i.version = hub_asset_versions.version)))))))))));

COMMENT ON COLUMN "private"."hub_copies"."dismissed_version" IS 'The owner wants no news of versions up to this one.';

COMMENT ON COLUMN "private"."hub_copies"."sha256" IS 'private.content_sha256 of the row as it was imported or last updated: the owner has edited the copy when it differs. Null: unknown.';

COMMENT ON COLUMN "private"."hub_overwritten"."sha256" IS 'Of hub_copies at that time.';

COMMENT ON COLUMN "public"."hub_asset_versions"."changelog" IS 'What changed, in plain text.';

COMMENT ON COLUMN "public"."hub_asset_versions"."is_open" IS 'Whether readers see it when it is no longer the current version. False for versions that were published before histories were open.';

COMMENT ON COLUMN "public"."hub_asset_versions"."label" IS 'The owner''s name for the version, such as 1.2; unique in the listing.';

COMMENT ON COLUMN "public"."hub_asset_versions"."yanked_at" IS 'When the owner withdrew the version: nobody imports it any more; who has a copy can still read it.';

COMMENT ON COLUMN "public"."hub_assets"."attribution" IS 'What this was imported or remixed from: {root, parent, via: [...], claimed}; root, parent and each of via are {id, title, slug, creator_id, license, version, remix_depth}. Written once; an update of a copy changes only the versions, and never loses an origin.';

COMMENT ON COLUMN "public"."hub_assets"."pinned_version" IS 'Of a copy: the version of its origin that its owner stays with, so that newer ones are no news. Null: it follows.';

COMMENT ON FUNCTION "private"."check_importable"(uuid, uuid, integer, text) IS 'Whether a user may import that version. Raises PT404 asset_not_found, PT409 version_yanked.';

COMMENT ON FUNCTION "private"."check_version_notes"(text, text) IS 'Label and changelog as they are stored; empty ones are null. Raises PT422 validation_failed.';

COMMENT ON FUNCTION "private"."content_of"(text, jsonb) IS 'The columns of a source row that an import writes; a name, a listing''s description or an API key is none.';

COMMENT ON FUNCTION "private"."content_sha256"(text, jsonb) IS 'Tells whether the content of a source row has changed. Of the stored form, so not the hash of a version.';

COMMENT ON FUNCTION "private"."copy_rows"(uuid, jsonb, uuid, integer, text, text, boolean) IS 'Inserts the rows of an import, and the row of hub_imports when they come from a listing. Raises PT404 asset_not_found, PT409 version_yanked, PT422 validation_failed.';

COMMENT ON FUNCTION "private"."describe_copy"(uuid, uuid) IS 'Implements hub_copy.';

COMMENT ON FUNCTION "private"."dismiss_update"(uuid, integer) IS 'Implements hub_dismiss_update.';

COMMENT ON FUNCTION "private"."edit_version"(uuid, integer, text, text) IS 'Implements hub_edit_version.';

COMMENT ON FUNCTION "private"."import_asset"(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, integer, text, text, boolean, uuid, boolean) IS
  'Imports planned rows into a user''s workspace, all or none, or updates the copy into_copy with them; a dry run does it and rolls back. hourly_limit is the limit of imports, or of previews for a dry run. Raises PT401 invalid_credential, PT403 banned, PT404 asset_not_found, PT409 modified_copy or version_yanked, PT422 idempotency_key_reused or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "private"."insert_copies"(uuid, jsonb, text, public.hub_assets, text, integer) IS 'Inserts planned rows into a user''s workspace, with their registry rows. Returns them as hub_imports.created has them. Raises PT422 validation_failed.';

COMMENT ON FUNCTION "private"."joined_attribution"(jsonb, jsonb) IS 'An attribution, with what another one names besides.';

COMMENT ON FUNCTION "private"."keep_overwritten"(uuid, jsonb, jsonb, text) IS 'Keeps what a copy had, for hub_restore_copy.';

COMMENT ON FUNCTION "private"."keeps_origins"(jsonb, jsonb) IS 'Whether a changed attribution has the same root and parent, in whatever versions, and names every work that was named before.';

COMMENT ON FUNCTION "private"."lock_origins"(uuid, jsonb) IS 'Locks the listing that is imported, and the roots of what it contains.';

COMMENT ON FUNCTION "private"."origins"(jsonb) IS 'All works that an attribution names with their ids: root, parent and via.';

COMMENT ON FUNCTION "private"."own_copy"(uuid) IS 'Locks and returns a copy of the caller''s. Raises PT403 banned, PT404 asset_not_found.';

COMMENT ON FUNCTION "private"."own_version"(uuid, integer) IS 'A version of the caller''s own listing, which is locked; counts an edit. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 not_published, PT429 rate_limited.';

COMMENT ON FUNCTION "private"."pin"(uuid, integer) IS 'Implements hub_pin.';

COMMENT ON FUNCTION "private"."publish_snapshot"(uuid, text, uuid, text, text, text, text[], text, jsonb, text, text, jsonb, jsonb, jsonb, boolean, integer, text, text) IS
  'Publishes a snapshot, with secrets removed, of a user''s source item: makes a listing or a new version, or changes nothing when the content is unchanged. Raises PT403 banned, PT404 source_not_found, PT409 item_hidden, label_taken, removed or scan_confirmation_required, PT422 license_not_available or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "private"."refuse_changed_copy"() IS 'Raises PT503 unavailable: the update is to be planned again.';

COMMENT ON FUNCTION "private"."refuse_secret"(text, text, text) IS 'Raises PT422 secret_detected when an edit adds something that looks like a secret.';

COMMENT ON FUNCTION "private"."refuse_version_change"() IS 'Refuses to change what was published in a version. Raises PT409 append_only.';

COMMENT ON FUNCTION "private"."restore_copy"(uuid) IS 'Implements hub_restore_copy.';

COMMENT ON FUNCTION "private"."rows_of_copy"(uuid, uuid) IS 'The rows that the import of a copy has made, with the items of the kit that they come from; item_ref_id of the listing itself is null. Nothing when the user has no such copy.';

COMMENT ON FUNCTION "private"."unyank_version"(uuid, integer) IS 'Implements hub_unyank_version.';

COMMENT ON FUNCTION "private"."update_copy"(uuid, jsonb, uuid, integer, text, boolean, uuid, boolean) IS 'Replaces the content of what an import has made by that of another version, and adds what is new in it; nothing is deleted. Raises PT404 asset_not_found, PT409 modified_copy or version_yanked, PT422 validation_failed, PT503 unavailable.';

COMMENT ON FUNCTION "private"."versions"(text) IS 'Implements hub_versions.';

COMMENT ON FUNCTION "private"."write_content"(text, uuid, jsonb) IS 'Replaces the content of a source row; its name and what else is the owner''s stay.';

COMMENT ON FUNCTION "private"."write_version_notes"(uuid, integer, text, text, boolean) IS 'Writes label and changelog of a version; keeps_missing leaves what is null as it is. Raises PT409 label_taken.';

COMMENT ON FUNCTION "private"."yank_version"(uuid, integer, text) IS 'Implements hub_yank_version.';

COMMENT ON FUNCTION "public"."hub_asset"(text, integer) IS 'One listing with its content: the current version, or an older one: an open one that is not yanked for everybody, any for its owner and admins, and for importers unless it is yanked and they imported another one. For a deleted listing only the fields of an attribution and deleted = true; if moderation had hidden it, only deleted = true. Raises PT404 asset_not_found.';

COMMENT ON FUNCTION "public"."hub_copy"(uuid, uuid) IS 'For hub-import: what an import has made: {asset_id, rows: [{asset_type, ref_id: of the item in the kit, null for the listing itself, id}]}. Raises PT404 asset_not_found.';

COMMENT ON FUNCTION "public"."hub_dismiss_update"(uuid, integer) IS 'hub_updates tells no more of versions up to this one for the caller''s copy. Raises PT403 banned, PT404 asset_not_found, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_edit_version"(uuid, integer, text, text) IS 'Replaces label and changelog of a version of the caller''s own listing; null or empty removes one. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 label_taken or not_published, PT422 secret_detected or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_import"(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, integer, text, text, boolean, uuid, boolean) IS 'For hub-import: writes the rows that the core package has planned, in one transaction. Raises PT401 invalid_credential, PT403 banned, PT404 asset_not_found, PT409 modified_copy or version_yanked, PT422 idempotency_key_reused or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_pin"(uuid, integer) IS 'The caller''s copy stays with the version it has: hub_updates tells of no newer one. Null: it follows again. Raises PT403 banned, PT404 asset_not_found, PT409 version_yanked, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_prune"() IS 'For operators: deletes answers older than 24 hours, expired scan tokens, calls older than one hour, what updates of copies overwrote more than 30 days ago, names given up 180 days ago, and words that no visible listing has any more; returns the number of rows.';

COMMENT ON FUNCTION "public"."hub_publish"(uuid, jsonb, text, boolean, integer, text, text) IS 'For hub-publish: publishes prepared content, with secrets removed: {asset_type, ref_id, slug, title, description, tags, thumbnail_url, license, payload, sha256, scan, redactions, items, label, changelog, content_sha256 if the scan has findings}; a dry run returns what would be published and changes nothing. Raises PT403 banned, PT404 source_not_found, PT409 label_taken, removed or scan_confirmation_required, PT422 idempotency_key_reused, license_not_available, secret_detected or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_restore_copy"(uuid) IS 'Brings back what the last update of the caller''s copy overwrote in the last 30 days: {id, asset_type, ref_id, title, version}. Raises PT403 banned, PT404 asset_not_found or nothing_overwritten.';

COMMENT ON FUNCTION "public"."hub_unyank_version"(uuid, integer) IS 'Takes back a yank of a version of the caller''s own listing; one that is newer than the current version becomes current again. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 not_published, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_updates"() IS 'The caller''s copies whose source has a newer version (newer_version; not of a pinned or dismissed one) or whose version was withdrawn (yanked), and those with a source that was hidden for malicious code (malicious_code) or removed (removed).';

COMMENT ON FUNCTION "public"."hub_versions"(text) IS 'The newest 100 versions of a listing, newest first: [{version, label, changelog, license, sha256, published_at, yanked, yank_reason, readable}]; readable tells whether hub_asset gives the caller its content. Raises PT404 asset_not_found.';

COMMENT ON FUNCTION "public"."hub_yank_version"(uuid, integer, text) IS 'Withdraws a version of the caller''s own listing: nobody imports it any more, and only who has a copy can read it. The newest version that is not yanked becomes the current one. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 last_version or not_published, PT422 secret_detected or validation_failed, PT429 rate_limited.';

COMMENT ON TABLE "private"."hub_copies" IS 'One row for each copy of a listing.';

COMMENT ON TABLE "private"."hub_overwritten" IS 'What updates of copies have overwritten, for 30 days and at most 10 of a copy; hub_restore_copy brings it back.';

COMMENT ON TABLE "public"."hub_asset_versions" IS 'Published snapshots, with secrets removed; deleted only with the listing. The owner may edit label and changelog, and yank a version; nothing else changes. Readers see the current version, and the open ones that are not yanked.';

REVOKE ALL ON FUNCTION "private"."check_importable"(uuid, uuid, integer, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_version_notes"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."content_of"(text, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."content_sha256"(text, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."copy_rows"(uuid, jsonb, uuid, integer, text, text, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."describe_copy"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."describe_copy"(uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."dismiss_update"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."dismiss_update"(uuid, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."edit_version"(uuid, integer, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."edit_version"(uuid, integer, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."import_asset"(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, integer, text, text, boolean, uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."import_asset"(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, integer, text, text, boolean, uuid, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."insert_copies"(uuid, jsonb, text, public.hub_assets, text, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."joined_attribution"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keep_overwritten"(uuid, jsonb, jsonb, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keeps_origins"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_origins"(uuid, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."origins"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."origins"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."own_copy"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."own_version"(uuid, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."pin"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pin"(uuid, integer) TO "authenticated";

REVOKE ALL
  ON FUNCTION "private"."publish_snapshot"(uuid, text, uuid, text, text, text, text[], text, jsonb, text, text, jsonb, jsonb, jsonb, boolean, integer, text, text)
  FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_changed_copy"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_secret"(text, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_version_change"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."restore_copy"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."restore_copy"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."rows_of_copy"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."unyank_version"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unyank_version"(uuid, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."update_copy"(uuid, jsonb, uuid, integer, text, boolean, uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."versions"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."versions"(text) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."write_content"(text, uuid, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."write_version_notes"(uuid, integer, text, text, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."yank_version"(uuid, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."yank_version"(uuid, integer, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_copy"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_copy"(uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_copy"(uuid, uuid) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_dismiss_update"(uuid, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_dismiss_update"(uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_dismiss_update"(uuid, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_edit_version"(uuid, integer, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_edit_version"(uuid, integer, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_edit_version"(uuid, integer, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_import"(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, integer, text, text, boolean, uuid, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_import"(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, integer, text, text, boolean, uuid, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_import"(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, integer, text, text, boolean, uuid, boolean) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_pin"(uuid, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_pin"(uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_pin"(uuid, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_restore_copy"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_restore_copy"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_restore_copy"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_unyank_version"(uuid, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_unyank_version"(uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_unyank_version"(uuid, integer) TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_versions"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_versions"(text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_versions"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_versions"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_versions"(text) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_yank_version"(uuid, integer, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_yank_version"(uuid, integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_yank_version"(uuid, integer, text) TO "postgres";

GRANT SELECT ON TABLE "private"."hub_copies" TO "service_role";

GRANT SELECT ON TABLE "private"."hub_overwritten" TO "service_role";
