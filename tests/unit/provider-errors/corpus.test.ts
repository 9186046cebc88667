import { describe, expect, test } from "vitest";
import { classify, readWait } from "../../../packages/core/src/keys/index.ts";
import { labelledAnswers } from "../../support/answers.ts";
import { committedAnswersPage, withAnswersTable } from "../../support/answers-table.ts";

const answers = labelledAnswers();

/**
 * Answers whose words leave two outcomes possible, even for a careful operator. The service chooses the gentler outcome. It is listed here,
 * so that a change is noticed.
 */
const OPEN: Record<string, string> = {
  "azure-008": "invalid_key",
  "azure-009": "invalid_key",
  "intermediaries-006": "invalid_key",
  "fireworks-002": "caller_fault",
  "volcengine-003": "invalid_key",
  "n1-sendgrid-4": "caller_fault",
  "n2-wechat-1": "unknown",
  "n10-140": "quota_exhausted",
};

/** Answers that are classified differently from their labels: one with zai's error number 1113, and one about the full queue of a relay. */
const LOST: Record<string, string> = { "n10-175": "unknown", "n14-e076": "server_error" };

const read = ({ error_code, error_message }: (typeof answers)[number]) =>
  classify({ status: "fail", errorCode: error_code, errorMessage: error_message });

function verdictOf(answer: (typeof answers)[number]): string {
  const { outcome, disables } = read(answer);
  return disables ? `${outcome} dead` : outcome;
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
    const accepted = [OPEN[answer.id] ?? LOST[answer.id] ?? wanted, ...(answer.also ?? [])];
    expect(accepted, `${answer.error_code}: ${answer.error_message}`).toContain(verdict);
  });

  /**
   * `scope` says whose limit an answer states, and `window` says for which period. Each list has the ids of the answers whose scope or
   * window is known to be misread.
   */
  test.each([
    ["scope", ["intermediaries-002", "n10-196"]],
    ["window", ["huawei-011", "intermediaries-002", "n1-locationiq-6", "n10-294"]],
  ] as const)("the %s is read", (column, missed) => {
    const told = answers.filter(
      (answer) => answer[column] !== undefined && read(answer).outcome === answer.label,
    );
    expect(told.length).toBeGreaterThan(150);
    const wrong = told.filter((answer) => read(answer)[column] !== answer[column]);
    expect(wrong.map(({ id }) => id).sort()).toEqual([...missed].sort());
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
    const { hint } = readWait(answer.retry_after ?? null, answer.error_message);
    expect(hint).toEqual({ seconds: expect.closeTo(Number(answer.wait), 1) });
  });
});
