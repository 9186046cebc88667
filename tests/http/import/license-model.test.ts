import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { exportItem } from "../../../packages/core/src/hub/index.ts";
import {
  bounds,
  creditors,
  isAsStrict,
  type ModelItem,
  type ModelListing,
  mayPublish,
  passOn,
  type Work,
} from "../../support/model/license.ts";
import { inProcess } from "../../support/service.ts";
import { importFixture, type Person } from "./fixture.ts";

/*
 * Tests random sequences of publishing, importing and exporting through the real functions: no license becomes less strict, and every
 * author of content is named. Each piece of content is a unique word, so the content shows its authors.
 */

const fixture = importFixture(inProcess);

const index = fc.nat({ max: 999 });
const action = (weight: number, name: string) => ({ weight, arbitrary: fc.constant(name) });
const step = fc.record({
  do: fc.oneof(
    action(6, "write"),
    action(9, "edit"),
    action(18, "publish"),
    action(8, "publish a kit"),
    action(8, "pass through a kit"),
    action(5, "import own"),
    action(20, "import"),
    action(5, "take a document"),
    action(5, "export"),
    action(8, "bring a document"),
    action(3, "delete"),
    action(2, "unpublish"),
    action(3, "republish"),
  ),
  who: index,
  // Mostly choose the newest item, listing or file, to get long chains.
  what: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: index }),
  more: index,
  license: fc.constantFrom("cc0", "cc0", "cc-by", "platform-free"),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface File {
  // biome-ignore lint/suspicious/noExplicitAny: a file may have any shape.
  document: any;
  works: Work[];
}

/** The state of one run: users, files, authors. */
class World {
  readonly items: ModelItem[] = [];
  readonly files: File[] = [];
  /** The author of each bit of content. */
  readonly authors = new Map<string, string>();
  readonly names = new Map<string, string>();
  readonly people: Person[];

  constructor(people: Person[]) {
    this.people = people;
  }

  listings(): ModelListing[] {
    return this.items.flatMap(({ listing }) => (listing === null ? [] : [listing]));
  }

  newBit(author: string): string {
    const bit = `bit${randomUUID().replaceAll("-", "").slice(0, 12)}x`;
    this.authors.set(bit, author);
    return bit;
  }

  /** Returns the names of everybody whose content is in the payload. */
  authorsIn(payload: unknown): string[] {
    const bits = JSON.stringify(payload).match(/bit[0-9a-f]{12}x/g) ?? [];
    return [...new Set(bits.map((bit) => this.names.get(this.authors.get(bit) ?? "") ?? "?"))];
  }
}

const newest = <T>(list: readonly T[], n: number): T | undefined => list[list.length - 1 - (n % list.length)];
const nodes = (bits: string) => [{ id: "n", type: "stage", position: { x: 0, y: 0 }, data: { bits } }];
const tableOf = { template: "prompt_templates", orchestration: "orchestrator_configs" } as const;

async function makeItem(world: World, owner: Person, type: ModelItem["type"]): Promise<ModelItem> {
  const bit = world.newBit(owner.id);
  const refId = await owner.make(type, type === "template" ? { content: bit } : { nodes: nodes(bit) });
  const item: ModelItem = {
    ...{ refId, registryId: null, type, owner: owner.id, isCopy: false, listing: null },
    ...{ terms: [], hasOwn: true },
  };
  world.items.push(item);
  return item;
}

/** Edits the item's workspace row as its owner: adds a new piece of content, which nobody else wrote. */
async function edit(world: World, owner: Person, item: ModelItem): Promise<void> {
  const bit = world.newBit(owner.id);
  const { sql } = fixture.db;
  const [row] = await sql`select * from ${sql(tableOf[item.type])} where id = ${item.refId}`;
  const columns =
    item.type === "template"
      ? { content: `${row?.content} ${bit}` }
      : { nodes: [...(row?.nodes ?? []), ...nodes(bit)] };
  const { error } = await owner.client.from(tableOf[item.type]).update(columns).eq("id", item.refId);
  expect(error).toBeNull();
  item.hasOwn = true;
}

async function publish(
  owner: Person,
  item: ModelItem,
  embedded: ModelItem[],
  license: string,
): Promise<void> {
  const works = [item, ...embedded].map(({ terms, hasOwn }) => ({ terms, hasOwn }));
  const may = mayPublish(owner.id, works, license);
  const { status, body, text } = await owner.publish({
    ...{ asset_type: item.type, ref_id: item.refId, title: `T ${randomUUID().slice(0, 8)}`, license },
    ...(item.type === "orchestration" && {
      items: embedded.map(({ type, refId }) => ({ asset_type: type, ref_id: refId })),
    }),
  });
  if (may !== "either") expect([status, may], text).toEqual(may === "yes" ? [201, may] : [422, may]);
  if (status !== 201) {
    expect(body.code).toBe("license_incompatible");
    return publish(owner, item, embedded, "platform-free");
  }
  const [work = item, ...items] = works;
  item.registryId = body.asset.id;
  item.listing = { id: body.asset.id, creator: owner.id, state: "public", license, work, items };
}

