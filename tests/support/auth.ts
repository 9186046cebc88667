import postgres from "postgres";

const pools = new WeakMap<object, postgres.Sql>();

/**
 * The database of a connection pool as auth sees it: role supabase_auth_admin, no superuser, which makes, changes and deletes
 * users. Its connections close themselves when idle.
 */
export function asAuth({ options }: postgres.Sql): postgres.Sql {
  const known = pools.get(options);
  if (known !== undefined) return known;
  const own = { user: "supabase_auth_admin", connection: {}, max: 32, idle_timeout: 1 };
  const pool = postgres({ ...options, ...own } as never);
  pools.set(options, pool);
  return pool;
}
