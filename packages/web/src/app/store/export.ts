import type { WorkspaceItem } from "./store.ts";

/** Saves an item as a file; an item of the account without its secrets. Returns a sentence to show. */
export async function exportFile(item: WorkspaceItem): Promise<string> {
  let document: unknown = item.document;
  let taken = 0;
  if (item.row) {
    const { exportItem } = await import("@keyhub/core/export");
    const written = await exportItem({ asset_type: item.type, row: item.row });
    if (!written.ok)
      return `Not exported: ${written.faults.map(({ path, message }) => `${path} ${message}`).join(", ")}.`;
    document = written.value.document;
    taken = written.value.redactions.length;
  }
  const url = URL.createObjectURL(
    new Blob([JSON.stringify(document, null, 2)], { type: "application/json" }),
  );
  const link = window.document.createElement("a");
  link.href = url;
  link.download = `${item.name.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60) || "asset"}.json`;
  link.click();
  URL.revokeObjectURL(url);
  return taken > 0 ? `Exported. ${taken} values that look like secrets were taken out.` : "Exported.";
}
