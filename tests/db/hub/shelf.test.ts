import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { anon, attempt, service, signedIn } from "../../support/actors.ts";
import { asAuth } from "../../support/auth.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  assetRow,
  importAsset,
  makeAdmin,
  makeAsset,
  makeUser,
  makeUsers,
  planImport,
  publish,
  REPORT_THRESHOLD,
  reportAsset,
  runImport,
  sha256,
  star,
  stateOf,
  untilWaiting,
  wrongCounters,
} from "../../support/hub.ts";
import { ask, join, makeTeam, refusal, type Team } from "../../support/organizations.ts";

let db: Clone;
let crowd: { sql: Clone["sql"] };
let team: Team;
beforeAll(async () => {
  db = await cloneDatabase();
  crowd = { sql: db.as("postgres" as never, 24) };
});
afterAll(() => db.drop());
beforeEach(async () => {
  team = await makeTeam(db);
});

const as = (userId: string) => signedIn(db, userId);
const share = (creator: string, what: Parameters<typeof publish>[2] = {}) =>
  publish(db.sql, creator, { organization: team.slug, ...what });
const refused = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: Error) => error.message,
  );
const shelf = (userId: string, args: Record<string, unknown> = {}) =>
  ask<{ items: { id: string; title: string }[]; next_cursor: string | null }>(as(userId), "hub_shelf", {
    organization: team.slug,
    ...args,
  });
const leave = (userId: string) => ask(as(userId), "leave_organization", { organization_id: team.id });

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

describe("reports on a shelf", () => {
  const reportByMembers = async (id: string, count: number) => {
    for (const user of await makeUsers(db.sql, count)) {
      await join(db.sql, team.id, user);
      await reportAsset(as(user), id);
    }
  };

  test("of enough members hide it, and the organization's admins decide", async () => {
    const { asset_id: id } = await share(team.member);
    await reportByMembers(id, REPORT_THRESHOLD - 1);
    expect(await stateOf(db.sql, id)).toBe("shared");
    await reportByMembers(id, 1);
    expect(await assetRow(db.sql, id)).toMatchObject({
      is_hidden: true,
      hidden_reason: "organization_reports",
    });
    expect((await shelf(team.admin)).items).toEqual([]);
    expect(await refusal(as(team.owner), "hub_asset", { id_or_slug: id })).toBeNull();
    const queue = await ask<Record<string, unknown>[]>(as(team.admin), "organization_review_queue", {
      organization_id: team.id,
    });
    expect(queue).toMatchObject([{ asset_id: id, is_hidden: true, open_reports: 5 }]);
    expect(JSON.stringify(queue)).not.toContain("reporter");
    expect(await refusal(as(team.member), "organization_review_queue", { organization_id: team.id })).toBe(
      "organization_not_found",
    );
    expect(await refusal(as(team.member), "organization_review", { asset_id: id, keep: true })).toBe(
      "role_required",
    );
    await ask(as(team.admin), "organization_review", { asset_id: id, keep: true });
    expect(await stateOf(db.sql, id)).toBe("shared");
    await reportByMembers(id, 1);
    expect(await stateOf(db.sql, id)).toBe("shared");
    expect(await wrongCounters(db.sql)).toEqual([]);
  });

  test("an admin hides one, and its creator reads why", async () => {
    const { asset_id: id } = await share(team.member);
    await reportByMembers(id, 1);
    await ask(as(team.admin), "organization_review", { asset_id: id, keep: false, note: "Out of date." });
    expect(await assetRow(db.sql, id)).toMatchObject({ hidden_reason: "organization" });
    const [report] = await db.sql`select outcome from hub_reports where asset_id = ${id}`;
    expect(report).toEqual({ outcome: "upheld" });
    expect(JSON.stringify(await ask(as(team.member), "hub_my_decisions"))).toContain("Out of date.");
    const hubAdmin = as(await makeAdmin(db.sql));
    expect(
      await hubAdmin.run((tx) => tx`select from hub_review_queue() where asset_id = ${id}`),
    ).toHaveLength(0);
    expect(
      await refusal(as((await makeTeam(db)).owner), "organization_review", { asset_id: id, keep: true }),
    ).toBe("asset_not_found");
  });

  test("what the hub has hidden, no organization of its creator brings back", async () => {
    const hubAdmin = as(await makeAdmin(db.sql));
    const { asset_id: id, refId } = await publish(db.sql, team.owner);
    await ask(hubAdmin, "hub_hide_asset", { asset_id: id, note: "Spam." });
    await ask(as(team.owner), "hub_unpublish_asset", { asset_id: id });
    await share(team.owner, { refId, payload: { content: "Again" } });
    expect(await refusal(as(team.owner), "organization_review", { asset_id: id, keep: true })).toBe(
      "hidden_by_hub",
    );
    expect(await stateOf(db.sql, id)).toBe("shared hidden");
    expect((await shelf(team.admin)).items).toEqual([]);
    const listed = await hubAdmin.run(
      (tx) => tx`select asset_id from hub_review_queue() where asset_id = ${id}`,
    );
    expect(listed).toHaveLength(1);
  });

  test("what an organization has hidden stays hidden when it is published for everybody, and the hub decides then", async () => {
    const { asset_id: id, refId } = await share(team.owner);
    await reportByMembers(id, REPORT_THRESHOLD);
    await publish(db.sql, team.owner, { refId });
    expect(await stateOf(db.sql, id)).toBe("public hidden");
    expect(await refusal(as(team.owner), "organization_review", { asset_id: id, keep: true })).toBe(
      "asset_not_found",
    );
    const hubAdmin = as(await makeAdmin(db.sql));
    expect(
      await hubAdmin.run((tx) => tx`select from hub_review_queue() where asset_id = ${id}`),
    ).toHaveLength(1);
  });

  test("a ban takes its creator's listings off every shelf", async () => {
    const { asset_id: id } = await share(team.member);
    await ask(as(await makeAdmin(db.sql)), "hub_ban_creator", { user_id: team.member });
    expect((await shelf(team.owner)).items).toEqual([]);
    expect(await refusal(as(team.owner), "hub_asset", { id_or_slug: id })).toBe("asset_not_found");
    expect(await refused(share(team.member))).toBe("banned");
  });
});

