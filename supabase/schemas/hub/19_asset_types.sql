-- The list of asset types. A new type is added here, as a table in 30_workspace.sql, with its limits in 31_workspace_writes.sql, and
-- as one branch of each function of 34_source_tables.sql. Everything else works with the list and with those functions.
create function private.asset_types()
returns text[]
language sql
immutable
set search_path = ''
as $$
  select '{orchestration,template,component,ai_preset}'::text[];
$$;
comment on function private.asset_types is 'Returns all types of assets.';
revoke execute on function private.asset_types from public, anon, authenticated, service_role;
-- Check constraints call this function with the role of the writer, and hub_search calls it with the role of the caller, so both
-- roles need the right to execute it.
grant execute on function private.asset_types to anon, authenticated, service_role;

-- Raises an error for an unknown asset type. The last branch of every `case` on an asset type calls this function, so that a type
-- that was added to the list alone raises an error.
create function private.refuse_asset_type(asset_type text)
returns boolean
language plpgsql
immutable
set search_path = ''
as $$
begin
  perform private.refuse_faults(jsonb_build_array(
    private.fault('asset_type', 'invalid_value', 'must be a known asset type')
  ));
  return null;
end;
$$;
comment on function private.refuse_asset_type is 'Raises PT422 validation_failed for an unknown asset type.';
revoke execute on function private.refuse_asset_type from public, anon, authenticated, service_role;
grant execute on function private.refuse_asset_type to authenticated, service_role;
