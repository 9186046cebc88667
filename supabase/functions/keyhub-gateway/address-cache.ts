/** How long the addresses of a host are remembered, in milliseconds. The operator lists the hosts, so the cache needs no size limit. */
const MAX_AGE_MS = 60_000;

/**
 * Returns a function that looks up the addresses of a host, at most once a minute. If a look-up fails, the function returns no addresses:
 * then the connection itself fails and gives the reason.
 */
export function cacheAddresses(
  ask: (host: string) => Promise<string[]>,
  now: () => number,
): (host: string) => Promise<string[]> {
  const known = new Map<string, { addresses: Promise<string[]>; until: number }>();
  return (host) => {
    let entry = known.get(host);
    if (entry === undefined || entry.until <= now()) {
      entry = { addresses: ask(host).catch(() => []), until: now() + MAX_AGE_MS };
      known.set(host, entry);
    }
    return entry.addresses;
  };
}
