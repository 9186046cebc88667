/** How often pg_cron calls it on a hosted project, in milliseconds. */
const EVERY_MS = 60_000;

export interface AlertTicks {
  url: string;
  secretKey: string;
  everyMs?: number | undefined;
  onLog: (line: string) => void;
}

/** Calls keyhub-alerts again and again, as the scheduler of a hosted project does. */
export function startAlertTicks({ url, secretKey, everyMs = EVERY_MS, onLog }: AlertTicks): {
  stop(): Promise<void>;
} {
  const ended = new AbortController();
  let running: Promise<void> = Promise.resolve();
  async function tick(): Promise<void> {
    try {
      const response = await fetch(`${url}/functions/v1/keyhub-alerts`, {
        method: "POST",
        headers: { apikey: secretKey },
        signal: ended.signal,
      });
      await response.body?.cancel();
      if (!response.ok) onLog(`keyhub-alerts answered ${response.status}`);
    } catch (error) {
      if (!ended.signal.aborted) onLog(`keyhub-alerts could not be called: ${(error as Error).name}`);
    }
  }
  // A slow receiver delays the next call.
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
