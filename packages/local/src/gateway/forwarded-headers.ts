import type { IncomingMessage } from "node:http";

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
