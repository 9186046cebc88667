import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anon, anonymousSession, attempt, operator, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  call,
  makeAdmin,
  makeAsset,
  makeUser,
  publish,
  REPORT_THRESHOLD,
  reportAsset,
  reportByNewUsers,
  stateOf,
  untilWaiting,
  wrongCounters,
} from "../../support/hub.ts";

/* Tests what moderation tells a creator, and the creator's one appeal against each decision. */

let db: Clone;
let crowd: { sql: Clone["sql"] };
let admin: string;
beforeAll(async () => {
  db = await cloneDatabase();
  crowd = { sql: db.as("postgres" as never, 10) };
  admin = await makeAdmin(db.sql);
});
afterAll(() => db.drop());

const done = { rows: expect.anything() };
const moderate = (name: string, ...args: (string | null)[]) => call(signedIn(db, admin), name, ...args);
const appeal = (who: string, assetId: string | null, body = "It is mine.") =>
  call(signedIn(db, who), "hub_appeal", assetId, body);
const decisions = (who: string) => signedIn(db, who).run((tx) => tx`select * from hub_my_decisions()`);
const waiting = () => signedIn(db, admin).run((tx) => tx`select * from hub_open_appeals()`);
const resolve = (id: string, accept: boolean, answer: string | null = null) =>
  attempt(signedIn(db, admin), (tx) => tx`select hub_resolve_appeal(${id}, ${accept}, ${answer})`);

async function appealOf(who: string): Promise<{ id: string; state: string; answer: string | null }> {
  const [row] =
    await db.sql`select * from hub_appeals where user_id = ${who} order by created_at desc limit 1`;
  return row as never;
}

async function hidden() {
  const asset = await makeAsset(db.sql);
  await publish(db.sql, asset.creator, { refId: asset.refId, payload: { content: "Second" } });
  expect(await moderate("hub_hide_asset", asset.id, "Only for us.", "It copies a book.")).toEqual(done);
  return asset;
}

async function banned() {
  const asset = await makeAsset(db.sql);
  expect(await moderate("hub_ban_creator", asset.creator, "Only for us.", "Forty times the same.")).toEqual(
    done,
  );
  return asset;
}

describe("what the creator reads", () => {
  test("of a hidden listing: category, public note, date and version, never the admins' note", async () => {
    const { id, creator } = await hidden();
    const [decision, ...more] = await decisions(creator);
    expect(more).toEqual([]);
    expect(decision).toMatchObject({
      ...{ action: "hidden", category: "moderator", note: "It copies a book.", version: 2 },
      ...{ in_force: true, asset_id: id, title: "A greeting", appeal: null, at: expect.any(Date) },
    });
    expect(JSON.stringify(decision)).not.toContain("Only for us.");
    expect(await decisions(await makeUser(db.sql))).toEqual([]);
  });

  test("of a ban, also while it holds", async () => {
    const { creator } = await banned();
    const [decision] = await decisions(creator);
    expect(decision).toMatchObject({
      ...{ action: "banned", category: null, note: "Forty times the same.", in_force: true, asset_id: null },
    });
    expect(JSON.stringify(decision)).not.toContain("Only for us.");
    await moderate("hub_unban_creator", creator);
    expect(await decisions(creator)).toMatchObject([{ in_force: false }]);
  });

  test("of reports: the threshold and what is upheld are decisions of their own; a restored one does not hold", async () => {
    const { id, creator } = await makeAsset(db.sql);
    await reportByNewUsers(db, id, REPORT_THRESHOLD, signedIn);
    expect(await decisions(creator)).toMatchObject([{ category: "reports", in_force: true, note: null }]);
    const [report] = await db.sql`select id from hub_reports where asset_id = ${id} limit 1`;
    await moderate("hub_resolve_report", report?.id, "upheld", null, "Advertising.");
    expect(await decisions(creator)).toMatchObject([
      { category: "spam", in_force: true, note: "Advertising." },
      { category: "reports", in_force: false },
    ]);
    await moderate("hub_remove_asset", id, null, "Gone for good.");
    expect((await decisions(creator))[0]).toMatchObject({
      action: "removed",
      note: "Gone for good.",
      in_force: true,
    });
  });

  test("a public note is of one call, and at most 1000 characters", async () => {
    const [one, two] = [await makeAsset(db.sql), await makeAsset(db.sql)];
    await operator(db).run(async (tx) => {
      await tx`select hub_ban_creator(${one.creator}, null, 'First')`;
      await tx`update hub_assets set is_hidden = true where id = ${one.id}`;
      await tx`select hub_hide_asset(${two.id}, 'x', 'Second')`;
      await tx`update hub_assets set is_hidden = false where id = ${two.id}`;
      await tx`update hub_assets set is_hidden = true where id = ${two.id}`;
      await tx`insert into private.hub_bans (user_id) values (${two.creator})`;
    });
    expect((await decisions(one.creator)).map(({ note }) => note)).toEqual([null, "First"]);
    expect((await decisions(two.creator)).map(({ note }) => note)).toEqual([null, null, "Second"]);
    for (const [name, ...args] of [
      ["hub_hide_asset", (await makeAsset(db.sql)).id, "x"],
      ["hub_ban_creator", two.creator, null],
    ] as const)
      expect(await moderate(name, ...args, "x".repeat(1001))).toEqual({ refused: "validation_failed" });
  });
});

