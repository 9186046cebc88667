import { setKeyState } from "../../../supabase/functions/set-key-state/handler.ts";
import type { TestedFunction } from "../tested-functions.ts";
import { AGENT, ID } from "./callers.ts";

export const tested: TestedFunction = {
  handler: ({ database, random }) => setKeyState({ database, random }),
  deployed: {
    valid: { lease_id: ID, status: "success" },
    far: {
      body: { lease_id: ID, status: "fail", error_code: 429, error_message: "try again in 5s" },
      ...{ headers: AGENT, status: 503, code: "unavailable" },
    },
    foreign: /\/core\/src\/(?:hub|scan)\/|\/keys\/seal\.ts$/,
  },
};
