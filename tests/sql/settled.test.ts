import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../support/database.ts";
import {
  addKey,
  envelope,
  falselySettled,
  insist,
  leaseMany,
  makeUser,
  reportMany,
  tryLease,
} from "../support/keys.ts";
import { makeOneKey } from "../support/one-key.ts";

/* What a health row remembers of its key, so that a report need not read it: always true, whoever edits what. */

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role");
});
afterAll(() => db.drop());

const oneKey = () => makeOneKey(db.sql, service);
type OneKey = Awaited<ReturnType<typeof makeOneKey>>;

const settled = async (keyId: string): Promise<number | null> =>
  (await db.sql`select settled_generation from api_key_health where user_api_key_id = ${keyId}`)[0]
    ?.settled_generation;

const setActive = (keyId: string, on: boolean) =>
  db.sql`update user_api_keys set is_active = ${on} where id = ${keyId}`;

interface Edit {
  edit: (key: OneKey) => Promise<unknown>;
  /** What it remembers then. */
  left: number | null;
  /** What a success on a lease from before is told, and what is remembered after it. */
  told: { state: string; effect: string } | string;
  after: number | null;
}

const FINE = { state: "available", effect: "none" };
const STALE = { state: "available", effect: "stale" };
const OFF = { state: "disabled", effect: "none" };

const EDITS: Record<string, Edit> = {
  "nothing but a report": {
    edit: ({ take, tell }) => take().then((leaseId) => tell({ leaseId })),
    left: 1,
    told: FINE,
    after: 1,
  },
  renaming: {
    edit: ({ keyId }) =>
      db.sql`update user_api_keys set key_name = 'other', priority = 3, provider = 'x' where id = ${keyId}`,
    left: 1,
    told: FINE,
    after: 1,
  },
  "sealing it to a newer pair": {
    edit: async ({ keyId }) => {
      const [row] = await db.sql`select api_key_encrypted from user_api_keys where id = ${keyId}`;
      await db.sql`select reseal_api_key(${keyId}, ${row?.api_key_encrypted}, ${envelope("newer")})`;
    },
    left: 1,
    told: FINE,
    after: 1,
  },
  disabling: { edit: ({ keyId }) => setActive(keyId, false), left: null, told: OFF, after: null },
  "disabling and enabling": {
    edit: ({ keyId }) => setActive(keyId, false).then(() => setActive(keyId, true)),
    left: null,
    told: STALE,
    after: 2,
  },
  "replacing the text": {
    edit: ({ keyId }) =>
      db.sql`update user_api_keys set api_key_encrypted = ${envelope()} where id = ${keyId}`,
    left: null,
    told: STALE,
    after: 2,
  },
  "replacing the text and disabling": {
    edit: ({ keyId }) =>
      db.sql`update user_api_keys set api_key_encrypted = ${envelope()}, is_active = false where id = ${keyId}`,
    left: null,
    told: { state: "disabled", effect: "stale" },
    after: null,
  },
  "giving it away": {
    edit: async ({ keyId }) => {
      const owner = await makeUser(db.sql);
      await db.sql`update user_api_keys set user_id = ${owner} where id = ${keyId}`;
    },
    left: null,
    told: "lease_not_found",
    after: null,
  },
  "flagging by hand": {
    edit: ({ keyId }) => db.sql`update user_api_keys set unusable_reason = 'gone' where id = ${keyId}`,
    left: null,
    told: OFF,
    after: null,
  },
  "a void": {
    edit: async ({ userId, take }) => tryLease(service, userId, { releaseLease: await take() }),
    left: null,
    told: OFF,
    after: null,
  },
  "the documented reset": {
    edit: async ({ keyId, take, tell }) => {
      await tell({ leaseId: await take(), code: 429 });
      expect(await settled(keyId)).toBe(1);
      await db.sql`update api_key_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ${keyId}`;
    },
    left: null,
    told: STALE,
    after: 2,
  },
  "a block by hand": {
    edit: ({ keyId }) =>
      db.sql`update api_key_health set blocked_until = now() + interval '1 h' where user_api_key_id = ${keyId}`,
    left: 1,
    told: { state: "cooling_down", effect: "stale" },
    after: 1,
  },
  "a 403": {
    edit: ({ take, tell }) => take().then((leaseId) => tell({ leaseId, code: 403 })),
    left: null,
    told: { state: "disabled", effect: "stale" },
    after: null,
  },
  "deleting the health row": {
    edit: ({ keyId }) => db.sql`delete from api_key_health where user_api_key_id = ${keyId}`,
    left: null,
    told: STALE,
    after: 2,
  },
  "emptying the table": { edit: () => db.sql`truncate api_key_health`, left: null, told: STALE, after: 2 },
  "another generation by hand, which is not taken": {
    edit: ({ keyId }) => db.sql`update user_api_keys set generation = 7 where id = ${keyId}`,
    left: 1,
    told: FINE,
    after: 1,
  },
  "writing to what is remembered": {
    edit: ({ keyId }) =>
      db.sql`update api_key_health set settled_generation = 0 where user_api_key_id = ${keyId}`,
    left: 1,
    told: FINE,
    after: 1,
  },
  "writing to what is remembered, beside a time of its own": {
    edit: async ({ keyId }) => {
      await setActive(keyId, false);
      await db.sql`update api_key_health set settled_generation = 1, last_reported_at = now() where user_api_key_id = ${keyId}`;
    },
    left: null,
    told: OFF,
    after: null,
  },
  "a reset that says otherwise": {
    edit: async ({ keyId, take, tell }) => {
      await tell({ leaseId: await take(), code: 429 });
      await db.sql`update api_key_health set blocked_until = null, settled_generation = 2 where user_api_key_id = ${keyId}`;
    },
    left: null,
    told: STALE,
    after: 2,
  },
  "emptying what is remembered": {
    edit: ({ keyId }) =>
      db.sql`update api_key_health set settled_generation = null where user_api_key_id = ${keyId}`,
    left: null,
    told: FINE,
    after: 1,
  },
};

