import postgres from "postgres";

const pools = new WeakMap<object, postgres.Sql>();

/**
 * Returns connections to the same database with the role of auth, supabase_auth_admin. This role makes, changes and deletes users, and is
 * not a superuser. A connection closes itself when it is idle.
 */
export function asAuth({ options }: postgres.Sql): postgres.Sql {
  const known = pools.get(options);
  if (known !== undefined) return known;
  const own = { user: "supabase_auth_admin", connection: {}, max: 32, idle_timeout: 5 };
  const pool = postgres({ ...options, ...own } as never);
  pools.set(options, pool);
  return pool;
}
