import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../support/database.ts";
import { addKey, health } from "../support/keys.ts";
import { onDeno, type Service } from "../support/service.ts";
import { keyServiceSuite } from "./key-service.ts";

describe("functions on Deno, over HTTP", () => {
  keyServiceSuite(onDeno);
});

describe("over HTTP only", () => {
  let db: Clone;
  let service: Service;
  beforeAll(async () => {
    db = await cloneDatabase();
    service = await onDeno(db);
  });
  afterAll(async () => {
    await service.stop();
    await db.drop();
  });

  const post = (path: string, token: string, body?: unknown) =>
    service.fetch(path, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  test("the documents' own paths are aliases", async () => {
    const { userId, token } = await service.signUp();
    const keyId = await addKey(db.sql, userId, { plaintext: "sk-alias" });
    const got = await (await post("/webhook/get-active-key", token)).json();
    expect(got).toMatchObject({ key_id: keyId, api_key: "sk-alias" });
    const set = await post("/webhook/set-key-state", token, { lease_id: got.lease_id, status: "success" });
    expect(await set.json()).toMatchObject({ key_id: keyId, effect: "none" });
  });

  test("500 leases of one key reporting 429 at once leave consecutive_failures = 1", async () => {
    const { userId, token } = await service.signUp();
    const keyId = await addKey(db.sql, userId, { plaintext: "sk-storm" });
    const leases: string[] = [];
    for (let i = 0; i < 20; i += 1) {
      const batch = Array.from(
        { length: 25 },
        async () => (await (await post("/functions/v1/get-active-key", token)).json()).lease_id,
      );
      leases.push(...(await Promise.all(batch)));
    }
    expect(new Set(leases).size).toBe(500);
    const answers = await Promise.all(
      leases.map(async (lease_id) =>
        (
          await post("/functions/v1/set-key-state", token, { lease_id, status: "fail", error_code: 429 })
        ).json(),
      ),
    );
    expect(answers.filter(({ effect }) => effect === "cooled")).toHaveLength(1);
    expect(answers.filter(({ effect }) => effect === "ignored")).toHaveLength(499);
    expect(await health(db.sql, keyId)).toMatchObject({ consecutive_failures: 1, state: "cooling_down" });
  });
});
