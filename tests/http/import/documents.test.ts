import { describe, expect, test } from "vitest";
import { contentHash, exportItem, readArchive } from "../../../packages/core/src/hub/index.ts";
import { assetRow } from "../../support/hub.ts";
import { inProcess } from "../../support/service.ts";
import { importFixture, kitDocument } from "./fixture.ts";

const fixture = importFixture(inProcess);

const one = async (table: string, id: string) =>
  (await fixture.db.sql`select * from ${fixture.db.sql(table)} where id = ${id}`)[0] ?? {};

describe("a guest's import is the export document", () => {
  test("which is written as it is read, whole, with its origin; nothing is counted", async () => {
    const { asset, creator, document } = await kitDocument(fixture);
    expect(readArchive(document)).toEqual({ ok: true, value: document });
    expect(document).toMatchObject({
      format: "keyhub.asset",
      format_version: 1,
      asset_type: "orchestration",
      title: "A kit",
      description: "Greets people.",
      tags: ["kit"],
      license: "cc-by",
      items: [{ asset_type: "component" }, { asset_type: "ai_preset" }, { asset_type: "template" }],
      attribution: { parent: { id: asset.id, version: 1, creator_id: creator.id, license: "cc-by" } },
      sha256: await contentHash(document.payload),
    });
    expect((await assetRow(fixture.db.sql, asset.id)).install_count).toBe(0);
    expect(await fixture.db.sql`select from hub_imports where asset_id = ${asset.id}`).toHaveLength(0);
  });

  test("the author's name is left out when they are banned or gone, and their id with it", async () => {
    const author = await fixture.list();
    const remixer = await fixture.join();
    const taken = await fixture.import(remixer, `/${author.slug}`);
    const { body } = await remixer.publish({ ref_id: taken.body.created[0].id, title: "Remix" });
    await fixture.db.sql`insert into private.hub_bans (user_id) values (${author.creator.id})`;
    const { text, body: answer } = await fixture.import(null, `/${body.asset.slug}`);
    expect(answer.document.attribution.root).toMatchObject({
      id: author.id,
      creator: null,
      creator_id: null,
    });
    expect(answer.document.attribution.parent.creator).toEqual(expect.any(String));
    expect(text).not.toContain(author.creator.id);
  });

  test("a guest may bring a file back: it is checked and given back", async () => {
    const { document } = await kitDocument(fixture);
    const { status, body } = await fixture.import(null, "", { document });
    expect(status).toBe(200);
    expect(body).toMatchObject({ stored: "local", document });
    // A guest's file is not compared with the hub, so the warning must not say that the file is wrong.
    const claimed = body.warnings.find(({ code }: { code: string }) => code === "lineage_claimed");
    expect(claimed.message).toMatch(/is not checked without an account/);
  });
});

describe("a document of a listing, brought in by a user", () => {
  test("is an import of that version: linked, counted, its licenses those that are stored", async () => {
    const { asset, document } = await kitDocument(fixture);
    const me = await fixture.join();
    // Members that the hash does not cover are read from the database, not from the file.
    const retitled = { ...document, title: "Mine!", license: "cc0", tags: [], description: null };
    for (const item of retitled.items) item.license = "cc0";
    const { status, body } = await fixture.import(me, "", { document: retitled, mode: "remix" });
    expect(status).toBe(201);
    const [main, ...items] = body.created;
    expect(main.title).toBe("A kit");
    expect(await assetRow(fixture.db.sql, main.hub_asset_id)).toMatchObject({
      source_asset_id: asset.id,
      parent_asset_id: asset.id,
      remix_depth: 1,
      license: "cc-by",
      attribution: { parent: { id: asset.id, title: "A kit", license: "cc-by" } },
    });
    for (const item of items) {
      expect(await assetRow(fixture.db.sql, item.hub_asset_id)).toMatchObject({
        source_asset_id: asset.id,
        license: "cc-by",
      });
    }
    const config = await one("orchestrator_configs", main.id);
    expect(config.stage_configs[0].prompt_template_id).toBe(items[2].id);
    expect((await assetRow(fixture.db.sql, asset.id)).install_count).toBe(1);
  });

  test("also when the listing has a newer version, which the importer is told", async () => {
    const { slug, creator, ref, id } = await fixture.list({ columns: { content: "One" } });
    const { document } = (await fixture.import(null, `/${slug}`)).body;
    await creator.client.from("prompt_templates").update({ content: "Two" }).eq("id", ref);
    await creator.publish({ ref_id: ref, title: "Two" });
    const { status, body } = await fixture.import(await fixture.join(), "", { document });
    expect(status).toBe(201);
    expect(body.warnings[0]).toMatchObject({ code: "newer_version", current_version: 2 });
    expect(await one("prompt_templates", body.created[0].id)).toMatchObject({ content: "One" });
    expect(await assetRow(fixture.db.sql, body.created[0].hub_asset_id)).toMatchObject({
      source_asset_id: id,
      attribution: { parent: { version: 1 } },
    });
  });
});

describe("an own item, exported and imported elsewhere", () => {
  test("is the same item; its secrets are not in the file", async () => {
    const [ada, ben] = [await fixture.join(), await fixture.join()];
    const secret = "sk-proj-abcdefghij0123456789ABCDEFGHIJ";
    const id = await ada.make("ai_preset", { name: "Mine", model_id: "gpt-x", top_k: 4, api_key: secret });
    const template = await ada.make("template", {
      name: "T",
      content: `key ${secret}`,
      variables: [{ name: "n" }],
    });
    const { data: row } = await ada.client.from("ai_model_settings").select("*").eq("id", id).single();
    const { data: other } = await ada.client.from("prompt_templates").select("*").eq("id", template).single();
    for (const [asset_type, source] of [
      ["ai_preset", row],
      ["template", other],
    ] as const) {
      const exported = await exportItem({ asset_type, row: source });
      if (!exported.ok) throw new Error(JSON.stringify(exported.faults));
      expect(JSON.stringify(exported.value)).not.toContain(secret);
      const { status, body } = await fixture.import(ben, "", { document: exported.value.document });
      expect(status).toBe(201);
      expect(body.attribution).toBeNull();
      const [made] = body.created;
      const copy = await one(made.table, made.id);
      const same = ["name", "description", "content", "variables", "model_id", "top_k", "temperature"];
      for (const column of same) {
        const expected = column === "content" ? "key [redacted]" : source[column];
        if (column in source) expect(copy[column], column).toEqual(expected);
      }
      expect(await assetRow(fixture.db.sql, made.hub_asset_id)).toMatchObject({
        source_asset_id: null,
        attribution: null,
      });
    }
  });

  test("a copy keeps its attribution; unchanged, it is known again", async () => {
    const { slug, id } = await fixture.list({
      columns: { name: "Same", content: "Hello" },
      body: { title: "Same" },
    });
    const me = await fixture.join();
    const made = (await fixture.import(me, `/${slug}`)).body.created[0];
    const { data: row } = await me.client.from("prompt_templates").select("*").eq("id", made.id).single();
    const { data: asset } = await me.client
      .from("hub_assets")
      .select("*")
      .eq("id", made.hub_asset_id)
      .single();
    const exported = await exportItem({
      asset_type: "template",
      row,
      attribution: asset.attribution,
      license: asset.license,
    });
    if (!exported.ok) throw new Error("no document");
    const { body } = await fixture.import(await fixture.join(), "", { document: exported.value.document });
    expect(await assetRow(fixture.db.sql, body.created[0].hub_asset_id)).toMatchObject({
      source_asset_id: id,
    });
  });
});
