import { describe, expect, test } from "vitest";
import {
  bundleFaults,
  canonicalJson,
  collectItems,
  columnsOf,
  contentHash,
  hostileFaults,
  LICENSES,
  licenseProblem,
  normaliseTags,
  type Publication,
  parsePublishRequest,
  payloadSizeFault,
  permalink,
  redactPublication,
  relink,
  snapshot,
} from "../../../packages/core/src/hub/index.ts";

const ID = "550e8400-e29b-41d4-a716-446655440000";
const OTHER = "0b7f3c9e-1f0a-4f7c-9f6a-0a1b2c3d4e5f";
const body = {
  asset_type: "template",
  ref_id: ID,
  title: " Hello ",
  description: "What it does",
  license: "cc0",
};
const faultsOf = (input: unknown) => {
  const parsed = parsePublishRequest(input);
  return parsed.ok ? [] : parsed.faults.map(({ path, code }) => `${path}: ${code}`).sort();
};

describe("the request", () => {
  test("is brought into one form", () => {
    expect(
      parsePublishRequest({
        ...body,
        ref_id: ID.toUpperCase(),
        tags: ["#Ünder", "ünder", " b "],
        dry_run: true,
      }),
    ).toEqual({
      ok: true,
      value: {
        assetType: "template",
        refId: ID,
        title: "Hello",
        description: "What it does",
        tags: ["ünder", "b"],
        rawTags: ["#Ünder", "ünder", " b "],
        license: "cc0",
        thumbnailUrl: null,
        label: null,
        offer: null,
        changelog: null,
        organization: null,
        mode: null,
        items: [],
        scanToken: null,
        dryRun: true,
      },
    });
    const kit = parsePublishRequest({
      ...body,
      asset_type: "orchestration",
      items: [{ asset_type: "component", ref_id: OTHER }],
    });
    expect(kit.ok && [kit.value.mode, kit.value.items.length]).toEqual(["bundle", 1]);
  });

  test("names every fault at once", () => {
    expect(
      faultsOf({
        asset_type: "x",
        ref_id: "1",
        title: "",
        description: "d".repeat(2001),
        tags: ["a b"],
        license: "none-such",
        thumbnail_url: "http://x",
        mode: "all",
        source_asset_id: ID,
      }),
    ).toEqual(
      [
        "asset_type: invalid_value",
        "description: too_big",
        "license: invalid_value",
        "mode: invalid_value",
        "ref_id: invalid_format",
        "source_asset_id: unknown_field",
        "tags.0: invalid_format",
        "thumbnail_url: invalid_format",
        "title: too_small",
        "mode: not_allowed",
      ].sort(),
    );
    expect(faultsOf(undefined)).toEqual([
      "asset_type: required",
      "description: required",
      "license: required",
      "ref_id: required",
      "title: required",
    ]);
    expect(faultsOf({ ...body, title: "a\u0000b", description: "\ud800" })).toEqual([
      "description: invalid_text",
      "title: invalid_text",
    ]);
    expect(faultsOf({ ...body, parent_asset_id: ID, creator_id: ID })).toEqual([
      "creator_id: unknown_field",
      "parent_asset_id: unknown_field",
    ]);
    expect(faultsOf({ ...body, items: [{ asset_type: "template", ref_id: ID }], mode: "bundle" })).toEqual([
      "items: not_allowed",
      "mode: not_allowed",
    ]);
    expect(faultsOf([])).not.toEqual([]);
    expect(faultsOf({ ...body, thumbnail_url: "https://u:p@x.example/a.png" })).toEqual([
      "thumbnail_url: invalid_format",
    ]);
  });

  test("a title counts characters, not code units", () => {
    expect(faultsOf({ ...body, title: "🚀".repeat(120) })).toEqual([]);
    expect(faultsOf({ ...body, title: "🚀".repeat(121) })).toEqual(["title: too_big"]);
  });
});

describe("tags", () => {
  test("are normalised, once each, in order", () => {
    expect(
      normaliseTags(["#Education", "EDUCATION", "ｇｐｔ-4o", "1to1", "データ", "c++", "a/b:c.d_e"]),
    ).toEqual({
      ok: true,
      value: ["education", "gpt-4o", "1to1", "データ", "c++", "a/b:c.d_e"],
    });
  });
  test("each fault is named", () => {
    const tags = normaliseTags(["#", "a b", "x".repeat(65), "ok", "<b>", "😀"]);
    expect(tags.ok ? [] : tags.faults.map(({ path }) => path)).toEqual([
      "tags.0",
      "tags.1",
      "tags.2",
      "tags.4",
      "tags.5",
    ]);
    expect(normaliseTags(Array.from({ length: 21 }, (_, i) => `t${i}`)).ok).toBe(false);
  });
});

