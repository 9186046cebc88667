import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ambiguousJson,
  archiveOf,
  attributionOf,
  type Copyable,
  contentHash,
  exportItem,
  hostileFaults,
  parseImportRequest,
  planDocument,
  planListing,
  readArchive,
  warningsOfDocument,
  warningsOfListing,
  writeArchive,
} from "../../../packages/core/src/hub/index.ts";
import { assetOf } from "../../bench/hostile/documents.ts";
import { expectCost } from "../../support/cost.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

const [ID, OTHER, THIRD] = [randomUUID(), randomUUID(), randomUUID()];
const origin = (title: string, creator_id: string | null, remix_depth = 0) => ({
  ...{ id: OTHER, title, slug: "s", creator_id, license: "cc-by" as const, version: 3, remix_depth },
});
const asset = (over: Partial<Copyable> = {}): Copyable => ({
  ...{ id: ID, slug: "listing", asset_type: "template", title: "A listing", description: null, tags: ["a"] },
  ...{ creator: { username: "ada" }, creator_id: THIRD, remix_depth: 0, is_visible: true },
  ...{ lineage: null, attribution: null, current_version: 2, version: 2, version_license: "cc0" },
  version_organization_id: null,
  ...{ payload: { content: "Hello" }, sha256: "0".repeat(64), scan: null, items: [] },
  ...over,
});

describe("attribution of a copy", () => {
  test("of an original: root and parent are what was copied", () => {
    const [row] = planListing(asset(), () => "new");
    const self = {
      id: ID,
      title: "A listing",
      slug: "listing",
      creator_id: THIRD,
      license: "cc0",
      version: 2,
    };
    expect(row?.attribution).toEqual({
      root: { ...self, remix_depth: 0 },
      parent: { ...self, remix_depth: 0 },
    });
  });

  test("of a remix: the root is handed down, whatever the depth", () => {
    const lineage = { root: origin("Root", OTHER), parent: origin("Before", OTHER, 6) };
    const [row] = planListing(asset({ lineage, remix_depth: 7 }), () => "new");
    expect(row?.attribution).toMatchObject({ root: { title: "Root" }, parent: { id: ID, remix_depth: 7 } });
  });

  test("names are those of now; without one, there is no id of an author either", () => {
    const lineage = { root: origin("Root", OTHER), parent: origin("Root", OTHER) };
    const shown = { root: { creator: null }, parent: { creator: null } };
    const shownNow = attributionOf(asset({ lineage, attribution: shown }));
    expect(shownNow.root).toMatchObject({ title: "Root", creator: null, creator_id: null });
    expect(shownNow.parent).toMatchObject({ id: ID, creator: "ada", creator_id: THIRD });
  });
});

