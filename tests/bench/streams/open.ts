import { atOnce } from "./at-once.ts";
import { pathOf } from "./provider.ts";

/** A round of streams that are open at the same time; events come at the speed of a model. With `aborts`, each is aborted in its middle. */
export interface Round {
  streams: number;
  events: number;
  aborts: boolean;
}

/**
 * The milliseconds between two events of a stream. A thousand streams then have four thousand events per second, and each stream lasts so
 * long that all of them are open at the same time.
 */
const PAUSE = 250;
/** How often opening a stream is tried, as SDKs do: on a busy machine the key service may be too slow to answer. */
const TRIES = 5;
/** The most streams that wait for a lease at the same time, so that the key service answers all of them in time. */
const OPENING = 16;

export async function openStreams(
  { streams, events, aborts }: Round,
  call: typeof fetch,
  base: string,
  token: string,
): Promise<void> {
  const open = async (tries = 1): Promise<{ response: Response; gone: AbortController }> => {
    const gone = new AbortController();
    const response = await call(`${base}${pathOf({ events, pause: PAUSE })}`, {
      method: "POST",
      body: '{"stream":true}',
      headers: { authorization: `Bearer ${token}` },
      signal: gone.signal,
    });
    if (response.status === 503 && tries < TRIES) {
      await response.body?.cancel();
      return open(tries + 1);
    }
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return { response, gone };
  };
  const read = async ({ response, gone }: Awaited<ReturnType<typeof open>>) => {
    let seen = 0;
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body ?? []) {
        seen += decoder.decode(chunk, { stream: true }).split("\n\n").length - 1;
        if (aborts && seen >= events / 2) gone.abort();
      }
    } catch (error) {
      if (!gone.signal.aborted) throw error;
    }
    if (!aborts && seen !== events + 1) throw new Error(`${seen} events of ${events + 1}`);
  };
  const reading: Promise<void>[] = [];
  await atOnce(OPENING, streams, async () => {
    reading.push(read(await open()));
  });
  await Promise.all(reading);
}
