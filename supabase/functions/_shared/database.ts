import { isProblemCode, type Problem, problem } from "@keyhub/core/problem";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";

/** The service's way to the database and to auth. `callRpc` is the only one that changes anything. */
export interface Database {
  callRpc(
    name: string,
    args: Record<string, unknown>,
  ): Promise<{ data: Record<string, unknown> } | { problem: Problem }>;
  /** The user of an access token, null when it is not a valid one. */
  verifyToken(token: string): Promise<{ userId: string | null } | { problem: Problem }>;
}

/** Reads one environment variable. */
export type Environment = (name: string) => string | undefined;

/** How long a database call may take before the caller is told to try again, in milliseconds. */
const TIMEOUT_MS = 8_000;

/** Errors of Postgres and PostgREST that pass by themselves: connection, shutdown, serialization, timeout. */
const PASSING = /^(?:08|53|57P|58|PGRST00)|^(?:40001|40P01|55P03|57014)$/;

export function connectDatabase(environment: Environment): Database {
  let client: SupabaseClient | undefined;
  const connect = (): SupabaseClient => {
    client ??= createClient(required(environment, "SUPABASE_URL"), secretKey(environment), {
      auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    });
    return client;
  };

  return {
    async callRpc(name, args) {
      const { data, error, status } = await connect()
        .rpc(name, args)
        .abortSignal(AbortSignal.timeout(TIMEOUT_MS));
      if (error === null) return { data };
      if (/^PT\d{3}$/.test(error.code) && isProblemCode(error.message))
        return expected(problem(error.message));
      // Status 0 is a call that got no answer; 5xx without a code of Postgres is the API in front of it.
      const passing =
        status === 0 ||
        PASSING.test(error.code) ||
        (status >= 500 && !/^[0-9A-Z]{5}$/.test(error.code ?? ""));
      console.error(`rpc ${name} failed: status ${status}, code ${error.code || "none"}`);
      return expected(problem(passing ? "unavailable" : "internal_error"));
    },

    async verifyToken(token) {
      const { data, error } = await connect().auth.getClaims(token);
      if (error !== null && (error.status === undefined || error.status === 0 || error.status >= 500)) {
        if (error.name === "AuthRetryableFetchError" || (error.status ?? 0) >= 500)
          return expected(problem("unavailable"));
      }
      const claims = error === null ? data?.claims : undefined;
      return {
        userId: claims?.role === "authenticated" && typeof claims.sub === "string" ? claims.sub : null,
      };
    },
  };
}

function expected(found: Problem): { problem: Problem } {
  return { problem: found };
}

/** The secret key: hosted functions get a JSON object of keys by name, older projects a service role key. */
function secretKey(environment: Environment): string {
  const keys = environment("SUPABASE_SECRET_KEYS");
  if (keys !== undefined) {
    const byName = JSON.parse(keys) as Record<string, string>;
    const key = byName.default ?? Object.values(byName)[0];
    if (key !== undefined) return key;
  }
  return required(environment, "SUPABASE_SERVICE_ROLE_KEY");
}

export function required(environment: Environment, name: string): string {
  const value = environment(name);
  if (value === undefined || value === "") throw new MissingSetting(name);
  return value;
}

/** A function secret is not set; the name of the error names it, since messages are not logged. */
export class MissingSetting extends Error {
  override name: string;
  constructor(setting: string) {
    super(`${setting} is not set`);
    this.name = `MissingSetting ${setting}`;
  }
}
