import { canonicalJson, repoint } from "@keyhub/core/hub";
import type { Archive, AssetType, Hub } from "@keyhub/hub/source";
import { columns } from "./columns.ts";
import { changeLite, type LiteItem, liteItem, liteItems } from "./lite.ts";

/**
 * The largest number of tries to move an item. An edit in another tab or in the account makes the move start again. After this many tries,
 * the item stays in the browser until the next visit.
 */
const MOST_ROUNDS = 3;

/**
 * Moves the items of a guest from this browser into the account. Items that the hub refuses stay in the browser. Returns how many were
 * moved, by this tab or by another one.
 */
export async function moveItemsToAccount(hub: Hub): Promise<number> {
  const waiting = await liteItems();
  // Only one tab moves items at a time: a second tab would overwrite edits that were made in the account after the first move.
  return navigator.locks.request("keyhub-move-in", async () => {
    let moved = 0;
    for (const { id } of waiting) if (await move(hub, id).catch(() => false)) moved += 1;
    return moved;
  });
}

/**
 * Imports the original document first, so that the hub verifies its origin, then writes the edits. A move may stop at any point and start
 * again: the import has an idempotency key, the item stores the ids of the rows (`into`), and the item is deleted last.
 */
async function move(hub: Hub, id: string): Promise<boolean> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const item = await liteItem(id);
    // Another tab has moved the item already.
    if (!item) return true;
    const { document, original, changed } = item;
    const items = hub.workspace(document.asset_type);
    const ids = item.into?.ids ?? (await imported(hub, item));
    const [own] = ids;
    if (!own) return false;
    const row = await items.get(own);
    const into = item.into ?? { ids, since: row?.updated_at ?? "" };
    if (!item.into) await changeLite(id, (now) => ({ ...now, into }));

    let isStored = row !== null;
    for (const edit of original ? editsOf(item, original, ids) : [])
      isStored = isStored && (await write(hub, edit, into.since));
    if (!isStored) {
      // Meanwhile the row was deleted or edited in the account, or it belongs to another account. So the next round makes a new row.
      await changeLite(id, ({ into: _, ...now }) => ({ ...now, gone: own }));
      continue;
    }
    let isMoved = false;
    await changeLite(id, (now) => {
      isMoved = now.changed === changed;
      return isMoved ? null : now;
    });
    if (isMoved) return true;
  }
  return false;
}

/** Imports the original document, and returns the ids of its rows. */
async function imported(hub: Hub, { id, document, original, gone }: LiteItem): Promise<string[]> {
  const idempotencyKey = ["lite", id, gone].filter(Boolean).join("-");
  const answer = await hub.importDocument(original ?? document, { idempotencyKey });
  return answer.stored === "cloud" ? answer.created.flatMap((row) => row.id ?? []) : [];
}

interface Edit {
  type: AssetType;
  id: string;
  columns: Record<string, unknown>;
}

/**
 * Returns an edit for each row to change: first for the changed parts of a kit, then for the item's own row. The links in the own row get
 * the ids of the imported parts.
 */
function editsOf({ document }: LiteItem, original: Archive, ids: string[]): Edit[] {
  const { asset_type: type, title: name, payload, items } = document;
  const moved = items.map((one, place) => ({ ...one, id: ids[place + 1] ?? "" }));
  const own = { ...columns(type, type === "orchestration" ? repoint(payload, moved) : payload), name };
  const parts = moved.filter(
    (part, place) => canonicalJson(part.payload) !== canonicalJson(original.items[place]?.payload),
  );
  return [
    ...parts.map((part) => ({
      type: part.asset_type,
      id: part.id,
      columns: columns(part.asset_type, part.payload),
    })),
    { type, id: ids[0] ?? "", columns: own },
  ];
}

/** Writes an edit into its row; returns whether the row has the edited values now. False if it was deleted or edited in the account. */
async function write(hub: Hub, { type, id, columns: values }: Edit, since: string): Promise<boolean> {
  const items = hub.workspace(type);
  const row = await items.get(id);
  if (row === null) return false;
  // An import writes all its rows at the same time, so `since` of the item's own row holds for the parts, too.
  return holds(row, values) || (await items.update(id, values as never, { since })) !== null;
}

/** Returns whether a row has these values already. */
function holds(row: object, values: Record<string, unknown>): boolean {
  const stored = row as Record<string, unknown>;
  return Object.entries(values).every(
    ([column, value]) => canonicalJson(stored[column]) === canonicalJson(value),
  );
}
