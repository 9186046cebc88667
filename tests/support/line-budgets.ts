import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./cli.ts";
import type { Check } from "./static-checks.ts";

/**
 * line-budgets.json lists folders of packages/core/src, each with the number of lines that it may have at most. The code of these folders
 * handles single cases, so it would grow with each new case.
 */
export const BUDGETS_FILE = join(repository, "packages", "core", "line-budgets.json");

export const lineBudgets: Check = {
  name: "rooms of core keep to their line budgets",
  run: async () => {
    const budgets = JSON.parse(readFileSync(BUDGETS_FILE, "utf8")) as Record<string, number>;
    const faults = overBudget(budgets, join(repository, "packages", "core", "src"));
    return faults.length === 0 ? undefined : `${faults.join("\n")}\n`;
  },
};

/** Returns a message for each listed folder that has more lines than its budget, or that does not exist. */
export function overBudget(budgets: Readonly<Record<string, number>>, folder: string): string[] {
  return Object.entries(budgets).flatMap(([room, most]) => {
    if (!existsSync(join(folder, room)))
      return [`${room} of packages/core/line-budgets.json is no folder of core`];
    const lines = linesIn(join(folder, room));
    if (lines <= most) return [];
    return [
      `packages/core/src/${room} has ${lines} lines, ${lines - most} more than its budget of ${most}.`,
      "A new detector replaces one, or raises the budget in packages/core/line-budgets.json in a commit that names the",
      "real file that needs it.",
    ];
  });
}

/** Counts the lines of all files of a folder, with comments and blank lines. */
function linesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, { parentPath, name }) =>
        sum + readFileSync(join(parentPath, name), "utf8").split("\n").length - 1,
      0,
    );
}
