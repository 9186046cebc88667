import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  addKey,
  askOnce,
  envelope,
  health,
  lease,
  makeUser,
  pair,
  report,
  reportAndLease,
  tryLease,
} from "../../support/keys.ts";
import { during } from "../../support/waits.ts";

let db: Clone;
let service: ReturnType<Clone["as"]>;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 16);
});
afterAll(() => db.drop());

async function makePool(...priorities: number[]) {
  const userId = await makeUser(db.sql);
  const keyIds: string[] = [];
  for (const priority of priorities) keyIds.push(await addKey(db.sql, userId, { priority }));
  return { userId, keyIds };
}
const hold =
  (keyId = "") =>
  (tx: typeof db.sql) =>
    tx`select from user_api_keys where id = ${keyId} for update`;

describe("excluded keys", () => {
  test("a key of its tier that is only held is waited for before a lower tier is served", async () => {
    const { userId, keyIds } = await makePool(1, 1, 0);
    const [excluded = "", held] = keyIds;
    const answer = await during(
      db.sql,
      (tx) => hold(held)(tx as never),
      () => lease(service, userId, { exclude: [excluded] }),
    );
    expect(answer.key_id).toBe(held);
  });

  test("an excluded key of a higher tier causes no endless retries", async () => {
    const { userId, keyIds } = await makePool(1, 0);
    const [excluded = "", held] = keyIds;
    const answer = await during(
      db.sql,
      (tx) => hold(held)(tx as never),
      () => askOnce(service, userId, { exclude: [excluded] }),
    );
    expect(answer).toMatchObject({ kind: "leased", key_id: held });
  });

  test("neither does an excluded key of a higher tier whose block has expired", async () => {
    const { userId, keyIds } = await makePool(1, 0);
    const [excluded = "", held] = keyIds;
    await db.sql`update api_key_health set blocked_until = now() + interval '.2 s' where user_api_key_id = ${excluded}`;
    await db.sql`select pg_sleep(.3)`;
    const answer = await during(
      db.sql,
      (tx) => hold(held)(tx as never),
      // An odd attempt makes no keys ready, so the excluded key stays out.
      () => askOnce(service, userId, { exclude: [excluded], attempt: 1 }),
    );
    expect(answer).toMatchObject({ kind: "leased", key_id: held });
  });

  test.each([false, true])(
    "an excluded key that somebody holds is not waited for (asleep: %s)",
    async (asleep) => {
      const { userId, keyIds } = await makePool(1, 0);
      const [excluded = "", free] = keyIds;
      if (asleep) {
        await db.sql`update api_key_health set blocked_until = now() + interval '.2 s' where user_api_key_id = ${excluded}`;
        await db.sql`select pg_sleep(.3)`;
      }
      await db.sql.begin(async (tx) => {
        await hold(excluded)(tx as never);
        const answer = await askOnce(service, userId, { exclude: [excluded] });
        expect(answer).toMatchObject({ kind: "leased", key_id: free });
      });
    },
  );

  test("a key whose block is over comes before an excluded one, also before a lease has made it ready", async () => {
    const { userId, keyIds } = await makePool(1, 0);
    const [excluded = "", over = ""] = keyIds;
    await db.sql`update api_key_health set blocked_until = now() + interval '.2 s' where user_api_key_id = ${over}`;
    await db.sql`select pg_sleep(.3)`;
    expect((await lease(service, userId, { exclude: [excluded] })).key_id).toBe(over);
  });

  test("nothing but excluded keys: they are leased in their order; cooling ones are not", async () => {
    const { userId, keyIds } = await makePool(2, 1, 1);
    const [top = "", ...low] = keyIds;
    const take = async () => (await lease(service, userId, { exclude: keyIds })).key_id;
    expect(await take()).toBe(top);
    const { lease_id } = await lease(service, userId);
    await report(service, userId, { leaseId: lease_id, code: 429 });
    expect([await take(), await take()].sort()).toEqual(low.sort());
    const none = await tryLease(service, await makeUser(db.sql), { exclude: keyIds });
    expect(none).toMatchObject({ kind: "none", cooling_down: 0, disabled: 0, retry_after: null });
  });

  test("1 and 3 keys × 16 callers who exclude them: no false none", async () => {
    for (const count of [1, 3]) {
      const { userId, keyIds } = await makePool(...Array.from({ length: count }, () => 0));
      const answers = await Promise.all(
        Array.from({ length: 16 }, async (_, i) => {
          const exclude = i % 2 === 0 ? keyIds : keyIds.slice(0, 1);
          const taken = [];
          for (let call = 0; call < 20; call += 1) taken.push(await tryLease(service, userId, { exclude }));
          return { exclude, taken };
        }),
      );
      for (const { exclude, taken } of answers) {
        for (const answer of taken) {
          expect(answer.kind).toBe("leased");
          if (answer.kind === "leased" && exclude.length < count)
            expect(exclude).not.toContain(answer.key_id);
        }
      }
    }
  });
});

test("other_providers: those of the pool, once each, when none of its keys will do", async () => {
  const userId = await makeUser(db.sql);
  expect(await tryLease(service, userId, { provider: "a" })).toMatchObject({ other_providers: null });
  for (const provider of ["c", "b", "c"]) await addKey(db.sql, userId, { provider });
  const ask = () => tryLease(service, userId, { provider: "a" });
  expect(await ask()).toMatchObject({ kind: "none", other_providers: ["b", "c"] });
  const keyId = await addKey(db.sql, userId, { provider: "a", active: false });
  expect(await ask()).toMatchObject({ disabled: 1, other_providers: null });
  await db.sql`delete from user_api_keys where id = ${keyId}`;
  await addKey(db.sql, userId, { active: false });
  expect(await ask()).toMatchObject({ disabled: 1, other_providers: null });
});

