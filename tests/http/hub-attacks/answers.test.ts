import { describe, expect, test } from "vitest";
import { forgeToken, publishableKey } from "../../support/service.ts";
import { assets, db, http, ids, useHubFixture } from "./fixture.ts";

useHubFixture();

describe("answers", () => {
  test("nothing is a 500, and no constraint is named, whatever is sent", async () => {
    const odd = [
      null,
      "",
      "x",
      1,
      true,
      [],
      {},
      ["x"],
      "00000000-0000-0000-0000-000000000000",
      "\u0000",
      "𝕏".repeat(5000),
    ];
    const bodies: string[] = [];
    for (const value of odd) {
      for (const [method, path, body] of [
        ["POST", "hub_stars", { asset_id: value }],
        ["POST", "hub_reports", { asset_id: value, reason: value, details: value }],
        ["PATCH", `hub_assets?id=eq.${assets.mine}`, { title: value, tags: [value], description: value }],
        ["PATCH", `hub_profiles?user_id=eq.${ids.mallory}`, { username: value, avatar_url: value }],
        ["POST", "rpc/hub_delete_asset", { asset_id: value }],
        ["POST", "prompt_templates", { name: value, variables: value }],
        ["POST", "ai_model_settings", { name: "x", temperature: value, pricing: value }],
      ] as const) {
        const response = await http.fetch(`/rest/v1/${path}`, {
          method,
          headers: {
            apikey: publishableKey,
            Authorization: `Bearer ${forgeToken({ sub: ids.mallory, role: "authenticated", aud: "authenticated", exp: Math.floor(Date.now() / 1000) + 600 })}`,
            "Content-Type": "application/json",
          },
          body: JSON.stringify(body),
        });
        const text = await response.text();
        if (response.status >= 400)
          bodies.push(`${response.status} ${method} ${path} ${JSON.stringify(value)?.slice(0, 20)} ${text}`);
      }
    }
    await db.sql`delete from prompt_templates where user_id = ${ids.mallory} and hub_asset_id is null`;
    await db.sql`delete from ai_model_settings where user_id = ${ids.mallory}`;
    expect(bodies.filter((body) => body.startsWith("5"))).toEqual([]);
    expect(bodies.filter((body) => /_(check|key|fkey|pkey)\b/.test(body))).toEqual([]);
  });
});
