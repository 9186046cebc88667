SET local check_function_bodies = off;

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
  request_sha256  text    DEFAULT NULL::text
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
  -- guard: import: a banned user cannot import, also while the ban is being written
  perform private.begin_write(import_asset.user_id);
  -- end
  answer := private.get_response(
    import_asset.user_id, 'hub-import', import_asset.idempotency_key, import_asset.request_sha256
  );
  -- guard: import: a repeated request gets the stored answer
  -- without: if false then
  if answer is not null then
  -- end
    return answer;
  end if;
  -- guard: publish: imports are counted
  -- without: perform jsonb_build_array(
  perform private.limit_calls(
  -- end
    -- guard: publish: a dry run of an import is counted as a preview
    -- without: import_asset.user_id, 'imports', import_asset.hourly_limit
    import_asset.user_id, case when import_asset.dry_run then 'previews' else 'imports' end, import_asset.hourly_limit
    -- end
  );
  begin
    created := private.copy_rows(
      import_asset.user_id, import_asset.rows, import_asset.asset_id, import_asset.version, import_asset.sha256, import_asset.mode
    );
    -- guard: import: a dry run writes nothing
    -- without: if false then
    if import_asset.dry_run then
    -- end
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
      where private.as_one_line(r.value ->> 'title') <> created -> (r.place - 1)::integer ->> 'title'
    )
  );
  if import_asset.dry_run then
    return answer || '{"dry_run": true}';
  end if;
  -- guard: import: the answer is stored
  -- without: perform private.get_response(import_asset.user_id, 'hub-import', null, null) where false; perform jsonb_build_array(
  perform private.store_response(
  -- end
    import_asset.user_id, 'hub-import', import_asset.idempotency_key, import_asset.request_sha256, answer
  );
  return answer;
end;
$function$;
