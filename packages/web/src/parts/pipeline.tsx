export interface PipelineNode {
  id: string;
  label: string;
  x: number;
  y: number;
}

export interface Pipeline {
  nodes: PipelineNode[];
  edges: { source: string; target: string }[];
}

const WIDTH = 168;
const HEIGHT = 56;
const MARGIN = 20;
/** More are not drawn: nobody could read them. */
const MOST_NODES = 200;

/** Nodes and edges of an orchestration's payload. What is not as the contract has it is left out. */
export function readPipeline(payload: Record<string, unknown>): Pipeline {
  const nodes = list(payload.nodes)
    .slice(0, MOST_NODES)
    .flatMap((node): PipelineNode[] => {
      const { id, data, position, type } = record(node);
      if (typeof id !== "string") return [];
      const { label } = record(data);
      const { x, y } = record(position);
      return [
        {
          id,
          label: typeof label === "string" && label.trim() ? label : typeof type === "string" ? type : id,
          x: finite(x),
          y: finite(y),
        },
      ];
    });
  const known = new Set(nodes.map(({ id }) => id));
  const edges = list(payload.edges).flatMap((edge) => {
    const { source, target } = record(edge);
    return typeof source === "string" && typeof target === "string" && known.has(source) && known.has(target)
      ? [{ source, target }]
      : [];
  });
  return { nodes: separateNodes(nodes), edges: edges.slice(0, 4 * MOST_NODES) };
}

/** The pipeline as a picture. `title` names it for people who hear the page; without one it is decoration. */
export function PipelineDrawing({ pipeline, title, id }: { pipeline: Pipeline; title?: string; id: string }) {
  const { nodes, edges } = pipeline;
  const left = Math.min(...nodes.map(({ x }) => x), 0);
  const top = Math.min(...nodes.map(({ y }) => y), 0);
  const width = Math.max(...nodes.map(({ x }) => x), 0) - left + WIDTH + 2 * MARGIN;
  const height = Math.max(...nodes.map(({ y }) => y), 0) - top + HEIGHT + 2 * MARGIN;
  const placed = new Map(nodes.map((node) => [node.id, node]));
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      class="pipeline"
      viewBox={`${left - MARGIN} ${top - MARGIN} ${width} ${height}`}
      width={width}
      height={height}
      role={title ? "img" : undefined}
      aria-label={title}
      aria-hidden={title ? undefined : "true"}
      font-family="system-ui, sans-serif"
      font-size="13"
    >
      <defs>
        <marker
          id={`arrow-${id}`}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          orient="auto"
        >
          <path d="M0 0 8 4 0 8Z" fill="#7c83a3" />
        </marker>
      </defs>
      {edges.map(({ source, target }) => (
        <path
          key={`${source} ${target}`}
          d={curve(placed.get(source), placed.get(target))}
          fill="none"
          stroke="#7c83a3"
          stroke-width="1.6"
          marker-end={`url(#arrow-${id})`}
        />
      ))}
      {nodes.map((node, place) => (
        <g key={node.id}>
          <rect
            x={node.x}
            y={node.y}
            width={WIDTH}
            height={HEIGHT}
            rx="10"
            fill="#6d5ae6"
            fill-opacity={place === 0 ? 0.24 : 0.13}
            stroke="#6d5ae6"
            stroke-opacity=".65"
          />
          {lines(node.label).map((line, row, all) => (
            <text
              key={line}
              x={node.x + WIDTH / 2}
              y={node.y + HEIGHT / 2 + 4.5 + (row - (all.length - 1) / 2) * 17}
              text-anchor="middle"
              class="pipeline-label"
              fill="#8790b5"
            >
              {line}
            </text>
          ))}
        </g>
      ))}
    </svg>
  );
}

/** Nodes that have no places of their own, or one and the same, go into a row. */
function separateNodes(nodes: PipelineNode[]): PipelineNode[] {
  const places = new Set(nodes.map(({ x, y }) => `${Math.round(x / WIDTH)} ${Math.round(y / HEIGHT)}`));
  const far = nodes.some(({ x, y }) => Math.abs(x) > 20_000 || Math.abs(y) > 20_000);
  if (places.size === nodes.length && !far) return nodes;
  const columns = Math.max(3, Math.ceil(Math.sqrt(nodes.length * 2)));
  return nodes.map((node, place) => ({
    ...node,
    x: (place % columns) * (WIDTH + 72),
    y: Math.floor(place / columns) * (HEIGHT + 48),
  }));
}

function curve(from: PipelineNode | undefined, to: PipelineNode | undefined): string {
  if (!from || !to) return "";
  const [x1, y1] = [from.x + WIDTH, from.y + HEIGHT / 2];
  const [x2, y2] = [to.x, to.y + HEIGHT / 2];
  const bend = Math.max(30, Math.abs(x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 2} ${y2}`;
}

/** A label in at most two lines that fit a box. */
function lines(label: string): string[] {
  const letters = [...label.replace(/\s+/g, " ").trim()];
  if (letters.length <= 22) return [letters.join("")];
  const cut = letters.slice(0, 22).lastIndexOf(" ");
  const first = cut > 6 ? cut : 22;
  const rest = letters.slice(first).join("").trim();
  return [
    letters.slice(0, first).join(""),
    [...rest].length > 22 ? `${[...rest].slice(0, 21).join("")}…` : rest,
  ];
}

function finite(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
