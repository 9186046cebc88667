import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";

/** How many calls of this process were retried so far. */
export const retried = { calls: 0 };

/**
 * Retries as the functions do (retryable errors) and as an agent does (unavailable, because a row stayed locked). Not for ever: a
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

/** Whether it is a transaction, in which nothing can be retried. */
export const isTransaction = (sql: postgres.Sql) => "savepoint" in sql;
