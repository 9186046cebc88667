import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  addKey,
  envelope,
  health,
  lease,
  makeUser,
  type NoKey,
  type ReportOptions,
  report,
  secondsLeft,
  tryLease,
} from "../../support/keys.ts";

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

async function keyWithLeases() {
  const service = db.as("service_role");
  const userId = await makeUser(db.sql);
  const keyId = await addKey(db.sql, userId);
  const leases = [
    await lease(service, userId),
    await lease(service, userId),
    await lease(service, userId),
  ].map(({ lease_id }) => lease_id);
  const sendReport = (what: ReportOptions) => report(service, userId, what);
  return { service, userId, keyId, leases, sendReport, now: () => health(db.sql, keyId) };
}

const reset = (keyId: string) => db.sql`
  update api_key_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ${keyId}`;

describe("the documented statements", () => {
  test("add a key: the four documented columns are enough", async () => {
    const userId = await makeUser(db.sql);
    const [row] = await db.sql`
      insert into user_api_keys (user_id, key_name, api_key_encrypted, priority)
      values (${userId}, 'Main key', ${envelope()}, 10) returning *`;
    expect(row).toMatchObject({ is_active: true, usage_count: "0", generation: 1, provider: null });
    expect(await health(db.sql, row?.id)).toMatchObject({
      state: "available",
      consecutive_failures: 0,
      blocked_until: null,
    });
  });

  test("reset a blocked key: it is leased again and late reports are stale", async () => {
    const { keyId, leases, sendReport, now, service, userId } = await keyWithLeases();
    await sendReport({ leaseId: leases[0], code: 429 });
    expect(await tryLease(service, userId)).toMatchObject({ kind: "none" });
    await reset(keyId);
    expect(await now()).toMatchObject({
      state: "available",
      consecutive_failures: 0,
      generation: 2,
      reason: null,
    });
    expect(await sendReport({ leaseId: leases[1], code: 429 })).toMatchObject({
      effect: "stale",
      state: "available",
      consecutive_failures: 0,
    });
    expect(await sendReport({ leaseId: leases[2], code: 403 })).toMatchObject({
      effect: "stale",
      state: "available",
    });
    const next = await lease(service, userId);
    expect(next.generation).toBe(2);
    expect(await sendReport({ leaseId: next.lease_id, code: 429 })).toMatchObject({
      effect: "cooled",
      consecutive_failures: 1,
    });
  });
});

