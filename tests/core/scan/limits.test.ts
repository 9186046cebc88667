import { describe, expect, test } from "vitest";
import { scanComponent } from "../../../packages/core/src/scan/index.ts";
import { parseSource } from "../../../packages/core/src/scan/parse.ts";
import { sized } from "../../bench/scan.ts";
import { expectCost, timesTheCost } from "../../support/cost.ts";
import { longComponent, SHAPES } from "./components.ts";

const PLAIN = longComponent(125_000);
const parsePlain = () => parseSource(PLAIN);

describe("what tangled sources cost", () => {
  // A shape that grows with the square of its size costs as much as thousands of such parses.
  test.each(Object.entries(SHAPES))("%s", (_name, make) => {
    const source = sized(make, 500_000);
    const scan = () => scanComponent(source);
    if (timesTheCost(scan, parsePlain, 40) <= 40) return;
    // A parser that is busy with it for long, which is bounded as well, is not for the scan to answer for.
    const parse = () => parseSource(source);
    expectCost(parse, parsePlain, 200);
    expectCost(scan, parse, 4);
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
    expect(scanComponent(source).map(({ rule }) => rule)).toEqual(["external-request"]);
  });
});
