import { contentHash, snapshot } from "@keyhub/core/hub";
import type { Archive, AssetType, Hub, Item } from "@keyhub/hub/source";
import { ASSET_TYPES } from "../../data/addresses.ts";
import { PageError } from "../failure-text.ts";
import { columns } from "./columns.ts";
import { changeLite, dropLite, keepLite, type LiteItem, liteItem, liteItems } from "./lite.ts";

/** An item of the workspace, in the account or in this browser. */
export interface WorkspaceItem {
  id: string;
  type: AssetType;
  name: string;
  payload: Record<string, unknown>;
  /** What it came with, for an item in this browser. */
  document: Archive | null;
  row: Record<string, unknown> | null;
  /** Another one after every change. */
  version: string;
}

/** What became of a save: the item as it is stored, or why it is not. */
export type Saved = WorkspaceItem | "gone" | "changed elsewhere";

/** Where a workspace keeps its items: the account of a member, or a guest's browser. */
export interface WorkspaceStore {
  list(): Promise<WorkspaceItem[]>;
  get(type: AssetType, id: string): Promise<WorkspaceItem | null>;
  create(type: AssetType, name: string, payload: Record<string, unknown>): Promise<string>;
  /** Writes only over the version that the item was read with, unless that is left out. */
  save(item: Omit<WorkspaceItem, "version"> & { version?: string }): Promise<Saved>;
  remove(item: WorkspaceItem): Promise<void>;
  /** Takes in a file. Returns sentences to show. */
  importDocument(document: Archive): Promise<string[]>;
}

export function accountStore(hub: Hub): WorkspaceStore {
  const shown = (type: AssetType, row: Item<AssetType>): WorkspaceItem => ({
    id: row.id,
    type,
    name: row.name,
    payload: snapshot(type, row as Record<string, unknown>),
    document: null,
    row: row as Record<string, unknown>,
    version: row.updated_at,
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
    save: async ({ type, id, name, payload, version }) => {
      const items = hub.workspace(type);
      const change = { ...columns(type, payload), name } as never;
      const row = await items.update(id, change, version === undefined ? {} : { since: version });
      if (row) return shown(type, row);
      return (await items.get(id)) ? "changed elsewhere" : "gone";
    },
    remove: async ({ type, id }) => void (await hub.workspace(type).delete(id)),
    importDocument: async (document) =>
      sentences((await hub.importDocument(requireExport(document))).warnings),
  };
}

/** Each sentence once: a kit may have the same warning for every item. */
function sentences(warnings: readonly { message: string }[]): string[] {
  return [...new Set(warnings.map(({ message }) => message))];
}

export function requireExport(document: Archive): Archive {
  const isExport = (value: unknown) => Object(value).format === "keyhub.asset";
  if (isExport(document)) return document;
  if (isExport(Object(document).document))
    throw new PageError("This is a whole answer of hub-import. Import only its member “document”.");
  throw new PageError("This file was not exported from Keyhub: it has no format “keyhub.asset”.");
}

export function browserStore(guest: Hub): WorkspaceStore {
  const shown = ({ id, document, changed }: LiteItem): WorkspaceItem => ({
    id,
    type: document.asset_type,
    name: document.title,
    payload: document.payload,
    document,
    row: null,
    version: String(changed),
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
    save: async ({ id, name, payload, document, version }) => {
      if (!document) return "gone";
      // A template and a component also have their name inside.
      const named = "name" in payload ? { ...payload, name } : payload;
      const edited = { ...document, title: name, payload: named, sha256: await contentHash(named) };
      let saved: Saved = "gone";
      await changeLite(id, (item) => {
        saved = "changed elsewhere";
        if (version !== undefined && version !== String(item.changed)) return item;
        const changed = Math.max(Date.now(), item.changed + 1);
        const now = { ...item, document: edited, original: item.original ?? item.document, changed };
        saved = shown(now);
        return now;
      });
      return saved;
    },
    remove: ({ id }) => dropLite(id),
    importDocument: async (document) => {
      // The hub reads it first: what it would not take in is refused here, too.
      const answer = await guest.importDocument(requireExport(document));
      if (answer.stored !== "local") return [];
      await keepLite(answer.document);
      return sentences(answer.warnings);
    },
  };
}

/**
 * Moves what a guest has kept in this browser into the account; returns how many items are no longer here. A sign-in does not fail with it: the
 * workspace tries again.
 */
export async function moveItemsToAccount(hub: Hub): Promise<number> {
  try {
    if ((await liteItems()).length === 0) return 0;
    // Loaded only when there is something to move.
    const moving = await import("./move-to-account.ts");
    return await moving.moveItemsToAccount(hub);
  } catch {
    return 0;
  }
}
