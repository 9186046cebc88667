import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ASSET_TYPES, slugCandidates, slugify } from "../../../packages/core/src/hub/index.ts";
import { randomFrom } from "../../fixtures/redact/generate.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const slug = (title: string) => slugify(title, "template", randomFrom(1));

describe("slugs", () => {
  test.each([
    ["My First Prompt!", "my-first-prompt"],
    ["İstanbul", "istanbul"],
    ["Straße", "strasse"],
    ["ß", "ss"],
    ["Ünïcödé & Friends", "unicode-friends"],
    ["你好，世界", "ni-hao-shi-jie"],
    ["東京タワー", /^dong-jing-/],
    ["Привет, мир", "privet-mir"],
    ["สวัสดี", SLUG],
    ["مرحبا بالعالم", SLUG],
    ["हिन्दी", SLUG],
    ["한국어", "hangugeo"],
    ["🚀 launch", "rocket-launch"],
    ["🔥🔥", SLUG],
    ["Don't stop", "dont-stop"],
    ["ﬁne ①", "fine-1"],
  ])("%s", (title, expected) => {
    if (typeof expected === "string") expect(slug(title)).toBe(expected);
    else expect(slug(title)).toMatch(expected);
  });

  test.each([
    "-",
    "../..",
    "",
    "   ",
    "\u0000",
    "\ud800",
    "admin",
    "Admin ",
    "API",
    "new",
    "null",
    "аdmin",
    "ＡＤＭＩＮ",
    "550e8400-e29b-41d4-a716-446655440000",
    "550E8400E29B41D4A716446655440000",
  ])("%j has none of its own and gets the fallback", (title) =>
    expect(slug(title)).toMatch(/^template-[a-z0-9]{8}$/),
  );

  test("a long title is cut at a word", () => {
    const result = slug("word ".repeat(60));
    expect(result).toMatch(SLUG);
    expect(result.length).toBeLessThanOrEqual(80);
    expect(result.endsWith("word")).toBe(true);
    expect(slug("x".repeat(300))).toBe("x".repeat(80));
  });

  test("any title of any type gives a valid slug, and so does each of its candidates", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 300 }),
        fc.constantFrom(...ASSET_TYPES),
        fc.nat(),
        (title, type, seed) => {
          const candidates = [];
          for (const candidate of slugCandidates(title, type, randomFrom(seed))) {
            candidates.push(candidate);
            if (candidates.length === 14) break;
          }
          for (const candidate of [slugify(title, type, randomFrom(seed)), ...candidates]) {
            expect(candidate).toMatch(SLUG);
            expect(candidate.length).toBeLessThanOrEqual(80);
          }
        },
      ),
      { numRuns: LONG_TESTS ? 2000 : 150 },
    );
  });

  test("fifty publications of one title find fifty slugs: plain, -2 to -9, then random endings", () => {
    const taken = new Set<string>();
    const random = randomFrom(9);
    for (let i = 0; i < 50; i++) {
      for (const candidate of slugCandidates("Same title", "component", random)) {
        if (taken.has(candidate)) continue;
        taken.add(candidate);
        break;
      }
    }
    expect([...taken].slice(0, 10)).toEqual([
      "same-title",
      "same-title-2",
      "same-title-3",
      "same-title-4",
      "same-title-5",
      "same-title-6",
      "same-title-7",
      "same-title-8",
      "same-title-9",
      expect.stringMatching(/^same-title-[a-z0-9]{8}$/),
    ]);
    expect(taken.size).toBe(50);
  });
});
