import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** The properties of a stream. */
export interface Shape {
  /** The milliseconds before the stream begins. */
  thinking?: number;
  events?: number;
  /** The number of words in each event. */
  words?: number;
  /** The milliseconds between two events. */
  pause?: number;
}

export const EVENTS = 200;

export const pathOf = ({ thinking = 0, events = EVENTS, words = 1, pause = 0 }: Shape): string =>
  `/v1/${thinking}/${events}/${words}/${pause}`;

/** Starts a provider on loopback; the path of a request gives the properties of its stream. */
export async function startStreams() {
  let open = 0;
  const server = createServer(async (request, response) => {
    request.resume();
    const numbers = (request.url ?? "").match(/\d+/g)?.slice(-4).map(Number) ?? [];
    const [thinking = 0, events = 0, words = 1, pause = 0] = numbers;
    const data = { choices: [{ index: 0, delta: { content: "a word ".repeat(words) } }] };
    const event = `data: ${JSON.stringify(data)}\n\n`;
    open += 1;
    const closed = once(response, "close").then(() => {
      open -= 1;
    });
    await sleep(thinking);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let i = 0; i < events && !response.destroyed; i += 1) {
      if (!response.write(event)) await Promise.race([once(response, "drain"), closed]);
      if (pause > 0) await sleep(pause);
    }
    response.end("data: [DONE]\n\n");
  });
  server.listen(0, "127.0.0.1", 4_096);
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Returns the number of streams that have not ended. */
    open: () => open,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
