import {
  Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import { endWithItsReader } from "./half-closed.ts";
import { sendProblem } from "./problem.ts";

/** Headers about one connection, not about the message (RFC 9110, 7.6.1). */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

export interface Target {
  port: number;
  path: string;
  agent: Agent;
  /** Its name in the problem when it does not answer. */
  name: string;
}

/** Forwards a request and its answer, both as streams. When one side closes, the other is closed, too. */
export function proxy(incoming: IncomingMessage, outgoing: ServerResponse, target: Target): void {
  const upstream = request({
    host: "127.0.0.1",
    port: target.port,
    path: target.path,
    method: incoming.method,
    agent: target.agent,
    headers: forwardedHeaders(incoming),
  });
  upstream.on("response", (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.headers));
    // Sends the headers at once, even while the body has not begun.
    outgoing.flushHeaders();
    if (/^text\/event-stream/i.test(answer.headers["content-type"] ?? ""))
      endWithItsReader(incoming, outgoing);
    answer.pipe(outgoing);
    answer.on("error", () => outgoing.destroy());
  });
  upstream.on("error", () => {
    if (outgoing.headersSent) outgoing.destroy();
    else sendProblem(outgoing, "unavailable", `The function ${target.name} does not answer right now.`);
  });
  outgoing.on("close", () => {
    if (!outgoing.writableFinished) upstream.destroy();
  });
  // The answer may end before the request body was read. Read the rest, or the connection hangs.
  outgoing.on("finish", () => {
    incoming.unpipe(upstream);
    incoming.resume();
  });
  incoming.pipe(upstream);
}

function forwardedHeaders(incoming: IncomingMessage): IncomingHttpHeaders {
  return {
    ...endToEnd(incoming.headers),
    "x-forwarded-for": incoming.socket.remoteAddress ?? "",
    "x-forwarded-host": incoming.headers.host ?? "",
    "x-forwarded-proto": "http",
  };
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = String(headers.connection ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase());
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !named.includes(name)),
  );
}

/** Keeps connections to the functions open: a new one for each request costs more than the forwarding. */
export function keepAliveAgent(): Agent {
  return new Agent({ keepAlive: true, maxFreeSockets: 64 });
}
