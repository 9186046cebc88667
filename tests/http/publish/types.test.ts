import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { ASSETS } from "../../../packages/core/src/hub/index.ts";
import { type AssetType, assetTypes } from "../../support/hub.ts";
import { inProcess } from "../../support/service.ts";
import { type Person, publishFixture, type Reply, readAsGuest } from "./fixture.ts";

const fixture = publishFixture(inProcess);

const columns: Record<AssetType, Record<string, unknown>> = {
  template: {
    name: "Hello",
    description: "A note",
    content: "Greet {{name}}.",
    variables: [{ name: "name" }],
  },
  component: {
    name: "Card",
    source: "export const Card = () => <p>Hi</p>;",
    props_schema: { type: "object" },
  },
  orchestration: { name: "Flow", nodes: [{ id: "a", type: "llm", position: { x: 1.5, y: 2 }, data: {} }] },
  ai_preset: {
    name: "Calm",
    model_id: "gemini-3-pro",
    temperature: 0.2,
    top_p: 0.9,
    max_output_tokens: 4096,
  },
};

const payloads: Record<AssetType, Record<string, unknown>> = {
  template: columns.template as Record<string, unknown>,
  component: { ...columns.component, description: null },
  orchestration: { nodes: columns.orchestration.nodes, edges: [], stage_configs: [] },
  ai_preset: {
    model_id: "gemini-3-pro",
    temperature: 0.2,
    topP: 0.9,
    topK: null,
    maxOutputTokens: 4096,
    thinkingLevel: null,
    thinkingBudget: null,
    generate_content_api: null,
  },
};

/** Checks that a guest reads exactly what the preview showed. */
async function expectAsPromised(preview: Reply, done: Reply): Promise<void> {
  expect(preview.status).toBe(200);
  const { asset, version, items } = await readAsGuest(fixture.guest, done.body.asset.id);
  const text = (value: unknown) => JSON.stringify(value);
  expect(text(preview.body.payload)).toBe(text(version.payload));
  expect(text(preview.body.items)).toBe(text(items.map(({ asset_id, version: _, ...item }) => item)));
  expect(preview.body).toMatchObject({
    version: version.version,
    sha256: version.sha256,
    scan: version.scan,
  });
  expect(asset).toMatchObject(preview.body.asset);
  expect(done.body).toMatchObject({ permalink: preview.body.permalink, redactions: preview.body.redactions });
}

describe("each type", () => {
  test.each(assetTypes)("%s: previewed, published, read by a guest", async (type) => {
    const ann = await fixture.join();
    const refId = await ann.make(type, columns[type]);
    const body = {
      asset_type: type,
      ref_id: refId,
      title: `My ${type}`,
      tags: ["#QA", "gpt-5"],
      license: "cc-by",
      thumbnail_url: "https://example.com/a.png",
    };
    const before = await fixture.db.sql`select count(*)::int as n from hub_events`;
    const preview = await ann.publish({ ...body, dry_run: true });
    expect(await fixture.db.sql`select from hub_assets where ref_id = ${refId}`).toHaveLength(0);
    expect(await fixture.db.sql`select count(*)::int as n from hub_events`).toEqual(before);

    const done = await ann.publish(body);
    expect(done.status).toBe(201);
    const slug = `my-${type.replace("_", "-")}`;
    expect(done.body).toEqual({
      asset: expect.objectContaining({
        slug,
        title: `My ${type}`,
        tags: ["qa", "gpt-5"],
        is_public: true,
        license: "cc-by",
      }),
      version: 1,
      label: null,
      changelog: null,
      permalink: `/hub/${ASSETS[type].page}/${slug}`,
      redactions: [],
      same_as: null,
      findings: [],
    });
    const { version } = await readAsGuest(fixture.guest, done.body.asset.id);
    expect(version.payload).toEqual(payloads[type]);
    await expectAsPromised(preview, done);
  });

  test("a preset takes its allow-list and nothing else", async () => {
    const ann = await fixture.join();
    const refId = await ann.make("ai_preset", {
      ...columns.ai_preset,
      organization_code: "org-code-1234",
      api_key: "anything at all",
      pricing: { input: 3 },
    });
    const done = await ann.publish({ asset_type: "ai_preset", ref_id: refId });
    const { version } = await readAsGuest(fixture.guest, done.body.asset.id);
    expect(version.payload).toEqual(payloads.ai_preset);
    expect(done.text).not.toMatch(/org-code|anything at all/);
  });
});

