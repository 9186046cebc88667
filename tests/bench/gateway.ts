import { readFileSync } from "node:fs";
import { atOnce } from "./streams/at-once.ts";
import { pathOf, type Shape } from "./streams/provider.ts";
import { startStreamStack } from "./streams/stack.ts";

/** The targets as ratios of the gateway to the bare proxy in the same run. */
const FIRST_BYTE = 1.3;
const THROUGHPUT = 0.7;
/** The milliseconds after which the provider begins to answer: 0, and the time of a fast language model. */
const THINKING = [0, 200];
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 40);

/**
 * Measures the cost of the gateway: the time to the first byte, and the throughput of streams, each beside a function that only passes
 * requests on. The gateway leases keys from a real stack and reports to it.
 */
export async function benchGateway(): Promise<void> {
  const stack = await startStreamStack();
  const call: Call = async (url, shape = {}) => {
    const started = performance.now();
    const response = await fetch(`${url}${pathOf(shape)}`, {
      method: "POST",
      body: '{"stream":true}',
      headers: { authorization: `Bearer ${stack.token}` },
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
    for (const { url } of [stack.bare, stack.gateway]) for (let i = 0; i < 20; i += 1) await call(url);
    await firstBytes(stack, call);
    await throughput(stack, call);
  } finally {
    await stack.stop();
  }
}

type Call = (url: string, shape?: Shape) => Promise<{ first: number; bytes: number }>;
type Ways = Record<"bare" | "gateway", { url: string; pid: number }>;

async function firstBytes({ bare, gateway }: Ways, call: Call): Promise<void> {
  for (const thinking of THINKING) {
    const times = { bare: [] as number[], gateway: [] as number[] };
    // Calls to the bare proxy and to the gateway alternate, so that the machine's load affects both.
    for (let i = 0; i < ROUNDS; i += 1) {
      times.bare.push((await call(bare.url, { thinking })).first);
      times.gateway.push((await call(gateway.url, { thinking })).first);
    }
    const [one, other] = [median(times.bare), median(times.gateway)];
    const ratio = other / one;
    console.log(
      `first byte p50, provider begins after ${thinking} ms: bare ${one.toFixed(1)} ms, gateway ${other.toFixed(1)} ms, × ${ratio.toFixed(2)}`,
    );
    // There is no target for a provider that answers at once: lease and report are then the whole time, and no real provider is so fast.
    if (thinking > 0 && ratio > FIRST_BYTE) missed(`first byte × ${ratio.toFixed(2)}, target ${FIRST_BYTE}`);
  }
}

interface Load {
  name: string;
  streams: number;
  shape: Shape & { events: number };
  /** The number of rounds. Loads with short rounds need more rounds, because single rounds of 0.3 s differ by a factor of two. */
  rounds: number;
  /**
   * Whether a stream ends so soon that lease and report are most of its time. Such a load has no target, because `firstBytes` measures
   * lease and report.
   */
  isShort?: boolean;
}

/** The loads: words at the speed of a model, words at full speed, and large pieces like those of files and images. */
const LOADS: Load[] = [
  {
    name: "50 events a second of a word",
    streams: 100,
    shape: { events: 200, pause: 20 },
    rounds: 3,
  },
  {
    name: "3,000 events of a word, at full speed",
    streams: 16,
    shape: { events: 3_000 },
    rounds: 21,
    isShort: true,
  },
  {
    name: "300 events of 16 KB, at full speed",
    streams: 16,
    shape: { events: 300, words: 2_300 },
    rounds: 41,
  },
  // In the load above, lease and report take a seventh of the time. In these longer loads their time hardly matters.
  {
    name: "3,000 events of 16 KB, at full speed",
    streams: 16,
    shape: { events: 3_000, words: 2_300 },
    rounds: 5,
  },
  { name: "20,000 events of a word, at full speed", streams: 16, shape: { events: 20_000 }, rounds: 5 },
];

/**
 * Measures the bare proxy and the gateway in turns; each is first in every other round. The ratio is the median of the ratios of single
 * rounds. The processor time of an event is shown, too, because it is steadier than the speed if the machine has other work.
 */
async function throughput(stack: Ways, call: Call): Promise<void> {
  for (const { name, streams, shape, rounds, isShort } of LOADS) {
    const run = async ({ url, pid }: Ways["bare"]) => {
      const [started, busy] = [performance.now(), cpuTime(pid)];
      const done = await atOnce(streams, streams, () => call(url, shape));
      const bytes = done.reduce((sum, one) => sum + one.bytes, 0);
      return {
        rate: bytes / (performance.now() - started) / 1_000,
        cost: ((cpuTime(pid) - busy) * 1_000) / (streams * shape.events),
      };
    };
    const bare: Run[] = [];
    const gateway: Run[] = [];
    // The first round warms up: leases, connections, compiled code.
    for (let round = 0; round <= rounds; round += 1) {
      const gatewayFirst = round % 2 === 0 ? await run(stack.gateway) : undefined;
      const one = await run(stack.bare);
      const other = gatewayFirst ?? (await run(stack.gateway));
      if (round === 0) continue;
      bare.push(one);
      gateway.push(other);
    }
    const of = (runs: Run[], what: keyof Run) => median(runs.map((run) => run[what]));
    const ratio = median(gateway.map(({ rate }, i) => rate / (bare[i]?.rate ?? Number.NaN)));
    console.log(
      `throughput, ${streams} streams at once of ${name}: bare ${of(bare, "rate").toFixed(2)} MB/s, gateway ${of(gateway, "rate").toFixed(2)} MB/s, × ${ratio.toFixed(2)}; processor time of an event: ${of(bare, "cost").toFixed(0)} and ${of(gateway, "cost").toFixed(0)} µs`,
    );
    if (!isShort && ratio < THROUGHPUT)
      missed(`throughput × ${ratio.toFixed(2)}, target ${THROUGHPUT}: ${name}`);
  }
}

/** One round: megabytes per second, and microseconds of processor time per event. */
interface Run {
  rate: number;
  cost: number;
}

/** Returns the milliseconds of processor time that a process has used. Linux counts them in hundredths of a second. */
function cpuTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function missed(what: string): void {
  console.log(`missed: ${what}`);
  process.exitCode = 1;
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
