import type { IncomingMessage, Server, ServerResponse } from "node:http";

/**
 * Answers a client that has closed its half of the connection behind its request and still reads. Node ends such a
 * connection unless this switch is on, which its types leave out.
 */
export function allowHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

/**
 * A client that is gone sends the same end as one that still reads. An interim answer, which every client of HTTP/1.1
 * has to take, tells them apart: the system of one that is gone refuses it, and the connection breaks.
 */
export function askWhetherGone(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { socket } = incoming;
  const ask = () => {
    if (incoming.httpVersion === "1.1" && !outgoing.headersSent) outgoing.writeContinue();
  };
  socket.once("end", ask);
  outgoing.once("close", () => socket.off("end", ask));
}
