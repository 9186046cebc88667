import fc from "fast-check";
import { expect, test } from "vitest";
import { redact } from "../../../packages/core/src/redact/index.ts";
import cases from "../../fixtures/redact/passwords-with-signs.json" with { type: "json" };
import { LONG_TESTS } from "../../support/long-tests.ts";

test.each(cases.secrets)("is removed: %s", (text) => {
  const [before = "", secret = "", after = ""] = text.split(/[⟦⟧]/);
  const clean = String(redact(before + secret + after).value);
  expect(clean).not.toContain(secret);
  // No six characters in a row of the secret may stay, either.
  for (let at = 0; at + 6 <= secret.length; at += 1) expect(clean).not.toContain(secret.slice(at, at + 6));
});

test.each(cases.harmless)("stays: %s", (text) => {
  expect(redact(text)).toEqual({ value: text, redactions: [] });
});

test("a number that is 0 is no secret", () => {
  expect(redact({ apiKey: 0, password: 0 }).value).toEqual({ apiKey: 0, password: 0 });
  expect(redact({ apiKey: 12345678 }).value).toEqual({ apiKey: null });
});

const CHARACTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*"];
const DRAWN = LONG_TESTS ? 1000 : 250;
const drawn = fc.array(fc.constantFrom(...CHARACTERS), { minLength: 16, maxLength: 16 });

/** The last value is the number of passwords of 1,000 that may stay. */
test.each<[string, (secret: string) => string, most: number]>([
  ["after a colon", (secret) => `user: bob\npassword: ${secret}\nhost: db`, 40],
  ["in a sentence", (secret) => `The password is ${secret}.`, 80],
  ["in a connection string", (secret) => `Server=s;User Id=sa;Password=${secret};Database=d`, 90],
  ["in JSON", (secret) => JSON.stringify({ password: secret }), 8],
])(`of ${DRAWN} drawn passwords few stay whole or in part %s`, (_, write, most) => {
  // A password counts as missed when six of its characters in a row stay in the text. A few are missed, because a random password may begin
  // like a template or a word.
  const secrets = fc.sample(drawn, { numRuns: DRAWN, seed: 1 }).map((characters) => characters.join(""));
  const left = secrets.filter((secret) => {
    const clean = String(redact(write(secret)).value);
    return Array.from({ length: 11 }, (_, at) => secret.slice(at, at + 6)).some((part) =>
      clean.includes(part),
    );
  });
  expect(left.length).toBeLessThanOrEqual((most * DRAWN) / 1000);
});
