import type postgres from "postgres";
import { afterAll, describe, expect, test } from "vitest";
import { cloneDatabase } from "../../support/database.ts";
import { hubRights } from "../../support/permissions.ts";
import { type Client, clients, listRelations, listRoutines, rightsOf } from "../../support/rights.ts";

/**
 * Everything that a client role may do. A right that is not listed in docs/reference/permissions.md is refused, also for later objects:
 * whoever opens a table or function to clients must list it there. Names are in the form of SQL. No API leads into `private`; only policies
 * and functions do, and each function there is granted by name.
 */
const schemas = ["usage on schema private", "usage on schema public"];
const allowed: Record<Client, string[]> = {
  anon: [...hubRights("anon"), ...schemas],
  authenticated: [...hubRights("authenticated"), ...schemas],
};

// The objects come from the catalog, so that nobody has to remember to add them here.
const clone = await cloneDatabase();
const [relations, routines] = [await listRelations(clone.sql), await listRoutines(clone.sql)];
afterAll(() => clone.drop());

/** Returns the SQLSTATE with which a statement fails; "none" when it succeeds. */
async function refusal(sql: postgres.Sql, statement: string): Promise<string> {
  try {
    await sql.unsafe(statement);
    return "none";
  } catch (error) {
    return (error as postgres.PostgresError).code;
  }
}

test("there is something to refuse", () => {
  expect(relations.map((relation) => relation.name)).toContain("user_api_keys");
  expect(routines.length).toBeGreaterThan(0);
});

describe.each(clients)("as %s", (client) => {
  const sql = clone.as(client, 1);
  const may = (right: string) => allowed[client].includes(right);

  test("the rights are those written down, and no other", async () => {
    expect((await rightsOf(clone.sql, client)).sort()).toEqual(allowed[client].sort());
  });

  test.each(relations)("$kind $name denies", async ({ name, kind, column, writable }) => {
    const statements: [verb: string, statement: string, possible: boolean][] =
      kind === "sequence"
        ? [["usage", `select nextval('${name}')`, true]]
        : [
            ["select", `select from ${name}`, true],
            ["insert", `insert into ${name} default values`, writable.insert],
            ["update", `update ${name} set ${column} = default`, writable.update],
            ["delete", `delete from ${name}`, writable.delete],
            ...(kind === "table"
              ? [["truncate", `truncate ${name}`, true] as [string, string, boolean]]
              : []),
          ];
    for (const [verb, statement, possible] of statements) {
      if (may(`${verb} on ${name}`)) continue;
      // A view that cannot be written to fails before the check of rights.
      expect(await refusal(sql, statement), statement).toBe(possible ? "42501" : "55000");
    }
  });

  test.each(routines)("function $name denies", async ({ name, call }) => {
    if (!may(`execute on ${name}`)) expect(await refusal(sql, call), call).toBe("42501");
  });
});

test("what operators run is not for the functions' role either", async () => {
  const names = ["issue_agent_token", "reseal_api_key", "prune_api_key_usage_log"];
  const sql = clone.as("service_role", 1);
  for (const name of names) {
    const found = routines.filter((routine) => routine.name.startsWith(`${name}(`));
    expect(found.length, name).toBe(1);
    for (const { call } of found) expect(await refusal(sql, call), call).toBe("42501");
  }
});

test("every function fixes its search_path to nothing", async () => {
  const loose = await clone.sql`
    select p.oid::regprocedure::text as name
    from pg_proc p
    where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
      and not coalesce(p.proconfig, '{}') @> array['search_path=""']`;
  expect(loose.map((row) => row.name)).toEqual([]);
});

test("every table has row level security", async () => {
  const open = await clone.sql`
    select c.oid::regclass::text as name
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relrowsecurity`;
  expect(open.map((row) => row.name)).toEqual([]);
});

test("a forgotten revoke and a grant on one column would be seen", async () => {
  const withForgottenGrants = await cloneDatabase();
  try {
    await withForgottenGrants.sql.unsafe(`
      create table public.forgotten (id integer);
      create function public.forgotten() returns integer language sql as 'select 1';
      grant update (key_name) on public.user_api_keys to authenticated;`);
    const anon = await rightsOf(withForgottenGrants.sql, "anon");
    expect(anon).toEqual(expect.arrayContaining(["truncate on forgotten", "execute on forgotten()"]));
    expect(await rightsOf(withForgottenGrants.sql, "authenticated")).toContain("update on user_api_keys");
    expect(await refusal(withForgottenGrants.as("anon", 1), "select from public.forgotten")).toBe("none");
  } finally {
    await withForgottenGrants.drop();
  }
});
