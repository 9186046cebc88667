/** What a report means for the key. */
export type Outcome =
  | "success"
  | "rate_limited"
  | "quota_exhausted"
  | "invalid_key"
  | "refused"
  | "server_error"
  | "unreachable"
  | "intermediary"
  | "caller_fault"
  | "unknown";

/** A classified report. */
export interface Classified {
  outcome: Outcome;
  /** The provider says that the key itself is dead, so that it is disabled rather than cooled. */
  dead: boolean;
  /** The code as it is logged: a number of up to five digits or a known name, never free text. */
  code: string | null;
}

/**
 * Names that stand for an HTTP status: gRPC's (google/rpc/code.proto gives each its HTTP mapping). DEADLINE_EXCEEDED
 * and ABORTED-by-client words are network trouble between agent and provider, not an answer of the provider.
 */
const STATUS_BY_NAME: Record<string, number> = {
  RESOURCE_EXHAUSTED: 429,
  PERMISSION_DENIED: 403,
  UNAUTHENTICATED: 401,
  UNAVAILABLE: 503,
  INTERNAL: 500,
  DATA_LOSS: 500,
  UNIMPLEMENTED: 501,
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  OUT_OF_RANGE: 400,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  ABORTED: 409,
};

/** Words for "no answer came": gRPC's, those of fetch and its errors, and Node's socket codes. */
const UNREACHABLE_NAMES = new Set([
  "TIMEOUT",
  "TIMED_OUT",
  "TIMEDOUT",
  "DEADLINE_EXCEEDED",
  "NETWORK",
  "NETWORK_ERROR",
  "CANCELLED",
  "CANCELED",
  "ETIMEDOUT",
  "ECONNRESET",
  "ECONNREFUSED",
  "ECONNABORTED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
]);

/** Said by providers when money, not pace, is the limit. The bare word "quota" stands in ordinary Gemini 429s. */
const QUOTA_TEXT = /insufficient_quota|credit balance|spend limit|billing/i;
/** A 403 that refuses this request or place, not this key. */
const REFUSED_REQUEST_TEXT = /moderation|unsupported_country|region|model/i;
const DEAD_KEY_TEXT = /invalid|revoked|expired/i;
const API_KEY_INVALID = /API_KEY_INVALID/i;

/**
 * Classifies a report. The leading code of `errorCode` (a number, its text, a name, or `[code] text`) alone sets
 * the class; the text around it, and `errorMessage`, refine it only through the closed lists above. Never throws.
 */
export function classify(
  status: "success" | "fail",
  errorCode: number | string | null = null,
  errorMessage: string | null = null,
): Classified {
  if (status === "success") return { outcome: "success", dead: false, code: null };
  const { token, rest } = leadingCode(errorCode);
  const text = errorMessage === null ? rest : `${rest}\n${errorMessage}`;

  const name = token.toUpperCase();
  if (UNREACHABLE_NAMES.has(name)) return { outcome: "unreachable", dead: false, code: name };
  const named = Object.hasOwn(STATUS_BY_NAME, name) ? STATUS_BY_NAME[name] : undefined;
  const code = named !== undefined ? name : /^\d{1,5}$/.test(token) ? token : null;
  const http = named ?? (/^\d{3}$/.test(token) ? Number(token) : 0);
  return { ...byStatus(http, text), code };
}

function byStatus(http: number, text: string): { outcome: Outcome; dead: boolean } {
  const is = (outcome: Outcome, dead = false) => ({ outcome, dead });
  if (http === 429) return is(QUOTA_TEXT.test(text) ? "quota_exhausted" : "rate_limited");
  if (http === 402) return is("quota_exhausted");
  if (http === 403) return REFUSED_REQUEST_TEXT.test(text) ? is("caller_fault") : is("invalid_key", true);
  if (http === 401 || (http === 400 && API_KEY_INVALID.test(text)))
    return is("invalid_key", DEAD_KEY_TEXT.test(text));
  if (http === 408) return is("unreachable");
  if (http >= 500 && http <= 599) return is("server_error");
  if (http >= 400 && http <= 499) return is("caller_fault");
  return is("unknown");
}

/** Splits `429`, `"429 Too Many Requests"`, `"[RESOURCE_EXHAUSTED] slow down"` into the code and the rest. */
function leadingCode(errorCode: number | string | null): { token: string; rest: string } {
  const match = /^\s*(?:\[\s*)?(-?\w+(?:\.\d+)?)/.exec(String(errorCode ?? ""));
  if (match === null) return { token: "", rest: String(errorCode ?? "") };
  // A whole number may come as the text of a float.
  const token = (match[1] ?? "").replace(/\.0+$/, "");
  return { token, rest: String(errorCode).slice(match[0].length) };
}
