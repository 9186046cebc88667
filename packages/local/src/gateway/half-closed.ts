import type { IncomingMessage, Server, ServerResponse } from "node:http";

/**
 * Answers a client that has closed its half of the connection behind its request and still reads. Node ends such a
 * connection unless this switch is on, which its types leave out.
 */
export function allowHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

/** When the first interim answer has been refused, in milliseconds: far longer than that takes on one machine. */
const REFUSED_MS = 100;

/**
 * A client that is gone sends the same end as one that still reads. Interim answers, which every client of HTTP/1.1 has
 * to take, tell them apart: the system of one that is gone refuses the first, and the second meets a broken connection.
 */
export function askWhetherGone(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { socket } = incoming;
  let again: NodeJS.Timeout | undefined;
  const ask = () => {
    if (incoming.httpVersion === "1.1" && !outgoing.headersSent) outgoing.writeContinue();
  };
  const ended = () => {
    ask();
    again = setTimeout(ask, REFUSED_MS);
  };
  socket.once("end", ended);
  outgoing.once("close", () => {
    socket.off("end", ended);
    clearTimeout(again);
  });
}
