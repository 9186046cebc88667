-- Schedules every job of the project. Migrations call this function; where pg_cron is enabled later, an operator calls it.
create function public.keyhub_schedule()
returns text[]
language plpgsql
volatile
security invoker
set search_path = ''
as $$
declare
  job record;
  made text[] := '{}';
begin
  if to_regprocedure('cron.schedule(text, text, text)') is null then
    raise notice 'pg_cron is not enabled in this database, so that no job was made: enable it and call keyhub_schedule() again';
    return made;
  end if;
  for job in
    select *
    from (
      values
        -- Prunes a little every minute: reading 32 MB of the log takes some 50 ms, so that ten million rows are read within the
        -- hour, and at most 50,000 rows a minute are deleted.
        ('keyhub-prune-usage-log', '* * * * *', 'select public.prune_api_key_usage_log(batch => 50000, pages => 4096)'),
        ('keyhub-prune-hub', '17 * * * *', 'select public.hub_prune()'),
        ('keyhub-refresh-discovery', '*/10 * * * *', 'select public.hub_refresh_discovery()')
      union all
      select
        f.job,
        f.schedule,
        'select net.http_post('
        || 'url := u.decrypted_secret || ''/functions/v1/' || f.name || ''', '
        || 'headers := jsonb_build_object(''Content-Type'', ''application/json'', ''apikey'', k.decrypted_secret), '
        || 'body := ''{}''::jsonb) '
        || 'from vault.decrypted_secrets u, vault.decrypted_secrets k '
        || 'where u.name = ''keyhub_url'' and k.name = ''keyhub_secret_key'''
      from (values ('keyhub-alerts', '* * * * *', 'keyhub-alerts'), ('keyhub-payments', '23 * * * *', 'payment-webhook')) f (job, schedule, name)
      -- Calling the functions over HTTP needs pg_net, and Vault for the address and the key.
      where exists (
          select from pg_catalog.pg_proc p where p.pronamespace = to_regnamespace('net') and p.proname = 'http_post'
        )
        and to_regclass('vault.decrypted_secrets') is not null
    ) jobs (name, schedule, command)
  loop
    -- cron.schedule replaces a job of the same name.
    execute 'select cron.schedule($1, $2, $3)' using job.name, job.schedule, job.command;
    made := made || job.name;
  end loop;
  return made;
end;
$$;
comment on function public.keyhub_schedule is 'For operators: makes or replaces every pg_cron job of the project and returns their names; returns none where pg_cron is not enabled.';
revoke execute on function public.keyhub_schedule from public, anon, authenticated, service_role;
