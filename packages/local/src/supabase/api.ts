// supabase/: the parts that a hosted project adds to Postgres: roles and schemas, the REST API and auth (@supabase/lite).

import postgres from "postgres";
import { errorCode, oneLine } from "../failure.ts";
import { problemResponse } from "../gateway/problem.ts";
import { connectionIsLost } from "../postgres/lost-connection.ts";
import { urlAs } from "../postgres/roles.ts";
import { within } from "../processes/children.ts";
import { captureConsole } from "./capture-console.ts";
import { type LiteOptions, openLite } from "./lite.ts";
import { isRetryable, transientErrorResponse } from "./transient-error.ts";

export interface SupabaseOptions extends Omit<LiteOptions, "catalogUrl"> {
  publishableKey: string;
  secretKey: string;
  jwtSecret: string;
  /** Receives a line for each request that ends in a 500; the client does not see the cause. */
  onLog?: (line: string) => void;
}

export interface Supabase {
  /** Answers `/rest/v1/…` and `/auth/v1/…`, and also lite's own pages, which the gateway does not forward. */
  fetch(request: Request): Promise<Response>;
  /** Clears the cache of the schema, which is necessary after DDL; `notify pgrst` in the database does the same. */
  clearSchemaCache(): Promise<void>;
  stop(): Promise<void>;
}

/** The largest number of connections of auth to the database. */
const AUTH_CONNECTIONS = 5;

/**
 * Serves REST and auth for a database that bootstrapDatabase has prepared. As on a hosted project, REST connects as
 * `authenticator` and changes to the caller's role; auth connects as `supabase_auth_admin`.
 */
export function createSupabase(options: SupabaseOptions): Supabase {
  const { databaseUrl } = options;
  const restUrl = urlAs(databaseUrl, "authenticator");
  const rest = openLite({ ...options, databaseUrl: restUrl, catalogUrl: databaseUrl });
  const authUrl = urlAs(databaseUrl, "supabase_auth_admin");
  const auth = openLite({ ...options, databaseUrl: authUrl, maxConnections: AUTH_CONNECTIONS });
  const clearCache = () => rest.readAgain();
  const ready = Promise.all([rest.ready, auth.ready]);
  // After a restart of the database, the driver listens again by itself.
  const listener = postgres(restUrl, { max: 1, onnotice: () => {}, backoff: () => 0.05 });
  // If listening fails, the cache may be stale after DDL; requests are still served.
  const listening = listener.listen("pgrst", clearCache, clearCache).catch(() => {});

  return {
    fetch: async (request) => {
      await Promise.all([ready, listening]);
      let cause: unknown;
      let giveUp = () => {};
      const away = new Promise<void>((resolve) => {
        giveUp = resolve;
      });
      const { app } = new URL(request.url).pathname.startsWith("/auth/") ? auth : rest;
      const answer = captureConsole(
        () => app.fetch(request, { peerAddress: null }),
        (output) => {
          cause = output.find((value) => value instanceof Error) ?? cause;
          if (output.some(connectionIsLost)) giveUp();
        },
      );
      // Without a database, lite may answer that no table exists, or never answer. So a lost connection ends the wait.
      const response = await Promise.race([answer, away]);
      if (response && response.status < 500) return response;
      if (!response || connectionIsLost(cause)) {
        await clearCache();
        return problemResponse("unavailable", "The database does not answer right now.");
      }
      if (!isRetryable(cause)) options.onLog?.(failureLine(request, response, cause));
      return transientErrorResponse(cause) ?? response;
    },
    clearSchemaCache: clearCache,
    stop: async () => {
      await Promise.all([rest.close(2), auth.close(2), within(listener.end({ timeout: 0 }), 500)]);
    },
  };
}

/** Returns the log line about a failed request, without the error's detail, which contains values of the row. */
function failureLine(request: Request, response: Response, cause: unknown): string {
  const what = `${request.method} ${new URL(request.url).pathname} ${response.status}`;
  return cause ? `${what}: ${errorCode(cause) ?? ""} ${oneLine(cause)}` : what;
}
