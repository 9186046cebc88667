type Payload = Readonly<Record<string, unknown>>;
type Member = Record<string, unknown>;

/** The member of a stage's settings that contains the id of the linked item, by the type of the item. */
export const STAGE_LINKS = {
  template: "prompt_template_id",
  component: "component_id",
  ai_preset: "ai_model_setting_id",
} as const;
export type StageLink = (typeof STAGE_LINKS)[keyof typeof STAGE_LINKS];

/** A node of a pipeline with its settings, as a form shows it. */
export interface Stage {
  id: string;
  name: string;
  /** The label of the node. If the node has none, `label` is empty, and `name` is the id. */
  label: string;
  links: Partial<Record<StageLink, string>>;
  /** The ids of the nodes to which an edge leads from this stage. */
  next: string[];
}

/** The members of the payload that a change of a stage writes. */
export interface Parts {
  nodes: Member[];
  edges: Member[];
  stage_configs: Member[];
}

const list = (value: unknown): Member[] =>
  (Array.isArray(value) ? value : []).filter((one): one is Member => typeof one === "object" && one !== null);
const partsOf = ({ nodes, edges, stage_configs }: Payload): Parts => ({
  nodes: list(nodes),
  edges: list(edges),
  stage_configs: list(stage_configs),
});
const text = (value: unknown) => (typeof value === "string" ? value : "");
const writtenLabel = (node: Member) => text(Object(node.data).label);
const labelOf = (node: Member) => writtenLabel(node) || text(node.id);

export function stagesOf(payload: Payload): Stage[] {
  const { nodes, edges, stage_configs } = partsOf(payload);
  return nodes
    .filter(({ id }) => typeof id === "string")
    .map((node) => {
      const id = text(node.id);
      const settings = stage_configs.find(({ node_id }) => node_id === id) ?? {};
      const links = Object.values(STAGE_LINKS).flatMap((link) =>
        text(settings[link]) ? [[link, text(settings[link])]] : [],
      );
      return {
        ...{ id, name: labelOf(node), label: writtenLabel(node), links: Object.fromEntries(links) },
        next: edges.filter(({ source }) => source === id).map(({ target }) => text(target)),
      };
    });
}

/** Renames a stage, in its node and in its settings. */
export function renameStage(payload: Payload, id: string, name: string): Parts {
  const parts = withSettings(payload, id);
  return {
    ...parts,
    nodes: parts.nodes.map((node) =>
      node.id === id ? { ...node, data: { ...Object(node.data), label: name } } : node,
    ),
    stage_configs: parts.stage_configs.map((one) => (one.node_id === id ? { ...one, name } : one)),
  };
}

/** Links the stage to an item; null removes the link. */
export function linkStage(payload: Payload, id: string, link: StageLink, item: string | null): Parts {
  const parts = withSettings(payload, id);
  return {
    ...parts,
    stage_configs: parts.stage_configs.map((one) => {
      if (one.node_id !== id) return one;
      const { [link]: _, ...rest } = one;
      return item === null ? rest : { ...rest, [link]: item };
    }),
  };
}

export function connectStages(payload: Payload, source: string, target: string, isConnected: boolean): Parts {
  const parts = partsOf(payload);
  const others = parts.edges.filter((edge) => !(edge.source === source && edge.target === target));
  const id = free(others, `${source}-${target}`);
  return { ...parts, edges: isConnected ? [...others, { id, source, target }] : others };
}

/** Adds a stage at the end, to the right of the last one, with an edge from the last one. */
export function addStage(payload: Payload): Parts {
  const parts = partsOf(payload);
  const id = free(parts.nodes, `stage-${parts.nodes.length + 1}`);
  const last = parts.nodes.at(-1);
  const { x, y } = Object(last?.position) as { x?: unknown; y?: unknown };
  const position = { x: (Number(x) || 0) + (last ? 240 : 0), y: Number(y) || 0 };
  const name = `Stage ${parts.nodes.length + 1}`;
  const nodes = [...parts.nodes, { id, type: "stage", position, data: { label: name } }];
  const added = withSettings({ ...parts, nodes }, id);
  return last ? connectStages({ ...added }, text(last.id), id, true) : added;
}

/** Removes a stage with its settings and edges. */
export function removeStage(payload: Payload, id: string): Parts {
  const { nodes, edges, stage_configs } = partsOf(payload);
  return {
    nodes: nodes.filter((node) => node.id !== id),
    edges: edges.filter(({ source, target }) => source !== id && target !== id),
    stage_configs: stage_configs.filter(({ node_id }) => node_id !== id),
  };
}

/** Returns the parts of the payload, with new settings for the stage if it has none. */
function withSettings(payload: Payload, id: string): Parts {
  const parts = partsOf(payload);
  if (parts.stage_configs.some(({ node_id }) => node_id === id)) return parts;
  const node = parts.nodes.find((one) => one.id === id);
  const own = {
    id: free(parts.stage_configs, `${id}-settings`),
    node_id: id,
    name: node ? labelOf(node) : id,
    settings: {},
  };
  return { ...parts, stage_configs: [...parts.stage_configs, own] };
}

/** Returns the wanted id, with a number appended if another member has that id already. */
function free(members: readonly Member[], wanted: string): string {
  let id = wanted;
  for (let n = 2; members.some((one) => one.id === id); n += 1) id = `${wanted}-${n}`;
  return id;
}
