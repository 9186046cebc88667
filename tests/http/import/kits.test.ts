import { describe, expect, test } from "vitest";
import { assetRow } from "../../support/hub.ts";
import { inProcess } from "../../support/service.ts";
import { readAsGuest } from "../publish/fixture.ts";
import { importFixture, type Person } from "./fixture.ts";

/* Tests the license and credit of items that are passed on in kits: neither is lost, whoever made the kit. */

const fixture = importFixture(inProcess);

interface Made {
  creator: Person;
  ref: string;
  id: string;
}

const nameOf = async ({ id }: Person) =>
  (await fixture.db.sql`select username from hub_profiles where user_id = ${id}`)[0]?.username as string;

const original = (license: string, creator?: Person): Promise<Made> =>
  fixture.list({ ...(creator && { creator }), columns: { content: "Base" }, body: { license } });

async function copyOf(user: Person, id: string): Promise<{ ref: string; row: string }> {
  const { body, text, status } = await fixture.import(user, `/${id}`);
  expect(status, text).toBe(201);
  const made = body.created.at(-1);
  return { ref: made.id, row: made.hub_asset_id };
}

const work = (user: Person, ref: string, content = "Base, and valuable work") =>
  user.client.from("prompt_templates").update({ content }).eq("id", ref);

/** Makes a remix with new content. */
async function remix(from: string, license: string, creator?: Person): Promise<Made> {
  const user = creator ?? (await fixture.join());
  const { ref } = await copyOf(user, from);
  await work(user, ref);
  const { status, text, body } = await user.publish({ ref_id: ref, title: "A remix", license });
  expect(status, text).toBe(201);
  return { creator: user, ref, id: body.asset.id };
}

/** Publishes a kit of one item. */
async function kit(maker: Person, ref: string, license: string): Promise<string> {
  const { status, text, body } = await maker.publish({
    ...{ asset_type: "orchestration", ref_id: await maker.make("orchestration"), title: "A kit", license },
    items: [{ asset_type: "template", ref_id: ref }],
  });
  expect(status, text).toBe(201);
  return body.asset.id;
}

const itemOf = async (kitId: string) => (await readAsGuest(fixture.guest, kitId)).items[0];

// biome-ignore lint/suspicious/noExplicitAny: each test checks the shape of the answers that it needs.
const shown = async (id: string): Promise<any> =>
  (await fixture.guest.rpc("hub_asset", { id_or_slug: id })).data;

const refused = { status: 422, body: { code: "license_incompatible" } };