describe("the plan", () => {
  const payload = {
    nodes: [],
    edges: [],
    stage_configs: [
      { id: "s1", prompt_template_id: OTHER.toUpperCase(), component_id: THIRD, ai_model_setting_id: null },
      { id: "s2", prompt_template_id: THIRD, settings: { prompt_template_id: OTHER } },
      "no stage",
    ],
  };
  const item = {
    title: "I",
    sha256: "0".repeat(64),
    license: "cc0" as const,
    lineage: null,
    attribution: null,
  };
  const items = [
    {
      ...item,
      asset_type: "template" as const,
      ref_id: OTHER,
      payload: { content: "x", user_id: "mallory" },
    },
    { ...item, asset_type: "component" as const, ref_id: THIRD, payload: { source: "y" } },
  ];

  test("links lead to the new rows, by type; any other link is null; nothing else moves", () => {
    const ids = ["main", "template", "component"];
    const rows = planListing(asset({ asset_type: "orchestration", payload, items }), () => ids.shift() ?? "");
    expect(rows[0]?.columns).toEqual({
      nodes: [],
      edges: [],
      stage_configs: [
        { id: "s1", prompt_template_id: "template", component_id: "component", ai_model_setting_id: null },
        { id: "s2", prompt_template_id: null, settings: { prompt_template_id: OTHER } },
        "no stage",
      ],
    });
    expect(rows.map(({ table, columns }) => [table, Object.keys(columns)])).toEqual([
      ["orchestrator_configs", ["nodes", "edges", "stage_configs"]],
      // A row has only the columns of the allow-list.
      ["prompt_templates", ["content"]],
      ["custom_components", ["source"]],
    ]);
    expect(payload.stage_configs[0]).toMatchObject({ prompt_template_id: OTHER.toUpperCase() });
  });

  test("an item that came from elsewhere keeps its root and parent; the kit stands beside them, under the item's license", () => {
    const foreign = { root: origin("Theirs", OTHER), parent: origin("Theirs", OTHER) };
    const kit = asset({
      asset_type: "orchestration",
      payload,
      items: items.map((one, i) => ({ ...one, license: "cc-by", lineage: i === 0 ? foreign : null })),
    });
    const rows = planListing(kit, randomUUID);
    expect(
      rows.map(({ attribution, license }) => [
        attribution?.root?.title,
        attribution?.parent?.license,
        license,
      ]),
    ).toEqual([
      ["A listing", "cc0", "cc0"],
      ["Theirs", "cc-by", "cc-by"],
      ["A listing", "cc-by", "cc-by"],
    ]);
    expect(rows[1]?.attribution).toEqual({
      ...foreign,
      via: [expect.objectContaining({ id: ID, license: "cc-by" })],
    });
    expect(rows[2]?.attribution).not.toHaveProperty("via");
  });
});

describe("the portable document", () => {
  const written = async () => {
    const listing = asset({ version_license: "cc-by", sha256: await contentHash({ content: "Hello" }) });
    const document = writeArchive(archiveOf(listing));
    if (!document.ok) throw new Error(JSON.stringify(document.faults));
    return document.value;
  };

  test("is read as it was written, also through JSON", async () => {
    const document = await written();
    expect(readArchive(JSON.parse(JSON.stringify(document)))).toEqual({ ok: true, value: document });
    expect(Object.keys(document)).toEqual([
      ...[
        "format",
        "format_version",
        "asset_type",
        "title",
        "description",
        "tags",
        "license",
        "payload",
        "items",
      ],
      ...["attribution", "sha256"],
    ]);
  });

  test("its lineage is text where nobody checked it", async () => {
    const [row] = planDocument(await written(), randomUUID);
    expect(row?.attribution).toEqual({ claimed: { title: "A listing", creator: "ada", license: "cc-by" } });
    const [own] = planDocument({ ...(await written()), attribution: null }, randomUUID);
    expect(own?.attribution).toBeNull();
  });

  test("of what may be published everything may be in it, nested to the limit", async () => {
    const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));
    const item = (depth: number) => ({
      ...{ asset_type: "template" as const, ref_id: ID, title: "I", license: "cc0" as const },
      ...{ payload: { variables: nested(depth) }, sha256: "0".repeat(64), lineage: null, attribution: null },
    });
    const kit = (depth: number) =>
      writeArchive(
        archiveOf(asset({ asset_type: "orchestration", payload: { nodes: [] }, items: [item(depth)] })),
      );
    const codes = (depth: number) => {
      const document = kit(depth);
      return document.ok ? [] : document.faults.map(({ code }) => code);
    };
    expect([codes(63), codes(64), codes(10_000)]).toEqual([[], ["too_deep"], ["too_deep"]]);
    expect(hostileFaults({ variables: nested(63) })).toEqual([]);
    expect(hostileFaults({ variables: nested(64) })).toHaveLength(1);
    const document = kit(63);
    expect(parseImportRequest({ document: document.ok && document.value }, null).ok).toBe(true);
  });

  test("of any JSON whatever, reading says what is wrong and never throws", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(readArchive(value).ok).toBe(false);
      }),
    );
  });

  test("with any member broken, the fault has its path", async () => {
    const document = await written();
    for (const key of Object.keys(document)) {
      const read = readArchive({ ...document, [key]: 7 }, "document");
      expect(read.ok ? [] : read.faults.map(({ path }) => path), key).toContain(`document.${key}`);
    }
  });

  test("an own item: redacted, with what it links to, and nothing that its columns do not allow", async () => {
    const secret = `ghp_${"aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"}`;
    const exported = await exportItem(
      {
        asset_type: "orchestration",
        row: {
          ...{ id: ID, user_id: THIRD, name: "Mine", description: null, tags: ["x"], nodes: [], edges: [] },
          stage_configs: [{ id: "s", prompt_template_id: OTHER, component_id: THIRD }],
        },
        attribution: { root: origin("Root", THIRD), parent: origin("Root", THIRD) },
        license: "cc-by",
      },
      [{ asset_type: "template", row: { id: OTHER, user_id: THIRD, name: "T", content: `key ${secret}` } }],
      { [THIRD]: "ada" },
    );
    if (!exported.ok) throw new Error(JSON.stringify(exported.faults));
    const { document, redactions } = exported.value;
    expect(document).toMatchObject({
      ...{ title: "Mine", description: null, tags: ["x"], license: "cc-by" },
      payload: { stage_configs: [{ id: "s", prompt_template_id: OTHER, component_id: null }] },
      items: [
        { title: "T", license: "platform-free", attribution: null, payload: { content: "key [redacted]" } },
      ],
      attribution: { root: { title: "Root", creator: "ada" } },
    });
    expect(JSON.stringify(exported)).not.toContain(secret);
    expect(JSON.stringify(document)).not.toContain("user_id");
    expect(redactions.map(({ path }) => path)).toEqual(["items.0.payload.content"]);
    expect(readArchive(document)).toEqual({ ok: true, value: document });
    for (const item of document.items) expect(item.sha256).toBe(await contentHash(item.payload));
  });
});

