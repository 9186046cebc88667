/** An event during calls. `keyName` is the operator's name of the key. */
export type KeyhubEvent =
  | {
      type: "lease";
      provider: string;
      /** The model that the key is for; null if neither the request nor an option names one. */
      model: string | null;
      keyId: string;
      keyName: string;
      leaseId: string;
      attempt: number;
      ms: number;
    }
  | { type: "wait"; provider: string; ms: number }
  /** The request is sent again, with another key or after a server error. */
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
      /** The service's outcome, or `cancelled` if the caller aborted or did not use the key. */
      outcome: string | null;
    }
  | ({ type: "report_lost" } & LostReport)
  | { type: "fallback"; provider: string; code: string }
  /**
   * The client gives up. Either it gets no key, and `code` is the code of the error; or the key was refused and the body cannot be sent
   * again with another key, and `code` is `body_sent_once`.
   */
  | { type: "give_up"; provider: string; code: string };

export interface LostReport {
  provider: string;
  leaseId: string;
  keyId: string;
  keyName: string;
  status: "success" | "fail";
  errorCode: number | string | null;
  /** The reason for the loss: the service's code, or `network`, `timeout`, `too_many_reports`. */
  code: string;
}
