import { flow } from "./flow.ts";
import type { Format, Requirement } from "./format.ts";
import { firstText, list, record, records, text } from "./values.ts";

/** Reads workflows of n8n 0.1 to 1.x: `nodes` is a list, and `connections` is an object. Its keys name the nodes where links start. */
export const n8n: Format = {
  id: "n8n",
  name: "n8n workflow",
  assetType: "orchestration",
  syntax: "json",
  extension: ".json",
  detect: ({ value }) => workflows(value).length > 0,
  read: ({ value }) => {
    const found = workflows(value);
    return found.map((workflow) => ({
      title: workflow.name,
      description: firstText(workflow.description, record(workflow.meta).description),
      tags: list(workflow.tags).map((tag) => firstText(tag, record(tag).name)),
      payload: drawing(workflow),
      ...(found.length > 1 && { text: JSON.stringify(workflow, null, 2) }),
    }));
  },
  private: [
    "**.pinData",
    "**.staticData",
    "**.meta.instanceId",
    "**.nodes.*.webhookId",
    "**.nodes.*.credentials.*.id",
    "**.shared",
    "**.homeProject",
    "**.resultData",
    "**.ownedBy",
  ],
  requires: (value) =>
    workflows(value).flatMap((workflow) =>
      records(workflow.nodes).flatMap((node): Requirement[] => [
        ...Object.keys(record(node.credentials)).map((name): Requirement => ({ kind: "credential", name })),
        ...(isOwn(text(node.type)) ? [] : [{ kind: "package" as const, name: packageOf(text(node.type)) }]),
      ]),
    ),
};

/** Returns the workflows of a file: the file itself, the elements of a list, or one in a wrapper such as `{workflow}` or `{data}`. */
function workflows(value: unknown): Record<string, unknown>[] {
  const candidates = Array.isArray(value)
    ? records(value)
    : [value, record(value).workflow, record(value).data];
  return candidates.map(record).filter(isWorkflow);
}

function isWorkflow({ nodes, connections }: Record<string, unknown>): boolean {
  return (
    Array.isArray(nodes) &&
    typeof connections === "object" &&
    connections !== null &&
    !Array.isArray(connections) &&
    nodes.every((node) => typeof record(node).type === "string" && "position" in record(node))
  );
}

function drawing({ nodes, connections }: Record<string, unknown>) {
  const idOf = new Map<string, string>();
  const drawn = records(nodes).map((node, place) => {
    const { parameters, position, type, credentials, notes, disabled } = node;
    const name = text(node.name);
    // Nodes of old workflows have no ids. Links use names of nodes; if two nodes have the same name, a link leads to the first one.
    const id = firstText(node.id, name, `node ${place + 1}`);
    if (!idOf.has(name)) idOf.set(name, id);
    const { content, width, height, ...rest } = record(parameters);
    const isNote = /stickynote$/i.test(text(type));
    const [x, y] = Array.isArray(position) ? position : [record(position).x, record(position).y];
    return isNote
      ? {
          id,
          type: "note",
          label: name,
          x,
          y,
          width: width ?? 240,
          height: height ?? 160,
          parameters: { text: content },
        }
      : {
          ...{ id, type, label: name, x, y },
          parameters: {
            ...record(parameters),
            ...(Object.keys(rest).length === 0 && content !== undefined && { content }),
            // This member is not named `credentials`, because redaction would take values under that name for secrets.
            connects_with: Object.keys(record(credentials)),
            notes,
            ...(disabled === true && { disabled }),
          },
        };
  });
  const nodeOf = (name: string) => idOf.get(name) ?? name;
  const links = Object.entries(record(connections)).flatMap(([from, outputs]) =>
    Object.values(record(outputs)).flatMap((ports) =>
      list(ports)
        .flatMap(list)
        .map((link) => ({ source: nodeOf(from), target: nodeOf(text(record(link).node)) })),
    ),
  );
  return flow(drawn, links);
}

const isOwn = (type: string) =>
  /^(n8n-nodes-base|@n8n\/n8n-nodes-langchain)\./.test(type) || !type.includes(".");

/** `@scope/n8n-nodes-name.node` → `@scope/n8n-nodes-name`. */
const packageOf = (type: string) => type.slice(0, type.lastIndexOf("."));
