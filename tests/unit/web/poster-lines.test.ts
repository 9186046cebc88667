import * as fc from "fast-check";
import { expect, test } from "vitest";
import { allowedInXml } from "../../../packages/web/src/page-formats/xml.ts";
import {
  fitting,
  isRightToLeft,
  linesOf,
  type Run,
  widthOf,
} from "../../../packages/web/src/parts/poster/lines.ts";

const textOf = (lines: Run[][]) =>
  lines.map((line) =>
    line
      .map(({ text }) => text)
      .join("")
      .trimEnd(),
  );

test("words go into lines, runs keep their style, empty lines are kept once", () => {
  const lines = linesOf(
    [
      { text: "\n\nGreet everybody, ", strong: false },
      { text: "{name}", strong: true },
      { text: "\n\n\nBye", strong: false },
    ],
    12,
    6,
  );
  expect(textOf(lines)).toEqual(["Greet", "everybody,", "{name}", "", "Bye"]);
  expect(lines[2]).toEqual([{ text: "{name}", strong: true }]);
});

test("whatever the text: no more lines than asked, none wider, nothing invented", () => {
  const run = fc.record({ text: fc.string({ unit: "binary", maxLength: 80 }), strong: fc.boolean() });
  fc.assert(
    fc.property(fc.array(run, { maxLength: 5 }), fc.integer({ min: 4, max: 40 }), (runs, units) => {
      const lines = textOf(linesOf(runs, units, 5));
      expect(lines.length).toBeLessThanOrEqual(5);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(units);
      const plain = (text: string) => text.replace(/\s/g, "");
      expect(plain(runs.map(({ text }) => text).join(""))).toContain(plain(lines.join("")));
      expect(widthOf(fitting(lines.join(" "), units))).toBeLessThanOrEqual(units);
    }),
    { numRuns: 30 },
  );
});

test("Hebrew and Arabic are read from the right, and XML gets only what it can hold", () => {
  expect(["שלום {name}", "1. مرحبا", "Hello שלום", "…"].map(isRightToLeft)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(allowedInXml("a\u0001b\u0000c\ud800d\n")).toBe("abc\ufffdd\n");
});
