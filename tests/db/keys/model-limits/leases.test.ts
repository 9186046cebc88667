import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { describe, expect, test } from "vitest";
import { addKey, askOnce, blockModel, leaseMany, makeUser, tryLease } from "../../../support/keys.ts";
import { during } from "../../../support/waits.ts";
import { db, limit, makePool, service, useModelFixture } from "./fixture.ts";

useModelFixture();

describe("no lease of a key for a model after the commit of its block", () => {
  test("committed between the snapshot of a search and its key: the newest row counts", async () => {
    const { userId, keyIds } = await makePool(1);
    const answer = await during(
      db.sql,
      (tx) => tx`select from user_api_keys where id = ${keyIds[0] ?? ""} for update`,
      () => tryLease(service, userId, { model: "pro" }),
      async (tx) => void (await blockModel(tx, keyIds[0] ?? "", 60)),
    );
    expect(answer).toMatchObject({ kind: "none", limited: 1 });
  });

  test("the condition is one of the row itself: Postgres looks at no other row again", async () => {
    const { userId, keyIds } = await makePool(1);
    const search = (table: string) =>
      service.unsafe(`
      select k.id from user_api_keys k
      where k.user_id = '${userId}' and (select pg_sleep(0.4)) is not null
        and ${table}
      for no key update`);
    const own = search("coalesce(k.limited_until[array_position(k.limited_models, 'pro')] <= now(), true)");
    const foreign = search(
      "not exists (select from api_key_model_health m where m.user_api_key_id = k.id and m.blocked_until > now())",
    );
    const both = Promise.all([own, foreign]);
    await sleep(100);
    await blockModel(db.sql, keyIds[0] ?? "", 60);
    // The search that reads the other table in a subquery finds the key, although it was blocked meanwhile. So the key's own row needs a
    // copy of the block.
    expect((await both).map((rows) => rows.length)).toEqual([0, 1]);
  });

  test("1 free of 10 keys and 16 callers, 100 rounds: nobody hears none, nobody gets a blocked key", async () => {
    const { userId, keyIds } = await makePool(10);
    for (const keyId of keyIds.slice(1)) await limit(userId, keyId, "pro", 600);
    for (let round = 0; round < 100; round += 1) {
      if (round === 50) await db.sql`select private.raise_model_mark(${userId}, 0, 'pro')`;
      const taken = await Promise.all(
        Array.from({ length: 16 }, () => tryLease(service, userId, { model: "pro" })),
      );
      expect(taken).toEqual(Array(16).fill(expect.objectContaining({ kind: "leased", key_id: keyIds[0] })));
    }
  });

  test("blocks and resets at random beside 12 callers: none only while all are blocked, no lease that began in a block", async () => {
    const { userId, keyIds } = await makePool(4);
    type Span = { from: number; to: number };
    /** The blocks of each key: `from` is just after the commit of the block, `to` just before the call that ended it. */
    const blocked = new Map<string, Span[]>(keyIds.map((id) => [id, []]));
    const taken: { keyId: string | null; from: number; to: number }[] = [];
    let on = true;
    const callers = Array.from({ length: 12 }, async () => {
      while (on) {
        const from = performance.now();
        const answer = await tryLease(service, userId, { model: "pro" });
        taken.push({ keyId: answer.kind === "leased" ? answer.key_id : null, from, to: performance.now() });
      }
    });
    for (let i = 0; i < 400; i += 1) {
      const keyId = keyIds[Math.floor(Math.random() * 4)] ?? "";
      const spans = blocked.get(keyId) ?? [];
      const open = spans.at(-1);
      if (open?.to === Number.POSITIVE_INFINITY) {
        open.to = performance.now();
        await blockModel(db.sql, keyId, null);
      } else {
        if (i % 3 === 0)
          await db.sql`insert into api_key_model_health (user_api_key_id, model, blocked_until) values (${keyId}, 'pro', now() + interval '1 h')
          on conflict (user_api_key_id, model) do update set blocked_until = excluded.blocked_until, last_reported_at = clock_timestamp()`;
        else await blockModel(db.sql, keyId, 3600);
        spans.push({ from: performance.now(), to: Number.POSITIVE_INFINITY });
      }
    }
    on = false;
    await Promise.all(callers);
    const inside = ({ keyId, from, to }: { keyId: string; from: number; to: number }) =>
      blocked.get(keyId)?.some((span) => span.from < from && to < span.to) ?? false;
    expect(taken.length).toBeGreaterThan(200);
    expect(taken.filter((each) => each.keyId !== null && inside({ ...each, keyId: each.keyId }))).toEqual([]);
    /** Returns whether some key was free in the whole span: none of the key's blocks was made, existed or ended in it. */
    const alwaysFree = ({ from, to }: Span) =>
      keyIds.some((id) => blocked.get(id)?.every((span) => span.to + 100 < from || span.from - 200 > to));
    expect(taken.filter((each) => each.keyId === null && alwaysFree(each))).toEqual([]);
  });

  test("a caller waits for a locked key that is free for its model, and takes no lower tier", async () => {
    const { userId, keyIds } = await makePool(2, { priority: 1 });
    await addKey(db.sql, userId, { priority: 0 });
    await limit(userId, keyIds[1] ?? "");
    const hold = (tx: postgres.ISql) =>
      tx`select from user_api_keys where id = ${keyIds[0] ?? ""} for update`;
    expect(await during(db.sql, hold, () => tryLease(service, userId, { model: "pro" }))).toMatchObject({
      key_id: keyIds[0],
    });
  });

  test("a retry that finds no key of the model in a tier can still wait in the next one", async () => {
    const userId = await makeUser(db.sql);
    await addKey(db.sql, userId, { priority: 2, provider: "other" });
    const keyId = await addKey(db.sql, userId, { priority: 1, provider: "mine" });
    const hold = (tx: postgres.ISql) => tx`select from user_api_keys where id = ${keyId} for update`;
    const ask = () => askOnce(service, userId, { model: "pro", provider: "mine", attempt: 1 });
    expect(await during(db.sql, hold, ask)).toMatchObject({ kind: "leased", key_id: keyId });
  });

  test("a batch of leases for a model takes only keys that are free for it", async () => {
    const { userId, keyIds } = await makePool(4);
    await limit(userId, keyIds[0] ?? "");
    await limit(userId, keyIds[1] ?? "");
    const taken = [await leaseMany(service, userId, 9, { model: "pro" })].flat();
    expect(taken).toHaveLength(9);
    for (const each of taken) {
      expect(keyIds.slice(2)).toContain("key_id" in each ? each.key_id : null);
      expect(each).toMatchObject({ model: "pro" });
    }
  });
});
