import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Actor, anon, anonymousSession, service, signedIn } from "../../support/actors.ts";
import { cloneDatabase } from "../../support/database.ts";
import { call, importAsset, makeAdmin, makeAsset, makeUser, publish, star } from "../../support/hub.ts";
import { refusal, type Search, search, titles } from "../../support/search.ts";

const db = await cloneDatabase();
afterAll(() => db.drop());

const guest = anon(db);
const everybody = {} as Record<
  "guest" | "anonymous session" | "owner" | "importer" | "admin" | "service",
  Actor
>;
let owner = "";
let username = "";
let hidden = "";

beforeAll(async () => {
  const { sql } = db;
  const [admin, importer, banned] = [await makeAdmin(sql), await makeUser(sql), await makeUser(sql)];
  owner = await makeUser(sql);
  username = (await sql`select username from hub_profiles where user_id = ${owner}`)[0]?.username;
  const add = (title: string, rest: Partial<Parameters<typeof makeAsset>[1]> = {}) =>
    makeAsset(sql, {
      creator: owner,
      title,
      slug: title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-"),
      ...rest,
    });
  const first = await add("Meeting minutes", { tags: ["summarization", "gpt-4o", "1to1"], license: "cc0" });
  await add("Code review", { type: "component", tags: ["code-generation", "1ton"], license: "cc-by" });
  await add("Careful analyst", { type: "ai_preset", tags: ["research", "gpt-4o", "batch"] });
  await add("Research brief", { type: "orchestration", tags: ["research", "summarization"] });
  // A second version, private copies of an importer, and rows that nobody may see.
  await publish(sql, owner, {
    refId: first.refId,
    title: "Meeting minutes",
    description: "Second.",
    tags: ["summarization", "gpt-4o", "1to1"],
    license: "cc0",
    payload: { content: "Two" },
  });
  await importAsset(sql, importer, first.id);
  hidden = (await add("Unseen hidden")).id;
  const [unpublished, deleted] = [await add("Unseen unpublished"), await add("Unseen deleted")];
  await makeAsset(sql, { creator: banned, title: "Unseen banned", slug: "unseen-banned" });
  await call(signedIn(db, admin), "hub_hide_asset", hidden, "For a test.");
  await call(signedIn(db, owner), "hub_unpublish_asset", unpublished.id);
  await call(signedIn(db, owner), "hub_delete_asset", deleted.id);
  await call(signedIn(db, admin), "hub_ban_creator", banned, "For a test.");
  await star(signedIn(db, importer), first.id);
  Object.assign(everybody, {
    guest,
    "anonymous session": anonymousSession(db, importer),
    owner: signedIn(db, owner),
    importer: signedIn(db, importer),
    admin: signedIn(db, admin),
    service: service(db),
  });
});

const all = ["Research brief", "Careful analyst", "Code review", "Meeting minutes"];

describe.each(["guest", "anonymous session", "owner", "importer", "admin", "service"] as const)(
  "as %s",
  (name) => {
    test.each<[string, Search, string[]]>([
      ["nothing asked", {}, all],
      ["a word", { q: "minutes" }, ["Meeting minutes"]],
      ["a word of what is hidden", { q: "unseen" }, []],
      ["the title of what is hidden", { q: "Unseen hidden" }, []],
      ["by title of what is private", { q: "Unseen unpublished", sort: "newest" }, []],
      ["types", { types: ["component", "ai_preset"] }, ["Careful analyst", "Code review"]],
      ["tags, all of them", { tags: ["#Research", "summarization"] }, ["Research brief"]],
      ["a model", { model: "gpt-4o" }, ["Careful analyst", "Meeting minutes"]],
      ["a cardinality", { cardinality: "1toN" }, ["Code review"]],
      ["a license", { license: "cc0" }, ["Meeting minutes"]],
      ["words and filters", { q: "research", types: ["ai_preset"] }, ["Careful analyst"]],
      ["words, filters and a sort", { q: "research", model: "gpt-4o", sort: "newest" }, ["Careful analyst"]],
      ["stars", { sort: "most_starred", page_size: 1 }, ["Meeting minutes"]],
      ["installs", { sort: "most_installed", page_size: 1 }, ["Meeting minutes"]],
      ["a new version", { sort: "recently_updated", page_size: 1 }, ["Meeting minutes"]],
    ])("%s", async (_, what, expected) => {
      expect(await titles(everybody[name], what)).toEqual(expected);
    });

    test("a creator, however the name is spelt, and nobody", async () => {
      expect(await titles(everybody[name], { creator: username.toUpperCase() })).toEqual(all);
      expect(await titles(everybody[name], { creator: "nobody-there" })).toEqual([]);
    });

    test("facets of the result", async () => {
      const { facets } = await search(everybody[name], { tags: ["research"], facets: true });
      expect(facets).toEqual({
        complete: true,
        types: [
          { value: "ai_preset", count: 1 },
          { value: "orchestration", count: 1 },
        ],
        licenses: [{ value: "platform-free", count: 2 }],
        tags: [
          { value: "research", count: 2 },
          { value: "batch", count: 1 },
          { value: "summarization", count: 1 },
        ],
        models: [{ value: "gpt-4o", count: 1 }],
      });
    });
  },
);

