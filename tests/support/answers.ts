import { readdirSync, readFileSync } from "node:fs";
import type { FailureScope, Outcome, Verdict } from "../../packages/core/src/keys/index.ts";
import { classify } from "../../packages/core/src/keys/index.ts";

/** One labelled answer; tests/fixtures/answers/README.md describes its fields. */
export interface LabelledAnswer {
  id: string;
  provider: string | null;
  error_code: number | string | null;
  retry_after?: number | string;
  error_message: string;
  label: Outcome;
  dead?: boolean;
  also?: string[];
  scope?: FailureScope;
  window?: Verdict["window"];
  model?: string;
  wait?: number | "none";
  source: string;
}

const folder = new URL("../fixtures/answers/", import.meta.url);

/** Returns every answer of the corpus. */
export function labelledAnswers(): LabelledAnswer[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".jsonl"))
    .sort()
    .flatMap((file) => readFileSync(new URL(file, folder), "utf8").trim().split("\n"))
    .map((line) => JSON.parse(line));
}

/** Returns how a report is classified: the outcome, and whether the key is disabled. */
export const verdict = (errorCode: number | string | null, errorMessage: string | null) => {
  const { outcome, disables } = classify({ status: "fail", errorCode, errorMessage });
  return disables ? `${outcome} dead` : outcome;
};