describe("through one's own kit", () => {
  test.each(["somebody's", "one's own"])(
    "a platform-free remix of %s original stays platform-free",
    async (whose) => {
      const [maker, o] = [await fixture.join(), await fixture.join()];
      const x = await original("cc0", whose === "one's own" ? maker : o);
      const r = await remix(x.id, "platform-free");
      const direct = await copyOf(maker, r.id);
      expect(await maker.publish({ ref_id: direct.ref, license: "cc0" })).toMatchObject(refused);

      const kitId = await kit(maker, direct.ref, "platform-free");
      expect(await itemOf(kitId)).toMatchObject({
        license: "platform-free",
        attribution: { root: { id: x.id, license: "cc0" }, parent: { id: r.id, license: "platform-free" } },
      });
      const washed = await copyOf(maker, kitId);
      expect(await assetRow(fixture.db.sql, washed.row)).toMatchObject({
        ...{ source_asset_id: x.id, parent_asset_id: null, license: "platform-free" },
        attribution: { root: { id: x.id }, parent: { id: r.id, license: "platform-free" } },
      });
      expect(await maker.publish({ ref_id: washed.ref, license: "cc0" })).toMatchObject(refused);
      expect(await maker.publish({ ref_id: washed.ref, license: "cc-by" })).toMatchObject(refused);

      const done = await maker.publish({ ref_id: washed.ref, title: "Passed on", license: "platform-free" });
      expect(done.status).toBe(201);
      const asset = await shown(done.body.asset.id);
      expect(asset.attribution.parent).toMatchObject({
        id: r.id,
        creator: { username: await nameOf(r.creator) },
      });
      const { data } = await fixture.guest.rpc("hub_remixes", { asset_id: r.id });
      expect(data.items).toMatchObject([{ id: asset.id, direct: true }]);
      // A new version under a less strict license is refused, even after the listing was deleted.
      expect(await maker.publish({ ref_id: washed.ref, license: "cc0" })).toMatchObject(refused);
      await maker.client.rpc("hub_delete_asset", { asset_id: asset.id });
      expect(await maker.publish({ ref_id: washed.ref, license: "cc0" })).toMatchObject(refused);
    },
  );

  test("also through a kit in a kit, and when its authors have deleted everything", async () => {
    const x = await original("cc0");
    const r = await remix(x.id, "platform-free");
    const [first, second] = [await fixture.join(), await fixture.join()];
    const one = await kit(first, (await copyOf(first, r.id)).ref, "platform-free");
    const two = await kit(second, (await copyOf(second, one)).ref, "platform-free");
    await r.creator.client.rpc("hub_delete_asset", { asset_id: r.id });
    await fixture.db.auth`delete from auth.users where id = ${r.creator.id}`;
    await first.client.rpc("hub_delete_asset", { asset_id: one });
    const taken = await copyOf(first, two);
    expect((await assetRow(fixture.db.sql, taken.row)).attribution).toMatchObject({
      ...{ root: { id: x.id }, parent: { id: r.id, license: "platform-free" } },
      via: [{ id: one }, { id: two }],
    });
    expect(await first.publish({ ref_id: taken.ref, license: "cc0" })).toMatchObject(refused);
  });

  test("one's own work on somebody's free work is not given away by one's own kit", async () => {
    const x = await original("cc0");
    const r = await remix(x.id, "platform-free");
    const kitId = await kit(r.creator, r.ref, "platform-free");
    expect(await itemOf(kitId)).toMatchObject({ license: "platform-free" });
    const user = await fixture.join();
    const { ref } = await copyOf(user, kitId);
    expect(await user.publish({ ref_id: ref, license: "cc0" })).toMatchObject(refused);
    const done = await user.publish({ ref_id: ref, title: "Passed on" });
    const { attribution } = await shown(done.body.asset.id);
    expect(attribution.via).toMatchObject([
      { id: kitId, available: true, creator: { username: await nameOf(r.creator) } },
    ]);
    expect(JSON.stringify(attribution)).not.toContain(r.creator.id);
  });

  test("what is handed on as it came keeps the freer license it came with", async () => {
    const x = await original("cc-by");
    const maker = await fixture.join();
    const kitId = await kit(maker, (await copyOf(maker, x.id)).ref, "platform-free");
    expect(await itemOf(kitId)).toMatchObject({ license: "cc-by" });
    const user = await fixture.join();
    const { ref } = await copyOf(user, kitId);
    expect((await user.publish({ ref_id: ref, title: "Mine", license: "cc-by" })).status).toBe(201);
  });

  test("one's own original stays one's own", async () => {
    const x = await original("platform-free");
    const kitId = await kit(x.creator, x.ref, "platform-free");
    for (const from of [x.id, kitId]) {
      const { ref } = await copyOf(x.creator, from);
      expect((await x.creator.publish({ ref_id: ref, title: "Free", license: "cc0" })).status).toBe(201);
    }
  });

  test("whoever has a copy of an item is warned when its kit is found harmful", async () => {
    const x = await original("cc0");
    const maker = await fixture.join();
    const kitId = await kit(maker, (await copyOf(maker, x.id)).ref, "cc0");
    const user = await fixture.join();
    const { row } = await copyOf(user, kitId);
    await fixture.db
      .sql`update hub_assets set is_hidden = true, hidden_reason = 'malicious_code' where id = ${kitId}`;
    const { data } = await user.client.rpc("hub_updates");
    expect(data).toContainEqual(expect.objectContaining({ kind: "malicious_code", id: row }));
  });
});

describe("what a file claims", () => {
  /**
   * Makes a listing from a file that claims to be under cc0: changes the file of a cc0 listing, imports it, edits the import, and publishes
   * it.
   */
  async function claimed(license = "platform-free"): Promise<Made> {
    const { id } = await original("cc0");
    const { document } = (await fixture.import(null, `/${id}`)).body;
    document.payload.content += ".";
    const creator = await fixture.join();
    const { body } = await fixture.import(creator, "", { document });
    const ref = body.created[0].id;
    await work(creator, ref);
    const done = await creator.publish({ ref_id: ref, title: "Of a file", license });
    expect(done.status, done.text).toBe(201);
    return { creator, ref, id: done.body.asset.id };
  }

  test("does not stand for the license of what was made of it", async () => {
    const b = await claimed();
    for (const maker of [await fixture.join(), b.creator]) {
      const kitId = await kit(maker, (await copyOf(maker, b.id)).ref, "platform-free");
      const item = await itemOf(kitId);
      expect(item).toMatchObject({ license: "platform-free", attribution: { parent: { id: b.id } } });
      // What the file claims is kept as a credit, but without the claimed license.
      expect(item?.attribution).toMatchObject({ claimed: { title: expect.any(String) } });
      expect(Object.keys(Object(item?.attribution).claimed)).toEqual(["title", "creator"]);
    }
    const kitId = await kit(b.creator, b.ref, "platform-free");
    expect(await itemOf(kitId)).toMatchObject({ license: "platform-free", attribution: { claimed: {} } });
  });

  test("binds its importer, also by way of a listing and of a kit of their own", async () => {
    const x = await original("platform-free");
    const { document } = (await fixture.import(null, `/${x.id}`)).body;
    document.payload.content += ".";
    const user = await fixture.join();
    const { body } = await fixture.import(user, "", { document });
    const ref = body.created[0].id;
    expect(await user.publish({ ref_id: ref, license: "cc0" })).toMatchObject(refused);
    const done = await user.publish({ ref_id: ref, title: "As it says" });
    expect(done.status).toBe(201);
    const kitId = await kit(user, ref, "platform-free");
    for (const from of [done.body.asset.id, kitId]) {
      const copy = await copyOf(user, from);
      expect(await user.publish({ ref_id: copy.ref, license: "cc0" })).toMatchObject(refused);
    }
  });

  test("a kit's file that was changed claims each of its items", async () => {
    const maker = await fixture.join();
    const kitId = await kit(maker, await maker.make("template", { content: "Mine" }), "platform-free");
    const { document } = (await fixture.import(null, `/${kitId}`)).body;
    document.payload.edges = [{ id: "e" }];
    const user = await fixture.join();
    const { body } = await fixture.import(user, "", { document });
    const item = body.created[1];
    expect((await assetRow(fixture.db.sql, item.hub_asset_id)).attribution).toEqual({
      claimed: { title: "A kit", creator: await nameOf(maker), license: "platform-free" },
    });
    expect(await user.publish({ ref_id: item.id, license: "cc0" })).toMatchObject(refused);
  });
});

