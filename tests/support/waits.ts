import type postgres from "postgres";
import { retried } from "./keys.ts";
import { until } from "./until.ts";

/** Waits until a call of the key service waits for a lock, or was rolled back and is retried. With it, a test needs no fixed delay. */
export async function someoneWaits(sql: postgres.Sql): Promise<void> {
  const before = retried.calls;
  await until(async () => {
    if (retried.calls > before) return true;
    const rows = await sql`
      select from pg_stat_activity
      where datname = current_database() and query ~ '(lease|report)_api_key' and query !~ 'pg_stat_activity'
        and wait_event_type = 'Lock'`;
    return rows.length > 0;
  });
}

/** Runs `first` in a transaction, starts `second`, which must wait for this transaction, runs `last`, and commits. */
export async function during<T>(
  sql: postgres.Sql,
  first: (tx: postgres.TransactionSql) => Promise<unknown>,
  second: () => Promise<T>,
  last: (tx: postgres.TransactionSql) => Promise<unknown> = async () => {},
): Promise<T> {
  let answer: Promise<T> | undefined;
  await sql.begin(async (tx) => {
    await first(tx);
    answer = second();
    // The caller awaits the answer later. Until then a rejection of the answer must not count as unhandled.
    answer.catch(() => {});
    await someoneWaits(sql);
    await last(tx);
  });
  return answer as Promise<T>;
}
