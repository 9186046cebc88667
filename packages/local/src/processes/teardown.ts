export interface Stoppable {
  stop(): Promise<void> | void;
}

/** What has been started, to be ended in the opposite order; also when more was started in the meantime. */
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
