import { describe, expect, test } from "vitest";
import { type Content, differencesOf } from "../../../packages/web/src/data/difference.ts";

const template = (content: string, more: object = {}): Content => ({
  asset_type: "template",
  payload: { content, ...more },
  items: [],
});

describe("the difference of two versions", () => {
  test("nothing, where nothing differs", () => {
    expect(differencesOf(template("a"), template("a"))).toEqual([]);
  });

  test("words of a prompt, values of a preset, lines of a component", () => {
    const [words] = differencesOf(template("one two three"), template("one 2 three"));
    expect(words).toMatchObject({
      name: "content",
      kind: "words",
      pieces: [
        { text: "one ", kind: "same" },
        { text: "two", kind: "removed" },
        { text: "2", kind: "added" },
        { text: " three", kind: "same" },
      ],
    });
    const preset = (payload: Record<string, unknown>): Content => ({
      asset_type: "ai_preset",
      payload,
      items: [],
    });
    expect(
      differencesOf(preset({ model_id: "a", top_p: 1 }), preset({ model_id: "b", temperature: 0.2 })),
    ).toEqual([
      { name: "model id", kind: "value", before: "a", after: "b" },
      { name: "top p", kind: "value", before: "1", after: null },
      { name: "temperature", kind: "value", before: null, after: "0.2" },
    ]);
    const component = (source: string): Content => ({
      asset_type: "component",
      payload: { source },
      items: [],
    });
    const [lines] = differencesOf(component("a\nb\nc\n"), component("a\nB\nc\n"));
    expect(lines).toMatchObject({
      kind: "lines",
      pieces: expect.arrayContaining([{ text: "b\n", kind: "removed" }]),
    });
  });

  test("nodes and stages of an orchestration by name; a move on the canvas is no change; items of a kit by their source", () => {
    const kit = (label: string, settings: object, items: Content["items"]): Content => ({
      asset_type: "orchestration",
      payload: {
        nodes: [
          { id: "a", position: { x: Math.random() }, data: { label: "Draft" } },
          { id: "b", data: { label } },
        ],
        edges: [{ id: "1", source: "a", target: "b" }],
        stage_configs: [{ id: "s", node_id: "a", name: "Draft", settings }],
      },
      items,
    });
    const item = (ref_id: string, content: string) =>
      ({ asset_type: "template", ref_id, title: `Item ${ref_id}`, payload: { content } }) as const;
    const found = differencesOf(
      kit("Review", { tries: 1 }, [item("1", "x"), item("2", "y")]),
      kit("Check", { tries: 2 }, [item("1", "z"), item("3", "w")]),
    );
    expect(found).toMatchObject([
      { name: "Node “Check”: data", kind: "lines" },
      { name: "Stage “Draft”: settings", kind: "lines" },
      { name: "Item 1", kind: "item", change: "changed", differences: [{ name: "content", kind: "words" }] },
      { name: "Item 3", kind: "item", change: "added" },
      { name: "Item 2", kind: "item", change: "removed" },
    ]);
  });

  test("texts that have nothing in common are not compared without end", () => {
    const random = (seed: number) =>
      Array.from({ length: 100_000 }, (_, n) => ((n * seed) % 99_991).toString(36)).join(" ");
    const started = performance.now();
    expect(differencesOf(template(random(7_919)), template(random(104_729)))).toMatchObject([
      { kind: "words", pieces: null },
    ]);
    // This limit only excludes an endless comparison.
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  test("what is no list or no object in a payload ends nothing", () => {
    const odd = (payload: Record<string, unknown>): Content => ({
      asset_type: "orchestration",
      payload,
      items: [],
    });
    expect(
      differencesOf(odd({ nodes: null, edges: 3 }), odd({ nodes: [null, 1], stage_configs: ["x"] })),
    ).toHaveLength(3);
  });
});
