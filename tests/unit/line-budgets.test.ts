import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { BUDGETS_FILE, lineBudgets, overBudget } from "../support/line-budgets.ts";

const folder = mkdtempSync(join(tmpdir(), "keyhub-lines-"));
mkdirSync(join(folder, "scan", "inner"), { recursive: true });
writeFileSync(join(folder, "scan", "a.ts"), "a\n\nb\n");
writeFileSync(join(folder, "scan", "inner", "b.ts"), "c\nd\n");
afterAll(() => rmSync(folder, { recursive: true }));

test("a room within its budget passes", () => {
  expect(overBudget({ scan: 5 }, folder)).toEqual([]);
});

test("a room over its budget is named, with its lines and what to do", () => {
  const [fault, ...advice] = overBudget({ scan: 4 }, folder);
  expect(fault).toBe("packages/core/src/scan has 5 lines, 1 more than its budget of 4.");
  expect(advice.join(" ")).toContain("A new detector replaces one");
});

test("a room that is not there is named", () => {
  expect(overBudget({ scam: 4 }, folder)).toEqual([
    "scam of packages/core/line-budgets.json is no folder of core",
  ]);
});

test("the rooms of core keep to theirs, and the scan has one", async () => {
  expect(await lineBudgets.run()).toBeUndefined();
  expect(JSON.parse(readFileSync(BUDGETS_FILE, "utf8"))).toHaveProperty("scan");
});
