import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startStack } from "../../packages/local/src/index.ts";
import { preparedDataFolder } from "./shared.ts";

/** Starts a stack in a new folder and stops it: the folder then holds the database, the seeds and the secrets. */
export async function makeDataFolder(): Promise<{ value: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "keyhub-prepared-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    // Started as root, Postgres is another user and has to get in.
    await chmod(folder, 0o755);
    const value = join(folder, "data");
    const stack = await startStack({ dataDir: value });
    await stack.stop();
    return { value, stop: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * Makes `dataDir` what a first start would, without its seconds: for tests that want a stack and do not ask how it came to be.
 * First starts are tried in tests/stack/start.test.ts.
 */
export async function copyDataFolder(dataDir: string): Promise<void> {
  // With owners and modes: Postgres refuses a cluster that is not its own.
  await promisify(execFile)("cp", ["-a", await preparedDataFolder(), dataDir]);
}
