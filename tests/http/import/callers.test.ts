import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { assetRow, wrongCounters } from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { inProcess } from "../../support/service.ts";
import { importFixture } from "./fixture.ts";

const fixture = importFixture(inProcess);

/** Returns the number of rows of everything that an import makes. */
const rows = async () =>
  (
    await fixture.db.sql`
      select (select count(*)::int from hub_assets) as assets, (select count(*)::int from hub_imports) as imports,
        (select count(*)::int from prompt_templates) as templates, (select count(*)::int from custom_components) as components,
        (select count(*)::int from orchestrator_configs) as configs, (select count(*)::int from ai_model_settings) as profiles,
        (select count(*)::int from private.hub_idempotent_responses) as answers, (select sum(install_count)::int from hub_assets) as installs`
  )[0];

describe("the same request again", () => {
  test("with its key it has its answer, also when the listing is gone meanwhile; nothing is done twice", async () => {
    const { slug, id, creator } = await fixture.list();
    const me = await fixture.join();
    const headers = { "Idempotency-Key": "import-1" };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => fixture.import(me, `/${slug}`, { mode: "use" }, headers)),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(await fixture.db.sql`select from hub_imports where asset_id = ${id}`).toHaveLength(1);
    await creator.client.rpc("hub_delete_asset", { asset_id: id });
    expect((await fixture.import(me, `/${slug}`, { mode: "use" }, headers)).body).toEqual(answers[0]?.body);
    const other = await fixture.import(me, `/${slug}`, { mode: "remix" }, headers);
    expect([other.status, other.body.code]).toEqual([422, "idempotency_key_reused"]);
    // An Idempotency-Key belongs to one user. Another user's call with that key is new, and the listing is deleted by now.
    expect((await fixture.import(await fixture.join(), `/${slug}`, { mode: "use" }, headers)).status).toBe(
      410,
    );
  });
});

/** The number of users, or of calls of one user, at once. */
const CROWD = LONG_TESTS ? 100 : 12;

describe("who counts", () => {
  test("many users at once count once each; one user, the creator and guests do not add to it", async () => {
    const { slug, id, creator } = await fixture.list();
    const people = await fixture.crowd(CROWD);
    const answers = await Promise.all(people.map((person) => fixture.import(person, `/${slug}`)));
    expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
    expect((await assetRow(fixture.db.sql, id)).install_count).toBe(CROWD);
    const [first] = people;
    if (first === undefined) throw new Error("unreachable");
    await Promise.all(Array.from({ length: CROWD }, () => fixture.import(first, `/${slug}`)));
    expect((await fixture.import(creator, `/${slug}`)).status).toBe(201);
    for (let i = 0; i < 3; i += 1) expect((await fixture.import(null, `/${slug}`)).status).toBe(200);
    expect((await assetRow(fixture.db.sql, id)).install_count).toBe(CROWD);
    expect(await wrongCounters(fixture.db.sql)).toEqual([]);
  });

  test("one new user many times: one", async () => {
    const { slug, id } = await fixture.list();
    const me = await fixture.join();
    await Promise.all(Array.from({ length: CROWD }, () => fixture.import(me, `/${slug}`)));
    expect((await assetRow(fixture.db.sql, id)).install_count).toBe(1);
    expect(await fixture.db.sql`select from hub_imports where asset_id = ${id}`).toHaveLength(CROWD);
  });
});

