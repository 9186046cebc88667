type Bytes = Uint8Array<ArrayBuffer>;

/** There is nothing to draw with, or too many wait. */
export class NotDrawn extends Error {
  override name = "NotDrawn";
}

interface Limits {
  /** So many bytes are kept, the last asked for. */
  keptBytes: number;
  /** So many callers wait for their turn; one more is refused. */
  mostWaiting: number;
}

/** Makes one thing after another, other work between them, and keeps each under its name, which stands for its content. */
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
      // The last in the order is the last asked for.
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
