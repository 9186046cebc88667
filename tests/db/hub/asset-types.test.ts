import { afterAll, beforeAll, expect, test } from "vitest";
import { schemaFiles } from "../../../packages/local/src/schema/files.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { makeUser } from "../../support/hub.ts";

/** A database where the check of hub_assets knows one type more, and nothing else does. */
let db: Clone;
let user: string;
beforeAll(async () => {
  db = await cloneDatabase();
  user = await makeUser(db.sql);
  await db.sql`alter table hub_assets drop constraint hub_assets_asset_type_check`;
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
  [
    "hub_sources",
    () => db.sql`select hub_sources(${db.sql.json([{ asset_type: "hologram", ref_id: user }])})`,
  ],
  ["search_faults", () => db.sql`select hub_search(types => '{hologram}')`],
  [
    "copy_rows",
    () =>
      db.sql`select private.copy_rows(${user}, ${db.sql.json([
        { asset_type: "hologram", id: user, title: "A hologram", tags: [], columns: {} },
      ])}, null, null, repeat('0', 64), 'use')`,
  ],
])("%s refuses a type that it does not know", async (_, call) => {
  await expect(call()).rejects.toMatchObject(refused);
});

test("every function that tells the types of assets apart is tried above", async () => {
  const holders = (await schemaFiles())
    .flatMap(({ text }) => text.split(/^create function /m).slice(1))
    .map((text) => text.slice(0, text.indexOf("\n$$;")))
    .filter((text) => /'component'|"component"|'custom_components'|,component,/.test(text))
    .map((text) => /^\w+\.(\w+)/.exec(text)?.[1]);
  const tried = [
    "lock_source",
    "workspace_before_write",
    "refresh_mirror",
    "hub_sources",
    "copy_rows",
    "search_faults",
  ];
  // free_names lists the names of all types, and looks for those that it is asked for.
  expect(holders.sort()).toEqual([...tried, "free_names"].sort());
});
