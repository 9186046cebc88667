import { App } from "@supabase/lite";
import { createPostgresConnection, type PostgresConnection } from "@supabase/lite/postgres";
import postgres from "postgres";
import { within } from "../processes/children.ts";
import { createPool } from "./connection-pool.ts";
import { withQuotedNames } from "./quoted-names.ts";
import { createRoleSettings } from "./role-settings.ts";

export interface LiteOptions {
  /** With the role that the connections log in as. */
  databaseUrl: string;
  /**
   * Another role's URL, for reading the catalog only; the role of `databaseUrl` when absent. Given for REST, whose role can read no
   * table of auth either.
   */
  catalogUrl?: string;
  publishableKey?: string;
  secretKey?: string;
  jwtSecret?: string;
  /** Lifetime of a user's access token, in seconds. */
  jwtExpiry?: number;
  siteUrl?: string;
  /** Most connections to the database. */
  maxConnections?: number;
}

export interface Lite {
  app: App;
  connection: PostgresConnection;
  /** Resolves when requests may be served. */
  ready: Promise<void>;
  /** Reads tables, functions and settings of roles again: needed after DDL. */
  readAgain(): Promise<void>;
  /** Waits up to so many seconds for running statements. */
  close(seconds: number): Promise<void>;
}

/**
 * @supabase/lite as a library, with its differences from a hosted project corrected:
 * - on its first request it would grant everything to anon, authenticated and service_role, and so open every
 *   table and column that a migration had closed;
 * - `rpc()` would encode json arguments a second time, so that SQL got a string;
 * - a transaction whose connection died would never end, see connection-pool.ts;
 * - a connection that died while the driver read the array types would end the process, see readArrayTypes;
 * - an argument `text[]` that is not a list (`{}` in a query, which lite reads as JSON) would be a 500, and an invalid boolean would be false;
 * - settings of a role (`alter role anon set statement_timeout`) would not hold for its requests, see role-settings.ts;
 * - it reads tables and columns from information_schema, which shows a role only what it has rights on, so `authenticator` would
 *   see nothing: the catalog is read as another role, where PostgREST reads pg_catalog;
 * - an argument that is a word of SQL (`from` of hub_revenue) would be a syntax error, as lite does not quote names;
 * - a timestamptz would come out as `2026-01-01 00:00:00+00`, which is not ISO 8601.
 * Admin mode, Studio and storage are off.
 */
export function openLite(options: LiteOptions): Lite {
  const connection = createPostgresConnection({
    url: options.databaseUrl,
    postgresOptions: {
      onnotice: () => {},
      // Reconnect at once after a database restart; the driver's own backoff grows to 20 s.
      backoff: () => 0.05,
      types: {
        json: { to: 114, from: [114], serialize: encodeJson, parse: JSON.parse },
        jsonb: { to: 3802, from: [3802], serialize: encodeJson, parse: JSON.parse },
        timestamptz: { to: 1184, from: [1184], serialize: String, parse: isoTimestamp },
        texts: { to: 1009, from: [1009], serialize: encodeTexts, parse: parseTexts },
        bool: { to: 16, from: [16], serialize: encodeBoolean, parse: (text: string) => text === "t" },
      },
    },
  });
  // Private in the library's types. True means: the roles exist, so only switch to the caller's role.
  Object.assign(connection, { ensureRlsContext: async () => true });
  // With lite's own settings and types, one connection per client, as the driver itself does for `listen`.
  const open = (more: object) => postgres({ ...connection.driver.options, max: 1, ...more } as never);
  const pool = createPool(options.maxConnections ?? 20, (onclose) => open({ onclose }));
  const settings = createRoleSettings(() => open({}));
  Object.assign(connection.driver, {
    reserve: async () => withQuotedNames(settings.applied(await pool.reserve())),
  });
  const catalog =
    options.catalogUrl === undefined ? undefined : readCatalogAs(options.catalogUrl, connection);
  const middlewares = options.catalogUrl === undefined ? {} : { middlewares: [trustTokens] };
  const app = new App({
    connection,
    api: { enabled: true, schemas: ["public"], max_rows: 1000 },
    auth: {
      enabled: true,
      enable_signup: true,
      jwt_secret: options.jwtSecret ?? "only-for-making-the-schema",
      jwt_expiry: options.jwtExpiry ?? 3600,
      site_url: options.siteUrl ?? "http://127.0.0.1:54321",
      email: { enable_signup: true, enable_confirmations: false },
      ...(options.publishableKey ? { publishable_key: options.publishableKey } : {}),
      ...(options.secretKey ? { secret_key: options.secretKey } : {}),
    },
    storage: { enabled: false },
    studio: { enabled: false },
    options: { server: { admin: false, disableStudio: true, disableFallback: true, ...middlewares } },
    // biome-ignore lint/suspicious/noExplicitAny: the library types the parsed configuration, not what one may write
  } as any);
  const ready = readArrayTypes(connection).then(async () => {
    await Promise.all([settings.read(), catalog?.ready]);
  });
  return {
    app,
    connection,
    ready,
    readAgain: async () => {
      await Promise.all([connection.clearSchemaCache(), settings.read()]);
    },
    close: async (seconds) => {
      await within(ready, seconds * 1_000);
      const closing = [pool.end(seconds), catalog?.end(seconds)];
      await within(Promise.allSettled(closing), seconds * 1_000 + 500);
    },
  };
}

