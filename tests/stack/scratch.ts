import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "dotenv";
import { commandLine, fingerprint, processesWith } from "../../packages/local/src/processes/identity.ts";
import { type RunRecord, runVariable } from "../../packages/local/src/processes/run-record.ts";
import { freePort } from "../../packages/local/src/settings/ports.ts";
import { compileCache } from "../support/cli.ts";

/** Settings for clusters that are thrown away. */
export const withoutDurability = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };

/** Makes a folder that the postgres user can enter, even when the tests run as root. */
export function scratchFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "keyhub-"));
  chmodSync(path, 0o755);
  return {
    path,
    remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

export interface Run {
  pid: number;
  out(): string;
  err(): string;
  exit: Promise<number | null>;
  ready: Promise<void>;
  signal(signal: NodeJS.Signals): void;
}

export interface Place {
  env: Record<string, string>;
  port: number;
  dbPort: number;
  dataDir: string;
  envFile: string;
}

/**
 * The ports of this worker of vitest. A stack listens seconds after its ports were chosen, so a worker that chose from the same range could
 * choose the same port meanwhile.
 */
const firstPort = 15_000 + 2_000 * (Number(process.env.VITEST_POOL_ID ?? 0) % 8);
const ports = [firstPort, firstPort + 2_000] as const;

/** Returns ports and folders that no other stack uses. */
export async function place(folder: string): Promise<Place> {
  const [port, dbPort] = [await freePort(ports), await freePort(ports)];
  const [dataDir, envFile] = [join(folder, "data"), join(folder, "env")];
  const env = {
    ...compileCache,
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "",
    KEYHUB_PORT: String(port),
    KEYHUB_DB_PORT: String(dbPort),
    KEYHUB_DATA_DIR: dataDir,
    KEYHUB_ENV_FILE: envFile,
  };
  return { env, port, dbPort, dataDir, envFile };
}

const startFile = new URL("../../packages/local/src/cli/start.ts", import.meta.url).pathname;

/** Runs `npm start` without npm, in a process group of its own like a job of a terminal. */
export function start(place: Place, args: string[] = []): Run {
  const child = spawn(process.execPath, [startFile, ...args], {
    env: place.env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  const pid = child.pid as number;
  const exit = new Promise<number | null>((resolve) => {
    child.once("close", (code) => resolve(code));
    // After kill -9, children of the process may keep the pipes open, so do not wait for their end. The process's own output has been read
    // by then: it was in the pipes before the process ended, and timers run after reading.
    child.once("exit", (code) => setTimeout(resolve, 300, code));
  });
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      out += chunk;
      if (out.includes("Ctrl-C stops it")) resolve();
    });
    void exit.then(() => reject(new Error(`ended before it was ready: ${out}${err}`)));
  });
  ready.catch(() => {});
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  return { pid, exit, ready, out: () => out, err: () => err, signal: (name) => process.kill(-pid, name) };
}

/** Returns the running children of a stack by name: `postgres`, or the name of the function. */
export function children(place: Place): Record<string, number> {
  const { id } = JSON.parse(readFileSync(join(place.dataDir, "running.json"), "utf8")) as RunRecord;
  const nameOf = (pid: number) => /([\w-]+)\/index\.ts/.exec(commandLine(pid))?.[1] ?? "postgres";
  return Object.fromEntries(processesWith(runVariable, id).map((pid) => [nameOf(pid), pid]));
}

export function readEnv(place: Place): Record<string, string> {
  return parse(readFileSync(place.envFile));
}

export function isRunning(pid: number): boolean {
  return fingerprint(pid) !== undefined;
}

export function occupy(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}
