import { tooManyValues } from "@keyhub/core/hub";
import { problem } from "@keyhub/core/problem";
import type { SupabaseClient } from "@supabase/supabase-js";
import { clientWith, connectDatabase, type Database, readResult } from "./database.ts";
import { type Environment, firstKey, required } from "./environment.ts";
import type { Refusal } from "./http.ts";

/** A Database that can also act with the rights of the caller. */
export interface HubDatabase extends Database {
  /** Calls one RPC under row level security: as the user of a token that is verified already, or as anon with null. */
  callRpcAs(
    token: string | null,
    name: string,
    args: Record<string, unknown>,
  ): Promise<{ data: unknown } | Refusal>;
}

/** Returns a HubDatabase for the project that the settings name. `fetchFrom` replaces the network in tests. */
export function connectHubDatabase(environment: Environment, fetchFrom: typeof fetch = fetch): HubDatabase {
  let client: SupabaseClient | undefined;
  return {
    ...connectDatabase(environment, fetchFrom),

    async callRpcAs(token, name, args) {
      client ??= clientWith(publishableKey(environment), environment, withValueLimit(fetchFrom));
      const call = client.rpc(name, args);
      if (token === null) return readResult(name, await call);
      const answer = await call.setHeader("Authorization", `Bearer ${token}`);
      // A 401 means that the token has expired since it was verified.
      return answer.status === 401 ? { problem: problem("invalid_credential") } : readResult(name, answer);
    },
  };
}

/** Returns a fetch that refuses an answer with too many JSON values before parsing it, with the error that the RPC itself would raise. */
function withValueLimit(fetchFrom: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await fetchFrom(input, init);
    if (!response.ok || response.status === 204) return response;
    const text = await response.text();
    const excess = tooManyValues(text);
    if (excess === null) return new Response(text, { status: response.status, headers: response.headers });
    const details = JSON.stringify({ errors: [excess] });
    return Response.json({ code: "PT422", message: "validation_failed", details }, { status: 422 });
  };
}

/** Returns the publishable key: from the JSON object of named keys, or in older projects from the variable with the anon key. */
function publishableKey(environment: Environment): string {
  return firstKey(environment, "SUPABASE_PUBLISHABLE_KEYS") ?? required(environment, "SUPABASE_ANON_KEY");
}
