import postgres from "postgres";
import { authGrantsSql, bootstrapSql } from "./bootstrap.ts";
import { openLite } from "./lite.ts";

/** A short-lived superuser connection for work that is no request. Notices are of no use to anybody here. */
export async function withDatabase<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: "keyhub" } });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

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
