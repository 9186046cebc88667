import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { assetRow, makeAsset, publish, sha256 } from "../../support/hub.ts";
import { onDeno } from "../../support/service.ts";
import { importFixture } from "./fixture.ts";

/* Tests the function on Deno with its own deno.json, behind the gateway, over HTTP. */

const fixture = importFixture((db) => onDeno(db, [], ["hub-import"]));

describe("on Deno", () => {
  test("by supabase-js, and under the document's own path", async () => {
    const { slug, id } = await makeAsset(fixture.db.sql);
    const me = await fixture.join();
    const invoked = await me.client.functions.invoke(`hub-import/${slug}`, { body: { mode: "remix" } });
    expect(invoked.error).toBeNull();
    expect(invoked.data).toMatchObject({ stored: "cloud", attribution: { parent: { id } } });
    const alias = await fixture.service.fetch(`/api/hub/import/${id}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${me.token}` },
    });
    expect(alias.status).toBe(201);
    const asGuest = await fixture.guest.functions.invoke(`hub-import/${slug}`);
    expect(asGuest.data).toMatchObject({ stored: "local", document: { format: "keyhub.asset" } });
    expect((await assetRow(fixture.db.sql, id)).install_count).toBe(1);
  });

  test("a kit of 50 whose 37th item fails: a 422, nothing created, nothing counted", async () => {
    const creator = await fixture.join();
    const items = Array.from({ length: 50 }, (_, i) => {
      const payload = { content: i === 36 ? "x".repeat(262_145) : `Item ${i}` };
      return {
        ...{
          asset_type: "template",
          ref_id: randomUUID(),
          title: `Item ${i}`,
          payload,
          sha256: sha256(payload),
        },
        license: "cc0",
      };
    });
    const kit = await publish(fixture.db.sql, creator.id, {
      ...{ type: "orchestration", slug: "a-kit", payload: { nodes: [] }, items },
    });
    const me = await fixture.join();
    const { status, body } = await fixture.import(me, "/a-kit", {}, { "Idempotency-Key": "kit" });
    expect([status, body.code]).toEqual([422, "validation_failed"]);
    const [made] = await fixture.db.sql`
      select (select count(*)::int from hub_assets where creator_id = ${me.id}) as assets,
        (select count(*)::int from prompt_templates where user_id = ${me.id}) as templates,
        (select count(*)::int from orchestrator_configs where user_id = ${me.id}) as configs,
        (select count(*)::int from hub_imports where user_id = ${me.id}) as imports,
        (select count(*)::int from private.hub_idempotent_responses where user_id = ${me.id}) as answers`;
    expect(made).toEqual({ assets: 0, templates: 0, configs: 0, imports: 0, answers: 0 });
    expect((await assetRow(fixture.db.sql, kit.asset_id)).install_count).toBe(0);
  });

  test("50 MB are refused at once, and the connection serves on", async () => {
    const size = 50 * 1024 * 1024;
    const large = request(`${fixture.service.url}/functions/v1/hub-import`, {
      method: "POST",
      headers: { "content-type": "application/json", "content-length": size },
    });
    large.write(" ");
    // The answer comes while only the first byte of the body has been sent.
    const [refused] = (await once(large, "response")) as [IncomingMessage];
    expect([refused.statusCode, JSON.parse(await text(refused)).code]).toEqual([413, "body_too_large"]);
    large.destroy();
    const whole = await fixture.import(null, "", " ".repeat(size));
    expect([whole.status, whole.body.code]).toEqual([413, "body_too_large"]);
    const { slug } = await makeAsset(fixture.db.sql);
    expect((await fixture.import(null, `/${slug}`)).status).toBe(200);
  });

  test("a file of almost 8 MB is taken, and a deep one refused", async () => {
    const item = (i: number) => ({
      ...{
        asset_type: "template",
        ref_id: randomUUID(),
        title: `Item ${i}`,
        license: "cc0",
        attribution: null,
      },
      ...{ payload: { content: "Say hello. ".repeat(9_000) }, sha256: "0".repeat(64) },
    });
    const document = {
      ...{
        format: "keyhub.asset",
        format_version: 1,
        asset_type: "orchestration",
        title: "Large",
        description: null,
      },
      ...{
        tags: [],
        license: "cc0",
        payload: { nodes: [], edges: [], stage_configs: [] },
        attribution: null,
      },
      ...{ items: Array.from({ length: 50 }, (_, i) => item(i)), sha256: "0".repeat(64) },
    };
    const me = await fixture.join();
    const indented = JSON.stringify({ document }, null, 2);
    const send = () =>
      fixture.import(me, "", indented.padEnd(8_300_000, " "), { "Idempotency-Key": "large" });
    let answer = await send();
    // If the database needs more time than the function waits, a retry gets the stored response.
    while (answer.body.code === "unavailable") answer = await send();
    expect([answer.status, answer.body.created?.length]).toEqual([201, 51]);
    const deep = await fixture.import(me, "", `${"[".repeat(4_000_000)}${"]".repeat(4_000_000)}`);
    expect([deep.status, deep.body.code]).toEqual([422, "validation_failed"]);
  });
});
