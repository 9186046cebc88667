import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { assetRow } from "../../support/hub.ts";
import {
  assets,
  db,
  denied,
  guest,
  ids,
  invisible,
  mallory,
  nothing,
  refused,
  useHubFixture,
} from "./fixture.ts";

useHubFixture();

describe("stars and reports", () => {
  test("on what cannot be seen: the very same answer as on nothing", async () => {
    for (const [table, row] of [
      ["hub_stars", {}],
      ["hub_reports", { reason: "spam" }],
    ] as const) {
      const answers = new Set<string>();
      for (const asset_id of [...invisible(), randomUUID()]) {
        const { status, error, data } = await mallory.from(table).insert({ asset_id, ...row });
        answers.add(JSON.stringify({ status, error, data }));
        if (table === "hub_stars") {
          const again = await mallory.from(table).upsert({ asset_id }, { ignoreDuplicates: true });
          answers.add(JSON.stringify({ status: again.status, error: again.error, data: again.data }));
        }
      }
      expect(answers.size).toBe(1);
      expect([...answers][0]).toContain("42501");
    }
  });

  test("in somebody else's name, backdated, moved or taken away", async () => {
    denied(await mallory.from("hub_stars").insert({ asset_id: assets.visible, user_id: ids.owner }));
    denied(await mallory.from("hub_stars").insert({ asset_id: assets.visible, user_id: ids.banned }));
    denied(
      await mallory
        .from("hub_stars")
        .insert({ asset_id: assets.visible, starred_at: "2000-01-01T00:00:00Z" }),
    );
    denied(await mallory.from("hub_stars").update({ user_id: ids.mallory }).eq("asset_id", assets.visible));
    denied(await mallory.from("hub_stars").upsert({ asset_id: assets.visible, user_id: ids.mallory }));
    nothing(await mallory.from("hub_stars").delete().eq("user_id", ids.owner).select());
    denied(await guest.from("hub_stars").insert({ asset_id: assets.visible, user_id: ids.owner }), [401]);
  });

  test("twice is once, by upsert and by insert; a thousand in one request is one", async () => {
    for (let i = 0; i < 3; i += 1) {
      expect(
        (await mallory.from("hub_stars").upsert({ asset_id: assets.visible }, { ignoreDuplicates: true }))
          .error,
      ).toBeNull();
      expect((await mallory.from("hub_stars").insert({ asset_id: assets.visible })).error).toBeNull();
    }
    const many = Array.from({ length: 1000 }, () => ({ asset_id: assets.visible }));
    expect((await mallory.from("hub_stars").upsert(many, { ignoreDuplicates: true })).error).toBeNull();
    expect((await assetRow(db.sql, assets.visible)).star_count).toBe(2);
    await mallory.from("hub_stars").delete().eq("asset_id", assets.visible);
    expect((await assetRow(db.sql, assets.visible)).star_count).toBe(1);
  });

  test("a report with its ending, weight, version or reporter set", async () => {
    for (const extra of [
      { resolved: true },
      { counts: true },
      { outcome: "upheld" },
      { resolved_by: ids.admin },
      { note: "x" },
      { version: 99 },
      { id: randomUUID() },
      { created_at: "2000-01-01T00:00:00Z" },
      { reporter_id: ids.owner },
      { reporter_id: null },
    ]) {
      denied(
        await mallory.from("hub_reports").insert({ asset_id: assets.visible, reason: "spam", ...extra }),
      );
    }
    denied(await mallory.from("hub_reports").update({ resolved: true }).not("id", "is", null));
    denied(await mallory.from("hub_reports").delete().not("id", "is", null));
  });

  test("the same report again, and the own asset: told so, without a constraint's name", async () => {
    const report = { asset_id: assets.visible, reason: "other", details: "For a test." };
    expect((await mallory.from("hub_reports").insert(report)).error).toBeNull();
    refused(await mallory.from("hub_reports").insert(report), 409, "already_reported");
    refused(await mallory.from("hub_reports").insert([report, report]), 409, "already_reported");
    refused(await mallory.from("hub_reports").insert({ ...report, details: null }), 422, "details_required");
    refused(await mallory.from("hub_reports").insert({ ...report, asset_id: assets.mine }), 422, "own_asset");
    refused(await mallory.from("hub_reports").insert({ ...report, reason: "x" }), 422, "validation_failed");
    await db.sql`delete from hub_reports where reporter_id = ${ids.mallory}`;
  });

  test("one user alone hides nothing: reporting, resolving oneself and reporting again", async () => {
    for (let i = 0; i < 6; i += 1)
      await mallory.from("hub_reports").insert({ asset_id: assets.visible, reason: "spam" });
    expect(await assetRow(db.sql, assets.visible)).toMatchObject({ is_visible: true });
    await db.sql`delete from hub_reports where reporter_id = ${ids.mallory}`;
  });
});
