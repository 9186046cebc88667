import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Returns a text that identifies a process, so that a later one with the same pid is not mistaken for it: its start time (on Linux in clock
 * ticks, with the id of the boot). Undefined when there is no such process, or only a zombie.
 */
export function fingerprint(pid: number): string | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  try {
    if (process.platform === "linux") {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // The command name is in parentheses and may itself contain spaces and parentheses.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const [state, started] = [fields[0], fields[19]];
      if (state === "Z" || state === "X") return undefined;
      return `${bootId()}:${started}`;
    }
    return ps("lstart=", pid) || undefined;
  } catch {
    return undefined;
  }
}

/** Returns the command line of a process; empty when it cannot be read. */
export function commandLine(pid: number): string {
  try {
    if (process.platform !== "linux") return ps("command=", pid);
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

/** Returns the pids of processes that were started with this environment variable set to this value. */
export function processesWith(variable: string, value: string): number[] {
  const setting = `${variable}=${value}`;
  if (process.platform !== "linux") {
    const lines = listing(["-axwwE", "-o", "pid=,command="]).split("\n");
    return lines.filter((line) => line.split(" ").includes(setting)).map((line) => Number.parseInt(line, 10));
  }
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => environmentOf(pid).includes(setting)).map(Number);
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    // The process has ended, or belongs to another user.
    return [];
  }
}

function listing(args: string[]): string {
  try {
    return execFileSync("ps", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return "";
  }
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

function ps(column: string, pid: number): string {
  return execFileSync("ps", ["-ww", "-o", column, "-p", String(pid)], { encoding: "utf8" }).trim();
}

/** Sends the signals one after another and waits after each until the process has ended. Returns false when it is still running. */
export async function endProcess(
  pid: number,
  started: string,
  steps: [NodeJS.Signals, waitMs: number][],
): Promise<boolean> {
  for (const [signal, waitMs] of steps) {
    if (fingerprint(pid) !== started) return true;
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended meanwhile, or the signal is not permitted; the next check shows which.
    }
    for (const end = Date.now() + waitMs; Date.now() < end; ) {
      if (fingerprint(pid) !== started) return true;
      await sleep(20);
    }
  }
  return fingerprint(pid) !== started;
}
