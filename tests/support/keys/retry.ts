import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";

/** The number of calls of this process that were retried so far. */
export const retried = { calls: 0 };

/**
 * Retries a retryable error like the functions, and the answer "unavailable" (a row stayed locked) like an agent. After `seconds`, it
 * throws the error, so a test fails if a caller never gets a lock.
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

/** Returns whether `sql` is a transaction. A retry in the same transaction is impossible. */
export const isTransaction = (sql: postgres.Sql) => "savepoint" in sql;
