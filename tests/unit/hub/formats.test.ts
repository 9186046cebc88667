import { describe, expect, test } from "vitest";
import {
  FORMATS,
  type Format,
  readForeign,
  rederive,
  requirementsOf,
  writableFormats,
  writeForeign,
} from "../../../packages/core/src/hub/formats/index.ts";
import { type Archive, redactPublication } from "../../../packages/core/src/hub/index.ts";
import { files, fixture, formatIn, nameOf, published, read, textOf } from "../../support/foreign-files.ts";

/** Returns what a reader sees of a flow: each node by label and type, and the links between labels. */
function seen({ payload }: Archive) {
  const nodes = payload.nodes as { id: string; type: string; data: { label: string } }[];
  const edges = payload.edges as { source: string; target: string }[];
  const label = (id: string) => nodes.find((node) => node.id === id)?.data.label;
  return {
    nodes: nodes.map(({ type, data }) => `${data.label}: ${type}`),
    links: edges.map(({ source, target }) => `${label(source)} → ${label(target)}`),
  };
}

test("every format has a fixture, and every fixture is of a format", () => {
  expect([...new Set(files.map(formatIn))].sort()).toEqual(FORMATS.map(({ id }) => id).sort());
});

describe("what a file says", () => {
  test.each([
    ["n8n.json", "Sort the inbox", null, ["mail", "team-work"]],
    ["comfyui.json", "comfyui", null, []],
    ["flowise.json", "flowise", "Answers from a page", ["documents"]],
    ["langflow.json", "Ask a poet", "A prompt and a model", ["poems"]],
    ["dify.yml", "Sum up: short", "Sums up a text", []],
    ["skill.md", "release-notes", "Writes release notes: use it when somebody asks what changed", []],
    ["markdown.md", "Review a change", "Reviews a change: bugs first", ["review", "code"]],
    ["openwebui-model.json", "Plain words", "Explains anything simply.", ["writing"]],
    ["sillytavern-preset.json", "sillytavern-preset", null, []],
    ["shadcn-item.json", "Key cap", "A key of a keyboard.", ["keyboard"]],
  ])("%s", async (file, title, description, tags) => {
    expect(await read(file)).toMatchObject([{ title, description, tags }]);
  });

  test("an author is a claim, never one of ours", async () => {
    const claimed = { claimed: { title: "release-notes", creator: "Ada Lovelace" } };
    expect(await read("skill.md")).toMatchObject([{ attribution: claimed }]);
    expect(await read("n8n.json")).toMatchObject([{ attribution: null }]);
  });

  test("each row of a list is a prompt of its own, which keeps no file", async () => {
    const rows = await read("prompts-csv.csv");
    expect(rows).toMatchObject([
      {
        title: "Travel guide",
        payload: { content: 'I am in ${city}. Suggest "three" places,\nnear each other.' },
        attribution: { claimed: { creator: "ada" } },
      },
      { title: "SQL terminal", payload: { content: "Act as a SQL terminal." } },
    ]);
    expect(rows[0]?.payload).not.toHaveProperty("source_text");
  });

  test("a preset has its own fields, and what else it sets", async () => {
    expect((await read("sillytavern-preset.json"))[0]?.payload).toMatchObject({
      ...{ model_id: "gpt-5-mini", temperature: 0.8, topP: 0.95, topK: null, maxOutputTokens: 600 },
      extra: { frequency_penalty: 0.2, presence_penalty: 0, seed: -1, stream_openai: true },
    });
    const { extra } = (await read("openwebui-model.json"))[0]?.payload ?? {};
    expect(extra).toEqual({
      system: "Explain with words that a child of ten knows.",
      ...{ stop: ["END"], num_ctx: 8192 },
    });
  });
});

