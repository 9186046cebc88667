import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * What tells one process from a later one with the same pid: its start time (on Linux in clock ticks, with the
 * boot it belongs to). Undefined when there is no such process, or when it is dead and only not yet reaped.
 */
export function fingerprint(pid: number): string | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  try {
    if (process.platform === "linux") {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // The command name stands in parentheses and may itself hold spaces and parentheses.
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

/** The command line of a process, for telling whose it is; empty when it cannot be read. */
export function commandLine(pid: number): string {
  try {
    if (process.platform !== "linux") return ps("command=", pid);
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

/** The processes whose environment, as it was when they began, has that variable with that value. */
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
    // Gone meanwhile, or somebody else's.
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

/** Sends the signals in turn, each after its wait, until the process is gone. False when it outlived them all. */
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
      // Gone between the look and the signal, or not ours to end: the next look tells.
    }
    for (const end = Date.now() + waitMs; Date.now() < end; ) {
      if (fingerprint(pid) !== started) return true;
      await sleep(20);
    }
  }
  return fingerprint(pid) !== started;
}
