import { hubPublish } from "../../../supabase/functions/hub-publish/handler.ts";
import type { TestedFunction } from "../tested-functions.ts";
import { ID } from "./callers.ts";

export const tested: TestedFunction = {
  handler: ({ database, random }) => hubPublish({ database, random }),
  deployed: {
    valid: {
      asset_type: "template",
      ref_id: ID,
      title: "A greeting",
      description: "Greets people.",
      license: "cc0",
    },
    // `a.b.c` does not have the form of a token, so it is refused without a request to auth.
    far: { body: {}, headers: { authorization: "Bearer a.b.c" }, status: 401, code: "invalid_credential" },
    foreign: /\/core\/src\/keys\//,
  },
};
