import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Actor, anon, anonymousSession, attempt, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  call,
  importAsset,
  makeAdmin,
  makeAsset,
  makeUser,
  makeUsers,
  publish,
  star,
  wrongCounters,
} from "../../support/hub.ts";

/* Tests finding and following creators, names that they may not use, and works that they may not publish as their own. */

let db: Clone;
/** More connections than the clone's own pool, so that statements really run at the same time. */
let crowd: { sql: Clone["sql"] };
let admin: string;
beforeAll(async () => {
  db = await cloneDatabase();
  crowd = { sql: db.as("postgres" as never, 8) };
  admin = await makeAdmin(db.sql);
});
afterAll(async () => {
  expect(await wrongCounters(db.sql)).toEqual([]);
  await db.drop();
});

interface Page {
  items: { username: string; published_assets: number; total_installs: number; total_stars: number }[];
  next_cursor: string | null;
}
async function ask<T = Page>(who: Actor, name: string, args: Record<string, unknown> = {}): Promise<T> {
  const list = Object.keys(args).map((arg, i) => `${arg} => $${i + 1}`);
  const [row] = await who.run((tx) =>
    tx.unsafe(`select ${name}(${list.join(", ")}) as answer`, Object.values(args) as never[]),
  );
  return row?.answer as T;
}
const named = async (username: string, displayName: string | null = null) => {
  const user = await makeUser(db.sql);
  await db.sql`update hub_profiles set username = ${username}, display_name = ${displayName} where user_id = ${user}`;
  return user;
};
const usernames = ({ items }: Page) => items.map(({ username }) => username);

describe("the directory", () => {
  test("orders by installs, stars and beginning, page by page, and follows what happens to listings", async () => {
    const [ada, bea, cleo] = [await named("dir-ada"), await named("dir-bea"), await named("dir-cleo")];
    const one = await makeAsset(db.sql, { creator: ada, slug: "dir-one" });
    const two = await makeAsset(db.sql, { creator: bea, slug: "dir-two" });
    await makeAsset(db.sql, { creator: bea, slug: "dir-three" });
    await makeAsset(db.sql, { creator: cleo, slug: "dir-four" });
    const fan = await makeUser(db.sql);
    await importAsset(db.sql, fan, one.id);
    await star(signedIn(db, fan), two.id);
    const guest = anon(db);
    const of = (sort: string, more = {}) => ask(guest, "hub_creators", { q: "dir-", sort, ...more });
    expect(usernames(await of("most_installed"))[0]).toBe("dir-ada");
    expect(usernames(await of("most_starred"))[0]).toBe("dir-bea");
    expect(usernames(await of("newest"))).toEqual(["dir-cleo", "dir-bea", "dir-ada"]);
    const seen: string[] = [];
    for (let cursor: string | null = null, more = true; more; ) {
      const page: Page = await of("most_installed", { page_size: 1, ...(cursor && { cursor }) });
      seen.push(...usernames(page));
      cursor = page.next_cursor;
      more = cursor !== null;
    }
    expect(new Set(seen)).toEqual(new Set(["dir-ada", "dir-bea", "dir-cleo"]));
    expect(seen).toHaveLength(3);
    const [row] = (await ask(guest, "hub_creators", { q: "dirbea" })).items;
    expect(row).toMatchObject({ published_assets: 2, total_installs: 0, total_stars: 1 });

    await call(signedIn(db, admin), "hub_hide_asset", one.id, "For a test.");
    expect(usernames(await of("newest"))).not.toContain("dir-ada");
    await call(signedIn(db, admin), "hub_restore_asset", one.id);
    await call(signedIn(db, admin), "hub_ban_creator", bea, "For a test.");
    expect(usernames(await of("newest"))).toEqual(["dir-cleo", "dir-ada"]);
    await db.sql`delete from auth.users where id = ${ada}`;
    expect(usernames(await of("newest"))).toEqual(["dir-cleo"]);
  });

  test("finds by either name, however it is written", async () => {
    const creator = await named("zoe_quill", "Zoé Quillfeather");
    await makeAsset(db.sql, { creator, slug: "by-zoe" });
    for (const q of ["zoe", "ZOE_QUILL", "quillfeather", "zoé q", "zoequ1ll"])
      expect(usernames(await ask(anon(db), "hub_creators", { q })), q).toContain("zoe_quill");
    for (const q of ["!!!", "zoezoe", "%", "_"])
      expect((await ask(anon(db), "hub_creators", { q })).items, q).toEqual([]);
    await db.sql`update hub_profiles set display_name = 'Another' where user_id = ${creator}`;
    expect((await ask(anon(db), "hub_creators", { q: "quillfeather" })).items).toEqual([]);
  });

  test.each([
    [{ sort: "best" }, "validation_failed"],
    [{ page_size: 0 }, "validation_failed"],
    [{ page_size: 101 }, "validation_failed"],
    [{ q: "x".repeat(401) }, "validation_failed"],
    [{ cursor: "x" }, "malformed_cursor"],
    [{ cursor: Buffer.from('{"list": "following"}').toString("base64") }, "malformed_cursor"],
  ])("%j is refused", async (args, code) => {
    await expect(ask(anon(db), "hub_creators", args)).rejects.toMatchObject({ message: code });
  });
});

