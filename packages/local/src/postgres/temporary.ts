import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "./server.ts";

/** A Postgres for one run of a tool or of the tests: on a free port, in a folder that is removed when it stops. */
export interface TemporaryPostgres {
  url: string;
  stop(): Promise<void>;
}

/** Starts a temporary Postgres. It never flushes to disk (fsync off), because nothing outlives the run. */
export async function startTemporaryPostgres(
  settings: Record<string, string> = {},
): Promise<TemporaryPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "keyhub-postgres-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    // Started as root, Postgres runs as another user, who must be able to enter the folder.
    await chmod(folder, 0o755);
    const server = await startPostgres({
      dataDir: join(folder, "cluster"),
      port: 0,
      settings: { fsync: "off", full_page_writes: "off", ...settings },
    });
    return {
      url: server.url,
      async stop() {
        await server.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
