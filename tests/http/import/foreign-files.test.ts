import { describe, expect, test } from "vitest";
import { FORMATS, formatOf } from "../../../packages/core/src/hub/formats/index.ts";
import { ASSETS, type AssetType } from "../../../packages/core/src/hub/index.ts";
import { files, formatIn, nameOf, fixture as textIn } from "../../support/foreign-files.ts";
import { inProcess } from "../../support/service.ts";
import { importFixture, type Person } from "./fixture.ts";

const fixture = importFixture(inProcess);

/** The file of each format. */
const FILES = Object.fromEntries(
  files.filter((file) => !/-api\.\w+$/.test(file)).map((file) => [formatIn(file), file]),
);
const textOf = (id: string) => textIn(FILES[id] ?? "");
const bring = (who: Person | null, id: string, more = {}) =>
  fixture.import(who, "", {
    document: textOf(id),
    filename: nameOf(FILES[id] ?? ""),
    ...more,
  });

/** Publishes the row that an import has made; returns the answer, and the listing as a guest reads it. */
async function publishedFrom(
  who: Person,
  created: { asset_type: AssetType; id: string; title: string },
  isClaimed = false,
) {
  const { asset_type, id, title } = created;
  // A file may name another author, whose license may be stricter than cc0.
  const license = isClaimed ? "platform-free" : "cc0";
  const done = await who.publish({
    asset_type,
    ref_id: id,
    title,
    description: "From a file.",
    license,
  });
  expect(done.status, done.text).toBe(201);
  const { data } = await fixture.guest.rpc("hub_asset", { id_or_slug: done.body.asset.id });
  return { done, asset: data as { slug: string; payload: Record<string, unknown> } };
}

test("GET lists the formats, to anybody", async () => {
  const response = await fixture.service.fetch("/functions/v1/hub-import");
  expect(response.status).toBe(200);
  const { formats } = await response.json();
  expect(formats.map(({ id }: { id: string }) => id)).toEqual(FORMATS.map(({ id }) => id));
  expect(formats[0]).toEqual({
    id: "n8n",
    name: "n8n workflow",
    asset_type: "orchestration",
    extension: ".json",
  });
  const refused = await fixture.service.fetch("/functions/v1/hub-import", { method: "DELETE" });
  expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, POST, OPTIONS"]);
  // A path below hub-import imports a listing, so GET is not allowed there.
  expect((await fixture.service.fetch("/functions/v1/hub-import/x")).status).toBe(405);
});

