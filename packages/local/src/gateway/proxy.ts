import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { constants } from "node:http2";
import { PassThrough } from "node:stream";
import type { Connections } from "./connections.ts";
import { sendProblem } from "./problem.ts";

/** Headers about one connection, not about the message (RFC 9110, 7.6.1); HTTP/2 has none of them. */
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
  "http2-settings",
]);

const {
  HTTP2_HEADER_AUTHORITY: AUTHORITY,
  HTTP2_HEADER_METHOD: METHOD,
  HTTP2_HEADER_PATH: PATH,
  HTTP2_HEADER_STATUS: STATUS,
} = constants;

/**
 * The number of bytes of a body that the gateway reads although the function does not read them; no function accepts a larger body. The end
 * of a connection is only seen after its data is read, so without reading ahead the gateway would not notice a caller that goes away.
 * Reading ahead begins late: by then the function has refused an unknown caller, so such a caller cannot occupy 20 MiB of memory here.
 */
const READ_AHEAD = 20 * 1024 * 1024;

export interface ProxyTarget {
  port: number;
  path: string;
  connections: Connections;
  /** The time in milliseconds after which the gateway reads the body although the function has not read it yet. */
  readAheadAfter: number;
  /** The name of the function, for the problem when it does not answer. */
  name: string;
}

/** Forwards a request and its answer, both as streams. When one side closes, the other is closed, too. */
export function proxy(incoming: IncomingMessage, outgoing: ServerResponse, target: ProxyTarget): void {
  const session = target.connections.take(target.port);
  const { "transfer-encoding": chunked, "content-length": length = "0" } = incoming.headers;
  const upstream = session.request(
    {
      ...forwardedHeaders(incoming),
      [METHOD]: incoming.method,
      [PATH]: target.path,
      [AUTHORITY]: incoming.headers.host,
    },
    // Without this option, Node would end a DELETE before its body.
    { endStream: chunked === undefined && Number(length) === 0 },
  );
  incoming.pipe(upstream);
  const readAhead = setTimeout(() => {
    incoming.unpipe(upstream);
    incoming.pipe(new PassThrough({ readableHighWaterMark: READ_AHEAD })).pipe(upstream);
  }, target.readAheadAfter);
  incoming.on("end", () => clearTimeout(readAhead));
  upstream.on("response", ({ [STATUS]: status, ...headers }) => {
    outgoing.writeHead(Number(status), endToEnd(headers));
    // Sends the headers at once, even while the body has not begun.
    outgoing.flushHeaders();
    upstream.pipe(outgoing);
  });
  // Ignore errors here, because "close" always follows.
  upstream.on("error", () => {});
  upstream.on("close", () => {
    target.connections.release(target.port, session);
    if (upstream.readableEnded) return;
    if (outgoing.headersSent) outgoing.destroy();
    else sendProblem(outgoing, "unavailable", `The function ${target.name} does not answer right now.`);
  });
  outgoing.on("close", () => {
    clearTimeout(readAhead);
    // Destroy the request with an error: otherwise its body would end normally, and a cut body would look complete.
    if (!outgoing.writableFinished) upstream.destroy(new Error("the caller is gone"));
  });
  // The answer may end before the request body was read. Read the rest, or the connection hangs.
  outgoing.on("finish", () => {
    incoming.unpipe();
    incoming.resume();
    upstream.close();
  });
}

function forwardedHeaders(incoming: IncomingMessage): OutgoingHttpHeaders {
  // HTTP/2 sends the host as `:authority`, so leave out the Host header.
  const { host = "", expect: _, ...headers } = endToEnd(incoming.headers);
  return {
    ...headers,
    "x-forwarded-for": incoming.socket.remoteAddress ?? "",
    "x-forwarded-host": host,
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
