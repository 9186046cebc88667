import { type ProblemCode, problems } from "./problem-codes.ts";

/** Errors as callers receive them: the table of codes, the problem document of RFC 9457, and its rendering as an HTTP answer. */
export { isProblemCode, type ProblemCode, problems } from "./problem-codes.ts";

/** One fault of a request. `path` is the dotted path of the value, empty for the body itself. */
export interface Fault {
  path: string;
  code: string;
  message: string;
}

/** An RFC 9457 problem document without the request id, which the HTTP layer adds. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail?: string;
  code: ProblemCode;
  errors?: Fault[];
  [extension: string]: unknown;
}

/** Makes the problem document of a code. Adds the `extra` members (`errors`, `retry_after` …); an extra `detail` replaces the fixed one. */
export function problem(code: ProblemCode, extra: Record<string, unknown> = {}): Problem {
  const { status, title, ...detail } = problems[code];
  return { type: `urn:keyhub:problem:${code}`, title, status, ...detail, code, ...extra };
}

/** The content type of every problem (RFC 9457). */
export const PROBLEM_TYPE = "application/problem+json";

/** A rendered answer, which a Response or Node's ServerResponse can send. */
interface RenderedProblem {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Returns the headers of every answer, a success or an error. Pages of other origins may read it; caches must not store it. */
export function replyHeaders(requestId: string): Record<string, string> {
  return {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "Retry-After, X-Request-Id",
    "Cache-Control": "no-store",
    "X-Request-Id": requestId,
  };
}

/**
 * Renders a problem in the only form in which we send it: its document with `request_id`, and the headers that HTTP requires.
 * Retry-After repeats the member `retry_after` (seconds); a problem `unavailable` without this member gets UNAVAILABLE_SECONDS.
 * `headers` are further headers that only the caller knows, such as Allow.
 */
export function renderProblem(
  document: Problem,
  requestId: string,
  headers: Record<string, string> = {},
): RenderedProblem {
  const { status } = document;
  const wait = document.retry_after ?? (document.code === "unavailable" ? UNAVAILABLE_SECONDS : undefined);
  return {
    status,
    headers: {
      ...replyHeaders(requestId),
      "Content-Type": PROBLEM_TYPE,
      ...(status === 401 && { "WWW-Authenticate": "Bearer" }),
      ...(typeof wait === "number" && { "Retry-After": String(wait) }),
      ...headers,
    },
    body: JSON.stringify({ ...document, request_id: requestId }),
  };
}

/** Seconds after which a caller should try again when the service cannot answer. */
const UNAVAILABLE_SECONDS = 1;
