import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { signedIn } from "../../support/actors.ts";
import { assetRow, makeAdmin, REPORT_THRESHOLD, reportByNewUsers, untilWaiting } from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { inProcess } from "../../support/service.ts";
import { publishFixture, readAsGuest, tokenOf } from "./fixture.ts";

const fixture = publishFixture(inProcess);

describe("publishing again", () => {
  test("the same is the same version; anything else is a new one, under the same slug", async () => {
    const ann = await fixture.join();
    const refId = await ann.make("template", { content: "One" });
    const first = await ann.publish({ ref_id: refId, tags: ["a", "b"] });
    expect(await ann.publish({ ref_id: refId, tags: ["#A", "b "] })).toMatchObject({
      status: 200,
      body: { version: 1, asset: { id: first.body.asset.id, updated_at: first.body.asset.updated_at } },
    });
    const renamed = await ann.publish({ ref_id: refId, title: "Another title" });
    expect(renamed).toMatchObject({ status: 201, body: { version: 2, permalink: first.body.permalink } });
    await ann.client.from("prompt_templates").update({ content: "Two" }).eq("id", refId);
    const changed = await ann.publish({ ref_id: refId, title: "Another title" });
    expect(changed).toMatchObject({
      status: 201,
      body: { version: 3, asset: { published_at: first.body.asset.published_at, current_version: 3 } },
    });
    expect((await readAsGuest(fixture.guest, first.body.asset.id)).version).toMatchObject({ version: 3 });
    expect(await ann.publish({ ref_id: refId, title: "Another title", license: "cc0" })).toMatchObject({
      body: { version: 4 },
    });
  });

  test("a kit whose item changed is a new version", async () => {
    const ann = await fixture.join();
    const template = await ann.make("template", { content: "One" });
    const refId = await ann.make("orchestration", {
      stage_configs: [{ id: "s", prompt_template_id: template }],
    });
    const body = { asset_type: "orchestration", ref_id: refId };
    expect(await ann.publish(body)).toMatchObject({ status: 201 });
    expect(await ann.publish(body)).toMatchObject({ status: 200, body: { version: 1 } });
    await ann.client.from("prompt_templates").update({ content: "Two" }).eq("id", template);
    expect(await ann.publish(body)).toMatchObject({ status: 201, body: { version: 2 } });
  });

  test("what its creator deleted comes back under its slug; what moderation removed does not", async () => {
    const ann = await fixture.join();
    const admin = await makeAdmin(fixture.db.sql);
    const adminClient = fixture.service.client(tokenOf(admin));
    const refId = await ann.make("template", { content: "One" });
    const first = await ann.publish({ ref_id: refId, title: "Comes and goes" });
    const { id } = first.body.asset;
    expect((await ann.client.rpc("hub_delete_asset", { asset_id: id })).error).toBeNull();
    const back = await ann.publish({ ref_id: refId, title: "Comes and goes" });
    expect(back).toMatchObject({
      status: 201,
      body: { version: 2, permalink: first.body.permalink, asset: { id, is_visible: true } },
    });

    await adminClient.rpc("hub_hide_asset", { asset_id: id, note: "For a test." });
    const hidden = await ann.publish({ ref_id: refId, title: "While hidden" });
    expect(hidden).toMatchObject({
      status: 201,
      body: { version: 3, asset: { is_hidden: true, is_visible: false } },
    });
    await ann.client.rpc("hub_delete_asset", { asset_id: id });
    expect((await ann.publish({ ref_id: refId })).body.asset).toMatchObject({
      is_hidden: true,
      is_visible: false,
    });

    await adminClient.rpc("hub_remove_asset", { asset_id: id, note: "For a test." });
    expect(await ann.publish({ ref_id: refId })).toMatchObject({ status: 409, body: { code: "removed" } });
    expect(await ann.publish({ ref_id: refId, dry_run: true })).toMatchObject({
      status: 409,
      body: { code: "removed" },
    });
  });

  test("a kit is no way around moderation: what is hidden or removed cannot be an item, named or linked", async () => {
    const ann = await fixture.join();
    const adminClient = fixture.service.client(tokenOf(await makeAdmin(fixture.db.sql)));
    const template = await ann.make("template", { content: "Forbidden words" });
    const { body } = await ann.publish({ ref_id: template, title: "Hidden soon" });
    const linked = await ann.make("orchestration", {
      stage_configs: [{ id: "s", prompt_template_id: template }],
    });
    const plain = await ann.make("orchestration");
    const items = [{ asset_type: "template", ref_id: template }];
    const kit = { asset_type: "orchestration", title: "A kit" };
    await adminClient.rpc("hub_hide_asset", { asset_id: body.asset.id, note: "For a test." });
    const refused = { status: 409, body: { code: "item_hidden", errors: [{ path: "items.0.ref_id" }] } };
    expect(await ann.publish({ ...kit, ref_id: linked })).toMatchObject(refused);
    expect(await ann.publish({ ...kit, ref_id: plain, items })).toMatchObject(refused);
    await adminClient.rpc("hub_remove_asset", { asset_id: body.asset.id, note: "For a test." });
    expect(await ann.publish({ ...kit, ref_id: plain, items })).toMatchObject(refused);
    expect((await ann.publish({ ...kit, ref_id: linked, mode: "pipeline" })).status).toBe(201);
  });

  test("what reports have hidden stays hidden, whatever its owner publishes", async () => {
    const ann = await fixture.join();
    const refId = await ann.make("template", { content: "One" });
    const { body } = await ann.publish({ ref_id: refId, title: "Reported" });
    await reportByNewUsers(fixture.db, body.asset.id, REPORT_THRESHOLD, signedIn);
    await ann.client.from("prompt_templates").update({ content: "Two" }).eq("id", refId);
    expect((await ann.publish({ ref_id: refId, title: "Reported" })).body.asset.is_visible).toBe(false);
    expect((await fixture.guest.from("hub_assets").select("id").eq("id", body.asset.id)).data).toEqual([]);
  });
});

