import { expect, test } from "vitest";
import { assetRow, importAsset, untilWaiting } from "../../support/hub.ts";
import { inProcess } from "../../support/service.ts";
import { type Person, publishFixture, readAsGuest } from "./fixture.ts";

/* Tests that a work made from somebody else's work keeps its lineage and credit, and that its license limits the new one. */

const fixture = publishFixture(inProcess);

/** Publishes a template of a new person. */
async function original(license: string, title = "An original") {
  const ann = await fixture.join();
  const refId = await ann.make("template", { name: title, content: title });
  const { body } = await ann.publish({ ref_id: refId, title, license });
  return { ann, refId, asset: body.asset };
}

/** Makes a copy in somebody's workspace. */
async function copied(person: Person, assetId: string, mode: "use" | "remix" = "use") {
  return importAsset(fixture.db.sql, person.id, assetId, mode);
}

test.each(["use", "remix"] as const)("a copy made by %s and published is a remix", async (mode) => {
  const { asset } = await original("cc0");
  const bob = await fixture.join();
  const copy = await copied(bob, asset.id, mode);
  const done = await bob.publish({ ref_id: copy.refId, title: "My version", license: "cc-by" });
  expect(done).toMatchObject({
    status: 201,
    body: { version: 1, asset: { id: copy.id, slug: expect.stringMatching(/^my-version/) } },
  });
  expect(done.body.asset).toMatchObject({
    source_asset_id: asset.id,
    parent_asset_id: asset.id,
    remix_depth: 1,
    attribution: { root: { id: asset.id, title: "An original" }, parent: { id: asset.id } },
  });
});

test("A, B, C and D: the root is A, whatever the depth", async () => {
  const a = await original("cc0", "A");
  let parent = a.asset;
  for (const [depth, title] of ["B", "C", "D"].entries()) {
    const next = await fixture.join();
    const copy = await copied(next, parent.id);
    const { body } = await next.publish({ ref_id: copy.refId, title });
    expect(body.asset).toMatchObject({
      source_asset_id: a.asset.id,
      parent_asset_id: parent.id,
      remix_depth: depth + 1,
    });
    parent = body.asset;
  }
});

// Rows: the license of the original. Columns: the license of the new publication, with the expected status.
test.each([
  ["cc0", { cc0: 201, "cc-by": 201, "platform-free": 201 }],
  ["cc-by", { cc0: 422, "cc-by": 201, "platform-free": 201 }],
  ["platform-free", { cc0: 422, "cc-by": 422, "platform-free": 201 }],
])("what came under %s may be passed on as the license allows", async (license, allowed) => {
  const { asset } = await original(license);
  for (const [wanted, status] of Object.entries(allowed)) {
    const bob = await fixture.join();
    const copy = await copied(bob, asset.id);
    const done = await bob.publish({ ref_id: copy.refId, license: wanted });
    expect(done.status, wanted).toBe(status);
    if (status === 422)
      expect(done.body).toMatchObject({ code: "license_incompatible", errors: [{ path: "license" }] });
  }
});

test("one's own may be published under any license, also a copy of it", async () => {
  const { ann, refId, asset } = await original("platform-free");
  expect((await ann.publish({ ref_id: refId, title: "An original", license: "cc0" })).status).toBe(201);
  const copy = await copied(ann, asset.id);
  expect((await ann.publish({ ref_id: copy.refId, title: "A copy", license: "cc0" })).status).toBe(201);
});

test("a license is not washed off: not by a remix of one's own remix, and not by deleting the listing", async () => {
  const { asset } = await original("platform-free");
  const bob = await fixture.join();
  const first = await copied(bob, asset.id);
  const remix = await bob.publish({ ref_id: first.refId, title: "Remix" });
  const second = await copied(bob, remix.body.asset.id);
  expect(await bob.publish({ ref_id: second.refId, license: "cc0" })).toMatchObject({ status: 422 });
  await bob.client.rpc("hub_delete_asset", { asset_id: remix.body.asset.id });
  expect(await bob.publish({ ref_id: first.refId, license: "cc0" })).toMatchObject({
    status: 422,
    body: { code: "license_incompatible" },
  });
});

test("a kit that wraps somebody else's template credits it, and takes its license", async () => {
  const { ann, asset } = await original("cc-by", "Somebody's");
  const bob = await fixture.join();
  const copy = await copied(bob, asset.id);
  const own = await bob.make("template", { name: "Own" });
  const refId = await bob.make("orchestration", {
    stage_configs: [
      { id: "s1", prompt_template_id: copy.refId },
      { id: "s2", prompt_template_id: own },
    ],
  });
  const kit = { asset_type: "orchestration", ref_id: refId };
  expect(await bob.publish({ ...kit, license: "cc0" })).toMatchObject({
    status: 422,
    body: { code: "license_incompatible", errors: [{ path: "items.0.license" }] },
  });
  const done = await bob.publish({ ...kit, license: "platform-free" });
  expect(done.status).toBe(201);
  const { items } = await readAsGuest(fixture.guest, done.body.asset.id);
  expect(items).toMatchObject([
    { license: "cc-by", attribution: { root: { id: asset.id, title: "Somebody's", creator_id: ann.id } } },
    { license: "platform-free", attribution: null },
  ]);
});

test("a parent that is erased while its copy is published is no parent", async () => {
  const { asset } = await original("cc0");
  const bob = await fixture.join();
  const first = await copied(bob, asset.id);
  const remix = await bob.publish({ ref_id: first.refId, title: "Between" });
  const carl = await fixture.join();
  const copy = await copied(carl, remix.body.asset.id);
  let running: ReturnType<typeof carl.publish> | undefined;
  await fixture.db.sql.begin(async (tx) => {
    await tx`delete from hub_assets where id = ${remix.body.asset.id}`;
    running = carl.publish({ ref_id: copy.refId, title: "After" });
    await untilWaiting(fixture.db.sql, "hub_publish");
  });
  const done = await running;
  expect(done).toMatchObject({
    status: 201,
    body: { asset: { parent_asset_id: null, source_asset_id: asset.id } },
  });
  expect(done?.body.asset.remix_depth).toBe(2);
});

test("editing or publishing a copy never changes its source", async () => {
  const { asset } = await original("cc0");
  const before = await assetRow(fixture.db.sql, asset.id);
  const bob = await fixture.join();
  const copy = await copied(bob, asset.id);
  await bob.client.from("prompt_templates").update({ content: "Changed" }).eq("id", copy.refId);
  await bob.publish({ ref_id: copy.refId, title: "Changed" });
  expect(await assetRow(fixture.db.sql, asset.id)).toEqual({ ...before, install_count: 1 });
});
