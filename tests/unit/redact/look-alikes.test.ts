import { describe, expect, test } from "vitest";
import { redact, residualSecrets } from "../../../packages/core/src/redact/index.ts";
import { randomFrom } from "../../fixtures/redact/generate.ts";
import lists from "../../fixtures/redact/look-alikes.json" with { type: "json" };
import { left, plant } from "../../fixtures/redact/second-round/cases.ts";
import { expectCost } from "../../support/cost.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

/** Tests each kind of text: values that only look like credentials stay, and secrets are removed. */
describe.each(Object.entries(lists.kinds))("%s", (_, { harmless, secrets }) => {
  test.each(harmless.map((value) => [JSON.stringify(value), value]))("%s stays", (_, value) => {
    expect(redact(value)).toEqual({ value, redactions: [] });
    expect(residualSecrets(value)).toEqual([]);
  });

  test.each(secrets.map((value) => [JSON.stringify(value), value]))("%s goes", (name, template) => {
    for (const seed of LONG_TESTS ? [31, 32, 33] : [31]) {
      const planted = plant(name as string, template, randomFrom(seed));
      expect(left(planted, redact(planted.value).value), JSON.stringify(planted.value)).toEqual([]);
    }
  });
});

describe("a table of translations", () => {
  test("takes nothing from the secrets in it", () => {
    const labels = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`label_${"abcdefgh"[n % 8]}${n}`, "Nova lozinka"]),
    );
    const value = { ...labels, password: "Lozinka", api_key: "aG7kQ2mZ9xW4tR8p" };
    expect(redact(value)).toEqual({
      value: { ...value, api_key: "[redacted]" },
      redactions: [{ path: "api_key", rule: "credential-name" }],
    });
  });

  test("does not reach into lists: their rows are data", () => {
    const labels = Object.fromEntries(
      Array.from({ length: 14 }, (_, n) => [`label_${String.fromCharCode(97 + n)}`, "Nova lozinka"]),
    );
    const value = { ...labels, password: "Lozinka", users: [{ name: "Anna Smith", password: "Sunflower" }] };
    expect(redact(value)).toEqual({
      value: { ...value, users: [{ name: "Anna Smith", password: "[redacted]" }] },
      redactions: [{ path: "users.0.password", rule: "credential-name" }],
    });
  });

  test.each([
    ["lines", (n: number) => "password: 'Kata Sandi',\n".repeat(n)],
    ["lines of settings", (n: number) => "password: 'Kata Sandi',\nhost: 'a1',\n".repeat(n)],
    ["open lines", (n: number) => "password: 'Kata Sandi',\nx: '".repeat(n)],
    [
      "members",
      (n: number) =>
        JSON.stringify(
          Object.fromEntries(Array.from({ length: n }, (_, i) => [`password_of_${i}`, "Kata baru"])),
        ),
    ],
    ["nested members", (n: number) => `${'{"password":"Kata baru","a":'.repeat(n / 8)}1${"}".repeat(n / 8)}`],
  ])("is recognised in time that grows with the text: %s", (_, text) => {
    const [small, large] = [text(200), text(1600)];
    redact(small);
    expectCost(
      () => redact(large),
      () => redact(small),
      24,
    );
  });
});
