import { randomUUID } from "node:crypto";
import type { SupabaseClient } from "@supabase/supabase-js";
import { describe, expect, test } from "vitest";
import {
  assets,
  bannedToken,
  denied,
  guest,
  http,
  ids,
  invisible,
  mallory,
  owner,
  refused,
  useHubFixture,
} from "./fixture.ts";

useHubFixture();

describe("calling what is not one's own to call", () => {
  const rpcs = () =>
    ({
      hub_review_queue: {},
      hub_hide_asset: { asset_id: assets.visible, note: "x" },
      hub_restore_asset: { asset_id: assets.hidden, note: "x" },
      hub_remove_asset: { asset_id: assets.hidden, note: "x" },
      hub_resolve_report: { report_id: randomUUID(), outcome: "upheld", note: "x" },
      hub_ban_creator: { user_id: ids.owner, reason: "x" },
      hub_unban_creator: { user_id: ids.banned },
      hub_open_appeals: {},
      hub_resolve_appeal: { id: randomUUID(), accept: true },
      hub_check_counters: {},
    }) as Record<string, Record<string, unknown>>;

  test("every RPC of admins and operators", async () => {
    for (const client of [guest, mallory, owner, http.client(bannedToken)]) {
      for (const [name, args] of Object.entries(rpcs())) denied(await client.rpc(name, args));
    }
  });

  test("functions of private and trigger functions are not there", async () => {
    for (const name of [
      "publish_snapshot",
      "is_admin",
      "ban_creator",
      "count_stars",
      "private.is_admin",
      "begin_write",
    ]) {
      for (const client of [mallory, mallory.schema("private" as never) as unknown as SupabaseClient]) {
        const { error, status } = await client.rpc(name, {});
        expect(error).not.toBeNull();
        expect([400, 404, 406]).toContain(status);
      }
    }
    const table = await (mallory.schema("private" as never) as unknown as SupabaseClient)
      .from("hub_moderation")
      .select();
    expect([404, 406]).toContain(table.status);
  });

  test("creator RPCs on others' assets: not_owner of what is seen, not_found of what is not", async () => {
    for (const name of ["hub_unpublish_asset", "hub_republish_asset", "hub_delete_asset"]) {
      refused(await mallory.rpc(name, { asset_id: assets.visible }), 403, "not_owner");
      for (const asset_id of [...invisible(), randomUUID()]) {
        const answer = await mallory.rpc(name, { asset_id });
        refused(answer, 404, "asset_not_found");
        expect(answer.error?.details ?? null).toBeNull();
      }
      denied(await guest.rpc(name, { asset_id: assets.visible }), [401]);
    }
  });
});
