import { describe, expect, test } from "vitest";
import { redact, redactionRules, residualSecrets } from "../../../packages/core/src/redact/index.ts";
import { generate, randomFrom } from "../../fixtures/redact/generate.ts";

const random = randomFrom(3);
const make = (format: string) => generate(format, random);
const clean = (value: unknown) => redact(value).value;

describe("a secret goes and the text around it stays", () => {
  test.each([
    ["prose", `Use ${make("sk-ant-api03-{w:93}AA")} for the demo.`, "Use [redacted] for the demo."],
    ["a header", `Authorization: Bearer ${make("{a:40}")}`, "Authorization: Bearer [redacted]"],
    [
      "curl -u",
      `curl -u anna:${make("{a:14}")} https://x.example`,
      "curl -u anna:[redacted] https://x.example",
    ],
    [
      "user information",
      `https://anna:${make("{a:14}")}@x.example/a?b=1`,
      "https://anna:[redacted]@x.example/a?b=1",
    ],
    [
      "a query",
      `https://x.example/a?api_key=${make("{a:24}")}&page=2`,
      "https://x.example/a?api_key=[redacted]&page=2",
    ],
    [
      "a webhook",
      `https://discord.com/api/webhooks/${make("{d:18}/{w:68}")}`,
      /^https:\/\/discord\.com\/api\/webhooks\/\d{18}\/\[redacted\]$/,
    ],
    [".env lines", `DB_PASSWORD=${make("{c:12}")}\nPORT=3000`, "DB_PASSWORD=[redacted]\nPORT=3000"],
    ["code", `const apiKey = "${make("{a:20}")}";`, 'const apiKey = "[redacted]";'],
    ["an assignment in words", "my password is hunter2, see you", "my password is [redacted], see you"],
    ["a value before its name", `use ${make("{a:20}")} as my API_KEY`, "use [redacted] as my API_KEY"],
    [
      "a key on one line",
      `"-----BEGIN PRIVATE KEY-----\\n${make("{b:64}")}\\n-----END PRIVATE KEY-----\\n"`,
      '"[redacted]\\n"',
    ],
    [
      "a connection string",
      "Server=db;User Id=sa;Password=letmein;Database=x",
      "Server=db;User Id=sa;Password=[redacted];Database=x",
    ],
  ])("%s", (_, text, expected) => {
    if (typeof expected === "string") expect(clean(text)).toBe(expected);
    else expect(clean(text)).toMatch(expected);
  });
});

test.each([
  ["objects", (text: string) => JSON.stringify({ x: text })],
  ["lists", (text: string) => JSON.stringify([text])],
  ["strings", (text: string) => JSON.stringify(text)],
])("a secret in JSON in JSON in %s is found at any depth, or the whole is removed", (_, wrap) => {
  const secret = make("{a:14}");
  let text = JSON.stringify({ password: secret, note: "stays" });
  for (let depth = 1; depth <= 17; depth += 1) {
    text = wrap(text);
    const { value, redactions } = redact({ text });
    expect(JSON.stringify(value)).not.toContain(secret);
    expect(redactions).toHaveLength(1);
    expect(JSON.stringify(value).includes("stays")).toBe(depth < 16);
  }
});

describe("under a credential's name", () => {
  test("strings become [redacted], numbers null, switches stay", () => {
    expect(clean({ password: "correct horse", pin_password: 1234, api_key: true, secret: null })).toEqual({
      password: "[redacted]",
      pin_password: null,
      api_key: true,
      secret: null,
    });
  });

  test("references to credentials go, their labels stay", () => {
    const id = make("{a:16}");
    expect(
      clean({
        credentials: { openAiApi: { id, name: "OpenAI account" } },
        credentialId: "42",
        __IMTCONN__: 12,
      }),
    ).toEqual({
      credentials: { openAiApi: { id: "[redacted]", name: "OpenAI account" } },
      credentialId: "[redacted]",
      __IMTCONN__: null,
    });
  });

  test("dictionaries and lists of secrets lose all of them", () => {
    expect(clean({ secrets: { crm: "abcdef", list: ["one-two"] }, apiKeys: ["abc", "def"] })).toEqual({
      secrets: { crm: "[redacted]", list: ["[redacted]"] },
      apiKeys: ["[redacted]", "[redacted]"],
    });
  });

  test("descriptions of fields and messages about them stay", () => {
    const schema = {
      password: { type: "string", minLength: 8, description: "Your password" },
      token: { label: "Token" },
    };
    expect(redact(schema)).toEqual({ value: schema, redactions: [] });
    expect(clean({ api_key: { type: "str", value: "abc-def", display_name: "API key" } })).toEqual({
      api_key: { type: "str", value: "[redacted]", display_name: "API key" },
    });
  });

  test("an organisation's code goes in any spelling", () => {
    for (const name of ["organization_code", "organizationCode", "ORGANISATION-CODE", "org code"]) {
      expect(redact({ [name]: "ACME" })).toEqual({
        value: { [name]: "[redacted]" },
        redactions: [{ path: name, rule: "organization-code" }],
      });
    }
  });
});

