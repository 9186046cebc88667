import { withDatabase } from "../postgres/connection.ts";
import { openLite } from "./lite.ts";

/**
 * What a hosted Supabase project has before its first migration, as far as migrations may rely on it.
 *
 * Default privileges are the generous ones of hosted projects from before October 2026. A migration that forgets
 * a revoke is then as open here as it would be on such a project, and the tests see it.
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

/** After the auth schema is there: policies call auth.uid() as the caller. */
const authGrantsSql = "grant usage on schema auth to anon, authenticated, service_role;";

/**
 * Makes a bare database into what migrations expect of a Supabase project: its roles, its schemas and default
 * privileges, and auth.*. May be run again at any time.
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
