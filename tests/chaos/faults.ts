import { execFileSync } from "node:child_process";
import { isRunning } from "../stack/scratch.ts";
import { until } from "../support/until.ts";
import type { startAgents } from "./agents.ts";
import { type Fixture, WATCHER } from "./fixture.ts";

/** What can be killed: the whole database server, the process of one connection (then Postgres restarts all of these), or a function. */
export type Victim = "postgres" | "a connection" | "get-active-key" | "set-key-state";

type Agents = ReturnType<typeof startAgents>;

/**
 * Kills the victim with SIGKILL under load, and waits until the victim is restarted and callers are served again: so many reports are
 * answered before and after.
 */
export async function killUnderLoad(
  fixture: Fixture,
  agents: Agents,
  victim: Victim,
  reports = 30,
): Promise<void> {
  await served(fixture, agents, reports);
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
  await served(fixture, agents, reports);
}

/** Waits until `more` further reports are answered. Throws at once when an agent meets a fault. */
async function served({ output }: Fixture, { seen }: Agents, more: number): Promise<void> {
  const goal = seen.reports.length + more;
  await until(() => seen.reports.length >= goal || seen.faults.length > 0);
  if (seen.faults.length > 0) throw new Error(`agents met faults: ${seen.faults.join("; ")}\n${output()}`);
}

async function killConnection({ sql }: Fixture): Promise<void> {
  // Choose the connection before the kill, because this query's answer may be lost.
  const [row] = await sql`
    select pid from pg_stat_activity
    where backend_type = 'client backend' and application_name <> ${WATCHER} and datname = current_database()
    order by state_change desc limit 1`;
  process.kill(row?.pid, "SIGKILL");
}

/** Freezes a process and all its children (SIGSTOP); returns a function that continues them. */
export function freeze(pid: number): () => void {
  const frozen: number[] = [];
  // Freeze the parent before listing its children: a running parent could fork another child after the list was made.
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
