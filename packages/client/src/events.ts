/** What happens during calls. `keyName` is the operator's name of the key. */
export type KeyhubEvent =
  | {
      type: "lease";
      provider: string;
      keyId: string;
      keyName: string;
      leaseId: string;
      attempt: number;
      ms: number;
    }
  | { type: "wait"; provider: string; ms: number }
  | {
      type: "rotate";
      provider: string;
      keyId: string;
      keyName: string;
      attempt: number;
      errorCode: number | string;
    }
  | {
      type: "report";
      provider: string;
      keyId: string;
      keyName: string;
      leaseId: string;
      status: "success" | "fail";
      outcome: string | null;
    }
  | ({ type: "report_lost" } & LostReport)
  | { type: "fallback"; provider: string; code: string }
  | { type: "give_up"; provider: string; code: string };

export interface LostReport {
  provider: string;
  leaseId: string;
  keyId: string;
  keyName: string;
  status: "success" | "fail";
  errorCode: number | string | null;
  /** The reason: the service's code, or `network`, `timeout`, `too_many_reports`. */
  code: string;
}
