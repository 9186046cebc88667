import { afterAll, beforeAll, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../support/database.ts";

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

/**
 * Returns the functions that switch a kind of plan node off, but do not switch JIT off. A plan that cannot avoid such a node costs 10^10,
 * far above jit_above_cost, so a Postgres with LLVM would compile the query in each call, for up to seconds.
 */
const compiled = () => db.sql<{ name: string }[]>`
  select p.proname::text as name
  from pg_proc p
  where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
    and exists (select from unnest(p.proconfig) c where c like 'enable_%')
    and not 'jit=off' = any (p.proconfig)`;

test("a function that switches a kind of plan off also switches just-in-time compilation off", async () => {
  const [{ count } = { count: 0 }] = await db.sql<{ count: number }[]>`
    select count(*)::int from pg_proc p where 'jit=off' = any (p.proconfig)`;
  expect(count).toBeGreaterThan(5);
  expect(await compiled()).toEqual([]);
  await db.sql`alter function public.report_successes(uuid[], text, uuid) reset jit`;
  expect(await compiled()).toEqual([{ name: "report_successes" }]);
});
