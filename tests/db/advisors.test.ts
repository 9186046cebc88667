import { afterAll, beforeAll, expect, test } from "vitest";
import { supabase } from "../support/cli.ts";
import { type Clone, cloneDatabase } from "../support/database.ts";
import { LONG_TESTS } from "../support/long-tests.ts";

let clone: Clone;
let spoilt: Clone;
beforeAll(async () => {
  [clone, spoilt] = [await cloneDatabase(), await cloneDatabase()];
});
afterAll(async () => {
  await clone.drop();
  await spoilt.drop();
});

interface Advice {
  name: string;
  level: string;
  detail: string;
}

/** Returns the Supabase CLI's advice of level warning or higher, and whether the command failed, which would stop a pipeline. */
async function advise(url: string): Promise<{ failed: boolean; advice: Advice[] }> {
  const { code, stdout, stderr } = await supabase([
    ...["db", "advisors", `--remote=${url}`],
    ...["--type=all", "--level=warn", "--fail-on=warn", "--output-format=json"],
  ]);
  try {
    const { results } = JSON.parse(stdout) as { results: Advice[] };
    return {
      failed: code !== 0,
      advice: results.map(({ name, level, detail }) => ({ name, level, detail })),
    };
  } catch {
    throw new Error(`db advisors gave no result:\n${stdout}${stderr}`);
  }
}

/** Returns the functions of `public` that run with their owner's rights and can be called over the API. */
async function openDefiners({ sql }: Clone): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select p.oid::regprocedure::text as name
    from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and p.prosecdef
      and (has_function_privilege('anon', p.oid, 'execute') or has_function_privilege('authenticated', p.oid, 'execute'))
    order by 1`;
  return rows.map((row) => row.name);
}

test("the advisors have no warning and no error", async () => {
  expect(await advise(clone.url)).toEqual({ failed: false, advice: [] });
});

test("no function in public is SECURITY DEFINER and executable by a client", async () => {
  expect(await openDefiners(clone)).toEqual([]);
});

// This shows that the two tests above can fail.
if (LONG_TESTS)
  test("both would see a table without RLS and an open SECURITY DEFINER function", async () => {
    await spoilt.sql.unsafe(`
    create table public.spoilt (id integer primary key);
    create function public.spoilt() returns integer language sql security definer as 'select 1';`);
    const { failed, advice } = await advise(spoilt.url);
    expect(failed).toBe(true);
    expect(advice.map((found) => found.name)).toEqual(
      expect.arrayContaining(["rls_disabled_in_public", "function_search_path_mutable"]),
    );
    expect(await openDefiners(spoilt)).toEqual(["spoilt()"]);
  });
