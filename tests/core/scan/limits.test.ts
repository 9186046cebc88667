import { describe, expect, test } from "vitest";
import { scanComponent } from "../../../packages/core/src/scan/index.ts";
import { sized } from "../../bench/scan.ts";
import { longComponent, SHAPES } from "./components.ts";

const timed = (source: string) => {
  const start = performance.now();
  scanComponent(source);
  return performance.now() - start;
};

describe("what tangled sources cost", () => {
  // A shape that grows with the square of its size takes minutes at this one; all of these take well under a second.
  test.each(Object.entries(SHAPES))("%s", (_name, make) => {
    expect(timed(sized(make, 500_000))).toBeLessThan(5_000);
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
