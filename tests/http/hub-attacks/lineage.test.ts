import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  assets,
  bannedToken,
  db,
  denied,
  guest,
  http,
  ids,
  invisible,
  mallory,
  owner,
  refused,
  useHubFixture,
  words,
} from "./fixture.ts";

useHubFixture();

const clients = () => [guest, mallory, http.client(bannedToken)];

describe("seeing what is not to be seen, by the functions about lineage", () => {
  test("hub_asset of what is private, hidden, unpublished or banned: as if there were none", async () => {
    for (const client of [guest, mallory]) {
      for (const id of invisible().filter((one) => one !== assets.deleted)) {
        const [row] = await db.sql`select slug from hub_assets where id = ${id}`;
        const names = [id, id?.toUpperCase(), row?.slug, row?.slug.toUpperCase()];
        for (const asked of [
          ...names.map((id_or_slug) => ({ id_or_slug })),
          ...[null, 1, 2].map((version) => ({ id_or_slug: id, version })),
        ]) {
          const answer = await client.rpc("hub_asset", asked);
          refused(answer, 404, "asset_not_found");
          expect(JSON.stringify(answer)).not.toContain(words);
        }
      }
    }
  });

  test("of what was deleted nothing but what an attribution says, and no id of a person", async () => {
    for (const client of clients()) {
      const { data } = await client.rpc("hub_asset", { id_or_slug: assets.deleted });
      expect(Object.keys(data).sort()).toEqual(
        [
          "asset_type",
          "attribution",
          "creator",
          "deleted",
          "id",
          "license",
          "remix_depth",
          "slug",
          "title",
        ].sort(),
      );
      expect(JSON.stringify(data)).not.toContain(ids.owner);
    }
  });

  test("remix lists and updates name nothing that is invisible", async () => {
    for (const client of clients()) {
      for (const asset_id of [...invisible(), assets.visible, assets.mine, randomUUID()]) {
        const { data } = await client.rpc("hub_remixes", { asset_id });
        expect(data).toEqual({ items: [], next_cursor: null });
      }
    }
    for (const client of [mallory, owner]) {
      const { data } = await client.rpc("hub_updates");
      expect(data).toEqual([]);
    }
    denied(await guest.rpc("hub_updates"));
  });
});

describe("importing past the function", () => {
  test("the RPC is the service's", async () => {
    const args = {
      ...{ user_id: ids.mallory, mode: "use", asset_id: assets.hidden, version: 1, sha256: "0".repeat(64) },
      rows: [],
    };
    for (const client of [...clients(), owner]) denied(await client.rpc("hub_import", args));
  });

  test("rows that look like an import cannot be written by hand", async () => {
    denied(
      await mallory
        .from("hub_imports")
        .insert({ asset_id: assets.visible, user_id: ids.mallory, version: 1, mode: "use" }),
    );
    denied(
      await mallory.from("hub_assets").insert({
        ...{
          asset_type: "template",
          ref_id: randomUUID(),
          creator_id: ids.mallory,
          slug: "mine-2",
          title: "Mine",
        },
        source_asset_id: assets.visible,
      }),
    );
    denied(await mallory.from("prompt_templates").insert({ name: "X", hub_asset_id: assets.visible }));
  });
});
