import { CANCELLED } from "@keyhub/core/rotate";
import type { LeaseReply, ReportReply } from "./lease-checker.ts";
import { count, type DemoRecord, kindOf } from "./record.ts";

/** Returns a fetch that records a client's requests to the service and the provider, and their answers. */
export function observe(record: DemoRecord): typeof fetch {
  async function leased(response: Response, begunAt: number): Promise<void> {
    const answer = (await response.json().catch(() => ({}))) as LeaseReply & { code?: string };
    if (response.ok) {
      record.leases += 1;
      if (record.checker.isInvalidLease(answer, begunAt)) record.wrong += 1;
    } else if (response.status >= 500 && !/^(keys_cooling_down|no_active_key)$/.test(answer.code ?? ""))
      // The service may have leased a key although the answer is an error.
      record.lost += 1;
  }

  async function reported(body: unknown, response: Response): Promise<void> {
    if (!response.ok) return;
    record.checker.record((await response.json()) as ReportReply, performance.now());
    // A cancelled lease made no call to the provider. The other records do not count it, so it is not counted here either.
    if (JSON.parse(String(body)).error_code === CANCELLED.error_code) record.leases -= 1;
  }

  return async (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    const [isLease, isReport] = [url.endsWith("/get-active-key"), url.endsWith("/set-key-state")];
    const begunAt = performance.now();
    const response = await fetch(input, init).catch((error) => {
      if (isLease) record.lost += 1;
      else if (!isReport) count(record.byFetch, "none");
      throw error;
    });
    if (isLease) await leased(response.clone(), begunAt);
    else if (isReport) await reported(init?.body, response.clone());
    else count(record.byFetch, kindOf(response));
    return response;
  };
}
