import { describe, expect, test } from "vitest";
import { anonymousSession, attempt, signedIn } from "../../../support/actors.ts";
import { makeAsset, makeUser, makeUsers, reportAsset } from "../../../support/hub.ts";
import { accepted, admin, crowd, db, moderate, report, reportedBy, useReportFixture } from "./fixture.ts";

useReportFixture();

describe("what a reporter gets as answer", () => {
  test("a report is stored as the system says, whatever the client sends", async () => {
    const { id, users } = await reportedBy(1);
    const [row] = await db.sql`select * from hub_reports where asset_id = ${id}`;
    expect(row).toMatchObject({
      reporter_id: users[0],
      resolved: false,
      resolved_by: null,
      outcome: null,
      note: null,
      counts: true,
      version: 1,
    });
  });

  test("own assets, a second open report, a reason without details, an unknown reason", async () => {
    const { id, creator, users } = await reportedBy(1);
    const user = await makeUser(db.sql);
    expect(await report(creator, id)).toEqual({ refused: "own_asset" });
    expect(await report(users[0] ?? "", id, "copyright")).toEqual({ refused: "already_reported" });
    expect(await report(user, id, "other")).toEqual({ refused: "details_required" });
    expect(await report(user, id, "other", "  \n ")).toEqual({ refused: "details_required" });
    expect(await report(user, id, "rude")).toEqual({ refused: "validation_failed" });
    expect(await report(user, id, "spam", "x".repeat(1001))).toEqual({ refused: "validation_failed" });
    expect(await report(user, id, "other", "Look at line 3.")).toEqual(accepted);
  });

  test("a report for copyright may name the work: an https address and who holds the rights", async () => {
    const name = async (reason: string, work: Record<string, string>) => {
      const { id } = await makeAsset(db.sql);
      const row = { asset_id: id, reason, ...work };
      const answer = await attempt(
        signedIn(db, await makeUser(db.sql)),
        (tx) => tx`insert into hub_reports ${tx(row)} returning work_url, work_holder`,
      );
      return { id, answer };
    };
    const work = { work_url: "https://example.org/original", work_holder: " Ada Lovelace " };
    const { id, answer } = await name("copyright", work);
    expect(answer).toEqual({ rows: [{ work_url: work.work_url, work_holder: "Ada Lovelace" }] });
    const queue = await signedIn(db, admin).run((tx) => tx`select * from hub_review_queue()`);
    expect([...queue].find(({ asset_id }) => asset_id === id)?.reports).toMatchObject([
      { work_url: work.work_url, work_holder: "Ada Lovelace" },
    ]);
    for (const [reason, wrong] of [
      ["spam", work],
      ["copyright", { work_url: "javascript:alert(1)" }],
      ["copyright", { work_url: "http://example.org" }],
      ["copyright", { work_holder: "x".repeat(201) }],
      ["copyright", { work_holder: "a\u202eb" }],
    ] as const)
      expect((await name(reason, wrong)).answer).toEqual({ refused: "validation_failed" });
  });

  test("banned users, anonymous sessions and other people's names", async () => {
    const { id } = await makeAsset(db.sql);
    const [user = "", banned = ""] = await makeUsers(db.sql, 2);
    await moderate("hub_ban_creator", banned, null);
    expect(await report(banned, id)).toEqual({ refused: "banned" });
    expect(await reportAsset(anonymousSession(db, user), id)).toEqual({ refused: "42501" });
    for (const name of [banned, admin]) {
      const outcome = await attempt(
        signedIn(db, user),
        (tx) => tx`insert into hub_reports (asset_id, reason, reporter_id) values (${id}, 'spam', ${name})`,
      );
      expect(outcome).toEqual({ refused: "42501" });
    }
  });

  test("hidden, private, deleted and missing assets are refused in the same words", async () => {
    const assets = await Promise.all(Array.from({ length: 3 }, () => makeAsset(db.sql)));
    const [hidden = "", unpublished = "", deleted = ""] = assets.map(({ id }) => id);
    await db.sql`update hub_assets set is_hidden = true where id = ${hidden}`;
    await db.sql`update hub_assets set is_public = false where id = ${unpublished}`;
    await db.sql`update hub_assets set deleted_at = now() where id = ${deleted}`;
    const user = signedIn(db, await makeUser(db.sql));
    const words = new Set<string>();
    for (const id of [hidden, unpublished, deleted, crypto.randomUUID()]) {
      await user
        .run((tx) => tx`insert into hub_reports (asset_id, reason) values (${id}, 'spam')`)
        .then(() => words.add("accepted"))
        .catch(({ code, message, detail }) => words.add(`${code} ${message} ${detail ?? ""}`));
    }
    expect([...words]).toEqual(['42501 new row violates row-level security policy for table "hub_reports" ']);
  });

  test("at most 20 open reports a user, also more at once and many in one statement", async () => {
    const creator = await makeUser(db.sql);
    const assets: { id: string }[] = [];
    for (let i = 0; i < 24; i += 1) assets.push(await makeAsset(db.sql, { creator }));
    const user = await makeUser(db.sql);
    const outcomes = await Promise.all(assets.map(({ id }) => reportAsset(signedIn(crowd, user), id)));
    expect(outcomes.filter((outcome) => "rows" in outcome)).toHaveLength(20);
    expect(outcomes).toContainEqual({ refused: "too_many_open_reports" });
    const another = await makeUser(db.sql);
    const rows = assets.map(({ id }) => ({ asset_id: id, reason: "spam" }));
    expect(await attempt(signedIn(db, another), (tx) => tx`insert into hub_reports ${tx(rows)}`)).toEqual({
      refused: "too_many_open_reports",
    });
  });
});
