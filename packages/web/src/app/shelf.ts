import { snapshot } from "../../../core/src/hub/assets.ts";
import { contentHash } from "../../../core/src/hub/canonical.ts";
import type { Archive, AssetType, Hub, Item } from "../../../hub/src/index.ts";
import { ASSET_TYPES } from "../data/addresses.ts";
import { columns } from "./columns.ts";
import { changeLite, dropLite, keepLite, liteItem, liteItems } from "./lite.ts";

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
      if (!document) return false;
      // A template and a component also have their name inside.
      const named = "name" in payload ? { ...payload, name } : payload;
      const edited = { ...document, title: name, payload: named, sha256: await contentHash(named) };
      return changeLite(id, (item) => ({
        ...item,
        document: edited,
        original: item.original ?? item.document,
        changed: Math.max(Date.now(), item.changed + 1),
      }));
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

/**
 * Moves what a guest has kept in this browser into the account; returns how many items are no longer here. A sign-in does not fail with it: the
 * workspace tries again.
 */
export async function moveIn(hub: Hub): Promise<number> {
  try {
    if ((await liteItems()).length === 0) return 0;
    // Loaded only when there is something to move.
    const moving = await import("./move-in.ts");
    return await moving.moveIn(hub);
  } catch {
    return 0;
  }
}
