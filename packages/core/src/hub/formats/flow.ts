import type { Payload } from "../assets.ts";
import { filled, firstText, number, text } from "./values.ts";

/** A node as the tool stores it, before its id is made unique. */
export interface FlowNode {
  id: unknown;
  /** The tool's own type. The types `note` and `group` are drawn as a note and a group. */
  type: unknown;
  label?: unknown;
  x?: unknown;
  y?: unknown;
  width?: unknown;
  height?: unknown;
  /** The parameters that a reader may want to see. */
  parameters?: Record<string, unknown>;
}

export interface FlowEdge {
  source: unknown;
  target: unknown;
}

/**
 * Makes the payload of an orchestration from the nodes and links of another tool. If several nodes have the same id, the later ones get a
 * number, and a link with that id leads to the first of them. Repeated links, and links without a node at one end, are left out.
 */
export function flow(nodes: readonly FlowNode[], links: readonly FlowEdge[]): Payload {
  const ids = new Set<string>();
  const drawn = nodes.map((node, place) => {
    const wanted = text(node.id) || `node ${place + 1}`;
    let id = wanted;
    for (let n = 2; ids.has(id); n += 1) id = `${wanted} (${n})`;
    ids.add(id);
    const type = text(node.type) || "node";
    return {
      id,
      type,
      position: { x: number(node.x), y: number(node.y) },
      ...size(node),
      data: { label: firstText(node.label, type), ...parameters(node) },
    };
  });
  const seen = new Set<string>();
  const edges = links.flatMap(({ source, target }) => {
    const [from, to] = [text(source), text(target)];
    const id = `${from} → ${to}`;
    if (!ids.has(from) || !ids.has(to) || seen.has(id)) return [];
    seen.add(id);
    return [{ id, source: from, target: to }];
  });
  return { nodes: drawn, edges, stage_configs: [] };
}

function size({ width, height }: FlowNode): { width?: number; height?: number } {
  const [w, h] = [number(width), number(height)];
  return w > 0 && h > 0 ? { width: w, height: h } : {};
}

function parameters(node: FlowNode): { parameters?: Record<string, unknown> } {
  const shown = filled(node.parameters ?? {});
  return Object.keys(shown).length > 0 ? { parameters: shown } : {};
}
