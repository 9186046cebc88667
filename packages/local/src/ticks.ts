export interface Ticks {
  /** The function that is called. */
  name: string;
  url: string;
  secretKey: string;
  everyMs: number;
  onLog: (line: string) => void;
}

/** Calls a function at a fixed interval, as the scheduler of a hosted project does. */
export function startTicks({ name, url, secretKey, everyMs, onLog }: Ticks): {
  stop(): Promise<void>;
} {
  const ended = new AbortController();
  let running: Promise<void> = Promise.resolve();
  async function tick(): Promise<void> {
    try {
      const response = await fetch(`${url}/functions/v1/${name}`, {
        method: "POST",
        headers: { apikey: secretKey },
        signal: ended.signal,
      });
      await response.body?.cancel();
      if (!response.ok) onLog(`${name} answered ${response.status}`);
    } catch (error) {
      if (!ended.signal.aborted) onLog(`${name} could not be called: ${(error as Error).name}`);
    }
  }
  // A slow answer delays the next call.
  const timer = setInterval(() => {
    running = running.then(tick);
  }, everyMs);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      ended.abort();
      await running;
    },
  };
}
