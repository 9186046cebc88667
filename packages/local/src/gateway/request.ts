import type { IncomingMessage } from "node:http";
import { isLoopback } from "@keyhub/core/upstream";

const HOST = /^([A-Za-z0-9][A-Za-z0-9.-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?$/;

/**
 * Returns the host of a request in lower case, if it has exactly one Host header with a plain name or address, with or without a port.
 * Returns null for anything else, because a URL that is built from the host later must not be parsed as another host.
 */
export function plainHost({ rawHeaders }: IncomingMessage): string | null {
  const hosts = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === "host");
  const host = hosts[0]?.toLowerCase();
  if (hosts.length !== 1 || host === undefined) return null;
  const name = HOST.exec(host)?.[1];
  // URL parsing rewrites odd spellings (0x7f.1 becomes 127.0.0.1), so these are refused, too.
  return name !== undefined && URL.parse(`http://${host}/`)?.hostname === name ? host : null;
}

/**
 * Returns whether the gateway answers requests for this host, which `plainHost` returned: this machine, or a name in KEYHUB_HOSTS. Without
 * this check, a page of the internet whose own name leads to this machine (DNS rebinding) would have the same origin as the stack.
 */
export function isOwnHost(host: string, names: readonly string[]): boolean {
  const name = host.replace(/:\d+$/, "");
  return isLoopback(name) || names.includes(name);
}

/** Headers that a proxy in front of a server adds. No proxy is in front of this one, so a client that sends them forges them. */
const FORWARDED =
  /^(?:forwarded|x-forwarded(?:-.*)?|x-real-ip|x-original-.*|x-rewrite-.*|x-http-method.*|x-method-override)$/i;

/** Removes the headers that match FORWARDED from a request. */
export function dropForwardedHeaders(incoming: IncomingMessage): void {
  const { rawHeaders } = incoming;
  if (!rawHeaders.some((name, i) => i % 2 === 0 && FORWARDED.test(name))) return;
  // rawHeaders alternates names and values: i - (i % 2) is the index of the name.
  incoming.rawHeaders = rawHeaders.filter((_, i) => !FORWARDED.test(rawHeaders[i - (i % 2)] ?? ""));
  for (const name of Object.keys(incoming.headers)) if (FORWARDED.test(name)) delete incoming.headers[name];
}

/** Matches a segment of a path: the characters that need no escape, and escapes only of characters that need one. */
const SEGMENT =
  /^(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%(?:2[0-24,6-9A-Da-d]|3[A-Ea-e]|40|5[BbDdEe]|60|7[B-Db-d]|[89A-Fa-f][0-9A-Fa-f]))*$/;
const QUERY = /^[!-"$-~]*$/;

export interface RequestTarget {
  path: string;
  /** The query with its question mark; empty when there is no query. */
  query: string;
}

/**
 * Parses the target of a request line. Returns null when two parsers could read it differently: it must begin with exactly one slash, have
 * no empty segment but the last, no `.` or `..`, and no needless escape (of a slash, a dot, a letter, a percent sign). So every later
 * parser sees the same path that was checked here.
 */
export function readTarget(target: string): RequestTarget | null {
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? "" : target.slice(mark);
  const [start, ...segments] = path.split("/");
  if (start !== "" || segments.length === 0 || !QUERY.test(query)) return null;
  const plain = segments.every(
    (segment, i) => isPlain(segment) && (segment !== "" || i === segments.length - 1),
  );
  return plain ? { path, query } : null;
}

function isPlain(segment: string): boolean {
  // Some servers cut a segment at the semicolon, so they read `..;x` as `..`.
  if (!SEGMENT.test(segment) || /^\.{1,2}(?:;|$)/.test(segment)) return false;
  try {
    // Refuse bytes that are not UTF-8, because others may decode them differently.
    decodeURIComponent(segment);
    return true;
  } catch {
    return false;
  }
}
