import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attempt, operator, service, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { makeAdmin, makeAsset, makeUser, makeUsers, reportAsset } from "../../support/hub.ts";

/* Tests hub_events: which events are written, with which user, and that none is lost. */

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

describe("the audit log", () => {
  test("is append-only for operators and for the service", async () => {
    await makeAsset(db.sql);
    const change = [
      "update hub_events set action = 'restored'",
      "delete from hub_events",
      "truncate hub_events",
    ];
    for (const statement of change) {
      expect(await byHand(statement)).toEqual({ refused: "append_only" });
      expect(await attempt(service(db), (tx) => tx.unsafe(statement))).toEqual({ refused: "42501" });
    }
  });

  test("an RPC's note is for all that it does, and for nothing that follows in the transaction", async () => {
    const one = await reported(2);
    const two = await reported(3);
    await operator(db).run(async (tx) => {
      await tx`select hub_hide_asset(${one.id}, 'Hidden note')`;
      await tx`update hub_assets set is_hidden = false where id = ${one.id}`;
      await tx`select hub_ban_creator(${one.creator}, 'Other')`;
      const [first] = await tx`select id from hub_reports where asset_id = ${two.id} order by id limit 1`;
      await tx`select hub_resolve_report(${first?.id}, 'dismissed', 'Dismissed note')`;
      await tx`update hub_assets set is_hidden = true where id = ${two.id}`;
      await tx`select hub_restore_asset(${two.id}, 'Restored note')`;
      await tx`update hub_assets set is_public = false where id = ${two.id}`;
    });
    const notes = async (id: string, creator: string) =>
      (
        await db.sql`
          select action, note from hub_events
          where (asset_id = ${id} and action <> 'published') or (user_id = ${creator} and action = 'banned') order by id`
      ).map(({ action, note }) => `${action}: ${note}`);
    expect((await notes(one.id, one.creator)).sort()).toEqual([
      "banned: null",
      "hidden: Hidden note",
      "report_resolved: null",
      "report_resolved: null",
      "restored: null",
    ]);
    expect((await notes(two.id, two.creator)).sort()).toEqual([
      "hidden: null",
      "report_resolved: Dismissed note",
      "report_resolved: Restored note",
      "report_resolved: Restored note",
      "restored: Restored note",
      "unpublished: null",
    ]);
    const kept = await db.sql`select note from hub_reports where asset_id = ${one.id} and note is not null`;
    expect(kept).toHaveLength(0);
  });

  test("an upheld report and a removal carry their note to the end", async () => {
    const one = await reported(2);
    await operator(db).run(async (tx) => {
      const [first] = await tx`select id from hub_reports where asset_id = ${one.id} order by id limit 1`;
      await tx`select hub_resolve_report(${first?.id}, 'upheld', 'Upheld note')`;
      await tx`select hub_remove_asset(${one.id}, 'Removal note')`;
      await tx`update hub_assets set title = 'By hand' where id = ${one.id}`;
    });
    const events = await db.sql`
      select action, note from hub_events where asset_id = ${one.id} and action <> 'published' order by action`;
    expect(events.map(({ action, note }) => `${action}: ${note}`)).toEqual([
      "hidden: Upheld note",
      "removed: Removal note",
      "report_resolved: Upheld note",
      "report_resolved: Upheld note",
    ]);
  });

  test("is read by admins alone", async () => {
    const read = (user: string) => signedIn(db, user).run((tx) => tx`select id from hub_events`);
    await makeAsset(db.sql);
    expect((await read(await makeAdmin(db.sql))).length).toBeGreaterThan(0);
    expect(await read(await makeUser(db.sql))).toHaveLength(0);
  });
});
