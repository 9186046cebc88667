import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { assetRow, closeHistory } from "../../support/hub.ts";
import { inProcess } from "../../support/service.ts";
import { importFixture } from "./fixture.ts";

const fixture = importFixture(inProcess);

const one = async (table: string, id: string) =>
  (await fixture.db.sql`select * from ${fixture.db.sql(table)} where id = ${id}`)[0] ?? {};

/** Returns the number of rows of everything that an import makes. */
const rows = async () =>
  (
    await fixture.db.sql`
      select (select count(*)::int from hub_assets) as assets, (select count(*)::int from hub_imports) as imports,
        (select count(*)::int from prompt_templates) as templates, (select count(*)::int from custom_components) as components,
        (select count(*)::int from orchestrator_configs) as configs, (select count(*)::int from ai_model_settings) as profiles,
        (select count(*)::int from private.hub_idempotent_responses) as answers, (select sum(install_count)::int from hub_assets) as installs`
  )[0];

describe("Use This", () => {
  test("a template by its slug: a copy, its private registry row, one install", async () => {
    const { id, slug, creator } = await fixture.list({
      columns: { content: "Say hello to {{name}}", variables: [{ name: "name" }] },
      body: { tags: ["greeting"], license: "cc-by", title: "A friendly greeting" },
    });
    const me = await fixture.join();
    const { status, body } = await fixture.import(me, `/${slug}`);
    expect(status).toBe(201);
    const [made] = body.created;
    const copy = await one("prompt_templates", made.id);
    expect(copy).toMatchObject({
      user_id: me.id,
      name: "A friendly greeting",
      content: "Say hello to {{name}}",
      variables: [{ name: "name" }],
      hub_asset_id: made.hub_asset_id,
    });
    const row = await assetRow(fixture.db.sql, made.hub_asset_id);
    expect(row).toMatchObject({
      creator_id: me.id,
      source_asset_id: id,
      parent_asset_id: null,
      remix_depth: 0,
      is_public: false,
      current_version: 0,
      license: "cc-by",
      tags: ["greeting"],
      description: "Greets people.",
    });
    expect(row.slug).not.toContain("greeting");
    const origin = { id, title: "A friendly greeting", slug, creator_id: creator.id, license: "cc-by" };
    expect(row.attribution).toEqual({
      root: { ...origin, version: 1, remix_depth: 0 },
      parent: { ...origin, version: 1, remix_depth: 0 },
    });
    const [profile] = await fixture.db.sql`select username from hub_profiles where user_id = ${creator.id}`;
    expect(body).toEqual({
      stored: "cloud",
      created: [
        {
          asset_type: "template",
          table: "prompt_templates",
          id: made.id,
          hub_asset_id: made.hub_asset_id,
          title: "A friendly greeting",
        },
      ],
      attribution: {
        root: { ...origin, version: 1, remix_depth: 0, creator: profile?.username },
        parent: { ...origin, version: 1, remix_depth: 0, creator: profile?.username },
      },
      warnings: [expect.objectContaining({ code: "credit_required", titles: ["A friendly greeting"] })],
    });
    expect((await assetRow(fixture.db.sql, id)).install_count).toBe(1);
    expect(
      await fixture.db.sql`select version, mode, counts, created from hub_imports where asset_id = ${id}`,
    ).toEqual([{ version: 1, mode: "use", counts: true, created: body.created }]);
  });

  test("an id in capitals, an empty object, null members: the same", async () => {
    const { id } = await fixture.list();
    const me = await fixture.join();
    for (const body of [{}, { mode: null, version: null, dry_run: null }, { mode: "use", version: 1 }]) {
      expect((await fixture.import(me, `/${id.toUpperCase()}`, body)).status).toBe(201);
    }
    expect((await assetRow(fixture.db.sql, id)).install_count).toBe(1);
  });

  test("a copy is a thing of its own: changing it changes nothing of its source", async () => {
    const { id, slug } = await fixture.list();
    const me = await fixture.join();
    const { body } = await fixture.import(me, `/${slug}`);
    await me.client.from("prompt_templates").update({ content: "Mine now" }).eq("id", body.created[0].id);
    const { data } = await fixture.guest.rpc("hub_asset", { id_or_slug: id });
    expect(data.payload.content).toBe("Say hello to {{name}}");
  });

  test("a name that is taken gets a number, the next one the next", async () => {
    const { slug } = await fixture.list({ body: { title: "Twice" } });
    const me = await fixture.join();
    const titles: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      const { body } = await fixture.import(me, `/${slug}`);
      titles.push(body.created[0].title);
      const clash = body.warnings.find(({ code }: { code: string }) => code === "name_taken");
      expect(clash?.title).toBe(i === 0 ? undefined : titles[i]);
    }
    expect(titles).toEqual(["Twice", "Twice (2)", "Twice (3)"]);
    // A name is free if only other users, or items of other types, have it.
    await me.make("component", { name: "Alone" });
    const other = await fixture.list({ body: { title: "Alone" } });
    expect((await fixture.import(me, `/${other.slug}`)).body.created[0].title).toBe("Alone");
  });
});

