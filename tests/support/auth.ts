import postgres from "postgres";

const pools = new WeakMap<object, postgres.Sql>();

/**
 * Returns a pool for the same database with the rights of auth: the role supabase_auth_admin, which is not a superuser, and which makes,
 * changes and deletes users. Its connections close themselves when idle.
 */
export function asAuth({ options }: postgres.Sql): postgres.Sql {
  const known = pools.get(options);
  if (known !== undefined) return known;
  const own = { user: "supabase_auth_admin", connection: {}, max: 32, idle_timeout: 1 };
  const pool = postgres({ ...options, ...own } as never);
  pools.set(options, pool);
  return pool;
}
