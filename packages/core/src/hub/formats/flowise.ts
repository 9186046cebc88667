import { flow } from "./flow.ts";
import type { Format } from "./format.ts";
import { filled, firstText, list, record, records, text } from "./values.ts";

/** Reads flows of the marketplace and exports of Flowise 1 to 3: `nodes` with `data.name` and `data.inputs`, and `edges`. */
export const flowise: Format = {
  id: "flowise",
  name: "Flowise flow",
  assetType: "orchestration",
  syntax: "json",
  extension: ".json",
  detect: ({ value }) => {
    const { nodes, edges } = flowIn(value);
    return (
      Array.isArray(nodes) &&
      Array.isArray(edges) &&
      nodes.length > 0 &&
      nodes.every((node) => {
        const data = record(record(node).data);
        return (
          typeof data.name === "string" &&
          ("inputs" in data || "inputParams" in data || "inputAnchors" in data)
        );
      })
    );
  },
  read: ({ value, filename }) => {
    const { name, description, usecases, badge } = record(value);
    return [
      {
        title: firstText(name, filename),
        description,
        tags: [...list(usecases), badge].map(text).filter((tag) => tag !== ""),
        payload: drawing(flowIn(value)),
      },
    ];
  },
  private: [
    "**.nodes.*.data.credential",
    "**.nodes.*.data.inputs.credential",
    "**.FLOWISE_CREDENTIAL_ID",
    "**.chatflowid",
    "**.apikeyid",
    "**.workspaceId",
  ],
  requires: (value) =>
    records(flowIn(value).nodes).flatMap(({ data }) =>
      records(record(data).inputParams).flatMap(({ type, credentialNames }) =>
        type === "credential"
          ? list(credentialNames).map((name) => ({ kind: "credential" as const, name: text(name) }))
          : [],
      ),
    ),
};

/** Returns the flow in a file. An export of the database contains the flow as JSON text in `flowData`. */
function flowIn(value: unknown): Record<string, unknown> {
  const { flowData } = record(value);
  if (typeof flowData !== "string") return record(value);
  try {
    return record(JSON.parse(flowData));
  } catch {
    return {};
  }
}

function drawing({ nodes, edges }: Record<string, unknown>) {
  return flow(
    records(nodes).map((node) => {
      const data = record(node.data);
      const at = record(node.positionAbsolute ?? node.position);
      const isNote = /^stickyNote/i.test(text(data.name)) || node.type === "stickyNote";
      return {
        ...{ id: node.id, x: at.x, y: at.y, label: firstText(data.label, data.name) },
        type: isNote ? "note" : data.name,
        ...(isNote && { width: node.width ?? 240, height: node.height ?? 120 }),
        parameters: isNote ? { text: record(data.inputs).note } : own(record(data.inputs)),
      };
    }),
    records(edges).map(({ source, target }) => ({ source, target })),
  );
}

/** Returns the fields of a node that are not links. A link has the value `{{node.data.instance}}` and is drawn as an edge instead. */
function own(inputs: Record<string, unknown>): Record<string, unknown> {
  const isLink = (value: unknown) => /^\{\{[^{}]+\.data\.instance\}\}$/.test(text(value));
  return filled(
    Object.fromEntries(
      Object.entries(inputs).filter(
        ([, value]) => !(isLink(value) || (Array.isArray(value) && value.length > 0 && value.every(isLink))),
      ),
    ),
  );
}
