import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateSealPair, sealKey } from "../../packages/core/src/keys/seal.ts";
import { type Clone, cloneDatabase } from "../support/database.ts";
import { addKey, envelope, pair } from "../support/keys.ts";
import { forgeToken, type Service } from "../support/service.ts";

const GET = "/functions/v1/get-active-key";
const SET = "/functions/v1/set-key-state";
const older = await generateSealPair();

/** The same suite for each way to run the functions. */
export function keyServiceSuite(run: (db: Clone, unsealKeys: unknown[]) => Promise<Service>): void {
  let db: Clone;
  let service: Service;
  /** Everything that must never show: keys, tokens, private keys. */
  const secrets = new Set<string>([pair.unsealKey.key, older.unsealKey.key]);
  const errorBodies: string[] = [];

  beforeAll(async () => {
    db = await cloneDatabase();
    service = await run(db, [pair.unsealKey, older.unsealKey]);
  });
  afterAll(async () => {
    await service?.stop();
    await db?.drop();
  });

  async function post(
    path: string,
    token: string | null,
    body?: unknown,
    headers: Record<string, string> = {},
  ) {
    const response = await service.fetch(path, {
      method: "POST",
      headers: {
        ...(token !== null && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) errorBodies.push(text);
    return { status: response.status, headers: response.headers, body: JSON.parse(text) };
  }

  async function agent(keys: { plaintext?: string; priority?: number; provider?: string }[] = [{}]) {
    const { userId } = await service.signUp();
    const [row] = await db.sql<
      { token: string }[]
    >`select issue_agent_token(${userId}, 'test agent') as token`;
    const token = row?.token ?? "";
    const plaintexts = keys.map(({ plaintext }) => plaintext ?? `sk-${randomUUID()}`);
    const keyIds: string[] = [];
    for (const [i, key] of keys.entries()) {
      keyIds.push(await addKey(db.sql, userId, { ...key, name: `key ${i}`, plaintext: plaintexts[i] ?? "" }));
    }
    for (const secret of [token, ...plaintexts]) secrets.add(secret);
    return { userId, token, plaintexts, keyIds };
  }

  const take = async (token: string) => {
    const { status, body } = await post(GET, token);
    expect(status).toBe(200);
    return body as { lease_id: string; key_id: string; api_key: string };
  };

  function expectProblem(
    answer: { status: number; headers: Headers; body: Record<string, unknown> },
    status: number,
    code: string,
  ) {
    expect(answer.body).toMatchObject({
      status,
      code,
      type: expect.any(String),
      title: expect.any(String),
      request_id: expect.any(String),
    });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(answer.headers.get("x-request-id")).toBe(answer.body.request_id);
  }

  describe("the main job", () => {
    test("a key, a 429, the next key; and the operator sees why", async () => {
      const { token, plaintexts, keyIds, userId } = await agent([
        { priority: 10, provider: "openai" },
        { priority: 5 },
      ]);
      const first = await post(GET, token);
      expect(first.status).toBe(200);
      expect(first.headers.get("cache-control")).toBe("no-store");
      expect(first.body).toEqual({
        lease_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        key_id: keyIds[0],
        key_name: "key 0",
        provider: "openai",
        api_key: plaintexts[0],
        priority: 10,
        leased_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      });

      const reported = await post(SET, token, {
        lease_id: first.body.lease_id,
        status: "fail",
        error_code: 429,
        retry_after: 30,
        extra: "ignored",
      });
      expect(reported.status).toBe(200);
      expect(reported.body).toEqual({
        key_id: keyIds[0],
        state: "cooling_down",
        blocked_until: expect.any(String),
        consecutive_failures: 1,
        outcome: "rate_limited",
        effect: "cooled",
      });
      expect(Date.parse(reported.body.blocked_until) - Date.now()).toBeGreaterThan(25_000);

      const second = await take(token);
      expect(second).toMatchObject({ key_id: keyIds[1], api_key: plaintexts[1] });
      expect((await post(SET, token, { lease_id: second.lease_id, status: "success" })).body).toMatchObject({
        effect: "none",
        state: "available",
        blocked_until: null,
      });
      const states =
        await db.sql`select key_name, state, why from api_key_states where user_id = ${userId} order by key_name`;
      expect(states).toMatchObject([
        { key_name: "key 0", state: "cooling_down", why: "rate_limited 429" },
        { key_name: "key 1", state: "available", why: null },
      ]);
    });

    test("a signed-in user draws from the own pool; an agent from its user's", async () => {
      const { userId, token } = await service.signUp();
      const keyId = await addKey(db.sql, userId, { plaintext: "sk-of-the-user" });
      secrets.add("sk-of-the-user").add(token);
      expect(await take(token)).toMatchObject({ key_id: keyId, api_key: "sk-of-the-user" });
      expect((await post(SET, token, { key_id: keyId, status: "success" })).body).toMatchObject({
        effect: "none",
      });
      const [log] = await db.sql`select agent_id, outcome from api_key_usage_log where user_id = ${userId}`;
      expect(log).toMatchObject({ agent_id: null, outcome: "success" });
    });

    test("provider: its keys and those of none, in any case of letters", async () => {
      const { token, keyIds } = await agent([{ provider: "openai", priority: 1 }, { provider: "gemini" }]);
      expect((await post(GET, token, { provider: " Gemini " })).body.key_id).toBe(keyIds[1]);
      expectProblem(await post(GET, token, { provider: "mistral" }), 503, "no_active_key");
    });

    test("503 tells whether waiting helps", async () => {
      const { token } = await agent();
      const { lease_id } = await take(token);
      await post(SET, token, { lease_id, status: "fail", error_code: 429, retry_after: "90" });
      const cooling = await post(GET, token);
      expectProblem(cooling, 503, "keys_cooling_down");
      expect(cooling.body).toMatchObject({ retry_after: 90, counts: { cooling_down: 1, disabled: 0 } });
      expect(cooling.headers.get("retry-after")).toBe("90");

      await post(SET, token, {
        key_id: (await db.sql`select user_api_key_id as id from api_key_usage_log where id = ${lease_id}`)[0]
          ?.id,
        status: "fail",
        error_code: 403,
      });
      const none = await post(GET, token);
      expectProblem(none, 503, "no_active_key");
      expect(none.body).toMatchObject({ counts: { cooling_down: 0, disabled: 1 } });
      expect(none.headers.get("retry-after")).toBeNull();
    });

    test("the same report 20 times at once: one effect, one answer; another outcome: 409", async () => {
      const { token } = await agent();
      const { lease_id } = await take(token);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => post(SET, token, { lease_id, status: "fail", error_code: "429" })),
      );
      expect(answers.map(({ body }) => body.effect).sort()).toEqual([
        "cooled",
        ...Array(19).fill("duplicate"),
      ]);
      expect(new Set(answers.map(({ body }) => body.blocked_until)).size).toBe(1);
      expectProblem(await post(SET, token, { lease_id, status: "success" }), 409, "already_reported");
    });
  });

  describe("the leading code alone sets the class", () => {
    test.each([
      ["[429] retry in 400 ms", "rate_limited"],
      ["[RESOURCE_EXHAUSTED] Quota exceeded for quota metric", "rate_limited"],
      ["[500] upstream said 403", "server_error"],
      ["", "unknown"],
      [`[429] ${"x".repeat(10_000)}`, "rate_limited"],
      ["429", "rate_limited"],
      [429, "rate_limited"],
      ["timeout after 403 ms", "unreachable"],
    ])("%.40j is %s", async (error_code, outcome) => {
      const { token } = await agent();
      const { lease_id } = await take(token);
      const { status, body } = await post(SET, token, { lease_id, status: "fail", error_code });
      expect(status).toBe(200);
      expect(body.outcome).toBe(outcome);
    });
  });

  describe("bad input", () => {
    test("every fault is named at once, and no value is repeated", async () => {
      const { token } = await agent();
      const marker = "do-not-repeat-me";
      const answer = await post(SET, token, {
        lease_id: marker,
        key_id: 5,
        status: marker,
        error_code: { a: marker },
        error_message: 7,
      });
      expectProblem(answer, 422, "validation_failed");
      expect(answer.body.errors.map(({ path }: { path: string }) => path).sort()).toEqual([
        "error_code",
        "error_message",
        "key_id",
        "lease_id",
        "status",
      ]);
      expect(JSON.stringify(answer.body)).not.toContain(marker);
    });

    test.each([
      [{}, ["lease_id", "status"]],
      [{ status: "fail" }, ["error_code", "lease_id"]],
      [{ status: "fail", key_id: randomUUID(), error_code: null }, ["error_code"]],
      [{ status: "done", key_id: "123" }, ["key_id", "status"]],
      [[], [""]],
      ["null", [""]],
      ['"text"', [""]],
    ])("%j: faults at %j", async (body, paths) => {
      const { token } = await agent();
      const answer = await post(SET, token, body);
      expectProblem(answer, 422, "validation_failed");
      expect(answer.body.errors.map(({ path }: { path: string }) => path).sort()).toEqual(paths);
    });

    test.each([["{"], ['{"status": "fail",}'], ["NaN"], ["\u0000"]])(
      "malformed JSON %j: 400",
      async (body) => {
        const { token } = await agent();
        expectProblem(await post(SET, token, body), 400, "malformed_json");
        expectProblem(await post(GET, token, body), 400, "malformed_json");
      },
    );

    test("a provider that is none: 422", async () => {
      const { token } = await agent();
      for (const provider of [7, "open ai", "a".repeat(64), "\u0000", "-x"]) {
        expectProblem(await post(GET, token, { provider }), 422, "validation_failed");
      }
      expect((await post(GET, token, { provider: null })).status).toBe(200);
    });

    test("a hint or a code that is out of all range loses no report", async () => {
      const { token } = await agent();
      for (const body of [
        '"error_code": 429, "retry_after": 1e400',
        '"error_code": 429, "retry_after": 1e-9',
        '"error_code": 1e400',
      ]) {
        const { lease_id } = await take(token);
        const answer = await post(SET, token, `{"lease_id": "${lease_id}", "status": "fail", ${body}}`);
        expect(answer.status).toBe(200);
        if (body.includes("429"))
          expect(answer.body).toMatchObject({ state: "cooling_down", effect: "cooled" });
        await db.sql`update api_key_health set blocked_until = null where user_api_key_id = ${answer.body.key_id}`;
      }
    });

    test("a path below the function's own is 404", async () => {
      const { token } = await agent();
      for (const path of [GET, SET]) expectProblem(await post(`${path}/any/suffix`, token), 404, "not_found");
    });

    test("2 MB: 413; another content type: 415; another method: 405 with Allow; preflight: 204", async () => {
      const { token } = await agent();
      expectProblem(
        await post(SET, token, JSON.stringify({ error_message: "x".repeat(2_000_000) })),
        413,
        "body_too_large",
      );
      expectProblem(
        await post(SET, token, "status=fail", { "Content-Type": "application/x-www-form-urlencoded" }),
        415,
        "unsupported_media_type",
      );
      for (const path of [GET, SET]) {
        for (const method of ["GET", "PUT", "DELETE", "PATCH"]) {
          const response = await service.fetch(path, { method });
          expect(response.status).toBe(405);
          expect(response.headers.get("allow")).toBe("POST, OPTIONS");
          await response.body?.cancel();
        }
        const preflight = await service.fetch(path, { method: "OPTIONS" });
        expect(preflight.status).toBe(204);
        expect(preflight.headers.get("access-control-allow-headers")).toContain("authorization");
      }
    });
  });

  describe("who may call", () => {
    test("no, unknown, revoked, expired, forged and foreign credentials: 401, and nothing happens", async () => {
      const { token, userId } = await agent();
      const user = await service.signUp();
      await db.sql`update api_key_agents set revoked_at = now() where user_id = ${userId}`;
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
      const [row] = await db.sql`select usage_count from user_api_keys where user_id = ${userId}`;
      expect(row?.usage_count).toBe("0");
    });

    test("another pool's lease or key and an unknown one are told apart by nothing", async () => {
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
      const [row] = await db.sql`select is_active from user_api_keys where id = ${theirs.keyIds[0] ?? ""}`;
      expect(row?.is_active).toBe(true);
    });

    test("as anon and as a signed-in user every table, view and RPC of the service refuses", async () => {
      const { token } = await service.signUp();
      for (const client of [service.client(), service.client(token)]) {
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
            { user_id: randomUUID(), outcome: "success", rule: "success", key_id: randomUUID() },
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

  describe("sealed keys", () => {
    test("texts of an older and of the newest pair both serve", async () => {
      const { userId, token } = await agent();
      const sealed = await sealKey(older.sealKey, userId, "sk-sealed-long-ago");
      secrets.add("sk-sealed-long-ago");
      await db.sql`insert into user_api_keys (user_id, key_name, api_key_encrypted, priority) values (${userId}, 'old', ${sealed}, 99)`;
      expect((await take(token)).api_key).toBe("sk-sealed-long-ago");
    });

    test("two rows' texts swapped between users are refused: skipped, flagged, nobody gets the other's key", async () => {
      const a = await agent([{ priority: 9 }, { priority: 1 }]);
      const b = await agent([{ priority: 9 }]);
      const text = async (id: string | undefined) =>
        (await db.sql`select api_key_encrypted as t from user_api_keys where id = ${id ?? ""}`)[0]?.t;
      const [ofA, ofB] = [await text(a.keyIds[0]), await text(b.keyIds[0])];
      await db.sql`update user_api_keys set api_key_encrypted = ${ofB} where id = ${a.keyIds[0] ?? ""}`;
      await db.sql`update user_api_keys set api_key_encrypted = ${ofA} where id = ${b.keyIds[0] ?? ""}`;
      expect(await take(a.token)).toMatchObject({ key_id: a.keyIds[1], api_key: a.plaintexts[1] });
      expectProblem(await post(GET, b.token), 503, "no_active_key");
      const flagged =
        await db.sql`select usage_count, state, why from api_key_states where user_api_key_id in (${a.keyIds[0] ?? ""}, ${b.keyIds[0] ?? ""})`;
      for (const row of flagged)
        expect(row).toMatchObject({
          usage_count: "0",
          state: "disabled",
          why: expect.stringContaining("cannot be opened"),
        });
    });

    test("several keys that cannot be opened: each is flagged, the first good one served", async () => {
      const { userId, token, keyIds } = await agent();
      for (let i = 0; i < 3; i += 1) {
        await db.sql`insert into user_api_keys (user_id, key_name, api_key_encrypted, priority) values (${userId}, 'bad', ${envelope()}, 50)`;
      }
      expect((await take(token)).key_id).toBe(keyIds[0]);
      const [row] = await db.sql`
        select count(*)::int as flagged, (select count(*)::int from api_key_usage_log where user_id = ${userId}) as leases
        from user_api_keys where user_id = ${userId} and unusable_reason is not null and usage_count = 0`;
      expect(row).toEqual({ flagged: 3, leases: 1 });
    });

    test("a key that is given to another user, also while it is remembered as opened, is refused", async () => {
      const a = await agent();
      const b = await agent();
      await take(a.token);
      await db.sql`update user_api_keys set user_id = ${b.userId}, priority = 9 where id = ${a.keyIds[0] ?? ""}`;
      expect(await take(b.token)).toMatchObject({ key_id: b.keyIds[0], api_key: b.plaintexts[0] });
      expectProblem(await post(GET, a.token), 503, "no_active_key");
    });

    test("a row that comes back under the same id gives its own key", async () => {
      const { userId, token, keyIds } = await agent();
      await take(token);
      const sealed = await sealKey(pair.sealKey, userId, "sk-came-back");
      secrets.add("sk-came-back");
      await db.sql`delete from user_api_keys where id = ${keyIds[0] ?? ""}`;
      await db.sql`insert into user_api_keys (id, user_id, key_name, api_key_encrypted) values (${keyIds[0] ?? ""}, ${userId}, 'again', ${sealed})`;
      expect((await take(token)).api_key).toBe("sk-came-back");
    });

    test("many callers and many keys that cannot be opened: everyone is served, no lease is left over", async () => {
      const { userId, token } = await agent();
      for (let i = 0; i < 12; i += 1) {
        await db.sql`insert into user_api_keys (user_id, key_name, api_key_encrypted, priority) values (${userId}, 'bad', ${envelope()}, 50)`;
      }
      const answers = await Promise.all(Array.from({ length: 24 }, () => post(GET, token)));
      expect(answers.map(({ status }) => status)).toEqual(Array(24).fill(200));
      const [row] = await db.sql`
        select sum(usage_count)::int as counted, (select count(*)::int from api_key_usage_log where user_id = ${userId}) as leases
        from user_api_keys where user_id = ${userId}`;
      expect(row).toEqual({ counted: 24, leases: 24 });
    });

    test("a replaced key is the one that is handed out next, not a remembered one", async () => {
      const { userId, token, keyIds } = await agent();
      await take(token);
      const sealed = await sealKey(pair.sealKey, userId, "sk-replacement");
      secrets.add("sk-replacement");
      await db.sql`update user_api_keys set api_key_encrypted = ${sealed} where id = ${keyIds[0] ?? ""}`;
      expect((await take(token)).api_key).toBe("sk-replacement");
    });
  });

  test("no key, token or private key stands in any row, error body or console line, also when a provider echoes it", async () => {
    const { token, plaintexts } = await agent();
    const { lease_id, key_id } = await take(token);
    const echo = `Incorrect API key provided: ${plaintexts[0]} (token ${token})`;
    await post(SET, token, { lease_id, status: "fail", error_code: `[400] ${echo}`, error_message: echo });
    await post(SET, token, { key_id, status: "fail", error_code: echo, error_message: echo });
    await post(SET, token, { key_id, status: "fail", error_code: plaintexts[0], retry_after: echo });
    await post(SET, token, { key_id: plaintexts[0], status: token, error_message: { echo } });

    const tables = await db.sql`
      select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname in ('public', 'private')`;
    let rows = "";
    for (const { name } of tables) rows += JSON.stringify(await db.sql.unsafe(`select * from ${name}`));
    expect(rows).toContain(createHash("sha256").update(token).digest("hex"));
    expect(secrets.size).toBeGreaterThan(20);
    const outside = [...errorBodies, ...service.console].join("\n");
    for (const secret of secrets) {
      expect(rows.includes(secret)).toBe(false);
      expect(outside.includes(secret)).toBe(false);
    }
  });
}
