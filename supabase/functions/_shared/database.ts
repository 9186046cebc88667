import { isProblemCode, type ProblemCode, problem } from "@keyhub/core/problem";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { createBatcher } from "./batcher.ts";
import { type Environment, required, secretKey } from "./environment.ts";
import type { Refusal } from "./http.ts";
import { SafeError } from "./log.ts";

/** Exported here as well, because each index.ts needs them together with connectDatabase. */
export { type Environment, required } from "./environment.ts";

export type Args = Record<string, unknown>;

/** An RPC that answers several calls at once. It returns an array with one answer per call, or one answer for all calls. */
export interface Batch {
  name: string;
  /** Only calls with the same group may share a batch. */
  group: string;
  /** Builds the arguments of the batch RPC from the arguments of the calls. */
  args: (calls: Args[]) => Args;
}

interface RpcCall {
  name: string;
  args: Args;
  batch: Batch;
}

/** Calls of the service to the database and to auth. */
export interface Database {
  /**
   * Calls one RPC. Calls it again while its error is retryable or its answer has the kind `retry`, until RETRY_DEADLINE_MS have passed.
   * Returns a problem that SQL raised, or `unavailable` for a transient error, and throws other errors. `args` may be a function of the
   * number of earlier attempts. With `batch`, the first attempt may be part of a batch. `made` is the number of attempts that another RPC
   * has already made. They count as earlier attempts, also for the length of the pauses, but do not shorten the deadline.
   */
  callRpc(
    name: string,
    args: Args | ((attempt: number) => Args),
    batch?: Batch,
    made?: number,
  ): Promise<{ data: unknown } | Refusal>;
  /** Returns the user of an access token (null when the token is not valid), and whether the session is anonymous. */
  verifyToken(token: string): Promise<{ userId: string | null; anonymous: boolean } | Refusal>;
}

/**
 * How long the database or auth may take to answer before the caller gets `unavailable`, in milliseconds. The real limit may be shorter by
 * up to SHARED_MS, because calls that begin within SHARED_MS of each other share one abort signal. A signal for each call would fire long
 * after the answer and create an error that nobody reads, which costs a tenth of a function's processor time.
 */
const TIMEOUT_MS = 8_000;
const SHARED_MS = 500;

/** How long a call is retried, and the longest pause between two attempts, in milliseconds. */
const RETRY_DEADLINE_MS = 5_000;
const MAX_PAUSE_MS = 100;

/** The largest number of calls in a batch, and the longest wait of a call for the earlier batch, in milliseconds. */
const MAX_BATCH_SIZE = 50;
const MAX_BATCH_WAIT_MS = 20;

/** The answer of an RPC that must be called again. */
const RETRY = { kind: "retry" };

/** Returns a Database for the project of the settings. `fetchFrom` replaces the network in tests, so that a handler needs no socket. */
export function connectDatabase(environment: Environment, fetchFrom: typeof fetch = fetch): Database {
  let client: SupabaseClient | undefined;
  const connect = () => (client ??= clientWith(secretKey(environment), environment, fetchFrom));

  /** Batch RPCs that fail until an operator acts, such as one whose migration is missing. Each is logged once. */
  const logged = new Set<string>();
  const sendBatch = async (calls: RpcCall[]): Promise<RpcResult[]> => {
    const [{ name, args, batch }] = calls as [RpcCall];
    if (calls.length === 1) return [await connect().rpc(name, args)];
    const answer = await connect().rpc(batch.name, batch.args(calls.map((call) => call.args)));
    const { data } = answer;
    if (answer.error === null)
      return calls.map((_, i) => ({ ...answer, data: Array.isArray(data) ? (data[i] ?? RETRY) : data }));
    if (isTransient(answer)) return calls.map(() => answer);
    // One call's failure rolls back the whole batch. So each call is retried alone, and then gets its own answer.
    if (!/^PT/.test(answer.error.code) && !isRetryable(answer) && !logged.has(batch.name)) {
      logged.add(batch.name);
      console.error(`${faultOf(batch.name, answer)}; calling one by one`);
    }
    return calls.map(() => ({ data: RETRY, error: null, status: 200 }));
  };
  const callInBatch = createBatcher({ send: sendBatch, maxSize: MAX_BATCH_SIZE, maxWait: MAX_BATCH_WAIT_MS });

  return {
    async callRpc(name, args, batch, made = 0) {
      const deadline = Date.now() + RETRY_DEADLINE_MS;
      for (let attempt = made; ; attempt += 1) {
        const current = typeof args === "function" ? args(attempt) : args;
        const answer: RpcResult = await (batch !== undefined && attempt === 0
          ? callInBatch(batch.name + batch.group, { name, args: current, batch })
          : connect().rpc(name, current));
        if (!isRetryable(answer) && Object(answer.data).kind !== RETRY.kind) return readResult(name, answer);
        if (Date.now() > deadline)
          return { problem: problem("unavailable"), log: `${faultOf(name, answer)}; retries exhausted` };
        // Exponential backoff with full jitter, so that callers do not retry at the same moment.
        const pause = Math.random() * Math.min(MAX_PAUSE_MS, 2 ** attempt);
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    },

    async verifyToken(token) {
      const { auth } = connect();
      // getClaims throws when the text is not a token, for example when its parts are not JSON.
      const { data, error } = await auth.getClaims(token).catch(() => ({ data: null, error: null }));
      if (error !== null && (error.name === "AuthRetryableFetchError" || (error.status ?? 0) >= 500)) {
        return {
          problem: problem("unavailable"),
          log: `auth: ${error.name}, status ${error.status ?? "none"}`,
        };
      }
      const claims = data?.claims;
      return {
        userId: claims?.role === "authenticated" && typeof claims.sub === "string" ? claims.sub : null,
        anonymous: claims?.is_anonymous === true,
      };
    },
  };
}

/** Returns a client with one of the project's keys and without a session. */
export function clientWith(key: string, environment: Environment, fetchFrom: typeof fetch): SupabaseClient {
  const timeout = sharedTimeout();
  return createClient(required(environment, "SUPABASE_URL"), key, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: {
      // The signal is set here and not in each call, because the methods of auth accept no signal.
      fetch: (input, init) => fetchFrom(input, { ...init, signal: timeout() }),
    },
  });
}

function sharedTimeout(): () => AbortSignal {
  let signal: AbortSignal | undefined;
  let since = 0;
  return () => {
    const now = Date.now();
    // Math.abs: after the clock was set back, the old signal must not be shared until the clock has caught up.
    if (signal === undefined || Math.abs(now - since) >= SHARED_MS) {
      signal = AbortSignal.timeout(TIMEOUT_MS);
      since = now;
    }
    return signal;
  };
}

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

/** Returns the RPC's data, the problem that SQL raised, or `unavailable` for a transient error. Throws a SafeError for other errors. */
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

/** Returns the log line about a failed RPC, without the error's message, which may repeat what the caller sent. */
function faultOf(name: string, { error, status }: RpcResult): string {
  return `rpc ${name}: status ${status}, code ${/^\w{1,12}$/.test(error?.code ?? "") ? error?.code : "none"}`;
}

/** Returns whether the call was rolled back, so that it may be made again at once. */
function isRetryable({ error }: RpcResult): boolean {
  return RETRYABLE.test(error?.code ?? "");
}

/** Returns whether an error is transient. Status 0: there was no answer. 503 and 504 come from the API in front of the database. */
function isTransient({ error, status }: RpcResult): boolean {
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
