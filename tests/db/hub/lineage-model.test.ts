import { randomUUID } from "node:crypto";
import fc from "fast-check";
import type postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { refusalOf, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { call, makeUsers, planImport, publish, runImport, sha256, wrongCounters } from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { Lineage, type ModelNode } from "../../support/model/lineage.ts";

let db: Clone;
/** One connection is enough, because the test performs one step at a time. */
let sql: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  sql = db.as("postgres" as never, 1);
});
afterAll(() => db.drop());

const PEOPLE = 5;
const index = fc.nat({ max: 999 });
const action = (weight: number, name: string) => ({ weight, arbitrary: fc.constant(name) });
const step = fc.record({
  do: fc.oneof(
    action(8, "publish"),
    action(6, "publish a kit"),
    action(24, "use"),
    action(24, "remix"),
    action(24, "publish a copy"),
    action(8, "publish again"),
    action(6, "delete"),
    action(5, "erase"),
    action(4, "ban"),
    action(6, "unban"),
  ),
  who: index,
  what: index,
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

let titles = 0;
const newTitle = () => {
  titles += 1;
  return `Title ${titles}`;
};
const listing = (title: string) => ({
  ...{ title, slug: `s-${randomUUID()}`, license: "cc-by", payload: { content: title } },
});

async function take(model: Lineage, users: string[], { do: what, who, what: which }: Step): Promise<void> {
  const user = users[who % users.length] ?? "";
  const among = (fits: (node: ModelNode) => boolean): ModelNode | undefined => {
    const nodes = [...model.nodes.values()].filter(fits);
    return nodes[which % Math.max(nodes.length, 1)];
  };
  const refusalTo = async (work: Promise<unknown>): Promise<string | null> =>
    work.then(
      () => null,
      (error) => refusalOf(error),
    );

  if (what === "publish" || what === "publish a kit") {
    if (model.banned.has(user)) return;
    const title = newTitle();
    // A kit has one item by its maker, and one that the maker has copied from somebody else, if there is such a copy.
    const copy =
      what === "publish" ? undefined : among((node) => node.creator === user && node.version === 0);
    const items = (what === "publish" ? [] : [undefined, copy]).flatMap((node, i) =>
      i === 1 && node === undefined
        ? []
        : [{ title: `${title} ${i}`, attribution: node?.attribution ?? null }],
    );
    const { asset_id: id, refId } = await publish(sql, user, {
      ...listing(title),
      type: what === "publish" ? "template" : "orchestration",
      payload: what === "publish" ? { content: title } : { nodes: [] },
      items: items.map((item) => {
        const payload = { content: item.title };
        return {
          ...{
            asset_type: "template",
            ref_id: randomUUID(),
            payload,
            sha256: sha256(payload),
            license: "cc-by",
          },
          ...item,
        };
      }),
    });
    return model.publishOriginal({ id, refId, creator: user, title, items });
  }
  if (what === "use" || what === "remix") {
    const from = among((node) => node.version > 0 && node.state !== "deleted");
    if (from === undefined) return;
    const plan = await planImport(sql, from.id);
    const may = model.canImport(user, from);
    if (may !== "yes") return expect(await refusalTo(runImport(sql, user, plan, what))).toBe(may);
    const made = await runImport(sql, user, plan, what);
    return model.import(
      user,
      from,
      what,
      // The model takes the titles from the database. Other tests check which title a copy gets when its title is taken.
      made.map(({ id, hub_asset_id, title }) => ({ id: hub_asset_id, refId: id, title })),
    );
  }
  if (what === "ban" || what === "unban") {
    if (what === "ban")
      await sql`insert into private.hub_bans (user_id) values (${user}) on conflict do nothing`;
    else await sql`delete from private.hub_bans where user_id = ${user}`;
    return void (what === "ban" ? model.banned.add(user) : model.banned.delete(user));
  }

  const node =
    what === "publish a copy"
      ? among(({ version }) => version === 0)
      : what === "delete"
        ? among(({ state }) => state === "public")
        : among(({ version }) => version > 0);
  if (node === undefined) return;
  if (what === "erase") {
    // The operator deletes the row itself, of a public listing or of a tombstone.
    await sql`delete from hub_assets where id = ${node.id}`;
    return model.erase(node);
  }
  if (what === "delete") {
    const outcome = await call(signedIn({ sql }, node.creator), "hub_delete_asset", node.id);
    if (model.banned.has(node.creator)) return expect(outcome).toEqual({ refused: "banned" });
    expect(outcome).toHaveProperty("rows");
    node.state = "deleted";
    return;
  }
  const title = newTitle();
  const [row] = await sql`select asset_type from hub_assets where id = ${node.id}`;
  const published = publish(sql, node.creator, {
    ...listing(title),
    type: row?.asset_type,
    refId: node.refId,
  });
  if (model.banned.has(node.creator)) return expect(await refusalTo(published)).toBe("banned");
  await published;
  model.publish(node, title);
}

/** Returns the row of `hub_assets` for every node of the model, in the model's form. */
async function stored(model: Lineage) {
  const rows = await sql`
    select id, creator_id, title, current_version, is_public, deleted_at is not null as deleted, source_asset_id, parent_asset_id,
      remix_depth, attribution
    from hub_assets where id = any(${[...model.nodes.keys()]})`;
  return Object.fromEntries(
    rows.map((row) => {
      const { slug: _r, ...root } = row.attribution?.root ?? {};
      const { slug: _p, ...parent } = row.attribution?.parent ?? {};
      const via = (row.attribution?.via ?? []).map(({ slug: _, ...origin }: { slug: string }) => origin);
      return [
        row.id,
        {
          ...{ creator: row.creator_id, title: row.title, version: row.current_version },
          state: row.deleted ? "deleted" : row.is_public ? "public" : "private",
          ...{ source: row.source_asset_id, parent: row.parent_asset_id, depth: row.remix_depth },
          attribution: row.attribution === null ? null : { root, parent, via },
        },
      ];
    }),
  );
}

const expected = (model: Lineage) =>
  Object.fromEntries(
    [...model.nodes.values()].map(
      ({ id, creator, title, version, state, source, parent, depth, attribution }) => [
        id,
        { creator, title, version, state, source, parent, depth, attribution },
      ],
    ),
  );

test("random publications, imports, remixes, deletions, erasures and bans: every node's lineage is the model's", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 60, size: "max" }), async (steps) => {
      const model = new Lineage();
      const users = await makeUsers(sql, PEOPLE);
      for (const each of steps) {
        await take(model, users, each);
        expect(await stored(model)).toEqual(expected(model));
      }
      expect(await wrongCounters(sql)).toEqual([]);
      await sql`delete from private.hub_bans`;
    }),
    { numRuns: Number(process.env.KEYHUB_MODEL_RUNS ?? (LONG_TESTS ? 5 : 3)), endOnFailure: true },
  );
});