describe("credit", () => {
  test("A → B → C → D: all are named in the answer, in the file, in the item of a kit and in the warning", async () => {
    const a = await original("cc-by");
    const b = await remix(a.id, "cc-by");
    const c = await remix(b.id, "platform-free");
    const d = await remix(c.id, "platform-free");
    const names = await Promise.all([a, b, c].map(({ creator }) => nameOf(creator)));
    const namesIn = (attribution: Record<string, unknown> & { via: { creator: unknown }[] }) =>
      [attribution.root, ...attribution.via, attribution.parent].map((origin) => {
        const { creator } = origin as { creator: string | { username: string } };
        return typeof creator === "string" ? creator : creator.username;
      });
    expect(namesIn((await shown(d.id)).attribution)).toEqual(names);
    const kitId = await kit(d.creator, d.ref, "platform-free");
    expect(namesIn((await shown(kitId)).items[0].attribution)).toEqual(names);
    const { document } = (await fixture.import(null, `/${kitId}`)).body;
    expect(namesIn(document.items[0].attribution)).toEqual([
      ...names.slice(0, 2),
      await nameOf(d.creator),
      names[2],
    ]);
    const { body } = await fixture.import(await fixture.join(), `/${kitId}`);
    const warning = body.warnings.find(({ code }: { code: string }) => code === "credit_required");
    // A stricter license does not remove the credit that A and B ask for.
    expect(warning.credits.map(({ creator }: { creator: string }) => creator)).toEqual(names.slice(0, 2));
  });

  test("an import keeps the license it got when the root is licensed anew", async () => {
    const x = await original("platform-free");
    const user = await fixture.join();
    const { ref } = await copyOf(user, x.id);
    await x.creator.publish({ ref_id: x.ref, title: "Freer", license: "cc0" });
    expect(await user.publish({ ref_id: ref, license: "cc0" })).toMatchObject(refused);
    const fresh = await copyOf(user, x.id);
    expect((await user.publish({ ref_id: fresh.ref, title: "Free", license: "cc0" })).status).toBe(201);
  });

  test("a copy that would have to name too many cannot be made", async () => {
    const x = await original("cc0");
    const r = await remix(x.id, "cc0");
    const many = (count: number) =>
      fixture.db.sql`
        update hub_assets a set attribution = jsonb_set(a.attribution, '{via}', (
          select jsonb_agg(b.attribution -> 'root' || jsonb_build_object('id', gen_random_uuid(), 'creator_id', gen_random_uuid()))
          from hub_assets b, generate_series(1, ${count}::integer) where b.id = a.id
        )) where id = ${r.id}`;
    await fixture.db.sql`alter table hub_assets disable trigger hub_assets_30_guard_update`;
    await many(51);
    const user = await fixture.join();
    expect(await fixture.import(user, `/${r.id}`)).toMatchObject({
      status: 409,
      body: { code: "too_many_authors" },
    });
    expect(await fixture.import(null, `/${r.id}`)).toMatchObject({
      status: 409,
      body: { code: "not_exportable" },
    });
    await many(50);
    await fixture.db.sql`alter table hub_assets enable trigger hub_assets_30_guard_update`;
    expect((await fixture.import(user, `/${r.id}`)).status).toBe(201);
    expect((await fixture.import(null, `/${r.id}`)).status).toBe(200);
  });
});
