-- Schedules every recurring job of the project. Migrations call this function. Where pg_cron is enabled only after the migrations,
-- an operator calls it once more.
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
        -- Prunes a part of the log every minute. Each run reads at most 4096 pages (32 MB), which takes some 50 ms, and deletes at
        -- most 50,000 rows. At this rate a log of ten million rows is read within an hour.
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
      -- These two jobs call edge functions over HTTP. They are made only where pg_net, which sends the request, and Vault, which
      -- stores the address and the secret key, are enabled.
      where exists (
          select from pg_catalog.pg_proc p where p.pronamespace = to_regnamespace('net') and p.proname = 'http_post'
        )
        and to_regclass('vault.decrypted_secrets') is not null
    ) jobs (name, schedule, command)
  loop
    -- cron.schedule replaces a job of the same name, so a second call of keyhub_schedule makes no second job.
    execute 'select cron.schedule($1, $2, $3)' using job.name, job.schedule, job.command;
    made := made || job.name;
  end loop;
  return made;
end;
$$;
comment on function public.keyhub_schedule is 'For operators and migrations: makes or replaces every pg_cron job of the project and returns the names of the jobs. Leaves out the jobs that call edge functions where pg_net or Vault is not enabled. Where pg_cron is not enabled, makes no job and returns an empty array.';
revoke execute on function public.keyhub_schedule from public, anon, authenticated, service_role;
