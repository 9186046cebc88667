import { oneLine } from "../failure.ts";
import type { Exit } from "../processes/children.ts";
import { type Postgres, type PostgresOptions, startPostgres } from "./server.ts";

export interface SupervisedPostgresOptions extends PostgresOptions {
  onLine: (line: string) => void;
  /** Called when Postgres died and cannot be restarted. */
  onLost: (message: string) => void;
}

const maxExits = 5;
const exitWindow = 60_000;

/** Runs Postgres and restarts it when it dies. Postgres then recovers committed data from its own write-ahead log. */
export async function supervisePostgres(
  options: SupervisedPostgresOptions,
): Promise<Omit<Postgres, "onExit" | "pid">> {
  let server = await startPostgres(options);
  let stopping = false;
  let recovery: Promise<void> = Promise.resolve();
  const deaths: number[] = [];
  const { port, url } = server;

  function watch(): void {
    server.onExit((exit) => {
      recovery = recover(exit);
    });
  }

  async function recover(exit: Exit): Promise<void> {
    if (stopping) return;
    const cause = exit.signal ?? `code ${exit.code}`;
    const now = Date.now();
    deaths.push(now);
    while ((deaths[0] ?? now) < now - exitWindow) deaths.shift();
    if (deaths.length > maxExits) {
      options.onLost(`Postgres died ${deaths.length} times within a minute (${cause}).`);
      return;
    }
    options.onLine(`Postgres died (${cause}); restarting it.`);
    try {
      server = await startPostgres({ ...options, port, isRestart: true });
      watch();
    } catch (error) {
      options.onLost(`Postgres died (${cause}) and cannot be restarted: ${oneLine(error)}`);
    }
  }

  watch();
  return {
    url,
    port,
    stop: async () => {
      stopping = true;
      await recovery;
      await server.stop();
    },
  };
}
