import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { inProcess } from "../../support/service.ts";
import { importFixture, kitDocument } from "./fixture.ts";

const fixture = importFixture(inProcess);

const one = async (table: string, id: string) =>
  (await fixture.db.sql`select * from ${fixture.db.sql(table)} where id = ${id}`)[0] ?? {};

describe("hostile documents", () => {
  const document = {
    ...{
      format: "keyhub.asset",
      format_version: 1,
      asset_type: "template",
      title: "T",
      description: null,
      tags: [],
    },
    ...{ license: "cc0", payload: { content: "x" }, items: [], attribution: null, sha256: "0".repeat(64) },
  };
  const text = JSON.stringify({ document });
  const inPayload = (json: string) => text.replace('{"content":"x"}', `{"content":"x","a":${json}}`);

  test("the harmless one is taken", async () => {
    expect((await fixture.import(await fixture.join(), "", text)).status).toBe(201);
  });

  test.each([
    ["__proto__", inPayload('{"__proto__":{"polluted":1}}'), 422, "validation_failed"],
    ["10,000 deep", inPayload(`${"[".repeat(10_000)}${"]".repeat(10_000)}`), 422, "validation_failed"],
    ["500,000 deep", inPayload(`${"[".repeat(500_000)}${"]".repeat(500_000)}`), 422, "validation_failed"],
    ["a key twice", inPayload('{"k":1,"k":2}'), 400, "malformed_json"],
    ["a key twice, once in escapes", inPayload('{"k":1,"\\u006b":2}'), 400, "malformed_json"],
    ["the format twice", text.replace('"tags"', '"format":"keyhub.asset","tags"'), 400, "malformed_json"],
    ["1e400", inPayload("1e400"), 422, "validation_failed"],
    ["-1e400", inPayload("[-1e400]"), 422, "validation_failed"],
    ["NUL", inPayload('"\\u0000"'), 422, "validation_failed"],
    ["NUL in a key", inPayload('{"\\u0000":1}'), 422, "validation_failed"],
    ["half a pair", inPayload('"\\ud800"'), 422, "validation_failed"],
    ["half a pair in a key", inPayload('{"\\udc00":1}'), 422, "validation_failed"],
    ["not JSON", "{document}", 400, "malformed_json"],
    ["NaN", inPayload("NaN"), 400, "malformed_json"],
    ["a list", "[]", 422, "validation_failed"],
    ["null", "null", 422, "validation_failed"],
    ["a text", '"document"', 422, "validation_failed"],
    ["a document that is a list", '{"document":[]}', 422, "validation_failed"],
    ["a content that is a number", text.replace('"x"', "5"), 422, "validation_failed"],
    [
      "a content that is too large",
      text.replace('"x"', JSON.stringify("x".repeat(300_000))),
      422,
      "validation_failed",
    ],
    [
      "a number of tokens beyond range",
      text.replace("template", "ai_preset").replace('{"content":"x"}', '{"topK":1e10}'),
      422,
      "validation_failed",
    ],
    [
      "a source that is a list",
      text.replace("template", "component").replace('{"content":"x"}', '{"source":[]}'),
      422,
      "validation_failed",
    ],
    [
      "stages that are an object",
      text.replace("template", "orchestration").replace('{"content":"x"}', '{"stage_configs":{}}'),
      422,
      "validation_failed",
    ],
    ["no title", text.replace('"T"', '" "'), 422, "validation_failed"],
    ["a title of 121 characters", text.replace('"T"', `"${"T".repeat(121)}"`), 422, "validation_failed"],
    ["a title that turns round", text.replace('"T"', '"a\\u202eb"'), 422, "validation_failed"],
    ["a tag of two words", text.replace('"tags":[]', '"tags":["a b"]'), 422, "validation_failed"],
    ["another format", text.replace("keyhub.asset", "other"), 422, "validation_failed"],
    ["a later format", text.replace('"format_version":1', '"format_version":2'), 422, "validation_failed"],
    ["an unknown license", text.replace("cc0", "none-such"), 422, "validation_failed"],
    [
      "items of a template",
      text.replace(
        '"items":[]',
        `"items":[${JSON.stringify({ asset_type: "template", ref_id: randomUUID(), title: "I", payload: {}, license: "cc0", attribution: null, sha256: "0".repeat(64) })}]`,
      ),
      422,
      "validation_failed",
    ],
    ["lineage beside it", text.replace('"title"', '"source_asset_id":"x","title"'), 422, "validation_failed"],
    [
      "lineage in the request",
      text.replace('{"document"', '{"parent_asset_id":"x","document"'),
      422,
      "validation_failed",
    ],
    [
      "a version beside a document",
      text.replace('{"document"', '{"version":1,"document"'),
      422,
      "validation_failed",
    ],
    ["an unknown mode", text.replace('{"document"', '{"mode":"steal","document"'), 422, "validation_failed"],
    ["nothing", "{}", 422, "validation_failed"],
  ])("%s", async (_, body, status, code) => {
    const me = await fixture.join();
    for (const who of [me, null]) {
      // The registry refuses U+202E, but a guest's import is not written to the registry.
      if (who === null && body.includes("202e")) continue;
      const answer = await fixture.import(who, "", body);
      expect([answer.status, answer.body.code]).toEqual([status, code]);
    }
    expect(await fixture.db.sql`select from hub_assets where creator_id = ${me.id}`).toHaveLength(0);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("a secret in it is its owner's own affair until it is published, and then stripped", async () => {
    const secret = "ghp_abcdefghij0123456789abcdefghij01234567";
    const me = await fixture.join();
    const { status, body } = await fixture.import(
      me,
      "",
      text.replace('"T"', `"${secret}"`).replace('"x"', `"${secret}"`),
    );
    expect(status).toBe(201);
    const [made] = body.created;
    expect(await one("prompt_templates", made.id)).toMatchObject({ name: secret, content: secret });
    const done = await me.publish({ ref_id: made.id, title: "Published", license: "cc0" });
    expect(done.status).toBe(201);
    const { document } = (await fixture.import(null, `/${done.body.asset.slug}`)).body;
    expect(JSON.stringify([done.body, document])).not.toContain(secret);
  });

  test("every fault is named at once, by its path", async () => {
    const bad = { ...document, title: "", license: "none-such", payload: 7, extra: 1 };
    const { body } = await fixture.import(null, "", { document: bad, mode: "no", source_asset_id: "x" });
    expect(body.errors.map(({ path, code }: { path: string; code: string }) => `${path}: ${code}`)).toEqual(
      expect.arrayContaining(["mode: invalid_value", "source_asset_id: unknown_field"]),
    );
    const below = await fixture.import(null, "", { document: bad });
    expect(
      below.body.errors.map(({ path, code }: { path: string; code: string }) => `${path}: ${code}`),
    ).toEqual(
      expect.arrayContaining([
        "document.license: invalid_value",
        "document.payload: invalid_type",
        "document.extra: unknown_field",
      ]),
    );
  });

  test("what a file claims is shown without secrets, of the whole and of its items", async () => {
    const { document } = await kitDocument(fixture);
    const secret = "sk-proj-a8Kq2vN4xT7bW9zLm3Rd6a8Kq2vN4xT7bW9zLm3Rd6";
    const claim = { title: secret, creator: `Ada ${secret}`, license: "cc0" };
    const forged = {
      ...document,
      title: "Forged",
      attribution: { claimed: { ...claim, root: claim } },
      items: document.items.map((one: object) => ({ ...one, attribution: { claimed: claim } })),
    };
    const me = await fixture.join();
    const { body, status } = await fixture.import(me, "", { document: forged });
    expect(status).toBe(201);
    const rows = await fixture.db
      .sql`select attribution::text as text from hub_assets where creator_id = ${me.id}`;
    expect(rows.length).toBeGreaterThan(3);
    expect(JSON.stringify([body, rows])).not.toContain(secret);
    expect(JSON.stringify(rows)).toContain("Ada [redacted]");
  });

  test("a list that is wrong throughout is not answered at its length", async () => {
    const { document } = await kitDocument(fixture);
    for (const wrong of [
      { items: Array(200_000).fill(0) },
      { tags: Array(200_000).fill("!") },
      { items: Array(200_000).fill({}) },
    ]) {
      const refused = await fixture.import(await fixture.join(), "", { document: { ...document, ...wrong } });
      expect(refused).toMatchObject({ status: 422, body: { code: "validation_failed" } });
      expect(refused.body.errors.length).toBeLessThanOrEqual(100);
    }
  });

  test("51 items, and a kit of more than 5 MB", async () => {
    const item = (content: string) => ({
      ...{ asset_type: "template", ref_id: randomUUID(), title: "I", payload: { content }, license: "cc0" },
      ...{ attribution: null, sha256: "0".repeat(64) },
    });
    const kit = (items: unknown[]) => ({
      document: { ...document, asset_type: "orchestration", payload: { nodes: [] }, items },
    });
    const me = await fixture.join();
    const many = await fixture.import(me, "", kit(Array.from({ length: 51 }, () => item("x"))));
    expect([many.status, many.body.errors[0].path]).toEqual([422, "document.items"]);
    const large = await fixture.import(
      me,
      "",
      kit(Array.from({ length: 24 }, () => item("x".repeat(240_000)))),
    );
    expect([large.status, large.body.errors[0].path]).toEqual([422, "document.items"]);
    const same = item("x");
    const twice = await fixture.import(me, "", kit([same, same]));
    expect([twice.status, twice.body.errors[0].code]).toEqual([422, "repeated"]);
    const full = await fixture.import(
      me,
      "",
      kit(Array.from({ length: 50 }, () => item("x".repeat(100_000)))),
    );
    expect([full.status, full.body.created.length]).toEqual([201, 51]);
  });

  test("50 MB: 413, whether its length is announced or not", async () => {
    const chunk = " ".repeat(1024 * 1024);
    const announced = await fixture.import(null, "", chunk.repeat(50));
    expect([announced.status, announced.body.code]).toEqual([413, "body_too_large"]);
    const response = await fixture.service.fetch("/functions/v1/hub-import", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: new Blob(Array.from({ length: 50 }, () => chunk)).stream(),
      duplex: "half",
    } as RequestInit);
    expect(response.status).toBe(413);
  });

  test("an empty body without a document, and one of another type", async () => {
    const { status, body } = await fixture.import(null, "");
    expect([status, body.errors]).toEqual([
      422,
      [{ path: "document", code: "required", message: "is required" }],
    ]);
    const other = await fixture.import(null, "", text, { "Content-Type": "text/plain" });
    expect(other.status).toBe(415);
  });
});
