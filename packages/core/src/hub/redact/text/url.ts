import { REDACTED } from "../evidence/credential-value.ts";
import { isDigest, isUuid, looksRandom, looksSecret } from "../evidence/entropy.ts";
import { isPlaceholder } from "../evidence/placeholder.ts";
import { WEBHOOK_HOSTS, WEBHOOKS } from "../formats/webhooks.ts";
import type { Report, Span } from "../types.ts";

/** The longest address that is read. */
const LONGEST = 4096;

/** Removes user information and tokens in paths from the addresses of a text. Queries are read by scan.ts. */
export function redactUrls(text: string, report: Report): string {
  let at = text.indexOf("://");
  if (at < 0) return text.includes("%") && ENCODED.test(text) ? redactEncodedUrls(text, report) : text;
  let out = "";
  let kept = 0;
  for (; at >= 0; at = text.indexOf("://", at + 3)) {
    if (at < kept) continue;
    const end = endOfUrl(text, at + 3);
    for (const span of secretsOfUrl(text, at, end)) {
      report(span.rule);
      out += text.slice(kept, span.start) + REDACTED;
      kept = span.end;
    }
  }
  const result = kept === 0 ? text : out + text.slice(kept);
  return result.includes("%") && ENCODED.test(result) ? redactEncodedUrls(result, report) : result;
}

const ENCODED = /%3A%2F%2F/i;

function endOfUrl(text: string, from: number): number {
  const limit = Math.min(text.length, from + LONGEST);
  let i = from;
  for (; i < limit; i++) {
    const c = text.charCodeAt(i);
    if (c <= 32 || c === 34 || c === 39 || c === 96 || c === 60 || c === 62 || c === 92) break;
    if (c === 58 && text.startsWith("://", i)) break;
  }
  return i;
}

function* secretsOfUrl(text: string, colon: number, end: number): Generator<Span> {
  const from = colon + 3;
  let pathAt = from;
  while (pathAt < end && !/[/?#]/.test(text[pathAt] as string)) pathAt++;
  // A password may contain a slash or a question mark: then the last @ before a space counts, if no host came before it.
  let at = from + text.slice(from, pathAt).lastIndexOf("@");
  if (at < from && pathAt < end) at = strayAt(text, from, pathAt, end);
  let host = from;
  if (at >= from) {
    host = at + 1;
    pathAt = Math.max(pathAt, host);
    while (pathAt < end && !/[/?#]/.test(text[pathAt] as string)) pathAt++;
    const info = text.slice(from, at);
    const split = info.indexOf(":");
    if (split >= 0) {
      const secret = info.slice(split + 1);
      if (looksRandom(info.slice(0, split)) && !isPlaceholder(info.slice(0, split))) {
        yield { start: from, end: from + split, rule: "url-password" };
      }
      if (secret !== "" && !isUserPlaceholder(secret)) {
        yield { start: from + split + 1, end: at, rule: "url-password" };
      }
    } else if (info.length >= 16 && looksRandom(info) && !isPlaceholder(info)) {
      yield { start: from, end: at, rule: "url-password" };
    }
  }
  yield* secretsOfPath(text, host, pathAt, end);
}

/** `scheme://user:pa/ss@host`: an @ after the path began, when what stands before looks like `name:password`. */
function strayAt(text: string, from: number, pathAt: number, end: number): number {
  const authority = text.slice(from, pathAt);
  const split = authority.indexOf(":");
  if (split <= 0 || /^\d{0,5}$/.test(authority.slice(split + 1))) return -1;
  const at = text.slice(pathAt, end).indexOf("@");
  return at < 0 ? -1 : pathAt + at;
}

/** Placeholders that examples of addresses use, besides the usual ones. */
function isUserPlaceholder(secret: string): boolean {
  return (
    isPlaceholder(secret) ||
    /^(?:pass|password|passwd|pwd|secret|token|user|username|x-oauth-basic|x-access-token|auth_?token|api_?key)\]?$/i.test(
      secret,
    ) ||
    /^\$\d$/.test(secret)
  );
}

/** Words of paths and hosts: a random segment after one of them gives access by itself. */
const CAPABILITY =
  /^(?:web-?hooks?(?:-test|-waiting)?|hooks?|webhookb2|incoming(?:webhook)?|catch|callback|trigger|triggers|deploy_hooks?|build_hooks|deploy-hooks?|invoke|token|tokens|key|keys|api-?key|apikey|secret|auth|integration|integrations|sendwebhookdata|heartbeat|ping|v3|v2|exec|bot|invite|share|shared|s|magic|reset-password|reset|verify|unsubscribe)$/i;
/** The same, but only when the host or another segment names hooks. */
const AMBIGUOUS =
  /^(?:v3|v2|exec|invite|share|shared|s|magic|reset-password|reset|verify|unsubscribe|integration|integrations|invoke|trigger|triggers|callback|auth|ping|key|keys|token|tokens|bot)$/i;

function* secretsOfPath(text: string, hostAt: number, pathAt: number, end: number): Generator<Span> {
  const host = text.slice(hostAt, pathAt).toLowerCase();
  let pathEnd = pathAt;
  while (pathEnd < end && text[pathEnd] !== "?" && text[pathEnd] !== "#") pathEnd++;
  const path = text.slice(pathAt, pathEnd);
  const known = WEBHOOK_HOSTS.test(host) || path.includes("/hooks/") ? WEBHOOKS : [];
  for (const { rule, host: hosts, path: shape } of known) {
    if (!hosts.test(host)) continue;
    const match = shape.exec(path);
    const secret = match?.[1];
    if (match == null || secret === undefined || secret.startsWith("[") || isPlaceholder(secret)) continue;
    const start = pathAt + match.index + match[0].lastIndexOf(secret);
    yield { start, end: start + secret.length, rule };
    return;
  }
  if (/\.m\.pipedream\.net$/.test(host) && host.length > 24 && !host.startsWith("[")) {
    yield { start: hostAt, end: hostAt + host.indexOf("."), rule: "webhook" };
    return;
  }
  if (path.length < 12) return;
  let start = pathAt;
  let armed = false;
  let named = false;
  for (const segment of path.split("/")) {
    const bare = segment.replace(/[).,;:\]}]+$/, "");
    const wasNamed = named;
    named = KEY_SEGMENT.test(segment);
    if (armed && isCapability(bare)) {
      yield { start, end: start + bare.length, rule: "webhook" };
    } else if (wasNamed && isKeySegment(bare) && (API_HOST.test(host) || API_PATH.test(path))) {
      yield { start, end: start + bare.length, rule: "url-parameter" };
    } else if (segment !== "") {
      armed =
        (armed && /^[\w-]{1,24}$/.test(segment) && /hook/i.test(path)) ||
        (CAPABILITY.test(segment) && (!AMBIGUOUS.test(segment) || /hook/.test(host)));
    }
    start += segment.length + 1;
  }
}

