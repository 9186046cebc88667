import { describe, expect, test } from "vitest";
import { signedIn } from "../../../support/actors.ts";
import {
  assetRow,
  call,
  makeUser,
  makeUsers,
  reportAsset,
  stateOf,
  wrongCounters,
} from "../../../support/hub.ts";
import { LONG_TESTS } from "../../../support/long-tests.ts";
import { accepted, admin, crowd, db, moderate, report, reportedBy, useReportFixture } from "./fixture.ts";

useReportFixture();

describe("resolving", () => {
  test("dismissed closes one, upheld closes all and hides with the category", async () => {
    const { id, users } = await reportedBy(2);
    const other = await makeUser(db.sql);
    await report(other, id, "malicious_code");
    const [first] = await db.sql`select id from hub_reports where reporter_id = ${users[0] ?? ""}`;
    const [worst] = await db.sql`select id from hub_reports where reporter_id = ${other}`;
    expect(await moderate("hub_resolve_report", first?.id, "dismissed", "No.")).toEqual(accepted);
    expect(await stateOf(db.sql, id)).toBe("public");
    expect(await moderate("hub_resolve_report", worst?.id, "upheld", "Indeed.")).toEqual(accepted);
    expect(await assetRow(db.sql, id)).toMatchObject({ is_hidden: true, hidden_reason: "malicious_code" });
    const outcomes =
      await db.sql`select outcome, count(*)::int as n from hub_reports where asset_id = ${id} group by 1 order by 1`;
    expect([...outcomes]).toEqual([
      { outcome: "dismissed", n: 1 },
      { outcome: "upheld", n: 2 },
    ]);
    expect(await moderate("hub_resolve_report", worst?.id, "dismissed", null)).toEqual({
      refused: "report_resolved",
    });
    expect(await moderate("hub_resolve_report", crypto.randomUUID(), "dismissed", null)).toEqual({
      refused: "report_not_found",
    });
    expect(await moderate("hub_resolve_report", worst?.id, "maybe", null)).toEqual({
      refused: "validation_failed",
    });
  });

  test("what an admin does to an asset that is reported all the while neither deadlocks nor miscounts", async () => {
    for (let round = 0; round < (LONG_TESTS ? 10 : 4); round += 1) {
      const { id, creator } = await reportedBy(3);
      const rows = await db.sql`select id from hub_reports where asset_id = ${id}`;
      const users = await makeUsers(db.sql, 6);
      const results = await Promise.allSettled([
        ...users.map((user) => reportAsset(signedIn(crowd, user), id)),
        ...rows.map((row) => call(signedIn(crowd, admin), "hub_resolve_report", row.id, "dismissed", null)),
        ...rows.map(
          (row) => crowd.sql`update hub_reports set resolved = true where id = ${row.id} and not resolved`,
        ),
        call(signedIn(crowd, admin), "hub_hide_asset", id, "Look."),
        call(signedIn(crowd, admin), "hub_restore_asset", id, null),
        call(signedIn(crowd, admin), "hub_ban_creator", creator, null),
        call(signedIn(crowd, admin), "hub_ban_creator", users[0] ?? "", null),
        db.auth`delete from auth.users where id = ${users[1] ?? ""}`,
      ]);
      const failures = results.flatMap((result) =>
        result.status === "rejected" ? [String(result.reason)] : [],
      );
      expect(failures).toEqual([]);
    }
    expect(await wrongCounters(db.sql)).toEqual([]);
  });
});
