import type { Archive } from "../../../hub/src/index.ts";

/** An item that lives in this browser only: what a guest imported, remixed or made. */
export interface LiteItem {
  id: string;
  document: Archive;
  /** Milliseconds since 1970, of the last change. */
  changed: number;
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

async function within<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await open();
  try {
    return await finished(work(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

/** The newest first. */
export async function liteItems(): Promise<LiteItem[]> {
  const items = await within<LiteItem[]>("readonly", (store) => store.getAll());
  return items.sort((a, b) => b.changed - a.changed);
}

export async function liteItem(id: string): Promise<LiteItem | null> {
  return (await within<LiteItem | undefined>("readonly", (store) => store.get(id))) ?? null;
}

/** Keeps a document; returns its id. */
export async function keepLite(document: Archive, id: string = crypto.randomUUID()): Promise<string> {
  await within("readwrite", (store) => store.put({ id, document, changed: Date.now() } satisfies LiteItem));
  return id;
}

export async function dropLite(id: string): Promise<void> {
  await within("readwrite", (store) => store.delete(id));
}