describe("orchestrations", () => {
  /** Makes an orchestration of one stage that links to one item of each other type. */
  async function flow(ann: Person, more: Record<string, unknown>[] = []) {
    const template = await ann.make("template", columns.template);
    const component = await ann.make("component", columns.component);
    const preset = await ann.make("ai_preset", columns.ai_preset);
    const stages = [
      {
        id: "s1",
        node_id: "a",
        name: "First",
        prompt_template_id: template,
        component_id: component,
        ai_model_setting_id: preset,
        settings: {},
      },
      ...more,
    ];
    const refId = await ann.make("orchestration", { ...columns.orchestration, stage_configs: stages });
    return { refId, template, component, preset };
  }
  const linksOf = (version: Record<string, unknown>) => {
    const { stage_configs: stages } = version.payload as { stage_configs: Record<string, unknown>[] };
    return stages.map((s) => [s.prompt_template_id, s.component_id, s.ai_model_setting_id]);
  };

  test("a bundle embeds the linked templates, which is the default", async () => {
    const ann = await fixture.join();
    const { refId, template } = await flow(ann);
    const body = { asset_type: "orchestration", ref_id: refId };
    const preview = await ann.publish({ ...body, dry_run: true });
    const done = await ann.publish(body);
    const { version, items } = await readAsGuest(fixture.guest, done.body.asset.id);
    expect(items).toMatchObject([
      {
        position: 1,
        asset_type: "template",
        ref_id: template,
        title: "Hello",
        payload: payloads.template,
        license: "platform-free",
        attribution: null,
      },
    ]);
    expect(linksOf(version)).toEqual([[template, null, null]]);
    await expectAsPromised(preview, done);
  });

  test("a pipeline embeds none, and its links are null", async () => {
    const ann = await fixture.join();
    const { refId } = await flow(ann);
    const done = await ann.publish({ asset_type: "orchestration", ref_id: refId, mode: "pipeline" });
    const { version, items } = await readAsGuest(fixture.guest, done.body.asset.id);
    expect([items, linksOf(version)]).toEqual([[], [[null, null, null]]]);
  });

  test("a starter kit embeds what it names, of any type", async () => {
    const ann = await fixture.join();
    const { refId, template, component, preset } = await flow(ann);
    const items = [
      { asset_type: "component", ref_id: component },
      { asset_type: "ai_preset", ref_id: preset },
    ];
    const body = { asset_type: "orchestration", ref_id: refId, items };
    const preview = await ann.publish({ ...body, dry_run: true });
    const done = await ann.publish(body);
    expect(done.status).toBe(201);
    const read = await readAsGuest(fixture.guest, done.body.asset.id);
    expect(read.items.map((item) => [item.position, item.asset_type, item.ref_id])).toEqual([
      [1, "component", component],
      [2, "ai_preset", preset],
      [3, "template", template],
    ]);
    expect(linksOf(read.version)).toEqual([[template, component, preset]]);
    expect(read.version.scan).toEqual({ overridden: false, findings: [] });
    await expectAsPromised(preview, done);
  });

  test("a link to what is gone, or somebody else's, becomes null; an item that is named has to be the caller's", async () => {
    const [ann, bob] = [await fixture.join(), await fixture.join()];
    const foreign = await bob.make("template", columns.template);
    const stages = [foreign, randomUUID(), "not a uuid"].map((id, n) => ({
      id: `s${n + 2}`,
      prompt_template_id: id,
    }));
    const { refId, template } = await flow(ann, stages);
    const done = await ann.publish({ asset_type: "orchestration", ref_id: refId });
    const { version, items } = await readAsGuest(fixture.guest, done.body.asset.id);
    expect(items).toHaveLength(1);
    expect(linksOf(version).map(([link]) => link)).toEqual([template, null, null, null]);

    const named = [{ asset_type: "template", ref_id: foreign }];
    const refused = await ann.publish({
      asset_type: "orchestration",
      ref_id: refId,
      title: "Other",
      items: named,
    });
    expect(refused).toMatchObject({
      status: 404,
      body: { code: "source_not_found", errors: [{ path: "items.0.ref_id" }] },
    });
    expect(refused.text).not.toContain(bob.id);
  });

  test("many links that lead nowhere do not hide the one that leads somewhere", async () => {
    const ann = await fixture.join();
    const stages = Array.from({ length: 60 }, (_, n) => ({ id: `d${n}`, prompt_template_id: randomUUID() }));
    const template = await ann.make("template", columns.template);
    const refId = await ann.make("orchestration", {
      stage_configs: [...stages, { id: "s", prompt_template_id: template }],
    });
    const done = await ann.publish({ asset_type: "orchestration", ref_id: refId });
    expect((await readAsGuest(fixture.guest, done.body.asset.id)).items).toMatchObject([
      { ref_id: template },
    ]);
  });

  test("a template that is linked fifty times is embedded once; fifty-one are too many", async () => {
    const ann = await fixture.join();
    const ids = await Promise.all(Array.from({ length: 51 }, () => ann.make("template", { content: "x" })));
    const withTemplates = (templates: string[]) =>
      ann.make("orchestration", {
        stage_configs: templates.map((id, n) => ({ id: `s${n}`, prompt_template_id: id })),
      });
    const once = await ann.publish({
      asset_type: "orchestration",
      ref_id: await withTemplates(Array.from({ length: 50 }, () => ids[0] ?? "")),
    });
    expect((await readAsGuest(fixture.guest, once.body.asset.id)).items).toHaveLength(1);
    const fifty = await ann.publish({
      asset_type: "orchestration",
      ref_id: await withTemplates(ids.slice(1)),
    });
    expect(fifty.status).toBe(201);
    expect((await readAsGuest(fixture.guest, fifty.body.asset.id)).items).toHaveLength(50);
    const tooMany = await ann.publish({ asset_type: "orchestration", ref_id: await withTemplates(ids) });
    expect(tooMany).toMatchObject({ status: 422, body: { errors: [{ path: "items", code: "too_big" }] } });
  });
});
