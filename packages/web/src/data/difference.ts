import { type ChangeObject, diffLines, diffWordsWithSpace } from "diff";
import type { AssetType } from "./hub.ts";

/** A piece of text, and whether both versions contain it. "added" is only in the later version, "removed" only in the earlier one. */
export interface DifferencePiece {
  text: string;
  kind: "same" | "added" | "removed";
}

/**
 * A difference between two versions. A text is compared by words or lines; `pieces` is null when the texts are too different, so that both
 * are shown whole.
 */
export type Difference =
  | { name: string; kind: "words" | "lines"; pieces: DifferencePiece[] | null; before: string; after: string }
  | { name: string; kind: "value"; before: string | null; after: string | null }
  | { name: string; kind: "item"; change: "added" | "removed" | "changed"; differences: Difference[] };

export interface Content {
  asset_type: AssetType;
  payload: Record<string, unknown>;
  items: readonly {
    asset_type: AssetType;
    ref_id: string;
    title: string;
    payload: Record<string, unknown>;
  }[];
}

/** The limits of a comparison: a number of edits, as nobody reads more; a time in milliseconds, as a page must answer within a second. */
const EFFORT = { maxEditLength: 4_000, timeout: 400 };

/** Returns the differences in the order of the content; empty when there are none. */
export function differencesOf(before: Content, after: Content): Difference[] {
  return [
    ...payloadDifferences(after.asset_type, before.payload, after.payload),
    ...itemDifferences(before.items, after.items),
  ];
}

function payloadDifferences(
  type: AssetType,
  before: Content["payload"],
  after: Content["payload"],
): Difference[] {
  switch (type) {
    case "template":
      return members(before, after, { content: "words", description: "words" });
    case "component":
      return members(before, after, { source: "lines", description: "words" });
    case "ai_preset":
      return members(before, after, {});
    case "orchestration":
      return [
        ...elements(NODES, before.nodes, after.nodes),
        ...elements(EDGES, before.edges, after.edges),
        ...elements(STAGES, before.stage_configs, after.stage_configs),
      ];
    default:
      throw new Error(`unknown asset type: ${String(type satisfies never)}`);
  }
}

/** Returns a difference for each differing member. `texts` says how to compare some members. Other long texts are compared by lines. */
function members(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  texts: Record<string, "words" | "lines">,
  prefix = "",
): Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((key): Difference[] => {
    const [old, now] = [written(before[key]), written(after[key])];
    if (old === now) return [];
    const kind = texts[key] ?? (isLong(old) && isLong(now) ? "lines" : undefined);
    const name = `${prefix}${key.replaceAll("_", " ")}`;
    if (kind === undefined) return [{ name, kind: "value", before: old, after: now }];
    return [{ name, kind, ...compared(kind, old ?? "", now ?? "") }];
  });
}

const isLong = (text: string | null) => text !== null && (text.length > 120 || text.includes("\n"));

function compared(kind: "words" | "lines", before: string, after: string) {
  const changes: ChangeObject<string>[] | undefined =
    kind === "words" ? diffWordsWithSpace(before, after, EFFORT) : diffLines(before, after, EFFORT);
  const pieces = changes?.map(
    ({ value, added, removed }): DifferencePiece => ({
      text: value,
      kind: added ? "added" : removed ? "removed" : "same",
    }),
  );
  return { pieces: pieces ?? null, before, after };
}

/** How to compare the elements of a list: their key, their name for readers, and the members that are not compared. */
interface ListOf {
  word: string;
  key: (element: Record<string, unknown>) => unknown;
  name: (element: Record<string, unknown>) => unknown;
  without: readonly string[];
}

const NODES: ListOf = {
  word: "Node",
  key: ({ id }) => id,
  name: ({ id, data }) => Object(data).label ?? id,
  without: ["position"],
};
const EDGES: ListOf = {
  word: "Edge",
  key: ({ source, target }) => `${String(source)} → ${String(target)}`,
  name: ({ source, target }) => `${String(source)} → ${String(target)}`,
  without: ["id"],
};
const STAGES: ListOf = {
  word: "Stage",
  key: ({ id, node_id }) => node_id ?? id,
  name: ({ id, name, node_id }) => name ?? node_id ?? id,
  without: ["id"],
};

/** Returns the elements that only one version has, and the differing members of the elements that both have. */
function elements({ word, key, name, without }: ListOf, before: unknown, after: unknown): Difference[] {
  const read = (list: unknown) =>
    new Map(
      (Array.isArray(list) ? list : []).map((element, place): [string, Record<string, unknown>] => {
        const { ...members } = Object(element) as Record<string, unknown>;
        return [String(key(members) ?? place), members];
      }),
    );
  const [old, now] = [read(before), read(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((id): Difference[] => {
    const [one, other] = [old.get(id), now.get(id)];
    const title = `${word} “${String(name(other ?? one ?? {}) ?? id)}”`;
    if (one === undefined || other === undefined)
      return [
        { name: title, kind: "item", change: one === undefined ? "added" : "removed", differences: [] },
      ];
    for (const member of without) {
      delete one[member];
      delete other[member];
    }
    return members(one, other, {}, `${title}: `);
  });
}

function itemDifferences(before: Content["items"], after: Content["items"]): Difference[] {
  const keyOf = ({ asset_type, ref_id }: Content["items"][number]) => `${asset_type} ${ref_id}`;
  const old = new Map(before.map((item) => [keyOf(item), item]));
  const now = new Map(after.map((item) => [keyOf(item), item]));
  return [...new Set([...now.keys(), ...old.keys()])].flatMap((key): Difference[] => {
    const [one, other] = [old.get(key), now.get(key)];
    const name = (other ?? one)?.title ?? "";
    if (one === undefined || other === undefined)
      return [{ name, kind: "item", change: one === undefined ? "added" : "removed", differences: [] }];
    const differences = [
      ...(one.title === other.title
        ? []
        : [{ name: "title", kind: "value" as const, before: one.title, after: other.title }]),
      ...payloadDifferences(other.asset_type, one.payload, other.payload),
    ];
    return differences.length === 0 ? [] : [{ name, kind: "item", change: "changed", differences }];
  });
}

/** Returns a value as text; null when there is none. */
function written(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
