import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Actor, attempt, service, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  assetRow,
  call,
  type ImportPlan,
  importAsset,
  makeAsset,
  makeUser,
  planImport,
  publish,
  runImport,
  sha256,
  untilWaiting,
  wrongCounters,
} from "../../support/hub.ts";

let db: Clone;
let crowd: { sql: Clone["sql"] };
beforeAll(async () => {
  db = await cloneDatabase();
  crowd = { sql: db.as("postgres" as never, 10) };
});
afterAll(() => db.drop());

/** Runs an import for a user, as the service does; returns the result. */
const importing = (userId: string, plan: ImportPlan, as: Actor = service(db)) =>
  attempt(as, async (tx) => [await runImport(tx, userId, plan)]);

/** Returns the counts of all rows that an import writes. */
const written = async () =>
  (
    await db.sql`
      select (select count(*)::int from hub_assets) as assets, (select count(*)::int from prompt_templates) as templates,
        (select count(*)::int from orchestrator_configs) as configs, (select count(*)::int from hub_imports) as imports,
        (select count(*)::int from private.hub_moderation) as moderation, (select sum(install_count)::int from hub_assets) as installs,
        (select count(*)::int from private.hub_idempotent_responses) as answers`
  )[0];

const item = (n: number, over: Record<string, unknown> = {}) => {
  const payload = { name: `Item ${n}`, content: `Content ${n}`, ...over };
  return {
    ...{ asset_type: "template", ref_id: randomUUID(), title: `Item ${n}`, payload, sha256: sha256(payload) },
    license: "cc0",
  };
};
const kitOf = (items: Record<string, unknown>[]) =>
  makeAsset(db.sql, { type: "orchestration", slug: "kit", title: "Kit", payload: { nodes: [] }, items });

describe("all or nothing", () => {
  test.each([
    ["a content that the workspace does not take", { content: "x".repeat(262_145) }, {}],
    ["a title that the registry does not take", {}, { title: "\u200b" }],
    ["variables that are neither a list nor an object", { variables: "text" }, {}],
  ])("a kit of 50 whose 37th item has %s: nothing is created, nothing counted", async (_, payload, over) => {
    const items = Array.from({ length: 50 }, (_, i) => item(i + 1));
    items[36] = { ...item(37, payload), ...over };
    const { id } = await kitOf(items);
    const user = await makeUser(db.sql);
    const plan = await planImport(db.sql, id);
    expect(plan.rows).toHaveLength(51);
    const before = await written();
    expect(await importing(user, plan)).toEqual({ refused: "validation_failed" });
    expect(await written()).toEqual(before);
    expect(await assetRow(db.sql, id)).toMatchObject({ install_count: 0 });
  });

  test("the 50 others arrive, in their order", async () => {
    const { id } = await kitOf(Array.from({ length: 50 }, (_, i) => item(i + 1)));
    const user = await makeUser(db.sql);
    const made = await runImport(db.sql, user, await planImport(db.sql, id));
    expect(made.map(({ title }) => title)).toEqual([
      "Kit",
      ...Array.from({ length: 50 }, (_, i) => `Item ${i + 1}`),
    ]);
    const rows = await db.sql`
      select t.content from hub_imports i, jsonb_array_elements(i.created) with ordinality c (made, n)
      join prompt_templates t on t.id = (c.made ->> 'id')::uuid
      where i.user_id = ${user} order by c.n`;
    expect(rows.map(({ content }) => content)).toEqual(
      Array.from({ length: 50 }, (_, i) => `Content ${i + 1}`),
    );
  });
});

describe("names", () => {
  test.each([
    [[], ["X"], ["X"]],
    [["X"], ["X"], ["X (2)"]],
    [["X", "X (2)", "X (7)"], ["X"], ["X (8)"]],
    [["X (2)"], ["X"], ["X"]],
    [["X (2)"], ["X (2)"], ["X (3)"]],
    [
      ["X", "x"],
      ["X", "Y", "X"],
      ["X (2)", "Y", "X (3)"],
    ],
    [[], ["X", "X", "X"], ["X", "X (2)", "X (3)"]],
    [["X"], ["X.", "X (two)"], ["X.", "X (two)"]],
    [["T".repeat(120)], ["T".repeat(120)], [`${"T".repeat(100)} (2)`]],
    [["X (999999)", "X"], ["X"], ["X (1000000)"]],
  ])("%j there, %j wanted: %j", async (there, wanted, expected) => {
    const user = await makeUser(db.sql);
    for (const name of there)
      await db.sql`insert into prompt_templates (user_id, name) values (${user}, ${name})`;
    // A name is free if only other users, or items of other types, have it.
    await db.sql`insert into custom_components (user_id, name) values (${user}, 'Y')`;
    const rows = wanted.map((title) => ({ asset_type: "template", title }));
    const names =
      await db.sql`select name from private.free_names(${user}, ${db.sql.json(rows)}) order by place`;
    expect(names.map(({ name }) => name)).toEqual(expected);
  });
});

