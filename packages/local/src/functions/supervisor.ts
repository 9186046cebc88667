// functions/: runs the edge functions, each in a Deno process of its own.

import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { oneLine, StartFailure } from "../failure.ts";
import { type Child, within } from "../processes/children.ts";
import { type Kept, keepAlive } from "../processes/keep-alive.ts";
import { functionsFolder } from "../settings/paths.ts";
import { serveFunction } from "./deno.ts";

export interface FunctionsOptions {
  /** The folder of the functions. Every folder in it with an index.ts and without a leading underscore is a function. */
  functionsDir?: string;
  /** The functions to run; all when undefined. */
  names?: string[];
  /** The environment of every function. */
  env: Record<string, string>;
  /** The hosts that each function may reach besides loopback, by the function's name. */
  hosts?: Record<string, string[]>;
  /** Receives a line for each event of the supervisor, such as a restart. */
  onLog?: (line: string) => void;
  /** Receives each line that a function prints. Without it, onLog gets the line with the function's name in brackets. */
  onOutput?: (name: string, line: string) => void;
  /** Called when a process serves a function, at first or after a death. */
  onPid?: (name: string, pid: number) => void;
  /** The number of deaths of one function within a minute after which the supervisor gives up. */
  maxDeaths?: number;
  /** Called when the supervisor gives up on a function. */
  onGivenUp?: (message: string) => void;
}

export interface Functions {
  names: string[];
  /** The port of each function. It changes with a restart; a function that is down is absent. */
  ports: Record<string, number>;
  stop(): Promise<void>;
}

/** Runs every function in a Deno process of its own, as the platform does, and restarts one that dies. */
export async function startFunctions(options: FunctionsOptions): Promise<Functions> {
  const { functionsDir: folder = functionsFolder, onLog = () => {} } = options;
  const { onOutput = (name, line) => onLog(`[${name}] ${line}`), onGivenUp = () => {} } = options;
  const names = (await findFunctions(folder)).filter((name) => options.names?.includes(name) ?? true);
  const ports: Record<string, number> = {};

  async function launch(name: string, signal?: AbortSignal): Promise<Kept> {
    const { child, port } = await serveFunction({
      folder: join(folder, name),
      env: options.env,
      hosts: options.hosts?.[name] ?? [],
      onLine: (line) => onOutput(name, line),
      signal,
    });
    ports[name] = port;
    options.onPid?.(name, child.pid);
    const exited = child.exited.finally(() => delete ports[name]);
    return { exited, stop: () => end(child) };
  }

  const launched = await Promise.allSettled(names.map((name) => launch(name)));
  const failed = launched.findIndex(({ status }) => status === "rejected");
  if (failed !== -1) {
    await Promise.all(launched.map((one) => one.status === "fulfilled" && one.value.stop()));
    const { reason } = launched[failed] as PromiseRejectedResult;
    if (reason instanceof StartFailure) throw reason;
    throw new StartFailure(`function ${names[failed]} does not start: ${oneLine(reason)}`);
  }
  const kept = launched.flatMap((one, i) => {
    const name = names[i] ?? "";
    const restart = (signal: AbortSignal) => launch(name, signal);
    const { maxDeaths } = options;
    return one.status === "fulfilled"
      ? [keepAlive(one.value, { name: `function ${name}`, restart, maxDeaths, onLog, onGivenUp })]
      : [];
  });
  return { names, ports, stop: async () => void (await Promise.all(kept.map(({ stop }) => stop()))) };
}

async function end(child: Child): Promise<void> {
  child.signal("SIGTERM");
  if (await within(child.exited, 3_000)) return;
  child.signal("SIGKILL");
  await child.exited;
}

/** Returns the names of the functions in a folder. */
export async function findFunctions(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("_"))
    .map((entry) => entry.name)
    .filter((name) => existsSync(join(folder, name, "index.ts")))
    .sort();
}