/** Returns the works that a copy of a listing consists of. The license of an item of a kit is the one that hub_asset shows. */
async function worksOf(listing: ModelListing): Promise<Work[]> {
  const shown = await read(listing.id);
  return [
    passOn(listing.work, listing.creator, listing.license),
    ...listing.items.map((item, n) => passOn(item, listing.creator, shown.items[n].license)),
  ];
}

/** Imports by a path or a body, and checks that the answer names everybody whom the importer must credit. */
async function take(world: World, user: Person, works: Work[], path: string, body: unknown): Promise<void> {
  const answer = await fixture.import(user, path, body);
  expect(answer.status, answer.text).toBe(201);
  for (const [n, made] of answer.body.created.entries()) {
    const work = works[n] ?? { terms: [], hasOwn: false };
    world.items.push({
      ...{ refId: made.id, registryId: made.hub_asset_id, type: made.asset_type, owner: user.id },
      ...{ isCopy: true, listing: null, ...work },
    });
  }
  const warning = answer.body.warnings.find(({ code }: { code: string }) => code === "credit_required");
  const credited = (warning?.credits ?? []).map(({ creator }: { creator: string }) => creator);
  for (const id of works.flatMap(creditors)) expect(credited).toContain(world.names.get(id));
}

async function go(world: World, { do: what, who, what: which, more, license }: Step): Promise<void> {
  const user = world.people[who % world.people.length] as Person;
  const mine = world.items.filter(({ owner }) => owner === user.id);
  const item = newest(mine, which);
  const visible = world.listings().filter(({ state }) => state === "public");
  const owned = world.listings().filter(({ creator }) => creator === user.id);

  if (what === "write") return void (await makeItem(world, user, "template"));
  if (what === "edit" && item !== undefined) return edit(world, user, item);
  if (what === "publish" && item !== undefined) {
    const embedded = item.type === "template" ? [] : mine.filter((other) => other !== item).slice(-2);
    return publish(user, item, embedded, license);
  }
  if (what === "publish a kit" || what === "pass through a kit") {
    const through = what === "pass through a kit";
    const picked = through ? [item] : [item, newest(mine, more)];
    const kit = await makeItem(world, user, "orchestration");
    await publish(
      user,
      kit,
      [...new Set(picked)].flatMap((one) => one ?? []),
      license,
    );
    if (!through || kit.listing === null) return;
    // The maker of the kit or somebody else imports the kit, and then publishes its content.
    const taker = world.people[more % world.people.length] as Person;
    await take(world, taker, await worksOf(kit.listing), `/${kit.listing.id}`, { mode: "use" });
    const [taken] = world.items.slice(-1);
    return taken === undefined ? undefined : publish(taker, taken, [], "cc0");
  }
  if (what === "import" || what === "import own") {
    const listing = newest(what === "import" ? visible : visible.filter((one) => owned.includes(one)), which);
    if (listing === undefined) return;
    const mode = more % 2 === 0 ? "use" : "remix";
    return take(world, user, await worksOf(listing), `/${listing.id}`, { mode });
  }
  if (what === "take a document") {
    const listing = newest(visible, which);
    if (listing === undefined) return;
    const works = await worksOf(listing);
    const { body } = await fixture.import(null, `/${listing.id}`);
    for (const part of [body.document, ...body.document.items]) {
      expect(namesIn(part.attribution)).toEqual(expect.arrayContaining(world.authorsIn(part.payload)));
    }
    return void world.files.push({ document: body.document, works });
  }
  if (what === "export" && item?.registryId) return exportOwn(world, user, item);
  if (what === "bring a document") {
    const file = newest(world.files, which);
    if (file === undefined) return;
    const document = structuredClone(file.document);
    // After one changed byte, the file cannot be recognized as the published version any more.
    if (more % 2 === 0) document.payload = { ...document.payload, ...changed(document) };
    return take(world, user, file.works, "", { document });
  }
  const listing = newest(owned, which);
  if (listing === undefined) return;
  if (what === "delete" && listing.state !== "deleted") {
    await user.client.rpc("hub_delete_asset", { asset_id: listing.id });
    listing.state = "deleted";
  }
  if (what === "unpublish" && listing.state === "public") {
    await user.client.rpc("hub_unpublish_asset", { asset_id: listing.id });
    listing.state = "unpublished";
  }
  if (what === "republish" && listing.state === "unpublished") {
    await user.client.rpc("hub_republish_asset", { asset_id: listing.id });
    listing.state = "public";
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a file may have any shape.
function changed({ asset_type, payload }: any): Record<string, unknown> {
  return asset_type === "template" ? { content: `${payload.content}.` } : { edges: [{ id: randomUUID() }] };
}

/** Exports a user's own item as a client does: the file names its exporter. */
async function exportOwn(world: World, user: Person, item: ModelItem): Promise<void> {
  const { data: row } = await user.client.from(tableOf[item.type]).select("*").eq("id", item.refId).single();
  const { data: asset } = await user.client.from("hub_assets").select("*").eq("id", item.registryId).single();
  // The listing is a tombstone, which even its creator cannot read, so there is nothing to export.
  if (asset === null) return;
  const creators: Record<string, string> = Object.fromEntries(world.names);
  const { license, attribution } = asset;
  const name = world.names.get(user.id) ?? null;
  const made = await exportItem({ asset_type: item.type, row, license, attribution }, [], creators, name);
  if (!made.ok) throw new Error(JSON.stringify(made.faults));
  const { document } = made.value;
  expect(namesIn(document.attribution)).toEqual(expect.arrayContaining(world.authorsIn(document.payload)));
  // If the user added no content, their license is only a claim of the file. The hub may let it bind or not, so `mayBind` allows both.
  const given = item.hasOwn ? {} : { mayBind: true as const };
  const terms = [...item.terms, { by: user.id, license, ...given }];
  world.files.push({ document, works: [{ terms, hasOwn: false }] });
}

// biome-ignore lint/suspicious/noExplicitAny: each test checks the shape of the answers that it needs.
const read = async (id: string): Promise<any> => {
  const { data, error } = await fixture.guest.rpc("hub_asset", { id_or_slug: id });
  expect(error).toBeNull();
  return data;
};

/** Returns the names in an attribution, whether it is part of an answer or of a file. */
// biome-ignore lint/suspicious/noExplicitAny: answers and files show names in different ways.
function namesIn(attribution: any): string[] {
  const { root, parent, via = [], claimed } = attribution ?? {};
  const said = [claimed, claimed?.root, ...(claimed?.via ?? [])];
  return [root, parent, ...via, ...said].flatMap(
    (origin) => origin?.creator?.username ?? origin?.creator ?? [],
  );
}

/** Checks the licenses, the names and the remix lists of every public version and of its items. */
async function check(world: World): Promise<void> {
  for (const listing of world.listings().filter(({ state }) => state === "public")) {
    const { creator } = listing;
    const asset = await read(listing.id);
    const by = world.names.get(creator) ?? "";
    const parts = [
      { work: listing.work, shown: { ...asset, license: asset.version_license } },
      ...listing.items.map((work, n) => ({ work, shown: asset.items[n] })),
    ];
    for (const { work, shown } of parts) {
      for (const bound of bounds(work, creator, listing.license)) {
        expect(isAsStrict(shown.license, bound), `${shown.license} instead of ${bound}`).toBe(true);
      }
      const named = [by, ...namesIn(shown.attribution)];
      expect(named).toEqual(expect.arrayContaining(world.authorsIn(shown.payload)));
    }
    for (const origin of [asset.source_asset_id, asset.parent_asset_id]) {
      if (origin === null) continue;
      const { data } = await fixture.guest.rpc("hub_remixes", { asset_id: origin });
      expect(data.items.map(({ id }: { id: string }) => id)).toContain(listing.id);
    }
    expect([asset.source_asset_id, asset.parent_asset_id]).toEqual([
      asset.lineage?.root?.id ?? null,
      asset.lineage?.parent?.id ?? null,
    ]);
  }
}

test("random ways through kits, copies, files and deletions: no license is loosened, every author is named", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 25, maxLength: 35, size: "max" }), async (steps) => {
      const world = new World([await fixture.join(), await fixture.join(), await fixture.join()]);
      const ids = world.people.map(({ id }) => id);
      const rows = await fixture.db
        .sql`select user_id, username from hub_profiles where user_id = any(${ids})`;
      for (const { user_id, username } of rows) world.names.set(user_id, username);
      for (const each of steps) {
        await go(world, each);
        await check(world);
      }
    }),
    {
      numRuns: Number(process.env.KEYHUB_MODEL_RUNS ?? 1),
      ...(process.env.KEYHUB_MODEL_SEED && { seed: Number(process.env.KEYHUB_MODEL_SEED) }),
      // Shrinking would take hundreds of runs, and each run takes seconds.
      endOnFailure: true,
    },
  );
});
