type Bytes = Uint8Array<ArrayBuffer>;

/** The error when the host cannot draw, when drawing fails, or when too many callers wait. */
export class NotDrawn extends Error {
  override name = "NotDrawn";
}

interface Limits {
  /** The largest size of all cached results in bytes. The least recently used results are dropped first. */
  keptBytes: number;
  /** The largest number of callers that wait for a result, including the one that is being served. One more is refused. */
  mostWaiting: number;
}

/**
 * Returns a function that makes one result at a time and lets other work run between two of them. It keeps each result under its name,
 * which identifies the content.
 */
export function oneAtATime({
  keptBytes,
  mostWaiting,
}: Limits): (name: string, make: () => Promise<Bytes>) => Promise<Bytes> {
  const kept = new Map<string, Bytes>();
  let bytes = 0;
  let turn: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  const keptOf = (name: string) => {
    const found = kept.get(name);
    if (found) {
      // Move the result to the end of the map, so that the first entry is always the least recently used.
      kept.delete(name);
      kept.set(name, found);
    }
    return found;
  };

  const keep = (name: string, made: Bytes) => {
    kept.set(name, made);
    bytes += made.byteLength;
    for (const [oldest, { byteLength }] of kept) {
      if (bytes <= keptBytes || oldest === name) break;
      kept.delete(oldest);
      bytes -= byteLength;
    }
    return made;
  };

  return async (name, make) => {
    const known = keptOf(name);
    if (known) return known;
    if (waiting >= mostWaiting) throw new NotDrawn();
    waiting += 1;
    const mine = turn.then(async () => keptOf(name) ?? keep(name, await make()));
    turn = mine.catch(() => {}).then(() => new Promise((resolve) => setTimeout(resolve, 0)));
    try {
      return await mine;
    } finally {
      waiting -= 1;
    }
  };
}
