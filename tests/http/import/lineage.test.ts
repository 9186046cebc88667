import { beforeAll, describe, expect, test } from "vitest";
import { assetRow, closeHistory } from "../../support/hub.ts";
import { inProcess } from "../../support/service.ts";
import { importFixture, type Person } from "./fixture.ts";

const fixture = importFixture(inProcess);

interface Link {
  creator: Person;
  id: string;
  slug: string;
  ref: string;
}

/** Imports a listing and publishes the copy. */
async function remixOf({ id }: Pick<Link, "id">, mode: "use" | "remix", title: string): Promise<Link> {
  const creator = await fixture.join();
  const taken = await fixture.import(creator, `/${id}`, { mode });
  const ref = taken.body.created[0].id;
  const { status, body, text } = await creator.publish({ ref_id: ref, title, license: "cc-by" });
  if (status !== 201) throw new Error(text);
  return { creator, ref, id: body.asset.id, slug: body.asset.slug };
}

/** Makes A → B → C: B is imported with mode `remix`, C with mode `use`. Each copy is published. */
async function shortChain() {
  const a: Link = await fixture.list({ body: { title: "Anna's", license: "cc-by" } });
  const b = await remixOf(a, "remix", "Ben's");
  const c = await remixOf(b, "use", "Cem's");
  return { a, b, c };
}

/** Makes A → B → C → D: D is imported with mode `remix`. */
async function chain() {
  const links = await shortChain();
  return { ...links, d: await remixOf(links.c, "remix", "Dia's") };
}

interface Page {
  data: { items: { id: string }[]; next_cursor: string | null } | null;
  error: unknown;
}

interface Update {
  kind: string;
  id: string;
  source: { id: string };
}

// biome-ignore lint/suspicious/noExplicitAny: each test checks the shape of the answers that it needs.
const detail = async (id: string): Promise<any> => {
  const { data, error } = await fixture.guest.rpc("hub_asset", { id_or_slug: id });
  if (error !== null) throw error;
  return data;
};
const username = async ({ id }: Person) =>
  (await fixture.db.sql`select username from hub_profiles where user_id = ${id}`)[0]?.username;
const idsOf = async (id: string) => {
  const row = await assetRow(fixture.db.sql, id);
  return [row.source_asset_id, row.parent_asset_id, row.remix_depth];
};

