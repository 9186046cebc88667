import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { until } from "../../support/until.ts";
import { openStreams, type Round } from "./open.ts";
import { EVENTS } from "./provider.ts";
import { startStreamStack } from "./stack.ts";

const STREAMS = Number(process.env.BENCH_STREAMS ?? 1_000);
/** The number of rounds of each kind, after the warm-up. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
/**
 * The number of first rounds, which are not compared: V8's heap and the buffers of the sockets still grow to the size for this many
 * streams.
 */
const WARM_UP = 4;
/** `client` or `gateway`, to measure only one of them. By default both are measured. */
const WAY = process.env.BENCH_WAY;
/** The largest growth of memory between the ends of the first and the last round, in megabytes. The memory of a round must be freed. */
const GROWTH_MB = 32;

/** Megabytes after a round. `heap` is missing where it is not known. `highest` is the largest `rss` during the round. */
interface Memory {
  rss: number;
  highest: number;
  heap?: number;
}

/**
 * Measures many streams of 200 events at once through keyhub.fetch and through the gateway. Rounds of complete streams and of aborted
 * streams take turns. It measures the memory after each round, and checks that each lease was reported and each stream has ended.
 */
export async function benchStreams(): Promise<void> {
  const stack = await startStreamStack();
  const child = fork(fileURLToPath(new URL("client-child.ts", import.meta.url)), [stack.provider.origin], {
    execArgv: ["--expose-gc"],
  });
  const sql = postgres(stack.databaseUrl, { max: 1 });
  try {
    if (WAY !== "gateway")
      await rounds("keyhub.fetch", child.pid ?? 0, async (round) => {
        child.send(round);
        const [{ heap, unreported }] = await once(child, "message");
        if (unreported !== 0) missed(`${unreported} leases of the client have no report`);
        return heap / 1e6;
      });
    if (WAY !== "client")
      await rounds("gateway", stack.gateway.pid, async (round) => {
        const before = await ended();
        await openStreams(round, fetch, stack.gateway.url, stack.token);
        // Do not wait until no lease is open: on a busy machine a lease's answer may come too late for the gateway, and then it leases
        // again.
        await until(async () => (await ended()) - before >= round.streams);
      });
  } finally {
    child.kill();
    await sql.end();
    await stack.stop();
  }

  /**
   * Returns the number of leases that have a report or whose report is lost. A report is lost only when the machine is so busy that the key
   * service does not answer.
   */
  async function ended(): Promise<number> {
    const [row] =
      await sql`select count(*)::integer as count from api_key_usage_log where outcome is not null`;
    return (row?.count ?? 0) + stack.lost();
  }

  async function rounds(
    name: string,
    pid: number,
    run: (round: Round) => Promise<number | undefined>,
  ): Promise<void> {
    console.log(
      `| ${name}: ${STREAMS} streams | open at once | highest RSS, MB | RSS after, MB | heap after, MB |`,
    );
    console.log("| --- | --- | --- | --- | --- |");
    const after: Memory[] = [];
    for (let i = 0; i < WARM_UP + 2 * ROUNDS; i += 1) {
      const aborts = i % 2 === 1;
      let highest = 0;
      let open = 0;
      const watching = setInterval(() => {
        open = Math.max(open, stack.provider.open());
        highest = Math.max(highest, rss(pid));
      }, 100);
      const heap = await run({ streams: STREAMS, events: EVENTS, aborts }).finally(() =>
        clearInterval(watching),
      );
      await until(async () => stack.provider.open() === 0);
      const memory = { rss: rss(pid), highest, ...(heap !== undefined && { heap }) };
      if (i >= WARM_UP) after.push(memory);
      const of = `${aborts ? "given up" : "whole"}${i >= WARM_UP ? "" : ", warming up"}`;
      console.log(
        `| ${of} | ${open} | ${highest.toFixed(0)} | ${memory.rss.toFixed(0)} | ${heap?.toFixed(1) ?? ""} |`,
      );
    }
    const grown = (pick: (memory: Memory) => number) => {
      const [first, last] = [after.at(0), after.at(-1)];
      return first && last ? pick(last) - pick(first) : 0;
    };
    const more = grown(({ heap, rss }) => heap ?? rss);
    console.log(`${name}: ${more.toFixed(0)} MB more after the last round than after the first`);
    if (more > GROWTH_MB) missed(`${name} grew by ${more.toFixed(0)} MB in ${after.length} rounds`);
  }
}

/** Returns the megabytes of a process that are in memory. */
function rss(pid: number): number {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1_000;
}

function missed(what: string): void {
  console.log(`missed: ${what}`);
  process.exitCode = 1;
}
