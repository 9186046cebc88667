import { readFile } from "node:fs/promises";
import { engines, type JudgedSet, loadSet, measure } from "../support/search-quality.ts";
import { startCluster } from "./cluster.ts";

/**
 * Measures the quality of search results on the graded searches of the tests, or of another file {assets, queries} in BENCH_JUDGED. For
 * comparison, it also measures a usual search with Postgres.
 */
export async function benchSearchQuality(): Promise<void> {
  const file = process.env.BENCH_JUDGED ?? new URL("../fixtures/search/judged.json", import.meta.url);
  const set = JSON.parse(await readFile(file, "utf8")) as JudgedSet;
  const cluster = await startCluster();
  try {
    const { sql } = cluster;
    await sql`create extension pg_trgm with schema extensions`;
    await loadSet(sql, set);
    const kinds: Record<string, Record<string, string>> = {};
    const rows = [];
    for (const [name, engine] of Object.entries(engines)) {
      const { all, kinds: byKind } = await measure(sql, set, engine);
      rows.push({
        engine: name,
        MRR: all.mrr.toFixed(3),
        "recall@10": all.recall.toFixed(3),
        "nDCG@10": all.ndcg.toFixed(3),
        queries: all.queries,
      });
      for (const [kind, quality] of byKind) kinds[kind] = { ...kinds[kind], [name]: quality.ndcg.toFixed(3) };
    }
    console.table(rows);
    console.log("nDCG@10 by kind");
    console.table(kinds);
  } finally {
    await cluster.stop();
  }
}