describe("Remix", () => {
  test("has its parent at once, and stands one deeper", async () => {
    const { id, slug } = await fixture.list();
    const me = await fixture.join();
    const { status, body } = await fixture.import(me, `/${slug}`, { mode: "remix" });
    expect(status).toBe(201);
    expect(await assetRow(fixture.db.sql, body.created[0].hub_asset_id)).toMatchObject({
      source_asset_id: id,
      parent_asset_id: id,
      remix_depth: 1,
      is_public: false,
    });
  });
});

describe("a kit", () => {
  test("arrives whole, and its links lead to the new copies", async () => {
    const creator = await fixture.join();
    const kit = await fixture.kit(creator);
    const published = await creator.publish({
      asset_type: "orchestration",
      ref_id: kit.ref,
      title: "A welcome kit",
      items: kit.items.filter(({ asset_type }) => asset_type !== "template"),
      license: "cc0",
    });
    expect(published.status).toBe(201);
    const asset = published.body.asset;

    const me = await fixture.join();
    const { status, body } = await fixture.import(me, `/${asset.slug}`, { mode: "remix" });
    expect(status).toBe(201);
    expect(
      body.created.map(({ asset_type: type, title }: { asset_type: string; title: string }) => [type, title]),
    ).toEqual([
      ["orchestration", "A welcome kit"],
      ["component", "Card"],
      ["ai_preset", "Careful"],
      ["template", "Greeting"],
    ]);
    const [main, component, profile, template] = body.created;
    const config = await one("orchestrator_configs", main.id);
    expect(config.stage_configs).toEqual([
      {
        id: "s1",
        node_id: "n1",
        name: "One",
        prompt_template_id: template.id,
        component_id: component.id,
        settings: {},
      },
      { id: "s2", node_id: "n1", name: "Two", ai_model_setting_id: profile.id, settings: {} },
    ]);
    expect(await one("prompt_templates", template.id)).toMatchObject({ content: "Hello", user_id: me.id });
    expect(await one("custom_components", component.id)).toMatchObject({ source: "export const a = 1;" });
    expect(await one("ai_model_settings", profile.id)).toMatchObject({
      model_id: "gemini-pro",
      temperature: 0.5,
    });
    for (const made of body.created) {
      expect(await assetRow(fixture.db.sql, made.hub_asset_id)).toMatchObject({
        source_asset_id: asset.id,
        // Only the main row of the import has a parent. The rows of its items have none.
        parent_asset_id: made === main ? asset.id : null,
        remix_depth: made === main ? 1 : 0,
        creator_id: me.id,
        license: "cc0",
      });
    }
    expect((await assetRow(fixture.db.sql, asset.id)).install_count).toBe(1);
    expect(body.warnings).toEqual([
      expect.objectContaining({ code: "models_needed", models: ["gemini-pro"] }),
    ]);
  });

  test("what its maker took from somebody else keeps root, parent and license", async () => {
    const author = await fixture.list({
      columns: { name: "Foreign", content: "By somebody else" },
      body: { license: "cc-by" },
    });
    const maker = await fixture.join();
    const taken = await fixture.import(maker, `/${author.slug}`);
    const template = taken.body.created[0].id;
    const ref = await maker.make("orchestration", {
      stage_configs: [{ id: "s", node_id: "n", name: "S", prompt_template_id: template, settings: {} }],
    });
    const published = await maker.publish({
      asset_type: "orchestration",
      ref_id: ref,
      title: "Wraps",
      license: "cc-by",
    });
    expect(published.status).toBe(201);
    const kit = published.body.asset;

    const me = await fixture.join();
    const { body } = await fixture.import(me, `/${kit.id}`, { mode: "remix" });
    const [main, item] = body.created;
    expect(await assetRow(fixture.db.sql, main.hub_asset_id)).toMatchObject({ source_asset_id: kit.id });
    expect(await assetRow(fixture.db.sql, item.hub_asset_id)).toMatchObject({
      source_asset_id: author.id,
      parent_asset_id: null,
      license: "cc-by",
      attribution: {
        root: { id: author.id, creator_id: author.creator.id },
        parent: { id: author.id, license: "cc-by" },
        via: [{ id: kit.id, creator_id: maker.id, license: "cc-by" }],
      },
    });
    // A single item of the kit must be published under the terms of its author and of the kit's maker.
    const refused = await me.publish({ ref_id: item.id, title: "Mine", license: "cc0" });
    expect(refused.body.code).toBe("license_incompatible");
    const done = await me.publish({ ref_id: item.id, title: "Mine", license: "cc-by" });
    expect(done.status).toBe(201);
    expect(done.body.asset).toMatchObject({
      source_asset_id: author.id,
      parent_asset_id: author.id,
      remix_depth: 1,
    });
  });
});

