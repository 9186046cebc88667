import type { Archive } from "@keyhub/hub/source";
import type { WorkspaceItem } from "./store.ts";

/** Saves an item as a file of Keyhub; secrets of an item in the account are removed. Returns a sentence to show. */
export async function exportFile(item: WorkspaceItem): Promise<string> {
  const read = await documentOf(item);
  if (typeof read === "string") return read;
  saveFile({ filename: `${fileName(item.name)}.json`, text: JSON.stringify(read.document, null, 2) });
  return said("Exported.", read.taken);
}

/** Saves an item as a file of another tool. */
export async function exportAs(format: string, item: WorkspaceItem): Promise<string> {
  const read = await documentOf(item);
  if (typeof read === "string") return read;
  const { writeForeign } = await import("@keyhub/core/formats");
  const file = writeForeign(format, read.document);
  if (file === null) return "It cannot be written in that format.";
  saveFile(file);
  return said("Downloaded.", read.taken);
}

/** Returns the document and the number of removed secrets, or a sentence with the reason why the item cannot be exported. */
async function documentOf(item: WorkspaceItem): Promise<{ document: Archive; taken: number } | string> {
  if (item.document) return { document: item.document, taken: 0 };
  const { exportItem } = await import("@keyhub/core/export");
  const written = await exportItem({ asset_type: item.type, row: item.row ?? {} });
  if (!written.ok)
    return `Not exported: ${written.faults.map(({ path, message }) => `${path} ${message}`).join(", ")}.`;
  return { document: written.value.document, taken: written.value.redactions.length };
}

function said(done: string, taken: number): string {
  return taken > 0 ? `${done} ${taken} values that look like secrets were taken out.` : done;
}

const fileName = (name: string) => name.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60) || "asset";

/** Makes the browser save a file. */
export function saveFile({ filename, text }: { filename: string; text: string }): void {
  const type = filename.endsWith(".json") ? "application/json" : "text/plain";
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = filename;
  link.click();
  URL.revokeObjectURL(url);
}
