import { setTimeout as sleep } from "node:timers/promises";
import { oneLine } from "../failure.ts";
import type { Exit } from "./children.ts";
import type { Stoppable } from "./teardown.ts";

export interface Kept extends Stoppable {
  exited: Promise<Exit>;
}

export interface KeepAliveOptions {
  /** The name of the process in messages, such as `Postgres`. */
  name: string;
  /** Starts the process again. Rejects when the process does not come up, or when the signal ends the start. */
  restart(signal: AbortSignal): Promise<Kept>;
  /** The number of deaths within a minute after which the process is given up. A restart that fails is also a death. */
  maxDeaths?: number | undefined;
  onLog: (line: string) => void;
  onGivenUp: (message: string) => void;
}

const WINDOW_MS = 60_000;

/** Restarts a process whenever it dies, until `stop` is called or the process has died too often. */
export function keepAlive(first: Kept, options: KeepAliveOptions): { stop(): Promise<void> } {
  const { name, restart, maxDeaths = 20, onLog, onGivenUp } = options;
  const stopped = new AbortController();
  const { signal } = stopped;
  let running: Kept | undefined = first;
  let deaths: number[] = [];

  async function watch(): Promise<void> {
    while (running && !signal.aborted) {
      const exit: Exit = await running.exited;
      let cause: string = exit.signal ?? `code ${exit.code}`;
      running = undefined;
      while (!running && !signal.aborted) {
        const now = Date.now();
        deaths = [...deaths.filter((at) => at > now - WINDOW_MS), now];
        if (deaths.length >= maxDeaths)
          return onGivenUp(`${name} died ${deaths.length} times within a minute (${cause}).`);
        onLog(`${name} died (${cause}); restarting it.`);
        await sleep(Math.min(50 * 2 ** (deaths.length - 1), 1_000), undefined, { signal }).catch(() => {});
        if (signal.aborted) return;
        running = await restart(signal).catch((error) => {
          cause = oneLine(error);
          return undefined;
        });
      }
    }
    await running?.stop();
  }

  const watching = watch();
  return {
    stop: async () => {
      stopped.abort();
      await running?.stop();
      await watching;
    },
  };
}
