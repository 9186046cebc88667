export interface PipelineNode {
  id: string;
  label: string;
  /** The type of the node in its tool; null when the label is the type already. */
  type: string | null;
  x: number;
  y: number;
}

/** A note or a group in a flow of another tool: it is drawn behind the nodes. */
export interface PipelineFrame extends PipelineNode {
  kind: "note" | "group";
  width: number;
  height: number;
  /** The text of a note. */
  text: string;
}

export interface Pipeline {
  nodes: PipelineNode[];
  frames: PipelineFrame[];
  edges: { source: string; target: string }[];
}

const WIDTH = 168;
const HEIGHT = 56;
const MARGIN = 20;
/** How far an edge that leads back to the left curves out on both sides, in units of the drawing. */
const BACK = 120;
/** The largest number of nodes that are drawn; nobody could read more. */
const MOST_NODES = 500;

/** Returns the nodes and edges of an orchestration's payload. It ignores nodes and edges that are not well-formed. */
export function readPipeline(payload: Record<string, unknown>): Pipeline {
  const nodes: PipelineNode[] = [];
  const frames: PipelineFrame[] = [];
  for (const node of list(payload.nodes).slice(0, MOST_NODES)) {
    const { id, data, position, type, width, height } = record(node);
    if (typeof id !== "string") continue;
    const { label, parameters } = record(data);
    const { x, y } = record(position);
    const kind = typeof type === "string" ? type : "";
    const name = typeof label === "string" && label.trim() ? label : kind || id;
    const at = { id, label: name, type: kind === name ? null : kind || null, x: finite(x), y: finite(y) };
    if (kind === "note" || kind === "group") {
      const { text } = record(parameters);
      const size = { width: finite(width) || WIDTH, height: finite(height) || HEIGHT };
      frames.push({ ...at, kind, ...size, text: typeof text === "string" ? text : "" });
    } else nodes.push(at);
  }
  const known = new Set(nodes.map(({ id }) => id));
  const edges = list(payload.edges).flatMap((edge) => {
    const { source, target } = record(edge);
    return typeof source === "string" && typeof target === "string" && known.has(source) && known.has(target)
      ? [{ source, target }]
      : [];
  });
  const drawn = edges.slice(0, 4 * MOST_NODES);
  // Without usable positions, the nodes are placed in columns. Notes and groups would not fit the columns, so they are left out.
  if (nodes.length > 0 && !hasPlaces(nodes))
    return { nodes: inColumns(nodes, drawn), frames: [], edges: drawn };
  const scale = scaleOf(nodes);
  return {
    nodes: nodes.map((node) => ({ ...node, x: node.x * scale, y: node.y * scale })),
    frames: frames.map((frame) => ({
      ...frame,
      ...{ x: frame.x * scale, y: frame.y * scale, width: frame.width * scale, height: frame.height * scale },
    })),
    edges: drawn,
  };
}

/**
 * Returns the factor by which all positions are multiplied. The boxes here are smaller than in most tools, so the nodes move closer
 * together, as long as no box covers another.
 */
function scaleOf(nodes: readonly PipelineNode[]): number {
  if (nodes.length < 3) return 1;
  const extent = (values: number[]) => Math.max(...values) - Math.min(...values);
  const area = (extent(nodes.map(({ x }) => x)) + WIDTH) * (extent(nodes.map(({ y }) => y)) + HEIGHT);
  const wanted = nodes.length * WIDTH * HEIGHT * 8;
  for (let scale = Math.sqrt(wanted / area); scale < 1; scale *= 1.2) {
    const moved = nodes.map(({ x, y }) => ({ x: x * scale, y: y * scale }));
    const isCovered = moved.some((one, n) =>
      moved
        .slice(0, n)
        .some((other) => Math.abs(one.x - other.x) < WIDTH + 24 && Math.abs(one.y - other.y) < HEIGHT + 12),
    );
    if (!isCovered) return scale;
  }
  return 1;
}

