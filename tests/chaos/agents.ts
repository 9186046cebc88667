import { setTimeout as sleep } from "node:timers/promises";
import { PROBLEM_TYPE } from "../../packages/core/src/problem.ts";
import type { Fixture } from "./fixture.ts";

/** A lease whose answer was 200. */
export interface TakenLease {
  lease_id: string;
  key_id: string;
  leased_at: string;
}

/** A report whose answer was 200. */
export interface TakenReport {
  lease_id: string;
  key_id: string;
  state: string;
  blocked_until: string | null;
  consecutive_failures: number;
  outcome: string;
  effect: string;
}

/** The answers that the agents received. */
export interface Seen {
  leases: TakenLease[];
  reports: TakenReport[];
  /** The number of 503 problems, by code. */
  refusals: Record<string, number>;
  /** All other results: no answer at all, another status, another content type. */
  faults: string[];
  /** The longest call in milliseconds, for the output. */
  longest: number;
}

/** The time after which a call is a fault because it hangs. It is far longer than the timeout of the functions (8 s), for busy machines. */
const HANG_MS = 100_000;

/**
 * Starts agents that lease a key and report on it in a loop until they are stopped. They retry after `unavailable`, and resend a report
 * until the service answers it, because by the API's rules a repeated report has no further effect.
 */
export function startAgents(fixture: Fixture, count: number) {
  const seen: Seen = { leases: [], reports: [], refusals: {}, faults: [], longest: 0 };
  const underway = new Set<Promise<unknown>>();
  const call = async (name: string, body: unknown): Promise<unknown> => {
    const answer = ask(fixture, seen, name, body);
    underway.add(answer);
    await answer;
    underway.delete(answer);
    return answer;
  };
  let stopped = false;
  const running = Array.from({ length: count }, async () => {
    while (!stopped) {
      const lease = (await call("get-active-key", {})) as TakenLease | undefined;
      if (lease === undefined) await sleep(50);
      else {
        seen.leases.push(lease);
        await reportUntilAnswered(lease);
      }
    }
  });
  async function reportUntilAnswered({ lease_id, key_id }: TakenLease) {
    const news = outcomeOf(fixture.keys.indexOf(key_id), fixture.keys.length);
    for (let attempt = 0; attempt < 1_000 && seen.faults.length < 20; attempt += 1) {
      const answer = await call("set-key-state", { lease_id, ...news });
      if (answer !== undefined) {
        seen.reports.push({ lease_id, ...(answer as Omit<TakenReport, "lease_id">) });
        return;
      }
      await sleep(50);
    }
  }

  return {
    seen,
    /** Waits until every running call has ended, with any answer. */
    answered: async (): Promise<void> => void (await Promise.all(underway)),
    /** Resolves when each agent has finished its current report and ended. */
    stop: async (): Promise<void> => {
      stopped = true;
      await Promise.all(running);
    },
  };
}

/** Returns a random report: mostly a success, sometimes a rate limit of one second, a server error, or for a quarter of the keys a 403. */
function outcomeOf(key: number, keys: number): Record<string, unknown> {
  const dice = Math.random();
  if (dice < 0.05) return { status: "fail", error_code: 429, retry_after: 1 };
  if (dice < 0.08) return { status: "fail", error_code: 500 };
  if (dice < 0.09 && key < keys / 4) return { status: "fail", error_code: 403 };
  return { status: "success" };
}

/** Makes one call; returns undefined when it was refused (counted in `refusals`). */
async function ask(fixture: Fixture, seen: Seen, name: string, body: unknown): Promise<unknown> {
  const started = performance.now();
  try {
    const response = await fetch(`${fixture.url}/functions/v1/${name}`, {
      method: "POST",
      headers: { authorization: `Bearer ${fixture.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(HANG_MS),
    });
    const text = await response.text();
    if (response.status === 200) return JSON.parse(text);
    const type = response.headers.get("content-type");
    if (response.status !== 503 || type !== PROBLEM_TYPE) {
      seen.faults.push(`${name}: ${response.status} ${type} ${text.slice(0, 200)}`);
      return undefined;
    }
    const { code } = JSON.parse(text) as { code: string };
    seen.refusals[code] = (seen.refusals[code] ?? 0) + 1;
  } catch (error) {
    seen.faults.push(`${name}: ${error} ${(error as Error).cause ?? ""}`);
  } finally {
    seen.longest = Math.max(seen.longest, performance.now() - started);
  }
  return undefined;
}
