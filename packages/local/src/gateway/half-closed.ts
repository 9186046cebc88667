import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Readable } from "node:stream";

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

/** How long a started answer may stand still after its caller's FIN, in milliseconds. A whole answer follows its headers far sooner. */
const SILENT_MS = 1_000;

/**
 * For an answer whose headers were sent: a client that closed its half of the connection counts as gone when the answer stands
 * still. Interim answers are no longer possible, and only new data would show that the client is gone.
 */
export function endWithItsReader(
  { socket }: IncomingMessage,
  outgoing: ServerResponse,
  body: Readable,
): void {
  let silence: NodeJS.Timeout | undefined;
  const ended = () => {
    const timer = setTimeout(() => {
      // Data that waits for the client would show that it is gone.
      if (outgoing.writableNeedDrain) timer.refresh();
      else outgoing.destroy();
    }, SILENT_MS);
    silence = timer;
    body.on("data", () => timer.refresh());
  };
  if (socket.readableEnded) ended();
  else socket.once("end", ended);
  outgoing.once("close", () => {
    socket.off("end", ended);
    clearTimeout(silence);
  });
}
