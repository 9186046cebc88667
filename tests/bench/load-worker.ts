/**
 * The callers of the load bench. They run in a separate thread, because the gateway and REST run in the main thread. Each connection is
 * kept alive and sends one request after the other, as wrk does. A load generator such as wrk cannot be used, because an agent's report
 * needs the id of its lease. Plain node:http is the lightest client.
 */
import { Agent, request } from "node:http";
import { parentPort } from "node:worker_threads";

export interface Work {
  /** The kind of load; `two` and `pair` call two functions in turns. */
  kind: "bare" | "two" | "durable" | "get" | "set" | "pair";
  urls: Urls;
  /** The tokens of agents of one pool; the connections use them in turns. */
  tokens: string[];
  connections: number;
  seconds: number;
}

/** The address of each function. */
export type Urls = Record<
  "bare-function" | "second-bare-function" | "durable-function" | "get-active-key" | "set-key-state",
  string
>;

export interface Done {
  /** The number of calls; a pair counts as two. */
  calls: number;
  seconds: number;
  /** The latency of each call in milliseconds. */
  latencies: number[];
  /** The number of answers other than 200, by kind. */
  failures: Record<string, number>;
}

/** Leases that were not reported yet, by the token that got them: an agent may report only its own leases. */
const open = new Map<string, string[]>();

async function run({ kind, urls, tokens, connections, seconds }: Work): Promise<Done> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const latencies: number[] = [];
  const failures: Record<string, number> = {};
  const post = async (token: string, name: keyof Urls, body: unknown): Promise<Record<string, unknown>> => {
    const started = performance.now();
    const answer = await send(agent, urls[name], token, JSON.stringify(body));
    latencies.push(performance.now() - started);
    if (answer.status === 200) return JSON.parse(answer.text);
    failures[`${name} ${answer.status}`] = (failures[`${name} ${answer.status}`] ?? 0) + 1;
    return {};
  };
  const get = async (token: string) => (await post(token, "get-active-key", {})).lease_id as string;
  const set = (token: string, lease_id: string | undefined) =>
    post(token, "set-key-state", { lease_id, status: "success" });
  const leasesOf = (token: string): string[] => {
    const leases = open.get(token) ?? [];
    open.set(token, leases);
    return leases;
  };
  const turns: Record<Work["kind"], (token: string) => Promise<unknown>> = {
    bare: (token) => post(token, "bare-function", {}),
    two: async (token) => {
      await post(token, "bare-function", {});
      await post(token, "second-bare-function", {});
    },
    durable: (token) => post(token, "durable-function", {}),
    get: async (token) => leasesOf(token).push(await get(token)),
    set: (token) => set(token, leasesOf(token).pop()),
    pair: async (token) => set(token, await get(token)),
  };

  const began = performance.now();
  const end = began + seconds * 1_000;
  const caller = async (_: unknown, i: number) => {
    const token = tokens[i % tokens.length] as string;
    while (performance.now() < end && (kind !== "set" || leasesOf(token).length > 0))
      await turns[kind](token);
  };
  await Promise.all(Array.from({ length: connections }, caller));
  const took = (performance.now() - began) / 1_000;
  agent.destroy();
  return { calls: latencies.length, seconds: took, latencies, failures };
}

function send(
  agent: Agent,
  url: string,
  token: string,
  body: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.once("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

parentPort?.on("message", async (work: Work) => parentPort?.postMessage(await run(work)));