describe("operators win over late reports", () => {
  test("ciphertext replaced: health is clean, generation rises, old leases are stale", async () => {
    const { keyId, leases, sendReport, now } = await keyWithLeases();
    await sendReport({ leaseId: leases[0], code: 429 });
    await db.sql`update user_api_keys set api_key_encrypted = ${envelope()} where id = ${keyId}`;
    expect(await now()).toMatchObject({
      state: "available",
      consecutive_failures: 0,
      blocked_until: null,
      generation: 2,
    });
    for (const [leaseId, code] of [
      [leases[1], 403],
      [leases[2], 429],
    ] as const) {
      expect(await sendReport({ leaseId, code })).toMatchObject({ effect: "stale", state: "available" });
    }
    expect(await now()).toMatchObject({ is_active: true, consecutive_failures: 0, last_effect: "stale" });
  });

  test("a new text enables a key that a report disabled, and none that an operator disabled", async () => {
    const { keyId, leases, sendReport, now, service, userId } = await keyWithLeases();
    await sendReport({ leaseId: leases[0], code: 403 });
    expect(await now()).toMatchObject({ state: "disabled", reason: "invalid_key" });
    const replace = () =>
      db.sql`update user_api_keys set api_key_encrypted = ${envelope()} where id = ${keyId}`;
    await replace();
    expect(await now()).toMatchObject({ state: "available", is_active: true, generation: 2 });
    expect(await lease(service, userId)).toMatchObject({ key_id: keyId });
    await db.sql`update user_api_keys set is_active = false where id = ${keyId}`;
    await replace();
    expect(await now()).toMatchObject({ state: "disabled", is_active: false });
  });

  test("a text that is only sealed anew enables nothing", async () => {
    const { keyId, leases, sendReport, now } = await keyWithLeases();
    await sendReport({ leaseId: leases[0], code: 403 });
    await db.sql.begin(async (tx) => {
      await tx`select set_config('keyhub.resealing', 'on', true)`;
      await tx`update user_api_keys set api_key_encrypted = ${envelope()} where id = ${keyId}`;
    });
    expect(await now()).toMatchObject({ state: "disabled", reason: "invalid_key" });
  });

  test("a key disabled by 403 and re-enabled: clean health, old leases are stale", async () => {
    const { keyId, leases, sendReport, now } = await keyWithLeases();
    await sendReport({ leaseId: leases[0], code: 429 });
    await sendReport({ leaseId: leases[1], code: 403 });
    expect(await now()).toMatchObject({ state: "disabled", reason: "invalid_key" });
    await db.sql`update user_api_keys set is_active = true where id = ${keyId}`;
    expect(await now()).toMatchObject({
      state: "available",
      consecutive_failures: 0,
      generation: 2,
      reason: null,
    });
    expect(await sendReport({ leaseId: leases[2], code: 403 })).toMatchObject({
      effect: "stale",
      state: "available",
    });
  });

  test("a key disabled by hand stays so and says so, whatever is reported", async () => {
    const { keyId, leases, sendReport, now, service, userId } = await keyWithLeases();
    await db.sql`update user_api_keys set is_active = false where id = ${keyId}`;
    const before = await now();
    expect(before).toMatchObject({ state: "disabled", reason: "disabled_by_operator" });
    expect(await sendReport({ leaseId: leases[0] })).toMatchObject({ effect: "none", state: "disabled" });
    expect(await sendReport({ leaseId: leases[1], code: 429 })).toMatchObject({
      effect: "ignored",
      state: "disabled",
      consecutive_failures: 0,
    });
    expect(await sendReport({ leaseId: leases[2], code: 403 })).toMatchObject({
      effect: "ignored",
      state: "disabled",
    });
    expect(await now()).toMatchObject({
      blocked_until: null,
      consecutive_failures: 0,
      reason: "disabled_by_operator",
      generation: 1,
    });
    expect(await tryLease(service, userId)).toEqual({
      kind: "none",
      cooling_down: 0,
      limited: 0,
      disabled: 1,
      retry_after: null,
      other_providers: null,
    });
  });

  test("a success on a lease from before a block set by hand neither ends it nor resets n", async () => {
    const { keyId, leases, sendReport, now } = await keyWithLeases();
    await db.sql`
      update api_key_health set blocked_until = now() + interval '1 hour', consecutive_failures = 3
      where user_api_key_id = ${keyId}`;
    expect(await sendReport({ leaseId: leases[0] })).toMatchObject({
      effect: "stale",
      state: "cooling_down",
    });
    expect(await now()).toMatchObject({ consecutive_failures: 3, state: "cooling_down" });
  });

  test("a block set by hand cools the key and names the operator", async () => {
    const { keyId, now, service, userId } = await keyWithLeases();
    await db.sql`update api_key_health set blocked_until = now() + interval '90 s' where user_api_key_id = ${keyId}`;
    expect(await now()).toMatchObject({ state: "cooling_down", reason: "blocked_by_operator" });
    const { retry_after, ...rest } = (await tryLease(service, userId)) as NoKey;
    expect(rest).toMatchObject({ kind: "none", cooling_down: 1 });
    expect(retry_after).toBeLessThanOrEqual(90);
    expect(retry_after).toBeGreaterThanOrEqual(await secondsLeft(db.sql, keyId));
  });
});

describe("clean health is clean", () => {
  test.each([
    ["the reset", (id: string) => reset(id)],
    [
      "replacing",
      (id: string) => db.sql`update user_api_keys set api_key_encrypted = ${envelope()} where id = ${id}`,
    ],
    [
      "disabling and enabling",
      async (id: string) => {
        await db.sql`update user_api_keys set is_active = false where id = ${id}`;
        await db.sql`update user_api_keys set is_active = true where id = ${id}`;
      },
    ],
  ])("%s forgets tolerated server errors", async (_, edit) => {
    const { keyId, leases, sendReport, service, userId } = await keyWithLeases();
    for (const leaseId of leases.slice(0, 2)) await sendReport({ leaseId, code: 500 });
    await edit(keyId);
    const { lease_id: leaseId } = await lease(service, userId);
    expect(await sendReport({ leaseId, code: 500 })).toMatchObject({ effect: "ignored", state: "available" });
  });

  test("a reset of the count alone makes late reports stale too; setting a count does not", async () => {
    const { keyId, leases, sendReport, now } = await keyWithLeases();
    await db.sql`update api_key_health set consecutive_failures = 4 where user_api_key_id = ${keyId}`;
    expect(await now()).toMatchObject({ generation: 1 });
    await reset(keyId);
    expect(await sendReport({ leaseId: leases[0], code: 403 })).toMatchObject({
      effect: "stale",
      state: "available",
    });
  });

  test("a success that brings n to 0 is no reset: other leases stay good", async () => {
    const { keyId, leases, sendReport, now } = await keyWithLeases();
    await db.sql`update api_key_health set consecutive_failures = 4 where user_api_key_id = ${keyId}`;
    expect(await sendReport({ leaseId: leases[0] })).toMatchObject({ effect: "recovered" });
    expect(await now()).toMatchObject({ generation: 1 });
    expect(await sendReport({ leaseId: leases[1], code: 403 })).toMatchObject({ effect: "disabled" });
  });
});
