import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { permissions } from "../../support/permissions.ts";
import { forgeToken } from "../../support/service.ts";
import {
  admin,
  assets,
  db,
  denied,
  guest,
  http,
  ids,
  mallory,
  nothing,
  owner,
  useHubFixture,
} from "./fixture.ts";

useHubFixture();

describe("writing columns that are not one's own to write", () => {
  const columns = [
    ["is_public", true],
    ["is_hidden", false],
    ["hidden_by_ban", false],
    ["hidden_reason", null],
    ["hidden_at", null],
    ["deleted_at", null],
    ["star_count", 1_000_000],
    ["install_count", 1_000_000],
    ["published_at", "2030-01-01T00:00:00Z"],
    ["created_at", "2000-01-01T00:00:00Z"],
    ["updated_at", "2030-01-01T00:00:00Z"],
    ["content_updated_at", "2030-01-01T00:00:00Z"],
    ["current_version", 99],
    ["pinned_version", 1],
    ["creator_id", "mallory"],
    ["slug", "admin"],
    ["license", "cc0"],
    ["price_cents", 1],
    ["payment_product_id", "x"],
    ["source_asset_id", null],
    ["parent_asset_id", null],
    ["remix_depth", 0],
    ["attribution", {}],
    ["asset_type", "component"],
    ["ref_id", randomUUID()],
    ["id", randomUUID()],
    ["is_visible", true],
    ["organization_id", randomUUID()],
    ["shared_at", "2030-01-01T00:00:00Z"],
    ["is_shared", true],
    ["picture", "0".repeat(64)],
    ["currency", "EUR"],
    ["teaser", "Read this."],
  ] as const;

  test("every protected column of a listing is among them", async () => {
    const open = permissions.find(({ table, verb }) => table === "hub_assets" && verb === "update")?.columns;
    const all = await db.sql`
      select attname from pg_attribute where attrelid = 'hub_assets'::regclass and attnum > 0 and not attisdropped`;
    expect([...columns.map(([name]) => name), ...(open ?? [])].sort()).toEqual(
      all.map(({ attname }) => attname).sort(),
    );
  });

  test.each(columns)(
    "PATCH %s of the own listing, alone and beside an allowed column",
    async (column, value) => {
      const written = value === "mallory" ? ids.mallory : value;
      for (const [clients, body] of [
        [[mallory, guest], { [column]: written }],
        [LONG_TESTS ? [mallory, guest] : [mallory], { title: "Mine", [column]: written }],
      ] as const) {
        for (const client of clients) {
          const { status, error } = await client.from("hub_assets").update(body).eq("id", assets.mine);
          // Postgres refuses a write to a generated column even before it checks privileges.
          expect(error?.code).toBe(["is_visible", "is_shared"].includes(column) ? "428C9" : "42501");
          expect([400, client === guest ? 401 : 403]).toContain(status);
        }
      }
    },
  );

  test("POST, PUT and upsert of a listing", async () => {
    const row = {
      id: assets.visible,
      asset_type: "template",
      ref_id: randomUUID(),
      slug: "taken",
      title: "Taken",
    };
    denied(await mallory.from("hub_assets").insert(row));
    denied(await mallory.from("hub_assets").upsert(row));
    denied(await mallory.from("hub_assets").upsert(row, { onConflict: "slug" }));
    denied(await mallory.from("hub_assets").delete().eq("id", assets.mine));
  });

  test("allowed columns of somebody else's listing, by any filter: no rows", async () => {
    const change = { title: "Taken over" };
    nothing(await mallory.from("hub_assets").update(change).eq("id", assets.visible).select());
    nothing(await mallory.from("hub_assets").update(change).neq("creator_id", ids.mallory).select());
    nothing(
      await mallory
        .from("hub_assets")
        .update(change)
        .or(`id.eq.${assets.hidden},id.eq.${assets.visible}`)
        .select(),
    );
  });

  test("snapshots, items, receipts, imports, purchases, featured, events, admins: neither write nor delete", async () => {
    const tables = ["hub_asset_versions", "hub_bundle_items", "hub_receipts", "hub_imports", "hub_purchases"];
    for (const table of [...tables, "hub_featured", "hub_events", "hub_admins"]) {
      // tests/db/hub/permissions.test.ts tries each command as every actor.
      for (const client of LONG_TESTS ? [guest, mallory, owner, admin] : [guest, mallory]) {
        const column = table === "hub_admins" ? "user_id" : "asset_id";
        denied(await client.from(table).insert({ [column]: randomUUID() } as never));
        denied(
          await client
            .from(table)
            .update({ [column]: randomUUID() })
            .not(column, "is", null),
        );
        denied(await client.from(table).delete().not(column, "is", null));
      }
    }
  });

  test("making oneself an admin, by row, metadata or token", async () => {
    denied(await mallory.from("hub_admins").insert({ user_id: ids.mallory }));
    denied(await mallory.from("hub_admins").upsert({ user_id: ids.mallory }, { ignoreDuplicates: true }));
    await mallory.auth.updateUser({ data: { role: "admin", is_admin: true } });
    const exp = Math.floor(Date.now() / 1000) + 600;
    const claims = { sub: ids.mallory, role: "authenticated", aud: "authenticated", exp };
    const dressed = http.client(
      forgeToken({
        ...claims,
        app_metadata: { role: "admin" },
        user_metadata: { is_admin: true },
        user_role: "admin",
      }),
    );
    for (const client of [mallory, dressed]) denied(await client.rpc("hub_review_queue"));
    for (const forged of [
      forgeToken({ ...claims, role: "service_role" }, "another secret of thirty-two chars!"),
      forgeToken(claims, "", "none"),
    ]) {
      expect((await http.client(forged).from("hub_assets").select("id")).status).toBe(401);
    }
  });
});
