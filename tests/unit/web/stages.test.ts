import { expect, test } from "vitest";
import {
  addStage,
  connectStages,
  linkStage,
  removeStage,
  renameStage,
  stagesOf,
} from "../../../packages/web/src/app/editor/stages.ts";

const pipeline = {
  nodes: [
    { id: "a", type: "stage", position: { x: 0, y: 40 }, data: { label: "Draft", note: "kept" } },
    { id: "b", position: { x: 240, y: 40 }, data: { label: "Review" } },
  ],
  edges: [{ id: "a-b", source: "a", target: "b" }],
  stage_configs: [{ id: "s", node_id: "a", name: "Draft", prompt_template_id: "t1", settings: { x: 1 } }],
};

test("a stage is its node, its settings and the edges from it", () => {
  expect(stagesOf(pipeline)).toEqual([
    { id: "a", name: "Draft", label: "Draft", links: { prompt_template_id: "t1" }, next: ["b"] },
    { id: "b", name: "Review", label: "Review", links: {}, next: [] },
  ]);
  expect(stagesOf({ nodes: [null, 7, { id: 3 }], edges: "x", stage_configs: null })).toEqual([]);
});

test("a change writes what it is about and nothing else", () => {
  const renamed = renameStage(pipeline, "a", "Write");
  expect(renamed.nodes[0]).toEqual({ ...pipeline.nodes[0], data: { label: "Write", note: "kept" } });
  expect(renamed.stage_configs[0]).toEqual({ ...pipeline.stage_configs[0], name: "Write" });
  expect(renamed.edges).toEqual(pipeline.edges);
  // Without a name, the stage's id is used as its name, and the form's field stays empty.
  expect(stagesOf({ ...renameStage(pipeline, "a", "") })[0]).toMatchObject({ name: "a", label: "" });
  const linked = linkStage(pipeline, "b", "component_id", "c1");
  expect(linked.stage_configs).toEqual([
    pipeline.stage_configs[0],
    { id: "b-settings", node_id: "b", name: "Review", settings: {}, component_id: "c1" },
  ]);
  expect(linkStage(pipeline, "a", "prompt_template_id", null).stage_configs[0]).not.toHaveProperty(
    "prompt_template_id",
  );
  expect(connectStages(pipeline, "b", "a", true).edges).toEqual([
    ...pipeline.edges,
    { id: "b-a", source: "b", target: "a" },
  ]);
  expect(connectStages(pipeline, "a", "b", false).edges).toEqual([]);
});

test("a new stage stands right of the last one, which leads to it; a removed one leaves nothing", () => {
  const added = addStage(pipeline);
  expect(stagesOf({ ...added }).at(-1)).toMatchObject({
    id: "stage-3",
    name: "Stage 3",
    links: {},
    next: [],
  });
  expect(added.nodes.at(-1)?.position).toEqual({ x: 480, y: 40 });
  expect(added.edges.at(-1)).toMatchObject({ source: "b", target: "stage-3" });
  expect(stagesOf({ ...addStage({}) })).toHaveLength(1);
  expect(removeStage(pipeline, "a")).toEqual({ nodes: [pipeline.nodes[1]], edges: [], stage_configs: [] });
});
