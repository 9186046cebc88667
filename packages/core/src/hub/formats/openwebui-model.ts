import type { ForeignItem, Format } from "./format.ts";
import { extraOf, presetOf } from "./preset.ts";
import { firstText, list, record, records, text } from "./values.ts";

const OWN = new Set(["temperature", "top_p", "top_k", "max_tokens"]);

/** Reads exports of Open WebUI: a list of models with `base_model_id`, `params` and `meta`. */
export const openwebuiModel: Format = {
  id: "openwebui-model",
  name: "Open WebUI model",
  assetType: "ai_preset",
  syntax: "json",
  extension: ".json",
  detect: ({ value }) => models(value).length > 0,
  read: ({ value }) => {
    const found = models(value);
    return found.map((model): ForeignItem => {
      const { id, name, base_model_id: base } = model;
      const [params, meta] = [record(model.params), record(model.meta)];
      return {
        title: firstText(name, id),
        description: meta.description,
        tags: list(meta.tags).map((tag) => firstText(tag, record(tag).name)),
        payload: presetOf({
          model: firstText(base, id),
          temperature: params.temperature,
          topP: params.top_p,
          topK: params.top_k,
          maxOutputTokens: params.max_tokens,
          extra: extraOf(params, OWN),
        }),
        ...(found.length > 1 && { text: JSON.stringify([model], null, 2) }),
      };
    });
  },
  private: ["**.user_id", "**.user", "**.access_control", "**.access_grants", "**.meta.knowledge"],
  requires: (value) =>
    models(value).flatMap(({ base_model_id: base, meta }) => [
      ...(text(base) ? [{ kind: "model" as const, name: text(base) }] : []),
      ...list(record(meta).toolIds).map((tool) => ({ kind: "package" as const, name: text(tool) })),
    ]),
};

/** Returns the models of a file. Some exports have each model inside `info`. */
function models(value: unknown): Record<string, unknown>[] {
  const all = (Array.isArray(value) ? records(value) : [record(value)]).map((one) =>
    "info" in one && "params" in record(one.info) ? record(one.info) : one,
  );
  return all.filter(
    (one) =>
      typeof one.id === "string" &&
      "params" in one &&
      "meta" in one &&
      ("base_model_id" in one || "name" in one),
  );
}
