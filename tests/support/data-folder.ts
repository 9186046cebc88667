import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startStack } from "../../packages/local/src/index.ts";
import { preparedDataFolder } from "./shared.ts";

/** Starts a stack in a new folder and stops it, so that the folder contains the database, the seeds and the secrets. */
export async function makeDataFolder(): Promise<{ value: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "keyhub-prepared-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    // Started as root, Postgres runs as another user, who must be able to enter the folder.
    await chmod(folder, 0o755);
    const value = join(folder, "data");
    // Tests only copy this folder, so it need not survive a crash.
    const stack = await startStack({ dataDir: value, postgresSettings: { fsync: "off" } });
    await stack.stop();
    return { value, stop: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * Makes `dataDir` a copy of the folder that a first start makes. The copy saves the seconds of a first start, in tests that need a stack
 * but do not test how it starts. tests/stack/start.test.ts tests the first start.
 */
export async function copyDataFolder(dataDir: string): Promise<void> {
  // The option -a keeps owners and modes: Postgres refuses a cluster of another owner.
  await promisify(execFile)("cp", ["-a", await preparedDataFolder(), dataDir]);
}
