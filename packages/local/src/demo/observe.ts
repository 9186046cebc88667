import { CANCELLED } from "@keyhub/core/rotate";
import type { InvariantChecker, LeaseReply, ReportReply } from "./invariant-checker.ts";
import type { PoolKey } from "./pool.ts";
import { count, kindOf, type RunRecord } from "./record.ts";

/** A report as it is sent. */
interface SentReport {
  lease_id: string;
  error_code?: number | string;
  retry_after?: string;
}

/** What the agents write down what they see in. */
export interface Observed {
  keys: PoolKey[];
  record: RunRecord;
  checker: InvariantChecker;
  /** Keys that are cooling as far as the agents know, for the list of events. */
  cooling: Set<string>;
}

/** A fetch that writes down what a client asks the service and the provider, and what they answer. */
export function observe({ record, checker, cooling, keys }: Observed): typeof fetch {
  const names = new Map<string, string>();

  function leased(lease: LeaseReply, begunAt: number): void {
    names.set(lease.lease_id, lease.key_name);
    record.leaseMs.push(performance.now() - begunAt);
    record.key(lease.key_id).leases += 1;
    if (checker.isInvalidLease(lease, begunAt)) {
      record.wrong += 1;
      record.note(`${lease.key_name} was handed out in spite of its block`);
    } else if (cooling.delete(lease.key_id)) record.note(`${lease.key_name} is back`);
  }

  function reported(report: SentReport, answer: ReportReply): void {
    const name = names.get(report.lease_id) ?? "a key";
    names.delete(report.lease_id);
    // Released without a call: such a lease is in no record.
    if (report.error_code === CANCELLED.error_code) record.key(answer.key_id).leases -= 1;
    checker.record(answer, performance.now());
    if (checker.isGoodKeyLost(answer)) record.wronglyDisabled.add(name);
    if (answer.effect === "cooled") {
      cooling.add(answer.key_id);
      const wait = report.retry_after === undefined ? "" : ` (Retry-After ${report.retry_after} s)`;
      record.note(`${name} got ${report.error_code}${wait} and cools down`);
    }
    if (answer.effect === "disabled") record.note(`${name} got ${report.error_code}: out for good`);
  }

  function answered(headers: Headers, kind: string): void {
    const sent = [...headers.values()].join("\n");
    const key = keys.find(({ value }) => sent.includes(value));
    if (key !== undefined) count(record.key(key.id).answers, kind);
  }

  return async (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    const begunAt = performance.now();
    const asks = url.endsWith("/get-active-key");
    try {
      const response = await fetch(input, init);
      if (asks && response.ok) leased((await response.clone().json()) as LeaseReply, begunAt);
      else if (asks && response.status >= 500) await lostUnlessNoKey(response.clone());
      else if (url.endsWith("/set-key-state")) {
        if (response.ok)
          reported(JSON.parse(String(init?.body)), (await response.clone().json()) as ReportReply);
      } else if (!asks) answered(new Headers(init?.headers), kindOf(response));
      return response;
    } catch (error) {
      if (asks) record.lost += 1;
      else if (!url.endsWith("/set-key-state")) answered(new Headers(init?.headers), "none");
      throw error;
    }
  };

  /** The service may have leased a key all the same. */
  async function lostUnlessNoKey(response: Response): Promise<void> {
    const { code } = (await response.json().catch(() => ({}))) as { code?: string };
    if (code !== "keys_cooling_down" && code !== "no_active_key") record.lost += 1;
  }
}