describe("JSON within a string", () => {
  const secret = make("{a:24}");

  test.each([
    ["compact", JSON.stringify({ a: 1, api_key: secret })],
    ["indented", JSON.stringify({ a: 1, api_key: secret }, null, 2)],
    ["of its own layout", `{ "n":1.0,  "big": 12345678901234567890, "api_key" :"${secret}" }`],
    ["twice", JSON.stringify(JSON.stringify({ api_key: secret }))],
    ["as a value", JSON.stringify({ body: JSON.stringify({ api_key: secret }) })],
  ])("%s keeps its layout", (_, text) => {
    expect(clean(text)).toBe(text.replace(secret, "[redacted]"));
  });

  test("a duplicate key does not hide one", () => {
    expect(clean(`{"password": "${secret}", "password" : "b-c-d-e", "a": 1}`)).toBe(
      '{"password": "[redacted]", "password" : "[redacted]", "a": 1}',
    );
  });
});

describe("keys", () => {
  test("that are secrets go, and stay apart", () => {
    const value = { [make("sk-proj-{w:60}")]: 1, [make("ghp_{a:36}")]: 2 };
    expect(redact(value)).toEqual({
      value: { "[redacted]": 1, "[redacted]-2": 2 },
      redactions: [
        { path: "[redacted]", rule: "openai" },
        { path: "[redacted]-2", rule: "github" },
      ],
    });
  });

  test("that come out like a key beside them leave it alone", () => {
    const value = { [make("ghp_{a:36}")]: 1, [make("ghp_{a:36}")]: 2, "[redacted]": 3, "[redacted]-3": 4 };
    expect(clean(value)).toEqual({
      "[redacted]-2": 1,
      "[redacted]-4": 2,
      "[redacted]": 3,
      "[redacted]-3": 4,
    });
  });

  test("__proto__ and constructor are plain data", () => {
    const value = JSON.parse(
      '{"__proto__": {"password": "hunter2"}, "constructor": {"name": "x"}, "toString": 1}',
    );
    const result = clean(value) as object;
    expect(JSON.stringify(result)).toBe(
      '{"__proto__":{"password":"[redacted]"},"constructor":{"name":"x"},"toString":1}',
    );
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).password).toBeUndefined();
  });
});

test("the input is left alone and not shared", () => {
  const value = { a: [{ b: { c: "x" } }], password: "hunter2" };
  const before = structuredClone(value);
  const result = clean(value) as typeof value;
  expect(value).toEqual(before);
  (result.a[0] as { b: { c: string } }).b.c = "y";
  expect(value).toEqual(before);
});

test("a value nested beyond all limits is taken out whole, without an overflow", () => {
  let deep: unknown = "hunter2";
  for (let i = 0; i < 100_000; i++) deep = [deep];
  expect(redact(deep).redactions.map(({ rule }) => rule)).toEqual(["too-deep"]);
});

test("a receipt never holds a value, and names only rules of the list", () => {
  const secret = make("ghp_{a:36}");
  const { redactions } = redact({
    [secret]: { password: secret, text: `x ${secret} y` },
    auth: ["a", `Bearer ${secret}`],
  });
  expect(JSON.stringify(redactions)).not.toContain(secret);
  const known = new Set(redactionRules.map(({ rule }) => rule));
  expect(redactions.filter(({ rule }) => !known.has(rule))).toEqual([]);
});

describe("verification", () => {
  const token = make("ghp_{a:36}");

  test.each([
    ["base64", btoa(`token ${token} and more`)],
    ["percent escapes", [...token].map((c) => `%${c.charCodeAt(0).toString(16)}`).join("")],
    ["unicode escapes", [...token].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join("")],
    ["HTML entities", [...token].map((c) => `&#${c.charCodeAt(0)};`).join("")],
  ])("finds a token behind %s, which cannot be cut out cleanly", (_, text) => {
    expect(residualSecrets({ a: [{ note: text }] })).toEqual(["a.0.note"]);
  });
});
