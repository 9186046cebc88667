import { ASSETS, type AssetType, BUNDLE } from "../../../packages/core/src/hub/index.ts";
import { sources } from "./code.ts";
import { type Shape, texts, values } from "./shapes.ts";

/** An asset in a valid form, so that all of its content is read. `make` of the shapes below returns such an asset as JSON. */
export interface WholeAsset {
  asset_type: AssetType;
  payload: Record<string, unknown>;
  items: { asset_type: AssetType; payload: Record<string, unknown> }[];
}

/** The largest size of a publication, in bytes: of an orchestration, and of the items in its kit. */
export const WHOLE_BYTES = ASSETS.orchestration.bytes + BUNDLE.bytes;

type Build = (make: Shape["make"], share: number) => WholeAsset;
const alone = (asset_type: AssetType, payload: Record<string, unknown>): WholeAsset => ({
  asset_type,
  payload,
  items: [],
});
/** The share of the limit that values may use, because the database adds spaces when it writes JSON. */
const SPACED = 0.7;
const room = (type: AssetType, share: number) => Math.floor((ASSETS[type].bytes - 1_000) * share);
const listed = (text: string) => [JSON.parse(text)];
const orchestration = (nodes: unknown[]) => ({ nodes, edges: [], stage_configs: [] });

/** Functions that make an asset with the text of `make`. `share` is the part of the type's limit that the asset uses. */
const OF_TEXTS: Build[] = [
  (make, share) =>
    alone("template", { name: "n", content: fitting(make, room("template", share)), variables: [] }),
  (make, share) => {
    const content = fitting(make, room("template", share) - 20);
    const items = Array.from({ length: 20 }, (_, n) => ({
      asset_type: "template" as const,
      payload: { name: `n${n}`, content: `${n} ${content}`, variables: [] },
    }));
    return { asset_type: "orchestration", payload: orchestration([]), items };
  },
];
const OF_VALUES: Build[] = [
  (make, share) =>
    alone("template", {
      name: "n",
      content: "x",
      variables: listed(make(room("template", share * SPACED))),
    }),
  (make, share) => alone("orchestration", orchestration(listed(make(room("orchestration", share * SPACED))))),
  (make, share) => {
    const part = room("component", share) / 4;
    const items = Array.from({ length: 20 }, (_, n) => ({
      asset_type: "component" as const,
      payload: { name: `n${n}`, source: "f()", props_schema: { n, a: JSON.parse(make(part * SPACED)) } },
    }));
    return { asset_type: "orchestration", payload: orchestration([]), items };
  },
];
const OF_SOURCES: Build[] = [
  (make, share) => {
    const source = fitting(make, room("component", share));
    return alone("component", { name: "n", source, props_schema: {} });
  },
];

/** Returns texts, values and sources of every shape, each in an asset of a type that has room for it. */
export function wholeAssets(seed: number, count: number): Shape[] {
  const third = Math.ceil(count / 3);
  // The contract refuses values with endless nesting, and JSON.stringify cannot write them.
  const flat = values(seed, third).filter(({ name }) => !name.startsWith("nested "));
  return [
    ...placed(texts(seed, third), OF_TEXTS),
    ...placed(flat, OF_VALUES),
    ...placed(sources(seed, third), OF_SOURCES),
  ].slice(0, count);
}

function placed(shapes: Shape[], builds: Build[]): Shape[] {
  return shapes.map((shape, n) => {
    const build = builds[n % builds.length] as Build;
    const make = (size: number) => JSON.stringify(build(shape.make, Math.min(1, size / WHOLE_BYTES)));
    return { ...shape, name: `${shape.name}, in asset ${n % builds.length}`, make };
  });
}

/** Returns a text that has at most `bytes` bytes as JSON. The database accepts neither the character 0 nor half of a surrogate pair. */
function fitting(make: Shape["make"], bytes: number): string {
  let text = make(bytes).toWellFormed().replaceAll("\0", "");
  for (
    let size = Buffer.byteLength(JSON.stringify(text));
    size > bytes;
    size = Buffer.byteLength(JSON.stringify(text))
  )
    text = text.slice(0, Math.floor(((text.length * bytes) / size) * 0.99)).toWellFormed();
  return text;
}
