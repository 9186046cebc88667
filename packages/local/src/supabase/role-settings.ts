import type postgres from "postgres";
import type { ReservedConnection } from "./connection-pool.ts";

/** The statement with which lite begins each request's transaction. */
const CHANGE_ROLE = "SELECT set_config('role', $1, true)";

/**
 * Applies the settings of a role (`alter role anon set statement_timeout = '3s'`) to the transactions of its requests, as PostgREST does.
 * Postgres itself applies such settings only at log-in, not when a session changes its role.
 */
export function createRoleSettings(connect: () => postgres.Sql) {
  let settings = new Map<string, [name: string, value: string][]>();

  /** Reads the settings of all roles. If the database cannot be reached, the earlier settings stay. */
  async function read(): Promise<void> {
    const sql = connect();
    try {
      const rows = await sql.unsafe<{ role: string; setting: string }[]>(`
        select r.rolname as role, unnest(s.setconfig) as setting
        from pg_catalog.pg_db_role_setting s join pg_catalog.pg_roles r on r.oid = s.setrole
        where s.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = current_database()))`);
      settings = new Map(
        [...Map.groupBy(rows, ({ role }) => role)].map(([role, of]) => [
          role,
          of.map(({ setting }) => split(setting)),
        ]),
      );
    } catch {
      // The database cannot be reached; later requests will fail for the same reason.
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  function applied(connection: ReservedConnection): ReservedConnection {
    return {
      ...connection,
      unsafe: (text, parameters = []) => {
        const own = text === CHANGE_ROLE ? (settings.get(String(parameters[0])) ?? []) : [];
        if (own.length === 0) return connection.unsafe(text, parameters);
        const further = own.map((_, at) => `, set_config($${2 * at + 2}, $${2 * at + 3}, true)`).join("");
        return connection.unsafe(`${CHANGE_ROLE}${further}`, [...parameters, ...own.flat()] as never[]);
      },
    };
  }

  return { read, applied };
}

/** Splits a setting such as `statement_timeout=3s` into its name and value. */
function split(setting: string): [name: string, value: string] {
  const at = setting.indexOf("=");
  return [setting.slice(0, at), setting.slice(at + 1)];
}
