import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  assetRow,
  assetTypes,
  call,
  importAsset,
  makeAsset,
  publish,
  sourceTable,
  stateOf,
} from "../../support/hub.ts";

/* Tests that hub_asset_id and is_public of a source row follow its listing. */

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

describe("mirrors on the source row", () => {
  test.each(assetTypes.filter((type) => type !== "ai_preset"))("%s follows its listing", async (type) => {
    const { id, creator, refId } = await makeAsset(db.sql, { type });
    const table = sourceTable(type);
    const mirror = async () => (await db.sql`select * from ${db.sql(table)} where id = ${refId}`)[0];
    const expectMirror = async (hub_asset_id: string | null, is_public: boolean) =>
      expect(await mirror()).toMatchObject({ hub_asset_id, ...(type !== "template" && { is_public }) });
    const { updated_at } = (await mirror()) ?? {};
    await expectMirror(id, true);
    await call(signedIn(db, creator), "hub_unpublish_asset", id);
    await expectMirror(id, false);
    await call(signedIn(db, creator), "hub_republish_asset", id);
    await expectMirror(id, true);
    expect((await mirror())?.updated_at).toEqual(updated_at);
    // A trigger reverts a change by hand at once.
    await db.sql`update ${db.sql(table)} set hub_asset_id = null where id = ${refId}`;
    await expectMirror(id, true);
    await call(signedIn(db, creator), "hub_delete_asset", id);
    await expectMirror(null, false);
    await publish(db.sql, creator, { type, refId });
    await expectMirror(id, true);
    await db.sql`delete from hub_assets where id = ${id}`;
    await expectMirror(null, false);
  });

  test.each(assetTypes)(
    "deleting a %s takes an unpublished registry row and leaves a listing",
    async (type) => {
      const { id, creator, refId } = await makeAsset(db.sql, { type });
      const copy = await importAsset(db.sql, creator, id);
      await db.sql`delete from ${db.sql(sourceTable(type))} where id in (${refId}, ${copy.refId})`;
      expect(await stateOf(db.sql, copy.id)).toBe("none");
      expect(await stateOf(db.sql, id)).toBe("public");
    },
  );

  test("an account that goes takes its workspace, leaves its listings", async () => {
    const { id, creator } = await makeAsset(db.sql);
    const copy = await importAsset(db.sql, creator, id);
    await db.auth`delete from auth.users where id = ${creator}`;
    expect(await stateOf(db.sql, copy.id)).toBe("none");
    expect(await assetRow(db.sql, id)).toMatchObject({ creator_id: null, is_visible: true });
  });
});
