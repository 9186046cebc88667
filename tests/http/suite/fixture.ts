import { afterAll, beforeAll, expect } from "vitest";
import { generateSealPair } from "../../../packages/core/src/keys/seal.ts";
import { PROBLEM_TYPE } from "../../../packages/core/src/problem.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, makeUser, pair } from "../../support/keys.ts";
import { plantedKey } from "../../support/planted-keys.ts";
import type { Service } from "../../support/service.ts";

export const GET = "/functions/v1/get-active-key";
export const SET = "/functions/v1/set-key-state";

/** An older seal pair, whose private key is still in use. */
export const older = await generateSealPair();

/** Runs the functions with a database and these private keys. */
export type Run = (db: Clone, unsealKeys: unknown[]) => Promise<Service>;

/** The fixture of the suites: a database, the functions with it, and the calls of an agent. */
export type KeyFixture = ReturnType<typeof openKeyFixture>;

/** Opens the fixture before the tests of the file and removes it after them. With `many`, more calls are made at the same time. */
export function openKeyFixture(run: Run, many: boolean) {
  let db: Clone;
  let service: Service;
  /** Everything that must never appear in an answer, a row or a log: keys, tokens, private keys. */
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

  /** Calls like an agent: retries after `unavailable` (a row stayed locked for long), but not for ever. */
  async function insist(...call: Parameters<typeof post>) {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await post(...call);
      if (answer.body.code !== "unavailable" || attempt === 10) return answer;
    }
  }

  async function agent(keys: { plaintext?: string; priority?: number; provider?: string }[] = [{}]) {
    const userId = await makeUser(db.sql);
    const [row] = await db.sql<
      { token: string }[]
    >`select issue_agent_token(${userId}, 'test agent') as token`;
    const token = row?.token ?? "";
    const plaintexts = keys.map(({ plaintext }) => plaintext ?? plantedKey());
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

  return {
    get db() {
      return db;
    },
    get service() {
      return service;
    },
    many,
    secrets,
    errorBodies,
    post,
    insist,
    agent,
    take,
  };
}

export function expectProblem(
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
  expect(answer.headers.get("content-type")).toBe(PROBLEM_TYPE);
  expect(answer.headers.get("x-request-id")).toBe(answer.body.request_id);
}