describe("follow", () => {
  const follow = (who: Actor, creator: string) =>
    attempt(who, (tx) => tx`insert into hub_follows (creator_id) values (${creator})`);

  test("shows what they have published, newest first, to the follower alone; unfollowing ends it", async () => {
    const [one, two] = [await named("follow-one"), await named("follow-two")];
    const slugs: string[] = [];
    for (const creator of [one, two, one])
      slugs.unshift((await makeAsset(db.sql, { creator, slug: "followed" })).slug);
    const me = signedIn(db, await makeUser(db.sql));
    const other = signedIn(db, await makeUser(db.sql));
    for (const creator of [one, two, one]) expect(await follow(me, creator)).toHaveProperty("rows");
    const read = async (who: Actor) => {
      const seen: string[] = [];
      for (let cursor: string | null = null, more = true; more; ) {
        const page: { items: { slug: string }[]; next_cursor: string | null } = await ask(
          who,
          "hub_following",
          {
            page_size: 2,
            ...(cursor && { cursor }),
          },
        );
        seen.push(...page.items.map(({ slug }) => slug));
        cursor = page.next_cursor;
        more = cursor !== null;
      }
      return seen;
    };
    expect(await read(me)).toEqual(slugs);
    expect(await read(other)).toEqual([]);
    expect(await other.run((tx) => tx`select * from hub_follows`)).toHaveLength(0);
    await call(signedIn(db, admin), "hub_ban_creator", two, "For a test.");
    expect(await read(me)).toEqual([slugs[0], slugs[2]]);
    await me.run((tx) => tx`delete from hub_follows where creator_id = ${one}`);
    expect(await read(me)).toEqual([]);
  });

  test("oneself, nobody, a banned creator, as a guest, as somebody else, when banned, more than 1,000", async () => {
    const [me, creator, banned] = [await makeUser(db.sql), await makeUser(db.sql), await makeUser(db.sql)];
    await call(signedIn(db, admin), "hub_ban_creator", banned, "For a test.");
    expect(await follow(signedIn(db, me), me)).toEqual({ refused: "validation_failed" });
    expect(await follow(signedIn(db, me), crypto.randomUUID())).toEqual({ refused: "42501" });
    expect(await follow(signedIn(db, me), banned)).toEqual({ refused: "42501" });
    expect(await follow(anon(db), creator)).toEqual({ refused: "42501" });
    expect(await follow(anonymousSession(db, me), creator)).toEqual({ refused: "42501" });
    expect(await follow(signedIn(db, banned), creator)).toEqual({ refused: "banned" });
    expect(
      await attempt(
        signedIn(db, me),
        (tx) => tx`insert into hub_follows (user_id, creator_id) values (${creator}, ${me})`,
      ),
    ).toEqual({ refused: "42501" });
    const ids = [await makeUser(db.sql), ...Array.from({ length: 999 }, () => crypto.randomUUID())];
    // The limit counts the rows, so these need neither profiles nor checks.
    await db.sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`insert into hub_follows (user_id, creator_id) select ${me}, unnest(${ids}::uuid[])`;
    });
    expect(await follow(signedIn(db, me), creator)).toEqual({ refused: "limit_reached" });
    expect(await follow(signedIn(db, me), ids[0] ?? "")).toHaveProperty("rows");
  });

  test("two who follow each other and many more delete their accounts at once: no deadlock", async () => {
    const users = await makeUsers(db.sql, 8);
    await db.sql`
      insert into hub_follows (user_id, creator_id)
      select one, other from unnest(${users}::uuid[]) one cross join unnest(${users}::uuid[]) other where one <> other`;
    await Promise.all(users.map((id) => crowd.sql`delete from auth.users where id = ${id}`));
    expect(
      await db.sql`select from hub_follows where user_id = any (${users}) or creator_id = any (${users})`,
    ).toHaveLength(0);
  });
});

