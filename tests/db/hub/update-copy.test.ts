import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attempt, signedIn } from "../../support/actors.ts";
import { copy, kitItem, type Made, nextVersion, planUpdate, runUpdate } from "../../support/copies.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  addSource,
  assetRow,
  call,
  importAsset,
  makeAdmin,
  makeAsset,
  makeUser,
  publish,
  untilWaiting,
  wrongCounters,
} from "../../support/hub.ts";

/* Tests "Update my copy": the content of a copy is replaced in place, and can be restored. */

let db: Clone;
let admin: string;
beforeAll(async () => {
  db = await cloneDatabase();
  admin = await makeAdmin(db.sql);
});
afterAll(async () => {
  expect(await wrongCounters(db.sql)).toEqual([]);
  await db.drop();
});

const done = { rows: expect.anything() };
const main = (made: Made[]) => made[0] as Made;

/** Makes a template in two versions, "One" and "Two", and a user's copy of version 1 that follows newer versions. */
async function copied() {
  const { id, creator, refId } = await makeAsset(db.sql, { payload: { content: "One" }, license: "cc0" });
  const user = await makeUser(db.sql);
  const { id: ref, hub_asset_id: into, title } = main(await copy(db.sql, user, id));
  const next = (content: string) => nextVersion(db.sql, creator, refId, content);
  await next("Two");
  const content = async () =>
    (await db.sql`select content from prompt_templates where id = ${ref}`)[0]?.content;
  const edit = (text: string) =>
    attempt(signedIn(db, user), (tx) => tx`update prompt_templates set content = ${text} where id = ${ref}`);
  return { id, creator, user, ref, into, title, next, content, edit, me: signedIn(db, user) };
}

const updatesOf = async (user: string) => {
  const [row] = await signedIn(db, user).run((tx) => tx`select hub_updates() as updates`);
  return ((row?.updates ?? []) as { kind: string }[]).map(({ kind }) => kind);
};

