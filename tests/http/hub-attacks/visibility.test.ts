import type { SupabaseClient } from "@supabase/supabase-js";
import { describe, expect, test } from "vitest";
import { closeHistory, publish } from "../../support/hub.ts";
import {
  assets,
  type CallResult,
  db,
  denied,
  guest,
  ids,
  invisible,
  keepChange,
  mallory,
  nothing,
  owner,
  useHubFixture,
  words,
} from "./fixture.ts";

useHubFixture();

describe("seeing what is not there for one", () => {
  const accessPaths: Record<
    string,
    (client: SupabaseClient) => PromiseLike<CallResult & { count?: number | null }>
  > = {
    "by id": (client) => client.from("hub_assets").select().in("id", invisible()),
    "by slug": (client) => client.from("hub_assets").select("slug").ilike("slug", `%${words}%`),
    "by or": (client) =>
      client.from("hub_assets").select("id").or(`is_hidden.eq.true,hidden_by_ban.eq.true,is_public.eq.false`),
    "by is_visible": (client) => client.from("hub_assets").select("id").eq("is_visible", false),
    "by order": (client) =>
      client
        .from("hub_assets")
        .select("id")
        .order("hidden_at", { nullsFirst: false })
        .not("hidden_at", "is", null),
    "by tag": (client) =>
      client
        .from("hub_assets")
        .select("id")
        .overlaps(
          "tags",
          ["hidden", "unpublished", "deleted", "banned"].map((n) => `${words}${n}`.toLowerCase()),
        ),
    versions: (client) => client.from("hub_asset_versions").select().in("asset_id", invisible()),
    "bundle items": (client) => client.from("hub_bundle_items").select().in("asset_id", invisible()),
    "bundle items by title": (client) =>
      client.from("hub_bundle_items").select().ilike("title", `%${words}%`),
    featured: (client) => client.from("hub_featured").select().in("asset_id", invisible()),
    "embedded from versions": (client) =>
      client.from("hub_asset_versions").select("version, hub_assets!inner(id)").in("asset_id", invisible()),
    "embedded from featured": (client) =>
      client.from("hub_featured").select("hub_assets!inner(title)").in("asset_id", invisible()),
    "embedded parent": (client) =>
      client
        .from("hub_assets")
        .select("id, parent:hub_assets!parent_asset_id!inner(id, title)")
        .in("parent_asset_id", invisible()),
    "embedded from profiles": (client) =>
      client
        .from("hub_profiles")
        .select("hub_assets!hub_assets_creator_profile_fkey!inner(title)")
        .ilike("hub_assets.title", `%${words}%`),
  };

  test.each(Object.entries(accessPaths))("%s: no row, as a guest and as a stranger", async (_, open) => {
    for (const client of [guest, mallory]) {
      const answer = await open(client);
      expect(answer.error).toBeNull();
      expect(JSON.stringify(answer.data)).not.toContain(words);
      for (const id of invisible()) expect(JSON.stringify(answer.data)).not.toContain(id);
      expect(answer.data).toEqual([]);
    }
  });

  test("counting, also planned and estimated, and HEAD", async () => {
    for (const client of [guest, mallory]) {
      const { count } = await client
        .from("hub_assets")
        .select("*", { count: "exact", head: true })
        .in("id", invisible());
      expect(count).toBe(0);
    }
  });

  test("receipts, events, purchases, imports, stars and reports of others", async () => {
    for (const table of [
      "hub_receipts",
      "hub_stars",
      "hub_imports",
      "hub_purchases",
      "hub_events",
      "hub_admins",
    ]) {
      nothing(
        await mallory
          .from(table)
          .select()
          .neq(
            table === "hub_receipts" || table === "hub_events" ? "asset_id" : "user_id",
            table === "hub_receipts" ? assets.mine : ids.mallory,
          ),
      );
      denied(await guest.from(table).select());
    }
    nothing(await mallory.from("hub_reports").select("id").neq("reporter_id", ids.mallory));
  });

  test("what is not granted of a report: who resolved it, the note, whether it counts", async () => {
    for (const column of ["resolved_by", "note", "counts", "*"])
      denied(await mallory.from("hub_reports").select(column));
    denied(await mallory.from("hub_reports").select("id").eq("counts", true));
    denied(await mallory.from("hub_reports").select("id").order("note"));
  });

  test("workspace rows of others, and the key service through an embed", async () => {
    for (const table of [
      "prompt_templates",
      "custom_components",
      "orchestrator_configs",
      "ai_model_settings",
    ]) {
      nothing(await mallory.from(table).select().neq("user_id", ids.mallory));
      nothing(await mallory.from(table).update({ name: "x" }).neq("user_id", ids.mallory).select());
      nothing(await mallory.from(table).delete().neq("user_id", ids.mallory).select());
      denied(await guest.from(table).select());
    }
    expect(
      (
        await mallory
          .from("hub_assets")
          .select("id, prompt_templates(name, content)")
          .eq("id", assets.visible)
      ).data,
    ).toEqual([{ id: assets.visible, prompt_templates: [] }]);
  });

  test("the profile of a banned creator", async () => {
    for (const client of [guest, mallory])
      nothing(await client.from("hub_profiles").select().eq("user_id", ids.banned));
  });

  test("an older version of what one never imported, when it is from before histories were open", async () => {
    const refId = (await db.sql`select ref_id from hub_assets where id = ${assets.mine}`)[0]?.ref_id;
    await publish(db.sql, ids.mallory, {
      refId,
      title: "Mine",
      description: "Mine",
      payload: { content: "v2" },
    });
    await closeHistory(db.sql, assets.mine);
    await keepChange();
    for (const client of [guest, owner]) {
      const { data } = await client.from("hub_asset_versions").select("version").eq("asset_id", assets.mine);
      expect(data).toEqual([{ version: 2 }]);
    }
    expect(
      (await mallory.from("hub_asset_versions").select("version").eq("asset_id", assets.mine)).data,
    ).toHaveLength(2);
  });
});