test("a creator's name finds their listings, behind what has it in its title", async () => {
  const { sql } = db;
  const [creator, other] = [await makeUser(sql), await makeUser(sql)];
  await sql`update hub_profiles set username = 'nora-w', display_name = 'Nora Wölfli' where user_id = ${creator}`;
  await makeAsset(sql, { creator, title: "Tarot", slug: "tarot" });
  await makeAsset(sql, { creator: other, title: "On Nora Wölfli", slug: "on-nora" });
  for (const q of ["nora-w", "Nora-W", "nora-w "]) expect(await titles(guest, { q }), q).toContain("Tarot");
  for (const q of ["Nora Wölfli", "nora wolfli"])
    expect(await titles(guest, { q }), q).toEqual(["On Nora Wölfli", "Tarot"]);
  expect(await titles(guest, { q: "nora wolfli", sort: "newest" })).toEqual(["On Nora Wölfli", "Tarot"]);
  expect(await titles(guest, { q: "nora wolfli", types: ["component"] })).toEqual([]);
  await call(everybody.admin, "hub_ban_creator", creator, "For a test.");
  expect(await titles(guest, { q: "nora wolfli" })).toEqual(["On Nora Wölfli"]);
  await sql`delete from hub_assets where slug in ('tarot', 'on-nora')`;
});

test("a card is that of hub_asset", async () => {
  const [card] = (await search(guest, { q: "minutes" })).items;
  const [row] = await guest.run((tx) => tx`select hub_asset('meeting-minutes') as asset`);
  expect(card?.creator).toEqual({ username, avatar_url: null, verified: false });
  expect(row?.asset).toMatchObject(card ?? {});
});

test("search follows every change of a listing", async () => {
  const { id } = await makeAsset(db.sql, { creator: owner, title: "Changing", slug: "changing" });
  const found = async (q: string) => (await search(guest, { q })).items.some((item) => item.id === id);
  expect(await found("changing")).toBe(true);
  await everybody.owner.run(
    (tx) => tx`update hub_assets set title = 'Altered', tags = '{zebra}' where id = ${id}`,
  );
  expect([await found("changing"), await found("altered"), await found("zebra")]).toEqual([
    false,
    true,
    true,
  ]);
  await call(everybody.admin, "hub_hide_asset", id, "For a test.");
  expect(await found("altered")).toBe(false);
  await call(everybody.admin, "hub_restore_asset", id, "For a test.");
  expect(await found("altered")).toBe(true);
  await call(everybody.owner, "hub_unpublish_asset", id);
  expect(await found("altered")).toBe(false);
  await call(everybody.owner, "hub_republish_asset", id);
  expect(await found("altered")).toBe(true);
  await db.sql`delete from hub_assets where id = ${id}`;
  expect(await found("altered")).toBe(false);
});

