import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anon, attempt, operator, service, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  assetRow,
  call,
  importAsset,
  makeAdmin,
  makeAsset,
  makeUser,
  makeUsers,
  publish,
  REPORT_THRESHOLD,
  reportAsset,
  star,
  stateOf,
  wrongCounters,
} from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

async function reported(count: number) {
  const asset = await makeAsset(db.sql);
  for (const user of await makeUsers(db.sql, count)) await reportAsset(signedIn(db, user), asset.id);
  return asset;
}
const byHand = (statement: string, ...values: string[]) =>
  attempt(operator(db), (tx) => tx.unsafe(statement, values));

describe("edits in the dashboard", () => {
  test("back to an older version: readers see that one, and the next publication is a new one", async () => {
    const { id, creator, refId, slug } = await makeAsset(db.sql, { payload: { content: "One" } });
    await publish(db.sql, creator, { refId, payload: { content: "Two" } });
    await db.sql`update hub_assets set current_version = 1 where id = ${id}`;
    const [read] = await anon(db).run((tx) => tx`select hub_asset(${id}) as asset`);
    expect(read?.asset).toMatchObject({ version: 1, current_version: 1, payload: { content: "One" } });
    // Publishing the current content again makes no new version. Publishing the content of the withdrawn version makes a new one.
    expect(await publish(db.sql, creator, { refId, payload: { content: "One" } })).toMatchObject({
      version: 1,
      created: false,
    });
    expect(await publish(db.sql, creator, { refId, payload: { content: "Two" } })).toMatchObject({
      version: 3,
      created: true,
      slug,
    });
    expect(await assetRow(db.sql, id)).toMatchObject({ current_version: 3, is_visible: true });
  });

  test("whatever column is edited, a listing keeps its slug, its first date and its numbers", async () => {
    const { id, creator, refId, slug } = await makeAsset(db.sql, { payload: { content: "One" } });
    await publish(db.sql, creator, { refId, payload: { content: "Two" } });
    await call(signedIn(db, creator), "hub_unpublish_asset", id);
    const before = await assetRow(db.sql, id);
    await db.sql`update hub_assets set current_version = 0, published_at = null, install_count = 9, star_count = 9 where id = ${id}`;
    expect(await byHand("update hub_assets set remix_depth = 3 where id = $1", id)).toEqual({
      refused: "asset_is_fixed",
    });
    expect(await call(signedIn(db, creator), "hub_republish_asset", id)).toEqual({
      refused: "not_published",
    });
    expect(
      await publish(db.sql, creator, { refId, slug: "another", payload: { content: "Two" } }),
    ).toMatchObject({ version: 3, slug });
    expect((await assetRow(db.sql, id)).published_at).toEqual(before.published_at);
    expect(await wrongCounters(db.sql)).toEqual([]);
  });

  test("all admins at once cannot be taken away without a word", async () => {
    await makeAdmin(db.sql);
    expect(await byHand("truncate hub_admins")).toEqual({ refused: "append_only" });
    expect(await byHand("truncate hub_admins cascade")).toEqual({ refused: "append_only" });
    const user = await makeAdmin(db.sql);
    await db.sql`delete from hub_admins where user_id = ${user}`;
    expect(
      await db.sql`select from hub_events where user_id = ${user} and action = 'admin_removed'`,
    ).toHaveLength(1);
  });

  test("clearing is_hidden is a restore", async () => {
    const { id } = await reported(REPORT_THRESHOLD);
    await db.sql`update hub_assets set is_hidden = false where id = ${id}`;
    expect(await assetRow(db.sql, id)).toMatchObject({
      is_visible: true,
      hidden_reason: null,
      hidden_at: null,
    });
    const open = await db.sql`select from hub_reports where asset_id = ${id} and not resolved`;
    expect(open).toHaveLength(0);
    await reportAsset(signedIn(db, await makeUser(db.sql)), id);
    expect(await stateOf(db.sql, id)).toBe("public");
  });

  test("setting is_hidden fills in when and why, and is logged", async () => {
    const { id } = await makeAsset(db.sql);
    await db.sql`update hub_assets set is_hidden = true where id = ${id}`;
    expect(await assetRow(db.sql, id)).toMatchObject({
      hidden_reason: "moderator",
      hidden_at: expect.any(Date),
    });
    const [event] = await db.sql`select * from hub_events where asset_id = ${id} and action = 'hidden'`;
    expect(event).toMatchObject({ actor_id: null });
  });

  test("resolving by hand closes as dismissed; it is not opened again, and nothing else of it changes", async () => {
    const { id } = await reported(3);
    await db.sql`update hub_reports set resolved = true where asset_id = ${id}`;
    const rows = await db.sql`select distinct outcome, resolved from hub_reports where asset_id = ${id}`;
    expect([...rows]).toEqual([{ outcome: "dismissed", resolved: true }]);
    expect(await byHand("update hub_reports set resolved = false where asset_id = $1", id)).toEqual({
      refused: "report_is_fixed",
    });
    expect(
      await byHand("update hub_reports set reporter_id = gen_random_uuid() where asset_id = $1", id),
    ).toEqual({
      refused: "report_is_fixed",
    });
    expect(await wrongCounters(db.sql)).toEqual([]);
  });

  test("counters cannot be written", async () => {
    const { id } = await reported(1);
    await star(signedIn(db, await makeUser(db.sql)), id);
    await importAsset(db.sql, await makeUser(db.sql), id);
    await db.sql`update hub_assets set star_count = 1000, install_count = 1000 where id = ${id}`;
    await db.sql`update private.hub_moderation set open_reports = 9, counting_reports = 4 where asset_id = ${id}`;
    await db.sql`update hub_imports set counts = not counts where asset_id = ${id}`;
    await db.sql`update hub_reports set counts = true where asset_id = ${id}`;
    expect(await assetRow(db.sql, id)).toMatchObject({ star_count: 1, install_count: 1 });
    expect(await wrongCounters(db.sql)).toEqual([]);
    const [made] = await db.sql`
      insert into hub_assets (asset_type, ref_id, slug, title, star_count, install_count)
      values ('template', gen_random_uuid(), 'by-hand', 'By hand', 7, 7) returning id`;
    expect(await assetRow(db.sql, made?.id)).toMatchObject({ star_count: 0, install_count: 0 });
  });

  test("deleting rows of stars, imports and reports, one or all of them", async () => {
    const { id } = await reported(2);
    const [one = "", two = ""] = await makeUsers(db.sql, 2);
    for (const user of [one, two]) {
      await star(signedIn(db, user), id);
      await importAsset(db.sql, user, id);
      await importAsset(db.sql, user, id);
    }
    const first = await db.sql`select id from hub_imports where asset_id = ${id} and counts limit 1`;
    await db.sql`delete from hub_imports where id = ${first[0]?.id}`;
    await db.sql`delete from hub_stars where user_id = ${one}`;
    await db.sql`delete from hub_reports where id in (select id from hub_reports where asset_id = ${id} limit 1)`;
    expect(await assetRow(db.sql, id)).toMatchObject({ star_count: 1, install_count: 2 });
    expect(await wrongCounters(db.sql)).toEqual([]);
    await db.sql`truncate hub_stars, hub_imports, hub_reports`;
    expect(await assetRow(db.sql, id)).toMatchObject({ star_count: 0, install_count: 0 });
    expect(await wrongCounters(db.sql)).toEqual([]);
  });

  test("a star or an import does not move to another asset or user", async () => {
    const { id } = await makeAsset(db.sql);
    const user = await makeUser(db.sql);
    await star(signedIn(db, user), id);
    await importAsset(db.sql, user, id);
    expect(await byHand("update hub_stars set user_id = gen_random_uuid() where asset_id = $1", id)).toEqual({
      refused: "append_only",
    });
    expect(
      await byHand("update hub_imports set user_id = gen_random_uuid() where asset_id = $1", id),
    ).toEqual({
      refused: "append_only",
    });
  });

  test("a ban and its end, as a row", async () => {
    const { id, creator } = await makeAsset(db.sql);
    await db.sql`insert into private.hub_bans (user_id, reason) values (${creator}, 'By hand')`;
    expect(await stateOf(db.sql, id)).toBe("public banned");
    await db.sql`delete from private.hub_bans where user_id = ${creator}`;
    expect(await stateOf(db.sql, id)).toBe("public");
  });

  test("an admin can be added and taken away; a banned user cannot become one", async () => {
    const user = await makeUser(db.sql);
    const { id } = await makeAsset(db.sql);
    expect(await call(signedIn(db, user), "hub_hide_asset", id, "x")).toEqual({ refused: "42501" });
    await db.sql`insert into hub_admins (user_id) values (${user})`;
    expect(await call(signedIn(db, user), "hub_hide_asset", id, "x")).toHaveProperty("rows");
    await db.sql`delete from hub_admins where user_id = ${user}`;
    expect(await call(signedIn(db, user), "hub_restore_asset", id, "x")).toEqual({ refused: "42501" });
    await db.sql`insert into private.hub_bans (user_id) values (${user})`;
    expect(await byHand("insert into hub_admins (user_id) values ($1)", user)).toEqual({
      refused: "user_is_banned",
    });
    const events = await db.sql`select action from hub_events where user_id = ${user} order by id`;
    expect(events.map(({ action }) => action)).toEqual(["admin_added", "admin_removed", "banned"]);
  });

  test("a profile goes with its user and not before; its listings keep their creator", async () => {
    const { id, creator } = await makeAsset(db.sql);
    const remove = () => db.sql`delete from hub_profiles where user_id = ${creator}`;
    await expect(remove()).rejects.toMatchObject({
      code: "PT409",
      message: "append_only",
      detail: expect.stringContaining("delete the user"),
    });
    expect(await assetRow(db.sql, id)).toMatchObject({ creator_id: creator });
    await db.auth`delete from auth.users where id = ${creator}`;
    expect(await db.sql`select from hub_profiles where user_id = ${creator}`).toHaveLength(0);
    expect(await assetRow(db.sql, id)).toMatchObject({ creator_id: null });
  });

  test("setting deleted_at makes a tombstone", async () => {
    const { id } = await makeAsset(db.sql);
    await star(signedIn(db, await makeUser(db.sql)), id);
    await db.sql`update hub_assets set deleted_at = now() where id = ${id}`;
    expect(await assetRow(db.sql, id)).toMatchObject({ is_public: false, is_visible: false, star_count: 0 });
    expect(await db.sql`select from hub_asset_versions where asset_id = ${id}`).toHaveLength(0);
    // A row that was restored by hand has no content to show: only publishing brings the listing back.
    await db.sql`update hub_assets set deleted_at = null where id = ${id}`;
    const { creator_id } = await assetRow(db.sql, id);
    expect(await call(signedIn(db, creator_id ?? ""), "hub_republish_asset", id)).toEqual({
      refused: "not_published",
    });
  });

  test("deleting a row takes what hangs on it, and is logged", async () => {
    const { id, refId } = await reported(2);
    await star(signedIn(db, await makeUser(db.sql)), id);
    await db.sql`delete from hub_assets where id = ${id}`;
    expect(await stateOf(db.sql, id)).toBe("none");
    const [source] = await db.sql`select hub_asset_id from prompt_templates where id = ${refId}`;
    expect(source).toEqual({ hub_asset_id: null });
    const [event] = await db.sql`select * from hub_events where asset_id = ${id} and action = 'erased'`;
    expect(event).toMatchObject({ details: { asset_type: "template" } });
    expect(await wrongCounters(db.sql)).toEqual([]);
  });

  test("tables that others hang on cannot be emptied", async () => {
    for (const table of [
      "hub_assets",
      "hub_events",
      "hub_asset_versions",
      "private.hub_moderation",
      "private.hub_bans",
    ]) {
      expect(await byHand(`truncate ${table} cascade`)).toEqual({ refused: "append_only" });
    }
    const { id } = await makeAsset(db.sql);
    expect(await byHand("delete from private.hub_moderation where asset_id = $1", id)).toEqual({
      refused: "append_only",
    });
  });

  test("editing while everybody writes: no deadlock, counters are rows", async () => {
    const crowd = { sql: db.as("postgres" as never, 10) };
    for (let round = 0; round < (LONG_TESTS ? 8 : 3); round += 1) {
      const { id, creator, refId } = await reported(REPORT_THRESHOLD - 1);
      const users = await makeUsers(db.sql, 12);
      const results = await Promise.allSettled([
        ...users.map((user) => star(signedIn(crowd, user), id)),
        ...users.map((user) => reportAsset(signedIn(crowd, user), id)),
        crowd.sql`update hub_assets set is_hidden = false where id = ${id}`,
        crowd.sql`update hub_assets set is_hidden = true where id = ${id}`,
        crowd.sql`update hub_reports set resolved = true where asset_id = ${id} and not resolved`,
        crowd.sql`insert into private.hub_bans (user_id) values (${creator})`,
        crowd.sql`delete from private.hub_bans where user_id = ${creator}`,
        attempt(operator(crowd), () => publish(crowd.sql, creator, { refId, payload: { round } })),
        call(signedIn(crowd, creator), "hub_unpublish_asset", id),
        call(signedIn(crowd, creator), "hub_republish_asset", id),
        db.auth`delete from auth.users where id = ${users[0] ?? ""}`,
      ]);
      const failures = results.flatMap((result) =>
        result.status === "rejected" ? [String(result.reason)] : [],
      );
      expect(failures).toEqual([]);
    }
    expect(await wrongCounters(db.sql)).toEqual([]);
  });
});

test("the RPCs of admins work in the SQL editor, and not for the service role", async () => {
  const { id, creator } = await makeAsset(db.sql);
  for (const [name, ...args] of [
    ["hub_hide_asset", id, "From the editor."],
    ["hub_restore_asset", id, null],
    ["hub_ban_creator", creator, null],
    ["hub_unban_creator", creator],
  ] as [string, ...(string | null)[]][]) {
    expect(await call(service(db), name, ...args)).toEqual({ refused: "42501" });
    expect(await call(operator(db), name, ...args)).toHaveProperty("rows");
  }
  expect(await stateOf(db.sql, id)).toBe("public");
});
