import { type ProjectDatabase, UUID } from "../database/database.ts";
import { CommandFailure } from "../failure.ts";
import { printJson, printTable, say } from "../output.ts";

export interface UndoOptions {
  user: string;
  since: Date;
  /** The id or name of an agent; null for reports of any caller. */
  agent: string | null;
  provider: string | null;
  json: boolean;
}

interface Undone {
  user_api_key_id: string;
  key_name: string;
  model?: string | null;
  reason?: string | null;
  reason_code: string | null;
}

/** Runs `keyhub keys undo`: enables keys that reports disabled since a time. With an agent, also ends blocks by the agent's reports. */
export async function undoReports(database: ProjectDatabase, options: UndoOptions): Promise<void> {
  const { user, agent, provider, json } = options;
  const since = options.since.toISOString();
  const undone =
    agent === null
      ? await database.call<Undone>("reenable_keys", { user_id: user, provider, since })
      : await database.call<Undone>("undo_reports", {
          user_id: user,
          agent_id: await agentId(database, user, agent),
          since,
        });
  if (json) return printJson(undone);
  say(`${undone.length} ${undone.length === 1 ? "key is" : "keys are"} back`);
  printTable(
    undone.map(({ user_api_key_id, key_name, model, reason, reason_code }) => ({
      name: key_name,
      ...(agent !== null && { model, reason }),
      code: reason_code,
      id: user_api_key_id,
    })),
  );
}

async function agentId(database: ProjectDatabase, user: string, agent: string): Promise<string> {
  const named = UUID.test(agent) ? { id: agent } : { name: agent };
  const [found, ...more] = await database.select<{ id: string }>("api_key_agents", {
    columns: ["id"],
    where: { user_id: user, ...named },
    order: "id",
  });
  if (found === undefined) throw new CommandFailure("the pool has no agent with this id or name");
  if (more.length > 0)
    throw new CommandFailure("several agents have this name; give the id (keyhub keys agents)");
  return found.id;
}

/** Reads a duration before now (`2h`, `30m`, `1d`) or a time in ISO form. Returns null for any other text, and for a time in the future. */
export function readSince(text: string, now: Date): Date | null {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = { s: 1, m: 60, h: 3600, d: 86_400 }[unit as "s" | "m" | "h" | "d"];
  const since =
    seconds === undefined
      ? new Date(/^\d{4}-\d{2}-\d{2}/.test(text) ? text : Number.NaN)
      : new Date(now.getTime() - Number(count) * seconds * 1000);
  return Number.isNaN(since.getTime()) || since > now ? null : since;
}
