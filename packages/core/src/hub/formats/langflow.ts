import { flow } from "./flow.ts";
import type { ForeignItem, Format, Requirement } from "./format.ts";
import { filled, firstText, isEmpty, list, record, records, text } from "./values.ts";

/** Reads exports of Langflow 0.6 to 1.x: `data.nodes`, each with the description of its component in `data.node`. */
export const langflow: Format = {
  id: "langflow",
  name: "Langflow flow",
  assetType: "orchestration",
  syntax: "json",
  extension: ".json",
  detect: ({ value }) => flows(value).length > 0,
  read: ({ value, filename }) => {
    const found = flows(value);
    return found.map(
      (one): ForeignItem => ({
        title: firstText(one.name, filename),
        description: one.description,
        tags: list(one.tags),
        payload: drawing(record(one.data)),
        ...(found.length > 1 && { text: JSON.stringify(one, null, 2) }),
      }),
    );
  },
  private: ["**.user_id", "**.folder_id", "**.webhook", "**.endpoint_name"],
  requires: (value) =>
    flows(value).flatMap((one) => [
      ...(text(one.last_tested_version)
        ? [{ kind: "version" as const, name: text(one.last_tested_version) }]
        : []),
      ...records(record(one.data).nodes).flatMap(secretsOf),
    ]),
};

/** Returns the flows of a file: the file itself, the elements of a list, or the elements of its member `flows`. */
function flows(value: unknown): Record<string, unknown>[] {
  const candidates = Array.isArray(value) ? records(value) : [record(value), ...records(record(value).flows)];
  return candidates.filter((one) => {
    const nodes = list(record(one.data).nodes);
    return nodes.length > 0 && nodes.every((node) => "node" in record(record(node).data));
  });
}

function drawing({ nodes, edges }: Record<string, unknown>) {
  return flow(
    records(nodes).map((node) => {
      const data = record(node.data);
      const component = record(data.node);
      const at = record(node.positionAbsolute ?? node.position);
      const isNote = node.type === "noteNode" || data.type === "note";
      return {
        ...{ id: firstText(node.id, data.id), x: at.x, y: at.y },
        label: isNote ? "Note" : firstText(component.display_name, data.display_name, data.type),
        type: isNote ? "note" : data.type,
        ...(isNote && { width: node.width ?? 320, height: node.height ?? 200 }),
        parameters: isNote ? { text: component.description } : fieldsOf(component, text(data.type)),
      };
    }),
    records(edges).map(({ source, target }) => ({ source, target })),
  );
}

/** Returns the values of a component's fields. The field `code` is left out, unless a user of the tool wrote or edited the code. */
function fieldsOf(component: Record<string, unknown>, type: string): Record<string, unknown> {
  const isOwn = component.edited === true || /custom/i.test(type);
  return filled(
    Object.fromEntries(
      Object.entries(record(component.template)).flatMap(([name, field]) => {
        const { value, show } = record(field);
        if (isEmpty(value) || show === false || (name === "code" && !isOwn)) return [];
        return [[name, value]];
      }),
    ),
  );
}

/** Returns a requirement for each field of a node that holds a secret of the tool's user. */
function secretsOf(node: Record<string, unknown>): Requirement[] {
  return Object.values(record(record(record(node.data).node).template)).flatMap((field): Requirement[] => {
    const { password, type, display_name: shown, name } = record(field);
    // Old versions mark numbers as passwords too, although numbers are settings and not secrets.
    return password === true && type !== "int" && type !== "float"
      ? [{ kind: "credential", name: firstText(shown, name) }]
      : [];
  });
}