describe("a report and a lease in one transaction", () => {
  test("what the report blocks is not leased; both or neither", async () => {
    const { userId, keyIds } = await makePool(1, 0);
    const { lease_id, key_id } = await lease(service, userId);
    expect(key_id).toBe(keyIds[0]);
    const answer = await reportAndLease(service, userId, { leaseId: lease_id, code: 429 });
    expect(answer).toMatchObject({ reported: { effect: "cooled" }, lease: { key_id: keyIds[1] } });
    expect(await reportAndLease(service, userId, { leaseId: lease_id, code: 429 })).toMatchObject({
      reported: { effect: "duplicate" },
      lease: { key_id: keyIds[1] },
    });
    const stranger = await makeUser(db.sql);
    await expect(reportAndLease(service, stranger, { leaseId: lease_id, code: 429 })).rejects.toMatchObject({
      code: "PT404",
    });
  });

  test("with its report in hand it waits for no key: that is committed, and the key asked for again", async () => {
    const { userId, keyIds } = await makePool(1, 0);
    const { lease_id } = await lease(service, userId);
    let reported: string | undefined;
    const answer = await db.sql.begin(async (tx) => {
      await hold(keyIds[1])(tx as never);
      const [row] = await service`
        select public.report_and_lease(
          report => '{"outcome": "invalid_key", "rule": "disable"}'::jsonb || jsonb_build_object('lease_id', ${lease_id}::text),
          user_id => ${userId}, live_kids => ${[pair.kid]}) as answer`;
      reported = (await health(db.sql, keyIds[0] ?? "")).state;
      return row?.answer;
    });
    expect(answer).toMatchObject({
      reported: { effect: "disabled" },
      lease: { kind: "retry" },
    });
    expect(reported).toBe("disabled");
  });

  test("16 callers that go on like that for a while: exact books, no caller stuck", async () => {
    const { userId } = await makePool(0, 0, 0);
    const calls = await Promise.all(
      Array.from({ length: 16 }, async (_, i) => {
        let { lease_id } = await lease(service, userId);
        for (let call = 0; call < 25; call += 1) {
          const code = (i + call) % 5 === 0 ? { code: 503 } : {};
          const next = await reportAndLease(service, userId, { leaseId: lease_id, ...code });
          if (next.lease.kind !== "leased") return call;
          lease_id = next.lease.lease_id;
        }
        return 25;
      }),
    );
    const [books] = await db.sql`
      select sum(usage_count)::int as counted, (select count(*)::int from api_key_usage_log where user_id = ${userId}) as leases,
        (select count(*)::int from api_key_usage_log where user_id = ${userId} and outcome is null) as open
      from user_api_keys where user_id = ${userId}`;
    expect(books?.counted).toBe(books?.leases);
    expect(books?.open).toBe(calls.filter((made) => made === 25).length);
  });
});

describe("settings", () => {
  const key = async (settings: unknown) => {
    const userId = await makeUser(db.sql);
    const [row] = await db.sql`
      insert into user_api_keys (user_id, key_name, api_key_encrypted, settings)
      values (${userId}, 'key', ${envelope()}, ${settings === undefined ? null : db.sql.json(settings as never)})
      returning id, settings`;
    return row;
  };

  test.each([
    [{}],
    [{ base_url: "https://acme.openai.azure.test/openai/deployments/gpt-5%2Fmini" }],
    [{ base_url: "https://localhost:8443", organization: "org-4711", project: "Änderungen 1" }],
  ])("%j is kept and leased", async (settings) => {
    expect(await key(settings)).toMatchObject({ settings });
  });

  test("none is an empty object, one by one and for several", async () => {
    const { userId } = await makePool(0);
    expect(await lease(service, userId)).toMatchObject({ settings: {} });
    const [row] =
      await db.sql`update user_api_keys set settings = null where user_id = ${userId} returning settings`;
    expect(row).toEqual({ settings: {} });
  });

  test.each([
    [[]],
    ["text"],
    [{ model: "gpt-5" }],
    [{ base_url: 7 }],
    [{ project: null }],
    [{ base_url: "http://plain.test" }],
    [{ base_url: "https://user:pass@host.test/v1" }],
    [{ base_url: "https://user@host.test" }],
    [{ base_url: "https://host.test/v1?api-version=1" }],
    [{ base_url: "https://host.test/#x" }],
    [{ base_url: "https://host.test/\nX" }],
    [{ base_url: "https://" }],
    [{ base_url: `https://host.test/${"a".repeat(2048)}` }],
    [{ organization: "" }],
    [{ organization: " acme" }],
    [{ organization: "a\u0007b" }],
    [{ project: "p".repeat(201) }],
    [{ organization: "sk-proj-8Kq2vN4xT7bW9zLm3Rd6Yh1Jc5Fg0Aa8Kq2vN4xT7bW9zLm" }],
  ])("%j is refused and not repeated", async (settings) => {
    const error = await key(settings).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "PT422", detail: '{"code": "settings_not_valid"}' });
    expect(`${error.message}${error.detail}`).not.toContain("8Kq2");
  });

  test("an edit is looked at as well", async () => {
    const row = await key({});
    await expect(
      db.sql`update user_api_keys set settings = '{"base_url": "ftp://x"}' where id = ${row?.id}`,
    ).rejects.toMatchObject({ code: "PT422" });
  });
});
