import type { Archive } from "@keyhub/hub/source";

/** An item that lives in this browser only: what a guest imported, remixed or made. */
export interface LiteItem {
  id: string;
  document: Archive;
  /** The document before the first edit. The hub can verify the origin of this document, but not of an edited one. */
  original?: Archive;
  /** The time of the last change, in milliseconds since 1970; it differs after every change. */
  changed: number;
  /** The rows that a move has made in the account. `ids` begins with the item's own row; `since` is the time when that row was written. */
  into?: { ids: string[]; since: string } | undefined;
  /** A row that an earlier move made and that is useless now. Its id is in the idempotency key, so that the hub imports the item anew. */
  gone?: string;
}

const DATABASE = "keyhub-lite";
const STORE = "items";

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "id" });
  return finished(request);
}

function finished<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("The browser's storage failed."));
  });
}

/** Runs one transaction; resolves with the result of `work` when the transaction is stored. */
async function within<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await open();
  try {
    const transaction = database.transaction(STORE, mode);
    const stored = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error("The browser's storage failed."));
    });
    const [result] = await Promise.all([finished(work(transaction.objectStore(STORE))), stored]);
    return result;
  } finally {
    database.close();
  }
}

/** Returns the items, newest first. */
export async function liteItems(): Promise<LiteItem[]> {
  const items = await within<LiteItem[]>("readonly", (store) => store.getAll());
  return items.sort((a, b) => b.changed - a.changed);
}

export async function liteItem(id: string): Promise<LiteItem | null> {
  return (await within<LiteItem | undefined>("readonly", (store) => store.get(id))) ?? null;
}

/** Stores a new document; returns its id. */
export async function keepLite(document: Archive): Promise<string> {
  const id = crypto.randomUUID();
  await within("readwrite", (store) => store.put({ id, document, changed: Date.now() } satisfies LiteItem));
  return id;
}

/**
 * Changes the stored item in one transaction, so that other tabs cannot interfere. If `change` returns null, the item is deleted. Returns
 * false when the item is gone.
 */
export async function changeLite(id: string, change: (item: LiteItem) => LiteItem | null): Promise<boolean> {
  const found = await within<LiteItem | undefined>("readwrite", (store) => {
    const reading: IDBRequest<LiteItem | undefined> = store.get(id);
    reading.addEventListener("success", () => {
      if (!reading.result) return;
      const changed = change(reading.result);
      if (changed) store.put(changed);
      else store.delete(id);
    });
    return reading;
  });
  return found !== undefined;
}

export async function dropLite(id: string): Promise<void> {
  await within("readwrite", (store) => store.delete(id));
}
