import { envelopeIn } from "./envelope.ts";
import { knownName, leadingCode, nameOf, READ_CHARACTERS, wordsOf } from "./identifiers.ts";
import type { ProviderError } from "./types.ts";

const MAX_MESSAGE = 6_000;

/** The parts of a report that the classification needs: the error, and the code for the log. */
export interface ReadError {
  error: ProviderError;
  /** A number of up to five digits or a known name, never free text. */
  code: string | null;
}

/** Reads a reported failure: its code, and its text in any form that callers send. */
export function readProviderError(errorCode: number | string | null, errorMessage: string | null): ReadError {
  const { status: reported, name, unknown, code, rest } = leadingCode(errorCode);
  const text = `${rest.slice(0, READ_CHARACTERS)}\n${(errorMessage ?? "").slice(0, READ_CHARACTERS)}`
    .trim()
    // Clients generated from OpenAPI write the headers in front of the body.
    .replace(/HTTP response headers:[^\n]{0,4000}\n?/, "");
  const given = name === null ? [] : [name];
  const names = wordsOf(unknown === null ? [] : [unknown]);
  if (text === "")
    return { code, error: { status: reported, form: "none", codes: new Set(given), names, message: "" } };
  const fields = isPage(text) ? null : envelopeIn(text);
  const page = isPage(text) ? text : fields?.envelope.messages.find(isDocument);
  if (page !== undefined) {
    const message = normalize(withoutTags(page));
    const status = reported || (fields?.envelope.statuses[0] ?? statusInPage(message));
    return { code, error: { status, form: "html", codes: new Set(given), names, message } };
  }
  const prefixes = prefixesOf(fields?.prose ?? text);
  const codes = new Set([
    ...given,
    ...prefixes.map((prefix) => prefix.toLowerCase()),
    ...(fields?.envelope.codes ?? []),
  ]);
  const status = wrapsAnswer(text)
    ? (fields?.envelope.statuses[0] ?? 0)
    : statusOf(reported, name !== null, fields?.envelope.statuses ?? [], fields?.prose ?? text) ||
      statusIn(fields?.envelope.messages[0] ?? "");
  const whole = normalize(
    fields === null
      ? text
      : [...fields.envelope.messages, fields.prose.trim()].filter((part) => part !== "").join(" | "),
  );
  const message = unquoted(status, whole);
  return {
    code,
    error: {
      status,
      form: fields === null ? "text" : "fields",
      codes,
      names: wordsOf([
        ...(unknown === null ? [] : [unknown]),
        ...prefixes,
        ...(fields?.envelope.names ?? []),
      ]),
      message: withoutClasses(message).replaceAll("_", " "),
    },
  };
}

function withoutTags(page: string): string {
  return page.replace(/<(script|style)\b[^>]{0,100}>[^<]{0,20000}/gi, " ").replace(/<[^<>]{0,300}>/g, " ");
}

