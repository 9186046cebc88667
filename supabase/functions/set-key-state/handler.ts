import { problem } from "@keyhub/core/problem";
import { parseReportRequest } from "@keyhub/core/read-request";
import { type Caller, identifyCaller } from "../_shared/caller.ts";
import type { Batch, Database } from "../_shared/database.ts";
import { endpoint, KEY_BODY_BYTES } from "../_shared/http.ts";
import { interpretReport } from "../_shared/report.ts";

export interface Dependencies {
  database: Database;
  /** A number in [0, 1), for the jitter of cooldowns. */
  random: () => number;
}

/** POST set-key-state: takes the outcome of a key's use and answers with the state of the key. */
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
    // Undefined members are left out of the JSON: less to parse for the client, PostgREST and SQL.
    const key = { lease_id: leaseId ?? undefined, key_id: keyId ?? undefined };
    const read = await interpretReport(database, caller, key, parsed.value, random());
    if ("problem" in read) return read;
    const { report } = read;
    const reported = await database.callRpc(
      "report_api_key",
      { ...caller, ...key, report },
      // Only plain successes are batched: failures are rare and change the state of keys.
      report.rule === "success" && !report.hint_given && keyId === null ? batchOf(caller) : undefined,
    );
    return "problem" in reported ? reported : { status: 200, body: reported.data };
  });
}

/** Successes of one caller, reported by lease id, may share a batch. */
function batchOf(caller: Caller): Batch {
  return {
    name: "report_successes",
    group: JSON.stringify(caller),
    args: (calls) => ({ ...caller, lease_ids: calls.map(({ lease_id }) => lease_id) }),
  };
}
