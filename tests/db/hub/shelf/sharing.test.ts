import { describe, expect, test } from "vitest";
import { anon, attempt, service } from "../../../support/actors.ts";
import {
  assetRow,
  importAsset,
  makeUser,
  planImport,
  publish,
  reportAsset,
  runImport,
  star,
  stateOf,
  wrongCounters,
} from "../../../support/hub.ts";
import { ask, makeTeam, refusal } from "../../../support/organizations.ts";
import { as, db, refused, share, shelf, team, useShelfFixture } from "./fixture.ts";

useShelfFixture();

describe("a shared listing", () => {
  test("is read by members of each role, and by nobody else", async () => {
    const { asset_id: id, slug } = await share(team.member, { title: "Quarterly plan", tags: ["budget"] });
    expect(await stateOf(db.sql, id)).toBe("shared");
    const other = await makeTeam(db);
    for (const member of [team.owner, team.admin, team.member]) {
      const seen = await ask<Record<string, unknown>>(as(member), "hub_asset", { id_or_slug: slug });
      expect(seen).toMatchObject({
        id,
        is_visible: false,
        organization: { id: team.id, slug: team.slug },
        version: 1,
      });
      expect(seen.payload).toBeTruthy();
      expect((await shelf(member)).items).toMatchObject([{ id }]);
    }
    for (const reader of [anon(db), as(other.owner), as(await makeUser(db.sql))]) {
      expect(await refusal(reader, "hub_asset", { id_or_slug: slug })).toBe("asset_not_found");
      expect(await refusal(reader, "hub_versions", { id_or_slug: id })).toBe("asset_not_found");
      for (const table of ["hub_assets", "hub_asset_versions", "hub_bundle_items", "hub_listings"]) {
        const column = table === "hub_assets" || table === "hub_listings" ? "id" : "asset_id";
        expect(
          await reader.run((tx) => tx`select from ${tx(table)} where ${tx(column)} = ${id}`),
        ).toHaveLength(0);
      }
    }
    expect(await refusal(as(other.owner), "hub_shelf", { organization: team.slug })).toBe(
      "organization_not_found",
    );
    expect(await refusal(anon(db), "hub_shelf", { organization: team.slug })).toBe("42501");
  });

  test("is in no public list, also for members", async () => {
    await share(team.member, { title: "Unfindable words here", tags: ["legal"] });
    await db.sql`select hub_refresh_discovery()`;
    for (const reader of [anon(db), as(team.owner), as(team.member)]) {
      const found = await ask<{ items: unknown[] }>(reader, "hub_search", { q: "Unfindable words" });
      expect(JSON.stringify(found.items)).not.toContain("Unfindable");
      for (const call of ["hub_trending", "hub_featured_assets"])
        expect(JSON.stringify(await ask(reader, call))).not.toContain("Unfindable");
      expect(
        await reader.run((tx) => tx`select from hub_listings where title like 'Unfindable%'`),
      ).toHaveLength(0);
    }
    // Spelling correction does not know the words of the listing either.
    expect(await db.sql`select from private.hub_words where word = 'unfindable'`).toHaveLength(0);
  });

  test("is starred, imported and reported by members, and by nobody else", async () => {
    const { asset_id: id } = await share(team.member);
    const stranger = await makeUser(db.sql);
    expect(await star(as(stranger), id)).toEqual({ refused: "42501" });
    expect(await reportAsset(as(stranger), id)).toEqual({ refused: "42501" });
    expect(await refused(importAsset(db.sql, stranger, id))).toBe("asset_not_found");
    await star(as(team.owner), id);
    await star(as(team.owner), id);
    await importAsset(db.sql, team.admin, id);
    await reportAsset(as(team.owner), id);
    expect(await assetRow(db.sql, id)).toMatchObject({ star_count: 1, install_count: 1, is_hidden: false });
    expect(await wrongCounters(db.sql)).toEqual([]);
  });

  test("leaves the plain slug free, and nobody learns of it by a slug of theirs", async () => {
    const { slug } = await share(team.member, { slug: "secret-plan" });
    expect(slug).toMatch(/^secret-plan-[0-9a-f]{8}$/);
    const stranger = await publish(db.sql, await makeUser(db.sql), { slug: "secret-plan" });
    expect(stranger.slug).toBe("secret-plan");
  });

  test("is in no sum of its creator that others read", async () => {
    const { asset_id: id } = await share(team.member);
    await star(as(team.owner), id);
    const [{ username } = {}] =
      await db.sql`select username from hub_profiles where user_id = ${team.member}`;
    expect(await ask(anon(db), "hub_creator", { username })).toMatchObject({
      published_assets: 0,
      total_stars: 0,
      items: [],
    });
  });

  test("is published to an organization of one's own only", async () => {
    const stranger = await makeUser(db.sql);
    expect(await refused(share(stranger))).toBe("organization_not_found");
    expect(await refused(publish(db.sql, stranger, { organization: "no-such-team" }))).toBe(
      "organization_not_found",
    );
  });

  test("the same content twice is one version, and comes back after it was taken off", async () => {
    const { asset_id: id, refId } = await share(team.member);
    expect(await share(team.member, { refId })).toMatchObject({ asset_id: id, version: 1, created: false });
    await ask(as(team.member), "hub_unpublish_asset", { asset_id: id });
    expect((await shelf(team.owner)).items).toEqual([]);
    expect(await refusal(as(team.owner), "hub_asset", { id_or_slug: id })).toBe("asset_not_found");
    await ask(as(team.member), "hub_republish_asset", { asset_id: id });
    expect((await shelf(team.owner)).items).toMatchObject([{ id }]);
    expect((await assetRow(db.sql, id)).is_public).toBe(false);
  });
});

