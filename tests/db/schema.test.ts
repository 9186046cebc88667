import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bootstrapDatabase, withDatabase } from "../../packages/local/src/index.ts";
import { diffDatabases } from "../../packages/local/src/schema/diff.ts";
import { loadSchema, schemaFiles } from "../../packages/local/src/schema/files.ts";
import { type Clone, cloneDatabase, databaseUrl } from "../support/database.ts";
import { dumpSchema } from "../support/schema-dump.ts";
import { clusterUrl } from "../support/shared.ts";

/** A database made by the migrations, and one made by the schema files. */
let clone: Clone;
const name = `declared_${randomUUID().replaceAll("-", "")}`;
const cluster = await clusterUrl();
const declared = databaseUrl(cluster, name);
beforeAll(async () => {
  clone = await cloneDatabase();
  await withDatabase(cluster, (sql) => sql.unsafe(`create database ${name}`));
  await bootstrapDatabase(declared);
  await loadSchema(declared, await schemaFiles());
});
afterAll(async () => {
  await clone.drop();
  await withDatabase(cluster, (sql) => sql.unsafe(`drop database ${name} with (force)`));
});

test("the migrations make what the schema files declare: npm run db:diff -- <name> writes what is missing", async () => {
  expect(await diffDatabases(clone.url, declared)).toBe("");
  // Compare with Keyhub's own queries, because pg-delta is young and may overlook a difference.
  expect(await dumpSchema(clone.url)).toBe(await dumpSchema(declared));
});

test("nothing is used that pg-delta does not see", async () => {
  for (const url of [clone.url, declared]) {
    const unseen = await withDatabase(
      url,
      (sql) => sql`
        select 'extended statistics of ' || s.stxrelid::regclass as what from pg_statistic_ext s
        union all
        select 'statistics target or storage of ' || a.attrelid::regclass || '../contract' || a.attname
        from pg_attribute a
        join pg_class c on c.oid = a.attrelid and c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
        join pg_type t on t.oid = a.atttypid
        where a.attnum > 0 and (a.attstattarget is not null or a.attstorage <> t.typstorage)
        union all
        select 'cluster on ' || i.indexrelid::regclass from pg_index i where i.indisclustered`,
    );
    expect([...unseen]).toEqual([]);
  }
});

/** One change of each kind that must be noticed, and a line of the dump that is there more or fewer times after it. */
const changes: Record<string, [change: string, line: string]> = {
  "a default": [
    "alter table public.user_api_keys alter column priority set default 1",
    "  priority integer not null default 1,",
  ],
  "a check": [
    "alter table public.user_api_keys drop constraint user_api_keys_usage_count_check",
    "  constraint user_api_keys_usage_count_check CHECK (((usage_count >= 0) AND (usage_count <= '4000000000000000000'::bigint)))",
  ],
  "an index": [
    "drop index public.user_api_keys_selection_idx",
    "CREATE INDEX user_api_keys_selection_idx ON public.user_api_keys USING btree (user_id, priority, is_ready, usage_count, id);",
  ],
  "a trigger": [
    "alter table public.user_api_keys disable trigger user_api_keys_20_before_write",
    "alter table public.user_api_keys disable trigger user_api_keys_20_before_write;",
  ],
  "a policy": [
    "alter policy user_api_keys_service_all on public.user_api_keys using (false)",
    "create policy user_api_keys_service_all on public.user_api_keys for all to service_role using (false) with check (true);",
  ],
  "row level security": [
    "alter table public.user_api_keys disable row level security",
    "alter table public.user_api_keys enable row level security;",
  ],
  "a table grant": [
    "grant select on public.user_api_keys to authenticated",
    "grant select on table public.user_api_keys to authenticated;",
  ],
  "a column grant": [
    "grant update (key_name) on public.user_api_keys to authenticated",
    "grant update (key_name) on table public.user_api_keys to authenticated;",
  ],
  "a function grant": [
    "grant execute on function public.issue_agent_token to anon",
    "grant execute on function public.issue_agent_token(uuid,text) to anon;",
  ],
  "a schema grant": [
    "grant create on schema private to anon",
    "grant create, usage on schema private to anon;",
  ],
  "a function": ["alter function private.pool_availability reset search_path", " SET search_path TO ''"],
  "a view option": [
    "alter view public.api_key_states reset (security_invoker)",
    "create view public.api_key_states as",
  ],
  "a comment": [
    "comment on table public.user_api_keys is 'other'",
    "comment on table public.user_api_keys is 'other';",
  ],
  "a trigger elsewhere": [
    `create trigger elsewhere after insert on auth.users
    for each row execute function private.user_api_keys_after_write()`,
    "CREATE TRIGGER elsewhere AFTER INSERT ON auth.users FOR EACH ROW EXECUTE FUNCTION private.user_api_keys_after_write();",
  ],
};

describe("the dump shows", () => {
  let before: string[];
  let after: string[];
  beforeAll(async () => {
    before = (await dumpSchema(clone.url)).split("\n");
    for (const [change] of Object.values(changes)) await clone.sql.unsafe(change);
    after = (await dumpSchema(clone.url)).split("\n");
  });

  test.each(Object.entries(changes))("%s", (_, [, line]) => {
    const times = (lines: string[]) => lines.filter((other) => other === line || other === `${line},`).length;
    expect(times(after)).not.toBe(times(before));
  });
});
