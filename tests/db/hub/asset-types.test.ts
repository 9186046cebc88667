import { afterAll, beforeAll, expect, test } from "vitest";
import { schemaFiles } from "../../../packages/local/src/schema/files.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { makeUser } from "../../support/hub.ts";

/** A database whose list of asset types has one more type, which no other function of the database handles. */
let db: Clone;
let user: string;
beforeAll(async () => {
  db = await cloneDatabase();
  user = await makeUser(db.sql);
  await db.sql`
    create or replace function private.asset_types() returns text[] language sql immutable set search_path = ''
    as $$ select '{orchestration,template,component,ai_preset,hologram}'::text[] $$`;
  await db.sql`create table holograms (id uuid primary key default gen_random_uuid(), user_id uuid, name text)`;
});
afterAll(() => db.drop());

const refused = { code: "PT422", message: "validation_failed" };

test.each<[string, () => Promise<unknown>]>([
  ["lock_source", () => db.sql`select private.lock_source('hologram', gen_random_uuid(), ${user})`],
  [
    "workspace_before_write",
    async () => {
      await db.sql`create or replace trigger holograms_before_write before insert on holograms
        for each row execute function private.workspace_before_write()`;
      await db.sql`insert into holograms (user_id, name) values (${user}, 'A hologram')`;
    },
  ],
  [
    "refresh_mirror",
    () => db.sql`
      insert into hub_assets (asset_type, ref_id, creator_id, slug, title)
      values ('hologram', gen_random_uuid(), ${user}, 'a-hologram', 'A hologram')`,
  ],
  ["content_of", () => db.sql`select private.content_of('hologram', '{}')`],
  ["write_content", () => db.sql`select private.write_content('hologram', gen_random_uuid(), '{}')`],
  ["source_row", () => db.sql`select private.source_row('hologram', gen_random_uuid())`],
  [
    "insert_sources",
    () =>
      db.sql`select private.insert_sources(${user}, ${db.sql.json([{ asset_type: "hologram", id: user, columns: {} }])}, '{A}')`,
  ],
])("%s refuses a type that it does not know", async (_, call) => {
  await expect(call()).rejects.toMatchObject(refused);
});

test("every function that tells the types of assets apart is tried above", async () => {
  const holders = (await schemaFiles())
    .flatMap(({ text }) => text.split(/^create function /m).slice(1))
    .map((text) => text.slice(0, text.indexOf("\n$$;")))
    .filter((text) =>
      /'component'|"component"|public\.custom_components|'custom_components'|,component,/.test(text),
    )
    .map((text) => /^\w+\.(\w+)/.exec(text)?.[1]);
  const tried = [
    ...["content_of", "insert_sources", "lock_source", "refresh_mirror", "source_row"],
    ...["workspace_before_write", "write_content"],
  ];
  // `asset_types` is the list itself. The other three read the tables of all types, so they refuse no type.
  const others = ["all_sources", "asset_types", "lock_own_sources", "own_names"];
  expect(holders.sort()).toEqual([...tried, ...others].sort());
});

test("a type that is not in the list is refused by name", async () => {
  await expect(db.sql`select hub_search(types => '{pyramid}')`).rejects.toMatchObject(refused);
  const rows = db.sql.json([{ asset_type: "pyramid", id: user, title: "A pyramid", tags: [], columns: {} }]);
  await expect(
    db.sql`select private.copy_rows(${user}, ${rows}, null, null, repeat('0', 64), 'use', false)`,
  ).rejects.toMatchObject(refused);
  await expect(
    db.sql`insert into hub_assets (asset_type, ref_id, creator_id, slug, title)
      values ('pyramid', gen_random_uuid(), ${user}, 'a-pyramid', 'A pyramid')`,
  ).rejects.toMatchObject({ code: "23514" });
});