describe("a drawing has every node by its name, and every link", () => {
  test.each([
    [
      "n8n.json",
      [
        "Sticky Note: note",
        "New mail: n8n-nodes-base.webhook",
        "Judge: @n8n/n8n-nodes-langchain.openAi",
        "Tell: n8n-nodes-base.httpRequest",
        "Score: n8n-nodes-scorer.score",
      ],
      ["New mail → Judge", "Judge → Tell", "Judge → Score"],
    ],
    [
      "comfyui.json",
      [
        "Prompt: group",
        "CheckpointLoaderSimple: CheckpointLoaderSimple",
        "What to draw: CLIPTextEncode",
        "KSampler: KSampler",
        "Note: note",
      ],
      ["CheckpointLoaderSimple → What to draw", "What to draw → KSampler"],
    ],
    [
      "comfyui-api.json",
      [
        "Sample: KSampler",
        "CheckpointLoaderSimple: CheckpointLoaderSimple",
        "CLIPTextEncode: CLIPTextEncode",
      ],
      [
        "CheckpointLoaderSimple → Sample",
        "CLIPTextEncode → Sample",
        "CheckpointLoaderSimple → CLIPTextEncode",
      ],
    ],
    [
      "flowise.json",
      ["Chat model: chatOpenAI", "Conversation: conversationChain", "Sticky Note: note"],
      ["Chat model → Conversation"],
    ],
    ["langflow.json", ["Prompt: Prompt", "OpenAI: OpenAIModel", "Note: note"], ["Prompt → OpenAI"]],
    [
      "dify.yml",
      ["Start: start", "Sum up: llm", "Look up: knowledge-retrieval", "End: end", "Note: note"],
      ["Start → Sum up", "Sum up → End"],
    ],
  ])("%s", async (file, nodes, links) => {
    const [document] = await read(file);
    expect(seen(document as Archive)).toEqual({ nodes, links });
  });

  test("a node shows its parameters and prompts, a note its text", async () => {
    const [flow] = await read("dify.yml");
    expect(flow?.payload.nodes).toMatchObject(
      [
        {},
        {
          data: {
            parameters: { model: { name: "gpt-5-mini" }, prompt_template: [{ text: /Keep the numbers/ }] },
          },
        },
        {},
        {},
        { data: { parameters: { text: "Three sentences." } } },
      ].map((node) =>
        JSON.parse(
          JSON.stringify(node, (_, value) =>
            value instanceof RegExp ? "Sum up in three sentences.\nKeep the numbers.\n" : value,
          ),
        ),
      ),
    );
    const [graph] = await read("comfyui.json");
    expect(graph?.payload.nodes).toContainEqual({
      ...{ id: "2", type: "CLIPTextEncode", position: { x: 380, y: 40 } },
      data: { label: "What to draw", parameters: { text: "a lighthouse in the rain, oil on wood" } },
    });
  });
});

