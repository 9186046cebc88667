import { afterAll, beforeAll, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { questionsOf } from "../../support/docs/questions.ts";
import { addAgent, addKey, makeUser } from "../../support/keys.ts";

/*
 * Tests that the questions of docs/operate/keys.md read only a part of the log, however long it is. tests/stack/docs runs the page itself.
 */

const ROWS = 40_000;
let db: Clone;
let userId: string;

beforeAll(async () => {
  db = await cloneDatabase();
  userId = await makeUser(db.sql);
  const other = await makeUser(db.sql);
  for (const owner of [userId, other]) {
    for (let i = 0; i < 20; i += 1) await addKey(db.sql, owner, { name: `key ${i}` });
    const agent = await addAgent(db.sql, owner);
    await db.sql`update api_key_agents set name = 'demo-agent' where id = ${agent.id}`;
    await db.sql`
      insert into api_key_usage_log (user_api_key_id, user_id, agent_id, key_generation, issued_at, reported_at, outcome, effect)
      select ids[1 + i % 20], ${owner}, case when i % 3 = 0 then ${agent.id}::uuid end, 1, at, at + interval '1 second',
        case i % 2 when 0 then 'rate_limited' else 'success' end, case i / 20 % 2 when 0 then 'cooled' else 'recovered' end
      from (select array_agg(id order by key_name) as ids from user_api_keys where user_id = ${owner}) pool, generate_series(1, ${ROWS}::int) i,
        lateral (select now() - interval '30 days' * (1 - i::float8 / ${ROWS}) as at) moment`;
  }
  const [unused] =
    await db.sql`select id from user_api_keys where user_id = ${userId} and key_name = 'key 7'`;
  await db.sql`update api_key_usage_log set issued_at = issued_at - interval '30 days' where user_api_key_id = ${unused?.id}`;
  await db.sql`vacuum analyze`;
});
afterAll(() => db.drop());

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
}

/** Returns the number of log rows that a plan read. */
function readOfLog(plan: Plan): number {
  const rows = (plan["Actual Rows"] + (plan["Rows Removed by Filter"] ?? 0)) * plan["Actual Loops"];
  const own = plan["Relation Name"] === "api_key_usage_log" ? rows : 0;
  return (plan.Plans ?? []).reduce((sum, part) => sum + readOfLog(part), own);
}

test("each question, and the pool at a glance, reads less than a tenth of the log", async () => {
  const glance = { question: "glance", query: `select * from api_key_pools where user_id = '${userId}'` };
  const questions = [...questionsOf(userId), glance];
  expect(questions).toHaveLength(6);
  for (const { question, query } of questions) {
    const [explained] = await db.sql.unsafe<{ "QUERY PLAN": [{ Plan: Plan }] }[]>(
      `explain (analyze, timing off, format json) ${query}`,
    );
    const plan = explained?.["QUERY PLAN"][0].Plan as Plan;
    expect(readOfLog(plan), `${question}\n${JSON.stringify(plan)}`).toBeLessThan(ROWS / 10);
  }
});

test("what they answer", async () => {
  const answers: Record<string, Record<string, unknown>[]> = {};
  for (const { question, query } of questionsOf(userId))
    answers[question.split(",")[0] ?? ""] = await db.sql.unsafe(query);
  const answered = Object.keys(answers);
  expect(answers[answered[0] ?? ""]?.length).toBeGreaterThan(5);
  // Every second key has limits. The key that nobody leased is not one of these.
  expect(answers["What failed since last evening"]).toMatchObject([{ outcome: "rate_limited", keys: "10" }]);
  expect(answers["How long each key took from its first block to its next success"]?.length).toBe(19);
  expect(answers["What one agent did"]?.length).toBe(100);
  expect(answers["Keys that nobody got for thirty days"]).toMatchObject([{ key_name: "key 7" }]);
});
