import { isProblemCode, type ProblemCode, problem } from "@keyhub/core/problem";
import type { Refusal } from "./http.ts";
import { SafeError } from "./log.ts";

/** The result of an RPC, as supabase-js returns it. */
export interface RpcResult {
  data: unknown;
  error: { code?: string; message: string; details?: string | null } | null;
  status: number;
}

/** SQLSTATEs that are safe to retry: serialization, deadlock, lock timeout. */
const RETRYABLE = /^(40001|40P01|55P03)$/;

/**
 * SQLSTATEs and PostgREST codes of transient errors, after which the caller may try again later. Postgres: connection (08), resources (53),
 * shutdown (57P), statement timeout (57014), system (58). PostgREST: its connection errors (PGRST000 to 003).
 */
const TRANSIENT = /^(08|53|57P|57014|58|PGRST00)/;

/** Returns the data of an RPC, or the problem that it raised. Throws a SafeError for any other error. */
export function readResult(name: string, result: RpcResult): { data: unknown } | Refusal {
  const { data, error } = result;
  if (error === null) return { data };
  const code = error.code ?? "";
  if (/^PT\d{3}$/.test(code) && isProblemCode(error.message)) {
    return refusal(error.message, error.details ?? "");
  }
  const fault = faultOf(name, result);
  if (isTransient(result) || isRetryable(result)) return { problem: problem("unavailable"), log: fault };
  throw new SafeError(fault);
}

/** Returns a line for the operator. It leaves out the message, which may repeat what was sent. */
export function faultOf(name: string, { error, status }: RpcResult): string {
  return `rpc ${name}: status ${status}, code ${/^\w{1,12}$/.test(error?.code ?? "") ? error?.code : "none"}`;
}

/** Whether the call was rolled back and may be made again at once. */
export function isRetryable({ error }: RpcResult): boolean {
  return RETRYABLE.test(error?.code ?? "");
}

/** Whether an error is transient. Status 0 means that there was no answer; 503 and 504 come from the API in front of the database. */
export function isTransient({ error, status }: RpcResult): boolean {
  return status === 0 || status === 503 || status === 504 || TRANSIENT.test(error?.code ?? "");
}

/** Returns the problem for a code that SQL raised. It passes on only those members of the detail (JSON) that callers may see. */
function refusal(code: ProblemCode, detail: string): Refusal {
  let members: Partial<
    Record<"errors" | "items" | "limit" | "most" | "per_hour" | "retry_after" | "slug", unknown>
  > = {};
  try {
    members = Object(JSON.parse(detail));
  } catch {
    // The error has no detail, or the detail is a text for operators.
  }
  const { errors, items, limit, most, retry_after: retryAfter, per_hour: perHour, slug } = members;
  return {
    problem: problem(code, {
      ...(Array.isArray(errors) && { errors }),
      ...(Array.isArray(items) && { items }),
      ...(typeof limit === "string" && { limit }),
      ...(typeof most === "number" && { most }),
      ...(typeof slug === "string" && { slug }),
      ...(typeof perHour === "number" && {
        detail: `At most ${perHour} ${limit} an hour; try again after ${retryAfter} seconds.`,
      }),
      ...(typeof retryAfter === "number" && { retry_after: retryAfter }),
    }),
  };
}