describe("an update", () => {
  test("replaces the content in place; name, id and number of rows stay; the copy has the new version", async () => {
    const { id, user, ref, into, content, me } = await copied();
    await attempt(me, (tx) => tx`update prompt_templates set name = 'My name' where id = ${ref}`);
    const imports = async () => db.sql`select version, created from hub_imports where user_id = ${user}`;
    const made = await copy(db.sql, user, id, { into });
    expect(made).toEqual([
      { asset_type: "template", table: "prompt_templates", id: ref, hub_asset_id: into, title: "My name" },
    ]);
    expect(await content()).toBe("Two");
    expect(await db.sql`select name from prompt_templates where user_id = ${user}`).toEqual([
      { name: "My name" },
    ]);
    expect(await imports()).toEqual([{ version: 2, created: made }]);
    expect(await assetRow(db.sql, into)).toMatchObject({
      ...{ pinned_version: null, license: "platform-free" },
      attribution: { root: { id, version: 2 }, parent: { id, version: 2 } },
    });
    expect(await assetRow(db.sql, id)).toMatchObject({ install_count: 1 });
    expect(await updatesOf(user)).toEqual([]);
    // The same update again has the same result.
    expect(await copy(db.sql, user, id, { into })).toEqual(made);
  });

  test("of a preset keeps its key; of every type replaces what an import writes", async () => {
    const creator = await makeUser(db.sql);
    const variables = [{ name: "x" }];
    const cases = [
      ["template", { content: "a" }, { content: "b", variables }],
      ["ai_preset", { model_id: "a" }, { model_id: "b", temperature: 0.5 }],
      ["component", { source: "export {};" }, { source: "export const a = 1;", props_schema: { a: 1 } }],
      ["orchestration", { nodes: [] }, { nodes: [{ id: "n" }], edges: [], stage_configs: [{ id: "s" }] }],
    ] as const;
    for (const [type, one, two] of cases) {
      const { id, refId } = await makeAsset(db.sql, { creator, type, payload: one });
      const user = await makeUser(db.sql);
      const { id: ref, hub_asset_id: into } = main(await copy(db.sql, user, id));
      const table = {
        ai_preset: "ai_model_settings",
        component: "custom_components",
        template: "prompt_templates",
      }[type as string];
      if (type === "ai_preset") {
        const settings = { api_key: "kept", pricing: db.sql.json({ input: 1 }) };
        await db.sql`update ai_model_settings set ${db.sql(settings)} where id = ${ref}`;
      }
      await publish(db.sql, creator, { type, refId, payload: two });
      await copy(db.sql, user, id, { into });
      const [row] = await db.sql`select * from ${db.sql(table ?? "orchestrator_configs")} where id = ${ref}`;
      expect(row).toMatchObject(two);
      if (type === "ai_preset") expect(row).toMatchObject({ api_key: "kept", pricing: { input: 1 } });
    }
  });

  test("of an edited copy is refused by name, and changes nothing; with overwrite the edit can be had back", async () => {
    const { id, user, ref, into, content, edit, me } = await copied();
    await edit("Mine");
    const refused = copy(db.sql, user, id, { into });
    await expect(refused).rejects.toMatchObject({ code: "PT409", message: "modified_copy" });
    const detail = JSON.parse((await refused.catch((error) => error)).detail);
    expect(detail).toEqual({ items: [{ asset_type: "template", hub_asset_id: into, title: "A greeting" }] });
    await expect(copy(db.sql, user, id, { into, dryRun: true })).rejects.toMatchObject({
      message: "modified_copy",
    });
    expect(await content()).toBe("Mine");
    expect(await db.sql`select from private.hub_overwritten where asset_id = ${into}`).toHaveLength(0);
    await copy(db.sql, user, id, { into, overwrite: true });
    expect(await content()).toBe("Two");
    const back = await attempt(me, (tx) => tx`select hub_restore_copy(${into}) as copy`);
    expect("rows" in back && back.rows[0]?.copy).toEqual({
      ...{ id: into, asset_type: "template", ref_id: ref, title: "A greeting", version: 1 },
    });
    expect(await content()).toBe("Mine");
    // The copy is an edited copy of version 1 again.
    expect(await updatesOf(user)).toEqual(["newer_version"]);
    await expect(copy(db.sql, user, id, { into })).rejects.toMatchObject({ message: "modified_copy" });
  });

  test("that is tried only writes nothing", async () => {
    const { id, user, into, content } = await copied();
    const made = await copy(db.sql, user, id, { into, dryRun: true });
    expect(made).toMatchObject([{ id: null, hub_asset_id: null }]);
    expect(await content()).toBe("One");
    expect(await db.sql`select from private.hub_overwritten where asset_id = ${into}`).toHaveLength(0);
  });

  test("into somebody else's copy, a listing of one's own or nothing is 404; into a copy of another listing 422", async () => {
    const { id, creator, user, into, content } = await copied();
    const other = await copied();
    const rows = (await planUpdate(db.sql, user, id, { into })).rows;
    const plan = { ...(await planUpdate(db.sql, user, id)), rows };
    for (const [who, target] of [
      [other.user, into],
      [creator, into],
      [creator, id],
      [user, crypto.randomUUID()],
    ] as const) {
      await expect(planUpdate(db.sql, who, id, { into: target })).rejects.toMatchObject({
        ...{ code: "PT404", message: "asset_not_found" },
      });
      await expect(runUpdate(db.sql, who, plan, { into: target, overwrite: true })).rejects.toMatchObject({
        ...{ code: "PT404", message: "asset_not_found" },
      });
    }
    const theirs = await planUpdate(db.sql, user, other.id, { into });
    await expect(runUpdate(db.sql, user, theirs, { into, overwrite: true })).rejects.toMatchObject({
      ...{ code: "PT422", message: "validation_failed", detail: expect.stringContaining('"other_listing"') },
    });
    expect(await content()).toBe("One");
  });

  test("of a remix that is published keeps its license, its lineage and every origin", async () => {
    const { id: root } = await makeAsset(db.sql, { license: "cc0" });
    const creator = await makeUser(db.sql);
    const middle = await importAsset(db.sql, creator, root, "remix");
    const { asset_id: id } = await publish(db.sql, creator, {
      refId: middle.refId,
      slug: "middle",
      license: "cc-by",
    });
    const user = await makeUser(db.sql);
    const mine = await importAsset(db.sql, user, id, "remix");
    await publish(db.sql, user, {
      refId: mine.refId,
      slug: "mine",
      license: "cc0",
      payload: { content: "Mine" },
    });
    const before = await assetRow(db.sql, mine.id);
    await publish(db.sql, creator, { refId: middle.refId, slug: "middle", payload: { content: "Two" } });
    await copy(db.sql, user, id, { into: mine.id });
    expect(await assetRow(db.sql, mine.id)).toMatchObject({
      ...{ license: "cc0", source_asset_id: root, parent_asset_id: id, remix_depth: before.remix_depth },
      attribution: { root: { id: root, version: 1 }, parent: { id, version: 2 } },
      ...{ is_visible: true, current_version: 1 },
    });
  });

  test("an origin that only the old version names stays named", async () => {
    const origin = (id: string, version: number) => ({ id, version });
    const [row] = await db.sql`
      select private.joined_attribution(
        ${db.sql.json({ root: origin("a", 1), parent: origin("b", 1), via: [origin("c", 1), origin("d", 1)] })},
        ${db.sql.json({ root: origin("a", 1), parent: origin("b", 2), via: [origin("d", 2)] })}
      ) as joined`;
    expect(row?.joined).toEqual({
      ...{ root: origin("a", 1), parent: origin("b", 2), via: [origin("d", 2), origin("c", 1)] },
    });
  });
});

