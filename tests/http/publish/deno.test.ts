import { expect, test } from "vitest";
import { assetTypes } from "../../support/hub.ts";
import { onDeno } from "../../support/service.ts";
import { publishFixture, readAsGuest } from "./fixture.ts";

/* Tests the function on Deno with its own deno.json, behind the gateway, over HTTP. */

const fixture = publishFixture((db) => onDeno(db, [], ["hub-publish"]));

test.each(assetTypes)("%s is published over HTTP", async (type) => {
  const ann = await fixture.join();
  const ref_id = await ann.make(type, type === "component" ? { source: "eval(a)" } : {});
  const asked = await ann.publish({ asset_type: type, ref_id });
  const done =
    type === "component"
      ? await ann.publish({ asset_type: type, ref_id, scan_token: asked.body.scan_token })
      : asked;
  expect(done).toMatchObject({ status: 201, body: { version: 1, asset: { asset_type: type } } });
  expect((await readAsGuest(fixture.guest, done.body.asset.id)).version).toMatchObject({ version: 1 });
});

test("by supabase-js as well, and under the document's own path", async () => {
  const { userId, token } = await fixture.service.signUp();
  const client = fixture.service.client(token);
  const { data } = await client
    .from("prompt_templates")
    .insert({ name: "Mine", content: "Hi" })
    .select("id")
    .single();
  const body = {
    asset_type: "template",
    ref_id: data?.id,
    title: "Mine",
    description: "Mine.",
    license: "cc0",
  };
  const invoked = await client.functions.invoke("hub-publish", { body });
  expect(invoked.error).toBeNull();
  expect(invoked.data).toMatchObject({ version: 1, asset: { creator_id: userId } });
  const alias = await fixture.service.fetch("/api/hub/publish", {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  expect([alias.status, (await alias.json()).permalink]).toEqual([200, "/hub/templates/mine"]);
});

test("a component of 512 KB and an orchestration of 1 MB", async () => {
  const ann = await fixture.join();
  const line =
    "export const Row = ({ name, size }) => <li className={size > 3 ? 'large' : 'small'}>{name}</li>;\n";
  const source = Array.from({ length: 5_000 }, (_, n) => line.replace("Row", `Row${n}`)).join("");
  const component = await ann.make("component", { source });
  expect(await ann.publish({ asset_type: "component", ref_id: component })).toMatchObject({ status: 201 });
  const nodes = Array.from({ length: 5_000 }, (_, n) => ({
    id: `n${n}`,
    type: "llm",
    position: { x: n, y: n },
    data: { prompt: `Summarise {{text}} for reader ${n} in a few plain words, and name your sources.` },
  }));
  const orchestration = await ann.make("orchestration", { nodes });
  expect(await ann.publish({ asset_type: "orchestration", ref_id: orchestration })).toMatchObject({
    status: 201,
  });
});