test("stars of many listings of several creators at once: exact sums, no deadlock", async () => {
  const creators = await makeUsers(db.sql, 4);
  const ids: string[] = [];
  for (let i = 0; i < 12; i += 1)
    ids.push((await makeAsset(db.sql, { creator: creators[i % 4] ?? "", slug: "many-stars" })).id);
  const fans = await makeUsers(db.sql, 16);
  await Promise.all(
    fans.map(async (fan) => {
      const mixed = ids.toSorted(() => Math.random() - 0.5);
      await signedIn(crowd, fan).run(
        (tx) => tx`insert into hub_stars (asset_id) select unnest(${mixed}::uuid[])`,
      );
    }),
  );
  const sums = await db.sql`select total_stars from private.hub_creators where user_id = any (${creators})`;
  expect(sums.map((row) => Number(row.total_stars))).toEqual([48, 48, 48, 48]);
  expect(await wrongCounters(db.sql)).toEqual([]);
});

describe("mixed scripts", () => {
  test.each([
    ["Pаypal invoices", true],
    ["СhatGPT helper", true],
    ["Αpple notes", true],
    ["micrοsoft", true],
    ["Κeyhub", true],
    ["TNFα und NFκB", false],
    ["β-carotene", false],
    ["IT-отдел: отчёт", false],
    ["Отчёт по GPT", false],
    ["Ελληνικά and English", false],
  ])("%s: %s", async (title, isMixed) => {
    const user = await makeUser(db.sql);
    const made = publish(db.sql, user, { title, slug: "mixed" });
    if (isMixed) await expect(made).rejects.toMatchObject({ message: "mixed_script" });
    else await made;
    const { id } = await makeAsset(db.sql, { creator: user, slug: "edited" });
    const edit = await attempt(
      signedIn(db, user),
      (tx) => tx`update hub_assets set title = ${title} where id = ${id}`,
    );
    expect(edit).toEqual(isMixed ? { refused: "mixed_script" } : { rows: expect.anything() });
  });

  test("a copy keeps such a title of old times, and it can be published under another one", async () => {
    const { id } = await makeAsset(db.sql, { slug: "old-title", license: "cc0" });
    await db.sql`alter table hub_assets disable trigger hub_assets_10_check_text`;
    await db.sql`update hub_assets set title = 'Pаypal' where id = ${id}`;
    await db.sql`alter table hub_assets enable trigger hub_assets_10_check_text`;
    const user = await makeUser(db.sql);
    const { refId } = await importAsset(db.sql, user, id);
    await expect(publish(db.sql, user, { refId, title: "Pаypal" })).rejects.toMatchObject({
      message: "mixed_script",
    });
    await publish(db.sql, user, { refId, title: "Paypal" });
  });
});

