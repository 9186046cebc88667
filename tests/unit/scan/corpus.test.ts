import { describe, expect, test } from "vitest";
import { scanComponent } from "../../../packages/core/src/scan/index.ts";
import { RULES } from "../../../packages/core/src/scan/rules/registry.ts";
import { DANGEROUS, HARMLESS, MISSED } from "../../fixtures/scan/index.ts";

const ids = (source: string) => scanComponent(source).map(({ rule }) => rule);

describe.each(Object.entries(DANGEROUS))("dangerous components: %s", (corpus, cases) => {
  const missed = MISSED[corpus] ?? [];

  test.each(cases.filter(([, source]) => !missed.some((start) => source.startsWith(start))))(
    "%s: %s",
    (rule, source) => {
      expect(ids(source)).toContain(rule);
    },
  );

  test("those that MISSED names are still missed, and no others are named", () => {
    const still = missed.filter((start) =>
      cases.some(([rule, source]) => source.startsWith(start) && !ids(source).includes(rule)),
    );
    expect(still).toEqual(missed);
  });

  test("only names rules that there are", () => {
    const known = new Set(["unparsable", ...RULES.map(({ id }) => id)]);
    expect(cases.map(([rule]) => rule).filter((rule) => !known.has(rule))).toEqual([]);
  });
});

describe.each(Object.entries(HARMLESS))("harmless components: %s", (_, sources) => {
  test.each([...sources])("%s", (source) => {
    expect(scanComponent(source)).toEqual([]);
  });
});
