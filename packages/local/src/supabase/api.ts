// supabase/: what a hosted project adds to Postgres: roles and schemas, the REST API and auth (@supabase/lite).

import postgres from "postgres";
import { errorCode, oneLine } from "../failure.ts";
import { problemResponse } from "../gateway/problem.ts";
import { connectionIsLost } from "../postgres/lost-connection.ts";
import { within } from "../processes/children.ts";
import { captureConsole } from "./capture-console.ts";
import { type LiteOptions, openLite } from "./lite.ts";
import { isRetryable, transientErrorResponse } from "./transient-error.ts";

export interface SupabaseOptions extends LiteOptions {
  publishableKey: string;
  secretKey: string;
  jwtSecret: string;
  /** A line for each request that ends in a 500, which says nothing of its cause to the client. */
  onLog?: (line: string) => void;
}

export interface Supabase {
  /** Answers `/rest/v1/…` and `/auth/v1/…` (and lite's own pages, which the gateway keeps to itself). */
  fetch(request: Request): Promise<Response>;
  /** After DDL; also done by itself when the database says `notify pgrst`. */
  clearSchemaCache(): Promise<void>;
  stop(): Promise<void>;
}

/** REST and auth on a database that bootstrapDatabase has prepared. */
export function createSupabase(options: SupabaseOptions): Supabase {
  const { app, connection, close } = openLite(options);
  const forget = () => connection.clearSchemaCache();
  // The driver listens again by itself after a restart, and as often as it takes.
  const listener = postgres(options.databaseUrl, { max: 1, onnotice: () => {}, backoff: () => 0.05 });
  // Without this news the cache may be old after DDL, which is no reason to refuse requests.
  const listening = listener.listen("pgrst", forget, forget).catch(() => {});

  return {
    fetch: async (request) => {
      await listening;
      let cause: unknown;
      let giveUp = () => {};
      const away = new Promise<void>((resolve) => {
        giveUp = resolve;
      });
      const answer = captureConsole(
        () => app.fetch(request, { peerAddress: null }),
        (words) => {
          cause = words.find((word) => word instanceof Error) ?? cause;
          if (words.some(connectionIsLost)) giveUp();
        },
      );
      // Without a database lite may call every table unknown, or wait for an answer that never comes.
      const response = await Promise.race([answer, away]);
      if (response && response.status < 500) return response;
      if (!response || connectionIsLost(cause)) {
        await forget();
        return problemResponse("unavailable", "The database does not answer right now.");
      }
      if (!isRetryable(cause)) options.onLog?.(failureLine(request, response, cause));
      return transientErrorResponse(cause) ?? response;
    },
    clearSchemaCache: forget,
    stop: async () => {
      await Promise.all([close(2), within(listener.end({ timeout: 0 }), 500)]);
    },
  };
}

/** Without the error's detail: that is where the database puts the values of a row. */
function failureLine(request: Request, response: Response, cause: unknown): string {
  const what = `${request.method} ${new URL(request.url).pathname} ${response.status}`;
  return cause ? `${what}: ${errorCode(cause) ?? ""} ${oneLine(cause)}` : what;
}
