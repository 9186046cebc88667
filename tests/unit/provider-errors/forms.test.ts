import { describe, expect, test } from "vitest";
import { verdict } from "../../support/answers.ts";

/** The forms that clients give to one body: the classification must be the same for each. */
const FORMS: Record<string, (status: number, body: object) => string> = {
  "Ruby's hash": (status, body) =>
    `Faraday::ClientError: the server responded with status ${status} - ${JSON.stringify(body).replace(/":/g, '"=>')}`,
  "Node's inspect": (status, body) =>
    `AxiosError: Request failed\n  response: { status: ${status}, data: ${inspected(body)} }`,
  "a log's escaped body": (status, body) =>
    `level=error msg="upstream failed" status=${status} body=${JSON.stringify(JSON.stringify(body))}`,
  "a body that is a JSON string": (_status, body) => JSON.stringify(JSON.stringify(body)),
  "Guzzle's sentence": (status, body) =>
    `Client error: \`POST https://api.example.com/v1\` resulted in a \`${status} Error\` response:\n${JSON.stringify(body)}`,
};

const inspected = (body: object) => JSON.stringify(body).replace(/"(\w+)":/g, "$1: ");

const BODIES: readonly (readonly [number, string, object])[] = [
  [401, "invalid_key dead", { error: { code: "invalid_api_key", message: "Incorrect API key provided" } }],
  // This body repeats the prompt. The prompt is skipped only if the members of the body can be read; otherwise the key would seem dead.
  [401, "invalid_key", { error: { code: "E9", message: "No" }, prompt: "Incorrect API key provided" }],
  [402, "quota_exhausted", { error: { code: "E9", message: "Your credit balance is too low" } }],
  [403, "refused", { error: { code: "E9", message: "This model is not enabled for your project" } }],
  [404, "caller_fault", { error: { code: "E9", message: "There is nothing at this path" } }],
  [429, "rate_limited", { error: { code: "E9", message: "Slow down" } }],
];

describe.each(Object.entries(FORMS))("%s", (name, render) => {
  test.each(BODIES)("%i: %s", (status, wanted, body) => {
    const reported = name === "a body that is a JSON string" ? status : null;
    expect(verdict(reported, render(status, body))).toBe(wanted);
  });
});

describe("a server's 500 around what it caught", () => {
  test.each([
    [
      "detail",
      { detail: "Error code: 403 - {'error': {'message': 'This model is not enabled for your project'}}" },
    ],
    [
      "a message",
      {
        error: {
          message:
            "litellm.APIError: Error code: 403 - {'error': {'message': 'This model is not enabled for your project'}}",
        },
      },
    ],
  ])("%s: the status inside counts", (_name, body) => {
    expect(verdict(500, JSON.stringify(body))).toBe("refused");
  });
});

describe("what a caller sent in quotes is no body", () => {
  test("an escaped object behind other words", () => {
    const sent = JSON.stringify(JSON.stringify({ error: { code: "invalid_api_key" } }));
    expect(verdict(400, `Invalid value: ${sent}`)).toBe("caller_fault");
  });
});

describe("a 403 with one telling identifier or two words disables nothing", () => {
  test.each([
    '{"error":{"code":"HostNotListed"}}',
    '{"message":"Maintenance announced"}',
    "LIVE_MODE_KEY is not registered for this project",
  ])("%s", (text) => {
    expect(verdict(403, text)).not.toMatch(/dead$/);
  });
});

test("a class in brackets that AWS's clients write tells what happened", () => {
  const text = "An error occurred (AccessDeniedException) when calling the Converse operation: no";
  expect(verdict(null, text)).toBe("refused");
});

test("the name of any failure gives way to the one inside", () => {
  expect(verdict(null, "InternalServerError: upstream raised ThrottlingException")).toBe("rate_limited");
});

describe("what may be lifted, and what only names a place", () => {
  test("a blocked key beside how to unblock it rests", () => {
    expect(verdict(401, "Key is blocked. Update via `/key/unblock` if you're an admin.")).toBe("refused");
  });
  test("the address of Google's API is no limit", () => {
    const text =
      "Error fetching from https://generativelanguage.googleapis.com/v1beta/models/gemini-x: fetch failed";
    expect(verdict(null, text)).toBe("unreachable");
  });
  test("too much in one request, which a proxy passes on as its own failure", () => {
    expect(verdict(502, '{"error":{"code":"context_length_exceeded_too_long","message":"no"}}')).toBe(
      "caller_fault",
    );
  });
});
