import { type LeaseAttempt, type Report, type ReportResult, readReportAnswer } from "@keyhub/core/rotate";
import { type KeyhubError, KeyhubRequestError, KeyhubUnavailableError, NoKeyError } from "./errors.ts";
import { type LeaseData, Leased } from "./lease.ts";
import type { Settings } from "./options.ts";

/** The two calls to the key service: `ask` leases a key, `report` sends the report on a lease. */
export interface Service {
  ask(provider: string, model: string | null, exclude: string[]): Promise<LeaseAttempt<Leased>>;
  report(lease: Leased, report: Report): Promise<ReportResult>;
}

/** An answer of the service, or the reason why there is none. */
type ServiceAnswer =
  /** `at` is the service's time in milliseconds since 1970, rounded down to the second. */
  | { status: number; body: Record<string, unknown>; requestId: string | undefined; at: number }
  | { status: 0; code: string; error: KeyhubError };

export function connectService({ url, token, fetch, keyhubTimeout }: Settings): Service {
  async function call(name: string, body: unknown): Promise<ServiceAnswer> {
    let credential: string;
    try {
      credential = await token();
    } catch {
      return failed("token_failed", "the function that returns the token threw an error");
    }
    // A token that no header can contain is refused here, because the runtime's own error would repeat the token.
    if (!/^[\x21-\x7e]+$/.test(credential)) return failed("invalid_token", "the token is not valid");
    try {
      const response = await fetch(`${url}/functions/v1/${name}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${credential}`, "Content-Type": "application/json" },
        body: JSON.stringify(body),
        redirect: "error",
        signal: AbortSignal.timeout(keyhubTimeout),
      });
      const requestId = response.headers.get("x-request-id") ?? undefined;
      const text = await response.text();
      const at = Date.parse(response.headers.get("date") ?? "") || Date.now();
      return { status: response.status, body: record(text), requestId, at };
    } catch (error) {
      const code = Object(error).name === "TimeoutError" ? "timeout" : "network";
      const cause = Object(Object(error).cause).code;
      return {
        status: 0,
        code,
        error: new KeyhubUnavailableError(
          `the key service at ${url} did not answer: ${typeof cause === "string" ? cause : code}`,
          { code },
        ),
      };
    }
  }

  return {
    async ask(provider, model, exclude) {
      const called = await call("get-active-key", {
        provider,
        ...(model !== null && { model }),
        ...(exclude.length > 0 && { exclude }),
      });
      if ("error" in called) {
        const kind = called.error instanceof KeyhubRequestError ? "none" : "failed";
        return { kind, error: called.error };
      }
      const { status, body, requestId } = called;
      if (status === 200 && typeof body.api_key === "string")
        return { kind: "leased", lease: new Leased(provider, body as unknown as LeaseData) };
      const code = typeof body.code === "string" ? body.code : "not_understood";
      const counts = body.counts as NoKeyError["counts"];
      const details = { code, provider, status, requestId, counts };
      if (code === "keys_cooling_down" && typeof body.retry_after === "number") {
        const error = (retryAfter: number) =>
          new NoKeyError(`every key for ${model ?? provider} is cooling down, for ${retryAfter} s`, {
            ...details,
            retryAfter,
          });
        return { kind: "cooling", seconds: body.retry_after, error };
      }
      if (code === "no_active_key") {
        const message = `there is no usable key for ${provider}: an operator has to add, enable or re-seal one`;
        return { kind: "none", error: new NoKeyError(message, { ...details, retryAfter: null }) };
      }
      if (code === "unknown_provider") {
        const providers = Array.isArray(body.providers) ? body.providers.map(String) : [];
        const message = `the pool has no key for ${provider}; it has keys for ${providers.join(", ") || "none"}`;
        return { kind: "none", error: new NoKeyError(message, { ...details, retryAfter: null, providers }) };
      }
      if (status >= 500 || status < 400)
        return {
          kind: "failed",
          error: new KeyhubUnavailableError(`the key service answered ${status} ${code}`, details),
        };
      const why = typeof body.title === "string" ? `: ${body.title}` : "";
      return {
        kind: "none",
        error: new KeyhubRequestError(
          `the key service refused the call with ${status} ${code}${why}`,
          details,
        ),
      };
    },

    async report({ leaseId: lease_id }, report) {
      const called = await call("set-key-state", { lease_id, ...report });
      if ("error" in called) {
        return { kind: called.error instanceof KeyhubRequestError ? "refused" : "failed", code: called.code };
      }
      const { status, body, at } = called;
      if (status === 200) return { kind: "taken", answer: readReportAnswer(body, at) };
      const code = typeof body.code === "string" ? body.code : String(status);
      return { kind: status >= 400 && status < 500 ? "refused" : "failed", code };
    },
  };
}

function failed(code: string, message: string): ServiceAnswer {
  return { status: 0, code, error: new KeyhubRequestError(message, { code }) };
}

/** Returns the JSON object in a text, or an empty object for an HTML page or anything else. */
function record(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
