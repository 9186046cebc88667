import { describe, expect, test } from "vitest";
import { attempt, signedIn } from "../../../support/actors.ts";
import {
  assetRow,
  call,
  makeAsset,
  makeUser,
  makeUsers,
  publish,
  REPORT_THRESHOLD,
  reportAsset,
  stateOf,
  untilWaiting,
  wrongCounters,
} from "../../../support/hub.ts";
import { LONG_TESTS } from "../../../support/long-tests.ts";
import { crowd, db, moderate, report, reportedBy, useReportFixture } from "./fixture.ts";

useReportFixture();

describe("hiding", () => {
  test("below the threshold, and with duplicates: visible; the report that reaches it hides", async () => {
    const { id, users } = await reportedBy(REPORT_THRESHOLD - 1);
    for (const user of users) expect(await report(user, id)).toEqual({ refused: "already_reported" });
    expect(await stateOf(db.sql, id)).toBe("public");
    await report(await makeUser(db.sql), id);
    expect(await assetRow(db.sql, id)).toMatchObject({
      is_hidden: true,
      is_visible: false,
      hidden_reason: "reports",
    });
    const [event] = await db.sql`select * from hub_events where asset_id = ${id} and action = 'hidden'`;
    expect(event).toMatchObject({ actor_id: null, details: { reason: "reports" } });
  });

  test("the report that reaches the threshold and one more at the same moment, in many rounds: hidden, every accepted report stored, no deadlock", async () => {
    const rounds = LONG_TESTS ? 1000 : 50;
    const creator = await makeUser(db.sql);
    const ids: string[] = await db.sql.begin(async (tx) => {
      const rows = await tx<{ id: string }[]>`
        insert into hub_assets (asset_type, ref_id, creator_id, slug, title, is_public, current_version)
        select 'template', gen_random_uuid(), ${creator}, 'round-' || i, 'Round ' || i, true, 1
        from generate_series(1, ${rounds}::int) i returning id`;
      await tx`
        insert into hub_asset_versions (asset_id, version, payload, sha256, license)
        select id, 1, '{}', repeat('0', 64), 'cc0' from hub_assets where creator_id = ${creator}`;
      return rows.map((row) => row.id);
    });
    // SQL inserts one report less than the threshold for each asset. Each reporter reaches at most 20 open reports, the limit.
    const before = REPORT_THRESHOLD - 1;
    const early = await makeUsers(db.sql, before * Math.ceil(rounds / 20));
    await db.sql`
      insert into hub_reports (asset_id, reporter_id, reason)
      select a.id, u.id, 'spam'
      from unnest(${ids}::uuid[]) with ordinality a (id, n)
      join unnest(${early}::uuid[]) with ordinality u (id, n) on (u.n - 1) / ${before}::int = (a.n - 1) / 20`;
    // Other users send the last reports, so that nobody has more than 20 open ones.
    const late = await makeUsers(db.sql, LONG_TESTS ? 120 : 20);
    let stored = 0;
    for (let start = 0; start < rounds; start += 25) {
      const batch = ids.slice(start, start + 25);
      const outcomes = await Promise.all(
        batch.flatMap((id, i) =>
          [0, 1].map((k) => {
            const user = late[(start * 2 + i * 2 + k) % late.length] ?? "";
            return attempt(
              signedIn(crowd, user),
              (tx) => tx`insert into hub_reports (asset_id, reason) values (${id}, 'spam')`,
            );
          }),
        ),
      );
      stored += outcomes.filter((outcome) => "rows" in outcome).length;
      expect(outcomes.filter((outcome) => "refused" in outcome && outcome.refused !== "42501")).toEqual([]);
    }
    const [row] = await db.sql`
      select count(*) filter (where is_hidden)::int as hidden,
        (select count(*)::int from hub_reports where reporter_id = any(${late})) as reports
      from hub_assets where id = any(${ids})`;
    expect(row).toEqual({ hidden: rounds, reports: stored });
    expect(stored).toBeGreaterThanOrEqual(rounds);
    expect(await wrongCounters(db.sql)).toEqual([]);
  });

  test("a report that waits while the asset is hidden is refused like any other on it", async () => {
    const { id } = await makeAsset(db.sql);
    const user = await makeUser(db.sql);
    let reported: ReturnType<typeof report> = Promise.resolve({ refused: "" });
    await db.sql.begin(async (tx) => {
      await tx`update hub_assets set is_hidden = true where id = ${id}`;
      reported = reportAsset(signedIn(crowd, user), id);
      await untilWaiting(db.sql, "insert into hub_reports");
    });
    expect(await reported).toEqual({ refused: "42501" });
    expect(await db.sql`select from hub_reports where asset_id = ${id}`).toHaveLength(0);
  });

  test("report, delete the account, as often as the threshold says: visible", async () => {
    const { id } = await makeAsset(db.sql);
    for (let i = 0; i < REPORT_THRESHOLD; i += 1) {
      const user = await makeUser(db.sql);
      await report(user, id);
      await db.auth`delete from auth.users where id = ${user}`;
    }
    expect(await stateOf(db.sql, id)).toBe("public");
    expect(await wrongCounters(db.sql)).toEqual([]);
    expect(
      await db.sql`select from hub_reports where asset_id = ${id} and reporter_id is null and not counts`,
    ).toHaveLength(REPORT_THRESHOLD);
  });

  test("one report less than the threshold, then their reporters go while others report: the counter is the rows", async () => {
    for (let round = 0; round < (LONG_TESTS ? 20 : 6); round += 1) {
      const { id, users } = await reportedBy(REPORT_THRESHOLD - 1);
      const late = await makeUsers(db.sql, 3);
      await Promise.all([
        ...users.map((user) => db.auth`delete from auth.users where id = ${user}`),
        ...late.map((user) => reportAsset(signedIn(crowd, user), id)),
      ]);
    }
    expect(await wrongCounters(db.sql)).toEqual([]);
  });

  test("a banned reporter stops counting; what is hidden stays hidden; unbanning brings no count back", async () => {
    const visible = await reportedBy(REPORT_THRESHOLD - 1);
    await moderate("hub_ban_creator", visible.users[0] ?? "", null);
    await report(await makeUser(db.sql), visible.id);
    expect(await stateOf(db.sql, visible.id)).toBe("public");
    await moderate("hub_unban_creator", visible.users[0] ?? "");
    expect(await stateOf(db.sql, visible.id)).toBe("public");
    const hidden = await reportedBy(REPORT_THRESHOLD);
    await moderate("hub_ban_creator", hidden.users[0] ?? "", null);
    expect(await stateOf(db.sql, hidden.id)).toBe("public hidden");
    expect(await wrongCounters(db.sql)).toEqual([]);
  });

  test("the owner cannot come back by unpublishing, republishing, editing, a new version, or deleting and publishing", async () => {
    const { id, creator, refId } = await reportedBy(REPORT_THRESHOLD);
    const owner = signedIn(db, creator);
    await call(owner, "hub_unpublish_asset", id);
    await call(owner, "hub_republish_asset", id);
    expect(await stateOf(db.sql, id)).toBe("public hidden");
    await attempt(owner, (tx) => tx`update hub_assets set title = 'Harmless' where id = ${id}`);
    await publish(db.sql, creator, { refId, payload: { content: "Harmless" } });
    expect(await stateOf(db.sql, id)).toBe("public hidden");
    await call(owner, "hub_delete_asset", id);
    const again = await publish(db.sql, creator, { refId });
    expect(again.asset_id).toBe(id);
    expect(await stateOf(db.sql, id)).toBe("public hidden");
  });
});
