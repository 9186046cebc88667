import { withDatabase } from "../postgres/connection.ts";
import { openLite } from "./lite.ts";

/**
 * What a hosted Supabase project has before its first migration, as far as migrations rely on it. Default privileges are the
 * wide ones of projects created before October 2026, so that tests notice a migration that forgets a revoke.
 */
const bootstrapSql = `
do $$
declare
  wanted record;
begin
  for wanted in
    select * from (values
      ('anon', 'nologin noinherit'),
      ('authenticated', 'nologin noinherit'),
      ('service_role', 'nologin noinherit bypassrls'),
      ('authenticator', 'nologin noinherit')
    ) as roles (name, options)
  loop
    if not exists (select from pg_catalog.pg_roles where rolname = wanted.name) then
      begin
        execute format('create role %I %s', wanted.name, wanted.options);
      exception
        -- Roles belong to the whole cluster: another database's bootstrap may be making them right now.
        when duplicate_object or unique_violation then null;
      end;
    end if;
  end loop;
  if not pg_catalog.pg_has_role('authenticator', 'service_role', 'member') then
    begin
      grant anon, authenticated, service_role to authenticator;
    exception
      when unique_violation or duplicate_object then null;
    end;
  end if;
end
$$;

create schema if not exists extensions;
grant usage on schema extensions to anon, authenticated, service_role;
grant usage on schema public to anon, authenticated, service_role;

alter default privileges in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges in schema public grant all on sequences to anon, authenticated, service_role;
alter default privileges in schema public grant all on functions to anon, authenticated, service_role;

-- As on hosted projects: the API hears of changed tables and functions by itself.
create or replace function extensions.pgrst_ddl_watch()
returns event_trigger
language plpgsql
set search_path = ''
as $$
begin
  if exists (select from pg_catalog.pg_event_trigger_ddl_commands() where schema_name is distinct from 'pg_temp') then
    notify pgrst, 'reload schema';
  end if;
end
$$;

create or replace function extensions.pgrst_drop_watch()
returns event_trigger
language plpgsql
set search_path = ''
as $$
begin
  if exists (select from pg_catalog.pg_event_trigger_dropped_objects() where not is_temporary) then
    notify pgrst, 'reload schema';
  end if;
end
$$;

drop event trigger if exists pgrst_ddl_watch;
create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch();
drop event trigger if exists pgrst_drop_watch;
create event trigger pgrst_drop_watch on sql_drop execute function extensions.pgrst_drop_watch();
`;

/** Run after the auth schema exists: policies call auth.uid() as the caller. */
const authGrantsSql = "grant usage on schema auth to anon, authenticated, service_role;";

/**
 * Prepares an empty database for the migrations, as a Supabase project is: roles, schemas, default privileges, auth.*. Safe to
 * run again.
 */
export async function bootstrapDatabase(url: string): Promise<void> {
  await withDatabase(url, async (sql) => {
    await sql.unsafe(bootstrapSql);
    const lite = openLite({ databaseUrl: url, maxConnections: 1 });
    try {
      await lite.app.ensureSystemSchema();
    } finally {
      await lite.close(1);
    }
    await sql.unsafe(authGrantsSql);
  });
}
