import { READ_CHARACTERS } from "./limits.ts";
import { nameOf } from "./names.ts";

/** The leading code of `error_code`. Only this code says what the caller means; the text after it does not. */
export interface LeadingCode {
  /** The HTTP status, or the status of a known name; 0 when it is neither. */
  status: number;
  /** An identifier in lower case ("rate_limit_error"), whether known or not; null for a number. */
  name: string | null;
  /** The identifier in its original spelling, if it is neither a known name nor the class of an exception. */
  unknown: string | null;
  /** The code for the log: a number of up to five digits or a known name, never free text. */
  code: string | null;
  /** The text after the code. */
  rest: string;
}

/** Reads `429`, `"429 Too Many Requests"`, `"[RESOURCE_EXHAUSTED] slow down"`, `"openai.RateLimitError"`. Never throws. */
export function leadingCode(errorCode: number | string | null): LeadingCode {
  const text = String(errorCode ?? "").slice(0, READ_CHARACTERS);
  // The text may be the reason phrase of a status: "Too Many Requests".
  const phrase =
    text.length <= 40 && /^[a-z]+(?: [a-z]+){1,3}$/i.test(text)
      ? nameOf(text.replaceAll(" ", ""))
      : undefined;
  if (phrase !== undefined) {
    const { status, spelled } = phrase;
    return { status, name: spelled.toLowerCase(), unknown: null, code: spelled, rest: "" };
  }
  const match = /^\s*(?:\[\s*)?(-?\w{1,80}(?:[.:]\w{1,80}){0,6})/.exec(text);
  if (match === null) return { status: 0, name: null, unknown: null, code: null, rest: text };
  const rest = text.slice(match[0].length);
  // Callers may write a whole number as a float: "429.0".
  const token = (match[1] ?? "").replace(/\.0{1,9}$/, "");
  if (/^-?\d/.test(token)) {
    const status = /^[1-5]\d\d$/.test(token) ? Number(token) : 0;
    return { status, name: null, unknown: null, code: /^\d{1,5}$/.test(token) ? token : null, rest };
  }
  const known = knownName(token);
  return {
    status: known?.status ?? 0,
    name: (known?.spelled ?? token).toLowerCase(),
    unknown: known === undefined && !/(?:Error|Exception)$/.test(token) ? token : null,
    code: known?.spelled ?? null,
    rest: known === undefined ? text : rest,
  };
}

/** Returns the known name that a token is or ends with ("openai.RateLimitError", "java.net.SocketTimeoutException"). */
export function knownName(token: string) {
  const bare = token.slice(Math.max(token.lastIndexOf("."), token.lastIndexOf(":")) + 1);
  return nameOf(token) ?? nameOf(bare);
}
