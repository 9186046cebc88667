import {
  collectItems,
  type ItemRef,
  type ParsedPublishRequest,
  type Payload,
  snapshot,
} from "@keyhub/core/hub";
import { problem } from "@keyhub/core/problem";
import type { Refusal } from "../_shared/http.ts";
import type { HubDatabase } from "../_shared/hub-database.ts";

/** An item of the caller's workspace. */
export interface Source extends ItemRef {
  /** The whole row; core decides which columns are published. */
  content: Record<string, unknown>;
  /** The assets that the item was made from; null for an original. */
  attribution: Record<string, unknown> | null;
}

export interface Sources {
  main: Source;
  items: Source[];
}

/**
 * Reads the items to publish with the caller's rights (row level security). The item itself and the items named in the request must belong
 * to the caller, else the answer is source_not_found. A linked template of somebody else is left out, and its link becomes null.
 */
export async function readSources(
  database: HubDatabase,
  token: string,
  { assetType, refId, items: named, mode }: ParsedPublishRequest,
): Promise<{ sources: Sources } | Refusal> {
  const self = { asset_type: assetType, ref_id: refId };
  const known = new Map<string, Source>();
  const read = async (items: ItemRef[]): Promise<Refusal | null> => {
    if (items.length === 0) return null;
    const answer = await database.callRpcAs(token, "hub_sources", { items });
    if ("problem" in answer) return answer;
    for (const source of answer.data as Source[]) known.set(keyOf(source), source);
    return null;
  };

  const refused = await read([self, ...named]);
  if (refused !== null) return refused;
  const main = known.get(keyOf(self));
  const missing = named.flatMap((item, n) => (known.has(keyOf(item)) ? [] : [n]));
  if (main === undefined || missing.length > 0) {
    const message = "is not an item of the caller's workspace";
    const errors = [...(main === undefined ? ["ref_id"] : []), ...missing.map((n) => `items.${n}.ref_id`)];
    return {
      problem: problem("source_not_found", {
        errors: errors.map((path) => ({ path, code: "not_found", message })),
      }),
    };
  }
  if (mode === null) return { sources: { main, items: [] } };

  const orchestration = { ref_id: refId, payload: snapshot(assetType, main.content) };
  const wanted = collectItems(mode, orchestration, named);
  const linked = wanted.filter((item) => !known.has(keyOf(item)));
  const refusedLinks = await read(linked);
  if (refusedLinks !== null) return refusedLinks;
  return { sources: { main, items: wanted.flatMap((item) => known.get(keyOf(item)) ?? []) } };
}

/** For each content, returns whether it equals a version that its attribution names. The name of the content may differ. */
export type FindUnchanged = (contents: OriginatedContent[]) => Promise<{ unchanged: boolean[] } | Refusal>;

interface OriginatedContent {
  payload: Payload;
  attribution: Record<string, unknown> | null;
}

/**
 * Returns a FindUnchanged. Only copies of listings are compared: a row that came from a file has no version to compare with, so it is
 * reported as changed.
 */
export function findUnchanged(database: HubDatabase): FindUnchanged {
  return async (contents) => {
    const isCopy = ({ attribution }: OriginatedContent) => attribution !== null && "parent" in attribution;
    const copies = contents.filter(isCopy);
    if (copies.length === 0) return { unchanged: contents.map(() => false) };
    const answer = await database.callRpc("hub_unchanged", { contents: copies });
    if ("problem" in answer) return answer;
    const unchanged = (answer.data as boolean[])[Symbol.iterator]();
    return { unchanged: contents.map((content) => isCopy(content) && unchanged.next().value === true) };
  };
}

function keyOf({ asset_type, ref_id }: ItemRef): string {
  return `${asset_type} ${ref_id}`;
}
