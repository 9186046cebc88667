-- What the schema files cannot declare: rows, and the jobs.
insert into private.api_key_log_pruning default values;
insert into public.hub_settings (id) values (true);

-- The first writer locks this row; hub_refresh_discovery fills it.
insert into private.hub_snapshots (name, value, made_at) values ('trending', null, '-infinity');

-- Accounts that exist before this migration get their profile here; later ones by trigger.
select private.make_profile(u.id, u.created_at) from auth.users u;

select public.keyhub_schedule();