test("there is a document for each visible listing and for nothing else, with its stars in it", async () => {
  const wrong = await db.sql`
    select a.id, d.asset_id, a.title
    from hub_assets a
    full join private.hub_documents d on d.asset_id = a.id
    where (d.asset_id is not null) is distinct from coalesce(a.is_visible, false)
      or (a.is_visible and d.document is distinct from (private.make_document(a)).document)`;
  expect([...wrong]).toEqual([]);
});

test("the lists of a tag follow every change of a listing", async () => {
  const { id } = await makeAsset(db.sql, {
    creator: owner,
    title: "Moving",
    slug: "moving",
    tags: ["okapi"],
  });
  const other = await makeAsset(db.sql, {
    creator: owner,
    title: "Staying",
    slug: "staying",
    tags: ["okapi"],
  });
  const listed = async (tags: string[], sort = "most_starred") =>
    (await search(guest, { tags, sort })).items.map((item) => item.title);
  await star(everybody.importer, id);
  expect(await listed(["okapi"])).toEqual(["Moving", "Staying"]);
  await everybody.importer.run((tx) => tx`delete from hub_stars where asset_id = ${id}`);
  await star(everybody.importer, other.id);
  expect(await listed(["okapi"])).toEqual(["Staying", "Moving"]);
  await publish(db.sql, owner, {
    refId: other.refId,
    title: "Staying",
    tags: ["okapi"],
    payload: { content: "New" },
  });
  expect(await listed(["okapi"], "recently_updated")).toEqual(["Staying", "Moving"]);
  await everybody.owner.run((tx) => tx`update hub_assets set tags = '{okapi,quagga}' where id = ${id}`);
  expect(await listed(["quagga", "okapi"])).toEqual(["Moving"]);
  await call(everybody.owner, "hub_unpublish_asset", id);
  expect(await listed(["okapi"])).toEqual(["Staying"]);
  await call(everybody.owner, "hub_republish_asset", id);
  await call(everybody.admin, "hub_hide_asset", other.id, "For a test.");
  expect(await listed(["okapi"])).toEqual(["Moving"]);
  await db.sql`delete from hub_assets where id = ${id}`;
  expect(await listed(["okapi"])).toEqual([]);
});

test("there is a row for each tag of each visible listing and for nothing else, with what lists are sorted by", async () => {
  const wrong = await db.sql`
    select e.asset_id, t.asset_id, e.tag, t.tag
    from (
      select a.id as asset_id, u.tag, a.published_at, a.content_updated_at, a.install_count, a.star_count,
        private.tag_bits(a.tags) as tag_bits
      from hub_assets a cross join lateral unnest(a.tags) u (tag)
      where a.is_visible
    ) e
    full join private.hub_listing_tags t on t.asset_id = e.asset_id and t.tag = e.tag
    where to_jsonb(e) is distinct from to_jsonb(t)`;
  expect([...wrong]).toEqual([]);
  expect(await db.sql`select from private.hub_listing_tags limit 1`).toHaveLength(1);
});

