import { describe, expect, test } from "vitest";
import { signedIn } from "../../../support/actors.ts";
import { call, makeAsset, makeUser, publish, REPORT_THRESHOLD, stateOf } from "../../../support/hub.ts";
import { accepted, db, moderate, report, reportedBy, useReportFixture } from "./fixture.ts";

useReportFixture();

describe("a user's reports count once", () => {
  test("the same users cannot hide again what was restored with content they had not seen", async () => {
    const { id, creator, refId, users } = await reportedBy(REPORT_THRESHOLD);
    await publish(db.sql, creator, { refId, payload: { content: "Better" } });
    await moderate("hub_restore_asset", id, null);
    for (const user of users) expect(await report(user, id)).toEqual(accepted);
    expect(await stateOf(db.sql, id)).toBe("public");
  });

  test("nor after an upheld report that an admin took back", async () => {
    const { id, users } = await reportedBy(REPORT_THRESHOLD);
    const [row] = await db.sql`select id from hub_reports where asset_id = ${id} limit 1`;
    await moderate("hub_resolve_report", row?.id, "upheld", null);
    await moderate("hub_restore_asset", id, "appeal");
    for (const user of users) expect(await report(user, id)).toEqual(accepted);
    expect(await stateOf(db.sql, id)).toBe("public");
  });

  test("a report of an old version that is dismissed is dismissed for the new one", async () => {
    const { id, creator, refId, users } = await reportedBy(1);
    await publish(db.sql, creator, { refId, payload: { content: "Better" } });
    const [row] = await db.sql`select id from hub_reports where asset_id = ${id}`;
    await moderate("hub_resolve_report", row?.id, "dismissed", null);
    await report(users[0] ?? "", id);
    const [again] = await db.sql`select counts from hub_reports where asset_id = ${id} and not resolved`;
    expect(again?.counts).toBe(false);
  });

  test("reports of listings that are gone take no place", async () => {
    const user = await makeUser(db.sql);
    for (let i = 0; i < 20; i += 1) {
      const { id, creator } = await makeAsset(db.sql);
      await report(user, id);
      await call(signedIn(db, creator), "hub_delete_asset", id);
    }
    expect(await report(user, (await makeAsset(db.sql)).id)).toEqual(accepted);
  });
});
