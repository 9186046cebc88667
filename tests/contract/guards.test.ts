import { afterAll, beforeAll, expect, test } from "vitest";
import { mutations } from "../mutation/guards.ts";
import { hubMutations } from "../mutation/hub-guards.ts";
import { importMutations } from "../mutation/import-guards.ts";
import { publishMutations } from "../mutation/publish-guards.ts";
import { type Clone, cloneDatabase } from "../support/database.ts";

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

// A guard whose text has changed cannot be taken out, and test:mutation would say nothing about it any more.
test.skipIf(process.env.KEYHUB_MUTATION)("every guard that is to be taken out is there", async () => {
  const rows = await db.sql<{ name: string; definition: string }[]>`
    select n.nspname || '.' || p.proname as name, pg_get_functiondef(p.oid) as definition
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('public', 'private') and p.prokind = 'f'`;
  const definitions = new Map(rows.map(({ name, definition }) => [name, definition]));
  const all = [...mutations, ...hubMutations, ...publishMutations, ...importMutations];
  expect(all.length).toBeGreaterThan(100);
  const gone = all.filter((each) => !definitions.get(each.in)?.includes(each.from));
  expect(gone.map(({ name }) => name)).toEqual([]);
});