describe("snapshots", () => {
  test("hold the allowed columns of each type and nothing else", () => {
    const row = {
      id: ID,
      user_id: OTHER,
      name: "n",
      description: null,
      content: "c",
      variables: ["v"],
      api_key: "sk",
      hub_asset_id: ID,
    };
    expect(snapshot("template", row)).toEqual({
      name: "n",
      description: null,
      content: "c",
      variables: ["v"],
    });
    const settings = {
      ...row,
      model_id: "m",
      temperature: 0.5,
      top_p: 1,
      top_k: 40,
      max_output_tokens: 9,
      thinking_level: "low",
      thinking_budget: 0,
      generate_content_api: "v1",
      organization_code: "ACME",
      pricing: { in: 1 },
    };
    expect(snapshot("ai_preset", settings)).toEqual({
      model_id: "m",
      temperature: 0.5,
      topP: 1,
      topK: 40,
      maxOutputTokens: 9,
      thinkingLevel: "low",
      thinkingBudget: 0,
      generate_content_api: "v1",
    });
    expect(columnsOf("ai_preset", { ...snapshot("ai_preset", settings), api_key: "x" })).not.toHaveProperty(
      "api_key",
    );
    expect(columnsOf("ai_preset", snapshot("ai_preset", settings))).toMatchObject({
      top_p: 1,
      max_output_tokens: 9,
    });
    expect(Object.keys(snapshot("component", row))).toEqual([
      "name",
      "description",
      "source",
      "props_schema",
    ]);
    expect(Object.keys(snapshot("orchestration", row))).toEqual(["nodes", "edges", "stage_configs"]);
  });

  test("share nothing with the row", () => {
    const row = { nodes: [{ id: "a" }] };
    for (const node of snapshot("orchestration", row).nodes as { id: string }[]) node.id = "b";
    expect(row.nodes).toEqual([{ id: "a" }]);
  });

  test("have a limit per type, in bytes", () => {
    expect(payloadSizeFault("ai_preset", { model_id: "ä".repeat(8000) })).toBeNull();
    expect(payloadSizeFault("ai_preset", { model_id: "ä".repeat(9000) })).toMatchObject({
      path: "payload",
      code: "too_big",
    });
  });

  test("permalink", () => expect(permalink("ai_preset", "x")).toBe("/hub/ai-presets/x"));
});

describe("bundles", () => {
  const payload = {
    nodes: [],
    edges: [],
    stage_configs: [
      { id: "s1", prompt_template_id: ID, component_id: OTHER, ai_model_setting_id: OTHER },
      { id: "s2", prompt_template_id: ID.toUpperCase() },
      { id: "s3", prompt_template_id: OTHER },
    ],
  };

  test("embed each linked template once; pipelines embed none", () => {
    const main = { ref_id: "11111111-1111-4111-8111-111111111111", payload };
    expect(collectItems("bundle", main, [])).toEqual([
      { asset_type: "template", ref_id: ID },
      { asset_type: "template", ref_id: OTHER },
    ]);
    expect(collectItems("pipeline", main, [{ asset_type: "component", ref_id: OTHER }])).toEqual([
      { asset_type: "component", ref_id: OTHER },
    ]);
  });

  test("links to anything not embedded become null", () => {
    const linked = relink(payload, [
      { asset_type: "template", ref_id: ID },
      { asset_type: "component", ref_id: OTHER },
    ]);
    expect(linked.stage_configs).toEqual([
      { id: "s1", prompt_template_id: ID, component_id: OTHER, ai_model_setting_id: null },
      { id: "s2", prompt_template_id: ID.toUpperCase() },
      { id: "s3", prompt_template_id: null },
    ]);
    expect(payload.stage_configs[2]).toEqual({ id: "s3", prompt_template_id: OTHER });
  });
});

test("licenses pass on as their terms say", () => {
  const table = LICENSES.flatMap((from) =>
    LICENSES.map((to) => [from, to, licenseProblem(to, [{ license: from, own: false }])]),
  );
  expect(table.filter(([, , problem]) => problem === null).map(([from, to]) => `${from} → ${to}`)).toEqual([
    "platform-free → platform-free",
    "cc0 → platform-free",
    "cc0 → cc0",
    "cc0 → cc-by",
    "cc0 → paid",
    "cc-by → platform-free",
    "cc-by → cc-by",
  ]);
  expect(licenseProblem("cc0", [{ license: "platform-free", own: true }])).toBeNull();
  expect(licenseProblem("paid", [{ license: "platform-free", own: true }])).toBeNull();
  expect(licenseProblem("cc0", [{ license: "cc-by", own: false }])).toBe("license_incompatible");
});

