/**
 * The one table of error codes. `status` is the HTTP status of the code; `title` a short, fixed English text.
 * SQL raises the same codes: `errcode = 'PT' || status`, `message = code` (PostgREST turns PT422 into a 422).
 */
export const problems = {
  malformed_json: { status: 400, title: "The body is not valid JSON" },
  missing_credential: { status: 401, title: "No credential was sent" },
  invalid_credential: { status: 401, title: "The credential is invalid, expired or revoked" },
  not_found: { status: 404, title: "Nothing is found at this address" },
  key_not_found: { status: 404, title: "No such key in the caller's pool" },
  lease_not_found: { status: 404, title: "No such lease in the caller's pool" },
  method_not_allowed: { status: 405, title: "This method is not allowed here" },
  already_reported: { status: 409, title: "The lease has been reported with another outcome" },
  body_too_large: { status: 413, title: "The body is too large" },
  unsupported_media_type: { status: 415, title: "The body must be application/json" },
  validation_failed: { status: 422, title: "The body does not fit what is expected" },
  lease_key_mismatch: { status: 422, title: "The lease is of another key" },
  internal_error: { status: 500, title: "Something went wrong on our side" },
  keys_cooling_down: { status: 503, title: "Every usable key is cooling down" },
  no_active_key: { status: 503, title: "There is no usable key" },
  unavailable: { status: 503, title: "The service cannot answer at the moment" },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problems;

/** One fault of a request. `path` is the dotted way to the value, empty for the body itself. */
export interface Fault {
  path: string;
  code: string;
  message: string;
}

/** An RFC 9457 problem document, less the request id that the HTTP layer adds. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail?: string;
  code: ProblemCode;
  errors?: Fault[];
  [extension: string]: unknown;
}

/** Makes the problem of a code; `extra` members (`detail`, `errors`, `retry_after` …) stand beside the fixed ones. */
export function problem(code: ProblemCode, extra: Record<string, unknown> = {}): Problem {
  const { status, title } = problems[code];
  return { type: `urn:keyhub:problem:${code}`, title, status, code, ...extra };
}

/** Tells whether a text, such as the message of a SQL error, is one of our codes. */
export function isProblemCode(text: unknown): text is ProblemCode {
  return typeof text === "string" && Object.hasOwn(problems, text);
}
