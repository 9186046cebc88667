-- What the schema files cannot declare: the one row of the settings.
insert into public.hub_settings (id) values (true);
