import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createKeyhub } from "../../packages/client/src/index.ts";

/** The number of calls of each kind, and the time that the client may add to a call whose answer is not a stream, in milliseconds. */
const CALLS = 2_000;
const TARGET_MS = 0.3;

const EVENT = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "a word or two" } }] })}\n\n`;
const BODIES: Record<string, { type: string; pieces: string[] }> = {
  "JSON of 1 KB": { type: "application/json", pieces: [JSON.stringify({ text: "x".repeat(1_000) })] },
  "stream of 200 events": { type: "text/event-stream", pieces: Array(200).fill(EVENT) },
};

/**
 * Measures the time that keyhub.fetch adds to a call of a provider on loopback, without the lease and the report themselves. For
 * comparison, the bench makes the call, the lease and the report by hand, with the same service in this process. Both ways alternate, so
 * that the machine's load affects both.
 */
export async function benchClient(): Promise<void> {
  const server = createServer((request, response) => {
    request.resume();
    const body = BODIES[decodeURIComponent(request.url?.slice(1) ?? "")];
    response.writeHead(200, { "content-type": body?.type ?? "text/plain" });
    for (const piece of body?.pieces ?? []) response.write(piece);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const lease = { lease_id: "l", key_id: "k", key_name: "n", api_key: "sk-bench", settings: {} };
  const service: typeof fetch = async (input, init) => {
    const url = String(input);
    if (url.endsWith("get-active-key")) return Response.json(lease);
    if (url.endsWith("set-key-state")) return Response.json({ outcome: "success" });
    return fetch(input, init);
  };
  const url = "http://keyhub.test";
  const keyhub = createKeyhub({ url, token: "t", fetch: service });
  const rotating = keyhub.fetch("openai", { hosts: [origin] });
  const init = { method: "POST", body: "{}", headers: { authorization: "Bearer keyhub" } };

  async function byHand(target: string): Promise<void> {
    const call = (name: string, body: unknown) =>
      service(`${url}/functions/v1/${name}`, { method: "POST", body: JSON.stringify(body) }).then((answer) =>
        answer.json(),
      );
    const { lease_id, api_key } = (await call("get-active-key", { provider: "openai" })) as typeof lease;
    const response = await fetch(target, { ...init, headers: { authorization: `Bearer ${api_key}` } });
    await response.text();
    await call("set-key-state", { lease_id, status: "success" });
  }

  console.log("| answer | by hand p50, ms | keyhub.fetch p50, ms | more |");
  console.log("| --- | --- | --- | --- |");
  try {
    for (const name of Object.keys(BODIES)) {
      const target = `${origin}/${encodeURIComponent(name)}`;
      const times = { hand: [] as number[], client: [] as number[] };
      for (let i = 0; i < CALLS + 200; i += 1) {
        const [hand, client] = [
          await timed(() => byHand(target)),
          await timed(async () => {
            await (await rotating(target, init)).text();
            await keyhub.flush();
          }),
        ];
        // The first calls warm up.
        if (i < 200) continue;
        times.hand.push(hand);
        times.client.push(client);
      }
      const [hand, client] = [median(times.hand), median(times.client)];
      console.log(`| ${name} | ${hand.toFixed(3)} | ${client.toFixed(3)} | ${(client - hand).toFixed(3)} |`);
      // There is no target for streams, because their cost grows with the number of pieces, which the network determines.
      if (name.startsWith("JSON") && client - hand > TARGET_MS) process.exitCode = 1;
    }
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function timed(call: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await call();
  return performance.now() - started;
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
