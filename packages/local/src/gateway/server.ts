// gateway/: the only HTTP port for clients. It decides which requests are accepted, and which part of the stack answers each.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { cannotListen } from "../settings/ports.ts";
import { Connections } from "./connections.ts";
import { openApi } from "./openapi.ts";
import { problemResponse, sendProblem } from "./problem.ts";
import { proxy } from "./proxy.ts";
import { dropForwardedHeaders, isOwnHost, plainHost } from "./request.ts";
import { isOfSupabase, route } from "./routes.ts";

export interface GatewayOptions {
  /** The port; 0 means any free port. */
  port: number;
  /** The host names that the gateway answers to, besides those of this machine. */
  hosts?: readonly string[];
  supabase: { fetch(request: Request): Promise<Response> };
  /** The functions; without this option, their addresses are not found. */
  functions?: RunningFunctions;
  /** The time in milliseconds after which the gateway reads a body that its function has not read yet. */
  readAheadAfter?: number;
  /** The pages; without this option, the addresses of the pages are not found. */
  site?: { fetch(request: Request): Promise<Response> };
}

interface RunningFunctions {
  names: string[];
  /** Returns the port of a function; undefined while the function is down. */
  port(name: string): Promise<number | undefined>;
}

export interface Gateway {
  url: string;
  port: number;
  /** Accepts no more requests, gives running ones two seconds, then closes their connections. */
  stop(): Promise<void>;
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** The time after which the gateway reads a body that its function has not read yet. By then, a function has refused an unknown caller. */
const READ_AHEAD_AFTER_MS = 1_000;
const NOTHING = "There is nothing at this address.";
/** The path that replaces an unknown path. No page has this path, so the site answers with its page for "not found". */
const NO_PAGE = "/nothing-here";

/** Starts the only port that clients use: REST, auth and functions, under the paths of a hosted project. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { supabase, functions, site, hosts = [], readAheadAfter = READ_AHEAD_AFTER_MS } = options;
  const connections = new Connections();
  const listen = (answer: (request: Request) => Response | Promise<Response>) =>
    getRequestListener(answer, { overrideGlobalObjects: false });
  const toSupabase = listen(onlyApi(supabase));
  const toSite = site && listen((request) => site.fetch(request));
  const toOpenApi = listen(openApi);
  /** Refuses a request without making a Request, because not every target and host can form a URL. */
  const refuse =
    (...refusal: Parameters<typeof problemResponse>) =>
    (incoming: IncomingMessage, outgoing: ServerResponse): void => {
      // Read the body to its end, or the client may get a connection reset instead of the answer.
      incoming.resume();
      sendProblem(outgoing, ...refusal);
    };

  async function toFunction(
    { port: portOf }: RunningFunctions,
    { name, path }: { name: string; path: string },
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> {
    const port = await portOf(name);
    // The caller may have gone while the function started.
    if (outgoing.destroyed) return;
    if (port) proxy(incoming, outgoing, { port, path, connections, name, readAheadAfter });
    else refuse("unavailable", `The function ${name} is not running. The log says why.`)(incoming, outgoing);
  }

  function handle(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const answer = find(incoming, outgoing);
    if (answer) void answer(incoming, outgoing);
  }

  /** Returns the listener that answers a request; null when the request was forwarded to a function. */
  function find(incoming: IncomingMessage, outgoing: ServerResponse) {
    const host = plainHost(incoming);
    if (host === null)
      return refuse("malformed_host", "Send one Host header: a name or an address, and its port.");
    if (!isOwnHost(host, hosts)) {
      const names = "localhost, to 127.0.0.1, and to the names in its setting KEYHUB_HOSTS";
      return refuse("misdirected_host", `The local stack answers to ${names}.`);
    }
    if (!METHODS.includes(incoming.method ?? "")) {
      const methods = METHODS.join(", ");
      return refuse("method_not_allowed", `Use one of ${methods}.`, { Allow: methods });
    }
    dropForwardedHeaders(incoming);
    incoming.headers.host = host;
    const where = route(incoming.url ?? "");
    if (where.kind === "openapi") return toOpenApi;
    if (where.kind === "function" && functions?.names.includes(where.name)) {
      void toFunction(functions, where, incoming, outgoing);
      return null;
    }
    if (where.kind === "supabase" || (where.kind === "site" && toSite)) {
      incoming.url = where.path;
      return where.kind === "supabase" ? toSupabase : toSite;
    }
    if (where.kind !== "none" || !toSite || !wantsPage(incoming)) return refuse("not_found", NOTHING);
    incoming.url = NO_PAGE;
    return toSite;
  }

  // By default Node itself would answer a request without a Host header; `handle` refuses it with a problem.
  const server = createServer({ requireHostHeader: false }, handle);
  await once(server.listen(options.port, "127.0.0.1"), "listening").catch((error) => {
    throw cannotListen(error, options.port, "KEYHUB_PORT");
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const deadline = setTimeout(() => server.closeAllConnections(), 2_000);
      await closed;
      clearTimeout(deadline);
      connections.close();
    },
  };
}

/** Checks the path again as @supabase/lite will parse it from the URL. Only paths of REST and auth pass. */
export function onlyApi(supabase: GatewayOptions["supabase"]): (request: Request) => Promise<Response> {
  return async (request) =>
    isOfSupabase(new URL(request.url).pathname)
      ? supabase.fetch(request)
      : problemResponse("not_found", NOTHING);
}

/** Returns whether a browser opens the address: browsers accept text/html by name, and programs do not. */
function wantsPage({ method, headers }: IncomingMessage): boolean {
  return (method === "GET" || method === "HEAD") && /\btext\/html\b/i.test(headers.accept ?? "");
}