describe("what cannot be imported", () => {
  test("missing, private, hidden, unpublished and banned are the same 404; deleted is 410", async () => {
    const me = await fixture.join();
    const answers: Record<string, unknown> = {};
    const ask = async (name: string, path: string) => {
      for (const who of [me, null]) {
        const { status, body } = await fixture.import(who, path);
        const { request_id: _, ...rest } = body;
        answers[`${name} ${who === null ? "guest" : "user"}`] = [status, rest];
      }
    };
    await ask("missing", `/${randomUUID()}`);
    const hidden = await fixture.list();
    await fixture.db.sql`update hub_assets set is_hidden = true where id = ${hidden.id}`;
    await ask("hidden", `/${hidden.slug}`);
    const unpublished = await fixture.list();
    await unpublished.creator.client.rpc("hub_unpublish_asset", { asset_id: unpublished.id });
    await ask("unpublished", `/${unpublished.slug}`);
    const banned = await fixture.list();
    await fixture.db.sql`insert into private.hub_bans (user_id) values (${banned.creator.id})`;
    await ask("banned", `/${banned.slug}`);
    const copied = await fixture.list();
    const copy = await fixture.import(await fixture.join(), `/${copied.slug}`);
    await ask("private", `/${copy.body.created[0].hub_asset_id}`);
    for (const path of ["/..%2f", "/%00", "/a%20b", `/${"x".repeat(81)}`, "/*"]) await ask(path, path);
    const refusals = Object.values(answers);
    expect(new Set(refusals.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(refusals[0]).toEqual([404, expect.objectContaining({ code: "asset_not_found" })]);

    const deleted = await fixture.list({ body: { title: "Was here" } });
    await deleted.creator.client.rpc("hub_delete_asset", { asset_id: deleted.id });
    for (const who of [me, null, deleted.creator]) {
      const { status, body, text } = await fixture.import(who, `/${deleted.slug}`);
      expect([status, body.code]).toEqual([410, "gone"]);
      expect(body.asset).toMatchObject({ id: deleted.id, title: "Was here", deleted: true });
      expect(Object.keys(body.asset).sort()).toEqual(
        [
          "asset_type",
          "attribution",
          "creator",
          "deleted",
          "id",
          "license",
          "remix_depth",
          "slug",
          "title",
        ].sort(),
      );
      expect(text).not.toContain(deleted.creator.id);
    }
  });

  test("a private row that somebody deleted by hand was never public: 404, not 410", async () => {
    const { slug } = await fixture.list();
    const copy = await fixture.import(await fixture.join(), `/${slug}`);
    const id = copy.body.created[0].hub_asset_id;
    await fixture.db.sql`update hub_assets set deleted_at = now() where id = ${id}`;
    expect((await fixture.import(null, `/${id}`)).status).toBe(404);
  });

  test("an own row without a version: not_published", async () => {
    const { slug } = await fixture.list();
    const me = await fixture.join();
    const copy = await fixture.import(me, `/${slug}`);
    const again = await fixture.import(me, `/${copy.body.created[0].hub_asset_id}`);
    expect([again.status, again.body.code]).toEqual([409, "not_published"]);
  });

  test("an own hidden listing can be imported by its owner, and counts nothing", async () => {
    const { slug, id, creator } = await fixture.list();
    await fixture.db.sql`update hub_assets set is_hidden = true where id = ${id}`;
    expect((await fixture.import(creator, `/${slug}`)).status).toBe(201);
    expect((await assetRow(fixture.db.sql, id)).install_count).toBe(0);
  });

  test("a banned user imports nothing: 403, also as a dry run; a guest's import is theirs to have", async () => {
    const { slug, id } = await fixture.list();
    const me = await fixture.join();
    await fixture.db.sql`insert into private.hub_bans (user_id) values (${me.id})`;
    const before = await rows();
    for (const body of [{}, { dry_run: true }]) {
      const refused = await fixture.import(me, `/${slug}`, body);
      expect([refused.status, refused.body.code]).toEqual([403, "banned"]);
    }
    expect(await rows()).toEqual(before);
    expect((await assetRow(fixture.db.sql, id)).install_count).toBe(0);
    expect((await fixture.import(null, `/${slug}`)).status).toBe(200);
  });
});

describe("a page of another origin", () => {
  test("may send an Idempotency-Key, and read when to come again", async () => {
    const response = await fixture.service.fetch("/functions/v1/hub-import/some-slug", { method: "OPTIONS" });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-headers")).toMatch(/authorization.*, idempotency-key$/);
    const { headers } = await fixture.import(null, `/${randomUUID()}`);
    expect(headers.get("access-control-expose-headers")).toBe("Retry-After, X-Request-Id");
    expect(headers.get("access-control-allow-origin")).toBe("*");
  });
});

describe("who asks", () => {
  test("a token that outlived its account: 401, and nothing is written", async () => {
    const { slug } = await fixture.list();
    const [gone] = await fixture.crowd(1);
    if (gone === undefined) throw new Error("unreachable");
    await fixture.db.auth`delete from auth.users where id = ${gone.id}`;
    const { status, body, headers } = await fixture.import(gone, `/${slug}`);
    expect([status, body.code]).toEqual([401, "invalid_credential"]);
    expect(headers.get("www-authenticate")).toBe("Bearer");
  });

  test("an anonymous session is a guest; a bad token is 401; the publishable key is nobody", async () => {
    const { slug, id } = await fixture.list();
    for (const token of ["x", "a.b.c"]) {
      expect((await fixture.import({ token }, `/${slug}`)).status).toBe(401);
    }
    const nobody = await fixture.import({ token: "sb_publishable_key" }, `/${slug}`);
    expect([nobody.status, nobody.body.stored]).toEqual([200, "local"]);
    expect((await assetRow(fixture.db.sql, id)).install_count).toBe(0);
  });
});
