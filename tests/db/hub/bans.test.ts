import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attempt, operator, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  addSource,
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
  stateOf,
  untilWaiting,
  wrongCounters,
} from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

let db: Clone;
let crowd: { sql: Clone["sql"] };
let admin: string;
beforeAll(async () => {
  db = await cloneDatabase();
  crowd = { sql: db.as("postgres" as never, 4) };
  admin = await makeAdmin(db.sql);
});
afterAll(() => db.drop());

const moderate = (name: string, ...args: (string | null)[]) => call(signedIn(db, admin), name, ...args);
const fine = { rows: expect.anything() };

describe("a ban", () => {
  test("hides everything of the creator, upholds the reports on it, leaves remixes alone", async () => {
    const creator = await makeUser(db.sql);
    const one = await makeAsset(db.sql, { creator });
    const two = await makeAsset(db.sql, { creator, type: "component", slug: "another" });
    const remixer = await makeUser(db.sql);
    const copy = await importAsset(db.sql, remixer, one.id, "remix");
    await publish(db.sql, remixer, { refId: copy.refId, slug: "remix" });
    await reportAsset(signedIn(db, await makeUser(db.sql)), one.id);
    expect(await moderate("hub_ban_creator", creator, "Spam.")).toEqual(fine);
    expect([await stateOf(db.sql, one.id), await stateOf(db.sql, two.id)]).toEqual([
      "public banned",
      "public banned",
    ]);
    expect(await stateOf(db.sql, copy.id)).toBe("public");
    const [report] = await db.sql`select * from hub_reports where asset_id = ${one.id}`;
    expect(report).toMatchObject({ resolved: true, outcome: "upheld", resolved_by: admin });
    const [event] = await db.sql`select * from hub_events where user_id = ${creator} and action = 'banned'`;
    expect(event).toMatchObject({ actor_id: admin, details: { reason: "Spam." } });
    expect(await wrongCounters(db.sql)).toEqual([]);
  });

  test("twice is harmless; not of admins, oneself or nobody", async () => {
    const creator = await makeUser(db.sql);
    for (let i = 0; i < 2; i += 1) expect(await moderate("hub_ban_creator", creator, null)).toEqual(fine);
    expect(await moderate("hub_ban_creator", admin, null)).toEqual({ refused: "cannot_ban_self" });
    expect(await moderate("hub_ban_creator", await makeAdmin(db.sql), null)).toEqual({
      refused: "cannot_ban_admin",
    });
    expect(await moderate("hub_ban_creator", crypto.randomUUID(), null)).toEqual({
      refused: "user_not_found",
    });
    for (let i = 0; i < 2; i += 1) expect(await moderate("hub_unban_creator", creator)).toEqual(fine);
    expect(await moderate("hub_unban_creator", crypto.randomUUID())).toEqual({ refused: "user_not_found" });
    const events = await db.sql`select action from hub_events where user_id = ${creator} order by id`;
    expect(events.map(({ action }) => action)).toEqual(["banned", "unbanned"]);
  });

  test("unban clears only the ban: what reports hid stays hidden, what an admin restored meanwhile is back", async () => {
    const creator = await makeUser(db.sql);
    const [plain, hidden, restored] = [
      await makeAsset(db.sql, { creator, slug: "plain" }),
      await makeAsset(db.sql, { creator, slug: "hidden" }),
      await makeAsset(db.sql, { creator, slug: "restored" }),
    ];
    for (const { id } of [hidden, restored]) {
      for (const user of await makeUsers(db.sql, REPORT_THRESHOLD)) await reportAsset(signedIn(db, user), id);
    }
    await moderate("hub_ban_creator", creator, null);
    expect(await moderate("hub_restore_asset", restored.id, null)).toEqual(fine);
    expect(await stateOf(db.sql, restored.id)).toBe("public banned");
    await moderate("hub_unban_creator", creator);
    expect(await stateOf(db.sql, plain.id)).toBe("public");
    expect(await stateOf(db.sql, hidden.id)).toBe("public hidden");
    expect(await stateOf(db.sql, restored.id)).toBe("public");
  });

  test("refuses every write to the hub; the own workspace stays", async () => {
    const { id, creator, refId } = await makeAsset(db.sql);
    const other = await makeAsset(db.sql);
    await moderate("hub_ban_creator", creator, null);
    const banned = signedIn(db, creator);
    const outcomes = [
      await attempt(banned, (tx) => tx`insert into hub_stars (asset_id) values (${other.id})`),
      await attempt(banned, (tx) => tx`delete from hub_stars where asset_id = ${other.id}`),
      await reportAsset(banned, other.id),
      await attempt(banned, (tx) => tx`update hub_assets set title = 'x' where id = ${id}`),
      await attempt(
        banned,
        (tx) => tx`update hub_profiles set display_name = 'x' where user_id = ${creator}`,
      ),
      await call(banned, "hub_unpublish_asset", id),
      await call(banned, "hub_republish_asset", id),
      await call(banned, "hub_delete_asset", id),
      await attempt(operator(db), () => publish(db.sql, creator, { refId, payload: { content: "New" } })),
    ];
    expect(outcomes).toEqual(Array(outcomes.length).fill({ refused: "banned" }));
    const rows = await banned.run(
      (tx) => tx`update prompt_templates set name = 'Mine' where id = ${refId} returning id`,
    );
    expect(rows).toHaveLength(1);
  });

  test("an account that is deleted while banned leaves its listings hidden", async () => {
    const { id, creator } = await makeAsset(db.sql);
    await moderate("hub_ban_creator", creator, null);
    await db.auth`delete from auth.users where id = ${creator}`;
    expect(await assetRow(db.sql, id)).toMatchObject({
      creator_id: null,
      hidden_by_ban: true,
      is_visible: false,
    });
    await db.sql`update hub_assets set hidden_by_ban = false where id = ${id}`;
    expect(await stateOf(db.sql, id)).toBe("public banned");
    // Nobody ended the ban, so there is no event about its end.
    const events = await db.sql`select action from hub_events where user_id = ${creator} order by id`;
    expect(events.map(({ action }) => action)).toEqual(["published", "banned"]);
  });

  test("during a publication: not public, whichever comes first", async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < (LONG_TESTS ? 60 : 12); round += 1) {
      const creator = await makeUser(db.sql);
      const refId = await addSource(db.sql, creator);
      const existing = round % 2 ? await makeAsset(db.sql, { creator, slug: "existing" }) : undefined;
      const publishing = attempt(operator(crowd), async (tx) => {
        const done = await publish(tx as never, creator, { refId });
        if (round % 3 === 0) await tx`select pg_sleep(0.005)`;
        return done;
      });
      const [published, banned] = await Promise.all([
        publishing,
        call(signedIn(crowd, admin), "hub_ban_creator", creator, null),
      ]);
      expect(banned).toEqual(fine);
      outcomes.add("rows" in published ? "published" : published.refused);
      const visible = await db.sql`select from hub_assets where creator_id = ${creator} and is_visible`;
      expect(visible).toHaveLength(0);
      if (existing) expect(await stateOf(db.sql, existing.id)).toBe("public banned");
    }
    expect([...outcomes].filter((outcome) => !["published", "banned"].includes(outcome))).toEqual([]);
  });

  test("waits for a publication that is under way, and finds what it made", async () => {
    const creator = await makeUser(db.sql);
    const refId = await addSource(db.sql, creator);
    let started = () => {};
    let finish = () => {};
    const under_way = new Promise<void>((resolve) => {
      started = resolve;
    });
    const go_on = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const publishing = crowd.sql.begin(async (tx) => {
      const done = await publish(tx as never, creator, { refId });
      started();
      await go_on;
      return done;
    });
    await under_way;
    const banning = call(signedIn(crowd, admin), "hub_ban_creator", creator, null);
    await untilWaiting(db.sql, "hub_ban_creator").finally(finish);
    const { asset_id } = await publishing;
    expect(await banning).toEqual(fine);
    expect(await stateOf(db.sql, asset_id)).toBe("public banned");
  });
});
