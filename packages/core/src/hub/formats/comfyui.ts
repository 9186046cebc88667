import { flow } from "./flow.ts";
import type { Format, Requirement } from "./format.ts";
import { filled, firstText, list, number, objectsBelow, record, records, text } from "./values.ts";

/** Model files, recognized by the ending of their name. */
const MODEL = /\.(safetensors|ckpt|pt|pth|bin|gguf|onnx)$/i;

/** Reads both forms of ComfyUI: the editor's workflow (`nodes`, `links`), and the API form (numbered nodes with `class_type`). */
export const comfyui: Format = {
  id: "comfyui",
  name: "ComfyUI workflow",
  assetType: "orchestration",
  syntax: "json",
  extension: ".json",
  detect: ({ value }) => isWorkflow(record(value)) || isApi(record(value)),
  read: ({ value, filename }) => {
    const graph = record(value);
    return [{ title: filename, payload: isWorkflow(graph) ? workflow(graph) : api(graph) }];
  },
  private: ["**.extra.workspace_info", "**.extra.client_id", "extra_data.extra_pnginfo", "client_id"],
  requires: (value) => {
    const found: Requirement[] = [];
    for (const object of objectsBelow(value)) {
      const { cnr_id: pack, ver } = record(object.properties);
      if (typeof pack === "string" && pack !== "comfy-core")
        found.push({ kind: "package", name: text(ver) ? `${pack} ${text(ver)}` : pack });
      for (const one of [
        ...list(object.widgets_values),
        ...Object.values(record(object.widgets_values)),
        ...Object.values(record(object.inputs)),
      ])
        if (typeof one === "string" && MODEL.test(one)) found.push({ kind: "model", name: one });
    }
    return found;
  },
};

function isWorkflow({ nodes, links }: Record<string, unknown>): boolean {
  return (
    Array.isArray(nodes) &&
    Array.isArray(links) &&
    nodes.every(
      (node) => "type" in record(node) && ("pos" in record(node) || "widgets_values" in record(node)),
    )
  );
}

function isApi(graph: Record<string, unknown>): boolean {
  const nodes = Object.values(graph);
  return (
    nodes.length > 0 &&
    nodes.every((node) => typeof record(node).class_type === "string" && "inputs" in record(node))
  );
}

function workflow({ nodes, links, groups, definitions }: Record<string, unknown>) {
  const parts = new Map(records(record(definitions).subgraphs).map(({ id, name }) => [id, name]));
  const drawn = records(nodes).map((node) => {
    const { id, type, title, pos, size, inputs, widgets_values: values, properties } = node;
    const [x, y] = pair(pos);
    const [width, height] = pair(size);
    const isNote = type === "Note" || type === "MarkdownNote";
    return {
      ...{
        id,
        x,
        y,
        label: firstText(title, parts.get(type), isNote && "Note", record(properties)["Node name for S&R"]),
      },
      type: isNote ? "note" : firstText(parts.get(type), type),
      ...(isNote && { width, height }),
      parameters: isNote ? { text: firstText(...list(values)) } : widgets(list(inputs), values),
    };
  });
  const frames = records(groups).map(({ title, bounding }, place) => {
    const [x, y, width, height] = list(bounding);
    return { id: `group ${place + 1}`, type: "group", label: title, x, y, width, height };
  });
  const between = list(links).map((link) => {
    // A link is [id, from, slot, to, slot, type]; since version 1 of the schema a link is an object.
    const [, source, , target] = list(link);
    return Array.isArray(link)
      ? { source, target }
      : { source: record(link).origin_id, target: record(link).target_id };
  });
  return flow([...frames, ...drawn], between);
}

/** Returns the values of a node's fields: by name if the file names exactly as many fields as there are values, otherwise as a list. */
function widgets(inputs: unknown[], values: unknown): Record<string, unknown> {
  if (!Array.isArray(values)) return record(values);
  const names = records(inputs).flatMap(({ widget }) => firstText(record(widget).name) || []);
  return names.length === values.length
    ? filled(Object.fromEntries(names.map((name, n) => [name, values[n]])))
    : { values };
}

function api(graph: Record<string, unknown>) {
  const ids = new Set(Object.keys(graph));
  const linkOf = (value: unknown) =>
    Array.isArray(value) && value.length === 2 && ids.has(text(value[0])) && typeof value[1] === "number"
      ? text(value[0])
      : null;
  const nodes = Object.entries(graph).map(([id, node]) => {
    const { class_type: type, inputs, _meta: meta } = record(node);
    const own = Object.entries(record(inputs)).filter(([, value]) => linkOf(value) === null);
    return { id, type, label: record(meta).title, parameters: Object.fromEntries(own) };
  });
  const edges = Object.entries(graph).flatMap(([target, node]) =>
    Object.values(record(record(node).inputs)).flatMap((value) => {
      const source = linkOf(value);
      return source === null ? [] : [{ source, target }];
    }),
  );
  return flow(nodes, edges);
}

/** Reads a pair of numbers, given as a list or as an object with the keys 0 and 1. */
function pair(value: unknown): [number, number] {
  const { 0: first, 1: second } = Object(value) as Record<number, unknown>;
  return [number(first), number(second)];
}