describe("warnings", () => {
  const codes = (over: Partial<Copyable>) => warningsOfListing(asset(over)).map(({ code }) => code);
  const component = (source: string) => ({ asset_type: "component" as const, payload: { source } });

  test.each([
    ["free and harmless", {}, []],
    ["cc-by", { version_license: "cc-by" as const }, ["credit_required"]],
    ["platform-free", { version_license: "platform-free" as const }, ["platform_only"]],
    ["an older version", { current_version: 3 }, ["newer_version"]],
    ["a scan that passed", { scan: { overridden: false, findings: [] } }, []],
    [
      "a scan that was overridden",
      { scan: { overridden: true, findings: [{ rule: "eval" }] } },
      ["scan_overridden"],
    ],
    ["a profile", { asset_type: "ai_preset" as const, payload: { model_id: "m" } }, ["models_needed"]],
    ["what redaction left", { payload: { content: "use [redacted]" } }, ["keys_needed"]],
    ["a variable is no secret", { payload: { content: "{{name}} \u0024{total} <b>" } }, []],
  ])("%s", (_, over, expected) => {
    expect(codes(over)).toEqual(expected);
  });

  test("whom to credit: everybody who asked for it on the way, and whom a file named", () => {
    const free = { ...origin("Free", OTHER), license: "cc0" as const };
    const claimed = { title: "Said", creator: "bob" };
    const lineage = { root: origin("Root", ID), parent: free, claimed };
    const [warning] = warningsOfListing(asset({ lineage, version_license: "platform-free" }));
    expect(warning).toMatchObject({
      ...{ code: "credit_required", titles: ["A listing"] },
      credits: [
        { title: "Root", creator: null },
        { title: "Said", creator: "bob" },
      ],
    });
  });

  test.each([
    ["braces", (name: string) => `{{${name}}}`],
    ["braces with spaces", (name: string) => `{{${" ".repeat(20)}${name}${" ".repeat(20)}}}`],
    ["a dollar", (name: string) => `\${${name}}`],
    ["angles", (name: string) => `<${name}>`],
  ])("a placeholder's name of 200 characters is listed, a longer one is not: in %s", (_, placeholder) => {
    const keysOf = (name: string) =>
      warningsOfDocument(assetOf("template", placeholder(name))).find(({ code }) => code === "keys_needed");
    const longest = `KEY${"x".repeat(197)}`;
    expect(keysOf(longest)).toMatchObject({ keys: [longest] });
    expect(keysOf(`${longest}x`)).toBeUndefined();
  });

  test("a placeholder with more than 20 spaces on a side is none", () => {
    const far = " ".repeat(21);
    for (const content of [`{{${far}KEY}}`, `{{KEY${far}}}`])
      expect(warningsOfDocument(assetOf("template", content)).map(({ code }) => code)).not.toContain(
        "keys_needed",
      );
  });

  test("the models of stages, the names of placeholders, the hosts of a component; each once, sorted", () => {
    const stages = [{ settings: { model: "b" } }, { settings: { model_id: "a", deep: [{ modelId: "b" }] } }];
    expect(
      warningsOfListing(
        asset({ asset_type: "orchestration", payload: { nodes: [], stage_configs: stages } }),
      )[0],
    ).toMatchObject({ models: ["a", "b"] });
    expect(
      warningsOfListing(
        asset({ payload: { content: "{{ API_KEY }} \u0024{DB_PASSWORD} <YOUR_TOKEN> {{API_KEY}}" } }),
      )[0],
    ).toMatchObject({ keys: ["API_KEY", "DB_PASSWORD", "YOUR_TOKEN"] });
    const source = `fetch("https://B.example.com/x"); import("//cdn.example.org/a.js"); // see http://a.example.net
      const svg = "http://www.w3.org/2000/svg"; const half = 1 //2; x = a // b.c`;
    expect(warningsOfListing(asset(component(source)))[0]).toMatchObject({
      hosts: ["a.example.net", "b.example.com", "cdn.example.org"],
    });
  });
});

