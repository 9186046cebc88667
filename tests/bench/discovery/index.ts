import { writeChart } from "../chart.ts";
import { type BenchCall, calls, liveCalls, otherCalls, unscheduledCalls } from "./calls.ts";
import { type Hub, openHub } from "./hub.ts";
import { low, measureCall, type Taken } from "./measure.ts";
import { benchWriters, timeRefresh } from "./writers.ts";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 60);
/** The largest ratio of a call's time in a hub to the time of the same call in the smallest hub. */
const GROWTH = 2;
const IN_CHART = [
  ...["newest", "newest, page 1,000", "a type, by installs", "a rare word"],
  ...["a word of 60 %, by relevance", "two words", "a slip", "remixes of the root"],
];

/**
 * `npm run bench -- discovery --assets 10000,100000,1000000`: measures pages of search and lists as ratios to `floor`, on hubs of
 * all these sizes in turns. If BENCH_DATA is a folder, the hubs stay there for the next run.
 */
export async function benchDiscovery(): Promise<void> {
  const sizes = (process.env.BENCH_ASSETS ?? "10000").split(",").map(Number);
  if (!sizes.every((size) => Number.isInteger(size) && size >= 1000)) {
    throw new Error("--assets takes numbers from 1000 on, with commas between them");
  }
  const hubs: Hub[] = [];
  try {
    for (const size of sizes) hubs.push(await openHub(size));
    console.log(
      `ratios to reading 24 rows by primary key: of the tenth percentiles of ${ROUNDS} interleaved rounds, by time (and by the processor time of the server)`,
    );
    const charted = new Map<string, [number, number][]>();
    const rows: object[] = [];
    const add = async (list: BenchCall[]) => {
      for (const call of list) {
        const { row, ratios } = await measured(hubs, call);
        rows.push(row);
        charted.set(
          call.name,
          ratios.map(({ time, processor }, i) => [sizes[i] ?? 0, processor || time]),
        );
      }
    };
    await add(calls);
    for (const { cluster } of hubs)
      await cluster.sql`update private.hub_snapshots set value = null, made_at = '-infinity'`;
    const refreshes: number[] = [];
    for (const hub of hubs) refreshes.push(await timeRefresh(hub));
    await add(unscheduledCalls);
    for (const { cluster } of hubs)
      await cluster.sql`update private.hub_snapshots set value = null, made_at = '-infinity'`;
    await add(liveCalls);
    await add(otherCalls);
    console.table(rows);
    console.log(
      `the star that makes the snapshot of trending, ms: ${refreshes.map((ms) => ms.toFixed(1)).join(", ")}`,
    );
    await benchWriters(hubs);
    if (sizes.length >= 3) {
      await writeChart("benchmarks/discovery.svg", {
        title: "A page by the size of the hub",
        x: "listings",
        y: "times the floor, by processor time",
        ticks: sizes,
        lines: IN_CHART.map((name, colour) => ({
          name,
          points: charted.get(name) ?? [],
          colour: colour % 4,
          dashed: colour >= 4,
        })),
      });
    }
  } finally {
    for (const hub of hubs) await hub.stop();
  }
}

async function measured(hubs: Hub[], call: BenchCall) {
  const times = await measureCall(hubs, call, ROUNDS);
  const lows = times.map((of) => ({ call: lowsOf(of.call), floor: lowsOf(of.floor) }));
  const ratios = lows.map((of) => ({
    time: of.call.time / of.floor.time,
    processor: of.call.processor / of.floor.processor,
  }));
  const columns = Object.fromEntries(
    ratios.map(({ time, processor }, i) => [
      hubs[i]?.assets.toLocaleString("en"),
      `${time.toFixed(1)} (${processor.toFixed(1)})`,
    ]),
  );
  const [first, last] = [lows[0]?.call, lows.at(-1)?.call];
  const growth = (last?.processor ?? 0) / (first?.processor ?? 0);
  const isMet = call.aim === 0 || (ratios.every(({ time }) => time <= call.aim) && !(growth > GROWTH));
  process.stderr.write(`${call.name}\n`);
  return {
    ratios,
    row: {
      call: call.name,
      ...columns,
      aim: call.aim || "",
      ms: last?.time.toFixed(2),
      growth: growth.toFixed(2),
      "": call.aim === 0 ? "" : isMet ? "met" : "MISSED",
    },
  };
}

function lowsOf(all: Taken[]): Taken {
  return { time: low(all.map(({ time }) => time)), processor: low(all.map(({ processor }) => processor)) };
}
