import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { forgeToken } from "../../support/service.ts";
import {
  assets,
  bannedToken,
  db,
  denied,
  http,
  ids,
  mallory,
  nothing,
  refused,
  useHubFixture,
} from "./fixture.ts";

useHubFixture();

describe("the own account", () => {
  test("a banned user with a live token", async () => {
    const banned = http.client(bannedToken);
    refused(await banned.from("hub_stars").insert({ asset_id: assets.visible }), 403, "banned");
    refused(await banned.from("hub_stars").delete().eq("asset_id", assets.visible), 403, "banned");
    refused(
      await banned.from("hub_reports").insert({ asset_id: assets.visible, reason: "spam" }),
      403,
      "banned",
    );
    refused(await banned.from("hub_assets").update({ title: "x" }).eq("id", assets.banned), 403, "banned");
    refused(
      await banned.from("hub_profiles").update({ display_name: "x" }).eq("user_id", ids.banned),
      403,
      "banned",
    );
    refused(await banned.rpc("hub_republish_asset", { asset_id: assets.banned }), 403, "banned");
    expect((await banned.from("hub_assets").select("id").eq("id", assets.banned)).data).toHaveLength(1);
  });

  test("an anonymous session writes nothing", async () => {
    const exp = Math.floor(Date.now() / 1000) + 600;
    const lite = http.client(
      forgeToken({ sub: ids.mallory, role: "authenticated", aud: "authenticated", exp, is_anonymous: true }),
    );
    denied(await lite.from("hub_stars").insert({ asset_id: assets.visible }));
    denied(await lite.from("hub_reports").insert({ asset_id: assets.visible, reason: "spam" }));
    denied(await lite.from("prompt_templates").insert({ name: "x" }));
    nothing(await lite.from("hub_assets").update({ title: "x" }).eq("id", assets.mine).select());
    nothing(
      await lite.from("hub_profiles").update({ display_name: "x" }).eq("user_id", ids.mallory).select(),
    );
    denied(await lite.rpc("hub_delete_asset", { asset_id: assets.mine }));
    expect((await lite.from("hub_assets").select("id").eq("id", assets.visible)).data).toHaveLength(1);
  });

  test("names and pictures of a profile that imitate or attack", async () => {
    const [taken] = await db.sql`select username from hub_profiles where user_id = ${ids.owner}`;
    const change = (values: object) => mallory.from("hub_profiles").update(values).eq("user_id", ids.mallory);
    refused(await change({ username: taken?.username.toUpperCase() }), 409, "username_taken");
    refused(await change({ username: taken?.username.replaceAll("-", "_") }), 409, "username_taken");
    refused(await change({ username: "adm1n" }), 409, "username_taken");
    for (const values of [
      { username: "аdmin-friend" },
      { username: "x".repeat(100_000) },
      { avatar_url: "javascript:alert(1)" },
      { avatar_url: "https://a.test/\u202egnp.exe" },
      { display_name: "Jane\u200b" },
    ]) {
      refused(await change(values), 422, "validation_failed");
    }
    denied(await mallory.from("hub_profiles").update({ user_id: randomUUID() }).eq("user_id", ids.mallory));
    denied(
      await mallory
        .from("hub_profiles")
        .update({ created_at: "2000-01-01T00:00:00Z" })
        .eq("user_id", ids.mallory),
    );
    nothing(
      await mallory.from("hub_profiles").update({ display_name: "x" }).neq("user_id", ids.mallory).select(),
    );
  });

  test("a listing edited into something else: secrets, huge arrays, invisible text, other schemes", async () => {
    const change = (values: object) => mallory.from("hub_assets").update(values).eq("id", assets.mine);
    for (const [path, value] of [
      ["title", "Use sk-proj-abcdefghijklmnopqrstuvwxyz123456"],
      ["description", "curl -H 'Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789'"],
      ["description", "https://user:hunter2@example.test/hook"],
      ["tags", ["ghp_abcdefghijklmnopqrstuvwxyz0123456789"]],
      ["thumbnail_url", "https://example.test/a.png?token=abcdefgh12345678"],
    ] as const) {
      const answer = await change({ [path]: value });
      expect([answer.status, answer.error?.message, path]).toEqual([422, answer.error?.message, path]);
      expect(["secret_detected", "validation_failed"]).toContain(answer.error?.message);
      expect(JSON.stringify(answer.error)).not.toContain("abcdefgh");
    }
    for (const values of [
      { title: "" },
      { title: "x".repeat(121) },
      { title: "Vis\u200bible" },
      { description: null },
      { description: "x".repeat(2001) },
      { tags: Array.from({ length: 10_000 }, (_, i) => `tag${i}`) },
      { tags: ["x".repeat(65)] },
      { tags: ["two words"] },
      { tags: [null] },
      { thumbnail_url: "javascript:alert(1)" },
      { thumbnail_url: `https://example.test/${"x".repeat(2048)}` },
    ]) {
      refused(await change(values), 422, "validation_failed");
    }
    expect((await change({ tags: ["#Über", "über", " QA ", "c++", "日本語"] })).error).toBeNull();
    const [row] = await db.sql`select tags from hub_assets where id = ${assets.mine}`;
    expect(row?.tags).toEqual(["über", "qa", "c++", "日本語"]);
  });

  test("workspace rows: not under another name, id or mirror; wrong shapes are told", async () => {
    denied(await mallory.from("prompt_templates").insert({ name: "x", user_id: ids.owner }));
    for (const extra of [
      { id: randomUUID() },
      { hub_asset_id: assets.visible },
      { created_at: "2000-01-01T00:00:00Z" },
    ]) {
      denied(await mallory.from("prompt_templates").insert({ name: "x", ...extra }));
    }
    denied(await mallory.from("custom_components").insert({ name: "x", is_public: true }));
    for (const [table, row] of [
      ["prompt_templates", { name: "" }],
      ["prompt_templates", { content: "no name" }],
      ["prompt_templates", { name: "x", content: "x".repeat(262_145) }],
      ["prompt_templates", { name: "x", variables: "text" }],
      ["orchestrator_configs", { name: "x", nodes: { a: 1 } }],
      ["orchestrator_configs", { name: "x", tags: Array(60).fill("x") }],
      ["custom_components", { name: "x", props_schema: [] }],
      ["ai_model_settings", { name: "x", api_key: "k".repeat(20_000) }],
    ] as const) {
      refused(await mallory.from(table).insert(row), 422, "validation_failed");
    }
  });
});
