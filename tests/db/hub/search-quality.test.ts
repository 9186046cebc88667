import { afterAll, expect, test } from "vitest";
import judged from "../../fixtures/search/judged.json" with { type: "json" };
import { cloneDatabase } from "../../support/database.ts";
import { engines, type JudgedSet, loadSet, measure } from "../../support/search-quality.ts";

const db = await cloneDatabase();
afterAll(() => db.drop());
const set = judged as unknown as JudgedSet;

test("results are good, of every kind of question, and better than plain full text search", async () => {
  await loadSet(db.sql, set);
  const { hub_search: own, "ts_rank, simple": plain } = engines;
  if (own === undefined || plain === undefined) throw new Error("no engine");
  const { all, kinds, misses } = await measure(db.sql, set, own);
  expect(all.queries).toBeGreaterThanOrEqual(100);
  expect(all.ndcg, JSON.stringify(misses)).toBeGreaterThan(0.92);
  for (const [kind, { ndcg }] of kinds)
    expect(ndcg, `${kind} ${JSON.stringify(misses)}`).toBeGreaterThan(0.8);
  expect((await measure(db.sql, set, plain)).all.ndcg).toBeLessThan(all.ndcg - 0.1);
});