describe("what is no search is told so, with the field", () => {
  test.each<[Search, string]>([
    [{ page_size: 0 }, "page_size"],
    [{ page_size: -1 }, "page_size"],
    [{ page_size: 101 }, "page_size"],
    [{ page_size: 1_000_000_000 }, "page_size"],
    [{ sort: "stars" }, "sort"],
    [{ sort: "star_count desc; drop table hub_assets" }, "sort"],
    [{ sort: "relevance" }, "sort"],
    [{ types: ["prompt"] }, "types"],
    [{ types: ["template", "template", "template", "template", "template"] }, "types"],
    [{ types: [null as never] }, "types"],
    [{ license: "none-such" }, "license"],
    [{ cardinality: "many" }, "cardinality"],
    [{ model: "gpt 4o" }, "model"],
    [{ model: "" }, "model"],
    [{ model: "x".repeat(10_000) }, "model"],
    [{ tags: Array.from({ length: 10_000 }, (_, i) => `tag-${i}`) }, "tags"],
    [{ tags: ["a b"] }, "tags"],
    [{ tags: ["') | ('=tag:legal"] }, "tags"],
    [{ tags: ["'"] }, "tags"],
    [{ tags: [null as never] }, "tags"],
    [{ tags: ["x".repeat(65)] }, "tags"],
    [{ creator: "x".repeat(101) }, "creator"],
    [{ q: "x".repeat(10_000) }, "q"],
    [{ q: "word ".repeat(101) }, "q"],
    [{ q: "a", page_size: 0, sort: "x", types: ["y"], license: "z" }, "types,license,sort,page_size"],
  ])("%j", async (what, field) => {
    expect(await refusal(guest, what)).toBe(field);
  });

  test.each([
    ...[
      "%",
      "_",
      "\\",
      "'",
      '"',
      "''",
      "foo &",
      "foo:*",
      "a <-> b",
      "!",
      "!a",
      "((",
      "a | b",
      ":*",
      "\\'",
      "'a':*A",
      "*",
    ],
    ...[
      "the of and",
      "is_hidden",
      "=tag:legal",
      "^1",
      "~a",
      "' | '=type:template",
      "\u0001",
      "\u200b",
      "\ud83d\ude00",
      "𐍈",
      "a".repeat(500),
    ],
    ...[
      "or=(is_hidden.eq.true)",
      "select hub_search()",
      "a̐éö̲",
      "﷽",
      "…",
      "   ",
      "	",
      "ﬁ",
      "İstanbul",
      "x\u0301".repeat(200),
    ],
  ])("any text is an answer: %j", async (q) => {
    for (const sort of ["relevance", "newest"] as const)
      for (const item of (await search(guest, { q, ...(q.trim() === "" ? {} : { sort }) })).items)
        expect(item.title).not.toContain("Unseen");
  });

  test("% and _ are plain characters, and what holds no word finds nothing", async () => {
    for (const q of ["%", "_", "min%", "m_nutes", "&", "''"]) {
      expect((await titles(guest, { q })).includes("Meeting minutes"), q).toBe(q === "min%");
      expect(await titles(guest, { q, sort: "newest" }), q).toEqual(q === "min%" ? ["Meeting minutes"] : []);
    }
  });
});

describe("a cursor", () => {
  const cursorOf = async (what: Search) => (await search(guest, { ...what, page_size: 1 })).next_cursor ?? "";

  test("belongs to its sort and filters", async () => {
    const given: Search[] = [
      {},
      { sort: "most_starred" },
      { q: "research" },
      { model: "gpt-4o" },
      { creator: username },
    ];
    for (const own of given) {
      const cursor = await cursorOf(own);
      expect(cursor, JSON.stringify(own)).not.toBe("");
      for (const other of given) {
        if (other !== own) expect(await refusal(guest, { ...other, cursor })).toBe("malformed_cursor");
      }
      expect((await search(guest, { ...own, cursor })).items.length).toBeGreaterThan(0);
      expect(await refusal(guest, { ...own, tags: ["legal"], cursor })).toBe("malformed_cursor");
    }
  });

  test("is what was given, whole", async () => {
    for (const what of [{}, { q: "research" }] as Search[]) {
      const cursor = await cursorOf(what);
      const place = JSON.parse(Buffer.from(cursor, "base64url").toString());
      const own = (other: object) =>
        Buffer.from(JSON.stringify({ ...place, ...other })).toString("base64url");
      for (const forged of [
        ...[
          "",
          "x",
          "e30",
          "bnVsbA",
          "%",
          cursor.slice(0, -5),
          cursor.slice(3),
          `${cursor}${cursor}`,
          "A".repeat(100_000),
        ],
        ...[
          own({ id: "x" }),
          own({ id: null }),
          own({ id: 5 }),
          own({ key: "now'; --", in: "here" }),
          own({ list: "search" }),
        ],
        ...[
          own({ key: {}, score: "NaN" }),
          own({ key: null, score: "1e400" }),
          own({ in: "rest", key: "x", floor: null }),
        ],
        ...[own({ in: "rest", floor: 1e9, key: [] }), own({ score: null, key: null })],
      ]) {
        expect(await refusal(guest, { ...what, cursor: forged }), forged.slice(0, 80)).toBe(
          "malformed_cursor",
        );
      }
    }
  });
});
