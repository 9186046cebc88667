import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { classify } from "../../packages/core/src/keys/index.ts";
import { labelledAnswers } from "./answers.ts";
import { markdownTable, replaceBetween } from "./markdown-table.ts";

/** The page with the generated table. The table is between the two markers. */
export const answersPage: string = fileURLToPath(new URL("../../docs/design/answers.md", import.meta.url));
const MARKERS: [string, string] = ["<!-- corpus: made by npm run generate -->", "<!-- end of corpus -->"];

/** Returns the page with the table replaced by one from the present corpus and classifier. */
export function withAnswersTable(page: string): string {
  return replaceBetween(page, MARKERS, answersTable());
}

export const committedAnswersPage = (): string => readFileSync(answersPage, "utf8");

/**
 * Returns a table with a row for each outcome with which the corpus labels answers: the number of these answers, how many of them the
 * classifier reads as this outcome, and what it reads the others as.
 */
function answersTable(): string {
  const rows = new Map<string, { all: number; right: number; others: string[] }>();
  for (const { label, dead, also = [], error_code, error_message } of labelledAnswers()) {
    const read = classify({ status: "fail", errorCode: error_code, errorMessage: error_message });
    const wanted = dead ? `${label}, disabled` : label;
    const got = read.disables ? `${read.outcome}, disabled` : read.outcome;
    const row = rows.get(wanted) ?? { all: 0, right: 0, others: [] };
    row.all += 1;
    if (got === wanted || also.includes(read.outcome)) row.right += 1;
    else row.others.push(got);
    rows.set(wanted, row);
  }
  const lines = [...rows].sort(([, a], [, b]) => b.all - a.all);
  return markdownTable([
    ["wanted", "answers", "correct", "others read as"],
    ...lines.map(([wanted, { all, right, others }]) => [
      wanted,
      String(all),
      String(right),
      others.join(", ") || "–",
    ]),
  ]);
}
