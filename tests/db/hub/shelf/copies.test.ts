import { beforeAll, describe, expect, test } from "vitest";
import { anon, signedIn } from "../../../support/actors.ts";
import { asAuth } from "../../../support/auth.ts";
import {
  assetRow,
  importAsset,
  makeAsset,
  makeUser,
  publish,
  sha256,
  stateOf,
  untilWaiting,
} from "../../../support/hub.ts";
import { ask, join, makeTeam, refusal } from "../../../support/organizations.ts";
import { as, db, refused, share, shelf, team, useShelfFixture } from "./fixture.ts";

useShelfFixture();

const leave = (userId: string) => ask(as(userId), "leave_organization", { organization_id: team.id });

let crowd: { sql: typeof db.sql };
beforeAll(() => {
  crowd = { sql: db.as("postgres" as never, 24) };
});

describe("what comes from a shelf", () => {
  const publishCopy = (userId: string, refId: string, organization?: string) =>
    refused(
      publish(db.sql, userId, {
        refId,
        payload: { content: "Changed" },
        ...(organization && { organization }),
      }),
    );

  test("is published on that shelf, not on another one and not for everybody", async () => {
    const { asset_id: id } = await share(team.member, { license: "cc0" });
    const other = await makeTeam(db);
    await join(db.sql, other.id, team.owner);
    const { refId } = await importAsset(db.sql, team.owner, id);
    expect(await publishCopy(team.owner, refId)).toBe("organization_only");
    expect(await publishCopy(team.owner, refId, other.slug)).toBe("organization_only");
    expect(await publishCopy(team.owner, refId, team.slug)).toBeNull();
  });

  test("stays so when the original has become public, is deleted, or its organization is closed", async () => {
    const { asset_id: id, refId: sourceId } = await share(team.member, { license: "cc0" });
    const { refId } = await importAsset(db.sql, team.owner, id);
    await publish(db.sql, team.member, { refId: sourceId, license: "cc0" });
    expect(await publishCopy(team.owner, refId)).toBe("organization_only");
    await ask(as(team.member), "hub_delete_asset", { asset_id: id });
    expect(await publishCopy(team.owner, refId)).toBe("organization_only");
    await db.sql`delete from organizations where id = ${team.id}`;
    expect(await publishCopy(team.owner, refId)).toBe("organization_only");
  });

  test("is published by its creator for everybody, who then names nothing of the shelf", async () => {
    const { asset_id: id } = await share(team.member, { title: "Code name", slug: "code-name" });
    const { refId, id: copy } = await importAsset(db.sql, team.member, id, "remix");
    const kit = await importAsset(db.sql, team.member, id);
    const [{ attribution } = {}] = await db.sql`select attribution from hub_assets where id = ${kit.id}`;
    const item = {
      asset_type: "template",
      ref_id: kit.refId,
      title: "Item",
      payload: {},
      sha256: sha256({}),
      license: "cc0",
      attribution,
    };
    await publish(db.sql, team.member, { refId, title: "Open", payload: { content: "Changed" } });
    const bundle = await publish(db.sql, team.member, {
      type: "orchestration",
      title: "Kit",
      payload: { nodes: [] },
      items: [item],
    });
    expect(await assetRow(db.sql, copy)).toMatchObject({
      attribution: null,
      source_asset_id: null,
      parent_asset_id: null,
    });
    for (const asset of [copy, bundle.asset_id]) {
      const rows = await anon(db).run((tx) => tx`select * from hub_assets where id = ${asset}`);
      const items = await anon(db).run((tx) => tx`select * from hub_bundle_items where asset_id = ${asset}`);
      const shown = await ask(anon(db), "hub_asset", { id_or_slug: asset });
      expect(JSON.stringify([rows, items, shown])).not.toMatch(/code.name/i);
      expect(JSON.stringify([rows, items, shown])).not.toContain(id);
    }
  });

  test("a public original stays named when the shelf between is not", async () => {
    const { id: open } = await makeAsset(db.sql, { license: "cc0", title: "Open root" });
    const first = await importAsset(db.sql, team.member, open, "remix");
    const middle = await share(team.member, {
      refId: first.refId,
      license: "cc0",
      title: "Shelf middle",
      payload: { content: "M" },
    });
    const second = await importAsset(db.sql, team.member, middle.asset_id, "remix");
    await publish(db.sql, team.member, {
      refId: second.refId,
      license: "cc0",
      payload: { content: "Changed" },
    });
    const shown = JSON.stringify(await ask(anon(db), "hub_asset", { id_or_slug: second.id }));
    expect(shown).toContain("Open root");
    expect(shown).not.toContain("Shelf middle");
    expect(await assetRow(db.sql, second.id)).toMatchObject({ source_asset_id: open });
  });

  test("an item of a kit is refused by its place", async () => {
    const { asset_id: id } = await share(team.member, { license: "cc0" });
    const copy = await importAsset(db.sql, team.owner, id);
    const [{ attribution } = {}] = await db.sql`select attribution from hub_assets where id = ${copy.id}`;
    const own = {
      asset_type: "template",
      ref_id: crypto.randomUUID(),
      title: "Own",
      payload: {},
      sha256: sha256({}),
      license: "cc0",
    };
    const items = [own, { ...own, ref_id: copy.refId, attribution }];
    const kit = (organization?: string) =>
      publish(db.sql, team.owner, { type: "orchestration", items, ...(organization && { organization }) });
    const error = await kit().catch((fault: { message: string; detail: string }) => fault);
    expect(error).toMatchObject({ message: "organization_only" });
    expect(JSON.parse((error as { detail: string }).detail).errors).toMatchObject([
      { path: "items.1.ref_id" },
    ]);
    expect(await refused(kit(team.slug))).toBeNull();
  });

  test("is no double of what others publish: nobody learns that the same is on a shelf", async () => {
    const content = "The same long text of a prompt that somebody else has as well. ".repeat(5);
    const other = content.toUpperCase();
    await share(team.member, { payload: { content } });
    const { refId } = await share(team.member, { payload: { content: other } });
    expect(await refused(publish(db.sql, await makeUser(db.sql), { payload: { content } }))).toBeNull();
    // Another version of the listing becomes public. The content that only the shelf has is still not reported as a duplicate.
    await publish(db.sql, team.member, { refId, payload: { content: "Another" } });
    const again = await refused(publish(db.sql, await makeUser(db.sql), { payload: { content: other } }));
    expect(again).toBeNull();
  });
});

