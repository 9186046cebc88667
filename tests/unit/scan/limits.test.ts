import { describe, expect, test } from "vitest";
import { scanComponent } from "../../../packages/core/src/scan/index.ts";
import { parseSource } from "../../../packages/core/src/scan/parse.ts";
import { sized } from "../../bench/scan.ts";
import { expectCost } from "../../support/cost.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { longComponent, SHAPES } from "./components.ts";

const SIZE = LONG_TESTS ? 256_000 : 64_000;
const PLAIN = longComponent(SIZE / 4);

/** The normal form has shapes of each kind; the long form has all. */
const FEW = new Set([
  "many texts appended",
  "a chain of aliases",
  "texts that double",
  "choices that multiply",
  "functions that call one another",
  "one function called everywhere",
  "a long list decoded",
  "many tags in markup",
  "a script link of spaces",
  "nested JSX",
  "nested choices",
  "nested with statements",
  "a chain of members",
  "open generics",
  "quotes that open",
  "labels over and over",
  "lists joined to themselves",
  "texts put into texts",
  "callbacks inside callbacks",
  "properties given over and over",
  "bound over and over",
]);

test("the shapes of the normal form are among all", () => {
  expect(Object.keys(SHAPES)).toEqual(expect.arrayContaining([...FEW]));
});

describe("what tangled sources cost", () => {
  test.each(Object.entries(SHAPES).filter(([name]) => LONG_TESTS || FEW.has(name)))("%s", (_name, make) => {
    const [source, eighth] = [sized(make, SIZE), sized(make, SIZE / 8)];
    // The scan is compared with the parse of an eighth of the source: linear work takes eight times as long, quadratic work 64 times. Some
    // sources are parsed in almost no time, so the parse of a plain component is added; quadratic work takes thousands of such parses.
    const measure = () => [parseSource(eighth), parseSource(PLAIN)];
    expectCost(() => scanComponent(source), measure, 32);
  });

  test("a harmless component of 512 KB has no finding", () => {
    expect(scanComponent(longComponent(512_000))).toEqual([]);
  });
});

describe("decoys do not hide the one that counts", () => {
  test("among a thousand calls", () => {
    const calls = Array.from({ length: 1000 }, (_, index) => `go("/page/${index}");`).join("");
    const source = `function go(u) { fetch(u); } ${calls} go("https://evil.example");`;
    expect(scanComponent(source).map(({ rule }) => rule)).toEqual(["external-request"]);
  });

  test("behind an expression that takes too many steps", () => {
    const list = `const a = [${"104,".repeat(5000)}];`;
    const source = `${list} fetch(a.map((c) => a.map((d) => String.fromCharCode(c ^ d)).join("")).join(""));`;
    expect(scanComponent(source).map(({ rule }) => rule)).toContain("external-request");
  });
});
