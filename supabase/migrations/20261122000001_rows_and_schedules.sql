-- What a schema file cannot declare: rows, what is owed to accounts that were there before, and schedules.

insert into private.api_key_log_pruning default values;

-- Accounts from before this migration get their profile now; later ones by trigger.
select private.make_profile(u.id, u.created_at) from auth.users u;

-- Where pg_cron is turned on later, the operator runs these two lines (docs: operating).
do $$
begin
  if exists (select from pg_catalog.pg_extension where extname = 'pg_cron') then
    -- A little every minute: 32 MB of the log are looked at in some 50 ms, so that ten million rows are gone through within
    -- the hour, and up to 50,000 a minute are deleted.
    perform cron.schedule(
      'keyhub-prune-usage-log', '* * * * *', 'select public.prune_api_key_usage_log(batch => 50000, pages => 4096)'
    );
    perform cron.schedule('keyhub-prune-hub', '17 * * * *', 'select public.hub_prune()');
  end if;
end;
$$;
