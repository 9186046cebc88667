/** The answer of get-active-key. */
export interface Lease {
  lease_id: string;
  key_id: string;
  key_name: string;
  api_key: string;
  /** The database's clock, ISO 8601 with microseconds. */
  leased_at: string;
}

/** The answer of set-key-state. */
export interface Reported {
  key_id: string;
  state: "available" | "cooling_down" | "disabled";
  blocked_until: string | null;
  effect: string;
}

/** An agent's report of a call. */
export interface Report {
  lease_id: string;
  status: "success" | "fail";
  error_code?: number | string;
  error_message?: string;
  retry_after?: string;
}

/** An answer as an agent can use it; `seconds` of `wait` is the Retry-After. */
export type LeaseAnswer = { kind: "lease"; lease: Lease } | { kind: "wait"; seconds: number } | Fault;
export type ReportAnswer = { kind: "reported"; reported: Reported } | Fault;
/** An unexpected answer (its status and code), or none. */
export interface Fault {
  kind: "fault";
  what: string;
  /** Whether the service may have done the work all the same. */
  lost: boolean;
}

export interface Keyhub {
  getActiveKey(): Promise<LeaseAnswer>;
  setKeyState(report: Report): Promise<ReportAnswer>;
}

/** Longest wait for an answer, in milliseconds. */
const MAX_WAIT_MS = 10_000;

/** The two calls an agent makes. `url` is that of the project, `token` the agent's. */
export function connectKeyhub(url: string, token: string): Keyhub {
  async function post(name: string, body?: unknown): Promise<Response> {
    return fetch(`${url}/functions/v1/${name}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, ...(body ? { "Content-Type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(MAX_WAIT_MS),
    });
  }

  return {
    async getActiveKey() {
      try {
        const response = await post("get-active-key");
        const body = await response.json();
        if (response.status === 200) return { kind: "lease", lease: body as Lease };
        if (response.status === 503 && body.code === "keys_cooling_down") {
          return { kind: "wait", seconds: Number(response.headers.get("retry-after")) };
        }
        return fault(response, body);
      } catch (error) {
        return lost(error);
      }
    },

    async setKeyState(report) {
      try {
        const response = await post("set-key-state", report);
        const body = await response.json();
        if (response.status === 200) return { kind: "reported", reported: body as Reported };
        return fault(response, body);
      } catch (error) {
        return lost(error);
      }
    },
  };
}

function fault(response: Response, body: { code?: unknown }): Fault {
  const code = String(body.code ?? "without code");
  return {
    kind: "fault",
    what: `${response.status} ${code}`,
    lost: response.status >= 500 && code !== "no_active_key",
  };
}

function lost(error: unknown): Fault {
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  return { kind: "fault", what: `no answer (${cause?.code ?? name ?? "unknown"})`, lost: true };
}