describe("what the health row remembers after", () => {
  test.each(Object.entries(EDITS))("%s", async (_, { edit, left, told, after }) => {
    const key = await oneKey();
    const leaseId = await key.take();
    await edit(key);
    expect(await settled(key.keyId)).toBe(left);
    const answer = await key.ask({ leaseId });
    if (typeof told === "string") expect(answer).toBe(told);
    else expect(answer).toMatchObject(told);
    expect(await settled(key.keyId)).toBe(after);
    expect(await falselySettled(db.sql)).toEqual([]);
  });

  test.each([
    { what: "on", values: {}, remembered: 1 },
    { what: "off", values: { is_active: false }, remembered: null },
    { what: "flagged, which is not taken", values: { unusable_reason: "it came like that" }, remembered: 1 },
    { what: "of a later generation, which is not taken", values: { generation: 4 }, remembered: 1 },
  ])("adding a key that is $what", async ({ values, remembered }) => {
    const userId = await makeUser(db.sql);
    const [row] = await db.sql`
      insert into user_api_keys ${db.sql({ user_id: userId, key_name: "new", api_key_encrypted: envelope(), priority: 0, ...values })}
      returning id`;
    expect(await settled(row?.id)).toBe(remembered);
  });
});

describe("a report that moves nothing is not weighed", () => {
  let own: Clone;
  let caller: postgres.Sql;
  beforeAll(async () => {
    own = await cloneDatabase();
    caller = own.as("service_role");
  });
  afterAll(() => own.drop());

  /** Leases of one key, before weighing is made to fail. */
  async function unweighed(before: (key: OneKey) => Promise<unknown>) {
    const key = await makeOneKey(own.sql, caller);
    const leaseIds = [await key.take(), await key.take()];
    await before(key);
    await own.sql
      .begin(async (tx) => {
        const [row] = await tx`select pg_get_functiondef('private.apply_report'::regproc) as definition`;
        await tx.unsafe(
          row?.definition
            .replace("<<report>>", "")
            .replace(/\ndeclare[\s\S]*\nend;\n/, "\nbegin raise 'it is weighed'; end;\n"),
        );
        const tell = (leaseId: string | undefined) => tx`
        select public.report_api_key(user_id => ${key.userId}, lease_id => ${leaseId ?? ""}, outcome => 'success',
          rule => 'success') ->> 'effect' as effect`;
        for (const leaseId of leaseIds) expect(await tell(leaseId)).toEqual([{ effect: "none" }]);
        throw new Error("undo");
      })
      .catch((error: Error) => expect(error.message).toBe("undo"));
  }

  test("of a new key", () => unweighed(async () => {}));
  test("after one that was", () =>
    unweighed(async ({ take, tell }) => {
      await tell({ leaseId: await take(), code: 404 });
    }));
  test("after a block that is over and a success", () =>
    unweighed(async ({ keyId, take, tell }) => {
      const leaseId = await take();
      await tell({ leaseId: await take(), code: 429 });
      await own.sql`update api_key_health set blocked_until = now() - interval '1 s', last_failure_at = now() - interval '1 h'
        where user_api_key_id = ${keyId}`;
      expect(await tell({ leaseId })).toMatchObject({ effect: "recovered" });
    }));
});

