import { problem } from "@keyhub/core/problem";
import { failureOf } from "@keyhub/core/rotate";
import type { Refusal } from "../_shared/http.ts";

/** Ends a call with a problem of the gateway. */
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

/**
 * Returns the refusal for an error of the connection to a provider. The line for the operator leaves out the message, which may contain a
 * URL.
 */
export function unreached(provider: string, error: unknown): Refusal {
  const { error_code } = failureOf(error);
  const code = error_code === "timeout" ? "upstream_timeout" : "upstream_unreachable";
  return { problem: problem(code, { provider }), log: `${code}: ${provider}, ${error_code}` };
}
