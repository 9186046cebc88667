import { readPipeline } from "../pipeline.tsx";
import { fitting } from "./lines.ts";

const MOST = 4;
const WIDTH = 212;
/** The distance from a box's left edge to its outgoing arrow. */
const INSET = 24;

/** Draws the first stages as stairs, so that names are readable at the size of a card; arrows go down and to the right. */
export function PipelinePoster({ payload }: { payload: Record<string, unknown> }) {
  const { nodes: drawn, edges } = readPipeline(payload);
  // Other tools list nodes in the order in which they were made. Only their positions show the order of the work, so sort by position.
  const nodes = payload.source_format ? drawn.toSorted((a, b) => a.x - b.x || a.y - b.y) : drawn;
  const shown = nodes.slice(0, MOST);
  const height = shown.length > 3 ? 38 : 48;
  const steps = Math.max(1, shown.length - 1);
  const boxes = new Map(
    shown.map(({ id }, place) => [
      id,
      {
        x: shown.length === 1 ? (480 - WIDTH) / 2 : 30 + (place * (420 - WIDTH)) / steps,
        y: shown.length === 1 ? (240 - height) / 2 : 24 + (place * (192 - height)) / steps,
      },
    ]),
  );
  return (
    <>
      <defs>
        <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M0 0 8 4 0 8Z" fill="#fff" />
        </marker>
      </defs>
      {edges.map(({ source, target }) => {
        const [from, to] = [boxes.get(source), boxes.get(target)];
        // Arrows that go back are not drawn here; the page draws all of them.
        if (!from || !to || to.y <= from.y) return null;
        const [x, y] = [from.x + INSET, to.y + height / 2];
        return (
          <path
            key={`${source} ${target}`}
            d={`M${x} ${from.y + height}V${y - 12}Q${x} ${y} ${x + 12} ${y}H${to.x - 2}`}
            fill="none"
            stroke="#fff"
            stroke-opacity=".75"
            stroke-width="2.5"
            marker-end="url(#tip)"
          />
        );
      })}
      {shown.map(({ id, label }) => {
        const { x, y } = boxes.get(id) ?? { x: 0, y: 0 };
        return (
          <g key={id}>
            <rect x={x} y={y} width={WIDTH} height={height} rx="12" fill="#fff" fill-opacity=".2" />
            <text
              x={x + WIDTH / 2}
              y={y + height / 2 + 6}
              font-size="17"
              font-weight="600"
              fill="#fff"
              text-anchor="middle"
            >
              {fitting(label, 22)}
            </text>
          </g>
        );
      })}
      {nodes.length > MOST && (
        <text x="450" y="44" font-size="17" fill="#fff" fill-opacity=".85" text-anchor="end">
          {nodes.length} {payload.source_format ? "nodes" : "stages"}
        </text>
      )}
    </>
  );
}
