import { randomUUID } from "node:crypto";
import fc from "fast-check";
import type postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { anon, refusalOf, signedIn } from "../../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../../support/database.ts";
import { call, importAsset, makeUsers, publish, wrongCounters } from "../../../support/hub.ts";
import { LONG_TESTS } from "../../../support/long-tests.ts";
import { type Listing, readersOf, Shelves } from "../../../support/model/shelf.ts";
import { ask, join, refusal } from "../../../support/organizations.ts";

let db: Clone;
/** One connection is enough, because the test performs one step at a time. */
let one: { sql: postgres.Sql };
beforeAll(async () => {
  db = await cloneDatabase();
  one = { sql: db.as("postgres" as never, 1) };
});
afterAll(() => db.drop());

const PEOPLE = 4;
const index = fc.nat({ max: 999 });
const action = (weight: number, name: string) => ({ weight, arbitrary: fc.constant(name) });
const step = fc.record({
  do: fc.oneof(
    action(6, "join"),
    action(6, "leave"),
    action(14, "share"),
    action(10, "publish"),
    action(14, "share again"),
    action(14, "publish again"),
    action(8, "take off"),
    action(8, "put back"),
    action(18, "import"),
    action(4, "delete"),
  ),
  who: index,
  where: index,
  what: index,
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The slugs of the organizations by their ids. */
type Slugs = Map<string, string>;

async function take(model: Shelves, slugs: Slugs, users: string[], asked: Step): Promise<void> {
  const user = users[asked.who % users.length] ?? "";
  const organizations = [...slugs.keys()];
  const organization = organizations[asked.where % organizations.length] ?? "";
  const pick = (some: Listing[]) => some[asked.what % Math.max(some.length, 1)];
  const own = pick(model.listings.filter(({ creator, deleted }) => creator === user && !deleted));
  const put = async (listing: Listing | null, readers: string | null) => {
    const expected = model.publish(user, listing, readers);
    const slug = readers === null ? undefined : slugs.get(readers);
    const told = await publish(one.sql, user, {
      ...(listing && { refId: listing.refId }),
      ...{ slug: `s-${randomUUID()}`, license: "cc0", payload: { content: randomUUID() } },
      ...(slug !== undefined && { organization: slug }),
    }).catch(refusalOf);
    expect(typeof told === "string" ? told : "ok").toBe(expected);
    if (typeof told === "string") return;
    const made: Listing = listing ?? {
      ...{ id: told.asset_id, refId: told.refId, creator: user, versions: [], at: "nobody", origins: [] },
      deleted: false,
    };
    if (listing === null) model.listings.push(made);
    model.published(made, readers);
  };

  switch (asked.do) {
    case "join":
      if (!model.members.has(organization) || model.isMember(user, organization)) return;
      await join(one.sql, organization, user);
      return model.join(user, organization);
    case "leave":
      if (!model.isMember(user, organization)) return;
      await one.sql`delete from organization_members where organization_id = ${organization} and user_id = ${user}`;
      return model.leave(user, organization);
    case "share":
      return put(null, organization);
    case "publish":
      return put(null, null);
    case "share again":
      return own && put(own, organization);
    case "publish again":
      return own && put(own, null);
    case "take off": {
      if (!own || own.versions.length === 0) return;
      await ask(signedIn(one, user), "hub_unpublish_asset", { asset_id: own.id });
      return model.takeOff(own);
    }
    case "put back": {
      if (!own || own.versions.length === 0 || own.at !== "nobody") return;
      const told = await refusal(signedIn(one, user), "hub_republish_asset", { asset_id: own.id });
      return expect(told ?? "ok").toBe(model.putBack(own));
    }
    case "import": {
      const source = pick(model.listings.filter(({ versions, deleted }) => versions.length > 0 && !deleted));
      if (!source) return;
      const told = await importAsset(one.sql, user, source.id).catch(refusalOf);
      if (!model.sees(user, source)) return expect(told).toBe("asset_not_found");
      expect(told).toHaveProperty("id");
      model.listings.push(model.copyOf(source, told as { id: string; refId: string }, user));
      return;
    }
    case "delete": {
      if (!own || own.versions.length === 0) return;
      await call(signedIn(one, user), "hub_delete_asset", own.id);
      own.deleted = true;
      return;
    }
    default:
      throw new Error(`unknown step: ${asked.do}`);
  }
}

/** Checks that every reader sees exactly what the model says, in tables, on shelves and in search. */
async function compare(model: Shelves, slugs: Slugs, users: string[]): Promise<void> {
  const ids = new Set(model.listings.map(({ id }) => id));
  for (const user of [null, ...users]) {
    const actor = user === null ? anon(one) : signedIn(one, user);
    const { rows, versions, found } = await actor.run(async (tx) => ({
      rows: await tx<{ id: string }[]>`select id from hub_assets`,
      versions: await tx<{ key: string }[]>`select asset_id || ' ' || version as key from hub_asset_versions`,
      found: await tx<{ page: { items: { id: string }[] } }[]>`select hub_search(page_size => 100) as page`,
    }));
    const mine = (list: string[]) => list.filter((key) => ids.has(key.slice(0, 36))).sort();
    expect(mine(rows.map(({ id }) => id))).toEqual(
      model.listings
        .filter((listing) => model.sees(user, listing))
        .map(({ id }) => id)
        .sort(),
    );
    expect(mine(versions.map(({ key }) => key))).toEqual(model.versionsFor(user));
    expect(mine((found[0]?.page.items ?? []).map(({ id }) => id))).toEqual(
      model.listings
        .filter(({ at, deleted }) => at === "everybody" && !deleted)
        .map(({ id }) => id)
        .sort(),
    );
    if (user === null) continue;
    for (const [organization, slug] of slugs) {
      const told = await ask<{ items: { id: string }[] }>(actor, "hub_shelf", {
        organization: slug,
        page_size: 100,
      }).catch(refusalOf);
      if (!model.isMember(user, organization)) expect(told).toBe("organization_not_found");
      else if (typeof told === "string") throw new Error(told);
      else expect(told.items.map(({ id }) => id).sort()).toEqual(model.shelfOf(organization));
    }
  }
  // A public listing names no work of a shelf.
  const named = await anon(one).run(
    (tx) => tx`
      select from hub_assets where attribution::text like '%organization_id%'
      union all
      select from hub_bundle_items where attribution::text like '%organization_id%'`,
  );
  expect(named).toHaveLength(0);
}

test("join, leave, share, publish, take off, put back, import, remix and delete: nobody sees what they may not", async () => {
  const histories = fc.array(step, { minLength: 15, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(histories, async (steps) => {
      const users = await makeUsers(one.sql, PEOPLE);
      const model = new Shelves();
      const slugs: Slugs = new Map();
      for (const n of [0, 1]) {
        const slug = `m${randomUUID().replaceAll("-", "").slice(0, 24)}`;
        const { id } = await ask<{ id: string }>(signedIn(one, users[n] ?? ""), "create_organization", {
          name: "Model",
          slug,
        });
        slugs.set(id, slug);
        model.members.set(id, new Set([users[n] ?? ""]));
      }
      for (const asked of steps) await take(model, slugs, users, asked);
      await compare(model, slugs, users);
      for (const listing of model.listings.filter(({ at }) => at === "shelf"))
        expect(readersOf(listing)).not.toBeNull();
      // Without these public listings, the next history has room on the first page of search.
      await one.sql`update hub_assets set is_public = false where is_public`;
    }),
    { numRuns: Number(process.env.KEYHUB_MODEL_RUNS ?? (LONG_TESTS ? 20 : 10)), endOnFailure: true },
  );
  expect(await wrongCounters(db.sql)).toEqual([]);
});
