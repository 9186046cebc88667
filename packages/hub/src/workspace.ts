import type { Database } from "@keyhub/core/database";
import type { AssetType } from "./answers.ts";
import type { HubCalls } from "./calls.ts";

const TABLES = {
  template: "prompt_templates",
  component: "custom_components",
  orchestration: "orchestrator_configs",
  ai_preset: "ai_model_settings",
} as const satisfies Record<AssetType, keyof Database["public"]["Tables"]>;

type Table<Type extends AssetType> = Database["public"]["Tables"][(typeof TABLES)[Type]];

/** Columns that the database fills in and that clients may not set. */
type Fixed = "id" | "user_id" | "hub_asset_id" | "is_public" | "created_at" | "updated_at";

export type Item<Type extends AssetType> = Table<Type>["Row"];
export type NewItem<Type extends AssetType> = Omit<Table<Type>["Insert"], Fixed>;
export type ItemChange<Type extends AssetType> = Omit<Table<Type>["Update"], Fixed>;

/** The caller's own items of one type. */
export interface Workspace<Type extends AssetType> {
  /** Returns the newest items first; `limit` is 100 by default. */
  list(page?: { offset?: number; limit?: number }): Promise<Item<Type>[]>;
  /** Returns an item, or null if the caller has no such item. */
  get(id: string): Promise<Item<Type> | null>;
  create(item: NewItem<Type>): Promise<Item<Type>>;
  /** Changes an item. Returns null if the caller has no such item, or if its `updated_at` is not `since`. */
  update(id: string, change: ItemChange<Type>, options?: { since?: string }): Promise<Item<Type> | null>;
  /** Deletes an item. Returns false if the caller has no such item. */
  delete(id: string): Promise<boolean>;
}

export function workspaceOf<Type extends AssetType>({ rows }: HubCalls, type: Type): Workspace<Type> {
  const table = TABLES[type];
  const columns = "*";
  const first = (found: Item<Type>[]) => found[0] ?? null;
  return {
    list: ({ offset, limit = 100 } = {}) => {
      const order = { column: "created_at", ascending: false };
      return rows({ table, method: "select", columns, order, offset, limit });
    },
    get: async (id) => first(await rows({ table, method: "select", columns, where: { id } })),
    create: async (row) => {
      const [made] = await rows<Item<Type>[]>({ table, method: "insert", columns, row });
      return made as Item<Type>;
    },
    update: async (id, row, { since } = {}) =>
      first(await rows({ table, method: "update", columns, where: { id, updated_at: since }, row })),
    delete: async (id) => {
      const gone = await rows<unknown[]>({ table, method: "delete", columns: "id", where: { id } });
      return gone.length > 0;
    },
  };
}
