import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redact, residualSecrets, secretPatterns } from "../../../packages/core/src/redact/index.ts";
import { expectCost } from "../../support/cost.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

const RUNS = LONG_TESTS ? 2_000 : 120;

const words = fc.constantFrom(
  "password",
  "api_key",
  "token:",
  "Bearer ",
  "=",
  ":",
  '"',
  "'",
  "\\",
  "{",
  "}",
  "[",
  "]",
  "://",
  "@",
  "sk-",
  "eyJ",
  ".",
  "hunter2",
  "-----BEGIN PRIVATE KEY-----",
  "-----END PRIVATE KEY-----",
  "aB3dE5fG7hJ9kL1mN3pQ5",
  " ",
  "\n",
  "%3D",
  "&",
  "?key=",
  "密码：",
  "ключ",
  "{{x}}",
  `$${"{Y}"}`,
  "--token ",
  "-u a:",
  "is ",
  "|",
  "\u00a0",
  "\u200b",
  "\u00ad",
  "\u2011",
  "p\u0430ssword",
  "\uff41\uff50\uff49\uff3f\uff4b\uff45\uff59",
  "\ud835\udc1a",
  " || ",
  " ?? '",
  "\n  ",
  "- ",
  "org code ",
  "7f3aQ9xLw2aBZk3vQ9pLw2aB",
);
const text = fc.oneof(
  fc.array(words, { maxLength: 24 }).map((parts) => parts.join("")),
  fc.string({ maxLength: 60 }),
  fc.string({ unit: "binary", maxLength: 30 }),
);
const key = fc.oneof(
  fc.constantFrom("password", "apiKey", "credentials", "value", "name", "__proto__", "auth", "id", "token"),
  text,
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  ),
})).value;

describe("for any JSON value", () => {
  // One test checks three properties, because making and redacting the values takes most of the time.
  test("redacting again finds nothing; the shape stays, but for a number that became null; nothing reported means nothing changed", () => {
    const shape = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(shape)
        : typeof value === "object" && value !== null
          ? Object.values(value).map(shape)
          : typeof value === "number"
            ? "null"
            : String(typeof value).replace("object", "null");
    fc.assert(
      fc.property(json, (value) => {
        const { value: clean, redactions } = redact(value);
        expect(shape(clean)).toEqual(shape(value));
        if (redactions.length === 0) expect(clean).toEqual(value);
        expect(redact(clean)).toEqual({ value: clean, redactions: [] });
      }),
      {
        numRuns: RUNS,
        // A former fault: after the name was redacted, the value looked like a secret, so that redacting again found it.
        examples: [[{ password: { password: { "-u a:password?key=": { value: " !/" } } } }]],
      },
    );
  });

  test("JSON in a string stays JSON", () => {
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 1, 2, "\t"), (value, indent) => {
        const source = JSON.stringify({ value }, null, indent);
        const { value: clean } = redact(source);
        expect(() => JSON.parse(clean as string)).not.toThrow();
      }),
      { numRuns: RUNS },
    );
  });
});

test("the portable patterns mean the same to PostgreSQL: no look-around, no \\b or \\d, no lazy quantifier", () => {
  for (const { pattern } of secretPatterns) {
    expect(() => new RegExp(pattern)).not.toThrow();
    expect(pattern).not.toMatch(/\(\?|\\[bdwsB]|[*+?}]\?/);
  }
});

/** The length of the long texts: enough to notice quadratic work. */
const SIZE = LONG_TESTS ? 100_000 : 32_000;
const PROSE = "The letter that I wrote to you yesterday has not been read. ".repeat(SIZE / 60);

/** Texts that are designed to make a scanner slow. */
test.each([
  ["a", "a"],
  ["eyJ", "eyJ"],
  ["eyJ before a dot", `${"eyJ".repeat(84)}.eyJ`],
  ["eyJ segments", "eyJabcdefghij."],
  ["schemes", "://"],
  ["user information", "http://a:b@"],
  ["key beginnings", "-----BEGIN PRIVATE KEY-----"],
  ["quotes", '"'],
  ["backslashes", "\\"],
  ["escaped quotes", '\\"'],
  ["assignments", "password="],
  ["open strings", "password='"],
  ["JSON keys", '"password": "'],
  ["joints", "_-"],
  ["prefixes", "sk-"],
  ["templates", "{{"],
  ["brackets", "["],
  ["objects", '{"a":'],
  ["ideographs", "密码："],
  ["prose", "password is abc123 "],
  ["options", "--password "],
  ["encoded addresses", "http%3A%2F%2F"],
  ["elements", "<password>"],
  ["cells", "| api key "],
  ["hooks", "hook/"],
  ["variables", "A_KEY=x"],
  ["commands", "mysql -p"],
  ["rows", "name: key value: "],
  ["machines", "machine a login "],
  ["calls", 'setToken("a'],
  ["names behind", "a1b2c3d4e5f6g7 is the cache key for "],
  ["prepositions", "the Password for the of for to: "],
  ["declarations", 'a: b = "'],
  ["equals signs", 'name="password">'],
  ["defaults", 'default="'],
  ["pairs", "login aaaaaaaaaaaaaaaaaaaaaaaa "],
  ["irregular letters", "password aBcDfGhJkLmN "],
  ["data of secrets", "kind: Secret\ndata:\n  a: b\n"],
  ["lines below", "api key:\n"],
  ["sums of base64", "ab+cd/"],
  ["fallbacks", "token = a || "],
  ["open fallbacks", "token = a('x', "],
  ["literals on the next line", 'api_key =\n  "'],
  ["entries of a list", "api_keys:\n  - "],
  ["lines under a heading", "API key\n\na1b2c3d4e5f6"],
  ["blocks", "token: |\n  a"],
  ["spaces of other widths", "api\u00a0key: "],
  ["what shows nothing", "\u200b"],
  ["tokens with what shows nothing", "ghp\u200b_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5 "],
  ["words of two scripts", "p\u0430ssword"],
  ["words of two scripts in a row", "p\u0430ssword: hunter22x "],
  ["letters of full width", "\uff41"],
  ["passwords that break off at a sign", "password: Aa1&"],
  ["lines of base64", `${"QUJD".repeat(19)}\n`],
])("a long text of %s is read in linear time", (_, part) => {
  const nasty = part.repeat(Math.ceil(SIZE / part.length)).slice(0, SIZE);
  const eighth = nasty.slice(0, SIZE / 8);
  // The measure also redacts prose as long as the whole text, because an eighth of some texts takes almost no time.
  const measure = () => [redact(eighth), redact(PROSE)];
  // The whole text takes 8 times as long as the eighth if the work is linear, and 64 times if it is quadratic.
  expectCost(() => redact(nasty), measure, 24);
  // Members of an object are read by the same code as a text alone.
  if (LONG_TESTS) expectCost(() => redact({ password: nasty, list: [nasty] }), measure, 48);
  residualSecrets(nasty);
});

test("names and values side by side on one long line cost as much as apart", () => {
  const [beside, apart] = ['a,password="x",'.repeat(SIZE / 4), 'a;password="x";'.repeat(SIZE / 4)];
  expectCost(
    () => redact(beside),
    () => redact(apart),
    8,
  );
});

test("thousands of keys that are secrets are renamed in linear time", () => {
  const keys = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9v${100_000 + i}`, i]),
    );
  const [few, many] = [keys(600), keys(4_800)];
  expectCost(
    () => redact(many),
    () => redact(few),
    24,
  );
  const names = Object.keys(redact(keys(4_000)).value as object);
  expect(new Set(names).size).toBe(4_000);
  expect(names.at(-1)).toBe("[redacted]-4000");
});
