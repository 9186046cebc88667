import { isProblemCode, type ProblemCode, problem } from "@keyhub/core/problem";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { type Refusal, SafeError } from "./http.ts";
import { together } from "./together.ts";

export type Args = Record<string, unknown>;

/** An RPC that makes several calls of another as one. It answers with an array of their answers, or with one for all of them. */
export interface Bulk {
  name: string;
  /** Whose calls may be made as one. */
  group: string;
  /** Its arguments, of those of the calls. */
  args: (calls: Args[]) => Args;
}

interface Call {
  name: string;
  args: Args;
  bulk: Bulk;
}

/** The service's way to the database and to auth. */
export interface Database {
  /**
   * Calls one RPC, and calls it again while the database undoes it for somebody else's sake, or its answer says
   * `ask_again`. A refusal it is known for comes back; a fault that is none of ours to explain is thrown. As a function,
   * `args` is told how often it has been called before. With `bulk` its first call is made together with others.
   */
  callRpc(
    name: string,
    args: Args | ((attempt: number) => Args),
    bulk?: Bulk,
  ): Promise<{ data: unknown } | Refusal>;
  /** The user of an access token, null when it is not a valid one; and whether it is an anonymous session. */
  verifyToken(token: string): Promise<{ userId: string | null; anonymous: boolean } | Refusal>;
}

/** Reads one environment variable. */
export type Environment = (name: string) => string | undefined;

/** How long the database or auth may take to answer before the caller is told to try again, in milliseconds. */
const TIMEOUT_MS = 8_000;

/** What the database undoes for somebody else's sake: serialization failures, a deadlock's victims, lock timeouts. */
const UNDONE = /^(40001|40P01|55P03)$/;

/**
 * Other errors that pass by themselves. Postgres: connection (08), resources (53), shutdown (57P), statement timeout (57014),
 * system (58). PostgREST: its connection errors (PGRST000 to 003).
 */
const PASSING = /^(08|53|57P|57014|58|PGRST00)/;

/** For how long a call is made again, and the longest pause before it, in milliseconds. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 100;

/** What an RPC answers that has to be called again. */
const AGAIN = { ask_again: true };

