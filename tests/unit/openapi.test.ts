import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { PROBLEM_TYPE } from "../../packages/core/src/problem.ts";
import { functionNames } from "../support/function-names.ts";
import { checkAnswer, unseenStatuses } from "../support/openapi/check-answer.ts";
import { makeDocument } from "../support/openapi/document.ts";
import { documentFile } from "../support/openapi/document-file.ts";
import { document, validatorAt } from "../support/openapi/schemas.ts";
import { plantedKey } from "../support/planted-keys.ts";

test("docs/openapi.json is what the contracts make", async () => {
  const committed = await readFile(documentFile, "utf8");
  expect(committed === makeDocument(), "docs/openapi.json is stale: npm run generate").toBe(true);
});

test("every function is described", () => {
  const described = new Set(Object.keys(document.paths).map((path) => path.split("/")[1]));
  expect(functionNames.filter((name) => !described.has(name))).toEqual([]);
});

test("the example of each operation fits its schema", () => {
  const byPost = Object.entries(document.paths).filter(([, { post }]) => post);
  const examples = byPost.map(([path, { post }]) => {
    const fits = validatorAt(["paths", path, "post", "requestBody", "content", "application/json", "schema"]);
    return [path, fits(post?.requestBody.content["application/json"]?.example)];
  });
  expect(examples).toEqual(byPost.map(([path]) => [path, true]));
});

const counts = { cooling_down: 0, limited: 0, disabled: 1 };
const noKey = {
  type: "urn:keyhub:problem:no_active_key",
  ...{
    title: "There is no usable key",
    status: 503,
    detail: "Waiting does not help.",
    code: "no_active_key",
  },
  ...{ counts, request_id: "7012fc4f-cdfa-4bf7-b201-d94e3b200c65" },
};
const answer = {
  method: "POST",
  path: "/functions/v1/get-active-key",
  status: 503,
  headers: { "content-type": PROBLEM_TYPE, "x-request-id": noKey.request_id } as Record<string, string>,
  body: JSON.stringify(noKey),
};

test("an answer that is declared has no fault, under an alias too", () => {
  for (const path of [answer.path, "/webhook/get-active-key"])
    expect(checkAnswer({ ...answer, path })).toEqual({ seen: "getActiveKey 503", fault: undefined });
  expect(checkAnswer({ ...answer, path: "/rest/v1/hub_assets" })).toBeNull();
});

test.each([
  ["another status", { status: 418 }],
  ["another content type", { headers: { ...answer.headers, "content-type": "application/json" } }],
  ["no request id", { headers: { "content-type": PROBLEM_TYPE } }],
  ["a header that is not declared", { headers: { ...answer.headers, allow: "POST" } }],
  ["a missing member", { body: JSON.stringify({ ...noKey, counts: undefined }) }],
  ["a member that is not declared", { body: JSON.stringify({ ...noKey, pool: 7 }) }],
  [
    "a member that is not declared, further in",
    { body: JSON.stringify({ ...noKey, counts: { ...counts, pool: 7 } }) },
  ],
  ["a code of another operation", { body: JSON.stringify({ ...noKey, code: "removed" }) }],
])("an answer with %s is a fault", (_, change) => {
  expect(checkAnswer({ ...answer, ...change })?.fault).toMatch(/^getActiveKey /);
});

test("an answer that shows a key is a fault, unless it is a lease", () => {
  const body = JSON.stringify({ ...noKey, detail: `the key ${plantedKey()} is out` });
  expect(checkAnswer({ ...answer, body })?.fault).toBe("getActiveKey 503: a key is shown");
  expect(checkAnswer({ ...answer, status: 200, body })?.fault).not.toContain("a key is shown");
});

test("an answer of a provider passes as it is, but shows no key; a problem of the gateway is compared", () => {
  const path = "/functions/v1/keyhub-gateway/openai/v1/models";
  const own = { ...answer, path, headers: { "x-keyhub-attempts": "1" }, body: "<p>busy</p>" };
  expect(checkAnswer(own)).toEqual({ seen: "callProvider default", fault: undefined });
  expect(checkAnswer({ ...own, body: plantedKey() })?.fault).toBe("callProvider default: a key is shown");
  expect(checkAnswer({ ...answer, path })).toEqual({ seen: "callProvider 503", fault: undefined });
  expect(checkAnswer({ ...answer, path, status: 418 })?.fault).toBe(
    "callProvider 418: the status is not declared",
  );
  // 499: the caller had closed the connection, so nobody got this answer, and it is not checked.
  expect(checkAnswer({ ...answer, path, status: 499 })).toBeNull();
});

test("a status that nobody has seen is missed", () => {
  const all = unseenStatuses([]);
  expect(all).toContain("publish 409");
  expect(unseenStatuses(all.filter((status) => status !== "publish 409"))).toEqual(["publish 409"]);
});
