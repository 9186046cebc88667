import { OpenedKeys } from "../../../supabase/functions/_shared/lease.ts";
import { getActiveKey } from "../../../supabase/functions/get-active-key/handler.ts";
import type { TestedFunction } from "../tested-functions.ts";
import { AGENT, ID } from "./callers.ts";

export const tested: TestedFunction = {
  handler: ({ database, keyring, random }) =>
    getActiveKey({ database, keyring, opened: new OpenedKeys(Date.now), random }),
  deployed: {
    valid: {},
    far: {
      body: { provider: "openai", previous: { lease_id: ID, status: "fail", error_code: 429 } },
      ...{ headers: AGENT, status: 503, code: "unavailable" },
    },
    foreign: /\/core\/src\/(?:hub|scan)\//,
  },
};