describe("A → B → C → D", () => {
  let links: Awaited<ReturnType<typeof chain>>;
  beforeAll(async () => {
    links = await chain();
  });

  test("the root is A for all, the depth 0 to 3, and each names A", async () => {
    const { a, b, c, d } = links;
    expect(await Promise.all([a, b, c, d].map(({ id }) => idsOf(id)))).toEqual([
      [null, null, 0],
      [a.id, a.id, 1],
      [a.id, b.id, 2],
      [a.id, c.id, 3],
    ]);
    const { attribution } = await detail(d.id);
    expect(attribution).toMatchObject({
      text: `Remixed from “Anna's” by @${await username(a.creator)}`,
      root: { id: a.id, slug: a.slug, available: true, deleted: false, version: 1, license: "cc-by" },
      parent: { id: c.id, title: "Cem's", remix_depth: 2, creator: { username: await username(c.creator) } },
    });
    expect((await detail(a.id)).attribution).toBeNull();
    expect((await detail(a.id)).remix_count).toBe(3);
    expect((await detail(c.id)).remix_count).toBe(1);
  });

  test("an attribution never shows an author's id", async () => {
    const { a, c, d } = links;
    const { attribution } = await detail(d.id);
    expect(JSON.stringify(attribution)).not.toContain(a.creator.id);
    expect(JSON.stringify(attribution)).not.toContain(c.creator.id);
  });

  test("A's author banned: A is not available, and unnamed; lifted: both again", async () => {
    const { a, d } = links;
    await fixture.db.sql`insert into private.hub_bans (user_id) values (${a.creator.id})`;
    expect((await detail(d.id)).attribution).toMatchObject({
      text: "Remixed from “Anna's”",
      root: { creator: null, available: false, deleted: false },
    });
    await fixture.db.sql`delete from private.hub_bans where user_id = ${a.creator.id}`;
    expect((await detail(d.id)).attribution.root).toMatchObject({
      available: true,
      creator: expect.anything(),
    });
  });

  test("B's listing deleted: C and D work, C's parent says so, B itself is a tombstone", async () => {
    const { a, b, c, d } = links;
    await b.creator.client.rpc("hub_delete_asset", { asset_id: b.id });
    expect(await idsOf(c.id)).toEqual([a.id, b.id, 2]);
    const { attribution } = await detail(c.id);
    expect(attribution.parent).toMatchObject({ title: "Ben's", available: false, deleted: true });
    expect(attribution.root).toMatchObject({ available: true, deleted: false });
    expect(await detail(b.slug)).toEqual({
      ...{ id: b.id, slug: b.slug, asset_type: "template", title: "Ben's", license: "cc-by", remix_depth: 1 },
      creator: { username: await username(b.creator), avatar_url: null, verified: false },
      attribution: expect.objectContaining({ root: expect.objectContaining({ id: a.id }) }),
      deleted: true,
    });
    const e = await remixOf(d, "remix", "Eli's");
    expect(await idsOf(e.id)).toEqual([a.id, d.id, 4]);
  });

  test("A deleted: remixed from a deleted asset, with its author's name; banned: without it", async () => {
    const { a, d } = links;
    await a.creator.client.rpc("hub_delete_asset", { asset_id: a.id });
    const name = await username(a.creator);
    expect((await detail(d.id)).attribution.text).toBe(`Remixed from a deleted asset by @${name}`);
    await fixture.db.sql`insert into private.hub_bans (user_id) values (${a.creator.id})`;
    const { attribution } = await detail(d.id);
    expect(attribution.text).toBe("Remixed from a deleted asset");
    expect(attribution.root).toMatchObject({ title: "Anna's", creator: null, deleted: true });
    // Of the deleted listing itself, a guest learns nothing more.
    expect(await detail(a.id)).toEqual({ deleted: true });
  });
});

describe("A → B → C", () => {
  test("A's row really deleted: the ids are null, the title stays, what is made of B has no root", async () => {
    const { a, b, c } = await shortChain();
    await fixture.db.sql`delete from hub_assets where id = ${a.id}`;
    expect(await idsOf(b.id)).toEqual([null, null, 1]);
    const { attribution } = await detail(c.id);
    expect(attribution.root).toMatchObject({ title: "Anna's", deleted: true, available: false });
    expect(attribution.text).toMatch(/^Remixed from a deleted asset by @/);
    const e = await remixOf(b, "remix", "Eli's");
    expect(await idsOf(e.id)).toEqual([null, b.id, 2]);
    expect((await detail(e.id)).attribution.root.title).toBe("Anna's");
  });

  test("A's author gone: A stays, without a name", async () => {
    const { a, c } = await shortChain();
    await fixture.db.auth`delete from auth.users where id = ${a.creator.id}`;
    expect((await detail(c.id)).attribution).toMatchObject({
      text: "Remixed from “Anna's”",
      root: { creator: null, available: true },
    });
  });
});

describe("lineage in the request", () => {
  test.each([
    "source_asset_id",
    "parent_asset_id",
    "remix_depth",
    "attribution",
    "lineage",
    "created",
    "user_id",
  ])("%s is refused", async (field) => {
    const me = await fixture.join();
    const { status, body } = await fixture.import(me, "/any-slug", { [field]: "x" });
    expect([status, body.errors]).toEqual([
      422,
      [{ path: field, code: "unknown_field", message: "is not a field of this request" }],
    ]);
  });
});

