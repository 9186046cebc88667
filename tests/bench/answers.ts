import { classify } from "../../packages/core/src/keys/index.ts";
import { labelledAnswers } from "../support/answers.ts";
import { median } from "./cluster.ts";

const ROUNDS = 21;
/** The target in microseconds for one answer: a tenth of the time of the transaction that stores the report. */
const TARGET = 50;
/** The length of the longest message in characters: core cuts longer ones. */
const LONGEST = 8_192;

/** Measures the time to classify a provider's answer: all labelled answers, and the same ones followed by a long text. */
export function benchAnswers(): Promise<void> {
  const answers = labelledAnswers().map(({ error_code, error_message }) => ({
    status: "fail" as const,
    errorCode: error_code,
    errorMessage: error_message,
  }));
  const long = answers.map((answer) => ({
    ...answer,
    errorMessage: `${answer.errorMessage} `.repeat(LONGEST).slice(0, LONGEST),
  }));
  const rows = Object.entries({ labelled: answers, [`repeated up to ${LONGEST} characters`]: long }).map(
    ([what, set]) => {
      const rounds = Array.from({ length: ROUNDS }, () => {
        const started = performance.now();
        for (const answer of set) classify(answer);
        return ((performance.now() - started) * 1_000) / set.length;
      });
      const each = median(rounds);
      return {
        answers: what,
        count: set.length,
        "µs each": each.toFixed(1),
        met: what === "labelled" ? each <= TARGET : "",
      };
    },
  );
  console.table(rows);
  console.log(`Medians of ${ROUNDS} rounds over all; target at most ${TARGET} µs for an answer as it comes.`);
  return Promise.resolve();
}