/** Removes the class names of exceptions ("openai.error.RateLimitError") and "too many requests" after 429. They state no more than the status. */
function withoutClasses(text: string): string {
  const message = text.includes("too many requests")
    ? text.replace(/\b429:? \(?too many requests\b/g, "429")
    : text;
  if (!/error|exception/.test(message)) return message;
  return message.replace(/\b(?:[a-z_]{2,30}\.){0,4}[a-z]{4,58}(?:error|exception)\b(?!\.[a-z])/g, " ");
}

/** A prefix that runtimes and SDKs write in front of a message: "AccessDeniedException: ", "403 AllocationQuota.FreeTierOnly: ". */
const PREFIX = /[\s([]{0,3}(?:error code:? )?(?:\d{3}[\s:-]{1,3})?([A-Za-z][\w.]{3,60})[\])]?:(?!\/)/iy;

/** Returns the identifiers at the very beginning of a text, except names of an HTTP status, and then the identifier that RAISED finds. */
function prefixesOf(text: string): string[] {
  const prefixes: string[] = [];
  PREFIX.lastIndex = 0;
  for (let turn = 0; turn < 5; turn += 1) {
    const prefix = PREFIX.exec(text)?.[1];
    if (prefix === undefined) break;
    if (/[a-z][A-Z]|_|\./.test(prefix) && knownName(prefix) === undefined) prefixes.push(prefix);
  }
  const raised = RAISED.exec(text.slice(0, 600))?.[1];
  return raised === undefined ? prefixes : [...prefixes, raised];
}

/** An error as AWS's clients render it: "An error occurred (AccessDeniedException) when calling …". */
const RAISED = /\(([A-Z][A-Za-z]{3,60}(?:Exception|Fault|Error|Denied|Exceeded))\) when /;

/**
 * Returns the status of the answer: the reported one, unless the body states another one and the reported one is
 * too general (5xx, or a name that can mean any failure). Words alone never overrule a reported status.
 */
function statusOf(reported: number, isName: boolean, inBody: readonly number[], prose: string): number {
  const [outermost = 0] = inBody;
  // A name such as APIError can mean any failure, so the status comes from the text that the name wraps.
  if (isName && reported === 500) {
    const stated = outermost || statusIn(prose);
    return stated === 500 ? 0 : stated;
  }
  if (reported >= 500) return inBody.find((status) => status < 500) ?? reported;
  if (reported >= 400 && !(isName && (reported === 400 || reported === 408))) return reported;
  if (reported >= 400) return outermost || (inBody.length > 0 ? 0 : toldBy(prose) || reported);
  return outermost || statusIn(prose) || statusNamedIn(prose) || bareStatusIn(prose);
}

/** Returns whether LiteLLM reports an answer as a lost connection: "litellm.APIConnectionError: VoyageException - {…}". */
const wrapsAnswer = (text: string) => /^\s?litellm\.APIConnectionError: \w{1,40}Exception - \{"/.test(text);

/** Returns the 4xx that a text states although the error is named like a lost connection ("HttpRequestException: … 429"); else 0. */
function toldBy(prose: string): number {
  const stated = statusIn(prose.slice(0, 300));
  return stated >= 400 && stated <= 499 ? stated : 0;
}

/**
 * Returns the message of a refused request without quoted text ("Invalid value: '…'", a model's name) and without
 * addresses. The caller may have written these words, and must not be able to declare the key dead with them.
 */
function unquoted(status: number, message: string): string {
  if (status < 400 || status > 499 || ABOUT_A_LIMIT_OR_KEY.has(status)) return message;
  return message
    .replace(QUOTED_WHOLE, "$1 $2")
    .replace(/(?<!\bdetails = |\b4\d\d )"(?:[^"\\]|\\.){0,400}"|(?<![a-z])'[^']{0,400}'(?![a-z])/g, "'…'")
    .replace(/\bhttps?:\/\/(?!generativelanguage|ai\.google|console\.x\.ai)[^\s'"]{1,400}/g, "…");
}

/** A provider's message as some SDKs write it: the status, the type of the error, and then the whole message in quotes. */
const QUOTED_WHOLE =
  /^((?:error:? )?(?:http )?4\d\d(?: (?:bad request|[a-z]{1,30}_[a-z_]{1,40}))?:?|error:(?= "http error 4)) "((?:[^"\\]|\\.){0,400})"/;

/** Statuses whose message is about the key, money or a limit, not about the request. */
const ABOUT_A_LIMIT_OR_KEY: ReadonlySet<number> = new Set([401, 402, 403, 429]);

/** Returns a text in the form that the phrases of the table expect: lower case, straight quotes, single blanks. */
function normalize(text: string): string {
  return text
    .slice(0, MAX_MESSAGE)
    .replaceAll("%20", " ")
    .toLowerCase()
    .replace(/[‘’`]/g, "'")
    .replace(/\s+/g, " ")
    .trim();
}

/** Returns whether a message is a whole HTML page, not a sentence with a tag. */
const isDocument = (message: string) => /^[^<A-Za-z]{0,40}<(?:!doctype|html|head)\b/i.test(message);

/** Returns whether a text is an HTML page: it begins with a tag, or with a few words of an SDK and then a tag. */
function isPage(text: string): boolean {
  const head = text.slice(0, 2000).toLowerCase();
  const tag =
    /<(?:html|head|title|body|center|h1|meta|script|div|style|iframe|p|blockquote|table)\b|<!doctype html|<!--/.exec(
      head,
    );
  return tag !== null && !/[{[]\s{0,8}["']/.test(head.slice(0, tag.index));
}

/** Returns the status of the first known name in a text: "litellm.Timeout: …", "RateLimitError: …". */
function statusNamedIn(text: string): number {
  // The RPC library Connect writes gRPC's names of statuses in brackets after its class name ConnectError.
  const [, ofConnect = ""] =
    /\[([a-z]{7,8}|[a-z]{2,12}_[a-z]{4,12}|unauthenticated|unavailable)\] /.exec(text.slice(0, 400)) ?? [];
  const named = nameOf(ofConnect);
  if (named !== undefined) return named.status;
  let outermost = 0;
  for (const [name] of text
    .slice(0, 400)
    .matchAll(
      /\b[A-Z][A-Za-z]{2,40}(?:Error|Exception|Timeout)\b|\bTimeout(?=:)|\b[A-Z]{4,24}_[A-Z_]{4,40}\b/g,
    )) {
    const known = nameOf(name);
    // TypeError and ApiError can mean any failure, so a more specific name in the text decides.
    if (known === undefined || /^(?:TypeError|API_?Error)$/i.test(name)) continue;
    // A general name may wrap a specific one, so the search goes on: "InternalError: … (ThrottlingException)".
    if (known.status !== 500) return known.status;
    outermost ||= known.status;
  }
  return outermost;
}

/** How texts state a status: "Error code: 429 - …", "[429 Too Many Requests]", "got status: 429", "HTTP 429", "status_code=429", "429 RESOURCE_EXHAUSTED". */
const STATED_STATUS =
  /\bstatus of (4(?!03)\d\d|5\d\d)\b|(?:^|[^\w.])(?:error code|status code|status_code|statuscode|got status|http status|status|http|code|returned|failed with|http\/1\.1|http\/2)["']?\s{0,3}[:=]?\s{0,3}["']?\(?([45]\d\d)\b|\[([45]\d\d) [a-z]|^\W{0,3}([45]\d\d)\b|resulted in a ['`]([45]\d\d) |: ([45]\d\d)(?: \(?[A-Z]| - |\s*$)|\b(?:response|error):? ([45]\d\d)\b|[\])] ([45]\d\d) [A-Z]|\(([45]\d\d)\)|\b([45]\d\d) (?:too many requests|unauthorized|forbidden|bad request|payment required|internal server error|service unavailable|bad gateway|gateway time)/i;

export function statusIn(text: string): number {
  const found = STATED_STATUS.exec(text.slice(0, 2000));
  const stated = found?.slice(1).find((group) => group !== undefined);
  return Number(stated ?? 0);
}

/** Returns a number near the beginning that is more likely a status than a count. Never 403, because a 403 can disable a key. */
function bareStatusIn(text: string): number {
  return Number(BARE_STATUS.exec(text.slice(0, 200))?.[1] ?? 0);
}

const BARE_STATUS =
  /(?:^|[\s([])(40[0124]|422|429|50[0234]|529)(?=[\s)\]:,]|$)(?!\s?(?:ms|s|sec|seconds|minutes|hours|tokens|characters|words|requests|calls|queries|messages|results|times|items|units|points|credits|users|files|pages|images|rows|attempts|[kmg]b|usd|%|\/|,\d|\.\d|:\d))/;

function statusInPage(message: string): number {
  return Number(/\b([45]\d\d)\b/.exec(message.slice(0, 200))?.[1] ?? 0);
}
