import postgres from "postgres";

/** Opens a short-lived connection for setup and tools. Notices are ignored. */
export async function withDatabase<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: "keyhub" } });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
