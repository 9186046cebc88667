import { describe, expect, test } from "vitest";
import { scanComponent } from "../../../packages/core/src/scan/index.ts";
import {
  countingText,
  newReadLimits,
  parseSource,
  ReadLimitExceeded,
} from "../../../packages/core/src/scan/parse.ts";
import { sized } from "../../bench/scan.ts";
import { expectCost } from "../../support/cost.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { longComponent } from "./components.ts";
import { HEAVY_SHAPES } from "./shapes.ts";

const SIZE = LONG_TESTS ? 256_000 : 128_000;
const PLAIN = longComponent(SIZE / 4);
const rulesOf = (source: string) => scanComponent(source).map(({ rule }) => rule);

/** The normal form has shapes of each kind; the long form has all. */
const FEW = new Set([
  "markup written at many places",
  "base64 at many places",
  "a text taken apart at many places",
  "a pattern at many places",
  "an object spread at many places",
  "computed members of a class",
  "parts of a parameter",
  "a long list made in a function",
  "a table of encoded texts",
  "names looked up through many blocks",
]);

test("the shapes of the normal form are among all", () => {
  expect(Object.keys(HEAVY_SHAPES)).toEqual(expect.arrayContaining([...FEW]));
});

describe("what one step copies is charged to the budget", () => {
  test.each(Object.entries(HEAVY_SHAPES).filter(([name]) => LONG_TESTS || FEW.has(name)))(
    "%s",
    (_name, make) => {
      const [source, eighth] = [sized(make, SIZE), sized(make, SIZE / 8)];
      const measure = () => [parseSource(eighth), parseSource(PLAIN)];
      // The most expensive shapes take 30 times as long as the measure; without the charge for steps, "parts of a parameter" takes 50 times
      // as long.
      expectCost(() => scanComponent(source), measure, 40);
    },
  );
});

describe("what is past the budget", () => {
  test("is a finding where it is called", () => {
    const source = `const a = [${"104,".repeat(5000)}];
      const f = a.map((c) => a.map((d) => String.fromCharCode(c ^ d)).join("")).map((x) => g[x]).at(-1); f("x");`;
    expect(rulesOf(source)).toContain("eval");
  });

  test("is a finding where it is requested", () => {
    const h = `const h = "${"aHR0".repeat(16_000)}";`;
    expect(rulesOf(`${h}${"fetch(atob(h + h));".repeat(100)}`)).toContain("external-request");
    expect(rulesOf(`const h = "aHR0";${"use(atob(h));".repeat(100)}`)).toEqual([]);
  });

  test("does not hide what is plain", () => {
    const source = `const h = "${"aHR0".repeat(16_000)}";${"use(atob(h));fetch(atob(h));".repeat(100)}eval("x");`;
    expect(rulesOf(source)).toContain("eval");
  });
});

describe("what the parser may do", () => {
  test("a text counts the steps back among its reads", () => {
    const reader = countingText("ab".repeat(50_000), newReadLimits());
    const back = () => {
      for (let at = 0; at < 31_000; at++) reader.charCodeAt(at % 2 === 0 ? 5 : 0);
    };
    expect(back).not.toThrow();
    expect(back).toThrow(ReadLimitExceeded);
    const once = countingText("ab", newReadLimits());
    expect([once.charCodeAt(0), once.charCodeAt(1), once.length, `${once}`]).toEqual([97, 98, 2, "ab"]);
  });

  test.each([
    ["casts inside one another", `${"<T>(".repeat(16)}1${")".repeat(16)}`],
    ["half a million signs that only another way could read", `${"a;".repeat(200_000)}<any>a;`],
    ["an error to be forgiven in a very long source", `let a; let a;${"b;".repeat(30_000)}`],
    ["thousands of signs that open nothing", "a<b;\n".repeat(20_000)],
    ["very many blocks", `${"{".repeat(50)}0${"}".repeat(50)};`.repeat(650)],
    ["very many members", "a.b.c=d;".repeat(41_000)],
    ["very many functions", "x=>y=>z=>0;".repeat(10_250)],
    [
      "names compared with those of many blocks",
      `${"{".repeat(400)}${"var a;".repeat(40_000)}${"}".repeat(400)}`,
    ],
  ])("%s", (_name, source) => {
    expect(rulesOf(source)).toEqual(["unparsable"]);
  });

  test.each([
    ["a few casts inside one another", `${"<T>(".repeat(6)}1${")".repeat(6)}`],
    ["a cast at the end", `${"a;".repeat(10_000)}<any>a;`],
    ["an error to be forgiven", `let a; let a;${"b;".repeat(5000)}`],
    ["comparisons", "a<b;\n".repeat(5000)],
    ["blocks", "{a}".repeat(10_000)],
    ["members", "a.b.c=d;".repeat(39_000)],
    ["functions", "x=>y=>0;".repeat(10_000)],
    ["names in blocks", `${"{".repeat(20)}${"var a;".repeat(20_000)}${"}".repeat(20)}`],
  ])("%s is read", (_name, source) => {
    expect(rulesOf(source)).toEqual([]);
  });
});