describe("a file goes from one tool through the hub into the same tool", () => {
  test.each(Object.keys(FILES).filter((id) => id !== "prompts-csv"))("%s", async (id) => {
    const [ann, ben] = [await fixture.join(), await fixture.join()];
    const { status, body, text } = await bring(ann, id);
    expect(status, text).toBe(201);
    expect(body.created).toHaveLength(1);
    const [created] = body.created;
    expect(created.asset_type).toBe(formatOf(id)?.assetType);
    const row = async (rowId: string) =>
      (
        await fixture.db.sql`
          select * from ${fixture.db.sql(ASSETS[created.asset_type as AssetType].table)} where id = ${rowId}`
      )[0];
    expect(await row(created.id)).toMatchObject({ source_format: id, source_text: textOf(id) });

    const { asset } = await publishedFrom(ann, created, body.attribution !== null);
    const taken = await fixture.import(ben, `/${asset.slug}`);
    expect(taken.status, taken.text).toBe(201);
    expect(await row(taken.body.created[0].id)).toMatchObject({
      source_format: id,
      source_text: asset.payload.source_text,
    });
  });

  test("every prompt of a list becomes an item; the list is no part of any", async () => {
    const ann = await fixture.join();
    const { body } = await bring(ann, "prompts-csv");
    expect(body.created.map(({ title }: { title: string }) => title)).toEqual([
      "Travel guide",
      "SQL terminal",
    ]);
    expect(body.attribution).toBeNull();
    const rows = await fixture.db.sql`
      select content, source_text from prompt_templates where user_id = ${ann.id} order by content`;
    expect(rows).toMatchObject([{ source_text: null }, { source_text: null }]);
  });

  test("a guest gets every asset of the file, and nothing is stored", async () => {
    const { status, body } = await bring(null, "prompts-csv");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      stored: "local",
      document: { title: "Travel guide" },
      further: [{ title: "SQL terminal" }],
    });
    const flow = await bring(null, "n8n");
    expect(flow.body).toMatchObject({ document: { payload: { source_format: "n8n" } } });
    expect(flow.body).not.toHaveProperty("further");
    // A guest's browser keeps this document. A member can import it later without changes.
    const ann = await fixture.join();
    expect((await fixture.import(ann, "", { document: flow.body.document })).status).toBe(201);
  });

  test("a file of Keyhub is read as text, too", async () => {
    const { slug } = await fixture.list();
    const { body } = await fixture.import(null, `/${slug}`);
    const ann = await fixture.join();
    const again = await fixture.import(ann, "", {
      document: JSON.stringify(body.document),
      filename: "a.json",
    });
    expect(again.body).toMatchObject({ stored: "cloud", attribution: { parent: { slug } } });
  });

  test("says what the tool needs", async () => {
    const { body } = await bring(await fixture.join(), "n8n");
    // There is no warning about a license, because nobody has licensed the user's own file yet.
    expect(body.warnings).toHaveLength(1);
    expect(body.warnings).toContainEqual({
      code: "setup_needed",
      message: "The tool that made this requires these.",
      requirements: [
        { kind: "credential", name: "openAiApi" },
        { kind: "package", name: "n8n-nodes-scorer" },
      ],
    });
  });

  test("the same twice with one idempotency key is one import; a dry run makes nothing", async () => {
    const ann = await fixture.join();
    const ask = () => fixture.import(ann, "", { document: textOf("n8n") }, { "Idempotency-Key": "one" });
    const [first, second] = [await ask(), await ask()];
    expect(second.body).toEqual(first.body);
    const dry = await bring(ann, "dify", { dry_run: true });
    expect(dry.body).toMatchObject({ dry_run: true, created: [{ id: null }] });
    const [count] = await fixture.db
      .sql`select count(*)::int from orchestrator_configs where user_id = ${ann.id}`;
    expect(count).toEqual({ count: 1 });
  });
});

describe("what is published", () => {
  test("has no secret of the file, neither in its text nor in its drawing, and a receipt for it", async () => {
    const ann = await fixture.join();
    const { body } = await bring(ann, "n8n");
    const { done, asset } = await publishedFrom(ann, body.created[0]);
    expect(done.body.redactions).toContainEqual({ path: "payload.source_text", rule: "private-place" });
    const shown = JSON.stringify(asset);
    for (const secret of ["kx83jdQpLm20vNsR5tYw", "Zk3pQ9vLw2xR7tYs", "3f6c0f3a5b1e4c5d", "Ada Lovelace"])
      expect(shown).not.toContain(secret);
    expect(asset.payload.nodes).toHaveLength(5);
  });

  test("is drawn from the file, whatever a client wrote beside it", async () => {
    const ann = await fixture.join();
    const ref = await ann.make("orchestration", {
      ...{ nodes: [{ id: "x", data: { label: "Harmless" } }], edges: [], stage_configs: [] },
      ...{ source_format: "n8n", source_text: textOf("n8n") },
    });
    const created = { asset_type: "orchestration" as const, id: ref, title: "Sorted" };
    const { asset } = await publishedFrom(ann, created);
    expect(JSON.stringify(asset.payload)).not.toContain("Harmless");
    expect(asset.payload.nodes).toHaveLength(5);
  });

  test.each([
    ["a format that nobody knows", { source_format: "excel", source_text: "{}" }, "payload.source_format"],
    ["a format of another type", { source_format: "skill", source_text: "{}" }, "payload.source_format"],
    ["a text that is none", { source_format: "n8n", source_text: "{}" }, "payload.source_text"],
  ])("%s is refused", async (_, source, path) => {
    const ann = await fixture.join();
    const ref = await ann.make("orchestration", { nodes: [], edges: [], stage_configs: [], ...source });
    const { status, body } = await ann.publish({
      ...{ asset_type: "orchestration", ref_id: ref, title: "T", description: "D", license: "cc0" },
    });
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ path }]);
  });
});

