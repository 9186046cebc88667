import { describe, expect, test } from "vitest";
import { scanComponent } from "../../../packages/core/src/scan/index.ts";
import { DANGEROUS, HARMLESS } from "../../fixtures/scan/index.ts";

const ids = (source: string) => scanComponent(source).map(({ rule }) => rule);

describe.each(Object.entries(DANGEROUS))("dangerous components: %s", (_, cases) => {
  test.each([...cases])("%s: %s", (rule, source) => {
    expect(ids(source)).toContain(rule);
  });
});

describe.each(Object.entries(HARMLESS))("harmless components: %s", (_, sources) => {
  test.each([...sources])("%s", (source) => {
    expect(scanComponent(source)).toEqual([]);
  });
});
