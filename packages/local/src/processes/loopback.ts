import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";

/** Serves an app on loopback; port 0 means any free port. Resolves when the server listens. `stop` closes open connections, too. */
export async function serveOnLoopback(app: Hono, port = 0): Promise<{ url: string; stop(): Promise<void> }> {
  // By default the library replaces the Request and Response of the whole process.
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server;
  // In milliseconds. Longer than callers pause between two requests, so that no caller finds its connection closed.
  server.keepAliveTimeout = 60_000;
  await once(server.listen(port, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
}
