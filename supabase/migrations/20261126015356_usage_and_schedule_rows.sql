-- What the schema files cannot declare: what the workspaces hold already, and the jobs.
do $$
begin
  lock table public.prompt_templates, public.custom_components, public.orchestrator_configs, public.ai_model_settings
  in share row exclusive mode;

  insert into private.workspace_usage (user_id, row_count, byte_count)
  select s.user_id, count(*), sum(private.source_bytes(s.source))
  from (
    select t.user_id, to_jsonb(t) as source from public.prompt_templates t
    union all
    select c.user_id, to_jsonb(c) from public.custom_components c
    union all
    select o.user_id, to_jsonb(o) from public.orchestrator_configs o
    union all
    select m.user_id, to_jsonb(m) from public.ai_model_settings m
  ) s
  group by s.user_id
  on conflict (user_id) do update set row_count = excluded.row_count, byte_count = excluded.byte_count;
end;
$$;

select public.keyhub_schedule();
