import { HubError, problemOf } from "@keyhub/hub/source";
import { type SignedIn, setting } from "../session.ts";

/** A row of my_api_keys. */
export interface OwnKey {
  id: string;
  name: string;
  provider: string | null;
  account: string | null;
  priority: number;
  /** The last four characters of the key. */
  hint: string | null;
  state: "available" | "cooling_down" | "disabled";
  why: string | null;
  since: string | null;
  seconds_left: number | null;
  limited_models: string[];
  usage_count: number;
  last_outcome: string | null;
  last_error_code: string | null;
  last_reported_at: string | null;
}

/** A row of my_api_key_pools: counts of keys. */
export interface OwnPool {
  provider: string | null;
  available: number;
  limited: number;
  cooling_down: number;
  disabled: number;
  soonest_seconds: number | null;
  starved_since: string | null;
}

export interface OwnAgent {
  id: string;
  name: string;
  created_at: string;
  revoked_at: string | null;
  last_used_at: string | null;
}

/** A row of my_api_key_log. */
export interface LogRow {
  id: string;
  at: string;
  key_id: string;
  agent_id: string | null;
  model: string | null;
  /** Null until there is a report on the lease. */
  outcome: string | null;
  error_code: string | null;
  effect: string | null;
}

export interface LogFilter {
  key_id?: string;
  agent_id?: string;
  outcome?: string;
  before?: string;
}

export interface NewKey {
  key_name: string;
  /** The sealed text that sealKey makes in this browser. */
  sealed: string;
  provider: string | null;
  account: string | null;
  priority: number;
}

/** The calls for the caller's own pool. A call that fails rejects with a HubError. */
export type PoolCalls = ReturnType<typeof poolOf>;

export function poolOf(member: SignedIn) {
  async function call<T>(name: string, args: object = {}): Promise<T> {
    const token = await member.token();
    const response = await fetch(`${setting("api")}/rest/v1/rpc/${name}`, {
      method: "POST",
      headers: {
        apikey: setting("key"),
        "Content-Type": "application/json",
        ...(token !== null && { Authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(args),
    });
    if (!response.ok) throw new HubError(await problemOf(response), response);
    const text = await response.text();
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }
  return {
    keys: () => call<OwnKey[]>("my_api_keys"),
    pools: () => call<OwnPool[]>("my_api_key_pools"),
    agents: () => call<OwnAgent[]>("my_agents"),
    log: (filter: LogFilter) => call<LogRow[]>("my_api_key_log", filter),
    add: (key: NewKey) => call<{ id: string }>("add_api_key", key),
    reset: (key_id: string) => call<void>("reset_api_key", { key_id }),
    setActive: (key_id: string, active: boolean) => call<void>("set_api_key_active", { key_id, active }),
    remove: (key_id: string) => call<void>("remove_api_key", { key_id }),
    issue: (name: string) => call<{ id: string; token: string }>("issue_my_agent_token", { name }),
    revoke: (agent_id: string) => call<void>("revoke_my_agent", { agent_id }),
  };
}
