import { describe, expect, test } from "vitest";
import { addKey, health } from "../support/keys.ts";
import { LONG_TESTS } from "../support/long-tests.ts";
import { onDeno } from "../support/service.ts";
import { keyServiceSuite } from "./key-service.ts";

describe("functions on Deno, over HTTP", () => {
  // The rules of SQL and of shared code are the same in every runtime, so short runs test them only in tests/http/handlers.test.ts.
  const fixture = keyServiceSuite(onDeno, { whole: LONG_TESTS, many: LONG_TESTS });

  const post = (path: string, token: string, body?: unknown) =>
    fixture.service.fetch(path, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  test("the documents' own paths are aliases", async () => {
    const { userId, token } = await fixture.service.signUp();
    const keyId = await addKey(fixture.db.sql, userId, { plaintext: "sk-alias" });
    const got = await (await post("/webhook/get-active-key", token)).json();
    expect(got).toMatchObject({ key_id: keyId, api_key: "sk-alias" });
    const set = await post("/webhook/set-key-state", token, { lease_id: got.lease_id, status: "success" });
    expect(await set.json()).toMatchObject({ key_id: keyId, effect: "none" });
  });

  test("a body of unknown length is read to the limit and no further", async () => {
    const { userId, token } = await fixture.service.signUp();
    await addKey(fixture.db.sql, userId, { plaintext: "sk-chunked" });
    const send = async (chunk: string, times: number) => {
      const init = {
        method: "POST",
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        body: new Blob(Array.from({ length: times }, () => chunk)).stream(),
        duplex: "half",
      };
      return (await fixture.service.fetch("/functions/v1/get-active-key", init as RequestInit)).status;
    };
    expect(await send("{}", 1)).toBe(200);
    expect(await send(" ".repeat(1024), 511)).toBe(200);
    expect(await send(" ".repeat(1024), 513)).toBe(413);
  });

  /** Retries a call: a slow machine answers some of many simultaneous calls with 503, which means that the same call may be repeated. */
  const insist: typeof post = async (...call) => {
    for (;;) {
      const answer = await post(...call);
      if (answer.status !== 503) return answer;
      await answer.body?.cancel();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  };

  // tests/db/keys/outages.test.ts makes the same check without Deno.
  test.runIf(LONG_TESTS)(
    "100 leases of one key reporting 429 at once leave consecutive_failures = 1",
    async () => {
      const { userId, token } = await fixture.service.signUp();
      const keyId = await addKey(fixture.db.sql, userId, { plaintext: "sk-storm" });
      const leases: string[] = [];
      for (let i = 0; i < 4; i += 1) {
        const batch = Array.from(
          { length: 25 },
          async () => (await (await insist("/functions/v1/get-active-key", token)).json()).lease_id,
        );
        leases.push(...(await Promise.all(batch)));
      }
      expect(new Set(leases).size).toBe(100);
      const report = async (lease_id: string): Promise<string> => {
        const body = { lease_id, status: "fail", error_code: 429 };
        return (await (await insist("/functions/v1/set-key-state", token, body)).json()).effect;
      };
      const effects = new Set(await Promise.all(leases.map(report)));
      expect(["cooled", "duplicate", "ignored"]).toEqual(expect.arrayContaining([...effects]));
      const rows = await fixture.db.sql`
      select effect, count(*)::int as n from api_key_usage_log where user_api_key_id = ${keyId} group by effect order by 1`;
      expect(rows.map(({ effect, n }) => [effect, n])).toEqual([
        ["cooled", 1],
        ["ignored", 99],
      ]);
      expect(await health(fixture.db.sql, keyId)).toMatchObject({
        consecutive_failures: 1,
        state: "cooling_down",
      });
    },
  );
});
