import { afterEach, beforeEach, expect, test } from "vitest";
import judged from "../../fixtures/search/judged.json" with { type: "json" };
import unseen from "../../fixtures/search/unseen.json" with { type: "json" };
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { engines, type JudgedSet, loadSet, measure } from "../../support/search-quality.ts";

let db: Clone;
beforeEach(async () => {
  db = await cloneDatabase();
});
afterEach(() => db.drop());

test.each<[string, unknown]>([
  ["that the search was made with", judged],
  ["that was written before it was tuned", unseen],
])("results are good, of every kind of question, on the set %s", async (_, json) => {
  const set = json as JudgedSet;
  await db.sql`create extension pg_trgm with schema extensions`;
  await loadSet(db.sql, set);
  const { hub_search: own, "weighted tsvector and trigrams": other } = engines;
  if (own === undefined || other === undefined) throw new Error("no engine");
  const { all, kinds, misses } = await measure(db.sql, set, own);
  expect(all.queries).toBeGreaterThanOrEqual(100);
  expect(all.ndcg, JSON.stringify(misses)).toBeGreaterThan(0.97);
  for (const [kind, { ndcg }] of kinds)
    expect(ndcg, `${kind} ${JSON.stringify(misses)}`).toBeGreaterThan(0.85);
  expect((await measure(db.sql, set, other)).all.ndcg).toBeLessThan(all.ndcg);
});