describe("an appeal", () => {
  test("of a hidden listing: accepted, it is back and its reports are dismissed", async () => {
    const { id, creator } = await makeAsset(db.sql);
    await reportByNewUsers(db, id, REPORT_THRESHOLD, signedIn);
    expect(await appeal(creator, id)).toEqual(done);
    const [open] = (await waiting()).filter((one) => one.user_id === creator);
    expect(open).toMatchObject({
      body: "It is mine.",
      category: "reports",
      asset_id: id,
      action: "hidden",
      version: 1,
    });
    expect(await resolve(open?.id, true, "You are right.")).toEqual(done);
    expect(await stateOf(db.sql, id)).toBe("public");
    expect((await waiting()).filter((one) => one.user_id === creator)).toEqual([]);
    const [decision] = await decisions(creator);
    expect(decision).toMatchObject({
      in_force: false,
      appeal: { state: "accepted", answer: "You are right." },
    });
    expect(await reportAsset(signedIn(db, creator), id)).toEqual({ refused: "own_asset" });
    expect(await wrongCounters(db.sql)).toEqual([]);
    const events = await db.sql`
      select action, actor_id from hub_events where asset_id = ${id} and action like 'appeal%' order by id`;
    expect(events).toEqual([
      { action: "appealed", actor_id: creator },
      { action: "appeal_accepted", actor_id: admin },
    ]);
  });

  test("of a ban: a banned user appeals, and can do nothing else; accepted, the ban is lifted", async () => {
    const { id, creator } = await banned();
    expect(await appeal(creator, null)).toEqual(done);
    const other = await makeAsset(db.sql);
    expect(await reportAsset(signedIn(db, creator), other.id)).toEqual({ refused: "banned" });
    expect(await resolve((await appealOf(creator)).id, true)).toEqual(done);
    expect(await stateOf(db.sql, id)).toBe("public");
    expect(await appeal(creator, null)).toEqual({ refused: "not_banned" });
  });

  test("rejected, all stays; each decision has one appeal, the next decision its own", async () => {
    const { id, creator } = await hidden();
    await appeal(creator, id);
    expect(await resolve((await appealOf(creator)).id, false, "No.")).toEqual(done);
    expect(await stateOf(db.sql, id)).toBe("public hidden");
    expect(await appeal(creator, id)).toEqual({ refused: "already_appealed" });
    expect(await resolve((await appealOf(creator)).id, true)).toEqual({ refused: "appeal_resolved" });
    await moderate("hub_restore_asset", id, null);
    await moderate("hub_hide_asset", id, "Again.");
    expect(await appeal(creator, id)).toEqual(done);
  });

  test("of a stranger is 404, of what is not hidden 409, without an account refused", async () => {
    const { id, creator } = await hidden();
    expect(await appeal(await makeUser(db.sql), id)).toEqual({ refused: "asset_not_found" });
    expect(await appeal(creator, crypto.randomUUID())).toEqual({ refused: "asset_not_found" });
    expect(await appeal(creator, null)).toEqual({ refused: "not_banned" });
    await moderate("hub_restore_asset", id, null);
    expect(await appeal(creator, id)).toEqual({ refused: "not_hidden" });
    for (const who of [anon(db), anonymousSession(db, await makeUser(db.sql))]) {
      expect(await call(who, "hub_appeal", id, "Hello")).toEqual({ refused: "42501" });
      expect(await attempt(who, (tx) => tx`select * from hub_my_decisions()`)).toEqual({ refused: "42501" });
    }
  });

  test("has 1 to 2000 characters, and so has its answer", async () => {
    const { id, creator } = await hidden();
    for (const body of [null, " \n ", "x".repeat(2001)])
      expect(await call(signedIn(db, creator), "hub_appeal", id, body)).toEqual({
        refused: "validation_failed",
      });
    expect(await appeal(creator, id, "x".repeat(2000))).toEqual(done);
    const mine = await appealOf(creator);
    const own = await attempt(signedIn(db, creator), (tx) => tx`select hub_resolve_appeal(${mine.id}, true)`);
    expect(own).toEqual({ refused: "42501" });
    expect(await resolve(mine.id, true, "x".repeat(2001))).toEqual({ refused: "validation_failed" });
    expect(await resolve(crypto.randomUUID(), true)).toEqual({ refused: "appeal_not_found" });
    expect(
      await attempt(signedIn(db, admin), (tx) => tx`select hub_resolve_appeal(${mine.id}, null)`),
    ).toEqual({ refused: "validation_failed" });
  });

  test("is closed by a restore, an unban and a removal; of a removal it opens the way to publish again", async () => {
    const [restored, removed, unbanned] = [await hidden(), await hidden(), await banned()];
    for (const { id, creator } of [restored, removed]) await appeal(creator, id);
    await appeal(unbanned.creator, null);
    await moderate("hub_restore_asset", restored.id, null);
    await moderate("hub_remove_asset", removed.id, null);
    await moderate("hub_unban_creator", unbanned.creator);
    const states = [restored, removed, unbanned].map(async ({ creator }) => (await appealOf(creator)).state);
    expect(await Promise.all(states)).toEqual(["accepted", "rejected", "accepted"]);
    expect(await appeal(removed.creator, removed.id)).toEqual(done);
    await resolve((await appealOf(removed.creator)).id, true);
    expect(await stateOf(db.sql, removed.id)).toBe("deleted");
  });

  test("answered by hand does the same; the rest of its row is fixed", async () => {
    const [listing, account] = [await hidden(), await banned()];
    await appeal(listing.creator, listing.id);
    await appeal(account.creator, null);
    const byHand = (statement: string, who: string) =>
      attempt(operator(db), (tx) => tx.unsafe(statement, [who]));
    for (const change of ["body = 'x'", "asset_id = null", "created_at = now()"])
      expect(await byHand(`update hub_appeals set ${change} where user_id = $1`, listing.creator)).toEqual({
        refused: "append_only",
      });
    for (const { creator } of [listing, account]) {
      expect(await byHand("update hub_appeals set state = 'accepted' where user_id = $1", creator)).toEqual(
        done,
      );
      expect(await byHand("update hub_appeals set state = 'open' where user_id = $1", creator)).toEqual({
        refused: "appeal_resolved",
      });
    }
    expect([await stateOf(db.sql, listing.id), await stateOf(db.sql, account.id)]).toEqual([
      "public",
      "public",
    ]);
  });

  test("goes with its account, and is not called accepted", async () => {
    const { creator } = await banned();
    await appeal(creator, null);
    await db.auth`delete from auth.users where id = ${creator}`;
    expect(await db.sql`select from hub_appeals where user_id = ${creator}`).toHaveLength(0);
    expect(
      await db.sql`select from hub_events where user_id = ${creator} and action = 'appeal_accepted'`,
    ).toHaveLength(0);
  });
});

