import type postgres from "postgres";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, lease, makeUser, passTime, report } from "../../support/keys.ts";

const DAY = 86_400;

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 4);
});
afterAll(() => db.drop());
afterEach(async () => {
  await db.sql`delete from user_api_keys`;
  await db.sql`delete from api_key_deleted`;
  await db.sql`vacuum (truncate) api_key_usage_log`;
});

async function prune(options: { keep?: string; batch?: number; pages?: number } = {}, sql = db.sql) {
  const { keep = "30 days", batch = 10_000, pages = null } = options;
  const [row] = await sql`
    select prune_api_key_usage_log(keep => ${keep}::interval, batch => ${batch}, pages => ${pages}) as pruned`;
  return row?.pruned as number;
}

/** Makes a key with `rows` finished leases that are `days` days old. A long `code` fills the pages of the log with few rows. */
async function keyWithLog(
  rows: number,
  days: number,
  code: string | null = null,
): Promise<{ userId: string; keyId: string }> {
  const userId = await makeUser(db.sql);
  const keyId = await addKey(db.sql, userId);
  await db.sql`
    insert into api_key_usage_log (user_api_key_id, user_id, key_generation, issued_at, reported_at, outcome, effect, error_code)
    select ${keyId}, ${userId}, 1, at, at, 'success', 'none', ${code}
    from generate_series(1, ${rows}), lateral (select now() - make_interval(days => ${days}) as at) t`;
  return { userId, keyId };
}

const idsOf = async (keyId: string) =>
  (await db.sql<{ id: string }[]>`select id from api_key_usage_log where user_api_key_id = ${keyId}`).map(
    ({ id }) => id,
  );

test("rows older than keep go, younger ones stay; by the report as well as by the lease", async () => {
  const { userId, keyId } = await keyWithLog(5, 31);
  await keyWithLog(5, 29);
  const [mixed] = await db.sql`
    insert into api_key_usage_log (user_api_key_id, user_id, key_generation, issued_at, reported_at, outcome, effect)
    values (${keyId}, ${userId}, 1, now() - interval '31 days', now(), 'success', 'none') returning id`;
  await db.sql`
    insert into api_key_usage_log (user_api_key_id, user_id, key_generation, reported_at, outcome, effect)
    values (${keyId}, ${userId}, 1, now() - interval '31 days', 'success', 'none')`;
  expect(await prune()).toBe(6);
  expect(await idsOf(keyId)).toEqual([mixed?.id]);
  expect(await prune({ keep: "28 days" })).toBe(5);
  expect(await prune({ keep: "1 day" })).toBe(0);
});

test("what explains a live block or a disabled key stays, and goes when it no longer does", async () => {
  const userId = await makeUser(db.sql);
  const explained: string[] = [];
  for (const code of [429, 403]) {
    const keyId = await addKey(db.sql, userId);
    await report(service, userId, { leaseId: (await lease(service, userId)).lease_id });
    const { lease_id: leaseId } = await lease(service, userId);
    await report(service, userId, { leaseId, code, retryAfter: DAY });
    await passTime(db.sql, keyId, 40 * DAY);
    if (code === 429) {
      // Block the key again, as if the old block lasted for 40 days. Its log row explains the block, so pruning must keep that row.
      await db.sql.begin(async (tx) => {
        await tx`set local session_replication_role = replica`;
        await tx`update api_key_health set blocked_until = now() + interval '1 hour' where user_api_key_id = ${keyId}`;
        await tx`update user_api_keys set cooling_until = now() + interval '1 hour' where id = ${keyId}`;
      });
    }
    explained.push(leaseId);
  }
  expect(await prune()).toBe(2);
  const left = await db.sql<{ id: string }[]>`select id from api_key_usage_log`;
  expect(left.map(({ id }) => id).sort()).toEqual(explained.sort());

  // End the block and enable the other key, so that their log rows can be pruned.
  await db.sql`update api_key_health set blocked_until = null, consecutive_failures = 0`;
  await db.sql`update user_api_keys set is_active = true`;
  expect(await prune()).toBe(2);
});

test("a block that is over explains nothing any more", async () => {
  const userId = await makeUser(db.sql);
  const keyId = await addKey(db.sql, userId);
  await report(service, userId, { leaseId: (await lease(service, userId)).lease_id, code: 429 });
  await passTime(db.sql, keyId, 40 * DAY);
  expect(await prune()).toBe(1);
});