test("edits of every kind beside reports and voids: at no moment does a health row remember what is not so", async () => {
  const userId = await makeUser(db.sql);
  const keyIds: string[] = [];
  for (let i = 0; i < 3; i += 1) keyIds.push(await addKey(db.sql, userId));
  const end = Date.now() + 2_500;
  const any = <T>(list: T[]) => list[Math.floor(Math.random() * list.length)] as T;
  const until = async (work: () => Promise<unknown>) => {
    while (Date.now() < end) await work();
  };
  const told: Record<string, number> = {};
  const agent = async () => {
    const leases = await insist(() => leaseMany(service, userId, 3));
    if (!Array.isArray(leases)) return sleep(1);
    const [first, ...others] = leases.map(({ lease_id }) => lease_id);
    if (Math.random() < 0.1) await tryLease(service, userId, { releaseLease: first ?? "" });
    else {
      const effect = await report(first ?? "");
      told[effect] = (told[effect] ?? 0) + 1;
    }
    await insist(() => reportMany(service, userId, others));
  };
  const report = async (leaseId: string) => {
    const [row] = await insist(
      () => service`
        select public.report_api_key(user_id => ${userId}, lease_id => ${leaseId}, outcome => 'success',
          rule => 'success') ->> 'effect' as effect`,
    );
    return row?.effect as string;
  };
  const edits: ((keyId: string) => Promise<unknown>)[] = [
    (id) => setActive(id, false),
    (id) => setActive(id, true),
    (id) => db.sql`update user_api_keys set api_key_encrypted = ${envelope()} where id = ${id}`,
    (id) => db.sql`update user_api_keys set unusable_reason = 'by hand' where id = ${id}`,
    (id) =>
      db.sql`update api_key_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ${id}`,
    (id) => db.sql`update api_key_health set settled_generation = 1 where user_api_key_id = ${id}`,
  ];
  let looks = 0;
  await Promise.all([
    ...Array.from({ length: 6 }, () => until(agent)),
    // Operators can be a deadlock's victims among themselves.
    ...Array.from({ length: 2 }, () =>
      until(() => any(edits)(any(keyIds)).catch((error) => expect(error).toMatchObject({ code: "40P01" }))),
    ),
    until(async () => {
      expect(await falselySettled(db.sql)).toEqual([]);
      looks += 1;
    }),
  ]);
  expect(looks).toBeGreaterThan(100);
  expect(told.none).toBeGreaterThan(20);
  expect(told.stale).toBeGreaterThan(0);
});
