import { withDatabase } from "./connection.ts";

/**
 * The superuser of the cluster, as on hosted Supabase. The stack connects as this role for two things only: to make the roles, and to make
 * the parts that a project has before its first migration (bootstrap.ts). Everything else runs as the roles below.
 */
export const SUPERUSER = "supabase_admin";

/** The roles that log in, beside the superuser. They share its password, as in self-hosted Supabase. */
export type LoginRole = "postgres" | "authenticator" | "supabase_auth_admin";

/** Returns the URL of the same database for another role. */
export function urlAs(url: string, role: LoginRole | typeof SUPERUSER): string {
  const other = new URL(url);
  other.username = role;
  return other.href;
}

/** Settings that hosted Supabase lets `postgres` change although it is not a superuser (supautils). */
const settingsOfPostgres = [
  "deadlock_timeout",
  "log_lock_waits",
  "log_min_duration_statement",
  "log_min_messages",
  "log_statement",
  "session_replication_role",
  "track_functions",
  "track_io_timing",
];

/**
 * Makes the roles of a hosted project with their attributes, memberships and settings. `postgres`, the operator, is not a superuser.
 * `authenticator` is the role of REST; `supabase_auth_admin` is the role of auth, which owns auth.* and deletes users.
 */
const rolesSql = (password: string) => `
do $$
declare
  wanted record;
begin
  for wanted in
    select * from (values
      ('postgres', 'login createrole createdb bypassrls replication'),
      ('anon', 'nologin noinherit'),
      ('authenticated', 'nologin noinherit'),
      ('service_role', 'nologin noinherit bypassrls'),
      ('authenticator', 'login noinherit'),
      ('supabase_auth_admin', 'login noinherit'),
      ('dashboard_user', 'nologin createrole createdb replication')
    ) as roles (name, options)
  loop
    if not exists (select from pg_catalog.pg_roles where rolname = wanted.name) then
      execute format('create role %I %s', wanted.name, wanted.options);
    end if;
    if wanted.options like 'login%' then
      execute format('alter role %I password %L', wanted.name, '${password}');
    end if;
  end loop;
end
$$;

grant anon, authenticated, service_role to authenticator;
grant anon, authenticated, service_role to postgres with admin option;
grant authenticator, pg_monitor, pg_read_all_data, pg_signal_backend to postgres;
grant set on parameter ${settingsOfPostgres.join(", ")} to postgres;
alter role anon set statement_timeout = '3s';
alter role authenticated set statement_timeout = '8s';
alter role authenticator set statement_timeout = '8s';
alter role authenticator set lock_timeout = '8s';
alter role supabase_auth_admin set search_path = auth;
alter role supabase_auth_admin set idle_in_transaction_session_timeout = '60s';
alter database postgres owner to postgres;
`;

/** Makes the roles in the cluster of `url`, and gives them the password in that URL. Safe to run again. */
export async function ensureRoles(url: string): Promise<void> {
  const password = decodeURIComponent(new URL(url).password);
  await withDatabase(urlAs(url, SUPERUSER), (sql) => sql.unsafe(rolesSql(password)));
}
