import { expect, test } from "vitest";
import type { Archive } from "../../../packages/hub/src/index.ts";
import { requireExport } from "../../../packages/web/src/app/store/store.ts";

test("Import JSON takes an exported file, and says what is wrong with another one", () => {
  const exported = { format: "keyhub.asset", title: "Cold facts" } as Archive;
  expect(requireExport(exported)).toBe(exported);
  const answer = { stored: "local", document: exported, warnings: [] } as unknown as Archive;
  expect(() => requireExport(answer)).toThrow(/Import only its member “document”/);
  for (const other of [{ document: "keyhub.asset" }, {}, null, [], "text"])
    expect(() => requireExport(other as unknown as Archive)).toThrow(/was not exported from Keyhub/);
});
