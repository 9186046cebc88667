import type { IncomingMessage } from "node:http";

const HOST = /^([A-Za-z0-9][A-Za-z0-9.-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?$/;

/**
 * The host that a request names, in lower case: exactly one Host header, a plain name or address with or without a port.
 * Null for anything else: addresses are built from it further on, and must not come out as another one.
 */
export function plainHost({ rawHeaders }: IncomingMessage): string | null {
  const hosts = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === "host");
  const host = hosts[0]?.toLowerCase();
  if (hosts.length !== 1 || host === undefined) return null;
  const name = HOST.exec(host)?.[1];
  // An odd spelling, such as 0x7f.1 of 127.0.0.1, is read as another host: refused as well.
  return name !== undefined && URL.parse(`http://${host}/`)?.hostname === name ? host : null;
}
