import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inProcess } from "../../support/service.ts";
import { type Person, publishFixture, tokenOf } from "./fixture.ts";

const fixture = publishFixture(inProcess);
let ann: Person;
let refId = "";
beforeAll(async () => {
  ann = await fixture.join();
  refId = await ann.make("template", { content: "Hello" });
});
// All requests of this file are refused, so nothing may be written.
afterAll(async () => {
  const [row] = await fixture.db.sql`
    select (select count(*) from hub_assets) + (select count(*) from hub_asset_versions) + (select count(*) from private.hub_idempotent_responses)
      + (select count(*) from hub_events) as n`;
  expect(Number(row?.n)).toBe(0);
  expect(fixture.service.console).toEqual([]);
});

describe("who is calling", () => {
  const body = () => ({
    asset_type: "template",
    ref_id: refId,
    title: "A",
    description: "B",
    license: "cc0",
  });
  const past = Math.floor(Date.now() / 1000) - 10;
  test.each([
    ["no credential", () => undefined, "missing_credential"],
    [
      "the publishable key, as supabase-js sends it",
      () => "sb_publishable_abcdefghijklmnopqrstuv",
      "missing_credential",
    ],
    ["an agent token", () => `kh_agent_${"0".repeat(64)}`, "invalid_credential"],
    [
      "an anon key of an older project",
      () => tokenOf(ann.id, { sub: undefined, role: "anon" }),
      "missing_credential",
    ],
    ["a service role's token", () => tokenOf(ann.id, { role: "service_role" }), "invalid_credential"],
    ["an expired token", () => tokenOf(ann.id, { exp: past }), "invalid_credential"],
    ["a forged token", () => `${tokenOf(ann.id).slice(0, -4)}AAAA`, "invalid_credential"],
    ["words", () => "let me in", "invalid_credential"],
    ["an anonymous session", () => tokenOf(ann.id, { is_anonymous: true }), "account_required"],
  ])("%s: 401", async (_, credential, code) => {
    const token = credential();
    const reply = await fixture.send(body(), token === undefined ? {} : { Authorization: `Bearer ${token}` });
    expect(reply).toMatchObject({ status: 401, body: { code } });
    expect(reply.headers.get("www-authenticate")).toBe("Bearer");
  });

  test("a user whose account is gone is refused", async () => {
    const gone = await fixture.join();
    const ref_id = await gone.make("template");
    await fixture.db.auth`delete from auth.users where id = ${gone.id}`;
    expect([401, 404]).toContain((await gone.publish({ ref_id })).status);
  });
});

