import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

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
}

/**
 * Starts a child in a process group of its own, so that Ctrl-C on the terminal reaches only us and we decide
 * the order in which the children end.
 */
export async function spawnChild(command: string, args: string[], options: ChildOptions): Promise<Child> {
  const child: ChildProcess = spawn(command, args, {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: options.env,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...options.user,
  });
  const exited = new Promise<Exit>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
    // A grandchild may hold the pipes open for long after the child itself is gone.
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
  // Always read: a child blocks for ever on a full pipe that nobody empties.
  createInterface({ input: stream }).on("line", (line) => onLine?.(line, name));
}

/** Runs a short-lived command to its end; never rejects on a non-zero exit. */
export async function runToEnd(command: string, args: string[], options: ChildOptions) {
  const lines: string[] = [];
  const child = await spawnChild(command, args, { ...options, onLine: (line) => lines.push(line) });
  const exit = await child.exited;
  return { ...exit, output: lines.join("\n") };
}

/** The variables a child may inherit; the rest of our environment is none of its business. */
export function plainEnvironment(): Record<string, string> {
  const kept = [
    "PATH",
    "HOME",
    "TMPDIR",
    "TEMP",
    "TMP",
    "SystemRoot",
    "USERPROFILE",
    "LOCALAPPDATA",
    "APPDATA",
  ];
  return Object.fromEntries(kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/**
 * What tells one process from a later one with the same pid: its start time (on Linux in clock ticks, with the
 * boot it belongs to). Undefined when there is no such process, or when it is dead and only not yet reaped.
 */
export async function fingerprint(pid: number): Promise<string | undefined> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  try {
    if (process.platform === "linux") {
      const stat = await readFile(`/proc/${pid}/stat`, "utf8");
      // The command name stands in parentheses and may itself hold spaces and parentheses.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const [state, started] = [fields[0], fields[19]];
      if (state === "Z" || state === "X") return undefined;
      const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
      return `${boot.trim()}:${started}`;
    }
    const { stdout } = await run("ps", ["-o", "lstart=", "-p", String(pid)]);
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}

/** The command line of a process, for telling whose it is; empty when it cannot be read. */
export async function commandLine(pid: number): Promise<string> {
  try {
    if (process.platform === "linux") {
      return (await readFile(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ").trim();
    }
    return (await run("ps", ["-ww", "-o", "command=", "-p", String(pid)])).stdout.trim();
  } catch {
    return "";
  }
}

/** Sends the signals in turn, each after its wait, until the process is gone. False when it outlived them all. */
export async function endProcess(
  pid: number,
  started: string,
  steps: [NodeJS.Signals, waitMs: number][],
): Promise<boolean> {
  for (const [signal, waitMs] of steps) {
    if ((await fingerprint(pid)) !== started) return true;
    try {
      process.kill(pid, signal);
    } catch {
      // Gone between the look and the signal, or not ours to end: the next look tells.
    }
    for (const end = Date.now() + waitMs; Date.now() < end; ) {
      if ((await fingerprint(pid)) !== started) return true;
      await sleep(20);
    }
  }
  return (await fingerprint(pid)) !== started;
}

/** Resolves to undefined when the promise is not settled in time. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const abort = new AbortController();
  const late = sleep(ms, undefined, { signal: abort.signal }).catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    abort.abort();
  }
}