describe("hub_remixes", () => {
  // tests/db/hub/remix-pages.test.ts tests the order and the pages of a long list.
  test("direct ones first, then newest first, visible ones only; a cursor is for its list", async () => {
    const a = await fixture.list();
    const me = await fixture.join();
    const make = async (from: string) => {
      const { body } = await fixture.import(me, `/${from}`, { mode: "remix" });
      const done = await me.publish({ ref_id: body.created[0].id, title: "A remix" });
      return done.body.asset.id as string;
    };
    const direct: string[] = [];
    for (let i = 0; i < 4; i += 1) direct.push(await make(a.id));
    const below = await make(direct[0] ?? "");
    const [hidden = "", unpublished = ""] = direct.splice(2, 2);
    await fixture.db.sql`update hub_assets set is_hidden = true where id = ${hidden}`;
    await me.client.rpc("hub_unpublish_asset", { asset_id: unpublished });
    const remixes = async (client: Person["client"], cursor: string | null = null): Promise<Page> =>
      client.rpc("hub_remixes", { asset_id: a.id, cursor });
    for (const client of [fixture.guest, me.client]) {
      const { data, error } = await remixes(client);
      expect(error).toBeNull();
      expect(data?.items.map(({ id }) => id)).toEqual([direct[1], direct[0], below]);
      expect(data?.next_cursor).toBeNull();
    }
    const { data } = await remixes(fixture.guest);
    expect(data?.items[0]).toMatchObject({
      ...{ id: direct.at(-1), slug: expect.any(String), asset_type: "template", title: "A remix", tags: [] },
      ...{ description: "Greets people.", thumbnail_url: null, license: "platform-free", star_count: 0 },
      ...{
        creator: { username: expect.any(String), avatar_url: null, verified: false },
        install_count: 0,
        remix_depth: 1,
      },
      ...{ published_at: expect.any(String), content_updated_at: expect.any(String) },
      ...{ direct: true, parent_asset_id: a.id },
    });
    expect((await detail(a.id)).remix_count).toBe(3);

    const own = (place: unknown) => Buffer.from(JSON.stringify(place)).toString("base64url");
    const list = ["remixes", a.id];
    // After the first direct one in the year 2000 there are only the remixes of remixes.
    const old = { direct: true, at: "2000-01-01", id: a.id };
    expect((await remixes(fixture.guest, own({ list, ...old }))).data?.items).toMatchObject([{ id: below }]);
    for (const cursor of [
      ...["", "x", "====", "e30", "bnVsbA", "%", "ü", "A".repeat(100_000), own(null), own({ list })],
      own({ ...old, list: ["remixes", direct[0]] }),
      own({ list, direct: "yes", at: "2026-01-01", id: a.id }),
      own({ list, direct: true, at: "tomorrow-ish", id: a.id }),
      own({ list, direct: true, at: "2026-01-01", id: "x" }),
      own({ list, direct: true, at: 5, id: a.id }),
    ]) {
      const answer = await fixture.guest.rpc("hub_remixes", { asset_id: a.id, cursor });
      expect([answer.status, answer.error?.message], cursor.slice(0, 40)).toEqual([400, "malformed_cursor"]);
    }
  });
});

describe("hub_updates", () => {
  test("newer versions, and sources that were harmful or removed; the caller's copies only", async () => {
    const admin = await fixture.join();
    await fixture.db.sql`insert into hub_admins (user_id) values (${admin.id})`;
    const me = await fixture.join();
    const updates = async (who: Person = me) => {
      const { data, error } = await who.client.rpc("hub_updates");
      expect(error).toBeNull();
      return data.map(({ kind, id, source }: Update) => [kind, id, source.id]);
    };
    const source = await fixture.list();
    const copy = (await fixture.import(me, `/${source.slug}`)).body.created[0].hub_asset_id;
    expect(await updates()).toEqual([]);
    await source.creator.client.from("prompt_templates").update({ content: "Two" }).eq("id", source.ref);
    await source.creator.publish({ ref_id: source.ref, title: "Newer" });
    expect(await updates()).toEqual([["newer_version", copy, source.id]]);
    const { data } = await me.client.rpc("hub_updates");
    expect(data[0]).toMatchObject({
      ...{ asset_type: "template", title: expect.any(String), ref_id: expect.any(String) },
      source: { slug: source.slug, title: "Newer", version: 1, current_version: 2 },
    });
    expect(await updates(source.creator)).toEqual([]);

    // While the listing is hidden by reports and not reviewed, owners of copies get no warning.
    await fixture.db
      .sql`update hub_assets set is_hidden = true, hidden_reason = 'reports' where id = ${source.id}`;
    expect(await updates()).toEqual([]);
    await fixture.db.sql`update hub_assets set is_hidden = false where id = ${source.id}`;
    const reporter = await fixture.join();
    await reporter.client.from("hub_reports").insert({ asset_id: source.id, reason: "malicious_code" });
    const [report] = await fixture.db.sql`select id from hub_reports where asset_id = ${source.id}`;
    await admin.client.rpc("hub_resolve_report", { report_id: report?.id, outcome: "upheld", note: null });
    expect(await updates()).toEqual([["malicious_code", copy, source.id]]);
    await admin.client.rpc("hub_remove_asset", { asset_id: source.id, note: null });
    expect(await updates()).toEqual([["removed", copy, source.id]]);

    // Owners of a copy are also warned when the original of the copied listing is hidden.
    const root = await fixture.list({ body: { license: "cc-by" } });
    const remix = await remixOf(root, "remix", "In between");
    const second = (await fixture.import(me, `/${remix.slug}`)).body.created[0].hub_asset_id;
    await fixture.db
      .sql`update hub_assets set is_hidden = true, hidden_reason = 'malicious_code' where id = ${root.id}`;
    expect(await updates()).toContainEqual(["malicious_code", second, root.id]);
    expect((await fixture.guest.rpc("hub_updates")).error?.code).toBe("42501");
  });
});

