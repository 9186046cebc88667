import { describe, expect, test } from "vitest";
import {
  assetRow,
  makeAdmin,
  makeUsers,
  publish,
  REPORT_THRESHOLD,
  reportAsset,
  stateOf,
  wrongCounters,
} from "../../../support/hub.ts";
import { ask, join, makeTeam, refusal } from "../../../support/organizations.ts";
import { as, db, refused, share, shelf, team, useShelfFixture } from "./fixture.ts";

useShelfFixture();

describe("reports on a shelf", () => {
  const reportByMembers = async (id: string, count: number) => {
    for (const user of await makeUsers(db.sql, count)) {
      await join(db.sql, team.id, user);
      await reportAsset(as(user), id);
    }
  };

  test("of enough members hide it, and the organization's admins decide", async () => {
    const { asset_id: id } = await share(team.member);
    await reportByMembers(id, REPORT_THRESHOLD - 1);
    expect(await stateOf(db.sql, id)).toBe("shared");
    await reportByMembers(id, 1);
    expect(await assetRow(db.sql, id)).toMatchObject({
      is_hidden: true,
      hidden_reason: "organization_reports",
    });
    expect((await shelf(team.admin)).items).toEqual([]);
    expect(await refusal(as(team.owner), "hub_asset", { id_or_slug: id })).toBeNull();
    const queue = await ask<Record<string, unknown>[]>(as(team.admin), "organization_review_queue", {
      organization_id: team.id,
    });
    expect(queue).toMatchObject([{ asset_id: id, is_hidden: true, open_reports: REPORT_THRESHOLD }]);
    expect(JSON.stringify(queue)).not.toContain("reporter");
    expect(await refusal(as(team.member), "organization_review_queue", { organization_id: team.id })).toBe(
      "organization_not_found",
    );
    expect(await refusal(as(team.member), "organization_review", { asset_id: id, keep: true })).toBe(
      "role_required",
    );
    await ask(as(team.admin), "organization_review", { asset_id: id, keep: true });
    expect(await stateOf(db.sql, id)).toBe("shared");
    await reportByMembers(id, 1);
    expect(await stateOf(db.sql, id)).toBe("shared");
    expect(await wrongCounters(db.sql)).toEqual([]);
  });

  test("an admin hides one, and its creator reads why", async () => {
    const { asset_id: id } = await share(team.member);
    await reportByMembers(id, 1);
    await ask(as(team.admin), "organization_review", { asset_id: id, keep: false, note: "Out of date." });
    expect(await assetRow(db.sql, id)).toMatchObject({ hidden_reason: "organization" });
    const [report] = await db.sql`select outcome from hub_reports where asset_id = ${id}`;
    expect(report).toEqual({ outcome: "upheld" });
    expect(JSON.stringify(await ask(as(team.member), "hub_my_decisions"))).toContain("Out of date.");
    const hubAdmin = as(await makeAdmin(db.sql));
    expect(
      await hubAdmin.run((tx) => tx`select from hub_review_queue() where asset_id = ${id}`),
    ).toHaveLength(0);
    expect(
      await refusal(as((await makeTeam(db)).owner), "organization_review", { asset_id: id, keep: true }),
    ).toBe("asset_not_found");
  });

  test("what the hub has hidden, no organization of its creator brings back", async () => {
    const hubAdmin = as(await makeAdmin(db.sql));
    const { asset_id: id, refId } = await publish(db.sql, team.owner);
    await ask(hubAdmin, "hub_hide_asset", { asset_id: id, note: "Spam." });
    await ask(as(team.owner), "hub_unpublish_asset", { asset_id: id });
    await share(team.owner, { refId, payload: { content: "Again" } });
    expect(await refusal(as(team.owner), "organization_review", { asset_id: id, keep: true })).toBe(
      "hidden_by_hub",
    );
    expect(await stateOf(db.sql, id)).toBe("shared hidden");
    expect((await shelf(team.admin)).items).toEqual([]);
    const listed = await hubAdmin.run(
      (tx) => tx`select asset_id from hub_review_queue() where asset_id = ${id}`,
    );
    expect(listed).toHaveLength(1);
  });

  test("what an organization has hidden stays hidden when it is published for everybody, and the hub decides then", async () => {
    const { asset_id: id, refId } = await share(team.owner);
    await reportByMembers(id, REPORT_THRESHOLD);
    await publish(db.sql, team.owner, { refId });
    expect(await stateOf(db.sql, id)).toBe("public hidden");
    expect(await refusal(as(team.owner), "organization_review", { asset_id: id, keep: true })).toBe(
      "asset_not_found",
    );
    const hubAdmin = as(await makeAdmin(db.sql));
    expect(
      await hubAdmin.run((tx) => tx`select from hub_review_queue() where asset_id = ${id}`),
    ).toHaveLength(1);
  });

  test("a ban takes its creator's listings off every shelf", async () => {
    const { asset_id: id } = await share(team.member);
    await ask(as(await makeAdmin(db.sql)), "hub_ban_creator", { user_id: team.member });
    expect((await shelf(team.owner)).items).toEqual([]);
    expect(await refusal(as(team.owner), "hub_asset", { id_or_slug: id })).toBe("asset_not_found");
    expect(await refused(share(team.member))).toBe("banned");
  });
});
