import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";

/** The number of calls of this process that were retried so far. */
export const retried = { calls: 0 };

/**
 * Retries like the functions (retryable errors) and like an agent (unavailable, because a row stayed locked). It stops after some time: a
 * caller that never gets its turn fails.
 */
export async function callWithRetries<T>(call: (times: number) => Promise<T>, seconds = 60): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (let times = 0; ; times += 1) {
    try {
      return await call(times);
    } catch (error) {
      if (!/^(?:PT503|55P03)$/.test((error as { code?: string }).code ?? "") || Date.now() >= end)
        throw error;
      retried.calls += 1;
    }
    await sleep(Math.random() * Math.min(times, 20));
  }
}

/** Whether it is a transaction, in which a retry is impossible. */
export const isTransaction = (sql: postgres.Sql) => "savepoint" in sql;
