interface Timer {
  at: number;
  fire: () => void;
}

/** A clock whose time passes only when nothing else can run. */
export class VirtualTime {
  now = 0;
  #timers: Timer[] = [];
  #stopped = false;

  readonly wait = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer = { at: this.now + ms, fire: done };
      const abort = () => {
        this.#timers = this.#timers.filter((other) => other !== timer);
        reject(signal?.reason);
      };
      function done() {
        signal?.removeEventListener("abort", abort);
        resolve();
      }
      signal?.addEventListener("abort", abort, { once: true });
      this.#timers.push(timer);
    });

  at(time: number, fire: () => void): void {
    this.#timers.push({ at: time, fire });
  }

  /** Stops everything, as a kill of the process would. */
  stop(): void {
    this.#stopped = true;
    this.#timers = [];
  }

  /** Lets time pass until nothing waits any more. Throws if something still waits after 20,000 timers. */
  async run(): Promise<void> {
    for (let step = 0; step < 20_000; step += 1) {
      // First let everything run that does not wait for time.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#stopped) return;
      const next = this.#timers.reduce<Timer | null>(
        (first, timer) => (first === null || timer.at < first.at ? timer : first),
        null,
      );
      if (next === null) return;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.now = Math.max(this.now, next.at);
      next.fire();
    }
    throw new Error("there is always something left to wait for");
  }
}
