-- Reads for hub-publish. hub_sources runs with the caller's rights, so row level security leaves only the caller's own rows.

-- Returns the attribution of a source row. SECURITY DEFINER, because the creator cannot see a tombstone, whose attribution still
-- applies to the source row.
create function private.own_attribution(asset_type text, ref_id uuid)
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  select a.attribution
  from public.hub_assets a
  where a.asset_type = own_attribution.asset_type
    and a.ref_id = own_attribution.ref_id
    -- Deleted listings are not excluded, because their attribution still applies.
    and a.creator_id = (select auth.uid());
$$;
comment on function private.own_attribution is 'Returns the attribution of a source of the caller; null for an original.';
revoke execute on function private.own_attribution from public, anon, authenticated, service_role;
grant execute on function private.own_attribution to authenticated;

create function private.is_unchanged(payload jsonb, attribution jsonb)
returns boolean
language sql
stable
security invoker
set search_path = ''
as $$
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
$$;
comment on function private.is_unchanged is 'Returns whether one of the versions in an attribution has exactly this content, as its own payload or as an item of a kit. The name is not compared, because an import names a copy after its listing.';
revoke execute on function private.is_unchanged from public, anon, authenticated, service_role;
grant execute on function private.is_unchanged to service_role;

create function public.hub_unchanged(contents jsonb)
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select coalesce(jsonb_agg(private.is_unchanged(c.content -> 'payload', c.content -> 'attribution') order by c.place), '[]')
  from jsonb_array_elements(hub_unchanged.contents) with ordinality c (content, place);
$$;
comment on function public.hub_unchanged is 'For hub-publish: contents are [{payload, attribution}]. Returns [boolean]: for each content, whether it still equals a version or kit item that its attribution names.';
revoke execute on function public.hub_unchanged from public, anon, authenticated, service_role;
grant execute on function public.hub_unchanged to service_role;

create function public.hub_sources(items jsonb)
returns jsonb
language plpgsql
stable
security invoker
set search_path = ''
as $$
declare
  -- The limit of 12 MiB is twice that of a kit with its orchestration: JSON from the database has extra spaces, and the exact limit
  -- is checked later.
  max_bytes constant integer := 12582912;
  bytes bigint := 0;
  found record;
  content jsonb;
  sources jsonb[] := '{}';
begin
  for found in
    select i.asset_type, i.ref_id
    from (select distinct r.asset_type, r.ref_id from jsonb_to_recordset(hub_sources.items) as r (asset_type text, ref_id uuid)) i
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
    if bytes > max_bytes then
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
$$;
comment on function public.hub_sources is 'Returns the caller''s own workspace items, without duplicates: [{asset_type, ref_id}] → [{asset_type, ref_id, content: the row, attribution}]. Leaves out items of other users. Raises PT422 validation_failed beyond 12 MiB of JSON.';
revoke execute on function public.hub_sources from public, anon, authenticated, service_role;
grant execute on function public.hub_sources to authenticated;
