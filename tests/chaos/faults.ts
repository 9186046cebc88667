import { execFileSync } from "node:child_process";
import { isRunning } from "../stack/scratch.ts";
import { until } from "../support/until.ts";
import type { startAgents } from "./agents.ts";
import { type Fixture, WATCHER } from "./fixture.ts";

/** What can be killed: the whole server, one of its connections (which restarts all of them), or a function. */
export type Victim = "postgres" | "a connection" | "get-active-key" | "set-key-state";

type Agents = ReturnType<typeof startAgents>;

/** Kills -9 in the middle of the load, and waits until it is back and callers are served as before. */
export async function killUnderLoad(fixture: Fixture, agents: Agents, victim: Victim): Promise<void> {
  await served(agents, 60);
  const before = fixture.pids();
  if (victim === "a connection") await killConnection(fixture);
  else {
    const pid = before[victim];
    if (pid === undefined) throw new Error(`there is no process ${victim}`);
    process.kill(pid, "SIGKILL");
    await until(() => {
      const now = fixture.pids()[victim];
      return now !== undefined && now !== pid && isRunning(now);
    });
  }
  await served(agents, 60);
}

/** Waits for so many more reports that were answered. */
async function served(agents: Agents, more: number): Promise<void> {
  const goal = agents.seen.reports.length + more;
  await until(() => agents.seen.reports.length >= goal || agents.seen.faults.length > 0);
}

async function killConnection({ sql }: Fixture): Promise<void> {
  // Asked before, for the answer to this very question may get lost.
  const [row] = await sql`
    select pid from pg_stat_activity
    where backend_type = 'client backend' and application_name <> ${WATCHER} and datname = current_database()
    order by state_change desc limit 1`;
  process.kill(row?.pid, "SIGKILL");
}

/** Stops a process and all of its children where they stand; returns what lets them go on. */
export function freeze(pid: number): () => void {
  const frozen: number[] = [];
  // A child that is born meanwhile is found the next time round; the parent makes no more once it stands.
  process.kill(pid, "SIGSTOP");
  for (const child of childrenOf(pid)) {
    process.kill(child, "SIGSTOP");
    frozen.push(child);
  }
  frozen.push(pid);
  return () => {
    for (const each of frozen) if (isRunning(each)) process.kill(each, "SIGCONT");
  };
}

function childrenOf(parent: number): number[] {
  const list = execFileSync("ps", ["-axo", "pid=,ppid="], { encoding: "utf8" });
  return list
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid, ppid]) => (ppid === parent && pid !== undefined ? [pid] : []));
}
