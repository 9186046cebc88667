import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { startCluster } from "../../bench/cluster.ts";
import {
  addKey,
  callWithRetries,
  envelope,
  leaseMany,
  makeUser,
  type Reported,
  type ReportOptions,
  report,
  reportMany,
  retried,
} from "../../support/keys.ts";
import { pick } from "./mixed-agents.ts";
import { violatedInvariants } from "./races-checks.ts";
import { MIXED_SECONDS, progress } from "./settings.ts";

const REPORTERS = 40;
const OPERATORS = 4;
const KEYS = 3;

/** The start and the end of a call, in milliseconds of one clock. */
export interface Span {
  called: number;
  answered: number;
}

export interface Told extends Span {
  leaseId: string;
  keyId: string;
  /** The time when the call for the lease was answered. */
  leased: number;
  status: "success" | "failure";
  effect: Reported["effect"];
  state: Reported["state"];
}

/** An edit that raises the generation of its key. */
export interface Edit extends Span {
  keyId: string;
}

export interface Seen {
  told: Told[];
  edits: Edit[];
  /** The times in which a key was surely disabled: from the answer to the disabling edit to the call of the enabling edit. */
  off: { keyId: string; from: number; to: number }[];
  broken: string[];
}

const now = () => performance.now();

/**
 * Runs reporters and operators on three keys, so that reports run at the same time as other reports and edits of their key. Then it checks
 * the rules that must hold afterwards.
 */
export async function soakRaces(): Promise<string[]> {
  const cluster = await startCluster();
  try {
    const { sql } = cluster;
    const userId = await makeUser(sql);
    const keyIds: string[] = [];
    for (let i = 0; i < KEYS; i += 1) keyIds.push(await addKey(sql, userId));
    const seen: Seen = { told: [], edits: [], off: [], broken: [] };
    const end = now() + MIXED_SECONDS * 1_000;
    const connections = await cluster.callers(REPORTERS + OPERATORS);
    const ticking = setInterval(() => progress(`races: ${seen.told.length} reports answered`), 10_000);
    await Promise.all(
      connections.map(async (own, i) => {
        while (now() < end) {
          const work = i < REPORTERS ? reporter(own, userId, seen) : operator(own, pick(keyIds), seen);
          await work.catch(({ code, message }) => {
            // A deadlock between two operators is allowed. A reporter must never get one.
            if (i < REPORTERS || code !== "40P01") seen.broken.push(`told ${code} ${message}`);
          });
        }
      }),
    );
    clearInterval(ticking);
    const { broken, checks } = await violatedInvariants(sql, seen);
    const times = seen.told.map(({ called, answered }) => answered - called).sort((a, b) => a - b);
    const at = (part: number) => (times[Math.floor(times.length * part)] ?? 0).toFixed(1);
    console.log(
      `${seen.told.length} reports, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms; ${JSON.stringify(countEffects(seen))}; undone and repeated: ${retried.calls}; checks: ${JSON.stringify(checks)}`,
    );
    return [...seen.broken, ...broken];
  } finally {
    await cluster.stop();
  }
}

function countEffects({ told }: Seen): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { effect } of told) counts[effect] = (counts[effect] ?? 0) + 1;
  return counts;
}

/** Leases a few keys and reports on them, sometimes at the same time, and sometimes twice at the same time. */
async function reporter(sql: postgres.Sql, userId: string, seen: Seen): Promise<void> {
  const leases = await callWithRetries(() => leaseMany(sql, userId, pick([2, 3, 5])));
  if (!Array.isArray(leases)) return sleep(5);
  const leased = now();
  if (Math.random() < 0.5) await sleep(Math.random() * 100);
  const note = (lease: (typeof leases)[number], called: number, status: Told["status"], told: Reported) =>
    seen.told.push({
      leaseId: lease.lease_id,
      keyId: lease.key_id,
      leased,
      called,
      answered: now(),
      status,
      effect: told.effect,
      state: told.state,
    });
  const alone = async (lease: (typeof leases)[number], what: ReportOptions) => {
    const called = now();
    const told = await report(sql, userId, { leaseId: lease.lease_id, ...what });
    note(lease, called, what.code === undefined ? "success" : "failure", told);
  };
  if (Math.random() < 0.3) {
    const called = now();
    const answers = await callWithRetries(() =>
      reportMany(
        sql,
        userId,
        leases.map(({ lease_id }) => lease_id),
      ),
    );
    for (const [i, lease] of leases.entries()) {
      const answer = answers[i];
      if (answer !== undefined && "effect" in answer) note(lease, called, "success", answer);
      else await alone(lease, {});
    }
    return;
  }
  for (const lease of leases) {
    const what = pick<ReportOptions>([
      {},
      {},
      {},
      {},
      { code: 429 },
      { code: 429, retryAfter: 0.05 },
      { code: 500 },
      { code: 403 },
    ]);
    await Promise.all(Array.from({ length: Math.random() < 0.1 ? 2 : 1 }, () => alone(lease, what)));
  }
}

async function operator(sql: postgres.Sql, keyId: string, { edits, off }: Seen): Promise<void> {
  await sleep(Math.random() * 80);
  const called = now();
  const raises = (done: unknown) => {
    edits.push({ keyId, called, answered: now() });
    return done;
  };
  switch (pick(["reset", "reset", "reset", "replace", "replace", "switch", "switch", "delete", "hold"])) {
    case "reset":
      await sql`update api_key_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ${keyId}`;
      return;
    case "replace":
      raises(
        await sql`update user_api_keys set api_key_encrypted = ${envelope()} where id = ${keyId} returning 1`,
      );
      return;
    case "delete":
      raises(await sql`delete from api_key_health where user_api_key_id = ${keyId}`);
      return;
    case "switch": {
      // The lock lets only one operator at a time disable the key, because another operator might enable it meanwhile.
      await sql`select pg_advisory_lock(hashtext(${keyId}))`;
      try {
        await sql`update user_api_keys set is_active = false where id = ${keyId}`;
        const from = now();
        await sleep(Math.random() * 30);
        const to = now();
        const done = await sql`update user_api_keys set is_active = true where id = ${keyId} returning 1`;
        off.push({ keyId, from, to });
        edits.push({ keyId, called: to, answered: now() });
        if (done.length !== 1) throw new Error("the key has gone");
      } finally {
        await sql`select pg_advisory_unlock(hashtext(${keyId}))`;
      }
      return;
    }
    default:
      await sql.begin(async (tx) => {
        await tx`select from user_api_keys where id = ${keyId} for update`;
        await tx`select from api_key_health where user_api_key_id = ${keyId} for update`;
        await sleep(Math.random() * 100);
      });
  }
}
