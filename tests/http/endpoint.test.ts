import { expect, test } from "vitest";
import { problem } from "../../packages/core/src/problem.ts";
import { problemResponse } from "../../packages/local/src/gateway/problem.ts";
import type { HubDatabase } from "../../supabase/functions/_shared/hub-database.ts";
import { functionOf } from "../support/openapi/operation.ts";
import { ownOperations } from "../support/openapi/operations.ts";
import { makeHandlers } from "../support/tested-functions.ts";

/* Tests for each kind of caller whether the body is read and checked. The database is a fake. */

const AGENT = `Bearer kh_agent_${"0".repeat(64)}`;
const USER = "Bearer e30.e30.e30";
const INVALID = { problem: problem("invalid_credential") };

/** Makes the functions with a fake database that accepts every caller or none, and records the RPCs that they call. */
function endpoints(knows: boolean) {
  const called: string[] = [];
  const callRpc = async (name: string) => {
    called.push(name);
    return knows
      ? { data: { kind: "none", cooling_down: 0, limited: 0, disabled: 0, retry_after: null } }
      : INVALID;
  };
  const database: HubDatabase = {
    callRpc,
    callRpcAs: (_, name) => callRpc(name),
    verifyToken: async () => ({
      userId: knows ? "00000000-0000-4000-8000-000000000001" : null,
      anonymous: false,
    }),
  };
  const keyring = async () => ({ kids: ["k"], open: async () => null });
  const handlers = makeHandlers({ database, keyring, random: () => 0 });
  return {
    called,
    call: async (name: string, sent: Request) => {
      const handler = handlers[name];
      if (handler === undefined) throw new Error(`there is no function ${name}`);
      return handler(sent);
    },
  };
}

const CREDENTIALS = { agentToken: AGENT, accessToken: USER };

/** Each function in the document, with each credential that it accepts. */
const CALLERS: [name: string, authorization: string][] = [
  ...new Map(
    ownOperations.flatMap((operation) =>
      operation.callers
        // Leave out the secret key: the function compares that key itself, and does not ask the database who calls.
        .filter((caller) => caller !== "guest" && caller !== "secretKey")
        .map((caller) => [
          `${functionOf(operation)} ${caller}`,
          [functionOf(operation), CREDENTIALS[caller]],
        ]),
    ),
  ).values(),
] as [string, string][];

/** Makes a request that counts how much of its body was read. */
function request(name: string, authorization: string, text: string, type = "application/json") {
  const read = { chunks: 0 };
  const body = new ReadableStream({
    pull(controller) {
      if (read.chunks > 200) return controller.close();
      read.chunks += 1;
      controller.enqueue(new TextEncoder().encode(read.chunks === 1 ? text : " ".repeat(65_536)));
    },
  });
  const headers = { Authorization: authorization, "Content-Type": type };
  const made = new Request(`http://fake.test/${name}`, {
    ...{ method: "POST", headers, body, duplex: "half" },
  } as RequestInit);
  return { made, read };
}

const small = (name: string, authorization: string, body: string, type = "application/json") =>
  new Request(`http://fake.test/${name}`, {
    method: "POST",
    headers: { Authorization: authorization, "Content-Type": type },
    body,
  });

test.each(CALLERS)(
  "%s tells nobody whom it does not know what is wrong with a body (%.20s)",
  async (name, who) => {
    for (const [body, type] of [
      ["{", "application/json"],
      ["{}x", "application/json"],
      ['{"provider": 7, "status": 7}', "application/json"],
      ["status=fail", "text/plain"],
      [`{"a": "${"x".repeat(20_000)}"`, "application/json"],
    ] as const) {
      expect((await endpoints(false).call(name, small(name, who, body, type))).status).toBe(401);
    }
    const [bad] = [await endpoints(true).call(name, small(name, who, "{"))];
    expect(bad?.status).toBe(400);
  },
);

test.each(CALLERS)(
  "%s reads no more than its limit, of users not known nothing at all (%.20s)",
  async (name, who) => {
    const { made, read } = request(name, who, "{}");
    expect((await endpoints(false).call(name, made)).status).toBe(401);
    // A stream reads one chunk in advance, even if nobody reads the body.
    if (who === USER) expect(read.chunks).toBeLessThanOrEqual(1);
    const known = request(name, who, "{}");
    expect((await endpoints(true).call(name, known.made)).status).toBe(413);
    expect(known.read.chunks).toBeLessThan(140);
  },
);

test("a small body that is right costs an agent no further question; a large one or a fault costs one", async () => {
  const { call, called } = endpoints(true);
  await call("get-active-key", small("get-active-key", AGENT, "{}"));
  expect(called.splice(0)).toEqual(["lease_api_key"]);
  await call("get-active-key", small("get-active-key", AGENT, '{"provider": 7}'));
  expect(called.splice(0)).toEqual(["report_successes"]);
  const report = (error_message: string) =>
    JSON.stringify({
      lease_id: "00000000-0000-4000-8000-000000000001",
      status: "fail",
      error_code: 500,
      error_message,
    });
  await call("set-key-state", small("set-key-state", AGENT, report("x")));
  expect(called.splice(0)).toEqual(["report_api_key"]);
  await call("set-key-state", small("set-key-state", AGENT, report("x".repeat(20_000))));
  expect(called.splice(0)).toEqual(["report_successes", "report_api_key"]);
});

test("a body that is nested as deeply as it may be long is a fault, not an error of ours", async () => {
  for (const [name, who] of CALLERS) {
    const deep = `${"[".repeat(120_000)}${"]".repeat(120_000)}`;
    const { status } = await endpoints(true).call(name, small(name, who, deep));
    // 413 is possible because a function may accept only bodies that are smaller than this one.
    expect([name, status === 422 || status === 413]).toEqual([name, true]);
  }
});

test("a body of very many values is refused unparsed, with the limit in its fault", async () => {
  const list = `[${"[],".repeat(600_000)}0]`;
  const answer = await endpoints(true).call(
    "hub-import",
    small("hub-import", USER, `{"document": {"x": ${list}}}`),
  );
  expect([answer.status, (await answer.json()).errors]).toEqual([
    422,
    [{ path: "", code: "too_many_values", message: "must have at most 200000 values" }],
  ]);
});

test("a refusal has one form, whether a function or the local gateway sends it", async () => {
  const ofFunction = await endpoints(true).call("hub-import", new Request("http://fake.test/elsewhere"));
  const ofGateway = problemResponse("not_found", problem("not_found").detail ?? "");
  expect([...ofGateway.headers.keys()]).toEqual([...ofFunction.headers.keys()]);
  const [{ request_id: one, ...left }, { request_id: other, ...right }] = [
    await ofFunction.json(),
    await ofGateway.json(),
  ];
  expect(left).toEqual(right);
  expect([one, other]).toEqual([
    ofFunction.headers.get("x-request-id"),
    ofGateway.headers.get("x-request-id"),
  ]);
});
