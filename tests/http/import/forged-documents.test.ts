import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { contentHash, exportItem } from "../../../packages/core/src/hub/index.ts";
import { assetRow } from "../../support/hub.ts";
import { inProcess } from "../../support/service.ts";
import { importFixture, kitDocument } from "./fixture.ts";

const fixture = importFixture(inProcess);

// biome-ignore lint/suspicious/noExplicitAny: a forged document may have any shape.
type Document = any;

describe("a forged document is claimed, never linked, never counted", () => {
  let kit: Awaited<ReturnType<typeof kitDocument>>;
  beforeAll(async () => {
    kit = await kitDocument(fixture);
  });

  test.each([
    [
      "another content under the right hash",
      (d: Document) => ({ ...d, payload: { ...d.payload, edges: [{ id: "x" }] } }),
    ],
    [
      "another content under its own hash",
      async (d: Document) => {
        const payload = { ...d.payload, edges: [{ id: "x" }] };
        return { ...d, payload, sha256: await contentHash(payload) };
      },
    ],
    [
      "another version",
      (d: Document) => ({ ...d, attribution: { parent: { ...d.attribution.parent, version: 2 } } }),
    ],
    [
      "another item",
      (d: Document) => ({
        ...d,
        items: [{ ...d.items[0], payload: { source: "stolen()" } }, ...d.items.slice(1)],
      }),
    ],
    ["an item less", (d: Document) => ({ ...d, items: d.items.slice(1) })],
    [
      "other ids of items",
      (d: Document) => ({ ...d, items: [{ ...d.items[0], ref_id: randomUUID() }, ...d.items.slice(1)] }),
    ],
    [
      "the origin of somebody else's listing",
      async (d: Document) => {
        const { id, slug } = await fixture.list();
        return { ...d, attribution: { parent: { ...d.attribution.parent, id, slug } } };
      },
    ],
    [
      "an id that is none",
      (d: Document) => ({ ...d, attribution: { parent: { ...d.attribution.parent, id: randomUUID() } } }),
    ],
    [
      "a listing that is hidden by now",
      async () => {
        const { asset, document } = await kitDocument(fixture);
        await fixture.db.sql`update hub_assets set is_hidden = true where id = ${asset.id}`;
        return document;
      },
    ],
    [
      "a listing that is deleted by now",
      async () => {
        const { asset, document } = await kitDocument(fixture);
        await fixture.db.sql`update hub_assets set deleted_at = now() where id = ${asset.id}`;
        return document;
      },
    ],
    ["a root alone", (d: Document) => ({ ...d, attribution: { root: d.attribution.parent } })],
    [
      "a claim",
      (d: Document) => ({
        ...d,
        attribution: { claimed: { title: "A kit", creator: "ada", license: "cc-by" } },
      }),
    ],
  ])("%s", async (_, forge) => {
    const { asset, document } = kit;
    const me = await fixture.join();
    const forged = await forge(structuredClone(document));
    const { status, body } = await fixture.import(me, "", { document: forged, mode: "remix" });
    expect(status).toBe(201);
    expect(body.warnings).toContainEqual({
      code: "lineage_claimed",
      message: expect.stringMatching(/could not be verified/),
    });
    for (const made of body.created) {
      expect(await assetRow(fixture.db.sql, made.hub_asset_id)).toMatchObject({
        source_asset_id: null,
        parent_asset_id: null,
        remix_depth: 0,
      });
    }
    const row = await assetRow(fixture.db.sql, body.created[0].hub_asset_id);
    expect(row.attribution).toEqual({
      claimed: expect.objectContaining({ title: "A kit", license: "cc-by" }),
    });
    expect(JSON.stringify(row.attribution)).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
    expect(await fixture.db.sql`select from hub_imports where user_id = ${me.id}`).toHaveLength(0);
    const origins = [asset.id, forged.attribution.parent?.id ?? asset.id];
    const counts = await fixture.db
      .sql`select install_count from hub_assets where id = any(${origins}::uuid[])`;
    expect(new Set(counts.map(({ install_count: count }) => count))).toEqual(new Set([0]));
  });

  test("published, it is not a remix, but the license that the file claims still binds", async () => {
    const me = await fixture.join();
    const { body } = await fixture.import(me, "", {
      document: { ...kit.document, items: [] },
      mode: "remix",
    });
    const publish = {
      asset_type: "orchestration",
      ref_id: body.created[0].id,
      title: "Published",
      items: [],
    };
    const refused = await me.publish({ ...publish, mode: "pipeline", license: "cc0" });
    expect(refused.body.code).toBe("license_incompatible");
    const done = await me.publish({ ...publish, mode: "pipeline", license: "cc-by" });
    expect(done.body.asset).toMatchObject({ source_asset_id: null, parent_asset_id: null, remix_depth: 0 });
    const { data } = await fixture.guest.rpc("hub_asset", { id_or_slug: done.body.asset.id });
    expect(data.attribution.text).toMatch(/^Said to come from “A kit”/);
    const { data: remixes } = await fixture.guest.rpc("hub_remixes", { asset_id: kit.asset.id });
    expect(remixes.items).toEqual([]);
  });

  test("an edited remix: its author and its original are both still named", async () => {
    const original = await fixture.list({ body: { title: "The original", license: "cc0" } });
    const remixer = await fixture.join();
    const copy = (await fixture.import(remixer, `/${original.slug}`, { mode: "remix" })).body.created[0];
    await remixer.publish({ ref_id: copy.id, title: "The remix", license: "cc-by" });
    const { document } = (await fixture.import(null, `/${copy.hub_asset_id}`)).body;
    const edited = { ...document, payload: { ...document.payload, content: "Edited" } };
    const me = await fixture.join();
    const { body } = await fixture.import(me, "", { document: edited });
    const { claimed } = body.attribution;
    expect(claimed).toMatchObject({ title: "The remix", license: "cc-by" });
    expect(claimed.root).toMatchObject({ title: "The original", license: "cc0" });
    const row = await assetRow(fixture.db.sql, body.created[0].hub_asset_id);
    expect(row.attribution).toEqual({ claimed });
    // After one more export and import, the claim is the same.
    const { data: source } = await me.client
      .from("prompt_templates")
      .select("*")
      .eq("id", body.created[0].id)
      .single();
    const again = await exportItem({
      asset_type: "template",
      row: source,
      attribution: row.attribution as never,
    });
    if (!again.ok) throw new Error("no document");
    const next = await fixture.import(await fixture.join(), "", { document: again.value.document });
    expect(next.body.attribution).toEqual({ claimed });
    const { data } = await me.client.rpc("hub_asset", { id_or_slug: body.created[0].hub_asset_id });
    expect(data.attribution.text).toBe(`Said to come from “The original” by ${claimed.root.creator}`);
  });

  test("every author whom a file names stays named; a file that names more than 50 is refused", async () => {
    const { id } = await fixture.list({ body: { license: "cc0" } });
    const { document } = (await fixture.import(null, `/${id}`)).body;
    const name = (i: number) => ({ title: `Work ${i}`, creator: `author-${i}`, license: "cc0" });
    const naming = (count: number) => ({
      ...document,
      payload: { ...document.payload, content: "Edited" },
      attribution: { claimed: { ...name(0), via: Array.from({ length: count }, (_, i) => name(i + 1)) } },
    });
    const { body } = await fixture.import(await fixture.join(), "", { document: naming(50) });
    expect(body.attribution.claimed.via).toHaveLength(50);
    const more = { ...naming(50), attribution: { ...document.attribution, ...naming(50).attribution } };
    expect(await fixture.import(await fixture.join(), "", { document: more })).toMatchObject({
      status: 409,
      body: { code: "too_many_authors" },
    });
  });

  test("a remix of such a thing carries the claim along", async () => {
    const { document } = await kitDocument(fixture);
    const me = await fixture.join();
    const claimed = {
      ...document,
      attribution: { claimed: { title: "X", creator: "ada", license: "cc-by" } },
    };
    const { body } = await fixture.import(me, "", { document: claimed });
    const done = await me.publish({
      ...{ asset_type: "orchestration", ref_id: body.created[0].id, title: "Published", license: "cc-by" },
    });
    const next = await fixture.import(await fixture.join(), `/${done.body.asset.slug}`, { mode: "remix" });
    expect(await assetRow(fixture.db.sql, next.body.created[0].hub_asset_id)).toMatchObject({
      source_asset_id: done.body.asset.id,
      attribution: { root: { id: done.body.asset.id }, claimed: { title: "X", creator: "ada" } },
    });
  });
});
