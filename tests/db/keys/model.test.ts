import fc from "fast-check";
import type postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type StoppedClock, stopClock } from "../../support/clock.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  addKey,
  envelope,
  type LeasedKey,
  leaseMany,
  makeUser,
  type NoKey,
  type Reported,
  report,
  reportAndLease,
  reportMany,
  tryLease,
} from "../../support/keys.ts";
import { type Outcome, Pool, type ReportResult } from "../../support/model/pool.ts";

let db: Clone;
let service: postgres.Sql;
let clock: StoppedClock;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 1);
  clock = await stopClock(db.sql);
});
afterAll(() => db.drop());

/** The possible reports: the `code` or `outcome` that is sent, its kind in the reference model, and the outcome that is stored. */
const CODES = [
  { code: undefined, kind: "success", name: "success" },
  { code: 429, kind: "rate", name: "rate_limited" },
  { code: 402, kind: "quota", name: "quota_exhausted" },
  { code: 403, kind: "dead", name: "invalid_key" },
  { code: 401, kind: "unauthorized", name: "invalid_key" },
  { code: 503, kind: "server", name: "server_error" },
  { code: 404, kind: "nothing", name: "caller_fault" },
  { outcome: "refused", kind: "refused", name: "refused" },
  { outcome: "intermediary", kind: "nothing", name: "intermediary" },
  // A report is picked at random. The one on a dead key is listed twice, so that often several keys die within a minute.
  { code: 403, kind: "dead", name: "invalid_key" },
] as const satisfies { code?: number | undefined; outcome?: string; kind: Outcome; name: string }[];

