import postgres from "postgres";
import { errorCode, oneLine } from "./failure.ts";
import { type LiteOptions, openLite } from "./lite.ts";
import { problemResponse } from "./problem.ts";
import { quietly } from "./quiet.ts";

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
  /** After the database was away: listen again, and trust no older picture of the schema. */
  reconnected(): Promise<void>;
  stop(): Promise<void>;
}

/** REST and auth on a database that bootstrapDatabase has prepared. */
export function createSupabase(options: SupabaseOptions): Supabase {
  const { app, connection } = openLite(options);
  const clearSchemaCache = () => connection.clearSchemaCache();
  let listener = listen();

  function listen(): { ready: Promise<unknown>; sql: postgres.Sql } {
    const sql = postgres(options.databaseUrl, { max: 1, onnotice: () => {} });
    // Without its news the cache may be old after DDL, which is no reason to refuse requests.
    const ready = sql.listen("pgrst", () => void clearSchemaCache()).catch(() => {});
    return { ready, sql };
  }

  return {
    fetch: async (request) => {
      await listener.ready;
      let cause: unknown;
      const response = await quietly(
        () => app.fetch(request, { peerAddress: null }),
        (words) => {
          cause = words.find((word) => word instanceof Error) ?? cause;
        },
      );
      if (response.status < 500) return response;
      if (databaseIsAway(cause))
        return problemResponse("unavailable", "The database does not answer right now.");
      options.onLog?.(failureLine(request, response, cause));
      return response;
    },
    clearSchemaCache,
    reconnected: async () => {
      const old = listener;
      listener = listen();
      await old.sql.end({ timeout: 0 }).catch(() => {});
      await clearSchemaCache();
    },
    stop: async () => {
      await Promise.allSettled([connection.driver.end({ timeout: 2 }), listener.sql.end({ timeout: 0 })]);
    },
  };
}

/** lite has one opaque 500 for everything it does not know, also for a server that is starting up. */
function databaseIsAway(cause: unknown): boolean {
  const codes = [
    "CONNECTION_CLOSED",
    "CONNECTION_ENDED",
    "CONNECTION_DESTROYED",
    "CONNECT_TIMEOUT",
    "ECONNREFUSED",
    "ECONNRESET",
    "EPIPE",
    // admin shutdown, crash shutdown, cannot connect now
    "57P01",
    "57P02",
    "57P03",
  ];
  return codes.includes(errorCode(cause) ?? "");
}

/** Without the error's detail: that is where the database puts the values of a row. */
function failureLine(request: Request, response: Response, cause: unknown): string {
  const what = `${request.method} ${new URL(request.url).pathname} ${response.status}`;
  return cause ? `${what}: ${errorCode(cause) ?? ""} ${oneLine(cause)}` : what;
}
