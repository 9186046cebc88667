import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { addKey, health, lease, makeUser, passTime, type ReportOptions, report } from "./keys.ts";

/** Makes a pool of one key. Returns the calls by which a test uses the key and reads its state. */
export async function makeOneKey(sql: postgres.Sql, service: postgres.Sql) {
  const userId = await makeUser(sql);
  const keyId = await addKey(sql, userId);
  return {
    service,
    userId,
    keyId,
    take: async () => (await lease(service, userId)).lease_id,
    sendReport: (what: ReportOptions) => report(service, userId, what),
    /** Reports; returns the answer, or the refusal's message. */
    ask: (what: ReportOptions) => report(service, userId, what).catch((error: Error) => error.message),
    now: () => health(sql, keyId),
    pass: (seconds: number) => passTime(sql, keyId, seconds),
    log: async (leaseId: string) =>
      (await sql`select * from api_key_usage_log where id = ${leaseId}`)[0] ?? null,
  };
}

/**
 * Runs `round` `count` times, for races of two sides. Each side calls `pause` with its number, 0 or 1. `pause` delays side 0 in the first,
 * third … round, and side 1 in the other rounds, by up to 4 ms.
 */
export async function rounds(count: number, round: (pause: (mine: 0 | 1) => Promise<void>) => Promise<void>) {
  for (let i = 0; i < count; i += 1) {
    const late = i % 2;
    await round(async (mine) => {
      if (mine === late) await sleep(Math.random() * 4);
    });
  }
}