/** Words of an API's paths whose next segment is a credential when it is random. */
const KEY_SEGMENT =
  /^(?:(?:api|access|auth|secret|session|user|bot)[_-]?)?(?:tokens?|keys?|secrets?|session)$/i;
const API_HOST = /^(?:[\w-]{1,40}[.-])?(?:api|rpc|svc|gateway|stream|ws)\d{0,2}[.-]/;
const API_PATH = /(?:^|\/)(?:api|v\d{1,2}|rpc|graphql)\//i;

/** Long and random, and neither a digest nor the address of an account or token on a blockchain. */
function isKeySegment(segment: string): boolean {
  if (segment.length < 20 || !/\d/.test(segment) || !/^[\w~.=-]+$/.test(segment) || isPlaceholder(segment))
    return false;
  if (
    isUuid(segment) ||
    isDigest(segment) ||
    /^[1-9A-HJ-NP-Za-km-z]{43,44}$|^[EUk0]Q[\w-]{46}$/.test(segment)
  )
    return false;
  return looksRandom(segment);
}

function isCapability(segment: string): boolean {
  if (segment.length < 10 || isPlaceholder(segment)) return false;
  return (
    isUuid(segment) ||
    (segment.length >= 16
      ? looksRandom(segment)
      : /\d/.test(segment) && looksSecret(segment) && !/^\d+$/.test(segment))
  );
}

/** Addresses that are percent-encoded inside another one: read decoded, and encoded again when something was removed. */
function redactEncodedUrls(text: string, report: Report): string {
  return text.replace(/[A-Za-z][A-Za-z0-9+.-]{1,20}%3A%2F%2F[A-Za-z0-9%._~!*'()+-]{4,2048}/gi, (encoded) => {
    let decoded: string;
    try {
      decoded = decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
    if (ENCODED.test(decoded)) return encoded;
    const clean = redactUrls(decoded, report);
    return clean === decoded ? encoded : encodeURIComponent(clean).replaceAll("%5Bredacted%5D", REDACTED);
  });
}
