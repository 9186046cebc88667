import { counted } from "./format.ts";

interface Node {
  label: string;
  type: string;
  parameters: [name: string, value: unknown][];
}

/** The largest number of nodes that are shown; the downloaded file has all of them. */
const MOST_NODES = 500;
/** The longest value that is shown whole, in characters. */
const MOST_LETTERS = 4_000;

/**
 * Shows the nodes of a flow by name. The reader can open a node to see its prompts, code and other parameters. Shows nothing if no node has
 * parameters.
 */
export function NodeList({
  payload,
  heading: Heading,
}: {
  payload: Record<string, unknown>;
  heading: "h2" | "h3";
}) {
  const nodes = nodesOf(payload);
  if (!nodes.some(({ parameters }) => parameters.length > 0)) return null;
  return (
    <>
      <Heading>{counted(countNodes(payload), "node")}</Heading>
      <ul class="nodes">
        {nodes.slice(0, MOST_NODES).map((node, place) => (
          <li key={`${place} ${node.label}`}>
            {node.parameters.length > 0 ? (
              <details>
                <summary>
                  <NodeName node={node} />
                </summary>
                <dl>
                  {node.parameters.map(([name, value]) => (
                    <div key={name}>
                      <dt dir="auto">{name.replaceAll("_", " ")}</dt>
                      <dd>
                        <Value value={value} />
                      </dd>
                    </div>
                  ))}
                </dl>
              </details>
            ) : (
              <NodeName node={node} />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function NodeName({ node: { label, type } }: { node: Node }) {
  return (
    <>
      <bdi>{label}</bdi> {type !== label && <span class="quiet">{type}</span>}
    </>
  );
}

function Value({ value }: { value: unknown }) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const shown = text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text;
  return shown.includes("\n") || shown.length > 80 ? (
    <pre dir="auto" tabIndex={0}>
      <code>{shown}</code>
    </pre>
  ) : (
    <code dir="auto">{shown}</code>
  );
}

/** Returns the number of nodes of a flow, without notes and groups. */
export function countNodes(payload: Record<string, unknown>): number {
  return nodesOf(payload).filter(({ type }) => type !== "note" && type !== "group").length;
}

function nodesOf({ nodes }: Record<string, unknown>): Node[] {
  return (Array.isArray(nodes) ? nodes : []).map((node): Node => {
    const { id, type, data } = Object(node) as Record<string, unknown>;
    const { label, parameters } = Object(data) as Record<string, unknown>;
    const kind = typeof type === "string" ? type : "";
    return {
      label: typeof label === "string" && label.trim() ? label : kind || String(id),
      type: kind,
      parameters: Object.entries(Object(parameters)),
    };
  });
}
