-- What hub-publish reads, as the caller: row level security leaves only rows of their own.

-- A tombstone is invisible to its creator, and what it was made from binds them all the same.
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
    and a.creator_id = (select auth.uid());
$$;
comment on function private.own_attribution is 'What an item of the caller''s was made from; null for an original.';
revoke execute on function private.own_attribution from public, anon, authenticated, service_role;
grant execute on function private.own_attribution to authenticated;

create function public.hub_sources(items jsonb, max_bytes integer)
returns jsonb
language plpgsql
stable
security invoker
set search_path = ''
as $$
declare
  sources jsonb;
begin
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'asset_type', found.asset_type,
      'ref_id', found.ref_id,
      'content', found.content,
      'attribution', private.own_attribution(found.asset_type, found.ref_id)
    )
  ), '[]') into sources
  from (
    select
      i.asset_type,
      i.ref_id,
      case i.asset_type
        when 'template' then (select to_jsonb(t) from public.prompt_templates t where t.id = i.ref_id)
        when 'component' then (select to_jsonb(c) from public.custom_components c where c.id = i.ref_id)
        when 'orchestration' then (select to_jsonb(o) from public.orchestrator_configs o where o.id = i.ref_id)
        when 'ai_preset' then (select to_jsonb(s) from public.ai_model_settings s where s.id = i.ref_id)
      end as content
    from jsonb_to_recordset(hub_sources.items) as i (asset_type text, ref_id uuid)
    where case i.asset_type
      when 'template' then exists (select from public.prompt_templates t where t.id = i.ref_id)
      when 'component' then exists (select from public.custom_components c where c.id = i.ref_id)
      when 'orchestration' then exists (select from public.orchestrator_configs o where o.id = i.ref_id)
      when 'ai_preset' then exists (select from public.ai_model_settings s where s.id = i.ref_id)
    end
    -- A kit has 50 items and its orchestration: one more than 50 is enough to know that it is too large.
    limit 51
  ) found;
  -- What is far too large for a kit is not sent to whoever would only find that out.
  if octet_length(sources::text) > hub_sources.max_bytes then
    raise exception using
      errcode = 'PT422',
      message = 'validation_failed',
      detail = '{"errors": [{"path": "items", "code": "too_big", "message": "are too large together"}]}';
  end if;
  return sources;
end;
$$;
comment on function public.hub_sources is 'The caller''s own workspace items, [{asset_type, ref_id}] → [{asset_type, ref_id, content: the row, attribution}]. What is not theirs is left out. Raises PT422 validation_failed beyond max_bytes of JSON.';
revoke execute on function public.hub_sources from public, anon, authenticated, service_role;
grant execute on function public.hub_sources to authenticated;