describe("an edit by hand", () => {
  test("drops the file, a new name or description does not", async () => {
    const ann = await fixture.join();
    const { body } = await bring(ann, "skill");
    const [{ id }] = body.created;
    const source = async () =>
      (await fixture.db.sql`select source_format, source_text from prompt_templates where id = ${id}`)[0];
    const edit = (columns: Record<string, string>) =>
      ann.client.from("prompt_templates").update(columns).eq("id", id);
    expect((await edit({ name: "Mine", description: "Other" })).error).toBeNull();
    expect(await source()).toMatchObject({ source_format: "skill" });
    expect((await edit({ content: "Other" })).error).toBeNull();
    expect(await source()).toEqual({ source_format: null, source_text: null });
  });

  test.each([
    [{ source_format: "n8n" }, "source_text", "unpaired"],
    [{ source_text: "{}" }, "source_text", "unpaired"],
    [{ source_format: "N 8 N", source_text: "{}" }, "source_format", "invalid_format"],
    [{ source_format: "n8n", source_text: "x".repeat(1_048_577) }, "source_text", "too_big"],
  ])("half of it, or too much: %.60j", async (columns, path, code) => {
    const ann = await fixture.join();
    const { error } = await ann.client
      .from("orchestrator_configs")
      .insert({ user_id: ann.id, name: "x", ...columns });
    expect(JSON.parse(error?.details ?? "{}")).toMatchObject({ errors: [{ path, code }] });
  });
});

describe("bad input", () => {
  test.each([
    ["a file of none", { document: '{"a": 1}' }, "document", "unknown_format"],
    ["nothing", { document: "" }, "document", "too_small"],
    ["a name without a text", { document: {}, filename: 7 }, "filename", "invalid_type"],
    ["a name that is too long", { document: "a", filename: "x".repeat(256) }, "filename", "too_big"],
    [
      "2 MB",
      { document: JSON.stringify({ nodes: [], connections: {}, x: "y".repeat(2_000_000) }) },
      "document.payload.source_text",
      "too_big",
    ],
  ])("%s", async (_, body, path, code) => {
    const answer = await fixture.import(await fixture.join(), "", body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toContainEqual(expect.objectContaining({ path, code }));
  });

  test("a file of Keyhub with half of another tool's file", async () => {
    const { slug } = await fixture.list();
    const { body } = await fixture.import(null, `/${slug}`);
    body.document.payload.source_text = "{}";
    const answer = await fixture.import(null, "", { document: body.document });
    expect(answer.body.errors).toMatchObject([{ path: "document.payload.source_text", code: "unpaired" }]);
  });

  test("a file of Keyhub whose drawing was edited beside its text is read from the text", async () => {
    const { body } = await bring(null, "n8n");
    body.document.payload.nodes = [{ id: "x", data: { label: "Harmless" } }];
    const ann = await fixture.join();
    const taken = await fixture.import(ann, "", { document: body.document });
    const [row] = await fixture.db
      .sql`select nodes from orchestrator_configs where id = ${taken.body.created[0].id}`;
    expect(row?.nodes).toHaveLength(5);
    body.document.payload.source_format = "dify";
    const other = await fixture.import(ann, "", { document: body.document });
    expect(other.body.errors).toMatchObject([{ path: "document.payload.source_text", code: "unreadable" }]);
  });

  test("more prompts than a workspace holds: none is taken", async () => {
    const ann = await fixture.join();
    const rows = (count: number) =>
      `act,prompt\n${Array.from({ length: count }, (_, n) => `a${n},b${n}`).join("\n")}`;
    const many = await fixture.import(ann, "", { document: rows(2_001), filename: "a.csv" });
    expect(many.body.errors).toMatchObject([{ path: "document", code: "too_big" }]);
    await fixture.db.sql`
      insert into prompt_templates (user_id, name) select ${ann.id}, 'A prompt ' || n from generate_series(1, 1990) n`;
    const full = await fixture.import(ann, "", { document: rows(11), filename: "a.csv" });
    expect(full.body).toMatchObject({ code: "limit_reached" });
    expect(await fixture.db.sql`select from prompt_templates where user_id = ${ann.id}`).toHaveLength(1_990);
  });
});
