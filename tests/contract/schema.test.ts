import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../support/database.ts";
import { dumpSchema, schemaFile } from "../support/schema-dump.ts";

let clone: Clone;
beforeAll(async () => {
  clone = await cloneDatabase();
});
afterAll(() => clone.drop());

test("the committed schema is what the migrations make", async () => {
  const committed = await readFile(schemaFile, "utf8");
  expect(committed, "schema.sql is stale: npm run generate").toBe(await dumpSchema(clone.url));
});

/** One change of each kind that must not slip by. */
const changes: Record<string, string> = {
  "a default": "alter table public.user_api_keys alter column priority set default 1",
  "a check": "alter table public.user_api_keys drop constraint user_api_keys_usage_count_check",
  "an index": "drop index public.user_api_keys_selection_idx",
  "a trigger": "alter table public.user_api_keys disable trigger user_api_keys_20_before_insert",
  "a policy": "alter policy user_api_keys_service_all on public.user_api_keys using (false)",
  "row level security": "alter table public.user_api_keys disable row level security",
  "a table grant": "grant select on public.user_api_keys to authenticated",
  "a column grant": "grant update (key_name) on public.user_api_keys to authenticated",
  "a function grant": "grant execute on function public.lease_api_key to anon",
  "a schema grant": "grant create on schema private to anon",
  "a function": "alter function private.pool_availability reset search_path",
  "a view option": "alter view public.api_key_states reset (security_invoker)",
  "a comment": "comment on table public.user_api_keys is 'other'",
  "a trigger elsewhere": `create trigger elsewhere after insert on auth.users
    for each row execute function private.make_api_key_health()`,
};

test.each(Object.entries(changes))("the dump shows %s", async (_, change) => {
  const before = await dumpSchema(clone.url);
  await clone.sql.unsafe(change);
  expect(await dumpSchema(clone.url)).not.toBe(before);
});
