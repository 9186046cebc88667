-- What the schema files cannot declare: documents of the listings that are there, and the schedule.
select private.index_asset(a), private.add_words(a) from public.hub_assets a where a.is_visible;

-- Where pg_cron is turned on later, the operator runs this line (docs/api/search.md).
do $$
begin
  if exists (select from pg_catalog.pg_extension where extname = 'pg_cron') then
    perform cron.schedule('keyhub-refresh-discovery', '*/10 * * * *', 'select public.hub_refresh_discovery()');
  end if;
end;
$$;