describe("at once", () => {
  /** Starts calls one by one while the listing is locked; returns their outcomes. */
  async function heldBack(assetId: string, ...starts: (() => Promise<unknown>)[]) {
    const running: Promise<unknown>[] = [];
    await crowd.sql.begin(async (tx) => {
      await tx`select from hub_assets where id = ${assetId} for no key update`;
      for (const start of starts) {
        running.push(start());
        await untilWaiting(db.sql, "hub_", running.length);
      }
    });
    return Promise.all(running);
  }
  const resolving = (id: string, accept: boolean) =>
    attempt(signedIn(crowd, admin), (tx) => tx`select hub_resolve_appeal(${id}, ${accept})`);

  test("an appeal that waits for a restore is refused", async () => {
    const { id, creator } = await hidden();
    const [, late] = await heldBack(
      id,
      () => call(signedIn(crowd, admin), "hub_restore_asset", id, null),
      () => call(signedIn(crowd, creator), "hub_appeal", id, "Please."),
    );
    expect(late).toEqual({ refused: "not_hidden" });
  });

  test("of two appeals one stands, and of two answers one", async () => {
    const { id, creator } = await hidden();
    const appeals = await Promise.all(
      [1, 2, 3].map(() => call(signedIn(crowd, creator), "hub_appeal", id, "Please.")),
    );
    expect(appeals.filter((one) => "rows" in one)).toHaveLength(1);
    expect(appeals).toContainEqual({ refused: "already_appealed" });
    const mine = await appealOf(creator);
    const answers = await heldBack(
      id,
      () => resolving(mine.id, false),
      () => resolving(mine.id, true),
    );
    expect(answers).toEqual([done, { refused: "appeal_resolved" }]);
    expect(await stateOf(db.sql, id)).toBe("public hidden");
  });

  test("an account goes while its appeals are answered: no deadlock", async () => {
    for (const make of [hidden, banned]) {
      const { id, creator } = await make();
      await appeal(creator, make === banned ? null : id);
      const mine = await appealOf(creator);
      const [gone, answered] = await Promise.all([
        crowd.sql.begin(async () => db.auth`delete from auth.users where id = ${creator}`),
        resolving(mine.id, true),
      ]);
      expect(gone).toHaveLength(0);
      expect([done, { refused: "appeal_not_found" }]).toContainEqual(answered);
    }
  });
});
