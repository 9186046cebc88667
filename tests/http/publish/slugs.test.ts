import { expect, test } from "vitest";
import { inProcess } from "../../support/service.ts";
import { publishFixture } from "./fixture.ts";

const fixture = publishFixture(inProcess);

test.each([
  ["🚀🔥", /^rocket-fire$/],
  ["日本語のタイトル", /^[a-z0-9]+(-[a-z0-9]+)*$/],
  ["สวัสดีชาวโลก", /^[a-z0-9]+(-[a-z0-9]+)*$/],
  ["İstanbul", /^istanbul$/],
  ["Große Straße ß", /^grosse-strasse-ss$/],
  ["-", /^template-[a-z0-9]{8}$/],
  ["admin", /^template-[a-z0-9]{8}$/],
  ["админ", /^template-[a-z0-9]{8}$/],
  ["1b4e28ba-2fa1-11d2-883f-0016d3cca427", /^template-[a-z0-9]{8}$/],
  ["../..", /^template-[a-z0-9]{8}$/],
  ["x".repeat(120), /^x{80}$/],
])("the title %s has a slug", async (title, slug) => {
  const ann = await fixture.join();
  const done = await ann.publish({ ref_id: await ann.make("template"), title });
  expect(done.status).toBe(201);
  expect(done.body.asset.slug).toMatch(slug);
  expect(done.body.permalink).toBe(`/hub/templates/${done.body.asset.slug}`);
});

test("a slug is not taken over from a tombstone, and does not change with the title", async () => {
  const [ann, bob] = [await fixture.join(), await fixture.join()];
  const refId = await ann.make("template");
  const { body } = await ann.publish({ ref_id: refId, title: "Mine for ever" });
  expect((await ann.publish({ ref_id: refId, title: "Renamed" })).body.asset.slug).toBe("mine-for-ever");
  await ann.client.rpc("hub_delete_asset", { asset_id: body.asset.id });
  const theirs = await bob.publish({ ref_id: await bob.make("template"), title: "Mine for ever" });
  expect(theirs.body.asset.slug).toBe("mine-for-ever-2");
});
