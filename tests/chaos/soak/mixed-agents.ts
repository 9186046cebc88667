import type postgres from "postgres";
import {
  callWithRetries,
  leaseMany,
  type ReportOptions,
  report,
  reportMany,
  tryLease,
} from "../../support/keys.ts";

/** The state that the callers of the mixed run share. */
export interface Callers {
  users: string[];
  /** The end of the run, in the time of performance.now(). */
  end: number;
  leases: { lease_id: string; key_id: string }[];
  /** The number of documented answers, by code. */
  told: Record<string, number>;
  /** All answers that are not documented, which fail the soak. */
  broken: string[];
}

/**
 * Matches the codes that a caller may get while operators delete keys and give them to other users. 55P03 is the timeout of a lock, for
 * example while a table is truncated; the functions answer it with 503 unavailable. Deadlocks are not allowed.
 */
const documented = /^(?:PT404 (?:key|lease)_not_found|PT409 already_reported|PT503 unavailable|55P03 .*)$/;

export const pick = <T>(list: T[]): T => list[Math.floor(Math.random() * list.length)] as T;

/** Leases keys and reports on them in random ways: sometimes twice, sometimes with only the key's id, sometimes never. */
export async function agent(sql: postgres.Sql, shared: Callers): Promise<void> {
  await sql`set role service_role`;
  const note = (what: string) => {
    shared.told[what] = (shared.told[what] ?? 0) + 1;
  };
  while (performance.now() < shared.end) {
    const userId = pick(shared.users);
    try {
      if (Math.random() < 0.3) {
        await fleet(sql, userId, shared, note);
        continue;
      }
      const taken = await tryLease(sql, userId);
      if (taken.kind !== "leased") {
        note("no key");
        await new Promise((resolve) => setTimeout(resolve, 20));
        continue;
      }
      shared.leases.push(taken);
      for (const each of reportsOn(taken.lease_id, taken.key_id))
        note((await report(sql, userId, each)).effect);
    } catch (error) {
      const { code, message, where } = error as { code?: string; message: string; where?: string };
      if (documented.test(`${code} ${message}`)) note(message);
      else shared.broken.push(`a caller was told ${code} ${message}, ${where?.split("\n").join(" · ")}`);
    }
  }
}

/**
 * Acts like several callers with one token: leases several keys in one call, and reports their successes in one call. A report whose answer
 * is `retry` is repeated alone.
 */
async function fleet(
  sql: postgres.Sql,
  userId: string,
  shared: Callers,
  note: (what: string) => void,
): Promise<void> {
  const taken = await callWithRetries(() => leaseMany(sql, userId, pick([2, 3, 5, 8])));
  if (!Array.isArray(taken)) return note("no key for several");
  shared.leases.push(...taken);
  const leaseIds = taken.map(({ lease_id }) => lease_id);
  for (const [i, answer] of (await callWithRetries(() => reportMany(sql, userId, leaseIds))).entries()) {
    if ("kind" in answer) note((await report(sql, userId, { leaseId: leaseIds[i] })).effect);
    else note(`together: ${answer.effect}`);
  }
}

function reportsOn(leaseId: string, keyId: string): ReportOptions[] {
  const outcome = pick<ReportOptions>([
    {},
    {},
    {},
    { code: 429, retryAfter: 0.2 },
    { code: 429 },
    { code: 500 },
    { code: 401 },
    { code: 403 },
    { code: 402, retryAfter: 0.5 },
  ]);
  return pick<ReportOptions[]>([
    [{ leaseId, ...outcome }],
    [{ leaseId, ...outcome }],
    [
      { leaseId, ...outcome },
      { leaseId, ...outcome },
    ],
    [
      { leaseId, ...outcome },
      { leaseId, code: 400 },
    ],
    [{ keyId, ...outcome }],
    [],
  ]);
}