describe("who leaves", () => {
  test("reads the shelf no more, keeps the copy, and hears of no update", async () => {
    const { asset_id: id, refId } = await share(team.owner);
    const copy = await importAsset(db.sql, team.member, id);
    await share(team.owner, { refId, payload: { content: "Second" } });
    expect(await ask(as(team.member), "hub_updates")).toMatchObject([{ kind: "newer_version", id: copy.id }]);
    await leave(team.member);
    expect(await ask(as(team.member), "hub_updates")).toEqual([]);
    expect(await refusal(as(team.member), "hub_asset", { id_or_slug: id })).toBe("asset_not_found");
    expect(await refused(importAsset(db.sql, team.member, id))).toBe("asset_not_found");
    const kept = await as(team.member).run(
      (tx) => tx`select name from prompt_templates where id = ${copy.refId}`,
    );
    expect(kept).toHaveLength(1);
  });

  test("what they shared stays on the shelf as it is, and they can only take it off", async () => {
    const { asset_id: id, refId } = await share(team.member);
    await leave(team.member);
    expect((await shelf(team.owner)).items).toMatchObject([{ id }]);
    const edited = await as(team.member).run(
      (tx) => tx`update hub_assets set title = 'Mine' where id = ${id} returning id`,
    );
    expect(edited).toHaveLength(0);
    expect(await refused(share(team.member, { refId, payload: { content: "x" } }))).toBe(
      "organization_not_found",
    );
    for (const [call, args] of [
      ["hub_edit_version", { label: "Mine" }],
      ["hub_yank_version", {}],
      ["hub_unyank_version", {}],
    ] as const)
      expect(await refusal(as(team.member), call, { asset_id: id, version: 1, ...args })).toBe(
        "organization_not_found",
      );
    expect(await refused(db.sql`select private.set_picture(${team.member}, ${id}, null, 100)`)).toBe(
      "organization_not_found",
    );
    await ask(as(team.member), "hub_unpublish_asset", { asset_id: id });
    expect(await refusal(as(team.member), "hub_republish_asset", { asset_id: id })).toBe(
      "organization_not_found",
    );
    expect((await shelf(team.owner)).items).toEqual([]);
  });

  test("while publishing: either it was before, or it is refused", async () => {
    const { refId } = await share(team.member);
    let done = () => {};
    const hold = new Promise<void>((resolve) => {
      done = resolve;
    });
    // The publication locks the membership until its commit. The removal waits for that lock, and after the removal nothing is published.
    let started = () => {};
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    const publication = crowd.sql.begin(async (tx) => {
      await tx`select private.organization_by_slug(${team.member}, ${team.slug})`;
      started();
      await hold;
    });
    await running;
    const removal = refusal(signedIn(crowd, team.owner), "remove_member", {
      organization_id: team.id,
      user_id: team.member,
    });
    await untilWaiting(db.sql, "remove_member");
    done();
    await publication;
    expect(await removal).toBeNull();
    expect(await refused(share(team.member, { refId, payload: { content: "late" } }))).toBe(
      "organization_not_found",
    );
  });

  test("the last member who leaves closes it: its listings are their creators' own", async () => {
    const { asset_id: id, refId } = await share(team.member);
    await leave(team.member);
    await leave(team.admin);
    await leave(team.owner);
    expect(await stateOf(db.sql, id)).toBe("unpublished");
    expect(await ask(as(team.member), "hub_asset", { id_or_slug: id })).toMatchObject({ id });
    expect(await refusal(as(team.member), "hub_republish_asset", { asset_id: id })).toBe(
      "organization_not_found",
    );
    expect(await refused(publish(db.sql, team.member, { refId }))).toBeNull();
  });

  test("with the account of its last member it is closed, too", async () => {
    const { asset_id: id } = await share(team.member);
    await leave(team.member);
    await leave(team.admin);
    await asAuth(db.sql)`delete from auth.users where id = ${team.owner}`;
    expect(await stateOf(db.sql, id)).toBe("unpublished");
    expect(await assetRow(db.sql, id)).toMatchObject({ is_shared: false });
  });
});
