import { afterEach, expect, test, vi } from "vitest";
import type { SecretFormat } from "../../../packages/core/src/redact/secret-formats/format.ts";
import { formats } from "../../../packages/core/src/redact/secret-formats/registry.ts";
import { generate, randomFrom } from "../../fixtures/redact/generate.ts";
import { secretPatternRows } from "../../support/secret-patterns.ts";

const REGISTRY = "../../../packages/core/src/redact/secret-formats/registry.ts";

afterEach(() => {
  vi.doUnmock(REGISTRY);
  vi.resetModules();
});

/** Loads core with these entries in its registry, and nothing else changed. */
async function coreWith(...entries: SecretFormat[]) {
  vi.resetModules();
  vi.doMock(REGISTRY, () => ({ formats: [...formats, ...entries] }));
  return import("../../../packages/core/src/redact/index.ts");
}

const random = randomFrom(11);
const secret = (format: string) => generate(format, random);

test("an entry of the registry is all that a new format takes", async () => {
  const core = await coreWith({
    id: "made-up",
    prefixes: ["Zq$", "zqx_"],
    pattern: "[A-Za-z0-9]{24,}",
    portable: "word",
  });
  for (const token of [`Zq$${secret("{a:24}")}`, secret("zqx_{a:24}")]) {
    // Redaction finds the token although only two or three letters precede the sign (`$` or `_`) of its prefix.
    expect(core.redact({ note: `Use ${token}.` })).toEqual({
      value: { note: "Use [redacted]." },
      redactions: [{ path: "note", rule: "made-up" }],
    });
    // Verification also finds the token in percent escapes, where redaction cannot cut it out. It searches only portable patterns there.
    expect(core.residualSecrets({ note: `%55se+${encodeURIComponent(token)}` })).toEqual(["note"]);
    expect(core.residualSecrets({ note: "%55se+zqx" })).toEqual([]);
  }
  expect(core.redactionRules).toContainEqual({ rule: "made-up", looksFor: "a token by its format" });
  // The database gets the pattern in this form.
  const pattern = "(^|[^A-Za-z0-9])(Zq\\$|zqx_)[A-Za-z0-9]{24,}";
  expect(core.secretPatterns).toContainEqual({ rule: "made-up", pattern });
  expect(secretPatternRows(core.secretPatterns)).toContain(`('made-up', '${pattern}')`);
});

test("so it is for one without a fixed beginning", async () => {
  const token = `4711~${secret("{a:36}")}`;
  const without = await coreWith();
  expect(without.redact({ note: token }).redactions).toEqual([]);
  const core = await coreWith({
    id: "made-up",
    prefixes: [],
    joints: "~",
    pattern: "\\d{4}~[A-Za-z0-9]{36}",
  });
  expect(core.redact({ note: token })).toEqual({
    value: { note: "[redacted]" },
    redactions: [{ path: "note", rule: "made-up" }],
  });
});

test("a format that PostgreSQL would read otherwise is not derived", async () => {
  await expect(
    coreWith({ id: "made-up", prefixes: ["zqx_"], pattern: "(?=x)[a-z]{24}\\b", portable: "word" }),
  ).rejects.toThrow("no portable pattern");
});

test("every prefix can be looked up, and no pattern repeats what it repeats without end", () => {
  for (const { id, prefixes, pattern } of formats) {
    for (const prefix of prefixes)
      expect([id, prefix], id).toEqual([id, expect.stringMatching(/^[!-~][ -~]+$/)]);
    expect(pattern, id).not.toMatch(/(?:[+*]|,\})\)(?:[+*]|\{\d*,\})/);
  }
});
