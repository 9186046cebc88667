import type { IncomingMessage, Server, ServerResponse } from "node:http";

/**
 * Lets the server answer a client that has closed its writing side after the request but still reads. Node would end such a
 * connection; this option prevents it, but is missing in Node's types.
 */
export function allowHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

/** Time for a refusal of the first interim answer to arrive, in milliseconds: on one machine it takes far less. */
const REFUSED_MS = 100;

/**
 * Detects a client that is gone. Its FIN looks the same as that of a client that still reads. Interim answers (100 Continue,
 * which every HTTP/1.1 client must accept) tell them apart: a closed socket resets the connection on the first, so the second
 * fails.
 */
export function detectGoneClient(incoming: IncomingMessage, outgoing: ServerResponse): void {
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

/**
 * For a stream of events whose headers were sent: a client that closed its half of the connection counts as gone. Interim answers
 * are no longer possible, and without new data the stream would never notice that the client is gone.
 */
export function endWithItsReader({ socket }: IncomingMessage, outgoing: ServerResponse): void {
  const gone = () => outgoing.destroy();
  if (socket.readableEnded) return void gone();
  socket.once("end", gone);
  outgoing.once("close", () => socket.off("end", gone));
}