describe("an update of a kit", () => {
  /** Makes a kit of two templates, "a" and "b", and a user's copy. */
  async function kit() {
    const creator = await makeUser(db.sql);
    const [a, b, c] = await Promise.all(["a", "b", "c"].map((text) => kitItem(db.sql, creator, text)));
    if (!a || !b || !c) throw new Error("no items");
    const refId = await addSource(db.sql, creator, "orchestration");
    const put = (...items: Record<string, unknown>[]) =>
      publish(db.sql, creator, {
        type: "orchestration",
        refId,
        payload: { nodes: [] },
        items,
        title: "A kit",
      });
    const { asset_id: id } = await put(a.item, b.item);
    const user = await makeUser(db.sql);
    const made = await copy(db.sql, user, id);
    const contents = async (rows: Made[]) =>
      Promise.all(
        rows
          .slice(1)
          .map(
            async (row) =>
              (await db.sql`select content from prompt_templates where id = ${row.id}`)[0]?.content,
          ),
      );
    return { id, creator, user, made, a, b, c, put, contents, into: main(made).hub_asset_id };
  }

  test("finds the items by what they were copied from, adds new ones, and leaves those that are gone from it", async () => {
    const { id, user, made, a, b, c, put, contents, into } = await kit();
    expect(await contents(made)).toEqual(["a", "b"]);
    await put(c.item, b.of("b2"));
    const [kitRow, third, second, ...none] = await copy(db.sql, user, id, { into });
    expect(none).toEqual([]);
    expect(kitRow).toEqual(made[0]);
    expect(second).toEqual(made[2]);
    expect(made.map((row) => row.id)).not.toContain(third?.id);
    expect(await contents([main(made), third as Made, second as Made])).toEqual(["c", "b2"]);
    expect(await contents(made)).toEqual(["a", "b2"]);
    // The next update finds both rows again, although the items of the kit are in another order.
    await put(b.of("b3"), c.of("c3"), a.of("a3"));
    const again = await copy(db.sql, user, id, { into });
    expect(again.slice(1, 3)).toEqual([second, third]);
    expect(await contents(again)).toEqual(["b3", "c3", "a3"]);
    expect(await assetRow(db.sql, id)).toMatchObject({ install_count: 1 });
  });

  test("makes deleted items again, names every edited one, and may be asked with the id of an item", async () => {
    const { id, user, made, a, b, put, contents, into } = await kit();
    const [, first, second] = made;
    await put(a.of("a2"), b.of("b2"));
    await db.sql`update prompt_templates set content = 'mine' where id = ${second?.id ?? ""}`;
    const refused = await copy(db.sql, user, id, { into }).catch((error) => error);
    expect(JSON.parse(refused.detail).items).toMatchObject([{ hub_asset_id: second?.hub_asset_id }]);
    expect(await contents(made)).toEqual(["a", "mine"]);
    await db.sql`delete from prompt_templates where id in ${db.sql(made.slice(1).map((row) => row.id))}`;
    const again = await copy(db.sql, user, id, { into });
    expect(await contents(again)).toEqual(["a2", "b2"]);
    expect(again.map((row) => row.id)).not.toContain(first?.id);
    await put(a.of("a3"), b.of("b3"));
    await copy(db.sql, user, id, { into: again[2]?.hub_asset_id ?? "" });
    expect(await contents(again)).toEqual(["a3", "b3"]);
  });

  test("that was deleted and published again makes its items anew and never takes one for the kit", async () => {
    const { id, creator, user, made, a, b, put, contents, into } = await kit();
    await call(signedIn(db, creator), "hub_delete_asset", id);
    await put(a.of("a2"), b.of("b2"));
    const [known] = await db.sql`select hub_copy(${user}, ${into}) -> 'rows' as rows`;
    expect(known?.rows).toEqual([{ asset_type: "orchestration", ref_id: null, id: made[0]?.id }]);
    const again = await copy(db.sql, user, id, { into });
    expect(again[0]).toEqual(made[0]);
    expect(await contents(again)).toEqual(["a2", "b2"]);
    expect(await contents(made)).toEqual(["a", "b"]);
  });
});

