import type { IncomingMessage } from "node:http";

/** What proxies in front of a server tell it. Nothing stands in front of this one, so that it would be made up. */
const HEARSAY =
  /^(?:forwarded|x-forwarded(?:-.*)?|x-real-ip|x-original-.*|x-rewrite-.*|x-http-method.*|x-method-override)$/i;

/** Takes out of a request whatever its sender says in the place of a proxy. */
export function dropHearsay(incoming: IncomingMessage): void {
  const { rawHeaders } = incoming;
  if (!rawHeaders.some((name, i) => i % 2 === 0 && HEARSAY.test(name))) return;
  // The text of a header follows its name.
  incoming.rawHeaders = rawHeaders.filter((_, i) => !HEARSAY.test(rawHeaders[i - (i % 2)] ?? ""));
  for (const name of Object.keys(incoming.headers)) if (HEARSAY.test(name)) delete incoming.headers[name];
}