describe("sending the request again", () => {
  test("with the same Idempotency-Key: the first answer, once, also twenty times at once", async () => {
    const ann = await fixture.join();
    const refId = await ann.make("template", { content: "One" });
    const key = { "Idempotency-Key": randomUUID() };
    const body = { ref_id: refId, title: "Only once" };
    const answers = await Promise.all(Array.from({ length: 20 }, () => ann.publish(body, key)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
    for (const { body } of answers) expect(body).toEqual(answers[0]?.body);
    expect((await assetRow(fixture.db.sql, answers[0]?.body.asset.id)).current_version).toBe(1);

    // The stored response is repeated; nothing is published again.
    const [row] = await fixture.db
      .sql`select answer from private.hub_idempotent_responses where user_id = ${ann.id}`;
    const parts = ["asset", "changelog", "created", "label", "redactions", "same_as", "scan", "version"];
    expect(Object.keys(row?.answer).sort()).toEqual(parts);

    // The stored response is also repeated after the item was changed, and after it was deleted.
    await ann.client.from("prompt_templates").update({ content: "Two" }).eq("id", refId);
    expect((await ann.publish(body, key)).body).toEqual(answers[0]?.body);
    await ann.client.from("prompt_templates").delete().eq("id", refId);
    expect((await ann.publish(body, key)).body).toEqual(answers[0]?.body);
    expect((await ann.publish(body)).status).toBe(404);
  });

  test("two that wait for the same lock are one: the second is answered what the first was", async () => {
    const ann = await fixture.join();
    const refId = await ann.make("template");
    const key = { "Idempotency-Key": "twins" };
    let twins: ReturnType<typeof ann.publish>[] = [];
    await fixture.db.sql.begin(async (tx) => {
      await tx`select from hub_profiles where user_id = ${ann.id} for no key update`;
      twins = [1, 2].map(() => ann.publish({ ref_id: refId, title: "Twins" }, key));
      await untilWaiting(fixture.db.sql, "hub_publish", 2);
    });
    const [first, second] = await Promise.all(twins);
    expect([first?.status, second?.status]).toEqual([201, 201]);
    expect(second?.body).toEqual(first?.body);
  });

  test("the key stands for one request of one user, for a day", async () => {
    const [ann, bob] = [await fixture.join(), await fixture.join()];
    const refId = await ann.make("template");
    const key = { "Idempotency-Key": "my key/1".replace(" ", "-") };
    const first = await ann.publish({ ref_id: refId, title: "Keyed" }, key);
    expect(first.status).toBe(201);
    expect(await ann.publish({ ref_id: refId, title: "Other" }, key)).toMatchObject({
      status: 422,
      body: { code: "idempotency_key_reused" },
    });
    expect((await bob.publish({ ref_id: await bob.make("template"), title: "Other" }, key)).status).toBe(201);
    await fixture.db
      .sql`update private.hub_idempotent_responses set created_at = created_at - interval '24 hours' where user_id = ${ann.id}`;
    expect((await ann.publish({ ref_id: refId, title: "Other" }, key)).body.version).toBe(2);
    expect((await ann.publish({ ref_id: refId, title: "Other" }, key)).body.version).toBe(2);
    const kept = await fixture.db.sql`select from private.hub_idempotent_responses where user_id = ${ann.id}`;
    expect(kept).toHaveLength(1);
  });

  test("a key that is no key is refused; a refusal and a preview are not kept", async () => {
    const ann = await fixture.join();
    const refId = await ann.make("component", { source: "eval(x)" });
    const body = { asset_type: "component", ref_id: refId };
    for (const wrong of ["x".repeat(256), "two words"])
      expect(await ann.publish(body, { "Idempotency-Key": wrong })).toMatchObject({
        status: 422,
        body: { errors: [{ path: "Idempotency-Key" }] },
      });
    const key = { "Idempotency-Key": "k" };
    expect((await ann.publish({ ...body, dry_run: true }, key)).status).toBe(200);
    const asked = await ann.publish(body, key);
    expect(asked.status).toBe(409);
    expect((await ann.publish({ ...body, scan_token: asked.body.scan_token }, key)).status).toBe(201);
  });
});

test("answers and confirmations of those who never come back are pruned", async () => {
  const ann = await fixture.join();
  const refId = await ann.make("component", { source: "eval(x)" });
  await ann.publish({ asset_type: "component", ref_id: refId });
  await ann.publish({ ref_id: await ann.make("template") }, { "Idempotency-Key": "k" });
  const { sql } = fixture.db;
  await sql`update private.hub_idempotent_responses set created_at = created_at - interval '1 day' where user_id = ${ann.id}`;
  await sql`update private.hub_scan_tokens set expires_at = expires_at - interval '1 hour' where user_id = ${ann.id}`;
  const [pruned] = await sql`select hub_prune() as n`;
  expect(pruned?.n).toBeGreaterThanOrEqual(2);
  expect(await sql`select from private.hub_idempotent_responses where user_id = ${ann.id}`).toHaveLength(0);
  expect(await sql`select from private.hub_scan_tokens where user_id = ${ann.id}`).toHaveLength(0);
});

describe("beside others", () => {
  const CROWD = LONG_TESTS ? 50 : 12;
  test(`${CROWD} publications of one title at once: ${CROWD} slugs`, async () => {
    const people = await Promise.all(Array.from({ length: CROWD }, () => fixture.join()));
    const refs = await Promise.all(people.map((person) => person.make("template")));
    const done = await Promise.all(
      people.map((person, n) => person.publish({ ref_id: refs[n], title: "One title" })),
    );
    expect(done.map(({ status }) => status)).toEqual(done.map(() => 201));
    const slugs = done.map(({ body }) => body.asset.slug as string).sort();
    expect(new Set(slugs).size).toBe(CROWD);
    expect(slugs).toEqual(expect.arrayContaining(["one-title", "one-title-2"]));
    for (const slug of slugs) expect(slug).toMatch(/^one-title(?:-[2-9]|-[0-9a-f]{8})?$/);
  });

  test("two publications of one item at once: one listing, two versions at most", async () => {
    const ann = await fixture.join();
    const refId = await ann.make("template");
    const done = await Promise.all(["A", "B"].map((title) => ann.publish({ ref_id: refId, title })));
    expect(done.map(({ body }) => body.version).sort()).toEqual([1, 2]);
    expect(done[0]?.body.asset.id).toBe(done[1]?.body.asset.id);
  });

  test("a ban during the publication: not public", async () => {
    const ann = await fixture.join();
    const refId = await ann.make("template");
    let running: ReturnType<typeof ann.publish> | undefined;
    await fixture.db.sql.begin(async (tx) => {
      await tx`insert into private.hub_bans (user_id) values (${ann.id})`;
      running = ann.publish({ ref_id: refId });
      await untilWaiting(fixture.db.sql, "hub_publish");
    });
    expect(await running).toMatchObject({ status: 403, body: { code: "banned" } });
    expect(await fixture.db.sql`select from hub_assets where ref_id = ${refId}`).toHaveLength(0);
    expect(await ann.publish({ ref_id: refId, dry_run: true })).toMatchObject({ status: 403 });
  });

  test("sixty an hour and not one more, also at once; Retry-After says when", async () => {
    const ann = await fixture.join();
    const refs = await Promise.all(Array.from({ length: 8 }, () => ann.make("template")));
    const { body } = await ann.publish({ ref_id: refs[0], title: "The first" });
    // Fifty-six more publications, half an hour ago.
    await fixture.db.sql`
      insert into hub_events (at, action, asset_id, user_id)
      select clock_timestamp() - interval '30 minutes' - n * interval '1 second', 'published', ${body.asset.id}, ${ann.id}
      from generate_series(1, 56) n`;
    // Returns the seconds until the first publication is an hour old, by the database's clock.
    const secondsToWait = async () => {
      const [row] = await fixture.db.sql`
        select ceil(extract(epoch from min(at) + interval '1 hour' - clock_timestamp()))::int as seconds
        from hub_events where user_id = ${ann.id} and action = 'published'`;
      return row?.seconds as number;
    };
    const most = await secondsToWait();
    const done = await Promise.all(
      refs.slice(1).map((ref_id, n) => ann.publish({ ref_id, title: `More ${n}` })),
    );
    expect(done.filter(({ status }) => status === 201)).toHaveLength(3);
    const refused = done.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(4);
    const least = await secondsToWait();
    for (const { body, headers } of refused) {
      expect(body).toMatchObject({ code: "rate_limited", retry_after: Number(headers.get("retry-after")) });
      expect(body.retry_after).toBeGreaterThanOrEqual(least);
      expect(body.retry_after).toBeLessThanOrEqual(most);
    }
    // Publishing unchanged content does not count, nor does a preview.
    expect((await ann.publish({ ref_id: refs[0], title: "The first" })).status).toBe(200);
    expect((await ann.publish({ ref_id: refs[0], title: "Looked at", dry_run: true })).status).toBe(200);
  });
});