/** Draws the pipeline. `title` is its name for screen readers; without it the drawing is decoration. */
export function PipelineDrawing({ pipeline, title, id }: { pipeline: Pipeline; title?: string; id: string }) {
  const { nodes, frames, edges } = pipeline;
  const placed = new Map(nodes.map((node) => [node.id, node]));
  const back = edges.flatMap(({ source, target }) => {
    const [from, to] = [placed.get(source), placed.get(target)];
    return from && to && to.x < from.x + WIDTH ? [from, to] : [];
  });
  const boxes = [
    ...nodes.map(({ x, y }) => ({ x, y, width: WIDTH, height: HEIGHT })),
    ...back.map(({ x, y }) => ({ x: x - BACK, y, width: WIDTH + 2 * BACK, height: HEIGHT })),
    ...frames,
  ];
  const left = Math.min(...boxes.map(({ x }) => x));
  const top = Math.min(...boxes.map(({ y }) => y));
  const width = (boxes.length && Math.max(...boxes.map((box) => box.x + box.width)) - left) + 2 * MARGIN;
  const height = (boxes.length && Math.max(...boxes.map((box) => box.y + box.height)) - top) + 2 * MARGIN;
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      class="pipeline"
      viewBox={`${(boxes.length && left) - MARGIN} ${(boxes.length && top) - MARGIN} ${width} ${height}`}
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
      {frames.map((frame) => (
        <Frame key={frame.id} frame={frame} />
      ))}
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

function Frame({ frame: { kind, label, text, x, y, width, height } }: { frame: PipelineFrame }) {
  const color = kind === "note" ? "#c99a2e" : "#7c83a3";
  const rows = kind === "note" ? wrapped(text || label, width - 20, height - 20) : [label];
  return (
    <g>
      <rect
        x={x}
        y={y}
        width={width}
        height={height}
        rx="8"
        fill={color}
        fill-opacity=".12"
        stroke={color}
        stroke-opacity=".5"
      />
      {rows.map((row, place) => (
        <text
          key={`${place} ${row}`}
          x={x + 10}
          y={y + 21 + place * 17}
          class="pipeline-label"
          fill="#8790b5"
        >
          {row}
        </text>
      ))}
    </g>
  );
}

/** Returns the lines of a text that fit into a box, estimated by the average width of a letter. */
function wrapped(text: string, width: number, height: number): string[] {
  const most = Math.max(8, Math.floor(width / 7));
  const rows = Math.max(1, Math.floor(height / 17));
  const found: string[] = [];
  for (const line of text.slice(0, 4_000).split("\n")) {
    let row = "";
    for (const word of line.replace(/^#+\s*/, "").split(/\s+/)) {
      if (row && row.length + word.length >= most) {
        found.push(row);
        row = "";
      }
      row = row ? `${row} ${word}` : word.slice(0, most);
    }
    if (row) found.push(row);
    if (found.length > rows) break;
  }
  return found.length > rows ? [...found.slice(0, rows - 1), `${found[rows - 1] ?? ""} …`] : found;
}

/** Returns whether the positions of the nodes make a readable picture: few overlap, and none is very far away. */
function hasPlaces(nodes: readonly PipelineNode[]): boolean {
  const places = new Set(nodes.map(({ x, y }) => `${Math.round(x / WIDTH)} ${Math.round(y / HEIGHT)}`));
  const xs = nodes.map(({ x }) => x);
  const ys = nodes.map(({ y }) => y);
  const isFar = Math.max(...xs) - Math.min(...xs) > 40_000 || Math.max(...ys) - Math.min(...ys) > 40_000;
  // A fifth of the nodes may be close to others, which is common in large flows.
  return places.size >= nodes.length * 0.8 && !isFar;
}

/** Places nodes in columns by their distance (in edges) from the nearest start. Nodes that no start leads to fill columns on the left. */
function inColumns(nodes: readonly PipelineNode[], edges: Pipeline["edges"]): PipelineNode[] {
  const column = new Map<string, number>();
  const next = new Map<string, string[]>();
  for (const { source, target } of edges) next.set(source, [...(next.get(source) ?? []), target]);
  const targets = new Set(edges.map(({ target }) => target));
  const linked = nodes.filter(({ id }) => next.has(id) || targets.has(id));
  // Start at the nodes that nothing leads to. If there are none because of a cycle, start at the first node.
  const first = linked.filter(({ id }) => !targets.has(id));
  const waiting = (first.length > 0 ? first : linked.slice(0, 1)).map(({ id }) => ({ id, depth: 0 }));
  // Visit the nodes breadth first, and each node only once, so that a cycle ends.
  for (const { id, depth } of waiting) {
    if (column.has(id)) continue;
    column.set(id, depth);
    for (const target of next.get(id) ?? []) waiting.push({ id: target, depth: depth + 1 });
  }
  const rows = new Map<number, number>();
  let alone = 0;
  return nodes.map((node) => {
    const own = column.get(node.id) ?? -1 - Math.floor(alone++ / 8);
    const row = rows.get(own) ?? 0;
    rows.set(own, row + 1);
    return { ...node, x: own * (WIDTH + 72), y: row * (HEIGHT + 36) };
  });
}

function curve(from: PipelineNode | undefined, to: PipelineNode | undefined): string {
  if (!from || !to) return "";
  const [x1, y1] = [from.x + WIDTH, from.y + HEIGHT / 2];
  const [x2, y2] = [to.x, to.y + HEIGHT / 2];
  const bend = x2 < x1 ? BACK : Math.max(30, (x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 2} ${y2}`;
}

/** Returns a label in at most two lines that fit into a box. */
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
