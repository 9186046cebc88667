import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { expectProblem, GET, type KeyFixture, SET } from "./fixture.ts";

/** Tests many callers with one token at the same time: their calls share batches, and each gets its own answer. */
export function fleet(fixture: KeyFixture): void {
  const { post, agent } = fixture;
  /** The number of callers at the same time; half of them have the other token, so it is even. */
  const FLEET = fixture.many ? 40 : 16;
  const all = <T>(call: (i: number) => Promise<T>) =>
    Promise.all(Array.from({ length: FLEET }, (_, i) => call(i)));

  describe("a fleet with one token", () => {
    test("each gets a lease of its own, and counts are those of the log", async () => {
      const { token, plaintexts, keyIds, userId } = await agent([{}, {}, {}]);
      const taken = await all(() => post(GET, token));
      expect(taken.map(({ status }) => status)).toEqual(taken.map(() => 200));
      expect(new Set(taken.map(({ body }) => body.lease_id)).size).toBe(FLEET);
      for (const { body } of taken) expect(body.api_key).toBe(plaintexts[keyIds.indexOf(body.key_id)]);

      const answers = await all((i) =>
        post(SET, token, { lease_id: taken[i]?.body.lease_id, status: "success" }),
      );
      for (const [i, { status, body }] of answers.entries()) {
        expect(status).toBe(200);
        expect(body).toMatchObject({ key_id: taken[i]?.body.key_id, effect: "none", state: "available" });
      }
      const [books] = await fixture.db.sql`
        select sum(k.usage_count)::int as counted from user_api_keys k where k.user_id = ${userId}`;
      expect(books).toMatchObject({ counted: FLEET });
      const [log] = await fixture.db.sql`
        select count(*)::int as reports, count(distinct xmin::text)::int as transactions
        from api_key_usage_log where user_id = ${userId} and outcome = 'success' and effect = 'none'`;
      expect(log?.reports).toBe(FLEET);
      // Without batches there would be one RPC per caller.
      expect(log?.transactions).toBeLessThan(FLEET / 2);
    });

    test("two tokens at the same time: each caller gets a key of its own pool, and reports its own lease", async () => {
      const agents = [await agent([{}, {}]), await agent([{}, {}])];
      const of = (i: number) => agents[i % 2] as (typeof agents)[0];
      const taken = await all((i) => post(GET, of(i).token));
      for (const [i, { body }] of taken.entries())
        expect(body.api_key).toBe(of(i).plaintexts[of(i).keyIds.indexOf(body.key_id)]);
      const answers = await all((i) =>
        post(SET, of(i).token, { lease_id: taken[i]?.body.lease_id, status: "success" }),
      );
      for (const [i, { body }] of answers.entries())
        expect(body).toMatchObject({ key_id: taken[i]?.body.key_id, effect: "none" });
      const foreign = await all((i) =>
        post(SET, of(i + 1).token, { lease_id: taken[i]?.body.lease_id, status: "success" }),
      );
      for (const answer of foreign) expectProblem(answer, 404, "lease_not_found");
    });

    test("a lease that is named with another key is refused among them, too", async () => {
      const { token, keyIds } = await agent([{}, {}]);
      const taken = await all(() => post(GET, token));
      const answers = await all((i) => {
        const { lease_id, key_id } = taken[i]?.body ?? {};
        const other = keyIds.find((id) => id !== key_id);
        return post(SET, token, { lease_id, status: "success", ...(i % 4 === 0 && { key_id: other }) });
      });
      for (const [i, answer] of answers.entries()) {
        if (i % 4 === 0) expectProblem(answer, 422, "lease_key_mismatch");
        else expect(answer.body).toMatchObject({ effect: "none" });
      }
    });

    test("a report on an unknown lease is refused alone", async () => {
      const { token } = await agent([{}]);
      const leases = (await all(() => post(GET, token))).map(({ body }) => body.lease_id);
      const answers = await all((i) =>
        post(SET, token, { lease_id: i === 7 ? randomUUID() : leases[i], status: "success" }),
      );
      for (const [i, answer] of answers.entries()) {
        if (i === 7) expectProblem(answer, 404, "lease_not_found");
        else expect(answer.body).toMatchObject({ effect: "none" });
      }
    });

    test("one report again and again is one report", async () => {
      const { token } = await agent([{}]);
      const lease_id = (await post(GET, token)).body.lease_id;
      const answers = await all(() => post(SET, token, { lease_id, status: "success" }));
      expect(answers.map(({ body }) => body.effect).sort()).toEqual([
        ...Array.from({ length: FLEET - 1 }, () => "duplicate"),
        "none",
      ]);
    });

    test("failures among them cool the key; who asked for what another provider has gets that", async () => {
      const { token, keyIds } = await agent([{ provider: "openai" }, { provider: "gemini" }]);
      const taken = await all((i) => post(GET, token, { provider: i % 2 === 0 ? "openai" : "gemini" }));
      for (const [i, { body }] of taken.entries()) expect(body.key_id).toBe(keyIds[i % 2]);
      const answers = await all((i) =>
        post(
          SET,
          token,
          i === 2
            ? { lease_id: taken[i]?.body.lease_id, status: "fail", error_code: 429 }
            : { lease_id: taken[i]?.body.lease_id, status: "success" },
        ),
      );
      expect(answers[2]?.body).toMatchObject({ effect: "cooled", state: "cooling_down" });
      for (const [i, { body }] of answers.entries())
        if (i % 2 === 1) expect(body).toMatchObject({ effect: "none" });
      const refused = await all(() => post(GET, token, { provider: "openai" }));
      for (const answer of refused) expectProblem(answer, 503, "keys_cooling_down");
    });

    test("a revoked token is refused to each, beside another one of its pool", async () => {
      const { token, userId } = await agent([{}]);
      const leases = (await all(() => post(GET, token))).map(({ body }) => body.lease_id);
      await fixture.db.sql`update api_key_agents set revoked_at = now() where user_id = ${userId}`;
      const [row] = await fixture.db.sql<
        { live: string }[]
      >`select issue_agent_token(${userId}, 'live') as live`;
      const tokenOf = (i: number) => (i % 2 === 0 ? token : (row?.live ?? ""));
      const taken = await all((i) => post(GET, tokenOf(i)));
      const reported = await all((i) =>
        post(SET, tokenOf(i), { lease_id: taken[i]?.body.lease_id ?? leases[i], status: "success" }),
      );
      for (const [i, answer] of [taken, reported].flatMap((each) => [...each.entries()])) {
        if (i % 2 === 0) expectProblem(answer, 401, "invalid_credential");
        else expect(answer.status).toBe(200);
      }
    });
  });
}
