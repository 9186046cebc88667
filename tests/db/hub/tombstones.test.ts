import { afterAll, beforeAll, expect, test } from "vitest";
import { anon, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { call, makeAdmin, makeAsset, makeUser } from "../../support/hub.ts";

let db: Clone;
let admin: string;
beforeAll(async () => {
  db = await cloneDatabase();
  admin = await makeAdmin(db.sql);
});
afterAll(() => db.drop());

const read = async (who: ReturnType<typeof anon>, name: string) =>
  (await who.run((tx) => tx`select hub_asset(${name}) as asset`))[0]?.asset;
const moderate = (name: string, ...args: (string | null)[]) => call(signedIn(db, admin), name, ...args);

test.each([
  [
    "hidden, then deleted by its creator",
    async (id: string, creator: string) => {
      await moderate("hub_hide_asset", id, "Its title.");
      await call(signedIn(db, creator), "hub_delete_asset", id);
    },
  ],
  [
    "removed",
    async (id: string) => {
      await moderate("hub_hide_asset", id, "Its title.");
      await moderate("hub_remove_asset", id, null);
    },
  ],
  [
    "deleted, then found to be spam",
    async (id: string, creator: string) => {
      await call(signedIn(db, await makeUser(db.sql)), "hub_asset", id);
      const reporter = await makeUser(db.sql);
      await signedIn(db, reporter).run(
        (tx) => tx`insert into hub_reports (asset_id, reason) values (${id}, 'spam')`,
      );
      await call(signedIn(db, creator), "hub_delete_asset", id);
      const [report] = await db.sql`select id from hub_reports where asset_id = ${id}`;
      await moderate("hub_resolve_report", report?.id, "upheld", null);
    },
  ],
  [
    "deleted, then its creator banned",
    async (id: string, creator: string) => {
      await call(signedIn(db, creator), "hub_delete_asset", id);
      await moderate("hub_ban_creator", creator, "Spam.");
    },
  ],
])("%s: that it is gone, and nothing else", async (_, end) => {
  const { id, creator, slug } = await makeAsset(db.sql, { title: "An insult", slug: "an-insult" });
  await end(id, creator);
  for (const who of [
    anon(db),
    signedIn(db, creator),
    signedIn(db, await makeUser(db.sql)),
    signedIn(db, admin),
  ]) {
    for (const name of [id, slug]) expect(await read(who, name)).toEqual({ deleted: true });
  }
});

test("deleted while everybody saw it: the fields of an attribution", async () => {
  const { id, creator, slug } = await makeAsset(db.sql, { title: "A greeting" });
  await call(signedIn(db, creator), "hub_delete_asset", id);
  expect(await read(anon(db), slug)).toMatchObject({ deleted: true, id, slug, title: "A greeting" });
});
