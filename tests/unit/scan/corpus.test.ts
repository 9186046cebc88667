import { describe, expect, test } from "vitest";
import { scanComponent } from "../../../packages/core/src/scan/index.ts";
import type { Dangerous } from "../../fixtures/scan/case.ts";
import { CLEAN } from "../../fixtures/scan/clean.ts";
import { CLEAN_B } from "../../fixtures/scan/clean-b.ts";
import { CLEAN_C } from "../../fixtures/scan/clean-c.ts";
import { CLEAN_E } from "../../fixtures/scan/clean-e.ts";
import { CLEAN_G } from "../../fixtures/scan/clean-g.ts";
import { CLEAN_H } from "../../fixtures/scan/clean-h.ts";
import { CLEAN_I } from "../../fixtures/scan/clean-i.ts";
import { DISGUISED_A } from "../../fixtures/scan/disguised-a.ts";
import { DISGUISED_B } from "../../fixtures/scan/disguised-b.ts";
import { DISGUISED_C } from "../../fixtures/scan/disguised-c.ts";
import { DISGUISED_E } from "../../fixtures/scan/disguised-e.ts";
import { DISGUISED_F } from "../../fixtures/scan/disguised-f.ts";
import { DISGUISED_G } from "../../fixtures/scan/disguised-g.ts";
import { DISGUISED_H } from "../../fixtures/scan/disguised-h.ts";
import { DISGUISED_I } from "../../fixtures/scan/disguised-i.ts";
import { CLEAN_D, DISGUISED_D } from "../../fixtures/scan/hostile-d.ts";
import { PLAIN } from "../../fixtures/scan/plain.ts";
import { PLAIN_C } from "../../fixtures/scan/plain-c.ts";
import { TYPED } from "../../fixtures/scan/typed.ts";

const missed = (cases: readonly Dangerous[]) =>
  cases.filter(([rule, source]) => !scanComponent(source).some((finding) => finding.rule === rule));

describe("dangerous components", () => {
  test.each([...PLAIN, ...PLAIN_C])("plain %s: %s", (rule, source) => {
    expect(scanComponent(source).map((finding) => finding.rule)).toContain(rule);
  });

  test.each(DISGUISED_A)("disguised %s: %s", (rule, source) => {
    expect(scanComponent(source).map((finding) => finding.rule)).toContain(rule);
  });

  test.each(TYPED)("typed %s: %s", (rule, source) => {
    expect(scanComponent(source).map((finding) => finding.rule)).toContain(rule);
  });

  test("of part B none is missed", () => {
    expect(missed(DISGUISED_B)).toEqual([]);
  });

  test("of part C only a worker's own request is missed, and the worker is found", () => {
    const [[, source] = ["", ""], ...others] = missed(DISGUISED_C);
    expect(others).toEqual([]);
    expect(scanComponent(source).map((finding) => finding.rule)).toEqual(["eval"]);
  });

  test("of part E none is missed", () => {
    expect(missed(DISGUISED_E)).toEqual([]);
  });

  test("of part F only those named in docs/design/scan.md are missed", () => {
    expect(missed(DISGUISED_F).map(([, source]) => source.slice(0, 24))).toEqual(
      ["form.action='https://evil"].map((start) => start.slice(0, 24)),
    );
  });

  test("of part G only those named in docs/design/scan.md are missed", () => {
    expect(missed(DISGUISED_G).map(([, source]) => source.slice(0, 20))).toEqual(["const u = new Proxy("]);
  });

  test.each(DISGUISED_H)("of part H %s: %s", (rule, source) => {
    expect(scanComponent(source).map((finding) => finding.rule)).toContain(rule);
  });

  test.each(DISGUISED_I)("of part I %s: %s", (rule, source) => {
    expect(scanComponent(source).map((finding) => finding.rule)).toContain(rule);
  });

  test("of part D only those named in docs/design/scan.md are missed", () => {
    expect(missed(DISGUISED_D).map(([, source]) => source.slice(0, 24))).toEqual([
      "const m=new WeakMap();co",
      "const it=[fetch][Symbol.",
    ]);
  });
});

describe("harmless components", () => {
  test.each([...CLEAN, ...CLEAN_B, ...CLEAN_C, ...CLEAN_D, ...CLEAN_E, ...CLEAN_G, ...CLEAN_H, ...CLEAN_I])(
    "%s",
    (source) => {
      expect(scanComponent(source)).toEqual([]);
    },
  );
});
