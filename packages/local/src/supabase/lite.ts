import { App } from "@supabase/lite";
import { createPostgresConnection, type PostgresConnection } from "@supabase/lite/postgres";
import postgres from "postgres";
import { within } from "../processes/children.ts";
import { createPool } from "./connection-pool.ts";
import { withQuotedNames } from "./quoted-names.ts";
import { createRoleSettings } from "./role-settings.ts";

export interface LiteOptions {
  /** The URL of the database. Its user is the role that the connections log in as. */
  databaseUrl: string;
  /**
   * The URL of the same database with the role that reads the catalog; by default `databaseUrl`. REST needs another role here, because its
   * own role would not see the tables (see openLite).
   */
  catalogUrl?: string;
  publishableKey?: string;
  secretKey?: string;
  jwtSecret?: string;
  /** Lifetime of a user's access token, in seconds. */
  jwtExpiry?: number;
  siteUrl?: string;
  /** The largest number of connections to the database. */
  maxConnections?: number;
}

export interface Lite {
  app: App;
  /** Resolves when requests may be served. */
  ready: Promise<void>;
  /** Reads tables, functions and settings of roles again, which is necessary after DDL. */
  readAgain(): Promise<void>;
  /** Closes the connections, after waiting up to `seconds` for running statements. */
  close(seconds: number): Promise<void>;
}

/**
 * Opens @supabase/lite as a library and corrects its differences from a hosted project. Without the corrections:
 * - lite's first request would grant everything to anon, authenticated and service_role, and so open every table and column that a
 * migration had closed;
 * - `rpc()` would encode json arguments a second time, so that SQL got a string;
 * - a transaction whose connection died would never end, see connection-pool.ts;
 * - a connection that died while the driver read the array types would end the process, see readArrayTypes;
 * - an argument `text[]` that is not a list (`{}` in a query, which lite reads as JSON) would cause a 500, and an invalid boolean would
 * become false;
 * - settings of a role (`alter role anon set statement_timeout`) would not apply to its requests, see role-settings.ts;
 * - lite would find no tables: it reads information_schema, which shows a role only the objects that it has rights on, and `authenticator`
 * has none. So another role reads the catalog (PostgREST reads pg_catalog);
 * - an argument named like a keyword of SQL (`from` of hub_revenue) would be a syntax error, because lite does not quote names;
 * - a timestamptz would be written as `2026-01-01 00:00:00+00`, which is not ISO 8601.
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
  // This member is private in the library's types. True means that the roles exist, so that lite only switches to the caller's role.
  Object.assign(connection, { ensureRlsContext: async () => true });
  // Opens a client with lite's settings and types and a single connection. The driver opens its own client for `listen` in the same way.
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
 * Makes lite trust a token whose signature and date are valid, as PostgREST does: REST does not check in the tables of auth whether the
 * user and session still exist.
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
 * Reads the array types once, at the start; the connections of the pool share the result. By default the driver reads the types on each new
 * connection. When a connection dies during that query, its rejection has no handler and ends the process (porsager/postgres#1192). Arrays
 * of a type that is created later are read as text until the next start. When the first reading fails, each connection reads the types
 * itself, as by default.
 */
async function readArrayTypes({ driver }: PostgresConnection): Promise<void> {
  const once = postgres({ ...driver.options, max: 1 } as never);
  try {
    await once`select 1`;
    Object.assign(driver.options, { fetch_types: false });
  } catch {
    // The database cannot be reached; later requests will fail for the same reason.
  } finally {
    await once.end({ timeout: 1 });
  }
}

/** Encodes a JSON value. A value from lite may be text that is JSON already, and such text must not be encoded again. */
function encodeJson(value: unknown): string {
  if (typeof value === "string" && /^\s*[{[]/.test(value)) return value;
  return JSON.stringify(value);
}

/** Encodes a list in the notation of Postgres. Any other value is passed on, and Postgres refuses it, except `{}`, the empty list. */
function encodeTexts(value: unknown): string {
  if (!Array.isArray(value)) return typeof value === "string" ? value : JSON.stringify(value);
  const quoted = (one: unknown) => `"${String(one).replace(/["\\]/g, "\\$&")}"`;
  return `{${value.map((one) => (one === null ? "NULL" : quoted(one))).join(",")}}`;
}

/**
 * Reads a `text[]` of one dimension. This is necessary because the driver ignores our writer for a type that it reads with its own reader.
 */
function parseTexts(text: string): (string | null)[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"|([^",{}]+)/gs)].map(([, quoted, plain = ""]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/gs, "$1");
    return plain === "NULL" ? null : plain;
  });
}

/** Encodes a boolean. The driver would write every value but true as false. Here Postgres gets an invalid value and refuses it. */
function encodeBoolean(value: unknown): string {
  return String(value);
}

/** Writes a time like PostgREST: `2026-01-01 00:00:00.5+00` becomes `2026-01-01T00:00:00.5+00:00`. */
function isoTimestamp(text: string): string {
  const parts = /^(\d+-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)(?::?(\d\d))?$/.exec(text);
  return parts ? `${parts[1]}T${parts[2]}${parts[3]}:${parts[4] ?? "00"}` : text;
}