describe("the same content", () => {
  const long = (words: string) => ({ content: `${words} `.repeat(40).slice(0, 240) });
  const again = (user: string, payload: Record<string, unknown>, more = {}) =>
    publish(db.sql, user, { payload, slug: "again", license: "cc-by", ...more }) as Promise<{
      same_as?: string | null;
      asset_id: string;
    }>;

  test("of somebody else without its lineage is refused where the license asks for it; an admin may allow it", async () => {
    const payload = long("mine alone");
    const { id, slug, creator, refId } = await makeAsset(db.sql, {
      payload,
      slug: "the-first",
      license: "cc-by",
    });
    const user = await named("copies-others");
    await expect(again(user, payload)).rejects.toMatchObject({
      message: "duplicate_content",
      detail: JSON.stringify({ slug }).replace(":", ": "),
    });
    // The same content is refused under another name, too.
    await expect(again(user, { ...payload, name: "Mine" })).rejects.toMatchObject({
      message: "duplicate_content",
    });
    // The creator may publish the content twice, and a user may publish a copy that names its lineage.
    await again(creator, payload);
    const copy = await importAsset(db.sql, user, id, "remix");
    expect((await again(user, payload, { refId: copy.refId })).same_as).toBeNull();
    // Two copies of one original are not copies of each other.
    const another = await makeUser(db.sql);
    const sibling = await importAsset(db.sql, another, id, "remix");
    expect((await again(another, payload, { refId: sibling.refId })).same_as).toBeNull();
    const third = await makeUser(db.sql);
    await expect(call(signedIn(db, third), "hub_allow_content", id, "copies-others")).resolves.toEqual({
      refused: "42501",
    });
    const fourth = await named("allowed-one");
    await call(signedIn(db, admin), "hub_allow_content", id, "allowed-one");
    expect((await again(fourth, payload)).same_as).toBe(slug);
    const [event] =
      await db.sql`select details from hub_events where action = 'same_content' and user_id = ${fourth}`;
    expect(event?.details).toMatchObject({ same_as: id });
    // The content of a new version of the original is protected, too.
    const next = long("the second version");
    await publish(db.sql, creator, { refId, payload: next, license: "cc-by", slug });
    await expect(again(third, next)).rejects.toMatchObject({ message: "duplicate_content" });
  });

  test("under cc0 it is taken, and the answer says so; short prompts, short pipelines and presets are alike by chance", async () => {
    const payload = long("free for all");
    const { slug } = await makeAsset(db.sql, { payload, slug: "free", license: "cc0" });
    expect((await again(await makeUser(db.sql), payload)).same_as).toBe(slug);
    const short = { content: "Hello {{name}}" };
    await makeAsset(db.sql, { payload: short, slug: "short", license: "cc-by" });
    expect((await again(await makeUser(db.sql), short)).same_as).toBeNull();
    const preset = { model_id: "gpt-5", temperature: 0.25 };
    await makeAsset(db.sql, { type: "ai_preset", payload: preset, slug: "preset", license: "cc-by" });
    expect((await again(await makeUser(db.sql), preset, { type: "ai_preset" })).same_as).toBeNull();
    const kit = (description: string) => ({
      nodes: [
        { id: "draft", type: "stage", position: { x: 0, y: 0 }, data: { label: "Draft", description } },
      ],
      edges: [],
      stage_configs: [{ id: "s", node_id: "draft", name: "Draft", settings: {} }],
    });
    const type = "orchestration";
    await makeAsset(db.sql, { type, payload: kit("Short."), slug: "kit", license: "cc-by" });
    expect((await again(await makeUser(db.sql), kit("Short."), { type })).same_as).toBeNull();
    const whole = kit("Long. ".repeat(200));
    await makeAsset(db.sql, { type, payload: whole, slug: "whole-kit", license: "cc-by" });
    await expect(again(await makeUser(db.sql), whole, { type })).rejects.toMatchObject({
      message: "duplicate_content",
    });
    const source = { source: "export default () => null;" };
    await makeAsset(db.sql, { type: "component", payload: source, slug: "component", license: "cc-by" });
    await expect(again(await makeUser(db.sql), source, { type: "component" })).rejects.toMatchObject({
      message: "duplicate_content",
    });
  });

  test("of a listing that is hidden or gone, it may be published", async () => {
    const payload = long("hidden from all");
    const { id } = await makeAsset(db.sql, { payload, slug: "hidden-first", license: "cc-by" });
    await call(signedIn(db, admin), "hub_hide_asset", id, "For a test.");
    expect((await again(await makeUser(db.sql), payload)).same_as).toBeNull();
  });
});
