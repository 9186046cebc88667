/** How long the addresses of a host are remembered, in milliseconds. The hosts are the operator's, so there are few. */
const MAX_AGE_MS = 60_000;

/** Asks for the addresses of a host, once a minute. Without DNS there are none: then the connection itself fails and says why. */
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
