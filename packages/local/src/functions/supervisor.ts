// functions/: runs the edge functions, each in a Deno process of its own.

import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { oneLine, StartFailure } from "../failure.ts";
import { type Child, within } from "../processes/children.ts";
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
  /** Events of the supervisor, such as a restart. */
  onLog?: (line: string) => void;
  /** Receives each line that a function prints. Without it, onLog gets the line with the function's name in brackets. */
  onOutput?: (name: string, line: string) => void;
  /** Called when a process was started for a function, at first or after a death. */
  onPid?: (name: string, pid: number) => void;
  /** The number of deaths of one function within a minute after which the supervisor gives up. */
  maxExits?: number;
  /** Called when the supervisor gives up on a function. */
  onGivenUp?: (message: string) => void;
}

export interface Functions {
  names: string[];
  /** The port of each function. It changes with a restart; a function that is down is absent. */
  ports: Record<string, number>;
  stop(): Promise<void>;
}

const exitWindow = 60_000;

/** Runs every function in a Deno process of its own, as the platform does, and restarts one that dies. */
export async function startFunctions(options: FunctionsOptions): Promise<Functions> {
  const folder = options.functionsDir ?? functionsFolder;
  const names = (await findFunctions(folder)).filter((name) => options.names?.includes(name) ?? true);
  const ports: Record<string, number> = {};
  const children = new Map<string, Child>();
  const log = options.onLog ?? (() => {});
  const onOutput = options.onOutput ?? ((name, line) => log(`[${name}] ${line}`));
  const stopped = new AbortController();
  let keepers: Promise<void>[] = [];
  const maxExits = options.maxExits ?? 20;
  let stopping = false;

  async function launch(name: string): Promise<void> {
    const port = await serveFunction({
      folder: join(folder, name),
      env: options.env,
      hosts: options.hosts?.[name] ?? [],
      onLine: (line) => onOutput(name, line),
      onPid: (pid) => options.onPid?.(name, pid),
      onChild: (child) => {
        children.set(name, child);
        if (stopping) child.signal("SIGTERM");
      },
    });
    if (!stopping) ports[name] = port;
  }

  async function keepAlive(name: string): Promise<void> {
    const deaths: number[] = [];
    while (!stopping) {
      const exit = await children.get(name)?.exited;
      delete ports[name];
      children.delete(name);
      if (stopping) return;
      let cause: string = exit?.signal ?? `code ${exit?.code}`;
      // Each round restarts once. A restart that fails before it listens counts as a death, too.
      for (let running = false; !running && !stopping; ) {
        const now = Date.now();
        deaths.push(now);
        while ((deaths[0] ?? now) < now - exitWindow) deaths.shift();
        if (deaths.length >= maxExits) {
          options.onGivenUp?.(`function ${name} died ${deaths.length} times within a minute (${cause}).`);
          return;
        }
        log(`function ${name} died (${cause}); restarting it.`);
        const wait = Math.min(50 * 2 ** (deaths.length - 1), 1_000);
        await sleep(wait, undefined, { signal: stopped.signal }).catch(() => {});
        if (stopping) return;
        try {
          await launch(name);
          running = true;
        } catch (error) {
          cause = oneLine(error);
        }
      }
    }
  }

  async function stop(): Promise<void> {
    stopping = true;
    stopped.abort();
    for (const child of children.values()) child.signal("SIGTERM");
    await Promise.all([...children.values()].map(end));
    await Promise.all(keepers);
  }

  const launched = await Promise.allSettled(names.map(launch));
  for (const [index, outcome] of launched.entries()) {
    if (outcome.status === "fulfilled") continue;
    await stop();
    if (outcome.reason instanceof StartFailure) throw outcome.reason;
    throw new StartFailure(`function ${names[index]} does not start: ${oneLine(outcome.reason)}`);
  }
  keepers = names.map(keepAlive);
  return {
    names,
    ports,
    stop,
  };
}

async function end(child: Child): Promise<void> {
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
