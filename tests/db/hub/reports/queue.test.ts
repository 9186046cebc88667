import { describe, expect, test } from "vitest";
import { attempt, signedIn } from "../../../support/actors.ts";
import { makeUser, REPORT_THRESHOLD } from "../../../support/hub.ts";
import { admin, db, reportedBy, useReportFixture } from "./fixture.ts";

useReportFixture();

describe("the queue", () => {
  test("is for admins: what is hidden first, with its open reports", async () => {
    const hidden = await reportedBy(REPORT_THRESHOLD);
    const reported = await reportedBy(1);
    const user = signedIn(db, await makeUser(db.sql));
    expect(await attempt(user, (tx) => tx`select * from hub_review_queue()`)).toEqual({ refused: "42501" });
    const rows = await signedIn(db, admin).run((tx) => tx`select * from hub_review_queue()`);
    const found = rows.filter(({ asset_id }) => [hidden.id, reported.id].includes(asset_id));
    expect(found.map(({ asset_id }) => asset_id)).toEqual([hidden.id, reported.id]);
    expect(found[0]).toMatchObject({
      is_hidden: true,
      open_reports: REPORT_THRESHOLD,
      counting_reports: REPORT_THRESHOLD,
      creator_id: hidden.creator,
    });
    expect(found[0]?.reports).toHaveLength(REPORT_THRESHOLD);
    expect(found[1]?.reports[0]).toMatchObject({ reason: "spam", version: 1, counts: true });
  });
});