describe("hub_asset", () => {
  test("who sees what: private, hidden and unpublished are their owner's and admins'", async () => {
    const admin = await fixture.join();
    await fixture.db.sql`insert into hub_admins (user_id) values (${admin.id})`;
    const { id, slug, creator } = await fixture.list();
    const stranger = await fixture.join();
    const status = async (who: Person | null) => {
      const { status, error } = await (who?.client ?? fixture.guest).rpc("hub_asset", { id_or_slug: slug });
      return error?.message ?? status;
    };
    const everybody = async () => Promise.all([null, stranger, creator, admin].map(status));
    expect(await everybody()).toEqual([200, 200, 200, 200]);
    const hidden = ["asset_not_found", "asset_not_found", 200, 200];
    await fixture.db.sql`update hub_assets set is_hidden = true where id = ${id}`;
    expect(await everybody()).toEqual(hidden);
    await fixture.db.sql`update hub_assets set is_hidden = false, is_public = false where id = ${id}`;
    expect(await everybody()).toEqual(hidden);
    const copy = await fixture.import(creator, `/${slug}`);
    const row = copy.body.created[0].hub_asset_id;
    const { data } = await creator.client.rpc("hub_asset", { id_or_slug: row });
    expect(data).toMatchObject({ version: null, payload: null, versions: [], items: [], is_visible: false });
    expect((await stranger.client.rpc("hub_asset", { id_or_slug: row })).error?.message).toBe(
      "asset_not_found",
    );
  });

  test("any text is answered, never with a 500", async () => {
    for (const id_or_slug of [
      "",
      " ",
      "%",
      "_",
      "'; drop table hub_assets; --",
      "x".repeat(10_000),
      "İ",
      null,
    ]) {
      const { status, error } = await fixture.guest.rpc("hub_asset", { id_or_slug });
      expect([status, error?.message]).toEqual([404, "asset_not_found"]);
    }
  });

  test("versions and their list are those that the caller may read", async () => {
    const { slug, creator, ref, id } = await fixture.list();
    await creator.client.from("prompt_templates").update({ content: "Two" }).eq("id", ref);
    await creator.publish({ ref_id: ref, title: "Two" });
    await closeHistory(fixture.db.sql, id);
    const versions = async (client: Person["client"]) =>
      (await client.rpc("hub_asset", { id_or_slug: slug })).data.versions.map(
        ({ version }: { version: number }) => version,
      );
    expect(await versions(fixture.guest)).toEqual([2]);
    expect(await versions(creator.client)).toEqual([2, 1]);
    const old = { id_or_slug: slug, version: 1 };
    expect((await fixture.guest.rpc("hub_asset", old)).error?.message).toBe("asset_not_found");
    expect((await creator.client.rpc("hub_asset", old)).data.payload.content).toBe("Say hello to {{name}}");
  });
});
