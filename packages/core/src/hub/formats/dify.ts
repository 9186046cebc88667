import { flow } from "./flow.ts";
import type { Format, Requirement } from "./format.ts";
import { filled, firstText, objectsBelow, record, records, text } from "./values.ts";

/** Members of a node's data that are not shown as parameters: the drawing shows them in another way, or they only describe the drawing. */
const DRAWN = new Set(["title", "type", "selected", "desc", "width", "height", "isInIteration", "isInLoop"]);

/** Reads Dify's DSL 0.1 to 0.5: `app`, and a `workflow` with a graph or, for chats and agents, a `model_config`. */
export const dify: Format = {
  id: "dify",
  name: "Dify app",
  assetType: "orchestration",
  syntax: "yaml",
  extension: ".yml",
  detect: ({ value }) => {
    const { app, workflow, model_config: model } = record(value);
    const isApp = typeof record(app).mode === "string" || record(value).kind === "app";
    return (
      isApp && (Array.isArray(record(record(workflow).graph).nodes) || Object.keys(record(model)).length > 0)
    );
  },
  read: ({ value }) => {
    const { app, workflow, model_config: model } = record(value);
    const { graph } = record(workflow);
    return [
      {
        title: record(app).name,
        description: record(app).description,
        payload: Array.isArray(record(graph).nodes)
          ? drawing(record(graph))
          : chat(record(app), record(model)),
      },
    ];
  },
  private: [
    "workflow.environment_variables.*.value",
    "workflow.graph.nodes.*.data.dataset_ids",
    "model_config.dataset_configs.datasets",
    "workflow.graph.nodes.*.data.authorization.config.api_key",
  ],
  requires: (value) => {
    const { dependencies, version, workflow } = record(value);
    return [
      ...(text(version) ? [{ kind: "version" as const, name: `DSL ${text(version)}` }] : []),
      ...records(dependencies).map(
        ({ value: source, type }): Requirement => ({
          kind: "package",
          name: firstText(
            record(source).marketplace_plugin_unique_identifier,
            record(source).plugin_unique_identifier,
            record(source).github_plugin_unique_identifier,
            record(source).repo,
            type,
          ).replace(/@[0-9a-f]{32,}$/, ""),
        }),
      ),
      ...modelsIn(value),
      ...records(record(workflow).environment_variables).map(
        ({ name }): Requirement => ({ kind: "setting", name: text(name) }),
      ),
    ];
  },
};

function drawing({ nodes, edges }: Record<string, unknown>) {
  const drawn = records(nodes).map((node) => {
    const { id, type, width, height } = node;
    const data = record(node.data);
    const at = record(node.positionAbsolute ?? node.position);
    const isNote = type === "custom-note";
    return {
      ...{ id, x: at.x, y: at.y, label: isNote ? "Note" : data.title },
      type: isNote ? "note" : firstText(data.type, type),
      ...(isNote && { width: width ?? data.width, height: height ?? data.height }),
      parameters: isNote
        ? { text: noteText(data.text) }
        : {
            ...(text(data.desc) && { description: data.desc }),
            ...filled(Object.fromEntries(Object.entries(data).filter(([name]) => !DRAWN.has(name)))),
          },
    };
  });
  return flow(
    drawn,
    records(edges).map(({ source, target }) => ({ source, target })),
  );
}

/** Returns the drawing of a chat or an agent. These have no graph, so the drawing is one node with the settings of the model. */
function chat(app: Record<string, unknown>, model: Record<string, unknown>) {
  return flow(
    [{ id: "model", type: firstText(app.mode, "chat"), label: app.name, parameters: filled(model) }],
    [],
  );
}

/** Returns the text of a note, which Dify stores as the JSON of an editor. */
function noteText(value: unknown): string {
  try {
    const pieces: string[] = [];
    for (const object of objectsBelow(JSON.parse(text(value))))
      if (typeof object.text === "string") pieces.unshift(object.text);
    return pieces.join("\n");
  } catch {
    return text(value);
  }
}

function modelsIn(value: unknown): Requirement[] {
  const found: Requirement[] = [];
  for (const { model } of objectsBelow(value)) {
    const { provider, name } = record(model);
    if (typeof provider === "string" && typeof name === "string") found.push({ kind: "model", name });
  }
  return found;
}
