import { problem } from "@keyhub/core/problem";
import { failureOf } from "@keyhub/core/rotate";
import type { Refusal } from "../_shared/http.ts";

/** Ends a call with a problem of ours. */
export class Refused extends Error {
  override name = "Refused";
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.problem.code);
    this.refusal = refusal;
  }
}

/** The caller has gone: nobody reads the answer. */
export class CallerGone extends Error {
  override name = "CallerGone";
}

export function bodyTooLarge(maxBytes: number): Refusal {
  return { problem: problem("body_too_large", { detail: `The limit is ${maxBytes} bytes.` }) };
}

/** What an error of the way to a provider says to the caller. The line for the operator has no message: it may hold a URL. */
export function unreached(provider: string, error: unknown): Refusal {
  const { error_code } = failureOf(error);
  const code = error_code === "timeout" ? "upstream_timeout" : "upstream_unreachable";
  return { problem: problem(code, { provider }), log: `${code}: ${provider}, ${error_code}` };
}
