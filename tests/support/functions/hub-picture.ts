import { hubPicture } from "../../../supabase/functions/hub-picture/handler.ts";
import type { TestedFunction } from "../tested-functions.ts";

export const tested: TestedFunction = {
  handler: ({ database }) => hubPicture({ database }),
  deployed: {
    path: "/a-listing",
    method: "PUT",
    valid: {},
    // The body is checked only after the credential, so the expected refusal is about the credential.
    far: {
      body: {},
      headers: { authorization: "Bearer a.b.c" },
      status: 401,
      code: "invalid_credential",
    },
    foreign: /\/core\/src\/(?:keys|scan)\//,
  },
};
