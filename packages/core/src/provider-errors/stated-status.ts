import { nameOf } from "./identifiers.ts";

/** Returns the status of the first known name in a text: "litellm.Timeout: …", "RateLimitError: …". */
export function statusNamedIn(text: string): number {
  // Connect writes gRPC's names in brackets after its class name ConnectError.
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
    // ApiError stands for any failure; its message says which one.
    if (known === undefined || /^(?:TypeError|API_?Error)$/i.test(name)) continue;
    // A name for any failure may stand around a specific one: "InternalError: … (ThrottlingException)".
    if (known.status !== 500) return known.status;
    outermost ||= known.status;
  }
  return outermost;
}

/** "Error code: 429 - …", "[429 Too Many Requests]", "got status: 429", "HTTP 429", "status_code=429", "429 RESOURCE_EXHAUSTED". */
const STATED_STATUS =
  /\bstatus of (4(?!03)\d\d|5\d\d)\b|(?:^|[^\w.])(?:error code|status code|status_code|statuscode|got status|http status|status|http|code|returned|failed with|http\/1\.1|http\/2)["']?\s{0,3}[:=]?\s{0,3}["']?\(?([45]\d\d)\b|\[([45]\d\d) [a-z]|^\W{0,3}([45]\d\d)\b|resulted in a ['`]([45]\d\d) |: ([45]\d\d)(?: \(?[A-Z]| - |\s*$)|\b(?:response|error):? ([45]\d\d)\b|[\])] ([45]\d\d) [A-Z]|\(([45]\d\d)\)|\b([45]\d\d) (?:too many requests|unauthorized|forbidden|bad request|payment required|internal server error|service unavailable|bad gateway|gateway time)/i;

export function statusIn(text: string): number {
  const found = STATED_STATUS.exec(text.slice(0, 2000));
  const stated = found?.slice(1).find((group) => group !== undefined);
  return Number(stated ?? 0);
}

/** Returns a number near the beginning that is more likely a status than a count. Never 403, because a 403 can disable a key. */
export function bareStatusIn(text: string): number {
  return Number(BARE_STATUS.exec(text.slice(0, 200))?.[1] ?? 0);
}

const BARE_STATUS =
  /(?:^|[\s([])(40[0124]|422|429|50[0234]|529)(?=[\s)\]:,]|$)(?!\s?(?:ms|s|sec|seconds|minutes|hours|tokens|characters|words|requests|calls|queries|messages|results|times|items|units|points|credits|users|files|pages|images|rows|attempts|[kmg]b|usd|%|\/|,\d|\.\d|:\d))/;

export function statusInPage(message: string): number {
  return Number(/\b([45]\d\d)\b/.exec(message.slice(0, 200))?.[1] ?? 0);
}
