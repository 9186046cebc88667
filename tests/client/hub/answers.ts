import { readFileSync } from "node:fs";
import type postgres from "postgres";
import { describe, expect, test } from "vitest";
import { type Hub, pictureUrl } from "../../../packages/hub/src/index.ts";
import { clientsFor, fits, type HubBench } from "./fixture.ts";

const listing = { title: "Clear minutes", description: "Short and clear.", license: "cc-by" as const };

async function publishTemplate(hub: Hub, content: string, title = listing.title) {
  const { id } = await hub.workspace("template").create({ name: title, content });
  const { asset } = await hub.publish({ ...listing, asset_type: "template", ref_id: id, title });
  return { ref: id, asset };
}

/** Adds copies that their owner has never published, without the triggers. */
const addCopies = (sql: postgres.Sql, owner: string, count: number) =>
  sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into hub_assets (asset_type, ref_id, creator_id, slug, title, is_public, license, current_version)
      select 'template', gen_random_uuid(), ${owner}, 'copy-' || gen_random_uuid(), 'A copy', false, 'cc0', 0
      from generate_series(1, ${count}::int)`;
  });

/** Checks that every call returns what its types declare. */
export function answersSuite(bench: HubBench): void {
  describe.each(clientsFor("supabase-js", "fetch"))("over %s", (kind) => {
    test("workspace, publish, search and read: guest, owner of two versions, importer, admin", async () => {
      const owner = await bench.join(kind);
      const importer = await bench.join(kind);
      const admin = await bench.admin(kind);
      const guest = bench.hub(kind);
      const templates = owner.hub.workspace("template");
      const title = `Minutes over ${kind}`;

      const made = await templates.create({ name: title, content: "One" });
      expect(await templates.get(made.id)).toEqual(made);
      const request = {
        ...listing,
        asset_type: "template" as const,
        ref_id: made.id,
        title,
        tags: ["minutes", "gpt-4o"],
      };
      expect(fits("Preview", await owner.hub.preview(request)).payload).toMatchObject({ content: "One" });
      const idempotencyKey = `once-${kind}`;
      const first = fits("Published", await owner.hub.publish(request, { idempotencyKey }));
      expect(await owner.hub.publish(request, { idempotencyKey })).toEqual(first);
      const { id, slug } = first.asset;
      const cloud = fits("CloudImport", await importer.hub.importAsset(slug));
      expect(await templates.update(made.id, { content: "Two" })).toMatchObject({ content: "Two" });
      // An update must not overwrite a change that the caller has not seen.
      const { updated_at: since } = made;
      expect(await templates.update(made.id, { content: "Three" }, { since })).toBeNull();
      expect(fits("Published", await owner.hub.publish(request)).version).toBe(2);

      for (const [who, versions] of [
        [guest, 2],
        [owner.hub, 2],
        [importer.hub, 2],
        [admin.hub, 2],
      ] as const) {
        const asset = fits("Asset", await who.asset(slug));
        expect([asset.version, asset.payload?.content, asset.versions.length]).toEqual([2, "Two", versions]);
        const [row, ...others] = await who.listings({ ids: [id] });
        expect(fits("ListingRow", row)).toMatchObject({ slug, version: 2 });
        expect(others).toEqual([]);
        const page = await who.search({ q: title, types: ["template"], tags: ["gpt-4o"], facets: true });
        expect(fits("FacetedPage", page).facets.models).toMatchObject([{ value: "gpt-4o" }]);
        expect(fits("SearchPage", await who.search({ q: title, page_size: 1 })).items[0]).toMatchObject({
          id,
        });
      }
      expect(fits("Asset", await owner.hub.asset(id, { version: 1 })).payload).toMatchObject({
        content: "One",
      });
      expect(fits("Asset", await guest.asset(id, { version: 1 })).payload).toMatchObject({ content: "One" });

      const [update] = fits("Updates", await importer.hub.updates());
      expect(update).toMatchObject({
        kind: "newer_version",
        ref_id: cloud.created[0]?.id,
        source: { slug, current_version: 2 },
      });
      const copy = fits("Asset", await importer.hub.asset(cloud.created[0]?.hub_asset_id ?? ""));
      expect([copy.version, copy.attribution?.root?.slug]).toEqual([null, slug]);
      expect(await importer.hub.ownCopies(importer.id, id)).toEqual([
        { asset_type: "template", ref_id: cloud.created[0]?.id },
      ]);
      expect(await owner.hub.ownCopies(owner.id, id)).toEqual([]);
      // PostgREST returns at most 1,000 rows, and copies that were never published come first in the table's order.
      await addCopies(bench.db.sql, owner.id, 1_000);
      expect(await owner.hub.ownListings(owner.id)).toMatchObject([{ id, slug, current_version: 2 }]);

      // In a GET, PostgREST could read these search words as a filter.
      for (const q of ["eq.minutes", "not.minutes", "fts(simple).minutes", 'a,b"{}'])
        fits("SearchPage", await guest.search({ q }));

      const picture = readFileSync(new URL("../../fixtures/pictures/photo.webp", import.meta.url));
      const { picture: sha256 } = fits("SetPicture", await owner.hub.setPicture(slug, new Blob([picture])));
      expect(fits("Asset", await guest.asset(slug)).picture).toBe(sha256);
      const shown = fits("OwnPicture", await guest.picture(id, sha256 ?? ""));
      expect(shown.media_type).toBe("image/webp");
      const address = pictureUrl(`${bench.service.url}/`, { id, picture: sha256 });
      expect(Buffer.from(await (await fetch(address ?? "")).arrayBuffer()).toString("base64")).toBe(
        shown.bytes,
      );
      expect(await owner.hub.setPicture(id, Uint8Array.from(picture).buffer)).toEqual({
        id,
        picture: sha256,
      });
      await expect(importer.hub.setPicture(slug, null)).rejects.toMatchObject({ code: "not_owner" });
      expect((await owner.hub.setPicture(slug, null)).picture).toBeNull();
      expect([await guest.picture(id, sha256 ?? ""), pictureUrl("", { id, picture: null })]).toEqual([
        null,
        null,
      ]);

      await importer.hub.star(id);
      await importer.hub.star(id);
      expect(await importer.hub.starred([id])).toEqual([id]);
      expect((await guest.listings({ slugs: [slug] }))[0]?.star_count).toBe(1);
      const trending = fits("CardList", await guest.trending({ page_size: 100 }));
      expect(trending.items.map((card) => card.id)).toContain(id);
      await importer.hub.unstar(id);
      expect(await importer.hub.starred()).toEqual([]);
      await owner.hub.unpublish(id);
      expect(await guest.listings({ ids: [id] })).toEqual([]);

      expect((await templates.list()).map((item) => item.id)).toEqual([made.id]);
      const spare = await owner.hub.workspace("ai_preset").create({ name: "Spare", temperature: 0.5 });
      expect(await owner.hub.workspace("ai_preset").delete(spare.id)).toBe(true);
      expect(await owner.hub.workspace("ai_preset").delete(spare.id)).toBe(false);
      expect(await owner.hub.workspace("ai_preset").get(spare.id)).toBeNull();
    });
  });

  describe.each(clientsFor("postgrest-js"))("versions and copies over %s", (kind) => {
    test("notes, history, pin, dismissal, update in place, its way back, and a yank", async () => {
      const owner = await bench.join(kind);
      const importer = await bench.join(kind);
      const guest = bench.hub(kind);
      const { ref, asset } = await publishTemplate(owner.hub, "One", `Copied over ${kind}`);
      const { created } = fits("CloudImport", await importer.hub.importAsset(asset.slug, { version: 1 }));
      const [copy = { id: "", hub_asset_id: "" }] = created;
      const into = copy.hub_asset_id ?? "";
      const templates = importer.hub.workspace("template");
      const content = async () => (await templates.get(copy.id ?? ""))?.content;

      await owner.hub.workspace("template").update(ref, { content: "Two" });
      const request = { ...listing, asset_type: "template" as const, ref_id: ref, title: asset.title };
      const notes = { label: "1.1", changelog: "Shorter." };
      expect(fits("Preview", await owner.hub.preview({ ...request, ...notes }))).toMatchObject(notes);
      expect(fits("Published", await owner.hub.publish({ ...request, ...notes }))).toMatchObject(notes);
      await owner.hub.editVersion(asset.id, 1, { label: "1.0" });
      expect(fits("Versions", await guest.versions(asset.slug))).toMatchObject([
        { version: 2, ...notes, readable: true },
        { version: 1, label: "1.0", changelog: null, readable: true },
      ]);
      await expect(owner.hub.editVersion(asset.id, 2, { label: "1.0" })).rejects.toMatchObject({
        code: "label_taken",
      });

      expect(await importer.hub.updates()).toEqual([]);
      await importer.hub.pin(into, null);
      expect(fits("Updates", await importer.hub.updates())).toMatchObject([
        { kind: "newer_version", id: into, source: { current_version: 2, ...notes } },
      ]);
      await importer.hub.pin(into, 1);
      await importer.hub.pin(into, null);
      await importer.hub.dismissUpdate(into, 2);
      expect(await importer.hub.updates()).toEqual([]);

      await templates.update(copy.id ?? "", { content: "Mine" });
      await expect(importer.hub.updateCopy(asset.slug, into)).rejects.toMatchObject({
        problem: { code: "modified_copy", status: 409, more: { items: [{ hub_asset_id: into }] } },
      });
      const options = { overwrite: true, idempotencyKey: `update-${kind}` };
      const updated = fits("CloudImport", await importer.hub.updateCopy(asset.slug, into, options));
      expect([updated.created, await content()]).toEqual([created, "Two"]);
      expect(await importer.hub.updateCopy(asset.slug, into, options)).toEqual(updated);
      expect(fits("RestoredCopy", await importer.hub.restoreCopy(into))).toMatchObject({ version: 1 });
      expect(await content()).toBe("Mine");
      await expect(importer.hub.restoreCopy(into)).rejects.toMatchObject({ code: "nothing_overwritten" });

      await owner.hub.yankVersion(asset.id, 1, "Broken.");
      expect(fits("Updates", await importer.hub.updates())).toMatchObject([
        { kind: "yanked", id: into, source: { version: 1, reason: "Broken." } },
      ]);
      await expect(importer.hub.pin(into, 1)).rejects.toMatchObject({ code: "version_yanked" });
      await expect(guest.importAsset(asset.slug, { version: 1 })).rejects.toMatchObject({
        code: "asset_not_found",
      });
      await expect(owner.hub.yankVersion(asset.id, 2)).rejects.toMatchObject({ code: "last_version" });
      await owner.hub.unyankVersion(asset.id, 1);
      expect(await importer.hub.updates()).toEqual([]);
      await expect(guest.importAsset(asset.slug, { version: 1 })).resolves.toMatchObject({ stored: "local" });
    });
  });

  test("a remix, a file, a kit, and a component that has to be confirmed", async () => {
    const kind = "supabase-js";
    const owner = await bench.join(kind);
    const other = await bench.join(kind);
    const guest = bench.hub(kind);
    const { asset } = await publishTemplate(owner.hub, "Use {{API_KEY}}");

    const local = fits("LocalImport", await guest.importAsset(asset.slug));
    expect(local.warnings.map(({ code }) => code)).toEqual(["credit_required", "keys_needed"]);
    const dry = await other.hub.importDocument(local.document, { dry_run: true });
    expect(fits("CloudImport", dry).created[0]?.id).toBeNull();
    const remix = fits("CloudImport", await other.hub.importAsset(asset.id, { mode: "remix" }));
    const [row] = remix.created;
    const remixed = await other.hub.publish({
      ...{ asset_type: "template", ref_id: row?.id ?? "", title: "Mine", description: "d", license: "cc-by" },
    });
    expect(fits("Published", remixed).asset.parent_asset_id).toBe(asset.id);
    expect(fits("RemixPage", await guest.remixes(asset.id)).items).toMatchObject([{ direct: true }]);
    expect(fits("Asset", await guest.asset(remixed.asset.slug)).attribution?.parent?.available).toBe(true);

    const component = await owner.hub
      .workspace("component")
      .create({ name: "C", source: "export const C = (t) => eval(t);" });
    const risky = { ...listing, asset_type: "component" as const, ref_id: component.id, title: "Risky" };
    await expect(owner.hub.publish(risky)).rejects.toMatchObject({
      problem: { code: "scan_confirmation_required", status: 409, more: { findings: [{ rule: "eval" }] } },
    });
    await expect(owner.hub.publish(risky, { confirm: () => false })).rejects.toThrow(
      "scan_confirmation_required",
    );
    const confirmed = fits(
      "Published",
      await owner.hub.publish(risky, { confirm: async ([found]) => found?.rule === "eval" }),
    );
    const warned = fits("LocalImport", await guest.importAsset(confirmed.asset.slug)).warnings;
    expect(warned.map(({ code }) => code)).toContain("scan_overridden");
    expect(fits("Asset", await guest.asset(confirmed.asset.slug)).scan?.overridden).toBe(true);

    const flow = await owner.hub.workspace("orchestration").create({ name: "Flow" });
    const items = [{ asset_type: "component" as const, ref_id: component.id }];
    const kit = { ...listing, asset_type: "orchestration" as const, ref_id: flow.id, title: "Kit", items };
    fits("Preview", await owner.hub.preview(kit));
    const { asset: bundle } = await owner.hub.publish(kit, { confirm: () => true });
    expect(fits("Asset", await guest.asset(bundle.slug)).items).toHaveLength(1);
  });

  test("stars, reports, moderation, and what is left of what is gone", async () => {
    const kind = "fetch";
    const owner = await bench.join(kind);
    const reader = await bench.join(kind);
    const { id: adminId, hub } = await bench.admin(kind);
    const { moderation } = hub;
    const guest = bench.hub(kind);
    const { asset } = await publishTemplate(owner.hub, "Text", "To moderate");

    await reader.hub.report(asset.id, "other", "Copied.");
    const mine = async () => (await moderation.reviewQueue()).filter(({ asset_id }) => asset_id === asset.id);
    const [waiting] = fits("ReviewQueue", await mine());
    await moderation.resolveReport(waiting?.reports[0]?.id ?? "", "dismissed", "Not so.");
    expect(await mine()).toEqual([]);

    await moderation.feature(asset.id);
    expect(fits("CardList", await guest.featured()).items.map(({ id }) => id)).toContain(asset.id);
    await moderation.unfeature(asset.id);
    expect((await guest.featured()).items.map(({ id }) => id)).not.toContain(asset.id);
    expect(fits("Categories", await guest.categories()).items.length).toBeGreaterThan(0);
    const username = fits("Asset", await guest.asset(asset.id)).creator?.username ?? "";
    expect(fits("CreatorPage", await guest.creator(username)).published_assets).toBe(1);

    await moderation.ban(owner.id, "Spam.");
    await expect(guest.creator(username)).rejects.toMatchObject({ code: "user_not_found" });
    await moderation.unban(owner.id);
    await moderation.hide(asset.id, "For a test.");
    expect([await moderation.isAdmin(), await reader.hub.moderation.isAdmin()]).toEqual([true, false]);
    const events = (await moderation.events()).filter(({ asset_id, user_id }) =>
      [asset_id, user_id].some((one) => one === asset.id || one === owner.id),
    );
    const names = await moderation.eventNames(events);
    expect(names.listings.get(asset.id)).toMatchObject({ title: "To moderate", is_visible: false });
    expect(names.users.get(owner.id)).toBe(username);
    expect(names.users.has(adminId)).toBe(true);
    expect(await moderation.eventNames([])).toEqual({ listings: new Map(), users: new Map() });
    expect(fits("ReviewQueue", await mine())).toMatchObject([{ is_hidden: true }]);
    await expect(guest.asset(asset.id)).rejects.toMatchObject({ code: "asset_not_found" });
    await moderation.restore(asset.id);
    expect(await owner.hub.editListing(asset.id, { tags: ["moderated"] })).toBe(true);
    expect(await reader.hub.editListing(asset.id, { title: "Mine" })).toBe(false);
    await owner.hub.unpublish(asset.id);
    await owner.hub.republish(asset.id);

    const { asset: second } = await publishTemplate(owner.hub, "Text", "To delete");
    await owner.hub.deleteListing(second.id);
    expect(fits("Tombstone", await guest.asset(second.slug)).title).toBe("To delete");
    expect((await owner.hub.ownListings(owner.id)).map(({ id }) => id)).toEqual([asset.id]);
    await expect(guest.importAsset(second.slug)).rejects.toMatchObject({
      problem: { code: "gone", more: { asset: { slug: second.slug } } },
    });
    await moderation.hide(asset.id, "For a test.");
    await moderation.remove(asset.id, "For good.");
    expect(fits("BareTombstone", await guest.asset(asset.slug))).toEqual({ deleted: true });
    await expect(moderation.ban(adminId)).rejects.toMatchObject({ code: "cannot_ban_self" });
    await expect(reader.hub.moderation.reviewQueue()).rejects.toMatchObject({ code: "permission_denied" });
  });
}
