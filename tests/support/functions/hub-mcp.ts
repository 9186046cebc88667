import { randomUUID } from "node:crypto";
import { hubImport } from "../../../supabase/functions/hub-import/handler.ts";
import { hubMcp } from "../../../supabase/functions/hub-mcp/handler.ts";
import type { TestedFunction } from "../tested-functions.ts";

export const tested: TestedFunction = {
  handler: ({ database }) => {
    const importer = hubImport({ database, uuid: randomUUID });
    return hubMcp({
      database,
      importAsset: (path, init) =>
        importer(new Request(`http://127.0.0.1/functions/v1/hub-import${path}`, init)),
      origin: null,
    });
  },
  deployed: {
    valid: {
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name: "search_assets", arguments: { limit: 1 } },
    },
    // A request without a credential is not refused: its caller is a guest.
    refused: { authorization: "Bearer nobody" },
    far: { body: { method: 7 }, headers: {}, status: 422, code: "validation_failed" },
    foreign: /\/core\/src\/(?:keys|scan)\//,
  },
};