describe("at the same time", () => {
  test("two updates are one after the other: both succeed, one row, no edit is taken for the user's", async () => {
    const { id, user, into, content } = await copied();
    const plan = await planUpdate(db.sql, user, id, { into });
    let both: Promise<Made[]>[] = [];
    await db.sql.begin(async (tx) => {
      await tx`select from hub_profiles where user_id = ${user} for no key update`;
      both = [1, 2].map(() => runUpdate(db.sql, user, plan, { into }));
      await untilWaiting(db.sql, "import_asset", 2);
    });
    const [first, second] = await Promise.all(both);
    expect(second).toEqual(first);
    expect(await content()).toBe("Two");
    expect(await db.sql`select from prompt_templates where user_id = ${user}`).toHaveLength(1);
  });

  test("an edit that came between plan and update is found", async () => {
    const { id, user, ref, into, content } = await copied();
    const plan = await planUpdate(db.sql, user, id, { into });
    let update: Promise<unknown> = Promise.resolve();
    await db.sql.begin(async (tx) => {
      await tx`update prompt_templates set content = 'Just now' where id = ${ref}`;
      update = runUpdate(db.sql, user, plan, { into }).catch((error) => error.message);
      await untilWaiting(db.sql, "import_asset");
    });
    expect(await update).toBe("modified_copy");
    expect(await content()).toBe("Just now");
  });

  test("a row that is deleted meanwhile is not made again, nor its copy half updated", async () => {
    const { id, user, ref, into } = await copied();
    const plan = await planUpdate(db.sql, user, id, { into });
    let update: Promise<unknown> = Promise.resolve();
    await db.sql.begin(async (tx) => {
      await tx`delete from prompt_templates where id = ${ref}`;
      update = runUpdate(db.sql, user, plan, { into, overwrite: true }).catch((error) => error);
      await untilWaiting(db.sql, "import_asset");
    });
    expect(await update).toMatchObject({ code: "PT503", message: "unavailable" });
    expect(await db.sql`select from prompt_templates where user_id = ${user}`).toHaveLength(0);
    await expect(runUpdate(db.sql, user, plan, { into })).rejects.toMatchObject({
      message: "asset_not_found",
    });
  });

  test.each([
    [
      "hidden",
      "asset_not_found",
      (id: string) => call(signedIn(db, admin), "hub_hide_asset", id, "For a test."),
    ],
    [
      "unpublished",
      "asset_not_found",
      (id: string, c: string) => call(signedIn(db, c), "hub_unpublish_asset", id),
    ],
    [
      "yanked",
      "version_yanked",
      (id: string, c: string) => call(signedIn(db, c), "hub_yank_version", id, "2", null),
    ],
  ] as const)(
    "an update of a listing that was %s after it was planned is refused",
    async (_, code, change) => {
      const { id, creator, user, into, content } = await copied();
      const plan = await planUpdate(db.sql, user, id, { into });
      expect(await change(id, creator)).toMatchObject(done);
      await expect(runUpdate(db.sql, user, plan, { into })).rejects.toMatchObject({ message: code });
      expect(await content()).toBe("One");
      expect(await assetRow(db.sql, into)).toMatchObject({ attribution: { parent: { version: 1 } } });
    },
  );

  test("a banned user updates nothing", async () => {
    const { id, user, into } = await copied();
    const plan = await planUpdate(db.sql, user, id, { into });
    await call(signedIn(db, admin), "hub_ban_creator", user, "For a test.");
    await expect(runUpdate(db.sql, user, plan, { into })).rejects.toMatchObject({ message: "banned" });
  });
});
