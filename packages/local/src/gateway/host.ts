import type { IncomingMessage } from "node:http";
import { isLoopback } from "@keyhub/core/upstream";

const HOST = /^([A-Za-z0-9][A-Za-z0-9.-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?$/;

/**
 * Returns the host of a request in lower case, if it has exactly one Host header with a plain name or address, with or without a port.
 * Returns null for anything else, because URLs are built from it later and must not be parsed as another host.
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
 * Whether the gateway answers requests for this host, which `plainHost` returned: this machine, or a name in KEYHUB_HOSTS. Without this
 * check, a page of the internet whose own name leads to this machine (DNS rebinding) would have the same origin as everything here.
 */
export function isOwnHost(host: string, names: readonly string[]): boolean {
  const name = host.replace(/:\d+$/, "");
  return isLoopback(name) || names.includes(name);
}
