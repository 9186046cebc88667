import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const isLinux = process.platform === "linux";

/**
 * Returns a text that identifies a process, so that a later process with the same pid is not mistaken for it: its start time (on Linux in
 * clock ticks, with the id of the boot). Undefined when there is no such process, or only a zombie.
 */
export function fingerprint(pid: number): string | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  if (!isLinux) return ps(["-o", "lstart=", "-p", String(pid)]) || undefined;
  const stat = read(`/proc/${pid}/stat`);
  // The name is in parentheses and may itself contain spaces and parentheses. After it come the state, 18 other fields, and the start time.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (stat === "" || fields[0] === "Z" || fields[0] === "X") return undefined;
  return `${read("/proc/sys/kernel/random/boot_id").trim()}:${fields[19]}`;
}

/** Returns the command line of a process; empty when it cannot be read. */
export function commandLine(pid: number): string {
  return isLinux
    ? read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim()
    : ps(["-o", "command=", "-p", String(pid)]);
}

/** Returns the pids of processes that were started with this environment variable set to this value. */
export function processesWith(variable: string, value: string): number[] {
  const setting = `${variable}=${value}`;
  if (isLinux)
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && read(`/proc/${name}/environ`).split("\0").includes(setting))
      .map(Number);
  const lines = ps(["-axE", "-o", "pid=,command="]).split("\n");
  return lines.filter((line) => line.split(" ").includes(setting)).map((line) => Number.parseInt(line, 10));
}

/** Returns the text of a file; empty when it cannot be read, as in /proc for a process that has ended or belongs to another user. */
export function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function ps(args: string[]): string {
  try {
    return execFileSync("ps", ["-ww", ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "";
  }
}

/** Sends the signals one after another and waits after each until the process has ended. Returns false when it is still running. */
export async function endProcess(pid: number, steps: [NodeJS.Signals, waitMs: number][]): Promise<boolean> {
  const started = fingerprint(pid);
  const hasEnded = () => started === undefined || fingerprint(pid) !== started;
  for (const [signal, waitMs] of steps) {
    if (hasEnded()) return true;
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended meanwhile, or the signal is not permitted; the next check shows which.
    }
    for (const end = Date.now() + waitMs; Date.now() < end && !hasEnded(); ) await sleep(20);
  }
  return hasEnded();
}
