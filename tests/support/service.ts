import { AsyncLocalStorage } from "node:async_hooks";
import { createHmac, randomUUID } from "node:crypto";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { readKeyring } from "../../packages/core/src/keys/seal.ts";
import {
  createSupabase,
  type Functions,
  startFunctions,
  startGateway,
} from "../../packages/local/src/index.ts";
import { connectHubDatabase } from "../../supabase/functions/_shared/hub-database.ts";
import type { Clone } from "./database.ts";
import type { AlertParts } from "./functions/keyhub-alerts.ts";
import type { GatewaySettings } from "./functions/keyhub-gateway.ts";
import { pair } from "./keys.ts";
import { recorded } from "./openapi/answers.ts";
import { showsPlantedKey } from "./planted-keys.ts";
import { makeHandlers, type Parts } from "./tested-functions.ts";

/**
 * The running edge functions on a cloned database, in this process or on Deno. `stop` compares every answer that `fetch` has returned with
 * docs/openapi.json, and throws if the log contains a key.
 */
export interface Service {
  /** The URL of the project; nothing listens there when the handlers run in this process. */
  url: string;
  /** Sends a request. `path` is below the project URL: `/functions/v1/get-active-key`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** A supabase-js client with the publishable key. */
  client(accessToken?: string): SupabaseClient;
  /** Signs a user up with auth; returns the id and an access token. */
  signUp(): Promise<{ userId: string; token: string }>;
  /** The lines that the service has written to its console so far. */
  console: string[];
  stop(): Promise<void>;
}

const keys = {
  publishableKey: `sb_publishable_${"p".repeat(22)}`,
  secretKey: `sb_secret_${"s".repeat(31)}`,
  jwtSecret: "a secret of at least thirty-two characters",
};

const variables = (url: string, unsealKeys: unknown[]): Record<string, string> => ({
  SUPABASE_URL: url,
  SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: keys.publishableKey }),
  SUPABASE_SECRET_KEYS: JSON.stringify({ default: keys.secretKey }),
  KEYHUB_UNSEAL_KEYS: JSON.stringify(unsealKeys),
});

/** The log of the service to which the running handler belongs. A handler may log after its answer, when another service has started. */
const linesOfHandler = new AsyncLocalStorage<string[]>();
/**
 * The log of the service whose gateway was called last. It gets the lines that are written outside of any handler. Only the gateway writes
 * such lines, because callers read and cancel its streams after the handler has returned.
 */
let consoleLines: string[] = [];
console.error = (...words) => void (linesOfHandler.getStore() ?? consoleLines).push(words.join(" "));

/** Runs the handlers in this process. They are called with a Request and return a Response, without a socket. */
export async function inProcess(
  db: Clone,
  unsealKeys: unknown[] = [pair.unsealKey],
  gateway: GatewaySettings = {},
  alerts: AlertParts = {},
  payments?: Parts["payments"],
): Promise<Service> {
  const url = "http://in-process.test";
  const lines: string[] = [];
  const supabase = createSupabase({ databaseUrl: db.url, ...keys, onLog: (line) => lines.push(line) });
  const toSupabase = (input: string | URL | Request, init?: RequestInit) =>
    supabase.fetch(new Request(input, init));
  const env = variables(url, unsealKeys);
  const database = connectHubDatabase((name) => env[name], toSupabase as typeof fetch);
  const keyring = readKeyring(env.KEYHUB_UNSEAL_KEYS ?? "");
  const handlers = makeHandlers({
    database,
    keyring: () => keyring,
    random: Math.random,
    gateway,
    alerts,
    ...(payments && { payments }),
  });
  const answers = recorded(async (path, init) => {
    const [, name = ""] = path.replace("/functions/v1", "").split("/");
    const handler = handlers[name];
    if (handler === undefined) throw new Error(`no handler for ${path}`);
    if (name === "keyhub-gateway") consoleLines = lines;
    return linesOfHandler.run(lines, () => handler(new Request(`${url}${path}`, init)));
  });
  return {
    url,
    ...clients(url, toSupabase as typeof fetch),
    fetch: answers.fetch,
    console: lines,
    stop: async () => {
      await supabase.stop();
      await answers.check();
      refusePlantedKeys(lines);
    },
  };
}

/** Runs functions on real Deno, each with its own deno.json, over HTTP and behind the local stack's gateway. */
export async function onDeno(
  db: Pick<Clone, "url">,
  unsealKeys: unknown[] = [pair.unsealKey],
  names = ["get-active-key", "set-key-state"],
  env: Record<string, string> = {},
): Promise<Service> {
  const lines: string[] = [];
  const supabase = createSupabase({ databaseUrl: db.url, ...keys });
  const gateway = await startGateway({
    port: 0,
    supabase,
    functions: { names, port: (name) => functions.port(name) },
  });
  const functions: Functions = await startFunctions({
    names,
    env: { ...variables(gateway.url, unsealKeys), ...env },
    onLog: (line) => lines.push(line),
  });
  const answers = recorded((path, init) => fetch(`${gateway.url}${path}`, init));
  return {
    url: gateway.url,
    ...clients(gateway.url, fetch),
    fetch: answers.fetch,
    console: lines,
    stop: async () => {
      await gateway.stop();
      await functions.stop();
      await supabase.stop();
      await answers.check();
      refusePlantedKeys(lines);
    },
  };
}

/** Throws if the log contains a key. */
function refusePlantedKeys(log: readonly string[]): void {
  if (log.some(showsPlantedKey)) throw new Error("a line of the service's log holds a key");
}

/** Runs only REST and auth over HTTP, behind the local stack's gateway. Clients reach these parts without any function. */
export async function overHttp(db: Clone): Promise<Omit<Service, "console">> {
  const supabase = createSupabase({ databaseUrl: db.url, ...keys });
  const gateway = await startGateway({ port: 0, supabase });
  return {
    url: gateway.url,
    ...clients(gateway.url, fetch),
    fetch: (path, init) => fetch(`${gateway.url}${path}`, init),
    stop: async () => {
      await gateway.stop();
      await supabase.stop();
    },
  };
}

/** The API keys of the project. */
export const { publishableKey, secretKey } = keys;

function clients(url: string, fetchFrom: typeof fetch): Pick<Service, "client" | "signUp"> {
  const client = (accessToken?: string) =>
    createClient(url, keys.publishableKey, {
      auth: { persistSession: false, autoRefreshToken: false },
      global: {
        fetch: fetchFrom,
        ...(accessToken && { headers: { Authorization: `Bearer ${accessToken}` } }),
      },
    });
  return {
    client,
    signUp: async () => {
      const { data, error } = await client().auth.signUp({
        email: `${randomUUID()}@example.test`,
        password: randomUUID(),
      });
      if (error !== null || data.user === null || data.session === null)
        throw error ?? new Error("no session");
      return { userId: data.user.id, token: data.session.access_token };
    },
  };
}

/** Makes any JWT, such as one that a forger could send, or one that has expired. */
export function forgeToken(payload: Record<string, unknown>, secret = keys.jwtSecret, alg = "HS256"): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${encode({ alg, typ: "JWT" })}.${encode(payload)}`;
  return `${signed}.${alg === "none" ? "AA" : createHmac("sha256", secret).update(signed).digest("base64url")}`;
}