/**
 * A token whose signature and date hold is trusted, as by PostgREST: REST asks no table of auth whether its user and session are
 * still there.
 */
async function trustTokens(context: { set(name: string, value: unknown): void }, next: () => Promise<void>) {
  const found = async () => ({});
  context.set("authService", { repo: { findUserById: found, findSessionById: found } });
  await next();
}

/** Makes the connection read tables, columns and views as the role of `url`. */
function readCatalogAs(url: string, connection: PostgresConnection) {
  const catalog = createPostgresConnection({
    url,
    postgresOptions: { onnotice: () => {}, backoff: () => 0.05 },
  });
  const pool = createPool(1, (onclose) =>
    postgres({ ...catalog.driver.options, max: 1, idle_timeout: 10, onclose } as never),
  );
  Object.assign(catalog.driver, { reserve: pool.reserve });
  Object.assign(connection, {
    introspect: (options?: { useCache?: boolean }) => catalog.introspect(options),
    viewOptionsMetadata: (schema: string, view: string) => catalog.viewOptionsMetadata(schema, view),
    clearSchemaCache: () => catalog.clearSchemaCache(),
  });
  return { end: pool.end, ready: readArrayTypes(catalog) };
}

/**
 * By default the driver reads the array types on each new connection. When the connection dies during that query, its rejection
 * has no handler and ends the process (porsager/postgres#1192). So they are read once, at the start: the connections of the pool
 * share what was read. Arrays of a type that is created later are read as text until the next start. When the first reading fails,
 * each connection reads them as before.
 */
async function readArrayTypes({ driver }: PostgresConnection): Promise<void> {
  const once = postgres({ ...driver.options, max: 1 } as never);
  try {
    await once`select 1`;
    Object.assign(driver.options, { fetch_types: false });
  } catch {
    // The database is away: requests find out for themselves.
  } finally {
    await once.end({ timeout: 1 });
  }
}

/** lite passes values, or text that is JSON already. Such text must not be encoded again. */
function encodeJson(value: unknown): string {
  if (typeof value === "string" && /^\s*[{[]/.test(value)) return value;
  return JSON.stringify(value);
}

/** A list in the notation of Postgres, which refuses other values itself; `{}` is the empty list. */
function encodeTexts(value: unknown): string {
  if (!Array.isArray(value)) return typeof value === "string" ? value : JSON.stringify(value);
  const quoted = (one: unknown) => `"${String(one).replace(/["\\]/g, "\\$&")}"`;
  return `{${value.map((one) => (one === null ? "NULL" : quoted(one))).join(",")}}`;
}

/** Reads a `text[]` of one dimension. Needed because the driver ignores our writer of a type for which it uses its own reader. */
function parseTexts(text: string): (string | null)[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"|([^",{}]+)/gs)].map(([, quoted, plain = ""]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/gs, "$1");
    return plain === "NULL" ? null : plain;
  });
}

/** The driver writes every value except true as false. */
function encodeBoolean(value: unknown): string {
  return String(value);
}

/** `2026-01-01 00:00:00.5+00` → `2026-01-01T00:00:00.5+00:00`, as PostgREST writes it. */
function isoTimestamp(text: string): string {
  const parts = /^(\d+-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)(?::?(\d\d))?$/.exec(text);
  return parts ? `${parts[1]}T${parts[2]}${parts[3]}:${parts[4] ?? "00"}` : text;
}
