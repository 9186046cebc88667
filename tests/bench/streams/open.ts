import { setTimeout as sleep } from "node:timers/promises";
import { pathOf } from "./provider.ts";

/** Streams that are opened at once, as a model speaks. `aborts`: each is given up in its middle. */
export interface Round {
  streams: number;
  events: number;
  aborts: boolean;
}

/** Milliseconds between two events of a stream: with a thousand streams these are ten thousand events a second. */
const PAUSE = 100;
/** So many are opened together, then the next; the first ones last until all are open. */
const OPENING = 50;

export async function openStreams(
  { streams, events, aborts }: Round,
  call: typeof fetch,
  base: string,
  token: string,
): Promise<void> {
  const one = async () => {
    const gone = new AbortController();
    const response = await call(`${base}${pathOf({ events, pause: PAUSE })}`, {
      method: "POST",
      body: '{"stream":true}',
      headers: { authorization: `Bearer ${token}` },
      signal: gone.signal,
    });
    if (response.status !== 200 || response.body === null)
      throw new Error(`${response.status} ${await response.text()}`);
    let seen = 0;
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body) {
        seen += decoder.decode(chunk, { stream: true }).split("\n\n").length - 1;
        if (aborts && seen >= events / 2) gone.abort();
      }
    } catch (error) {
      if (!gone.signal.aborted) throw error;
    }
    if (!aborts && seen !== events + 1) throw new Error(`${seen} events of ${events + 1}`);
  };
  const opened: Promise<void>[] = [];
  for (let i = 0; i < streams; i += 1) {
    opened.push(one());
    if (i % OPENING === OPENING - 1) await sleep(PAUSE);
  }
  await Promise.all(opened);
}
