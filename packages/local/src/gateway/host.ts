import type { IncomingMessage } from "node:http";

const HOST = /^([A-Za-z0-9][A-Za-z0-9.-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?$/;

/**
 * The host of a request, in lower case: exactly one Host header with a plain name or address, with or without a port. Null for
 * anything else, because URLs are built from it later and must not be parsed as another host.
 */
export function plainHost({ rawHeaders }: IncomingMessage): string | null {
  const hosts = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === "host");
  const host = hosts[0]?.toLowerCase();
  if (hosts.length !== 1 || host === undefined) return null;
  const name = HOST.exec(host)?.[1];
  // URL parsing rewrites odd spellings (0x7f.1 becomes 127.0.0.1): refused, too.
  return name !== undefined && URL.parse(`http://${host}/`)?.hostname === name ? host : null;
}
