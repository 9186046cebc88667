import { describe, expect, test } from "vitest";
import { addKey, health, secondsLeft } from "../../support/keys.ts";
import { expectProblem, GET, type KeyFixture, SET } from "./fixture.ts";

/** Tests the main job of the service: from the first lease to the operator's view. */
export function mainJob(fixture: KeyFixture): void {
  const { post, insist, agent, take } = fixture;

  describe("the main job", () => {
    test("a key, a 429, the next key; and the operator sees why", async () => {
      const { token, plaintexts, keyIds, userId } = await agent([
        { priority: 10, provider: "openai" },
        { priority: 5 },
      ]);
      const first = await post(GET, token);
      expect(first.status).toBe(200);
      expect(first.headers.get("cache-control")).toBe("no-store");
      // Every answer is compared with the contract, which excludes other members.
      expect(first.body).toMatchObject({
        lease_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        key_id: keyIds[0],
        key_name: "key 0",
        provider: "openai",
        model: null,
        api_key: plaintexts[0],
        priority: 10,
        leased_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      });
      expect(first.body.settings).toEqual({});

      const reported = await post(SET, token, {
        lease_id: first.body.lease_id,
        status: "fail",
        error_code: 429,
        retry_after: 30,
      });
      expect(reported.status).toBe(200);
      expect(reported.body).toEqual({
        key_id: keyIds[0],
        state: "cooling_down",
        blocked_until: expect.any(String),
        consecutive_failures: 1,
        outcome: "rate_limited",
        effect: "cooled",
        scope: "key",
        model: null,
        hint: "used",
      });
      const { blocked_until, length } = await health(fixture.db.sql, keyIds[0] ?? "");
      expect(new Date(reported.body.blocked_until)).toEqual(blocked_until);
      expect(length).toBeGreaterThan(29.999);

      const second = await take(token);
      expect(second).toMatchObject({ key_id: keyIds[1], api_key: plaintexts[1] });
      expect((await post(SET, token, { lease_id: second.lease_id, status: "success" })).body).toMatchObject({
        effect: "none",
        state: "available",
        blocked_until: null,
      });
      const states = await fixture.db
        .sql`select key_name, state, why from api_key_states where user_id = ${userId} order by key_name`;
      expect(states).toMatchObject([
        { key_name: "key 0", state: "cooling_down", why: "rate_limited 429" },
        { key_name: "key 1", state: "available", why: null },
      ]);
    });

    test("a limit of one model stops that model of that key; the next request is told when it is free", async () => {
      const { token, keyIds } = await agent([{ priority: 1 }, {}]);
      const pro = { model: "pro" };
      const limited = async () => {
        const { body } = await post(GET, token, pro);
        const told = await post(SET, token, {
          lease_id: body.lease_id,
          status: "fail",
          error_code: 429,
          retry_after: 60,
        });
        expect(told.body).toMatchObject({
          scope: "model",
          model: "pro",
          effect: "cooled",
          state: "cooling_down",
        });
        return body.key_id;
      };
      expect([await limited(), await limited()]).toEqual(keyIds);
      const none = await post(GET, token, pro);
      expectProblem(none, 503, "keys_cooling_down");
      expect(none.body).toMatchObject({ counts: { cooling_down: 0, limited: 2, disabled: 0 } });
      expect(none.body.retry_after).toBeLessThanOrEqual(60);
      expect((await post(GET, token, { model: "flash" })).body).toMatchObject({
        key_id: keyIds[0],
        model: "flash",
      });
      const previous = {
        lease_id: (await post(GET, token)).body.lease_id,
        status: "fail",
        error_code: 429,
        model: "Flash",
      };
      const next = await post(GET, token, { model: "flash", previous });
      expect(next.body).toMatchObject({ key_id: keyIds[1], previous: { scope: "model", model: "flash" } });
    });

    test("the same answer on two keys is the request's: both keys are free", async () => {
      const { token } = await agent([{}, {}]);
      const [first, second] = [await take(token), await take(token)];
      const refused = { status: "fail", error_code: 403 };
      expect((await post(SET, token, { lease_id: first.lease_id, ...refused })).body).toMatchObject({
        effect: "disabled",
      });
      const told = { lease_id: second.lease_id, ...refused, same_answer_as: first.lease_id };
      const lifted = await post(SET, token, told);
      expect(lifted.body).toMatchObject({
        outcome: "caller_fault",
        scope: "request",
        effect: "lifted",
        state: "available",
      });
      expect((await post(SET, token, told)).body).toMatchObject({ effect: "duplicate" });
      expect((await take(token)).key_id).toBe(second.key_id);
    });

    test("another agent's lease, and a key that was never leased, are not found", async () => {
      const { token, keyIds, userId } = await agent([{}]);
      const [row] = await fixture.db.sql<
        { live: string }[]
      >`select issue_agent_token(${userId}, 'other') as live`;
      const other = row?.live ?? "";
      fixture.secrets.add(other);
      const { lease_id } = await take(token);
      for (const report of [{ lease_id }, { key_id: keyIds[0] }])
        expectProblem(
          await post(SET, other, { ...report, status: "fail", error_code: 402 }),
          404,
          "lease_not_found",
        );
      expect((await post(SET, token, { key_id: keyIds[0], status: "success" })).body).toMatchObject({
        effect: "none",
      });
    });

    test("a signed-in user draws from the own pool; an agent from its user's", async () => {
      const { userId, token } = await fixture.service.signUp();
      const keyId = await addKey(fixture.db.sql, userId, { plaintext: "sk-of-the-user" });
      fixture.secrets.add("sk-of-the-user").add(token);
      expect(await take(token)).toMatchObject({ key_id: keyId, api_key: "sk-of-the-user" });
      expect((await post(SET, token, { key_id: keyId, status: "success" })).body).toMatchObject({
        effect: "none",
      });
      const [log] = await fixture.db
        .sql`select agent_id, outcome from api_key_usage_log where user_id = ${userId}`;
      expect(log).toMatchObject({ agent_id: null, outcome: "success" });
    });

    test("provider: its keys and those of none, in any case of letters", async () => {
      const { token, keyIds, userId } = await agent([
        { provider: "openai", priority: 1 },
        { provider: "gemini" },
      ]);
      expect((await post(GET, token, { provider: " Gemini " })).body.key_id).toBe(keyIds[1]);
      const misspelt = await post(GET, token, { provider: "google" });
      expectProblem(misspelt, 404, "unknown_provider");
      expect(misspelt.body.providers).toEqual(["gemini", "openai"]);
      const empty = await agent([]);
      expectProblem(await post(GET, empty.token, { provider: "google" }), 503, "no_active_key");
      await fixture.db.sql`update user_api_keys set is_active = false where id = ${keyIds[1] ?? ""}`;
      expectProblem(await post(GET, token, { provider: "gemini" }), 503, "no_active_key");
      await addKey(fixture.db.sql, userId, { active: false });
      expectProblem(await post(GET, token, { provider: "google" }), 503, "no_active_key");
    });

    test("503 tells whether waiting helps", async () => {
      const { token } = await agent();
      const { lease_id, key_id } = await take(token);
      await post(SET, token, { lease_id, status: "fail", error_code: 429, retry_after: "90" });
      const cooling = await post(GET, token);
      expectProblem(cooling, 503, "keys_cooling_down");
      expect(cooling.body).toMatchObject({ counts: { cooling_down: 1, disabled: 0 } });
      expect(cooling.body.retry_after).toBeLessThanOrEqual(90);
      expect(cooling.body.retry_after).toBeGreaterThanOrEqual(await secondsLeft(fixture.db.sql, key_id));
      expect(cooling.headers.get("retry-after")).toBe(String(cooling.body.retry_after));

      await post(SET, token, {
        key_id: (
          await fixture.db.sql`select user_api_key_id as id from api_key_usage_log where id = ${lease_id}`
        )[0]?.id,
        status: "fail",
        error_code: 403,
      });
      const none = await post(GET, token);
      expectProblem(none, 503, "no_active_key");
      expect(none.body).toMatchObject({ counts: { cooling_down: 0, disabled: 1 } });
      expect(none.headers.get("retry-after")).toBeNull();
    });

    test("the same report many times at once: one effect, one answer; another outcome: 409", async () => {
      const { token } = await agent();
      const { lease_id } = await take(token);
      const times = fixture.many ? 20 : 8;
      const answers = await Promise.all(
        Array.from({ length: times }, () =>
          insist(SET, token, { lease_id, status: "fail", error_code: "429" }),
        ),
      );
      expect(answers.map(({ body }) => body.effect).sort()).toEqual([
        "cooled",
        ...Array(times - 1).fill("duplicate"),
      ]);
      expect(new Set(answers.map(({ body }) => body.blocked_until)).size).toBe(1);
      expectProblem(await post(SET, token, { lease_id, status: "success" }), 409, "already_reported");
    });
  });
}
