import type postgres from "postgres";
import { addPool, callWithRetries, keysOf, median, pick, startCluster } from "./cluster.ts";

const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const SHARED = 8;
const LARGEST = 100;
const ROUNDS = 51;
/** In milliseconds: the longest p99 of a call, and the longest median time of a report that blocks a whole account. */
const P99_TARGET = 1_000;
const BLOCK_TARGET = 30;

interface Caller {
  name: string;
  count: number;
  call: (sql: postgres.Sql) => Promise<unknown>;
}

/**
 * Measures keys of one account, because one report may lock the rows of all of them. First 16 callers report limits of the account and of a
 * model, while 8 callers lease and 2 operators edit. Then it measures single reports that block a whole account.
 */
export async function benchAccounts(): Promise<void> {
  const cluster = await startCluster();
  try {
    const { sql } = cluster;
    const userId = await addAccount(sql, SHARED);
    const keys = await keysOf(sql, userId);
    await sql`vacuum analyze`;
    const groups: Caller[] = [
      { name: "report", count: 16, call: (by) => reportLimit(by, userId, pick(keys)) },
      { name: "lease", count: 8, call: (by) => takeLease(by, userId) },
      { name: "edit", count: 2, call: (by) => edit(by, pick(keys)) },
    ];
    const end = performance.now() + SECONDS * 1000;
    console.table(
      await Promise.all(
        groups.map(async ({ name, count, call }) => ({
          caller: name,
          count,
          ...summary(await timed(await cluster.callers(count), end, call)),
        })),
      ),
    );
    console.log(
      `${SHARED} keys of one account, ${SECONDS} s; a failed call is any that its caller gets an error for. Target: none, p99 at most ${P99_TARGET} ms.`,
    );
    console.table(await blocks(sql));
    console.log(
      `Medians of ${ROUNDS} reports, in turns; target at most ${BLOCK_TARGET} ms for ${LARGEST} keys.`,
    );
  } finally {
    await cluster.stop();
  }
}

/** Adds a user whose keys all belong to one account. */
async function addAccount(sql: postgres.Sql, size: number): Promise<string> {
  const userId = await addPool(sql, size);
  await sql`update public.user_api_keys set provider = 'openai', account = 'acme' where user_id = ${userId}`;
  return userId;
}

/** Adds a lease of this key, even if the key is blocked, so that each report is about a chosen key. */
async function leaseOf(sql: postgres.Sql, userId: string, keyId: string, model: string | null) {
  const [row] = await sql<{ id: string }[]>`
    insert into public.api_key_usage_log (user_api_key_id, user_id, key_generation, issued_at, model)
    select id, user_id, generation, clock_timestamp(), ${model} from public.user_api_keys where id = ${keyId} and user_id = ${userId}
    returning id`;
  return row?.id ?? "";
}

/** The cooldowns are one second, so that each outage ends soon and the next report blocks the account again. */
const LIMIT = {
  outcome: "rate_limited",
  rule: "escalate",
  error_code: "429",
  base_seconds: 1,
  cap_seconds: 1,
  reset_after_seconds: 1,
};

async function reportLimit(sql: postgres.Sql, userId: string, keyId: string): Promise<void> {
  const leaseId = await leaseOf(sql, userId, keyId, pick([null, "flash", "pro"]));
  await report(sql, userId, leaseId, Math.random() < 0.2 ? { outcome: "success", rule: "success" } : LIMIT);
}

const report = (sql: postgres.Sql, userId: string, leaseId: string, what: Record<string, string | number>) =>
  callWithRetries(
    () =>
      sql`select public.report_api_key(user_id => ${userId}, lease_id => ${leaseId}, report => ${sql.json(what)})`,
  );

const takeLease = (sql: postgres.Sql, userId: string) =>
  callWithRetries(
    (attempt) => sql<{ lease: { kind: string } }[]>`
      select public.lease_api_key(user_id => ${userId}, live_kids => '{bench}', attempt => ${attempt}, model => ${pick([null, "flash", "pro"])}) as lease`,
    ([answer]) => answer?.lease.kind !== "retry",
  );

/** Edits one row in one statement, as an operator does in the dashboard. */
const edit = (sql: postgres.Sql, keyId: string) =>
  pick([
    () => sql`update public.user_api_keys set priority = ${pick([0, 1])} where id = ${keyId}`,
    () => sql`update public.user_api_keys set is_active = not is_active where id = ${keyId}`,
    () => sql`update public.user_api_keys set account = ${pick(["acme", "acme", null])} where id = ${keyId}`,
  ])();

async function timed(callers: postgres.Sql[], end: number, call: Caller["call"]) {
  const times: number[] = [];
  const failed = new Map<string, number>();
  await Promise.all(
    callers.map(async (sql) => {
      while (performance.now() < end) {
        const started = performance.now();
        try {
          await call(sql);
        } catch (error) {
          const { code = "no code", message } = error as { code?: string; message: string };
          const name = `${code} ${message}`;
          failed.set(name, (failed.get(name) ?? 0) + 1);
        }
        times.push(performance.now() - started);
      }
    }),
  );
  return { times: times.sort((a, b) => a - b), failed };
}

function summary({ times, failed }: Awaited<ReturnType<typeof timed>>) {
  const p99 = times[Math.floor(times.length * 0.99)] ?? Number.NaN;
  return {
    calls: times.length,
    failed: [...failed].map(([what, count]) => `${count} × ${what}`).join("; ") || "none",
    "p50 ms": median(times).toFixed(1),
    "p99 ms": p99.toFixed(1),
    "max ms": (times.at(-1) ?? Number.NaN).toFixed(1),
    met: failed.size === 0 && p99 <= P99_TARGET,
  };
}

/** Measures one blocking report for accounts with different numbers of keys. Each round blocks the accounts again. */
async function blocks(sql: postgres.Sql) {
  const accounts = [];
  for (const size of [1, SHARED, LARGEST]) {
    const userId = await addAccount(sql, size);
    accounts.push({ size, userId, keys: await keysOf(sql, userId), times: [] as number[] });
  }
  await sql`vacuum analyze`;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { userId, keys, times } of accounts) {
      const leaseId = await leaseOf(sql, userId, pick(keys), null);
      const started = performance.now();
      await report(sql, userId, leaseId, { ...LIMIT, base_seconds: 3_600, cap_seconds: 3_600 });
      times.push(performance.now() - started);
      const [blocked] = await sql<{ count: number }[]>`
        select count(*)::int from public.api_key_states where user_id = ${userId} and state = 'cooling_down'`;
      if (blocked?.count !== keys.length)
        throw new Error(`${blocked?.count} of ${keys.length} keys are blocked`);
      await sql`update public.api_key_health set blocked_until = null where user_api_key_id = any(${keys})`;
    }
  }
  return accounts.map(({ size, times }) => ({
    keys: size,
    "p50 ms": median(times).toFixed(1),
    "max ms": Math.max(...times).toFixed(1),
    met: median(times) <= BLOCK_TARGET,
  }));
}
