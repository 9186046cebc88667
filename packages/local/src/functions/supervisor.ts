// functions/: runs the edge functions, each in a Deno process of its own, which starts at the function's first call.

import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { oneLine } from "../failure.ts";
import { type Child, within } from "../processes/children.ts";
import { type Kept, keepAlive } from "../processes/keep-alive.ts";
import type { Stoppable } from "../processes/teardown.ts";
import { functionsFolder } from "../settings/paths.ts";
import { findDeno, serveFunction } from "./deno.ts";

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
  /** Called when a process begins to serve a function: at the first start, and at each restart after a death. */
  onPid?: (name: string, pid: number) => void;
  /** The number of deaths of one function within a minute after which the supervisor gives up. */
  maxDeaths?: number;
  /** Called when the supervisor gives up on a function. */
  onGivenUp?: (message: string) => void;
}

export interface Functions {
  names: string[];
  /**
   * Returns the port of a function, and starts the function at its first call. The port changes with a restart. Returns undefined while the
   * function is down: it is being restarted, or does not start (then onLog gets the cause, and the next call tries again).
   */
  port(name: string): Promise<number | undefined>;
  stop(): Promise<void>;
}

/** Runs every function in a Deno process of its own, from its first call on, as the platform does, and restarts one that dies. */
export async function startFunctions(options: FunctionsOptions): Promise<Functions> {
  const { functionsDir: folder = functionsFolder, maxDeaths, onLog = () => {} } = options;
  const { onOutput = (name, line) => onLog(`[${name}] ${line}`), onGivenUp = () => {} } = options;
  const names = (await findFunctions(folder)).filter((name) => options.names?.includes(name) ?? true);
  const deno = findDeno();
  const ports: Record<string, number> = {};
  const stopped = new AbortController();
  /** The functions that were called, with their first start. */
  const started = new Map<string, Promise<Stoppable | undefined>>();

  async function launch(name: string, signal: AbortSignal): Promise<Kept> {
    const { child, port } = await serveFunction({
      deno,
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

  async function start(name: string): Promise<Stoppable | undefined> {
    try {
      const first = await launch(name, stopped.signal);
      const restart = (signal: AbortSignal) => launch(name, signal);
      return keepAlive(first, { name: `function ${name}`, restart, maxDeaths, onLog, onGivenUp });
    } catch (error) {
      started.delete(name);
      if (!stopped.signal.aborted) onLog(`function ${name} does not start: ${oneLine(error)}`);
      return undefined;
    }
  }

  return {
    names,
    port: async (name) => {
      const first = started.get(name) ?? start(name);
      started.set(name, first);
      await first;
      return ports[name];
    },
    stop: async () => {
      stopped.abort();
      await Promise.all([...started.values()].map(async (first) => (await first)?.stop()));
    },
  };
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