describe("what was read is looked at again under the lock", () => {
  const changes: [string, (id: string, creator: string, refId: string) => PromiseLike<unknown>][] = [
    ["hidden", (id) => db.sql`update hub_assets set is_hidden = true where id = ${id}`],
    ["unpublished", (id, creator) => call(signedIn(db, creator), "hub_unpublish_asset", id)],
    ["deleted", (id, creator) => call(signedIn(db, creator), "hub_delete_asset", id)],
    ["erased", (id) => db.sql`delete from hub_assets where id = ${id}`],
    [
      "its creator banned",
      (_, creator) => db.sql`insert into private.hub_bans (user_id) values (${creator})`,
    ],
    [
      "deleted and published anew with other content",
      async (id, creator, refId) => {
        await call(signedIn(db, creator), "hub_delete_asset", id);
        await publish(db.sql, creator, { refId, payload: { content: "New" } });
      },
    ],
  ];
  test.each(changes)("%s since: refused, and nothing is made", async (_, change) => {
    const { id, creator, refId } = await makeAsset(db.sql);
    const plan = await planImport(db.sql, id);
    await change(id, creator, refId);
    const before = await written();
    expect(await importing(await makeUser(db.sql), plan)).toEqual({ refused: "asset_not_found" });
    expect(await written()).toEqual(before);
  });

  test("other content under that version", async () => {
    const { id } = await makeAsset(db.sql);
    const plan = await planImport(db.sql, id);
    plan.asset.sha256 = "0".repeat(64);
    expect(await importing(await makeUser(db.sql), plan)).toEqual({ refused: "asset_not_found" });
  });

  test("hidden while the import waits for the listing: refused", async () => {
    const { id } = await makeAsset(db.sql);
    const plan = await planImport(db.sql, id);
    const user = await makeUser(db.sql);
    let running: ReturnType<typeof importing> | undefined;
    await crowd.sql.begin(async (tx) => {
      await tx`update hub_assets set is_hidden = true where id = ${id}`;
      running = importing(user, plan);
      await untilWaiting(db.sql, "private.import_asset");
    });
    expect(await running).toEqual({ refused: "asset_not_found" });
    expect(await db.sql`select from prompt_templates where user_id = ${user}`).toHaveLength(0);
    expect(await wrongCounters(db.sql)).toEqual([]);
  });

  test("banned while the import waits: refused", async () => {
    const { id } = await makeAsset(db.sql);
    const plan = await planImport(db.sql, id);
    const user = await makeUser(db.sql);
    let running: ReturnType<typeof importing> | undefined;
    await crowd.sql.begin(async (tx) => {
      await tx`insert into private.hub_bans (user_id) values (${user})`;
      running = importing(user, plan);
      await untilWaiting(db.sql, "private.import_asset");
    });
    expect(await running).toEqual({ refused: "banned" });
  });

  test("the account gone since its token was looked at: refused as one that is not signed in", async () => {
    const { id } = await makeAsset(db.sql);
    const plan = await planImport(db.sql, id);
    expect(await importing(randomUUID(), plan)).toEqual({ refused: "invalid_credential" });
  });

  test("a newer version since: the one that was read is imported", async () => {
    const { id, creator, refId } = await makeAsset(db.sql);
    const plan = await planImport(db.sql, id);
    await publish(db.sql, creator, { refId, payload: { content: "Two" } });
    expect(await importing(await makeUser(db.sql), plan)).toHaveProperty("rows");
    const [row] = await db.sql`select version from hub_imports where asset_id = ${id}`;
    expect(row?.version).toBe(1);
  });

  test("a root that is being erased is waited for, and then not referred to", async () => {
    const root = await makeAsset(db.sql);
    const remixer = await makeUser(db.sql);
    const copy = await importAsset(db.sql, remixer, root.id, "remix");
    await publish(db.sql, remixer, { refId: copy.refId, slug: "a-remix" });
    const plan = await planImport(db.sql, copy.id);
    const user = await makeUser(db.sql);
    let running: ReturnType<typeof importing> | undefined;
    await crowd.sql.begin(async (tx) => {
      await tx`delete from hub_assets where id = ${root.id}`;
      running = importing(user, plan);
      await untilWaiting(db.sql, "private.import_asset");
    });
    expect(await running).toHaveProperty("rows");
    const [made] = await db.sql`select source_asset_id from hub_assets where creator_id = ${user}`;
    expect(made).toEqual({ source_asset_id: null });
  });

  test("a root that is erased since is not referred to", async () => {
    const root = await makeAsset(db.sql);
    const remixer = await makeUser(db.sql);
    const copy = await importAsset(db.sql, remixer, root.id, "remix");
    await publish(db.sql, remixer, { refId: copy.refId, slug: "a-remix" });
    const plan = await planImport(db.sql, copy.id);
    await db.sql`delete from hub_assets where id = ${root.id}`;
    const [made] = await runImport(db.sql, await makeUser(db.sql), plan, "remix");
    expect(await assetRow(db.sql, made?.hub_asset_id ?? "")).toMatchObject({
      source_asset_id: null,
      parent_asset_id: copy.id,
      remix_depth: 2,
      attribution: { root: { id: root.id } },
    });
  });
});
