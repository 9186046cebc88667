import { classify } from "../../packages/core/src/keys/index.ts";
import { labelledAnswers } from "../support/answers.ts";
import { median } from "./cluster.ts";

const ROUNDS = 21;
/** Microseconds: a tenth of what the transaction of its report takes. */
const TARGET = 50;
/** Characters: core cuts longer messages. */
const LONGEST = 8_192;

/** How long it takes to read a provider's answer: all labelled ones, and the same with a long text after what they say. */
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
