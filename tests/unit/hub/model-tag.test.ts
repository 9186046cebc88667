import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MODEL_TAG, modelsOf } from "../../../packages/core/src/hub/index.ts";
import { repository } from "../../support/cli.ts";

test("pages and the facets of the search count the same tags as models", async () => {
  const sql = await readFile(join(repository, "supabase/schemas/hub/78_search.sql"), "utf8");
  expect(sql).toContain(`c.value ~ '${MODEL_TAG.source.replaceAll("\\/", "/")}'`);
  expect(["gpt-5-mini", "o3", "claude", "gemini-2.5-pro"].filter((tag) => !MODEL_TAG.test(tag))).toEqual([]);
  expect(["gptx", "ollama", "qa", "1to1"].filter((tag) => MODEL_TAG.test(tag))).toEqual([]);
});

test("the models of a kit are those of its stages, nodes and presets, each once", () => {
  const payload = {
    nodes: [{ data: { model: "gpt-5" } }],
    stage_configs: [{ model_id: "claude" }, { model: "gpt-5" }],
  };
  const preset = { asset_type: "ai_preset", payload: { model_id: "gemini-2.5-pro" } } as const;
  const template = { asset_type: "template", payload: { content: "x", model: "none" } } as const;
  expect(modelsOf([{ asset_type: "orchestration", payload }, preset, template])).toEqual([
    "claude",
    "gemini-2.5-pro",
    "gpt-5",
  ]);
});
