import {
  CANCELLED,
  type LeaseOptions,
  type LeasePorts,
  LeaseQueues,
  type Report,
  type ReportAnswer,
  Reports,
  Reuse,
  type WaitBudget,
} from "@keyhub/core/rotate";
import { KeyhubError } from "./errors.ts";
import { Leased } from "./lease.ts";
import type { Settings } from "./options.ts";
import type { Service } from "./service.ts";
import { now, wait } from "./time.ts";

/** Leases keys and sends reports for one client. */
export interface LeaseManager {
  lease(provider: string, model: string | null, want: LeaseOptions, attempt: number): Promise<Leased>;
  report(lease: Leased, report: Report): Promise<ReportAnswer | null>;
  flush(): Promise<void>;
}

export function createLeaseManager(settings: Settings, service: Service): LeaseManager {
  const { emit } = settings;
  const random = Math.random;
  const reports = new Reports<Leased>({
    send: (lease, report) => service.report(lease, report),
    poolOf: ({ provider }) => provider,
    wait,
    random,
    onReported: ({ provider, keyId, keyName, leaseId }, report, answer) => {
      // The service gives a cancelled call no outcome of its own, so `cancelled` comes from the report.
      const outcome = isCancelled(report) ? "cancelled" : (answer?.outcome ?? null);
      emit({ type: "report", provider, keyId, keyName, leaseId, status: report.status, outcome });
    },
    onLost: ({ provider, keyId, keyName, leaseId }, report, code) => {
      const errorCode = report.status === "fail" ? report.error_code : null;
      const lost = { provider, keyId, keyName, leaseId, status: report.status, errorCode, code };
      emit({ type: "report_lost", ...lost });
      settings.onReportLost(lost);
    },
  });
  const queues = new LeaseQueues<Leased>();
  const reuse = settings.reuse === null ? null : new Reuse(reports, settings.reuse, now);

  const portsOf = (provider: string, model: string | null): LeasePorts<Leased> => ({
    ask: async (exclude) => {
      await reports.failuresReported(provider);
      return service.ask(provider, model, exclude);
    },
    late: (lease) => void reports.report(lease, CANCELLED),
    wait,
    random,
    now,
    onWait: (ms) => emit({ type: "wait", provider, ms }),
  });

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
    async lease(provider, model, want, attempt) {
      const started = now();
      const name = JSON.stringify([provider, model]);
      const take = (wanted: LeaseOptions) => queues.lease(name, wanted, () => portsOf(provider, model));
      const lease = await (reuse === null
        ? take(want)
        : reuse.lease(name, want, take, (one) => one.copy())
      ).catch((error: unknown) => orFallback(provider, error));
      const { keyId, keyName, leaseId } = lease;
      emit({ type: "lease", provider, model, keyId, keyName, leaseId, attempt, ms: now() - started });
      return lease;
    },
    report(lease, report) {
      if (lease.last) return Promise.resolve(null);
      return (reuse ?? reports).report(lease, report);
    },
    async flush() {
      reuse?.retire();
      await reports.flush();
    },
  };
}

const isCancelled = (report: Report) =>
  report.status === "fail" && report.error_code === CANCELLED.error_code;

export const fullBudget = ({ maxWait }: Settings): WaitBudget => ({ left: maxWait, waits: 0 });
