import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attempt, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { makeUser } from "../../support/hub.ts";

let db: Clone;
let user: string;
beforeAll(async () => {
  db = await cloneDatabase();
  user = await makeUser(db.sql);
});
afterAll(() => db.drop());

/** Inserts like PostgREST: the values come as JSON and name their columns. */
const add = (table: string, values: Record<string, unknown>, who = user) =>
  attempt(signedIn(db, who), (tx) => {
    const columns = tx(Object.keys({ name: "x", ...values }));
    return tx`
      insert into ${tx(table)} (${columns})
      select ${columns} from jsonb_populate_record(null::${tx(table)}, ${tx.json({ name: "x", ...values } as never)})
      returning id`;
  });
const invalid = { refused: "validation_failed" };
const fine = { rows: expect.anything() };

describe("what is wrong is said in our words, never in a constraint's", () => {
  test.each([
    ["ai_model_settings", { pricing: '"'.repeat(12_000) }],
    ["ai_model_settings", { pricing: ["x".repeat(16_384)] }],
    ["ai_model_settings", { api_key: "x".repeat(16_385) }],
    ["ai_model_settings", { model_id: "x".repeat(8_200), api_key: "x".repeat(8_200) }],
    ["ai_model_settings", { temperature: "NaN" }],
    ["ai_model_settings", { temperature: "-Infinity" }],
    ["ai_model_settings", { top_p: "Infinity" }],
    ["orchestrator_configs", { tags: null }],
    ["orchestrator_configs", { tags: [null] }],
    ["orchestrator_configs", { tags: ["x", null] }],
    ["orchestrator_configs", { tags: [["x"]] }],
    ["orchestrator_configs", { tags: Array(51).fill("x") }],
    ["orchestrator_configs", { tags: ["x".repeat(9_000)] }],
    ["orchestrator_configs", { nodes: null }],
    ["orchestrator_configs", { edges: ["x".repeat(1_048_576)] }],
    ["prompt_templates", { variables: ["x".repeat(262_144)] }],
    ["prompt_templates", { variables: null }],
    ["prompt_templates", { content: null }],
    ["prompt_templates", { name: null }],
    ["prompt_templates", { name: "x".repeat(5_000_000) }],
    ["prompt_templates", { description: "x".repeat(16_385) }],
    ["custom_components", { props_schema: { x: "x".repeat(524_288) } }],
    ["custom_components", { props_schema: null }],
    ["custom_components", { source: "x".repeat(524_289) }],
  ] as [string, Record<string, unknown>][])("%s %#", async (table, values) => {
    expect(await add(table, values)).toEqual(invalid);
  });

  test.each([
    ["ai_model_settings", { pricing: '"'.repeat(8_000), api_key: '"'.repeat(16_384), temperature: 0.5 }],
    ["ai_model_settings", { pricing: null, temperature: null, top_p: 1 }],
    ["orchestrator_configs", { tags: [] }],
    ["orchestrator_configs", { tags: ["one", "two"] }],
    ["prompt_templates", { content: "x".repeat(262_144), variables: ["x".repeat(262_140)] }],
    ["custom_components", { source: "x".repeat(524_288), props_schema: { x: "x".repeat(524_279) } }],
  ] as [string, Record<string, unknown>][])("%s %# is accepted", async (table, values) => {
    expect(await add(table, values)).toEqual(fine);
  });
});

test.each(["prompt_templates", "custom_components", "orchestrator_configs", "ai_model_settings"])(
  "a deleted account with a token that still holds writes nothing: %s",
  async (table) => {
    const gone = await makeUser(db.sql);
    await db.auth`delete from auth.users where id = ${gone}`;
    expect(await add(table, {}, gone)).toEqual({ refused: "42501" });
    for (const statement of [`update ${table} set name = 'x'`, `delete from ${table}`]) {
      expect(await attempt(signedIn(db, gone), (tx) => tx.unsafe(statement))).toEqual({ refused: "42501" });
    }
  },
);
