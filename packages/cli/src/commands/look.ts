import { type ProjectDatabase, UUID } from "../database/database.ts";
import { CommandFailure } from "../failure.ts";
import { duration, moment, printJson, printTable, say } from "../output.ts";
import { inOrder, type KeyStateRow, readStates, stateRow } from "./states.ts";

/** How many log rows of a key `keyhub keys why` shows, the newest first. */
const LAST = 10;

interface Show {
  json: boolean;
  /** The owner of the pool; null for all pools. */
  user: string | null;
}

const ofPool = (user: string | null): Record<string, string> => (user === null ? {} : { user_id: user });

/** Runs `keyhub keys list`. */
export async function listKeys(
  database: ProjectDatabase,
  { user, json }: Show,
  provider: string | null,
): Promise<void> {
  const where = { ...ofPool(user), ...(provider !== null && { provider }) };
  const keys = inOrder(await readStates(database, where));
  if (json) printJson(keys);
  else if (keys.length === 0) say("no keys");
  else printTable(keys.map((key) => ({ ...stateRow(key), ...(user === null && { pool: key.user_id }) })));
}

interface LogRow {
  id: string;
  user_api_key_id: string;
  agent_id: string | null;
  issued_at: string | Date | null;
  reported_at: string | Date | null;
  outcome: string | null;
  error_code: string | null;
  effect: string | null;
  model: string | null;
}
const LOG = [
  "id",
  "user_api_key_id",
  "agent_id",
  "issued_at",
  "reported_at",
  "outcome",
  "error_code",
  "effect",
  "model",
];

/** Runs `keyhub keys why`: shows the state of one key, the report that caused it, limited models, and the last leases. */
export async function explainKey(
  database: ProjectDatabase,
  { user, json }: Show,
  idOrName: string,
): Promise<void> {
  const key = await findOne(database, user, idOrName);
  const where = { user_api_key_id: key.user_api_key_id };
  const [cause] =
    key.caused_by_log_id === null
      ? []
      : await database.select<LogRow>("api_key_usage_log", {
          columns: LOG,
          where: { id: key.caused_by_log_id },
          order: "id",
        });
  const models = await database.select<{
    model: string;
    blocked_until: string | Date;
    reason: string | null;
  }>("api_key_model_health", {
    columns: ["model", "blocked_until", "reason", "reason_code", "consecutive_failures"],
    where,
    order: "model",
  });
  const last = await lastLeases(database, [key.user_api_key_id], LAST);
  const agents = await agentNames(database, [...last, ...(cause ? [cause] : [])]);
  const blocked = models.filter(({ blocked_until }) => blocked_until && new Date(blocked_until) > new Date());
  if (json) return printJson({ ...key, caused_by: cause ?? null, models: blocked, last_leases: last });
  printTable([stateRow(key)]);
  const logRow = (row: LogRow) => ({
    leased: moment(row.issued_at),
    by: agents.get(row.agent_id) ?? row.agent_id,
    model: row.model,
    reported: moment(row.reported_at),
    outcome: row.outcome,
    code: row.error_code,
    effect: row.effect,
  });
  const section = (title: string, rows: Parameters<typeof printTable>[0]) => {
    if (rows.length === 0) return;
    process.stdout.write(`\n${title}\n`);
    printTable(rows);
  };
  section("The report that caused it", cause ? [logRow(cause)] : []);
  section(
    "Limited models",
    blocked.map(({ model, blocked_until, reason }) => ({ model, until: moment(blocked_until), why: reason })),
  );
  section("The last leases", last.map(logRow));
}

async function findOne(
  database: ProjectDatabase,
  user: string | null,
  idOrName: string,
): Promise<KeyStateRow> {
  const named = UUID.test(idOrName) ? { user_api_key_id: idOrName } : { key_name: idOrName };
  const [key, ...more] = await readStates(database, { ...ofPool(user), ...named });
  if (key === undefined) throw new CommandFailure("no key has this id or name");
  if (more.length === 0) return key;
  const ids = [key, ...more].map(({ user_api_key_id }) => user_api_key_id);
  throw new CommandFailure(`${ids.length} keys have this name; give the id: ${ids.slice(0, 10).join(", ")}`);
}

/** Returns the newest log rows of each key. */
export async function lastLeases(database: ProjectDatabase, ids: string[], limit: number): Promise<LogRow[]> {
  const rows: LogRow[] = [];
  for (const id of ids) {
    rows.push(
      ...(await database.select<LogRow>("api_key_usage_log", {
        columns: LOG,
        where: { user_api_key_id: id },
        order: "issued_at",
        descending: true,
        limit,
      })),
    );
  }
  return rows;
}

/** Returns the names of the rows' agents by id. The id null means that the owner of the pool leased the key, without an agent. */
export async function agentNames(
  database: ProjectDatabase,
  rows: { agent_id: string | null }[],
): Promise<Map<string | null, string>> {
  const ids = [...new Set(rows.flatMap(({ agent_id }) => (agent_id === null ? [] : [agent_id])))];
  const agents = await database.select<{ id: string; name: string }>("api_key_agents", {
    columns: ["id", "name"],
    where: { id: ids },
    order: "id",
  });
  return new Map([[null, "the owner"], ...agents.map(({ id, name }) => [id, name] as const)]);
}

interface Pool {
  user_id: string;
  provider: string | null;
  available: number;
  limited: number;
  cooling_down: number;
  disabled: number;
  soonest_seconds: number | null;
  leases_last_hour: number;
  failures_last_hour: number;
}

/** Runs `keyhub keys pools`. */
export async function listPools(database: ProjectDatabase, { user, json }: Show): Promise<void> {
  const columns = [
    "user_id",
    "provider",
    "available",
    "limited",
    "cooling_down",
    "disabled",
    "soonest_seconds",
    "leases_last_hour",
    "failures_last_hour",
  ] as const satisfies (keyof Pool)[];
  const pools = await database.select<Pool>("api_key_pools", {
    columns,
    where: ofPool(user),
    order: "user_id",
  });
  pools.sort(
    (a, b) => a.user_id.localeCompare(b.user_id) || (a.provider ?? "").localeCompare(b.provider ?? ""),
  );
  if (json) return printJson(pools);
  if (pools.length === 0) return say("no pools");
  printTable(
    pools.map(({ user_id, provider, soonest_seconds, leases_last_hour, failures_last_hour, ...counts }) => ({
      provider: provider ?? "any",
      ...counts,
      back_in: duration(soonest_seconds),
      leases_last_hour,
      failures_last_hour,
      pool: user_id,
    })),
  );
}

/** Runs `keyhub keys agents`. */
export async function listAgents(database: ProjectDatabase, { user, json }: Show): Promise<void> {
  const agents = await database.select<{
    id: string;
    user_id: string;
    name: string;
    created_at: string | Date;
    revoked_at: string | Date | null;
  }>("api_key_agents", {
    columns: ["id", "user_id", "name", "created_at", "revoked_at"],
    where: ofPool(user),
    order: "created_at",
  });
  if (json) return printJson(agents);
  if (agents.length === 0) return say("no agents");
  printTable(
    agents.map(({ id, user_id, name, created_at, revoked_at }) => ({
      name,
      state: revoked_at !== null && new Date(revoked_at) <= new Date() ? "revoked" : "live",
      created: moment(created_at),
      revoked: moment(revoked_at),
      id,
      pool: user_id,
    })),
  );
}
