import { keepAlive } from "../processes/keep-alive.ts";
import { type Postgres, type PostgresOptions, startPostgres } from "./server.ts";

export interface SupervisedPostgresOptions extends PostgresOptions {
  onLine: (line: string) => void;
  /** Called when Postgres has died and cannot be restarted. */
  onLost: (message: string) => void;
}

/**
 * Runs Postgres and restarts it when it dies, on the same port. Postgres then recovers committed data from its own write-ahead log. Right
 * after a death the port may be in use, because a client that keeps trying to reconnect to a free port can connect to itself. So the
 * restart is repeated for about 5 s. Each failed restart counts as a death, and the tenth death is the last.
 */
export async function supervisePostgres(
  options: SupervisedPostgresOptions,
): Promise<Pick<Postgres, "url" | "stop">> {
  const server = await startPostgres(options);
  const restart = () => startPostgres({ ...options, port: server.port });
  const { onLine: onLog, onLost: onGivenUp } = options;
  const { stop } = keepAlive(server, { name: "Postgres", restart, maxDeaths: 10, onLog, onGivenUp });
  return { url: server.url, stop };
}