describe("what the body says", () => {
  const long = (n: number) => "x".repeat(n);
  test.each<[string, Record<string, unknown>, string]>([
    ["no title", { title: undefined }, "title"],
    ["an empty title", { title: "  " }, "title"],
    ["a title of 121 characters", { title: long(121) }, "title"],
    ["a title of 300 characters", { title: long(300) }, "title"],
    ["a number as title", { title: 7 }, "title"],
    ["a NUL in the title", { title: "a\0b" }, "title"],
    ["half a surrogate pair", { title: "a\ud800" }, "title"],
    ["no description", { description: undefined }, "description"],
    ["an empty description", { description: "" }, "description"],
    ["a description of 2001 characters", { description: long(2001) }, "description"],
    ["21 tags", { tags: Array.from({ length: 21 }, (_, n) => `t${n}`) }, "tags"],
    ["a tag of 65 characters", { tags: [long(65)] }, "tags.0"],
    ["a tag with a space", { tags: ["fine", "two words"] }, "tags.1"],
    ["a tag of signs", { tags: ["<b>"] }, "tags.0"],
    ["a thumbnail without TLS", { thumbnail_url: "http://example.com/a.png" }, "thumbnail_url"],
    [
      "a thumbnail of 2049 characters",
      { thumbnail_url: `https://example.com/${long(2030)}` },
      "thumbnail_url",
    ],
    ["a thumbnail that is a program", { thumbnail_url: "javascript:alert(1)" }, "thumbnail_url"],
    ["a thumbnail with a password", { thumbnail_url: "https://a:b@example.com/" }, "thumbnail_url"],
    ["an unknown type", { asset_type: "workflow" }, "asset_type"],
    ["an unknown license", { license: "none-such" }, "license"],
    ["a malformed id", { ref_id: "not-a-uuid" }, "ref_id"],
    ["a field that nobody knows", { price_cents: 5 }, "price_cents"],
    ["lineage", { source_asset_id: randomUUID() }, "source_asset_id"],
    ["a parent", { parent_asset_id: randomUUID(), remix_depth: 0 }, "parent_asset_id"],
    ["an attribution", { attribution: {} }, "attribution"],
    ["a slug of one's own", { slug: "admin" }, "slug"],
    ["an owner of one's own", { user_id: randomUUID() }, "user_id"],
    ["a mode of a template", { mode: "bundle" }, "mode"],
    ["items of a template", { items: [{ asset_type: "template", ref_id: randomUUID() }] }, "items"],
    [
      "51 items",
      {
        asset_type: "orchestration",
        items: Array.from({ length: 51 }, () => ({ asset_type: "template", ref_id: randomUUID() })),
      },
      "items",
    ],
    [
      "an item of no type",
      { asset_type: "orchestration", items: [{ ref_id: randomUUID() }] },
      "items.0.asset_type",
    ],
    ["a NUL in the scan token", { scan_token: "a\0b" }, "scan_token"],
    ["half a surrogate pair in the scan token", { scan_token: "\ud800" }, "scan_token"],
    ["half a surrogate pair in an address", { thumbnail_url: "https://a.example/\ud800" }, "thumbnail_url"],
    ["a scan token of 5000 characters", { scan_token: long(5000) }, "scan_token"],
  ])("%s: 422 at its path", async (_, change, path) => {
    const reply = await ann.publish({ ref_id: refId, ...change });
    expect(reply).toMatchObject({ status: 422, body: { code: "validation_failed" } });
    expect(reply.body.errors.map((fault: { path: string }) => fault.path)).toContain(path);
  });

  test("every fault is named at once", async () => {
    const reply = await ann.publish({
      ref_id: "x",
      title: "",
      tags: ["<"],
      license: "gpl",
      thumbnail_url: "ftp://a",
      spare: 1,
    });
    const paths = reply.body.errors.map((fault: { path: string }) => fault.path).sort();
    expect(paths).toEqual(["license", "ref_id", "spare", "tags.0", "thumbnail_url", "title"]);
  });

  test("a list that is wrong throughout is not answered at its length", async () => {
    for (const wrong of [{ items: Array(120_000).fill(0) }, { tags: Array(60_000).fill("") }]) {
      const reply = await ann.publish({ asset_type: "orchestration", ref_id: refId, ...wrong });
      expect(reply).toMatchObject({ status: 422, body: { errors: [{ code: "too_big" }] } });
    }
    const unknown = Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`field${n}`, n]));
    expect((await ann.publish({ ref_id: refId, ...unknown })).body.errors).toHaveLength(100);
  });

  const raw = (text: string) => fixture.send(text, { Authorization: `Bearer ${ann.token}` });
  const valid = () =>
    `"asset_type": "template", "ref_id": "${refId}", "title": "A", "description": "B", "license": "cc0"`;
  test.each<[string, () => string, number]>([
    ["no JSON", () => "{", 400],
    ["an array", () => "[]", 422],
    ["null", () => "null", 422],
    ["nothing", () => "", 422],
    ["__proto__", () => `{${valid()}, "__proto__": {"dry_run": true}}`, 422],
    ["constructor", () => `{${valid()}, "constructor": {}}`, 422],
    ["a depth of 10,000", () => `{${valid()}, "items": ${"[".repeat(10_000)}${"]".repeat(10_000)}}`, 422],
    ["1e400", () => `{${valid()}, "scan_token": 1e400}`, 422],
    ["a body of 300 KB", () => `{${valid()}, "scan_token": "${"x".repeat(300_000)}"}`, 413],
  ])("%s", async (_, body, status) => {
    expect((await raw(body())).status).toBe(status);
  });

  test("a body that is not JSON by its type: 415; another method: 405", async () => {
    const headers = { Authorization: `Bearer ${ann.token}`, "Content-Type": "text/plain" };
    expect((await fixture.send("{}", headers)).status).toBe(415);
    const get = await fixture.service.fetch("/functions/v1/hub-publish", { headers });
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  });

  const paid = { license: "paid", price_cents: 500, teaser: "What it is about." };
  test("a price that is none, another currency, no teaser, or a price for what is free: 422", async () => {
    const faults = async (body: object) => {
      const refused = await ann.publish({ ref_id: refId, ...body });
      expect(refused, JSON.stringify(body)).toMatchObject({
        status: 422,
        body: { code: "validation_failed" },
      });
      return refused.body.errors.map(({ path }: { path: string }) => path);
    };
    for (const price of [0, 99, 100_001, 1.5, -1, "500", null])
      expect(await faults({ ...paid, price_cents: price })).toEqual(["price_cents"]);
    for (const currency of ["EUR", "usd", "DOLLARS"])
      expect(await faults({ ...paid, currency }), currency).toEqual(["currency"]);
    for (const teaser of [undefined, "", " ", "x".repeat(2001)])
      expect(await faults({ ...paid, teaser })).toEqual(["teaser"]);
    expect(await faults({ license: "paid" })).toEqual(["price_cents", "teaser"]);
    expect(await faults({ ...paid, license: "cc0" })).toEqual(["price_cents", "teaser"]);
  });

  test("paid, without an account that takes payments: 422", async () => {
    expect(await ann.publish({ ref_id: refId, ...paid })).toMatchObject({
      status: 422,
      body: { code: "payout_account_required" },
    });
  });
});