describe("from a shelf to everybody, and back", () => {
  test("a new publication makes a version of its own; the shared one stays the members'", async () => {
    const { asset_id: id, refId, slug } = await share(team.member, { title: "Code name", slug: "code-name" });
    const made = await publish(db.sql, team.member, { refId, title: "Draft", slug: "draft" });
    expect(made).toMatchObject({ asset_id: id, version: 2, created: true, slug: "draft" });
    expect(await refusal(anon(db), "hub_asset", { id_or_slug: slug })).toBe("asset_not_found");
    expect(await stateOf(db.sql, id)).toBe("public");
    expect(await assetRow(db.sql, id)).toMatchObject({ organization_id: null, is_shared: false });
    expect(await ask(anon(db), "hub_versions", { id_or_slug: id })).toMatchObject([{ version: 2 }]);
    expect(await refusal(anon(db), "hub_asset", { id_or_slug: id, version: 1 })).toBe("asset_not_found");
    expect(await ask(as(team.owner), "hub_asset", { id_or_slug: id, version: 1 })).toMatchObject({
      version: 1,
    });
    const versions = await anon(db).run(
      (tx) => tx`select version from hub_asset_versions where asset_id = ${id}`,
    );
    expect([...versions]).toEqual([{ version: 2 }]);
  });

  test("the shared version is imported by members, also when the listing is public", async () => {
    const { asset_id: id, refId } = await share(team.member);
    const plan = await planImport(db.sql, id);
    await publish(db.sql, team.member, { refId });
    expect(await refused(runImport(db.sql, await makeUser(db.sql), plan))).toBe("asset_not_found");
    const again = { ...plan, rows: plan.rows.map((row) => ({ ...row, id: crypto.randomUUID() })) };
    expect(await refused(runImport(db.sql, team.owner, again))).toBeNull();
  });

  test("a public listing is not shared in passing", async () => {
    const { refId } = await publish(db.sql, team.member);
    expect(await refused(share(team.member, { refId }))).toBe("already_public");
  });

  test("one that was unpublished can be shared; its older public version does not come back with it", async () => {
    const { asset_id: id, refId } = await publish(db.sql, team.member);
    await ask(as(team.member), "hub_unpublish_asset", { asset_id: id });
    expect(await share(team.member, { refId })).toMatchObject({ version: 2 });
    expect(await stateOf(db.sql, id)).toBe("shared");
    expect(await refusal(anon(db), "hub_asset", { id_or_slug: id, version: 1 })).toBe("asset_not_found");
    expect(await ask(as(team.owner), "hub_asset", { id_or_slug: id, version: 1 })).toMatchObject({
      version: 1,
    });
  });

  test("a yank never gives the public a shared version, nor the shelf its place", async () => {
    const { asset_id: id, refId } = await share(team.member);
    await publish(db.sql, team.member, { refId });
    const yank = (version: number) => refusal(as(team.member), "hub_yank_version", { asset_id: id, version });
    expect(await yank(2)).toBe("last_version");
    await publish(db.sql, team.member, { refId, payload: { content: "Third" } });
    expect(await yank(3)).toBeNull();
    expect((await assetRow(db.sql, id)).current_version).toBe(2);
    await ask(as(team.member), "hub_unyank_version", { asset_id: id, version: 3 });
    expect((await assetRow(db.sql, id)).current_version).toBe(3);
  });

  test("an operator cannot make a shared version the public one", async () => {
    const { asset_id: id, refId } = await share(team.member);
    await publish(db.sql, team.member, { refId });
    expect(await refused(db.sql`update hub_assets set current_version = 1 where id = ${id}`)).toBe(
      "version_missing",
    );
    const shared = await share(team.member);
    expect(await refused(db.sql`update hub_assets set is_public = true where id = ${shared.asset_id}`)).toBe(
      "version_missing",
    );
  });

  test("a deleted one leaves no tombstone that strangers read", async () => {
    const { asset_id: id } = await share(team.member);
    await ask(as(team.member), "hub_delete_asset", { asset_id: id });
    expect(await refusal(anon(db), "hub_asset", { id_or_slug: id })).toBe("asset_not_found");
    const once = await publish(db.sql, team.member, { title: "Open title" });
    await ask(as(team.member), "hub_unpublish_asset", { asset_id: once.asset_id });
    await share(team.member, { refId: once.refId, title: "Secret title" });
    await ask(as(team.member), "hub_delete_asset", { asset_id: once.asset_id });
    expect(await refusal(anon(db), "hub_asset", { id_or_slug: once.asset_id })).toBe("asset_not_found");
  });
});

test("the service reads what it needs, and the raw attribution names the readers", async () => {
  const { asset_id: id } = await share(team.member);
  const copy = await importAsset(db.sql, team.owner, id);
  const [row] = await service(db).run((tx) => tx`select attribution from hub_assets where id = ${copy.id}`);
  expect(row?.attribution).toMatchObject({
    root: { organization_id: team.id },
    parent: { organization_id: team.id },
  });
  expect(
    await attempt(as(team.owner), (tx) => tx`update hub_assets set organization_id = null where id = ${id}`),
  ).toEqual({
    refused: "42501",
  });
});
