-- What the schema files cannot declare: what the workspaces hold already, and the jobs.
do $$
begin
  lock table public.prompt_templates, public.custom_components, public.orchestrator_configs, public.ai_model_settings
  in share row exclusive mode;

  insert into private.workspace_usage (user_id, row_count, byte_count)
  select s.user_id, count(*), sum(private.source_bytes(s.source))
  from private.all_sources() s
  group by s.user_id
  on conflict (user_id) do update set row_count = excluded.row_count, byte_count = excluded.byte_count;
end;
$$;

select public.keyhub_schedule();
