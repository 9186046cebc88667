import { columnsOf, snapshot } from "../../../core/src/hub/assets.ts";
import { contentHash } from "../../../core/src/hub/canonical.ts";
import type { Archive, AssetType, Hub, Item } from "../../../hub/src/index.ts";
import { ASSET_TYPES } from "../data/addresses.ts";
import { dropLite, keepLite, liteItem, liteItems } from "./lite.ts";

/** An item of the workspace, in the account or in this browser. */
export interface ShelfItem {
  id: string;
  type: AssetType;
  name: string;
  payload: Record<string, unknown>;
  /** What it came with, for an item in this browser. */
  document: Archive | null;
  row: Record<string, unknown> | null;
}

/** Where a workspace keeps its items: the account of a member, or a guest's browser. */
export interface Shelf {
  list(): Promise<ShelfItem[]>;
  get(type: AssetType, id: string): Promise<ShelfItem | null>;
  create(type: AssetType, name: string, payload: Record<string, unknown>): Promise<string>;
  /** False where the item is gone. */
  save(item: ShelfItem): Promise<boolean>;
  remove(item: ShelfItem): Promise<void>;
  /** Takes in a file. Returns sentences to show. */
  takeIn(document: Archive): Promise<string[]>;
}

export function cloudShelf(hub: Hub): Shelf {
  const shown = (type: AssetType, row: Item<AssetType>): ShelfItem => ({
    id: row.id,
    type,
    name: row.name,
    payload: snapshot(type, row as Record<string, unknown>),
    document: null,
    row: row as Record<string, unknown>,
  });
  return {
    list: async () =>
      (
        await Promise.all(
          ASSET_TYPES.map(async (type) => (await hub.workspace(type).list()).map((row) => shown(type, row))),
        )
      ).flat(),
    get: async (type, id) => {
      const row = await hub.workspace(type).get(id);
      return row && shown(type, row);
    },
    create: async (type, name, payload) =>
      (await hub.workspace(type).create({ name, ...columns(type, payload) } as never)).id,
    save: async ({ type, id, name, payload }) =>
      (await hub.workspace(type).update(id, { ...columns(type, payload), name } as never)) !== null,
    remove: async ({ type, id }) => void (await hub.workspace(type).delete(id)),
    takeIn: async (document) => (await hub.importDocument(document)).warnings.map(({ message }) => message),
  };
}

/** The columns that may be written in the table of a type; a missing text is not changed. */
function columns(type: AssetType, payload: Record<string, unknown>): Record<string, unknown> {
  const { name: _name, ...rest } = columnsOf(type, payload);
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
}

export function liteShelf(guest: Hub): Shelf {
  const shown = ({ id, document }: { id: string; document: Archive }): ShelfItem => ({
    id,
    type: document.asset_type,
    name: document.title,
    payload: document.payload,
    document,
    row: null,
  });
  return {
    list: async () => (await liteItems()).map(shown),
    get: async (_type, id) => {
      const item = await liteItem(id);
      return item && shown(item);
    },
    create: async (type, name, payload) =>
      keepLite({
        ...{
          format: "keyhub.asset",
          format_version: 1,
          asset_type: type,
          title: name,
          description: null,
          tags: [],
        },
        ...{
          license: "platform-free",
          payload,
          items: [],
          attribution: null,
          sha256: await contentHash(payload),
        },
      }),
    save: async ({ id, name, payload, document }) => {
      if (!document || !(await liteItem(id))) return false;
      // A template and a component also have their name inside.
      const named = "name" in payload ? { ...payload, name } : payload;
      await keepLite({ ...document, title: name, payload: named, sha256: await contentHash(named) }, id);
      return true;
    },
    remove: ({ id }) => dropLite(id),
    takeIn: async (document) => {
      // The hub reads it first: what it would not take in is refused here, too.
      const answer = await guest.importDocument(document);
      if (answer.stored !== "local") return [];
      await keepLite(answer.document);
      return answer.warnings.map(({ message }) => message);
    },
  };
}

/** Moves what a guest has kept in this browser into the account. What the hub refuses stays here. Returns how many moved. */
export async function moveIn(hub: Hub): Promise<number> {
  let moved = 0;
  for (const { id, document } of await liteItems()) {
    // One idempotency key per item: a move that was interrupted and is repeated makes no second copy.
    const answer = await hub.importDocument(document, { idempotencyKey: `lite-${id}` }).catch(() => null);
    if (answer?.stored !== "cloud") continue;
    await dropLite(id);
    moved += 1;
  }
  return moved;
}