test("a call deletes at most a batch; the next one goes on until none is left", async () => {
  await keyWithLog(25, 31);
  expect([
    await prune({ batch: 10 }),
    await prune({ batch: 10 }),
    await prune({ batch: 10 }),
    await prune(),
  ]).toEqual([10, 10, 5, 0]);
});

test("a call looks at so many pages; the next ones go on, and round again from the start", async () => {
  await keyWithLog(1_500, 31, "x".repeat(1_500));
  const [row] = await db.sql`select pg_relation_size('api_key_usage_log') / 8192 as pages`;
  expect(Number(row?.pages)).toBeGreaterThan(256);
  const calls = Math.ceil(Number(row?.pages) / 128);
  let pruned = 0;
  for (let i = 0; i < calls; i += 1) {
    const found = await prune({ pages: 128, batch: 1_000_000 });
    expect(found).toBeLessThan(750);
    pruned += found;
  }
  expect(pruned).toBe(1_500);
  await keyWithLog(10, 31);
  // Starting from any page, one round through the log finds the ten old rows.
  expect(await prune()).toBe(10);
});

test("a log that has shrunk under the remembered page, and a page that was forgotten", async () => {
  await keyWithLog(10, 31);
  await db.sql`update private.api_key_log_pruning set next_page = 1000000`;
  expect(await prune()).toBe(10);
  await db.sql`delete from private.api_key_log_pruning`;
  await keyWithLog(10, 31);
  expect(await prune()).toBe(10);
  await db.sql`insert into private.api_key_log_pruning default values`;
});

test("two pruners at once take turns: what the first gives back, the second prunes", async () => {
  await keyWithLog(100, 31);
  expect(await Promise.all([prune({ batch: 60 }), prune({ batch: 60 })]).then((n) => n.sort())).toEqual([
    40, 60,
  ]);
  await keyWithLog(100, 31);
  let second: Promise<number> | undefined;
  const first = db.sql.begin(async (tx) => {
    expect(await prune({}, tx as unknown as postgres.Sql)).toBe(100);
    second = prune();
    await tx`select pg_sleep(0.2)`;
    throw new Error("given back");
  });
  await expect(first).rejects.toThrow("given back");
  expect(await second).toBe(100);
});

test("a row that is being reported is not waited for, and stays when it comes to explain a block", async () => {
  const { userId, keyId } = await keyWithLog(5, 31);
  const { lease_id: leaseId } = await lease(service, userId);
  await passTime(db.sql, keyId, 31 * DAY);
  await db.sql.begin(async (tx) => {
    await report(tx as unknown as postgres.Sql, userId, { leaseId, code: 403 });
    await db.sql.begin(async (pruner) => {
      await pruner`set local lock_timeout = '1s'`;
      expect(await prune({}, pruner as unknown as postgres.Sql)).toBe(5);
    });
  });
  expect(await prune()).toBe(0);
  expect(await idsOf(keyId)).toEqual([leaseId]);
});

test("callers do not wait for a pruner", async () => {
  const { userId } = await keyWithLog(100, 31);
  await db.sql.begin(async (tx) => {
    expect(await prune({}, tx as unknown as postgres.Sql)).toBe(100);
    await service.begin(async (caller) => {
      await caller`set local lock_timeout = '1s'`;
      const sql = caller as unknown as postgres.Sql;
      const { lease_id: leaseId } = await lease(sql, userId);
      expect(await report(sql, userId, { leaseId })).toMatchObject({ effect: "none" });
    });
  });
});

test.each([[{ keep: "23 hours" }], [{ keep: "-1 day" }], [{ batch: 0 }], [{ batch: -5 }], [{ pages: 0 }]])(
  "%j is refused, and nothing is deleted",
  async (options) => {
    const { keyId } = await keyWithLog(1, 400);
    await expect(prune(options)).rejects.toMatchObject({ code: "PT422" });
    expect(await idsOf(keyId)).toHaveLength(1);
  },
);

test("clients cannot prune", async () => {
  for (const role of ["anon", "authenticated", "service_role"] as const) {
    await expect(db.as(role, 1)`select prune_api_key_usage_log()`).rejects.toMatchObject({ code: "42501" });
  }
});
