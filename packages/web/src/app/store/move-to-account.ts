import { canonicalJson, repoint } from "@keyhub/core/hub";
import type { Archive, AssetType, Hub } from "@keyhub/hub/source";
import { columns } from "./columns.ts";
import { changeLite, type LiteItem, liteItem, liteItems } from "./lite.ts";

/** Edits in another tab, or in the account, begin a move anew; more often than this it waits for the next time. */
const MOST_ROUNDS = 3;

/** Moves what a guest has kept in this browser into the account. What the hub refuses stays here. Returns how many are no longer here. */
export async function moveItemsToAccount(hub: Hub): Promise<number> {
  const waiting = await liteItems();
  // One tab at a time: a second one would write over what was edited in the account since.
  return navigator.locks.request("keyhub-move-in", async () => {
    let moved = 0;
    for (const { id } of waiting) if (await move(hub, id).catch(() => false)) moved += 1;
    return moved;
  });
}

/**
 * First the document as it came, so that the hub verifies its origin, then the edits. It may stop at any point and begin again: the import has
 * an idempotency key, its rows are noted here, and the item is dropped last.
 */
async function move(hub: Hub, id: string): Promise<boolean> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const item = await liteItem(id);
    // Another tab has moved it.
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
      // Deleted or edited in the account since, or the row of another account: the item becomes a copy of its own.
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

/** The ids of the rows that are made of the document as it came. */
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

/** What was edited, as columns of the rows: the item's own, whose links lead to the rows that came with it, and the parts of a kit. */
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

/** Whether the row holds the edit now. False where it is gone, or was edited in the account since. */
async function write(hub: Hub, { type, id, columns: values }: Edit, since: string): Promise<boolean> {
  const items = hub.workspace(type);
  const row = await items.get(id);
  if (row === null) return false;
  // All rows of an import were written at the same time.
  return holds(row, values) || (await items.update(id, values as never, { since })) !== null;
}

/** Whether a row has these values already. */
function holds(row: object, values: Record<string, unknown>): boolean {
  const stored = row as Record<string, unknown>;
  return Object.entries(values).every(
    ([column, value]) => canonicalJson(stored[column]) === canonicalJson(value),
  );
}
