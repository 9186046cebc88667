import { parseReportRequest } from "@keyhub/core/key-requests";
import { problem } from "@keyhub/core/problem";
import { identifyCaller } from "../_shared/caller.ts";
import type { Database } from "../_shared/database.ts";
import { endpoint, KEY_BODY_BYTES } from "../_shared/http.ts";
import { sendReport } from "../_shared/report.ts";

export interface Dependencies {
  database: Database;
  /** A number in [0, 1), for the jitter of cooldowns. */
  random: () => number;
}

/** POST set-key-state: records the outcome of a call with a key, and returns the state of the key. */
export function setKeyState({ database, random }: Dependencies): (request: Request) => Promise<Response> {
  const options = {
    name: "set-key-state",
    maxBytes: KEY_BODY_BYTES,
    identify: (request: Request) => identifyCaller(request, database),
  };
  return endpoint(options, async ({ caller, body }) => {
    const parsed = parseReportRequest(body);
    if (!parsed.ok) return { problem: problem("validation_failed", { errors: parsed.faults }) };

    const { leaseId, keyId } = parsed.value;
    // Undefined members are left out of the JSON, which gives the client, PostgREST and SQL less to parse.
    const key = { lease_id: leaseId ?? undefined, key_id: keyId ?? undefined };
    const reported = await sendReport(database, caller, key, parsed.value, random());
    return "problem" in reported ? reported : { status: 200, body: reported.data };
  });
}
