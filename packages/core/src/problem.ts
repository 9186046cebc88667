/**
 * The one table of error codes. `status` is the HTTP status of the code; `title` a short, fixed English text,
 * `detail` what the caller can do about it (an unexpected fault gives none).
 * SQL raises the same codes: `errcode = 'PT' || status`, `message = code` (PostgREST turns PT422 into a 422).
 */
export const problems = {
  malformed_json: {
    status: 400,
    title: "The body is not valid JSON",
    detail: "The body could not be parsed. Send one JSON object in UTF-8.",
  },
  missing_credential: {
    status: 401,
    title: "No credential was sent",
    detail: "Send an agent token or a user access token as Authorization: Bearer.",
  },
  invalid_credential: {
    status: 401,
    title: "The credential is invalid, expired or revoked",
    detail: "Send a valid agent token or user access token as Authorization: Bearer.",
  },
  not_found: { status: 404, title: "Nothing is found at this address", detail: "Check the path." },
  key_not_found: {
    status: 404,
    title: "No such key in the caller's pool",
    detail: "key_id names no key of the pool that this credential draws from.",
  },
  lease_not_found: {
    status: 404,
    title: "No such lease in the caller's pool",
    detail: "lease_id names no lease of the pool that this credential draws from.",
  },
  method_not_allowed: {
    status: 405,
    title: "This method is not allowed here",
    detail: "The Allow header names the methods that are.",
  },
  already_reported: {
    status: 409,
    title: "The lease has been reported with another outcome",
    detail: "A lease takes one outcome; the first report stands.",
  },
  body_too_large: { status: 413, title: "The body is too large", detail: "Send a smaller body." },
  unsupported_media_type: {
    status: 415,
    title: "The body must be application/json",
    detail: "Send Content-Type: application/json.",
  },
  validation_failed: {
    status: 422,
    title: "The body does not fit what is expected",
    detail: "errors names every fault.",
  },
  lease_key_mismatch: {
    status: 422,
    title: "The lease is of another key",
    detail: "Leave key_id out, or send the key_id that came with the lease.",
  },
  key_not_sealed: {
    status: 422,
    title: "api_key_encrypted is not a sealed text",
    detail: "Seal the key first: npm run seal -- --user <user_id>.",
  },
  internal_error: { status: 500, title: "Something went wrong on our side" },
  keys_cooling_down: {
    status: 503,
    title: "Every usable key is cooling down",
    detail: "Ask again after retry_after seconds.",
  },
  no_active_key: {
    status: 503,
    title: "There is no usable key",
    detail: "Waiting does not help: an operator has to add, enable or re-seal a key.",
  },
  unavailable: {
    status: 503,
    title: "The service cannot answer at the moment",
    detail: "Nothing was changed by this answer; try again shortly.",
  },
} as const satisfies Record<string, { status: number; title: string; detail?: string }>;

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
  const { status, title, ...detail } = problems[code];
  return { type: `urn:keyhub:problem:${code}`, title, status, ...detail, code, ...extra };
}

/** Tells whether a text, such as the message of a SQL error, is one of our codes. */
export function isProblemCode(text: unknown): text is ProblemCode {
  return typeof text === "string" && Object.hasOwn(problems, text);
}
