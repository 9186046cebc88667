import type { IncomingMessage } from "node:http";

/** What proxies in front of a server tell it. Nothing stands in front of this one, so that it would be made up. */
const FORWARDED =
  /^(?:forwarded|x-forwarded(?:-.*)?|x-real-ip|x-original-.*|x-rewrite-.*|x-http-method.*|x-method-override)$/i;

/** Takes out of a request whatever its sender says in the place of a proxy. */
export function dropForwardedHeaders(incoming: IncomingMessage): void {
  const { rawHeaders } = incoming;
  if (!rawHeaders.some((name, i) => i % 2 === 0 && FORWARDED.test(name))) return;
  // The text of a header follows its name.
  incoming.rawHeaders = rawHeaders.filter((_, i) => !FORWARDED.test(rawHeaders[i - (i % 2)] ?? ""));
  for (const name of Object.keys(incoming.headers)) if (FORWARDED.test(name)) delete incoming.headers[name];
}
