import { afterAll, beforeAll, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../support/database.ts";

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

/**
 * Returns the groups of triggers with the same table, event, time and level. Each group is sorted by name, the order in which Postgres
 * fires.
 */
async function crowds(): Promise<{ table: string; names: string[] }[]> {
  const rows = await db.sql<{ table: string; names: string[] }[]>`
    select c.relname as table, array_agg(t.tgname::text order by t.tgname) as names
    from pg_trigger t
    join pg_class c on c.oid = t.tgrelid and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
    cross join unnest(array[4, 8, 16, 32]) event
    where not t.tgisinternal and t.tgtype & event > 0
    group by c.relname, event, t.tgtype & 67
    having count(*) > 1`;
  return [...rows];
}

test("triggers that fire on one event carry their order in their names", async () => {
  const found = await crowds();
  expect(found.length).toBeGreaterThan(5);
  for (const { table, names } of found) {
    const numbers = names.map((name) => new RegExp(`^${table}_(\\d\\d)_[a-z]`).exec(name)?.[1]);
    expect(numbers, names.join()).not.toContain(undefined);
    expect(new Set(numbers).size, names.join()).toBe(names.length);
  }
});

test("one without a number is seen", async () => {
  await db.sql`create trigger hub_assets_unnumbered after insert on hub_assets
    for each row execute function private.make_moderation()`;
  const all = (await crowds()).flatMap(({ names }) => names);
  expect(all).toContain("hub_assets_unnumbered");
});
