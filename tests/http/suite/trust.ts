import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { addKey, health } from "../../support/keys.ts";
import { expectProblem, GET, type KeyFixture, SET } from "./fixture.ts";

/** Tests more promises to callers: the answer to a hint, excluded keys, report and lease in one call, settings of a key. */
export function trust(fixture: KeyFixture): void {
  const { post, agent, take } = fixture;

  describe("what became of a hint", () => {
    test.each([
      [{ error_code: 429, retry_after: "30" }, "used"],
      [{ error_code: 429, retry_after: "100000s" }, "capped"],
      [{ error_code: 429, retry_after: "soon" }, "ignored"],
      [{ error_code: 429, retry_after: "Wed, 21 Oct 2015 07:28:00 GMT" }, "ignored"],
      [{ error_code: 503, retry_after: 5 }, "ignored"],
      [{ error_code: 404, retry_after: 5 }, "ignored"],
      [{ error_code: 429 }, undefined],
    ])("%j: %s, and a duplicate says the same", async (reported, hint) => {
      const { token } = await agent();
      const { lease_id } = await take(token);
      const report = { lease_id, status: "fail", ...reported };
      for (const again of [report, report, { ...report, retry_after: undefined }]) {
        const { status, body } = await post(SET, token, again);
        expect([status, body.hint]).toEqual([200, hint]);
      }
    });

    test("a success takes none", async () => {
      const { token } = await agent();
      const { lease_id } = await take(token);
      const report = { lease_id, status: "success", retry_after: 5 };
      expect((await post(SET, token, report)).body).toMatchObject({ effect: "none", hint: "ignored" });
    });
  });

  describe("exclude", () => {
    test("passes over keys, lower tiers included, until nothing else is left", async () => {
      const { token, keyIds } = await agent([{ priority: 9 }, { priority: 9 }, { priority: 1 }]);
      const get = async (exclude: string[]) => (await post(GET, token, { exclude })).body.key_id;
      const [first = "", second = "", low = ""] = keyIds;
      expect(await get([first])).toBe(second);
      expect(await get([first, second])).toBe(low);
      expect([first, second]).toContain(await get(keyIds));
      // The problem document counts all cooling keys, even the excluded one.
      await fixture.db.sql`update api_key_health set blocked_until = now() + interval '1 hour'
        where user_api_key_id = any(${keyIds})`;
      const none = await post(GET, token, { exclude: [first, randomUUID()] });
      expectProblem(none, 503, "keys_cooling_down");
      expect(none.body.counts).toEqual({ cooling_down: 3, limited: 0, disabled: 0 });
    });
  });

  describe("previous", () => {
    test("reports and leases in one trip; what the report blocks is not leased again", async () => {
      const { token, keyIds } = await agent([{ priority: 9 }, {}]);
      const { lease_id } = await take(token);
      const previous = { lease_id, status: "fail", error_code: "[429] slow down", retry_after: 60 };
      const both = await post(GET, token, { previous });
      expect(both.status).toBe(200);
      expect(both.body).toMatchObject({
        key_id: keyIds[1],
        previous: { key_id: keyIds[0], effect: "cooled", state: "cooling_down", hint: "used" },
      });
      const again = await post(GET, token, { previous });
      expect(again.body).toMatchObject({
        key_id: keyIds[1],
        previous: { ...both.body.previous, effect: "duplicate" },
      });
      const next = { lease_id: both.body.lease_id, status: "success" };
      expect((await post(GET, token, { previous: next })).body.previous).toMatchObject({ effect: "none" });
    });

    test("when no key is left, the problem has the result of the report", async () => {
      const { token, keyIds } = await agent([{ provider: "openai" }]);
      const { lease_id } = await take(token);
      const previous = { lease_id, status: "fail", error_code: 429, retry_after: 60 };
      const none = await post(GET, token, { previous });
      expectProblem(none, 503, "keys_cooling_down");
      expect(none.headers.get("retry-after")).toBe("60");
      expect(none.body).toMatchObject({ retry_after: 60, previous: { effect: "cooled" } });
      expect(await health(fixture.db.sql, keyIds[0] ?? "")).toMatchObject({ state: "cooling_down" });
      const astray = await post(GET, token, { previous, provider: "google" });
      expectProblem(astray, 404, "unknown_provider");
      expect(astray.body).toMatchObject({ providers: ["openai"], previous: { effect: "duplicate" } });
    });

    test("a refused report does not prevent the lease; its problem is a member of the answer", async () => {
      const { token } = await agent();
      const other = await agent();
      const { lease_id } = await take(token);
      await post(SET, token, { lease_id, status: "success" });
      const foreign = await take(other.token);
      for (const [id, code] of [
        [lease_id, "already_reported"],
        [foreign.lease_id, "lease_not_found"],
        [randomUUID(), "lease_not_found"],
      ]) {
        const answer = await post(GET, token, {
          previous: { lease_id: id, status: "fail", error_code: 429 },
        });
        expect(answer.status).toBe(200);
        expect(answer.body).toMatchObject({ api_key: expect.any(String), previous: { problem: { code } } });
      }
      expectProblem(
        await post(GET, `kh_agent_${"0".repeat(64)}`, { previous: { lease_id, status: "success" } }),
        401,
        "invalid_credential",
      );
    });

    test("a key that cannot be opened is passed over here, too", async () => {
      const { userId, token, keyIds } = await agent([{}]);
      const { lease_id } = await take(token);
      const broken = await addKey(fixture.db.sql, userId, { priority: 5 });
      const both = await post(GET, token, { previous: { lease_id, status: "success" } });
      expect(both.body).toMatchObject({ key_id: keyIds[0], previous: { effect: "none" } });
      expect(await health(fixture.db.sql, broken)).toMatchObject({ state: "disabled" });
    });
  });

  test("settings come with the key", async () => {
    const { token, keyIds } = await agent([{}]);
    const settings = { base_url: "https://eu.example.test/v1", project: "proj_1" };
    await fixture.db
      .sql`update user_api_keys set settings = ${fixture.db.sql.json(settings)} where id = ${keyIds[0] ?? ""}`;
    const leased = await Promise.all([1, 2, 3].map(() => post(GET, token)));
    for (const { body } of leased) expect(body.settings).toEqual(settings);
  });
}
