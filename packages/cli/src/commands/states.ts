import type { ProjectDatabase } from "../database/database.ts";
import { duration, moment } from "../output.ts";

/** A row of api_key_states, with the columns that commands show. */
export interface KeyStateRow {
  user_api_key_id: string;
  user_id: string;
  key_name: string;
  key_hint: string | null;
  provider: string | null;
  priority: number;
  account: string | null;
  state: string;
  seconds_left: number | null;
  why: string | null;
  since: string | Date | null;
  limited_models: string[] | null;
  usage_count: number;
  last_outcome: string | null;
  last_reported_at: string | Date | null;
  caused_by_log_id: string | null;
  sealed_kid: string;
}

const columns = [
  "user_api_key_id",
  "user_id",
  "key_name",
  "key_hint",
  "provider",
  "priority",
  "account",
  "state",
  "seconds_left",
  "why",
  "since",
  "limited_models",
  "usage_count",
  "last_outcome",
  "last_reported_at",
  "caused_by_log_id",
  "sealed_kid",
] as const satisfies (keyof KeyStateRow)[];

export function readStates(
  database: ProjectDatabase,
  where: Record<string, string | readonly string[] | null>,
): Promise<KeyStateRow[]> {
  return database.select<KeyStateRow>("api_key_states", { columns, where, order: "user_api_key_id" });
}

/** Sorts keys by pool, and within a pool in the order in which they are leased. */
export function inOrder(states: KeyStateRow[]): KeyStateRow[] {
  return states.sort(
    (a, b) => a.user_id.localeCompare(b.user_id) || b.priority - a.priority || a.usage_count - b.usage_count,
  );
}

export function stateRow(key: KeyStateRow) {
  return {
    name: key.key_name,
    ends_in: key.key_hint,
    provider: key.provider,
    state: key.state,
    for: duration(key.seconds_left),
    why: key.why,
    since: moment(key.since),
    limited_for: key.limited_models?.length ? key.limited_models : null,
    account: key.account,
    priority: key.priority,
    id: key.user_api_key_id,
  };
}
