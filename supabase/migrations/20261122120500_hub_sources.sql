-- Clients can call this too: each item is read once, and how much may be read is not theirs to say.

drop function public.hub_sources(jsonb, integer);
create function public.hub_sources(items jsonb)
returns jsonb
language plpgsql
stable
security invoker
set search_path = ''
as $$
declare
  -- Twice what a kit and its orchestration may have: the database writes spaces, and what they may have is judged later.
  max_bytes constant integer := 12582912;
  bytes bigint := 0;
  found record;
  sources jsonb[] := '{}';
begin
  for found in
    select i.asset_type, i.ref_id
    from (select distinct r.asset_type, r.ref_id from jsonb_to_recordset(hub_sources.items) as r (asset_type text, ref_id uuid)) i
    where case i.asset_type
      when 'template' then exists (select from public.prompt_templates t where t.id = i.ref_id)
      when 'component' then exists (select from public.custom_components c where c.id = i.ref_id)
      when 'orchestration' then exists (select from public.orchestrator_configs o where o.id = i.ref_id)
      when 'ai_preset' then exists (select from public.ai_model_settings s where s.id = i.ref_id)
    end
    -- A kit has 50 items and its orchestration: one more than 50 is enough to know that it is too large.
    limit 51
  loop
    sources := sources || jsonb_build_object(
      'asset_type', found.asset_type,
      'ref_id', found.ref_id,
      'content', case found.asset_type
        when 'template' then (select to_jsonb(t) from public.prompt_templates t where t.id = found.ref_id)
        when 'component' then (select to_jsonb(c) from public.custom_components c where c.id = found.ref_id)
        when 'orchestration' then (select to_jsonb(o) from public.orchestrator_configs o where o.id = found.ref_id)
        when 'ai_preset' then (select to_jsonb(s) from public.ai_model_settings s where s.id = found.ref_id)
      end,
      'attribution', private.own_attribution(found.asset_type, found.ref_id)
    );
    -- What is far too large for a kit is not read to its end, nor sent to whoever would only find that out.
    bytes := bytes + octet_length(sources[cardinality(sources)]::text);
    if bytes > max_bytes then
      raise exception using
        errcode = 'PT422',
        message = 'validation_failed',
        detail = '{"errors": [{"path": "items", "code": "too_big", "message": "are too large together"}]}';
    end if;
  end loop;
  return to_jsonb(sources);
end;
$$;
comment on function public.hub_sources is 'The caller''s own workspace items, each once, [{asset_type, ref_id}] → [{asset_type, ref_id, content: the row, attribution}]. What is not theirs is left out. Raises PT422 validation_failed beyond 12 MiB of JSON.';
revoke execute on function public.hub_sources from public, anon, authenticated, service_role;
grant execute on function public.hub_sources to authenticated;
