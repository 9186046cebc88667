import { readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startFunctions, startStack } from "../../packages/local/src/index.ts";
import { repository } from "../support/cli.ts";

/** The gateway against the bare proxy in the same run. */
const FIRST_BYTE = 1.3;
const THROUGHPUT = 0.7;
/** After so many milliseconds a provider begins to answer: at once, and as fast language models do. */
const THINKING = [0, 200];
const EVENTS = 200;
const STREAMS = Number(process.env.BENCH_STREAMS ?? 1_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 40);

const eventOf = (words: number) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "a word ".repeat(words) } }] })}\n\n`;

/**
 * What the gateway costs: time to the first byte, throughput of streams, and memory over many streams; each against a function that
 * does nothing but pass on. The gateway leases and reports against a real stack.
 */
export async function benchGateway(): Promise<void> {
  const provider = createServer(async (request, response) => {
    request.resume();
    const [thinking = 0, events = 0, words = 1] =
      (request.url ?? "").match(/\d+/g)?.slice(-3).map(Number) ?? [];
    const event = eventOf(words);
    await sleep(thinking);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let i = 0; i < events; i += 1) {
      if (!response.write(event)) await new Promise((resolve) => response.once("drain", resolve));
    }
    response.end("data: [DONE]\n\n");
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const folder = await mkdtemp(join(tmpdir(), "keyhub-bench-"));
  await chmod(folder, 0o755);
  const stack = await startStack({ dataDir: join(folder, "stack") });
  const pids: Record<string, number> = {};
  const serve = (functionsDir: string, name: string) =>
    startFunctions({
      functionsDir,
      names: [name],
      env: {
        SUPABASE_URL: stack.url,
        SUPABASE_SECRET_KEYS: JSON.stringify({ default: stack.env.SUPABASE_SECRET_KEY }),
        KEYHUB_UNSEAL_KEYS: stack.env.KEYHUB_UNSEAL_KEYS ?? "",
        KEYHUB_UPSTREAMS: JSON.stringify({ openai: origin }),
        KEYHUB_LOOPBACK_UPSTREAMS: "allow",
        BENCH_UPSTREAM: origin,
      },
      onPid: (_, pid) => {
        pids[name] = pid;
      },
      onLog: (line) => console.error(line),
    });
  const gateway = await serve(join(repository, "supabase", "functions"), "keyhub-gateway");
  const bare = await serve(join(repository, "tests", "bench"), "bare-proxy");
  const urls = {
    bare: `http://127.0.0.1:${bare.ports["bare-proxy"]}`,
    gateway: `http://127.0.0.1:${gateway.ports["keyhub-gateway"]}/keyhub-gateway/openai`,
  };
  const call: Call = async (url, { thinking = 0, events = EVENTS, words = 1 } = {}) => {
    const started = performance.now();
    const response = await fetch(`${url}/v1/${thinking}/${events}/${words}`, {
      method: "POST",
      body: '{"stream":true}',
      headers: { authorization: `Bearer ${stack.env.KEYHUB_AGENT_TOKEN}` },
    });
    if (response.status !== 200 || response.body === null)
      throw new Error(`${response.status} ${await response.text()}`);
    let first = 0;
    let bytes = 0;
    for await (const chunk of response.body) {
      if (bytes === 0) first = performance.now() - started;
      bytes += chunk.byteLength;
    }
    return { first, bytes };
  };
  try {
    for (const url of Object.values(urls)) for (let i = 0; i < 20; i += 1) await call(url);
    await firstBytes(urls, call);
    await throughput(urls, call);
    await memory(urls.gateway, pids["keyhub-gateway"] ?? 0, call);
  } finally {
    await gateway.stop();
    await bare.stop();
    await stack.stop();
    provider.close();
    provider.closeAllConnections();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Shape {
  thinking?: number;
  events?: number;
  words?: number;
}
type Call = (url: string, shape?: Shape) => Promise<{ first: number; bytes: number }>;
type Urls = { bare: string; gateway: string };

async function firstBytes({ bare, gateway }: Urls, call: Call): Promise<void> {
  for (const thinking of THINKING) {
    const times = { bare: [] as number[], gateway: [] as number[] };
    // Both alternate, so that the machine's load hits both.
    for (let i = 0; i < ROUNDS; i += 1) {
      times.bare.push((await call(bare, { thinking })).first);
      times.gateway.push((await call(gateway, { thinking })).first);
    }
    const [one, other] = [median(times.bare), median(times.gateway)];
    const ratio = other / one;
    console.log(
      `first byte p50, provider begins after ${thinking} ms: bare ${one.toFixed(1)} ms, gateway ${other.toFixed(1)} ms, × ${ratio.toFixed(2)}`,
    );
    // Where the provider answers at once, lease and report are all there is: no provider does.
    if (thinking > 0 && ratio > FIRST_BYTE) missed(`first byte × ${ratio.toFixed(2)}, target ${FIRST_BYTE}`);
  }
}

/** Words as they come, which costs per piece, and large pieces, as of files and images. */
const SHAPES: [name: string, shape: Shape][] = [
  ["3,000 events of a word", { events: 3_000, words: 1 }],
  ["300 events of 16 KB", { events: 300, words: 2_300 }],
];

async function throughput({ bare, gateway }: Urls, call: Call): Promise<void> {
  for (const [name, shape] of SHAPES) {
    const run = async (url: string) => {
      const started = performance.now();
      const done = await atOnce(16, 16, () => call(url, shape));
      return done.reduce((sum, { bytes }) => sum + bytes, 0) / (performance.now() - started) / 1_000;
    };
    const rates = { bare: [] as number[], gateway: [] as number[] };
    for (let round = 0; round < 3; round += 1) {
      rates.bare.push(await run(bare));
      rates.gateway.push(await run(gateway));
    }
    const [one, other] = [median(rates.bare), median(rates.gateway)];
    const ratio = (other / one).toFixed(2);
    console.log(
      `throughput, 16 streams at once of ${name}: bare ${one.toFixed(2)} MB/s, gateway ${other.toFixed(2)} MB/s, × ${ratio}`,
    );
    if (other / one < THROUGHPUT) missed(`throughput × ${ratio}, target ${THROUGHPUT}`);
  }
}

async function memory(url: string, pid: number, call: Call): Promise<void> {
  await atOnce(100, STREAMS, () => call(url));
  const sizes = [rss(pid)];
  for (let round = 0; round < 3; round += 1) {
    await atOnce(100, STREAMS, () => call(url));
    sizes.push(rss(pid));
  }
  const grown = (sizes.at(-1) ?? 0) - (sizes[0] ?? 0);
  console.log(
    `memory after each ${STREAMS} streams of ${EVENTS} events, 100 at once: ${sizes.map((size) => size.toFixed(0)).join(", ")} MB; grown ${grown.toFixed(0)} MB`,
  );
}

/** So many calls in all, and so many of them at once. */
async function atOnce<T>(width: number, times: number, call: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let left = times;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      results.push(await call());
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}

/** Megabytes of a process that are in memory. */
function rss(pid: number): number {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

function missed(what: string): void {
  console.log(`missed: ${what}`);
  process.exitCode = 1;
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
