import { afterAll, describe, expect, test } from "vitest";
import { cloneDatabase } from "../../support/database.ts";
import {
  functionPermissions,
  granted,
  hubTables,
  lineOf,
  namesColumn,
  permissions,
  type Verb,
} from "../../support/permissions.ts";

/* Tests that the grants are those of docs/reference/permissions.md. */

const db = await cloneDatabase();
afterAll(() => db.drop());

const tables = await hubTables(db.sql);
const verbs: Verb[] = ["select", "insert", "update", "delete"];
const roles = ["anon", "authenticated", "service_role"] as const;

describe("the grants are those of the document", () => {
  test("which names every table and column there is, and no other", () => {
    expect([...new Set(permissions.map(({ table }) => table))].sort()).toEqual(
      tables.map(({ name }) => name).sort(),
    );
    for (const { table, columns } of permissions) {
      const known = tables.find(({ name }) => name === table)?.columns ?? [];
      expect(
        columns === "all" || columns.every((column) => known.includes(column)),
        `${table} ${columns}`,
      ).toBe(true);
    }
  });

  test.each(tables)("$name: role by verb by column", async ({ name, columns }) => {
    const rows = await db.sql<{ role: (typeof roles)[number]; verb: Verb; column: string; may: boolean }[]>`
      select role, verb, column_name as column,
        case when verb = 'delete' then has_table_privilege(role, ${name}, verb)
          else has_column_privilege(role, ${name}, column_name, verb) end as may
      from unnest(${[...roles]}::text[]) role, unnest(${verbs}::text[]) verb, unnest(${columns}::text[]) column_name`;
    const wrong = rows.filter(({ role, verb, column, may }) => {
      const line = lineOf(name, verb);
      const allowed = line !== undefined && granted(line, role) && namesColumn(line, role, column);
      return may !== allowed;
    });
    expect(wrong).toEqual([]);
    const others = await db.sql`
      select role, verb from unnest(${[...roles]}::text[]) role, unnest('{truncate,references,trigger}'::text[]) verb
      where has_table_privilege(role, ${name}, verb)`;
    expect([...others]).toEqual([]);
  });

  test("functions: role by function", async () => {
    const rows = await db.sql`
      select p.oid::regprocedure::text as name,
        has_function_privilege('anon', p.oid, 'execute') as anon,
        has_function_privilege('authenticated', p.oid, 'execute') as authenticated,
        has_function_privilege('service_role', p.oid, 'execute') as service_role
      from pg_proc p
      where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
        and (p.oid::regprocedure::text = any(${functionPermissions.map(({ name }) => name)})
          or has_function_privilege('anon', p.oid, 'execute') or has_function_privilege('authenticated', p.oid, 'execute'))
      order by 1`;
    expect([...rows]).toEqual(functionPermissions.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  });
});
