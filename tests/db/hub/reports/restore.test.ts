import { describe, expect, test } from "vitest";
import { attempt, signedIn } from "../../../support/actors.ts";
import {
  assetRow,
  call,
  makeUser,
  makeUsers,
  publish,
  REPORT_THRESHOLD,
  reportAsset,
  stateOf,
  wrongCounters,
} from "../../../support/hub.ts";
import { LONG_TESTS } from "../../../support/long-tests.ts";
import { accepted, admin, crowd, db, moderate, report, reportedBy, useReportFixture } from "./fixture.ts";

useReportFixture();

describe("restore", () => {
  test("keeps date, slug and counters, dismisses the open reports, and says by whom", async () => {
    const { id } = await reportedBy(REPORT_THRESHOLD);
    const before = await assetRow(db.sql, id);
    await moderate("hub_restore_asset", id, "Looked at it.");
    const after = await assetRow(db.sql, id);
    expect(after).toMatchObject({ is_visible: true, hidden_reason: null, hidden_at: null });
    expect([after.slug, after.published_at, after.star_count]).toEqual([
      before.slug,
      before.published_at,
      before.star_count,
    ]);
    const rows =
      await db.sql`select resolved, outcome, resolved_by, note from hub_reports where asset_id = ${id}`;
    expect(new Set(rows.map((row) => JSON.stringify(row)))).toEqual(
      new Set([
        JSON.stringify({ resolved: true, outcome: "dismissed", resolved_by: admin, note: "Looked at it." }),
      ]),
    );
    const [event] = await db.sql`select * from hub_events where asset_id = ${id} and action = 'restored'`;
    expect(event).toMatchObject({ actor_id: admin, note: "Looked at it." });
  });

  test("then one report: visible; the same users again on that version: visible; as many new ones: hidden", async () => {
    const others = await makeUsers(db.sql, REPORT_THRESHOLD);
    const { id, users } = await reportedBy(REPORT_THRESHOLD);
    await moderate("hub_restore_asset", id, null);
    await report(others[0] ?? "", id);
    expect(await stateOf(db.sql, id)).toBe("public");
    for (const user of users) expect(await report(user, id)).toEqual(accepted);
    expect(await stateOf(db.sql, id)).toBe("public");
    const [row] = await db.sql`select * from private.hub_moderation where asset_id = ${id}`;
    expect(row).toMatchObject({
      open_reports: REPORT_THRESHOLD + 1,
      counting_reports: 1,
      reviewed_version: 1,
    });
    for (const user of others.slice(1, -1)) await report(user, id);
    expect(await stateOf(db.sql, id)).toBe("public");
    await report(others.at(-1) ?? "", id);
    expect(await stateOf(db.sql, id)).toBe("public hidden");
  });

  test.each([
    ["an admin's restore", (id: string) => moderate("hub_restore_asset", id, null)],
    ["an operator's", (id: string) => db.sql`update hub_assets set is_hidden = false where id = ${id}`],
  ])("accounts made after %s do not count on that version, and count on the next", async (_, restore) => {
    const { id, creator, refId } = await reportedBy(REPORT_THRESHOLD);
    await restore(id);
    const later = await makeUsers(db.sql, REPORT_THRESHOLD + 2);
    for (const user of later) expect(await report(user, id)).toEqual(accepted);
    expect(await stateOf(db.sql, id)).toBe("public");
    const [row] =
      await db.sql`select open_reports, counting_reports from private.hub_moderation where asset_id = ${id}`;
    expect(row).toEqual({ open_reports: REPORT_THRESHOLD + 2, counting_reports: 0 });
    await publish(db.sql, creator, { refId, payload: { content: "Worse" } });
    for (const user of later.slice(0, REPORT_THRESHOLD)) expect(await report(user, id)).toEqual(accepted);
    expect(await stateOf(db.sql, id)).toBe("public hidden");
    expect(await wrongCounters(db.sql)).toEqual([]);
  });

  test("how old an account is, is nobody's own to say", async () => {
    const { id } = await reportedBy(REPORT_THRESHOLD);
    await moderate("hub_restore_asset", id, null);
    for (const user of await makeUsers(db.sql, REPORT_THRESHOLD)) {
      // The age of an account is the time that Auth wrote. The profile may be older or missing, so its time is ignored.
      await db.auth`update auth.users set created_at = clock_timestamp() where id = ${user}`;
      await db.sql`update hub_profiles set created_at = '2020-01-01' where user_id = ${user}`;
      const change = attempt(
        signedIn(db, user),
        (tx) => tx`update hub_profiles set created_at = '2000-01-01' where user_id = ${user}`,
      );
      expect(await change).toEqual({ refused: "42501" });
      expect(await report(user, id)).toEqual(accepted);
    }
    expect(await stateOf(db.sql, id)).toBe("public");
  });

  test("on a new version those who were dismissed count again, also over an open report that did not", async () => {
    const { id, creator, refId, users } = await reportedBy(REPORT_THRESHOLD);
    await moderate("hub_restore_asset", id, null);
    expect(await report(users[0] ?? "", id)).toEqual(accepted);
    await publish(db.sql, creator, { refId, payload: { content: "Worse" } });
    for (const user of users) expect(await report(user, id)).toEqual(accepted);
    expect(await stateOf(db.sql, id)).toBe("public hidden");
    expect(await wrongCounters(db.sql)).toEqual([]);
  });

  test("a report that meets a restore is dismissed with the others or counts as a new one", async () => {
    for (let round = 0; round < (LONG_TESTS ? 30 : 8); round += 1) {
      const { id } = await reportedBy(REPORT_THRESHOLD);
      const user = await makeUser(db.sql);
      const [restored, reported] = await Promise.all([
        call(signedIn(crowd, admin), "hub_restore_asset", id, null),
        reportAsset(signedIn(crowd, user), id),
      ]);
      expect(restored).toEqual(accepted);
      expect(await stateOf(db.sql, id)).toBe("public");
      const [row] =
        await db.sql`select counting_reports as n from private.hub_moderation where asset_id = ${id}`;
      expect(row?.n).toBe("rows" in reported ? 1 : 0);
    }
  });
});