describe("there and back", () => {
  /** The private text in each file, and the text that replaces it. */
  const PLANTED: Record<string, [before: string, after: string][]> = {
    "n8n.json": [
      ['"webhookId": "5f0c2c52-9a64-4a0b-8f0e-6f7f3a1f0b11"', '"webhookId": ""'],
      ['"id": "Zk3pQ9vLw2xR7tYs"', '"id": ""'],
      ["Bearer kx83jdQpLm20vNsR5tYw", "Bearer [redacted]"],
      [
        '"instanceId": "3f6c0f3a5b1e4c5d9a7b8c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b9c8d7e6f"',
        '"instanceId": ""',
      ],
    ],
    "comfyui.json": [['"workspace_info": { "id": "u-7731" }', '"workspace_info": {}']],
    "comfyui-api.json": [],
    "flowise.json": [['"credential": "0b7c9f4e-1c53-4f0e-a3a4-9d3f0f6b2c11"', '"credential": ""']],
    "langflow.json": [
      ['"user_id": "c0a8012e-7f00-4d1b-8a3e-1f2d3c4b5a69"', '"user_id": ""'],
      ["vT4nLq8RzW1mXc6Y", "[redacted]"],
    ],
    "dify.yml": [
      ["value: cobalt-otter-plays-chess", 'value: ""'],
      ["api_key: wren-basalt-4417-kite", 'api_key: ""'],
      ["- 70c17aae-fb0b-4e4d-9ae0-24def4b85670", " []"],
    ],
    "skill.md": [],
    "markdown.md": [["kx83jdQpLm20vNsR5tYw", "[redacted]"]],
    "openwebui-model.json": [['"user_id": "1d8f5f0c-3f61-4b0e-9d5f-77c1b2a3d4e5"', '"user_id": ""']],
    "sillytavern-preset.json": [
      ["https://proxy.example.org/v1", ""],
      ["open sesame", ""],
    ],
    "shadcn-item.json": [],
  };

  test.each(files.filter((file) => file !== "prompts-csv.csv"))("%s", async (file) => {
    const [document] = await read(file);
    const source = fixture(file);
    expect(textOf(document?.payload ?? {})).toBe(source);
    expect(writeForeign(formatIn(file), document as Archive)?.text).toBe(source);

    const { publication, exceeded, residualSecrets } = await published(document as Archive);
    expect({ exceeded, residualSecrets }).toEqual({ exceeded: null, residualSecrets: [] });
    const clean = textOf(publication.payload);
    let expected = source;
    for (const [before, after] of PLANTED[file] ?? []) {
      expect(expected).toContain(before);
      expected = expected.replace(before, after);
    }
    // These members are emptied completely.
    expected = expected
      .replace(/("pinData": )\{[\s\S]*?\n {2}\}/, "$1{}")
      .replace(/("access_control": )\{[\s\S]*?\n {4}\}/, "$1{}");
    expect(clean).toBe(expected);
    // Reading the payload's own source text gives the same payload again, and publishing that payload again changes nothing.
    expect(rederive(publication.payload)).toEqual(publication.payload);
    const again = await published({ ...(document as Archive), payload: publication.payload });
    expect(again.publication.payload).toEqual(publication.payload);
    for (const [before] of PLANTED[file] ?? [])
      expect(JSON.stringify(publication)).not.toContain(before.split('"').at(-2) ?? before);
  });

  test.each(files)("%s is read the same behind a byte order mark", async (file) => {
    const marked = await readForeign(`\uFEFF${fixture(file)}`, nameOf(file));
    expect(marked).toEqual(await readForeign(fixture(file), nameOf(file)));
  });

  test("what is private is emptied behind a byte order mark too", async () => {
    const [document] = await read("n8n.json");
    const { payload } = document as Archive;
    const marked = { ...payload, source_text: `\uFEFF${textOf(payload)}` };
    const found = await published({ ...(document as Archive), payload: marked });
    expect(found).toEqual(await published(document as Archive));
  });

  test("a drawing that its file does not have is not published", async () => {
    const [document] = await read("n8n.json");
    const forged = {
      ...(document as Archive).payload,
      nodes: [],
      edges: [{ id: "x", source: "a", target: "b" }],
    };
    const { publication } = await published({ ...(document as Archive), payload: forged });
    expect(publication.payload.nodes).toHaveLength(5);
  });

  test.each(["{}", "", "not json", '{"nodes": 7, "connections": {}}', "[".repeat(5_000)])(
    "a text that is no file of its format is not published: %.20s",
    async (source_text) => {
      const payload = { nodes: [], edges: [], stage_configs: [], source_format: "n8n", source_text };
      const { exceeded, publication } = await redactPublication({
        ...{ title: "T", description: "D", tags: [], thumbnail_url: null, payload, items: [] },
      });
      expect(exceeded).toMatchObject({ path: "payload.source_text", code: "unreadable" });
      expect(publication.payload).toEqual({});
    },
  );

  test("any template can be written as Markdown, as a skill and as a list, and is read again", async () => {
    const asset = {
      ...{
        asset_type: "template" as const,
        title: 'Notes: "short"',
        description: "Says what changed: in a line",
      },
      payload: { name: "Notes", description: null, content: "Write {{count}} lines.\n", variables: [] },
    };
    expect(writableFormats(asset).map(({ id }) => id)).toEqual(["prompts-csv", "skill", "markdown"]);
    for (const { id } of writableFormats(asset)) {
      const written = writeForeign(id, asset);
      const found = await readForeign(written?.text ?? "", written?.filename);
      expect(found).toMatchObject({ ok: true, value: { format: id } });
      const [document] = found.ok ? found.value.documents : [];
      expect(String(document?.payload.content).trim()).toBe("Write {{count}} lines.");
    }
    expect(writeForeign("n8n", asset)).toBeNull();
  });
});

test.each([
  ["n8n.json", ["credential openAiApi", "package n8n-nodes-scorer"]],
  ["comfyui.json", ["package paint-pack 1.2.0", "model sea-and-sky.safetensors"]],
  ["flowise.json", ["credential openAIApi"]],
  ["langflow.json", ["version 1.5.0", "credential OpenAI API Key"]],
  [
    "dify.yml",
    ["version DSL 0.3.1", "package langgenius/openai:0.2.1", "model gpt-5-mini", "setting TEAM_PIN"],
  ],
  ["skill.md", ["license MIT", "setting Read", "setting Grep"]],
  ["markdown.md", ["model gpt-5-mini"]],
  ["openwebui-model.json", ["model gpt-5-mini", "package dictionary"]],
  ["sillytavern-preset.json", ["model gpt-5-mini"]],
  ["shadcn-item.json", ["package clsx", "package button"]],
])("what %s needs", async (file, wanted) => {
  const [document] = await read(file);
  expect(requirementsOf(document?.payload ?? {}).map(({ kind, name }) => `${kind} ${name}`)).toEqual(wanted);
});

test("a new format is one entry", async () => {
  const recipe: Format = {
    ...{
      id: "recipe",
      name: "recipe",
      assetType: "template",
      syntax: "json",
      extension: ".json",
      private: ["cook"],
    },
    detect: ({ value }) => "recipe" in Object(value),
    read: ({ value }) => [{ title: "Soup", payload: { content: Object(value).recipe, variables: [] } }],
    requires: () => [],
  };
  const found = await readForeign('{"recipe": "Boil water."}', null, "document", [...FORMATS, recipe]);
  expect(found).toMatchObject({
    ok: true,
    value: { format: "recipe", documents: [{ title: "Soup", payload: { source_format: "recipe" } }] },
  });
});