const index = fc.nat({ max: 999 });
const model = fc.constantFrom(null, null, "pro", "flash");
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("get" as const),
      provider: fc.constantFrom(null, null, "a", "b"),
      // Up to five calls at the same time, or one call for a model.
      want: fc.constantFrom(
        { calls: 1 },
        { calls: 1 },
        { calls: 2 },
        { calls: 5 },
        { model: "pro" },
        { model: "pro" },
        { model: "flash" },
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("avoid" as const),
      provider: fc.constantFrom(null, null, "a", "b"),
      model,
      keys: fc.array(index, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("go on" as const),
      provider: fc.constantFrom(null, null, "a"),
      model,
      keys: fc.array(index, { maxLength: 2 }),
      lease: index,
      code: fc.nat({ max: CODES.length - 1 }),
      hint: fc.constantFrom(null, null, 45, 90_000),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant("report" as const),
      lease: index,
      code: fc.nat({ max: CODES.length - 1 }),
      hint: fc.constantFrom(null, null, null, 5, 45, 400, 90_000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("succeed" as const),
      leases: fc.array(index, { minLength: 2, maxLength: 5 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      seconds: fc.constantFrom(3, 12, 33, 70, 350, 1000, 87_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("add" as const),
      priority: fc.nat({ max: 2 }),
      provider: fc.constantFrom(null, "a", "b"),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "reset" as const,
        "disable" as const,
        "enable" as const,
        "enable" as const,
        "replace" as const,
        "move" as const,
        "reset model" as const,
        "reset model" as const,
        // Raising the marks is not an edit: a lease does it now and then.
        "raise marks" as const,
        "raise marks" as const,
      ),
      key: index,
      priority: fc.nat({ max: 2 }),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function runBoth(steps: Step[]): Promise<void> {
  const userId = await makeUser(db.sql);
  const pool = new Pool();
  const at = <T>(items: T[], i: number) => items[i % items.length] as T;

  /** Lets time pass on both clocks. */
  async function pass(seconds: number) {
    await clock.pass(seconds);
    pool.now += seconds;
  }
  async function add(priority: number, provider: string | null) {
    const id = await addKey(db.sql, userId, { priority, provider });
    pool.add({ id, priority, provider });
  }
  for (const [priority, provider] of [
    [1, null],
    [1, "a"],
    [0, null],
  ] as const)
    await add(priority, provider);

  for (const what of steps) {
    // Without this pause, two steps could happen at the same moment. A step could also fall on the end of a block, as both take whole seconds.
    await pass(0.001);
    await act(what);
    await compare();
  }

  async function act(what: Step) {
    const leaseIds = [...pool.leases.keys()];
    switch (what.do) {
      case "get": {
        const { calls = 1, model = null }: { calls?: number; model?: string | null } = what.want;
        const options = optionsOf({ provider: what.provider, model, keys: [] });
        const answers =
          calls === 1
            ? [await tryLease(service, userId, options)]
            : [await leaseMany(service, userId, calls, options)].flat();
        if (answers[0]?.kind === "leased") expect(answers).toHaveLength(calls);
        for (const answer of answers) expectLeased(answer, what);
        return;
      }
      case "avoid": {
        const options = optionsOf(what);
        return expectLeased(await tryLease(service, userId, options), what, options.exclude);
      }
      case "go on": {
        if (leaseIds.length === 0) return;
        const told = toldOf(what, leaseIds);
        const options = optionsOf(what);
        const expected = pool.report(told.leaseId, told.kind, told.name, what.hint);
        const call = reportAndLease(service, userId, told.report, options);
        if (expected === null) {
          await expect(call).rejects.toMatchObject({ message: "already_reported" });
          return;
        }
        const { reported, lease } = await call;
        expectReported(reported, expected);
        return expectLeased(lease, what, options.exclude);
      }
      case "report": {
        if (leaseIds.length === 0) return;
        const told = toldOf(what, leaseIds);
        const expected = pool.report(told.leaseId, told.kind, told.name, what.hint);
        const call = report(service, userId, told.report);
        if (expected === null) {
          await expect(call).rejects.toMatchObject({ message: "already_reported" });
          return;
        }
        expectReported(await call, expected);
        return;
      }
      case "succeed": {
        if (leaseIds.length === 0) return;
        const chosen = what.leases.map((i) => at(leaseIds, i));
        // A lease with another outcome would make the whole batch fail.
        const accepted = chosen.filter(
          (id) => (pool.leases.get(id)?.reported?.outcome ?? "success") === "success",
        );
        const answers = await reportMany(service, userId, accepted);
        expect(answers).toHaveLength(accepted.length);
        for (const [i, leaseId] of accepted.entries()) {
          const expected = pool.report(leaseId, "success", "success", null);
          if (expected === null) throw new Error("it was reported with another outcome");
          const answer = answers[i] as Reported | { kind: "retry" };
          // A batch answers only reports that change nothing. Every other report is sent again alone.
          if ("kind" in answer) expectReported(await report(service, userId, { leaseId }), expected);
          else {
            expect(answer.effect).toBe("none");
            expectReported(answer, expected);
          }
        }
        return;
      }
      case "wait":
        return pass(what.seconds);
      case "add":
        return add(what.priority, what.provider);
      default:
        return operate(what.do, pool.keys[what.key % pool.keys.length]?.id ?? "", what.priority);
    }
  }

  function optionsOf(want: { provider: string | null; model: string | null; keys: number[] }) {
    const { provider, model, keys } = want;
    const exclude = keys.map((i) => at(pool.keys, i).id);
    return { exclude, ...(provider !== null && { provider }), ...(model !== null && { model }) };
  }

  function toldOf(
    { lease, code: i, hint }: { lease: number; code: number; hint: number | null },
    leaseIds: string[],
  ) {
    const leaseId = at(leaseIds, lease);
    const { kind, name, ...sent } = at([...CODES], i);
    const of = "outcome" in sent ? { outcome: sent.outcome } : sent.code ? { code: sent.code } : {};
    return { leaseId, kind, name, report: { leaseId, ...of, ...(hint && { retryAfter: `${hint}s` }) } };
  }

  function expectLeased(
    answer: LeasedKey | NoKey,
    want: { provider: string | null; model?: string | null; want?: { model?: string } },
    exclude: string[] = [],
  ) {
    const model = want.model ?? want.want?.model ?? null;
    const expected = pool.next(want.provider, exclude, model);
    if ("key" in expected) {
      expect(answer).toMatchObject({
        kind: "leased",
        key_id: expected.key.id,
        generation: expected.key.generation,
        model,
      });
      if (answer.kind === "leased") pool.lease(answer.lease_id, expected.key, model);
      return;
    }
    expect(answer).toMatchObject({
      kind: "none",
      cooling_down: expected.cooling,
      limited: expected.limited,
      disabled: expected.disabled,
    });
    if (answer.kind === "leased") return;
    if (expected.wait === null) expect(answer.retry_after).toBeNull();
    // The model adds floating-point seconds, the database counts microseconds. So near a whole second they may round to different seconds.
    else
      expect([-1e-5, 1e-5].map((by) => Math.max(1, Math.ceil(Number(expected.wait) + by)))).toContain(
        answer.retry_after,
      );
  }

  function expectReported(answer: Reported, expected: ReportResult) {
    expect(answer).toMatchObject({
      state: expected.state,
      effect: expected.effect,
      consecutive_failures: expected.failures,
    });
    expect(answer.hint).toBe(expected.hint);
    expect(answer.scope).toBe(expected.scope);
    expect(answer.blocked_until === null).toBe(expected.blockedUntil === null);
  }

  async function operate(
    edit: "reset" | "disable" | "enable" | "replace" | "move" | "reset model" | "raise marks",
    id: string,
    priority: number,
  ) {
    const key = pool.key(id);
    if (edit === "reset") {
      await db.sql`update api_key_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ${id}`;
      pool.reset(key);
    } else if (edit === "reset model") {
      await db.sql`update api_key_model_health set blocked_until = null, consecutive_failures = 0
        where user_api_key_id = ${id} and model = 'pro'`;
      pool.resetModel(key, "pro");
    } else if (edit === "raise marks") {
      await db.sql`select private.raise_model_mark(user_id, t.priority, 'pro') from private.api_key_tiers t where user_id = ${userId}`;
    } else if (edit === "replace") {
      await db.sql`update user_api_keys set api_key_encrypted = ${envelope()} where id = ${id}`;
      // If a report disabled the key, the new text enables it, because the report was about the old text.
      if (!key.active && key.killedAt !== null) pool.enable(key);
      else pool.renew(key);
    } else if (edit === "move") {
      await db.sql`update user_api_keys set priority = ${priority} where id = ${id}`;
      pool.move(key, priority);
    } else {
      await db.sql`update user_api_keys set is_active = ${edit === "enable"} where id = ${id}`;
      if (edit === "enable") pool.enable(key);
      else key.active = false;
    }
  }

  /** Compares the whole state, key by key and lease by lease. */
  async function compare() {
    const rows = await db.sql`
      select k.id, k.priority, k.is_active, k.usage_count::int as usage, k.generation, k.usage_count - k.skipped_count = (select count(*) from api_key_usage_log l where l.user_api_key_id = k.id and l.issued_at is not null) as books,
        k.limited_models,
        (select coalesce(jsonb_object_agg(m.model, jsonb_build_array(m.consecutive_failures, extract(epoch from m.blocked_until - private.stopped_now()))), '{}')
          from api_key_model_health m where m.user_api_key_id = k.id) as models, h.consecutive_failures as failures, s.state,
        extract(epoch from h.blocked_until - private.stopped_now())::float8 as seconds,
        (select count(*)::int from api_key_usage_log l where l.user_api_key_id = k.id and l.issued_at is not null) as leases,
        (select count(*)::int from api_key_usage_log l where l.user_api_key_id = k.id and l.reported_at is not null) as reports
      from user_api_keys k join api_key_health h on h.user_api_key_id = k.id join api_key_states s on s.user_api_key_id = k.id
      where k.user_id = ${userId}`;
    expect(rows).toHaveLength(pool.keys.length);
    for (const row of rows) {
      const key = pool.key(row.id);
      const leases = [...pool.leases.values()].filter(({ keyId }) => keyId === key.id);
      expect(row).toMatchObject({
        priority: key.priority,
        is_active: key.active,
        usage: key.usage,
        books: true,
        generation: key.generation,
        failures: key.failures,
        state: pool.state(key),
        leases: leases.length,
        reports: leases.filter(({ reported }) => reported !== null).length,
      });
      expect(new Set(row.limited_models ?? [])).toEqual(key.limited);
      for (const [name, { failures, blockedUntil }] of Object.entries(Object.fromEntries(key.models))) {
        const [n, seconds] = row.models[name] ?? [0, null];
        expect(n).toBe(failures);
        if (blockedUntil === null) expect(seconds).toBeNull();
        else expect(seconds).toBeCloseTo(blockedUntil - pool.now, 4);
      }
      if (key.blockedUntil === null) expect(row.seconds).toBeNull();
      else expect(row.seconds).toBeCloseTo(key.blockedUntil - pool.now, 4);
    }
  }
}

test("random interleavings of gets, reports, operator edits and time agree with the model after every step", async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60, size: "max" }), runBoth), {
    numRuns: Number(process.env.KEYHUB_MODEL_RUNS ?? 10),
    // Shrinking would take minutes, so the first failing case is printed with its seed.
    endOnFailure: true,
  });
});
