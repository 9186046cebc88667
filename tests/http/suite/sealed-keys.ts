import { describe, expect, test } from "vitest";
import { fingerprintOf, sealKey } from "../../../packages/core/src/keys/seal.ts";
import { envelope, pair } from "../../support/keys.ts";
import { expectProblem, GET, type KeyFixture, older } from "./fixture.ts";

/** Tests sealed texts of several seal pairs, and sealed texts that cannot be opened. */
export function sealedKeys(fixture: KeyFixture): void {
  const { post, insist, agent, take } = fixture;

  describe("sealed keys", () => {
    test("texts of an older and of the newest pair both serve", async () => {
      const { userId, token } = await agent();
      const sealed = await sealKey(older.sealKey, userId, "sk-sealed-long-ago");
      fixture.secrets.add("sk-sealed-long-ago");
      await fixture.db
        .sql`insert into user_api_keys (user_id, key_name, api_key_encrypted, priority) values (${userId}, 'old', ${sealed}, 99)`;
      expect((await take(token)).api_key).toBe("sk-sealed-long-ago");
    });

    test("two rows' texts swapped between users are refused: skipped, flagged, nobody gets the other's key", async () => {
      const a = await agent([{ priority: 9 }, { priority: 1 }]);
      const b = await agent([{ priority: 9 }]);
      const text = async (id: string | undefined) =>
        (await fixture.db.sql`select api_key_encrypted as t from user_api_keys where id = ${id ?? ""}`)[0]?.t;
      const [ofA, ofB] = [await text(a.keyIds[0]), await text(b.keyIds[0])];
      await fixture.db
        .sql`update user_api_keys set api_key_encrypted = ${ofB} where id = ${a.keyIds[0] ?? ""}`;
      await fixture.db
        .sql`update user_api_keys set api_key_encrypted = ${ofA} where id = ${b.keyIds[0] ?? ""}`;
      expect(await take(a.token)).toMatchObject({ key_id: a.keyIds[1], api_key: a.plaintexts[1] });
      expectProblem(await post(GET, b.token), 503, "no_active_key");
      const flagged = await fixture.db
        .sql`select usage_count, state, why from api_key_states where user_api_key_id in (${a.keyIds[0] ?? ""}, ${b.keyIds[0] ?? ""})`;
      for (const row of flagged)
        expect(row).toMatchObject({
          usage_count: "0",
          state: "disabled",
          why: expect.stringContaining("cannot be opened"),
        });
    });

    test("a text with the fingerprint of another key is not handed out, and flagged", async () => {
      const { userId, token, keyIds } = await agent();
      const [text = ""] = (await sealKey(pair.sealKey, userId, "sk-not-this-one")).split("#");
      const wrong = await fingerprintOf(userId, "sk-but-this-one");
      const [row] = await fixture.db.sql`
        insert into user_api_keys (user_id, key_name, api_key_encrypted, priority)
        values (${userId}, 'wrong', ${`${text}#${wrong}.`}, 99) returning id`;
      expect(await take(token)).toMatchObject({ key_id: keyIds[0] });
      expect(
        await fixture.db.sql`select state, why from api_key_states where user_api_key_id = ${row?.id}`,
      ).toEqual([{ state: "disabled", why: expect.stringContaining("not of the key of its fingerprint") }]);
    });

    test("several keys that cannot be opened: each is flagged, the first good one served", async () => {
      const { userId, token, keyIds } = await agent();
      for (let i = 0; i < 3; i += 1) {
        await fixture.db
          .sql`insert into user_api_keys (user_id, key_name, api_key_encrypted, priority) values (${userId}, 'bad', ${envelope()}, 50)`;
      }
      expect((await take(token)).key_id).toBe(keyIds[0]);
      const [row] = await fixture.db.sql`
        select count(*)::int as flagged, (select count(*)::int from api_key_usage_log where user_id = ${userId}) as leases
        from user_api_keys where user_id = ${userId} and unusable_reason is not null and usage_count = 0`;
      expect(row).toEqual({ flagged: 3, leases: 1 });
    });

    test("a key that is given to another user, also while it is remembered as opened, is refused", async () => {
      const a = await agent();
      const b = await agent();
      await take(a.token);
      await fixture.db
        .sql`update user_api_keys set user_id = ${b.userId}, priority = 9 where id = ${a.keyIds[0] ?? ""}`;
      expect(await take(b.token)).toMatchObject({ key_id: b.keyIds[0], api_key: b.plaintexts[0] });
      expectProblem(await post(GET, a.token), 503, "no_active_key");
    });

    test("a row that comes back under the same id gives its own key", async () => {
      const { userId, token, keyIds } = await agent();
      await take(token);
      const sealed = await sealKey(pair.sealKey, userId, "sk-came-back");
      fixture.secrets.add("sk-came-back");
      await fixture.db.sql`delete from user_api_keys where id = ${keyIds[0] ?? ""}`;
      await fixture.db
        .sql`insert into user_api_keys (id, user_id, key_name, api_key_encrypted) values (${keyIds[0] ?? ""}, ${userId}, 'again', ${sealed})`;
      expect((await take(token)).api_key).toBe("sk-came-back");
    });

    test("many callers and many keys that cannot be opened: everyone is served, no lease is left over", async () => {
      const { userId, token } = await agent();
      const [bad, callers] = fixture.many ? [12, 24] : [6, 12];
      for (let i = 0; i < bad; i += 1) {
        await fixture.db
          .sql`insert into user_api_keys (user_id, key_name, api_key_encrypted, priority) values (${userId}, 'bad', ${envelope()}, 50)`;
      }
      const answers = await Promise.all(Array.from({ length: callers }, () => insist(GET, token)));
      expect(answers.map(({ status }) => status)).toEqual(Array(callers).fill(200));
      const [row] = await fixture.db.sql`
        select sum(usage_count)::int as counted, (select count(*)::int from api_key_usage_log where user_id = ${userId}) as leases
        from user_api_keys where user_id = ${userId}`;
      expect(row).toEqual({ counted: callers, leases: callers });
    });

    test("a replaced key is the one that is leased next, not a remembered one", async () => {
      const { userId, token, keyIds } = await agent();
      await take(token);
      const sealed = await sealKey(pair.sealKey, userId, "sk-replacement");
      fixture.secrets.add("sk-replacement");
      await fixture.db
        .sql`update user_api_keys set api_key_encrypted = ${sealed} where id = ${keyIds[0] ?? ""}`;
      expect((await take(token)).api_key).toBe("sk-replacement");
    });
  });
}
