import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { contentHash } from "../../../packages/core/src/hub/index.ts";
import { type ProblemCode, problem } from "../../../packages/core/src/problem.ts";
import type { HubDatabase } from "../../../supabase/functions/_shared/hub-database.ts";
import { SECRET } from "../../support/functions/keyhub-alerts.ts";
import { recorded } from "../../support/openapi/answers.ts";
import { addressOf } from "../../support/openapi/operation.ts";
import { ownOperations } from "../../support/openapi/operations.ts";
import { makeHandlers } from "../../support/tested-functions.ts";

/* Tests statuses of docs/openapi.json that tests with a real database rarely or never get. Here the database is a fake. */

const REF = randomUUID();
const payload = { content: "Hello" };

/** Makes a database that gives this answer to any RPC, or throws. */
function answering(answer: (name: string) => unknown): HubDatabase {
  const callRpc = async (name: string) => answer(name) as { data: unknown };
  return {
    callRpc,
    callRpcAs: (_, name) => callRpc(name),
    verifyToken: async () => ({ userId: REF, anonymous: false }),
  };
}

const refusing = (code: ProblemCode, extra = {}) => answering(() => ({ problem: problem(code, extra) }));
const broken = answering(() => {
  throw new Error("an unexpected fault");
});
/** Makes a database that has no stored responses, does not know the listing that a file came from, and refuses every import. */
const refusingImport = (code: ProblemCode, extra = {}) =>
  answering((name) =>
    name === "hub_import"
      ? { problem: problem(code, extra) }
      : name === "hub_asset"
        ? { problem: problem("asset_not_found") }
        : { data: null },
  );

const origin = (n: number) => ({
  id: randomUUID(),
  ...{ title: `Work ${n}`, slug: `work-${n}`, creator_id: randomUUID() },
  ...{ license: "cc0", version: 1, remix_depth: 0 },
});
const copied = {
  ...{ ...origin(0), asset_type: "template", title: "A copy", description: null, tags: [], creator: null },
  ...{ deleted: false, is_visible: true, attribution: null, current_version: 1, version: 1 },
  ...{ version_license: "cc0", payload, sha256: await contentHash(payload), scan: null, items: [] },
  lineage: { root: origin(1), parent: origin(2), via: Array.from({ length: 50 }, (_, n) => origin(n + 3)) },
};
/** A database with one listing, which has more authors than a copy of it can name. */
const ofManyAuthors = answering((name) => ({ data: name === "hub_asset" ? copied : null }));

const document = {
  ...{
    format: "keyhub.asset",
    format_version: 1,
    asset_type: "template",
    title: "A copy",
    description: null,
  },
  ...{ tags: [], license: "cc0", payload, items: [], attribution: null, sha256: copied.sha256 },
};
const itsOrigin = { ...origin(0), id: copied.id, creator: null };
const fromListing = { ...document, attribution: { parent: itsOrigin } };

const big = "x".repeat(9 * 1024 * 1024);
const limit = { limit: "imports", retry_after: 7 };

let database = broken;
const keyring = async () => ({ kids: ["k"], open: async () => null });
const wrongSetting = { upstreams: { openai: "no address" } };

const answers = recorded(async (path, init) => {
  const handler = makeHandlers({ database, keyring, random: () => 0, gateway: wrongSetting })[
    path.split("/")[3] ?? ""
  ];
  if (handler === undefined) throw new Error(`no handler for ${path}`);
  return handler(new Request(`http://fake.test${path}`, init));
});
beforeAll(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterAll(async () => {
  vi.restoreAllMocks();
  await answers.check();
});

const AGENT = `Bearer kh_agent_${"0".repeat(64)}`;
const USER = "Bearer e30.e30.e30";
const credentialOf = (path: string) =>
  path === "/keyhub-alerts" ? `Bearer ${SECRET}` : path.startsWith("/hub") ? USER : AGENT;
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  answers.fetch(`/functions/v1${path}`, {
    method: "POST",
    headers: {
      Authorization: credentialOf(path),
      "Content-Type": "application/json",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

const examples = ownOperations.map((operation) => [addressOf(operation), operation.body.example] as const);

test.each(examples)("%s: faults of the request and of the service", async (path, body) => {
  database = refusing("unavailable");
  expect((await post(path, body)).status).toBe(503);
  database = refusing("invalid_credential");
  expect((await post(path, body)).status).toBe(401);
  database = broken;
  expect((await post(path, body)).status).toBe(500);
  database = answering(() => ({ data: null }));
  expect((await post(path, "{")).status).toBe(400);
  expect((await post(path, [])).status).toBe(422);
  expect((await post(path, "x", { "Content-Type": "text/plain" })).status).toBe(415);
  expect((await post(path, big)).status).toBe(413);
  expect((await answers.fetch(`/functions/v1${path}`, { method: "PUT" })).status).toBe(405);
  if (path === "/keyhub-alerts" || path === "/hub-mcp")
    expect((await post(`${path}/more`, {})).status).toBe(404);
});

test("keyhub-gateway: a fault of its own settings", async () => {
  expect((await post("/keyhub-gateway/openai/v1/models", {})).status).toBe(500);
});

test.each<[string, number, HubDatabase, unknown]>([
  ["banned", 403, refusingImport("banned"), document],
  ["a listing that is gone in the last moment", 404, refusingImport("asset_not_found"), document],
  ["too many authors", 409, ofManyAuthors, fromListing],
  ["too many imports", 429, refusingImport("rate_limited", limit), document],
])("hub-import of a file: %s", async (_, status, fake, file) => {
  database = fake;
  expect((await post("/hub-import", { document: file })).status).toBe(status);
});
