import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Readable } from "node:stream";

/**
 * Lets the server answer a client that has closed its writing side after the request but still reads. Node would end such a
 * connection; this option prevents it, but is missing in Node's types.
 */
export function allowHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

/** The time that a refusal of the first interim answer may take to arrive, in milliseconds. On one machine it takes far less. */
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
 * How long a started answer may pause after its caller's FIN, in milliseconds. An answer that is complete follows its headers far sooner.
 */
const SILENT_MS = 1_000;

/**
 * Ends an answer whose headers were sent when its client seems to be gone: the client has closed its half of the connection, and the answer
 * pauses. Interim answers are no longer possible then, and only new data would show whether the client is gone.
 */
export function endWithItsReader(
  { socket }: IncomingMessage,
  outgoing: ServerResponse,
  body: Readable,
): void {
  let silence: NodeJS.Timeout | undefined;
  const ended = () => {
    const timer = setTimeout(() => {
      // While data waits for the client, a gone client shows by itself.
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
