import { questionsOf } from "../support/docs/questions.ts";
import { addPool, median, startCluster } from "./cluster.ts";
import { fillLog } from "./log.ts";

const KEYS = 1_000;
const ROWS = Number(process.env.BENCH_ROWS ?? 10_000_000);
const ROUNDS = 5;
/** The target in milliseconds: an operator does not notice such a wait. */
const TARGET = 1_000;

interface Explained {
  Plan: Record<"Shared Hit Blocks" | "Shared Read Blocks", number>;
  "Execution Time": number;
}

/**
 * Measures the questions of operators on a log with ten million rows of a month: each query of docs/operate/keys.md, and the view of pools.
 */
export async function benchQuestions(): Promise<void> {
  const cluster = await startCluster({
    shared_buffers: "1GB",
    max_wal_size: "16GB",
    checkpoint_timeout: "1h",
  });
  try {
    const { sql } = cluster;
    const userId = await addPool(sql, KEYS);
    const [agent] = await sql<{ id: string }[]>`
      insert into api_key_agents (user_id, name, token_hash)
      values (${userId}, 'demo-agent', ${"0".repeat(64)}) returning id`;
    await fillLog(sql, userId, ROWS, agent?.id);
    await sql`vacuum analyze`;
    const questions = [
      ...questionsOf(userId),
      { question: "The pool at a glance", query: `select * from api_key_pools where user_id = '${userId}'` },
    ];
    const rows = [];
    for (const { question, query } of questions) {
      const times: number[] = [];
      let read = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const [found] = await sql.unsafe<{ "QUERY PLAN": [Explained] }[]>(
          `explain (analyze, buffers, timing off, format json) ${query}`,
        );
        const [{ Plan, "Execution Time": time }] = (found as NonNullable<typeof found>)["QUERY PLAN"];
        times.push(time);
        read = Plan["Shared Hit Blocks"] + Plan["Shared Read Blocks"];
      }
      const time = median(times);
      rows.push({
        question: question.slice(0, 50),
        "p50 ms": time.toFixed(1),
        pages: read,
        met: time <= TARGET,
      });
    }
    console.table(rows);
    console.log(
      `${ROWS} rows of ${KEYS} keys in 30 days; medians of ${ROUNDS}; target at most ${TARGET} ms.`,
    );
  } finally {
    await cluster.stop();
  }
}