describe("JSON that says one thing twice", () => {
  const judge = (text: string) => ambiguousJson(text, JSON.parse(text));

  test.each([
    '{"a":1,"a":2}',
    '{"a":{"b":[{"c":1,"c":1}]}}',
    '{"a":1,"\\u0061":2}',
    '{"__proto__":1,"__proto__":2}',
    '[{"":1,"":2}]',
    `{"x":":\\"{", "x": 1}`,
  ])("%s", (text) => {
    expect(judge(text)).toBe("An object has the same key twice.");
  });

  test.each([
    '{"a":1,"A":2}',
    '{"a:b":"c:d","e":"\\\\"}',
    '{"a":"\\":","b":["::"]}',
    "[]",
    '":"',
    "1",
    '{"__proto__":1}',
  ])("not: %s", (text) => {
    expect(judge(text)).toBeNull();
  });

  test("never of what JSON.stringify writes, indented or not", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(judge(JSON.stringify(value))).toBeNull();
        expect(judge(JSON.stringify(value, null, 2))).toBeNull();
      }),
    );
  });

  test("a large text is looked at in little more time than it takes to parse it, whatever it holds", () => {
    // The long form reads 8 MB.
    const PART = LONG_TESTS ? 1 : 8;
    for (const text of [
      JSON.stringify('\\"'.repeat(2_000_000 / PART)),
      JSON.stringify(Array.from({ length: 400_000 / PART }, (_, i) => ({ i }))),
      `${"[".repeat(1_000_000 / PART)}${"]".repeat(1_000_000 / PART)}`,
    ]) {
      const value = JSON.parse(text);
      expect(ambiguousJson(text, value)).toBeNull();
      expectCost(
        () => ambiguousJson(text, value),
        () => JSON.parse(text),
        25,
      );
    }
  });
});
