import { type ProblemCode, problems } from "./codes.ts";

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

/** Makes the problem of a code. `extra` members (`detail`, `errors`, `retry_after` …) are added to the fixed ones. */
export function problem(code: ProblemCode, extra: Record<string, unknown> = {}): Problem {
  const { status, title, ...detail } = problems[code];
  return { type: `urn:keyhub:problem:${code}`, title, status, ...detail, code, ...extra };
}
