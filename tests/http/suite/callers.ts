import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { forgeToken } from "../../support/service.ts";
import { expectProblem, GET, type KeyFixture, SET } from "./fixture.ts";

/** Tests which credentials are accepted, and how the others are refused. */
export function callers(fixture: KeyFixture): void {
  const { post, agent, take } = fixture;

  describe("who may call", () => {
    test("no, unknown, revoked, expired, forged and foreign credentials: 401, and nothing happens", async () => {
      const { token, userId } = await agent();
      const user = await fixture.service.signUp();
      await fixture.db.sql`update api_key_agents set revoked_at = now() where user_id = ${userId}`;
      const now = Math.floor(Date.now() / 1000);
      const claims = { sub: user.userId, role: "authenticated", aud: "authenticated", iat: now - 7200 };
      const bad = [
        token,
        `kh_agent_${"0".repeat(64)}`,
        "kh_agent_short",
        "not-a-token",
        "a.b.c",
        forgeToken({ ...claims, exp: now - 3600 }),
        forgeToken({ ...claims, exp: now + 3600 }, "another secret of thirty-two characters"),
        forgeToken({ ...claims, exp: now + 3600 }, "", "none"),
        `${user.token.slice(0, -6)}AAAAAA`,
        // Three parts like a JWT, but not base64, not UTF-8, not JSON, or with wrong claims.
        "zz.zz.eA",
        "gA.eA.eA",
        "bnVsbA.e30.eA",
        "eyJhbGciOjV9.e30.eA",
        `sb_publishable_${"p".repeat(22)}`,
        `sb_secret_${"s".repeat(31)}`,
      ];
      for (const credential of bad) {
        for (const [path, body] of [
          [GET, undefined],
          [SET, { key_id: randomUUID(), status: "success" }],
        ] as const) {
          const answer = await post(path, credential, body);
          expectProblem(answer, 401, "invalid_credential");
          expect(answer.headers.get("www-authenticate")).toBe("Bearer");
        }
      }
      expectProblem(await post(GET, null), 401, "missing_credential");
      expectProblem(
        await post(GET, null, undefined, { Authorization: "Basic dTpw" }),
        401,
        "invalid_credential",
      );
      const [row] = await fixture.db.sql`select usage_count from user_api_keys where user_id = ${userId}`;
      expect(row?.usage_count).toBe("0");
    });

    test("answers do not tell another pool's lease or key from an unknown one", async () => {
      const mine = await agent();
      const theirs = await agent();
      const { lease_id } = await take(theirs.token);
      const answers = [];
      for (const id of [lease_id, randomUUID()])
        answers.push(await post(SET, mine.token, { lease_id: id, status: "fail", error_code: 403 }));
      for (const id of [theirs.keyIds[0], randomUUID()])
        answers.push(await post(SET, mine.token, { key_id: id, status: "fail", error_code: 403 }));
      const plain = answers.map(({ status, body: { request_id: _, ...rest } }) =>
        JSON.stringify({ status, rest }),
      );
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
      expect(plain[0]).toBe(plain[1]);
      expect(plain[2]).toBe(plain[3]);
      const [row] = await fixture.db
        .sql`select is_active from user_api_keys where id = ${theirs.keyIds[0] ?? ""}`;
      expect(row?.is_active).toBe(true);
    });

    test("as anon and as a signed-in user every table, view and RPC of the service refuses", async () => {
      const { token } = await fixture.service.signUp();
      for (const client of [fixture.service.client(), fixture.service.client(token)]) {
        for (const table of [
          "user_api_keys",
          "api_key_health",
          "api_key_agents",
          "api_key_usage_log",
          "api_key_states",
        ]) {
          for (const request of [
            client.from(table).select("*"),
            client.from(table).insert({}),
            client.from(table).update({ id: randomUUID() }).not("id", "is", null),
            client.from(table).delete().not("id", "is", null),
          ]) {
            const { error, status, data } = await request;
            expect(data).toBeNull();
            expect(error).not.toBeNull();
            expect([400, 401, 403]).toContain(status);
          }
        }
        for (const [rpc, args] of [
          ["lease_api_key", { user_id: randomUUID() }],
          [
            "report_api_key",
            { user_id: randomUUID(), report: { outcome: "success", rule: "success" }, key_id: randomUUID() },
          ],
          ["issue_agent_token", { user_id: randomUUID(), name: "x" }],
          ["prune_api_key_usage_log", {}],
          ["reseal_api_key", { key_id: randomUUID(), expected: "a", resealed: "b" }],
        ] as const) {
          const { error, status } = await client.rpc(rpc, args);
          expect(error?.code).toBe("42501");
          expect([401, 403]).toContain(status);
        }
      }
    });
  });
}
