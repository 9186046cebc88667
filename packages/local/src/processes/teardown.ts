export interface Stoppable {
  stop(): Promise<void> | void;
}

/** Collects what has been started and stops it in reverse order, including what is added while it is stopping. */
export function createTeardown() {
  const parts: Stoppable[] = [];
  let ending: Promise<void> = Promise.resolve();

  async function drain(): Promise<void> {
    for (let part = parts.pop(); part; part = parts.pop()) await part.stop();
  }

  return {
    add: <P extends Stoppable>(part: P): P => {
      parts.push(part);
      return part;
    },
    /** A place in the order for a part that is started later than those after it. The returned function puts it there. */
    reserve: <P extends Stoppable>(): ((part: P) => P) => {
      let reserved: P | undefined;
      parts.push({ stop: () => reserved?.stop() });
      return (part) => {
        reserved = part;
        return part;
      };
    },
    stop: (): Promise<void> => {
      ending = ending.then(drain);
      return ending;
    },
  };
}
