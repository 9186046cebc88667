import { isProblemCode, problem } from "@keyhub/core/problem";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { type Refusal, SafeError } from "./http.ts";

/** The service's way to the database and to auth. */
export interface Database {
  /** Calls one RPC. A refusal it is known for comes back; a fault that is none of ours to explain is thrown. */
  callRpc(name: string, args: Record<string, unknown>): Promise<{ data: unknown } | Refusal>;
  /** The user of an access token; null when it is not a valid one. */
  verifyToken(token: string): Promise<{ userId: string | null } | Refusal>;
}

/** Reads one environment variable. */
export type Environment = (name: string) => string | undefined;

/** How long a database call may take before the caller is told to try again, in milliseconds. */
const TIMEOUT_MS = 8_000;

/**
 * Errors that pass by themselves. Postgres: connection (08), resources (53), shutdown (57P), system (58),
 * serialization, deadlock, lock and statement timeouts. PostgREST: its connection errors (PGRST000 to 003).
 */
const PASSING = /^(?:08|53|57P|58|PGRST00)|^(?:40001|40P01|55P03|57014)$/;

/** `fetchFrom` stands in for the network, so that a handler can be run without a socket. */
export function connectDatabase(environment: Environment, fetchFrom?: typeof fetch): Database {
  let client: SupabaseClient | undefined;
  const connect = (): SupabaseClient => {
    client ??= createClient(required(environment, "SUPABASE_URL"), secretKey(environment), {
      auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
      ...(fetchFrom && { global: { fetch: fetchFrom } }),
    });
    return client;
  };

  return {
    async callRpc(name, args) {
      const { data, error, status } = await connect()
        .rpc(name, args)
        .abortSignal(AbortSignal.timeout(TIMEOUT_MS));
      if (error === null) return { data };
      const code = error.code ?? "";
      if (/^PT\d{3}$/.test(code) && isProblemCode(error.message)) return { problem: problem(error.message) };
      const what = `rpc ${name}: status ${status}, code ${/^\w{1,12}$/.test(code) ? code : "none"}`;
      // Status 0 got no answer at all; a 503 or 504 is from the API in front of the database.
      if (status === 0 || status === 503 || status === 504 || PASSING.test(code)) {
        return { problem: problem("unavailable"), log: what };
      }
      throw new SafeError(what);
    },

    async verifyToken(token) {
      const { data, error } = await connect().auth.getClaims(token);
      if (error !== null && (error.name === "AuthRetryableFetchError" || (error.status ?? 0) >= 500)) {
        return {
          problem: problem("unavailable"),
          log: `auth: ${error.name}, status ${error.status ?? "none"}`,
        };
      }
      const claims = error === null ? data?.claims : undefined;
      return {
        userId: claims?.role === "authenticated" && typeof claims.sub === "string" ? claims.sub : null,
      };
    },
  };
}

/** The secret key: hosted functions get a JSON object of keys by name, older projects a service role key. */
function secretKey(environment: Environment): string {
  const keys = environment("SUPABASE_SECRET_KEYS");
  if (keys !== undefined && keys !== "") {
    const byName = JSON.parse(keys) as Record<string, string>;
    const key = byName.default ?? Object.values(byName)[0];
    if (key !== undefined) return key;
  }
  return required(environment, "SUPABASE_SERVICE_ROLE_KEY");
}

/** A function's setting. Throws a SafeError that names it when it is not set. */
export function required(environment: Environment, name: string): string {
  const value = environment(name);
  if (value === undefined || value === "") throw new SafeError(`${name} is not set`);
  return value;
}
