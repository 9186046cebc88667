import { REPORTED_CHARACTERS } from "./event-errors.ts";
import { retryAfter } from "./retry-after.ts";
import { CANCELLED, type Failure } from "./types.ts";

/** How many nested causes of an error are searched. */
const DEPTH = 5;

/**
 * Returns the report on a call that threw: the provider's status, wait and body if an SDK's error has them
 * (`status`, `statusCode`, `headers`, `error`, `responseBody`), otherwise the code or name of the runtime's error.
 */
export function failureOf(thrown: unknown, aborted = false): Failure {
  if (aborted) return CANCELLED;
  const chain = causes(thrown);
  // This error comes from Keyhub's client, not from the provider, so the failure says nothing about the key.
  if (chain[0]?.name === "KeyhubRequestError") return named("unknown");
  for (const error of chain) {
    const status = statusIn(error);
    if (status === 0) continue;
    const wait = retryAfter(
      entriesOf(error.headers ?? record(error.response).headers ?? error.responseHeaders),
      status,
    );
    const message = textIn(error);
    return {
      status: "fail",
      error_code: status,
      ...(wait !== null && { retry_after: wait }),
      ...(message !== "" && { error_message: message }),
    };
  }
  for (const error of chain.toReversed()) {
    if (typeof error.code === "string" && /^[\w.-]{1,80}$/.test(error.code)) return named(error.code);
  }
  const [{ name } = {}] = chain;
  if (name === "AbortError" || name === "APIUserAbortError") return CANCELLED;
  if (name === "TimeoutError") return named("timeout");
  return named(typeof name === "string" && /^\w{1,80}$/.test(name) ? name : "unknown");
}

const named = (error_code: string): Failure => ({ status: "fail", error_code });

/** Returns the error, then the errors that it wraps. */
function causes(thrown: unknown): Record<string, unknown>[] {
  const chain: Record<string, unknown>[] = [];
  for (let next = thrown; typeof next === "object" && next !== null && chain.length < DEPTH; ) {
    const error = record(next);
    chain.push(error);
    next = error.cause ?? error.lastError;
  }
  return chain;
}

function statusIn({ status, statusCode, response, code }: Record<string, unknown>): number {
  for (const value of [status, statusCode, record(response).status, code]) {
    if (typeof value === "number" && value >= 400 && value <= 599) return value;
  }
  return 0;
}

/** Returns the names and values of an error's headers, which may be a Headers object, a Map or a plain object. */
function entriesOf(headers: unknown): Iterable<readonly [string, unknown]> {
  const given = record(headers) as Partial<Iterable<[string, unknown]>>;
  return typeof given[Symbol.iterator] === "function" && !Array.isArray(headers)
    ? (given as Iterable<[string, unknown]>)
    : Object.entries(given);
}

/** Returns the part of the provider's body that the error contains, or else the error's message. */
function textIn({ responseBody, error, body, message }: Record<string, unknown>): string {
  for (const value of [responseBody, error, body, message]) {
    if (value === undefined || value === null || value === "") continue;
    const text = typeof value === "string" ? value : json(value);
    if (text !== "") return text.slice(0, REPORTED_CHARACTERS);
  }
  return "";
}

function json(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
