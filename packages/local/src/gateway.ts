import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { errorCode, oneLine, StartFailure } from "./failure.ts";
import { sendProblem } from "./problem.ts";
import { keepAliveAgent, proxy } from "./proxy.ts";
import { route } from "./routes.ts";

export interface GatewayOptions {
  /** 0 takes a free one. */
  port: number;
  supabase: { fetch(request: Request): Promise<Response> };
  functions: { names: string[]; ports: Record<string, number> };
}

export interface Gateway {
  url: string;
  port: number;
  /** Takes no more requests, lets those in flight finish for a moment, then cuts them off. */
  stop(): Promise<void>;
}

/** The one port clients talk to: REST, auth and functions, under the paths of a hosted project. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { supabase, functions } = options;
  const agent = keepAliveAgent();
  const toSupabase = getRequestListener((request) => supabase.fetch(request), {
    overrideGlobalObjects: false,
  });

  function handle(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const where = route(incoming.url ?? "/");
    if (where.kind === "supabase") {
      incoming.url = where.path;
      void toSupabase(incoming, outgoing);
    } else if (where.kind === "function" && functions.names.includes(where.name)) {
      const port = functions.ports[where.name];
      if (port) proxy(incoming, outgoing, { port, path: where.path, agent, name: where.name });
      else refuse(incoming, outgoing, "unavailable", `The function ${where.name} is being restarted.`);
    } else {
      refuse(incoming, outgoing, "not_found", "There is nothing at this address.");
    }
  }

  const server = createServer(handle);
  await new Promise<void>((resolve, reject) => {
    server.once("listening", resolve);
    server.once("error", (error) => {
      if (errorCode(error) === "EADDRINUSE") reject(new StartFailure(`port ${options.port} is in use.`));
      else reject(new StartFailure(`cannot listen on port ${options.port}: ${oneLine(error)}`));
    });
    server.listen(options.port, "127.0.0.1");
  });
  const address = server.address();
  const port = address && typeof address === "object" ? address.port : options.port;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const patience = setTimeout(() => server.closeAllConnections(), 2_000);
      await closed;
      clearTimeout(patience);
      agent.destroy();
    },
  };
}

function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  code: "not_found" | "unavailable",
  detail: string,
): void {
  // Read what is being sent, or the client may see a broken connection in place of the answer.
  incoming.resume();
  sendProblem(outgoing, code, detail);
}
