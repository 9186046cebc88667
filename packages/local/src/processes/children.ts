// processes/: starts child processes, recognizes processes of earlier starts, and ends both.

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Child {
  pid: number;
  exited: Promise<Exit>;
  signal(signal: NodeJS.Signals): void;
}

export interface ChildOptions {
  cwd?: string;
  env: Record<string, string>;
  user?: { uid: number; gid: number } | undefined;
  onLine?: (line: string, stream: "stdout" | "stderr") => void;
  /** The signal for a forced stop: ends the child at once but cleanly. SIGTERM by default. */
  quickSignal?: NodeJS.Signals;
}

/** The running children, each with its signal for a forced stop. */
const running = new Map<ChildProcess, NodeJS.Signals>();

// This is the last resort for an unplanned exit. After an orderly stop the map is empty.
process.on("exit", () => {
  for (const child of running.keys()) child.kill("SIGKILL");
});

/** Sends every child its signal for a forced stop and waits up to a second. Children that still run are killed when this process exits. */
export async function endChildrenQuickly(): Promise<void> {
  const ends = [...running].map(([child, signal]) => {
    child.kill(signal);
    return new Promise((resolve) => child.once("exit", resolve));
  });
  await within(Promise.all(ends), 1_000);
}

/**
 * Starts a child in its own process group, so that Ctrl-C reaches only this process, which stops the children in order.
 */
export async function spawnChild(command: string, args: string[], options: ChildOptions): Promise<Child> {
  const child: ChildProcess = spawn(command, args, {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: options.env,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...options.user,
  });
  running.set(child, options.quickSignal ?? "SIGTERM");
  child.once("exit", () => running.delete(child));
  child.once("error", () => running.delete(child));
  const exited = new Promise<Exit>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
    // A grandchild may keep the pipes open after the child has exited, so wait at most 500 ms for them to close.
    child.once("exit", (code, signal) => setTimeout(resolve, 500, { code, signal }).unref());
  });
  if (child.stdout) forwardLines(child.stdout, "stdout", options.onLine);
  if (child.stderr) forwardLines(child.stderr, "stderr", options.onLine);
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  child.on("error", () => {});
  return {
    pid: child.pid as number,
    exited,
    signal: (signal) => void child.kill(signal),
  };
}

function forwardLines(stream: Readable, name: "stdout" | "stderr", onLine: ChildOptions["onLine"]): void {
  // Always read the output: a child blocks when its pipe is full.
  createInterface({ input: stream }).on("line", (line) => onLine?.(line, name));
}

/** Runs a short-lived command to its end. Does not reject when the exit code is not zero. */
export async function runToEnd(command: string, args: string[], options: ChildOptions) {
  const lines: string[] = [];
  const child = await spawnChild(command, args, { ...options, onLine: (line) => lines.push(line) });
  const exit = await child.exited;
  return { ...exit, output: lines.join("\n") };
}

/** Returns those of the named environment variables that are set. */
export function setVariables(names: string[], env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

/** Returns the environment variables that children inherit; all others (secrets among them) are left out. */
export function plainEnvironment(): Record<string, string> {
  return setVariables("PATH HOME TMPDIR TEMP TMP SystemRoot USERPROFILE LOCALAPPDATA APPDATA".split(" "));
}

/** Returns the result of the promise, or undefined when it takes longer than `ms`. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const abort = new AbortController();
  const late = sleep(ms, undefined, { signal: abort.signal }).catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    abort.abort();
  }
}