/** `fetchFrom` stands in for the network, so that a handler can be run without a socket. */
export function connectDatabase(environment: Environment, fetchFrom: typeof fetch = fetch): Database {
  let client: SupabaseClient | undefined;
  const connect = () => (client ??= clientWith(secretKey(environment), environment, fetchFrom));

  /** What cannot be called for a reason that needs somebody, such as a migration that is missing: said once. */
  const complained = new Set<string>();
  const callTogether = together(async (calls: Call[]): Promise<RpcAnswer[]> => {
    const [{ name, args, bulk }] = calls as [Call];
    if (calls.length === 1) return [await connect().rpc(name, args)];
    const answer = await connect().rpc(bulk.name, bulk.args(calls.map((call) => call.args)));
    const { data } = answer;
    if (answer.error === null)
      return calls.map((_, i) => ({ ...answer, data: Array.isArray(data) ? (data[i] ?? AGAIN) : data }));
    if (isPassing(answer)) return calls.map(() => answer);
    // Undone or refused, it takes all of them with it. Each is made again alone, and then told what is its own.
    if (!/^PT/.test(answer.error.code) && !UNDONE.test(answer.error.code) && !complained.has(bulk.name)) {
      complained.add(bulk.name);
      console.error(`${faultOf(bulk.name, answer)}; asking one by one`);
    }
    return calls.map(() => ({ data: AGAIN, error: null, status: 200 }));
  });

  return {
    async callRpc(name, args, bulk) {
      const end = Date.now() + PATIENCE_MS;
      for (let attempt = 0; ; attempt += 1) {
        const asked = typeof args === "function" ? args(attempt) : args;
        const answer: RpcAnswer = await (bulk !== undefined && attempt === 0
          ? callTogether(bulk.name + bulk.group, { name, args: asked, bulk })
          : connect().rpc(name, asked));
        const undone = UNDONE.test(answer.error?.code ?? "");
        const late = Date.now() > end;
        if (!(undone || Object(answer.data).ask_again) || (undone && late)) return readAnswer(name, answer);
        if (late) return { problem: problem("unavailable"), log: `${name}: in vain` };
        // The longer, the more often it was in vain; by chance, so that callers do not come back together.
        const pause = Math.random() * Math.min(PAUSE_MS, 2 ** attempt);
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    },

    async verifyToken(token) {
      const { auth } = connect();
      // What is no token at all, such as parts that are not JSON, makes it throw.
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

export interface RpcAnswer {
  data: unknown;
  error: { code?: string; message: string; details?: string | null } | null;
  status: number;
}

/** A client with one of the project's keys, which holds no session. */
export function clientWith(key: string, environment: Environment, fetchFrom: typeof fetch): SupabaseClient {
  return createClient(required(environment, "SUPABASE_URL"), key, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: {
      // Here rather than with each call: what auth asks over the network takes no signal of ours.
      fetch: (input, init) => fetchFrom(input, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }),
    },
  });
}

/** What an RPC gave, or the problem that it raised; throws a SafeError when it is none of ours to explain. */
export function readAnswer(name: string, answer: RpcAnswer): { data: unknown } | Refusal {
  const { data, error } = answer;
  if (error === null) return { data };
  const code = error.code ?? "";
  if (/^PT\d{3}$/.test(code) && isProblemCode(error.message)) {
    return refusal(error.message, error.details ?? "");
  }
  const fault = faultOf(name, answer);
  if (isPassing(answer) || UNDONE.test(code)) return { problem: problem("unavailable"), log: fault };
  throw new SafeError(fault);
}

/** A line for the operator, without the message: that may repeat what was sent. */
function faultOf(name: string, { error, status }: RpcAnswer): string {
  return `rpc ${name}: status ${status}, code ${/^\w{1,12}$/.test(error?.code ?? "") ? error?.code : "none"}`;
}

/** Status 0 got no answer at all; a 503 or 504 is from the API in front of the database. */
function isPassing({ error, status }: RpcAnswer): boolean {
  return status === 0 || status === 503 || status === 504 || PASSING.test(error?.code ?? "");
}

/** The problem of a code that SQL raised; of its detail only what a caller is told. */
function refusal(code: ProblemCode, detail: string): Refusal {
  let told: { errors?: unknown; retry_after?: unknown; limit?: unknown; per_hour?: unknown } = {};
  try {
    told = Object(JSON.parse(detail));
  } catch {
    // Most have no detail, and a text is for operators.
  }
  const { errors, retry_after: retryAfter, limit, per_hour: perHour } = told;
  return {
    problem: problem(code, {
      ...(Array.isArray(errors) && { errors }),
      ...(typeof limit === "string" && {
        limit,
        detail: `At most ${perHour} ${limit} an hour; try again after ${retryAfter} seconds.`,
      }),
      ...(typeof retryAfter === "number" && { retry_after: retryAfter }),
    }),
    ...(typeof retryAfter === "number" && { headers: { "Retry-After": String(retryAfter) } }),
  };
}

/** The secret key: hosted functions get a JSON object of keys by name, older projects a service role key. */
function secretKey(environment: Environment): string {
  return firstKey(environment, "SUPABASE_SECRET_KEYS") ?? required(environment, "SUPABASE_SERVICE_ROLE_KEY");
}

/** The default one of a JSON object of keys by name, or the first. */
export function firstKey(environment: Environment, name: string): string | undefined {
  const keys = environment(name);
  if (keys === undefined || keys === "") return undefined;
  const byName = JSON.parse(keys) as Record<string, string>;
  return byName.default ?? Object.values(byName)[0];
}

/** A function's setting. Throws a SafeError that names it when it is not set. */
export function required(environment: Environment, name: string): string {
  const value = environment(name);
  if (value === undefined || value === "") throw new SafeError(`${name} is not set`);
  return value;
}