describe("a dry run", () => {
  test("says what there would be, and writes nothing", async () => {
    const { slug } = await fixture.list();
    const me = await fixture.join();
    const before = await rows();
    const headers = { "Idempotency-Key": randomUUID() };
    const { status, body } = await fixture.import(me, `/${slug}`, { dry_run: true, mode: "remix" }, headers);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      stored: "cloud",
      dry_run: true,
      created: [{ asset_type: "template", table: "prompt_templates", id: null, hub_asset_id: null }],
    });
    expect(await rows()).toEqual(before);
    // The dry run has not used up the Idempotency-Key, so the real import may have the same one.
    expect((await fixture.import(me, `/${slug}`, { mode: "remix" }, headers)).status).toBe(201);
  });
});

describe("versions", () => {
  test("an older one is for everybody, and pins the copy; one from before histories were open is for its owner, admins and importers", async () => {
    const { slug, creator, ref, id } = await fixture.list({ columns: { content: "One" } });
    const importer = await fixture.join();
    await fixture.import(importer, `/${slug}`);
    await creator.client.from("prompt_templates").update({ content: "Two" }).eq("id", ref);
    await creator.publish({ ref_id: ref, title: "Two" });
    const admin = await fixture.join();
    await fixture.db.sql`insert into hub_admins (user_id) values (${admin.id})`;
    const stranger = await fixture.join();
    const contents = async (who: typeof admin | null) => {
      const { status, body } = await fixture.import(who, `/${slug}`, { version: 1 });
      if (status !== 201) return status;
      expect(body.warnings[0]).toMatchObject({ code: "newer_version", current_version: 2 });
      expect((await assetRow(fixture.db.sql, body.created[0].hub_asset_id)).pinned_version).toBe(1);
      return (await one("prompt_templates", body.created[0].id)).content;
    };
    expect(await contents(await fixture.join())).toBe("One");
    expect((await fixture.import(null, `/${slug}`, { version: 1 })).body.document).toBeDefined();
    await closeHistory(fixture.db.sql, id);
    expect(await contents(stranger)).toBe(404);
    expect(await contents(null)).toBe(404);
    expect(await contents(importer)).toBe("One");
    expect(await contents(creator)).toBe("One");
    expect(await contents(admin)).toBe("One");
    expect((await fixture.import(stranger, `/${slug}`, { version: 3 })).status).toBe(404);
    const current = await fixture.import(stranger, `/${slug}`, { version: 2 });
    expect((await one("prompt_templates", current.body.created[0].id)).content).toBe("Two");
    // By importing version 2 the stranger became one of the importers, who may also import version 1.
    expect(await contents(stranger)).toBe("One");
    expect((await assetRow(fixture.db.sql, id)).install_count).toBe(4);
  });
});

describe("warnings", () => {
  test("an overridden scan, its findings and the hosts of a component; placeholders to fill", async () => {
    const creator = await fixture.join();
    const source =
      'eval(x); fetch("https://api.example.com/v1?k={{API_KEY}}"); new WebSocket("wss://live.example.org");';
    const ref = await creator.make("component", { name: "Evil", source });
    const asked = { asset_type: "component", ref_id: ref, title: "Evil", license: "cc0" };
    const first = await creator.publish(asked);
    expect(first.body.code).toBe("scan_confirmation_required");
    const done = await creator.publish({ ...asked, scan_token: first.body.scan_token });
    expect(done.status).toBe(201);
    for (const who of [await fixture.join(), null]) {
      const { body } = await fixture.import(who, `/${done.body.asset.slug}`);
      expect(body.warnings.map(({ code }: { code: string }) => code)).toEqual([
        "scan_overridden",
        "keys_needed",
        "hosts_contacted",
      ]);
      expect(body.warnings[0].findings.length).toBeGreaterThan(0);
      expect(body.warnings[1].keys).toEqual(["API_KEY"]);
      expect(body.warnings[2].hosts).toEqual(["api.example.com", "live.example.org"]);
    }
  });

  test("none for what is free and harmless", async () => {
    const { slug } = await fixture.list({ body: { license: "cc0" } });
    expect((await fixture.import(await fixture.join(), `/${slug}`)).body.warnings).toEqual([]);
  });
});