describe("what the workspace holds", () => {
  /** Makes components of half a megabyte each, without sending them. */
  async function largeComponents(count: number) {
    const rows = await fixture.db.sql<{ id: string }[]>`
      insert into custom_components (user_id, name, source)
      select ${ann.id}, 'Large', '// ' || repeat('x', 500000) from generate_series(1, ${count}::int) returning id`;
    return rows.map(({ id }) => ({ asset_type: "component", ref_id: id }));
  }

  const notFound = { status: 404, body: { code: "source_not_found" } };
  test("somebody else's, unknown, deleted, of another type: 404, and no telling which", async () => {
    const bob = await fixture.join();
    const theirs = await bob.make("template");
    const deleted = await ann.make("template");
    await ann.client.from("prompt_templates").delete().eq("id", deleted);
    const replies = await Promise.all([
      ...[theirs, randomUUID(), deleted].map((ref_id) => ann.publish({ ref_id })),
      ann.publish({ asset_type: "component", ref_id: refId }),
    ]);
    for (const reply of replies) expect(reply).toMatchObject(notFound);
    const [first, ...others] = replies.map(({ body: { request_id: _, ...body } }) => body);
    for (const other of others) expect(other).toEqual(first);
  });

  test("a payload that is too large for its type: 422", async () => {
    const large = await ann.make("template", {
      content: "x".repeat(262_000),
      variables: [{ note: "y".repeat(1000) }],
    });
    expect(await ann.publish({ ref_id: large })).toMatchObject({
      status: 422,
      body: { errors: [{ path: "payload", code: "too_big" }] },
    });
    const preset = await ann.make("ai_preset", { model_id: "m".repeat(16_380) });
    expect(await ann.publish({ asset_type: "ai_preset", ref_id: preset })).toMatchObject({ status: 422 });
  });

  test("a kit of more than 5 MB: 422", async () => {
    const items = await largeComponents(11);
    const kit = await ann.make("orchestration");
    expect(await ann.publish({ asset_type: "orchestration", ref_id: kit, items })).toMatchObject({
      status: 422,
      body: { errors: [{ path: "items", code: "too_big" }] },
    });
  });

  test("a payload that grows past its limit by what is taken out: 422", async () => {
    const content = "a://b:c1@d.de ".repeat(15_500);
    expect(await ann.publish({ ref_id: await ann.make("template", { content }) })).toMatchObject({
      status: 422,
      body: { errors: [{ path: "payload", code: "too_big" }] },
    });
  });

  test("a kit of far more is not even read: 422", async () => {
    const items = await largeComponents(28);
    const kit = await ann.make("orchestration");
    expect(await ann.publish({ asset_type: "orchestration", ref_id: kit, items })).toMatchObject({
      status: 422,
      body: { errors: [{ path: "items", code: "too_big", message: "are too large together" }] },
    });
  });

  test("JSON that is nested more than 64 deep: 422 with the way to it", async () => {
    let data: unknown = 1;
    for (let n = 0; n < 70; n += 1) data = [data];
    const { data: row } = await ann.client
      .from("orchestrator_configs")
      .insert({ name: "Deep", nodes: [{ id: "n", data }] })
      .select("id")
      .single();
    // The workspace may refuse such a row; if it exists, publishing refuses it.
    if (row === null) return;
    expect(await ann.publish({ asset_type: "orchestration", ref_id: row.id })).toMatchObject({
      status: 422,
      body: { errors: [{ code: "too_deep" }] },
    });
  });
});
