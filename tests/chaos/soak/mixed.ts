import { startCluster } from "../../bench/cluster.ts";
import { addKey, makeUser } from "../../support/keys.ts";
import { agent, type Callers } from "./mixed-agents.ts";
import { operator } from "./mixed-operators.ts";
import { countAdjustments, exactCounts } from "./mixed-usage-counts.ts";
import { MIXED_SECONDS, progress } from "./settings.ts";

const AGENTS = 58;
const OPERATORS = 6;
const USERS = 3;
const KEYS_EACH = 12;

/** Mixes leases, reports and every kind of operator's edit on 64 connections; no caller may get a deadlock. */
export async function soakMixed(): Promise<string[]> {
  const cluster = await startCluster();
  try {
    const { sql } = cluster;
    await countAdjustments(sql);
    const users: string[] = [];
    for (let i = 0; i < USERS; i += 1) {
      const userId = await makeUser(sql);
      for (let k = 0; k < KEYS_EACH; k += 1) await addKey(sql, userId, { priority: k % 3 });
      users.push(userId);
    }
    const shared: Callers = {
      users,
      end: performance.now() + MIXED_SECONDS * 1_000,
      leases: [],
      told: {},
      broken: [],
    };
    const edits: Record<string, number> = {};
    const connections = await cluster.callers(AGENTS + OPERATORS);
    const ticking = setInterval(() => progress(`mixed: ${shared.leases.length} leases`), 10_000);
    await Promise.all(
      connections.map((own, i) => (i < AGENTS ? agent(own, shared) : operator(own, shared, edits))),
    );
    clearInterval(ticking);
    console.log(`leases: ${shared.leases.length}; answers to callers: ${JSON.stringify(shared.told)}`);
    console.log(`edits: ${JSON.stringify(edits)}`);
    return [...shared.broken, ...(await exactCounts(sql, shared.leases))];
  } finally {
    await cluster.stop();
  }
}
