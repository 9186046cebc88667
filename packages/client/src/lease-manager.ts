import {
  type Budget,
  type LeaseOptions,
  LeaseQueue,
  type Outcome,
  type Report,
  Reports,
  Reuse,
} from "@keyhub/core/rotate";
import { KeyhubError } from "./errors.ts";
import { Leased } from "./lease.ts";
import type { Settings } from "./options.ts";
import type { Service } from "./service.ts";
import { now, wait } from "./time.ts";

/** The leases and reports of one client. */
export interface LeaseManager {
  lease(provider: string, want: LeaseOptions, attempt: number): Promise<Leased>;
  report(lease: Leased, report: Report): Promise<Outcome | null>;
  flush(): Promise<void>;
}

interface Counter {
  queue: LeaseQueue<Leased>;
  reuse: Reuse<Leased> | null;
}

export function createLeaseManager(settings: Settings, service: Service): LeaseManager {
  const { emit } = settings;
  const random = Math.random;
  const reports = new Reports<Leased>({
    send: (lease, report) => service.report(lease, report),
    wait,
    random,
    onReported: ({ provider, keyId, keyName, leaseId }, { status }, outcome) =>
      emit({ type: "report", provider, keyId, keyName, leaseId, status, outcome }),
    onLost: ({ provider, keyId, keyName, leaseId }, report, code) => {
      const errorCode = report.status === "fail" ? report.error_code : null;
      const lost = { provider, keyId, keyName, leaseId, status: report.status, errorCode, code };
      emit({ type: "report_lost", ...lost });
      settings.onReportLost(lost);
    },
  });
  const counters = new Map<string, Counter>();

  function counterOf(provider: string): Counter {
    let counter = counters.get(provider);
    if (counter === undefined) {
      const queue = new LeaseQueue<Leased>({
        ask: (exclude) => service.ask(provider, exclude),
        late: (lease) => void reports.report(lease, { status: "fail", error_code: "cancelled" }),
        wait,
        random,
        now,
        onWait: (ms) => emit({ type: "wait", provider, ms }),
      });
      const reuse = settings.reuse === null ? null : new Reuse(reports, settings.reuse, now);
      counter = { queue, reuse };
      counters.set(provider, counter);
    }
    return counter;
  }

  async function orFallback(provider: string, error: unknown): Promise<Leased> {
    if (!(error instanceof KeyhubError)) throw error;
    const { code } = error;
    const key = await settings.fallback(provider, error);
    if (!key) {
      emit({ type: "give_up", provider, code });
      throw error;
    }
    emit({ type: "fallback", provider, code });
    const data = { lease_id: "", key_id: "fallback", key_name: "fallback", settings: {}, api_key: key };
    return new Leased(provider, data, true);
  }

  return {
    async lease(provider, want, attempt) {
      const started = now();
      const { queue, reuse } = counterOf(provider);
      const take = (wanted: LeaseOptions) => queue.lease(wanted);
      const lease = await (reuse === null ? take(want) : reuse.lease(want, take, (one) => one.copy())).catch(
        (error: unknown) => orFallback(provider, error),
      );
      const { keyId, keyName, leaseId } = lease;
      emit({ type: "lease", provider, keyId, keyName, leaseId, attempt, ms: now() - started });
      return lease;
    },
    report(lease, report) {
      if (lease.last) return Promise.resolve(null);
      return counters.get(lease.provider)?.reuse?.report(lease, report) ?? reports.report(lease, report);
    },
    async flush() {
      for (const { reuse } of counters.values()) reuse?.retire();
      await reports.flush();
    },
  };
}

export const fullBudget = ({ maxWait }: Settings): Budget => ({ left: maxWait, waits: 0 });