describe("hub_shelf", () => {
  test("filters, sorts and searches as hub_search does", async () => {
    const plan = await share(team.member, { title: "Budget plan", tags: ["gpt-4o", "1ton"], license: "cc0" });
    const talk = await share(team.owner, {
      title: "Talk to a whale",
      description: "About the budget.",
      tags: ["whale"],
    });
    const code = await share(team.admin, {
      type: "component",
      title: "Progress bar",
      tags: ["whale"],
      payload: { source: "x" },
    });
    await star(as(team.owner), plan.asset_id);
    const ids = async (args: Record<string, unknown>) =>
      (await shelf(team.owner, args)).items.map(({ id }) => id);
    const [a, b, c] = [plan.asset_id, talk.asset_id, code.asset_id];
    expect(await ids({})).toEqual([c, b, a]);
    expect(await ids({ sort: "most_starred" })).toHaveLength(3);
    expect((await ids({ sort: "most_starred" }))[0]).toBe(a);
    expect(await ids({ sort: "recently_updated" })).toEqual([c, b, a]);
    expect(await ids({ types: ["component"] })).toEqual([c]);
    expect(await ids({ tags: ["whale"] })).toEqual([c, b]);
    expect(await ids({ license: "cc0" })).toEqual([a]);
    expect(await ids({ model: "gpt-4o", cardinality: "1toN" })).toEqual([a]);
    const [{ username } = {}] = await db.sql`select username from hub_profiles where user_id = ${team.owner}`;
    expect(await ids({ creator: username })).toEqual([b]);
    expect(await ids({ creator: "nobody-of-this-name" })).toEqual([]);
    expect(await ids({ q: "budget" })).toEqual([a, b]);
    expect(await ids({ q: "Talk to a whale" })).toEqual([b]);
    expect(await ids({ q: "zzz" })).toEqual([]);
    await as(team.owner).run((tx) => tx`update hub_assets set title = 'Speak to a whale' where id = ${b}`);
    expect(await ids({ q: "speak" })).toEqual([b]);
  });

  test.each(["newest", "most_starred", "recently_updated", "most_installed", "relevance"])(
    "pages of %s: nothing twice, nothing lost; a cursor belongs to its shelf",
    async (sort) => {
      for (let n = 0; n < 7; n += 1) await share(team.member, { title: `Paged ${n}` });
      const seen: string[] = [];
      const args = { sort, page_size: 3, ...(sort === "relevance" && { q: "paged" }) };
      let cursor: string | null = null;
      do {
        const page = await shelf(team.owner, { ...args, cursor });
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.next_cursor;
        const other = await makeTeam(db);
        if (cursor !== null) {
          const there = { ...args, cursor, organization: other.slug };
          expect(await refusal(as(other.owner), "hub_shelf", there)).toBe("malformed_cursor");
          expect(await refusal(as(team.owner), "hub_search", { ...args, cursor })).toBe("malformed_cursor");
        }
      } while (cursor !== null);
      expect(seen).toHaveLength(7);
      expect(new Set(seen).size).toBe(7);
    },
  );

  test.each(["%", "_", "\\", "foo &", ":*", "'", "a".repeat(501), "\u0001"])(
    "%j is a query or 422",
    async (q) => {
      expect(["validation_failed", null]).toContain(
        await refusal(as(team.owner), "hub_shelf", { organization: team.slug, q }),
      );
    },
  );
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