describe("hostile JSON", () => {
  const nested = (depth: number) => JSON.parse("[".repeat(depth) + "]".repeat(depth));
  test.each([
    ["64 deep", nested(64), []],
    ["65 deep", nested(65), ["too_deep"]],
    ["10,000 deep", nested(10_000), ["too_deep"]],
    ["NUL", { a: "x\u0000" }, ["invalid_text"]],
    ["NUL in a key", { "a\u0000": 1 }, ["invalid_key"]],
    ["half a pair", ["\udc00"], ["invalid_text"]],
    ["__proto__", JSON.parse('{"a": {"__proto__": 1}}'), ["invalid_key"]],
    ["1e400", JSON.parse("[1e400]"), ["invalid_number"]],
    ["plain", { constructor: 1, a: ["🚀", null, true, 1.5] }, []],
  ])("%s", (_, value, codes) => {
    expect(hostileFaults(value, "payload").map(({ code }) => code)).toEqual(codes);
  });
});

test("the hash is that of the canonical form", async () => {
  expect(canonicalJson({ b: 1, a: [1.0, "é", null], "\u20ac": 1e21 })).toBe(
    '{"a":[1,"é",null],"b":1,"€":1e+21}',
  );
  expect(await contentHash({ b: 1, a: 2 })).toBe(await contentHash({ a: 2, b: 1 }));
  expect(await contentHash({})).toBe("44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
});

test("a publication is cleaned as a whole: texts, tags, payload and items", async () => {
  const secret = `ghp_${"aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"}`;
  const publication: Publication = {
    title: `Use ${secret}`,
    description: `d ${secret}`,
    tags: ["ok", secret],
    thumbnail_url: `https://x.example/a.png?token=${secret}`,
    payload: { content: `p ${secret}` },
    items: [{ asset_type: "template", ref_id: ID, title: secret, payload: { content: secret } }],
  };
  const { publication: clean, redactions, residualSecrets } = await redactPublication(publication);
  expect(JSON.stringify([clean, redactions])).not.toContain(secret);
  expect(clean.tags).toEqual(["ok"]);
  expect(redactions.map(({ path }) => path)).toEqual([
    "title",
    "description",
    "tags.1",
    "thumbnail_url",
    "payload.content",
    "items.0.title",
    "items.0.payload.content",
  ]);
  expect(residualSecrets).toEqual([]);
});

test("a thumbnail's address is read as a server decodes it", async () => {
  const thumbnail = async (thumbnail_url: string) => {
    const listing = { title: "t", description: "d", tags: [], payload: { content: "c" }, items: [] };
    const { publication, redactions } = await redactPublication({ ...listing, thumbnail_url });
    return [publication.thumbnail_url, ...redactions.map(({ path }) => path)];
  };
  const secret = `ghp_${"aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"}`;
  const encoded = Array.from(secret, (sign) => `%${sign.charCodeAt(0).toString(16)}`).join("");
  for (const hidden of [
    encoded,
    encoded.replaceAll("%", "%25"),
    `%ff${encoded}`,
    secret.replace("_", "%5f"),
    `x+api_key+%3D+${secret.slice(4)}`,
  ])
    expect(await thumbnail(`https://x.example/a.png?v=${hidden}`), hidden).toEqual([null, "thumbnail_url"]);
  for (const harmless of ["Wo%20ist%20Zo%C3%AB.png", "%ff%fe.png", "100%25.png", "a.png?size=%32%30"])
    expect(await thumbnail(`https://x.example/${harmless}`)).toEqual([`https://x.example/${harmless}`]);
});

test("a kit has at most 50 items, 5 MB together, and of components as much as one may have", () => {
  const item = (asset_type: "component" | "template", kilobytes: number) => ({
    asset_type,
    payload: { source: "x".repeat(kilobytes * 1024) },
  });
  const many = (count: number, ...[type, kilobytes]: Parameters<typeof item>) =>
    Array.from({ length: count }, () => item(type, kilobytes));
  expect(bundleFaults([...many(5, "component", 100), ...many(20, "template", 200)])).toEqual([]);
  for (const [items, message] of [
    [many(51, "template", 1), "must be at most 50 items"],
    [many(26, "template", 200), "must be at most 5 MB together"],
    [many(6, "component", 86), "must have at most 512 KB of components together"],
  ] as const)
    expect(bundleFaults(items)).toEqual([{ path: "items", code: "too_big", message }]);
});
