export interface Stoppable {
  stop(): Promise<void> | void;
}

/** Collects the started parts and stops them in reverse order, including parts that are added while it is stopping. */
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
    stop: (): Promise<void> => {
      ending = ending.then(drain);
      return ending;
    },
  };
}
