import { expect, test } from "vitest";
import { redact } from "../../../packages/core/src/hub/index.ts";
import cases from "../../fixtures/redact/passwords-with-signs.json" with { type: "json" };

test.each(cases.secrets)("is removed: %s", (text) => {
  const [before = "", secret = "", after = ""] = text.split(/[⟦⟧]/);
  const clean = String(redact(before + secret + after).value);
  expect(clean).not.toContain(secret);
  // A part of it is a secret as well.
  for (let at = 0; at + 6 <= secret.length; at += 1) expect(clean).not.toContain(secret.slice(at, at + 6));
});

test.each(cases.harmless)("stays: %s", (text) => {
  expect(redact(text)).toEqual({ value: text, redactions: [] });
});

test("a number that is 0 is no secret", () => {
  expect(redact({ apiKey: 0, password: 0 }).value).toEqual({ apiKey: 0, password: 0 });
  expect(redact({ apiKey: 12345678 }).value).toEqual({ apiKey: null });
});
