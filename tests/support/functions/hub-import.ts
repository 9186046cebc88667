import { randomUUID } from "node:crypto";
import { hubImport } from "../../../supabase/functions/hub-import/handler.ts";
import type { TestedFunction } from "../tested-functions.ts";

export const tested: TestedFunction = {
  handler: ({ database }) => hubImport({ database, uuid: randomUUID }),
  deployed: {
    valid: {
      document: {
        ...{ format: "keyhub.asset", format_version: 1, asset_type: "template", title: "A greeting" },
        ...{ description: null, tags: [], license: "cc0", payload: { content: "Hello" }, items: [] },
        ...{ attribution: null, sha256: "0".repeat(64) },
      },
    },
    // A request without a credential is not refused: its caller is a guest.
    refused: { authorization: "Bearer nobody" },
    far: { body: { document: 7, mode: "steal" }, headers: {}, status: 422, code: "validation_failed" },
    foreign: /\/core\/src\/(?:keys|scan)\//,
  },
};
