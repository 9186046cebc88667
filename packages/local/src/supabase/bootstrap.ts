import { withDatabase } from "../postgres/connection.ts";
import { SUPERUSER, urlAs } from "../postgres/roles.ts";
import { openLite } from "./lite.ts";

/**
 * Makes the parts that a hosted Supabase project has before its first migration, as far as migrations rely on them. The default privileges
 * are the wide ones of projects created before October 2026, so that tests notice a migration that forgets a revoke.
 */
const bootstrapSql = `
create schema if not exists extensions authorization postgres;
grant usage on schema extensions to anon, authenticated, service_role;
grant usage on schema public to anon, authenticated, service_role;

alter default privileges for role postgres in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on sequences to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on functions to anon, authenticated, service_role;

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

/**
 * Lite has just made auth.* and the history of migrations. This SQL gives them the owners, grants and row level security of a hosted
 * project. `postgres` may use the tables of auth but owns none; the Supabase CLI writes the history as `postgres`.
 */
const ownersSql = `
do $$
declare
  made record;
begin
  for made in
    select 'schema' as kind, 'auth' as name, 'supabase_auth_admin' as owner
    union all
    select 'schema', 'supabase_migrations', 'postgres'
    union all
    select 'table', format('%I.%I', schemaname, tablename),
      case schemaname when 'auth' then 'supabase_auth_admin' else 'postgres' end
    from pg_catalog.pg_tables where schemaname in ('auth', 'supabase_migrations')
    union all
    select 'function', p.oid::regprocedure::text, 'supabase_auth_admin'
    from pg_catalog.pg_proc p where p.pronamespace = 'auth'::regnamespace
  loop
    execute format('alter %s %s owner to %I', made.kind, made.name, made.owner);
    if made.kind = 'table' and made.owner = 'supabase_auth_admin' then
      execute format('alter table %s enable row level security', made.name);
    end if;
  end loop;
end
$$;
grant usage on schema auth to postgres, anon, authenticated, service_role;
grant all on all tables in schema auth to postgres with grant option;
grant execute on all functions in schema auth to postgres with grant option;
`;

/**
 * Prepares an empty database for the migrations like a new Supabase project: schemas, default privileges, auth.*. Safe to run again. Apart
 * from making the roles, only this step needs a superuser, because it makes event triggers and tables of other owners.
 */
export async function bootstrapDatabase(url: string): Promise<void> {
  const superuser = urlAs(url, SUPERUSER);
  await withDatabase(superuser, async (sql) => {
    await sql.unsafe(bootstrapSql);
    const lite = openLite({ databaseUrl: superuser, maxConnections: 1 });
    try {
      await lite.app.ensureSystemSchema();
    } finally {
      await lite.close(1);
    }
    await sql.unsafe(ownersSql);
  });
}
