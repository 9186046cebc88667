import type { LeaseRequest, Parsed } from "@keyhub/core/lease-request";
import { problem } from "@keyhub/core/problem";
import type { Keyring } from "@keyhub/core/seal";
import { identifyCaller } from "../_shared/caller.ts";
import type { Args, Bulk, Database } from "../_shared/database.ts";
import { type Answer, endpoint, KEY_BODY_BYTES } from "../_shared/http.ts";
import type { OpenedKeys, SealedKey } from "./opened-keys.ts";

export interface Dependencies {
  database: Database;
  keyring: () => Promise<Keyring>;
  opened: OpenedKeys;
}

/** POST get-active-key: one eligible key of the caller's pool, or a 503 that says whether waiting helps. */
export function getActiveKey({
  database,
  keyring,
  opened,
}: Dependencies): (request: Request) => Promise<Response> {
  const door = {
    name: "get-active-key",
    maxBytes: KEY_BODY_BYTES,
    identify: (request: Request) => identifyCaller(request, database),
  };
  return endpoint(door, async ({ caller, body }) => {
    const parsed = await readRequest(body);
    if (!parsed.ok) return { problem: problem("validation_failed", { errors: parsed.faults }) };

    const { kids, open } = await keyring();
    let voided: string | undefined;
    for (;;) {
      // What is not said needs not be read, by three programs on the way.
      const args: Args = {
        ...caller,
        live_kids: kids,
        provider: parsed.value.provider ?? undefined,
        void_lease_id: voided,
      };
      const leased = await database.callRpc(
        "lease_api_key",
        (attempt) => ({ ...args, attempt: attempt || undefined }),
        inBulk(args),
      );
      if ("problem" in leased) return leased;
      const lease = leased.data as Lease | None;
      if (!lease.leased) return noKey(lease);

      const remembered = opened.get(lease);
      if (remembered !== undefined) return handOut(lease, remembered);
      const apiKey = await open(lease.api_key_encrypted, lease.user_id);
      if (apiKey !== null) {
        opened.set(lease, apiKey);
        return handOut(lease, apiKey);
      }
      // It cannot be opened: give the lease back, have the key flagged, take the next. Each turn flags one.
      voided = lease.lease_id;
    }
  });
}

/** A body that asks for nothing needs no contract, whose library would be a sixth of a cold start. */
async function readRequest(body: unknown): Promise<Parsed<LeaseRequest>> {
  if (body === undefined || isEmpty(body)) return { ok: true, value: { provider: null } };
  const { parseLeaseRequest } = await import("@keyhub/core/lease-request");
  return parseLeaseRequest(body);
}

function isEmpty(body: unknown): boolean {
  return typeof body === "object" && body !== null && !Array.isArray(body) && Object.keys(body).length === 0;
}

/** Calls that ask for the same are made as one. */
function inBulk(args: Args): Bulk {
  return {
    name: "lease_api_key",
    group: JSON.stringify(args),
    args: ({ length }) => ({ ...args, calls: length }),
  };
}

/** What lease_api_key returns. */
interface Lease extends SealedKey {
  leased: true;
  lease_id: string;
  key_name: string;
  provider: string | null;
  priority: number;
  leased_at: string;
}

interface None {
  leased: false;
  cooling_down: number;
  disabled: number;
  /** Whole seconds until the soonest key is ready; null when waiting cannot help. */
  retry_after: number | null;
}

function handOut(lease: Lease, apiKey: string): Answer {
  const { lease_id, key_id, key_name, provider, priority, leased_at } = lease;
  return {
    status: 200,
    body: { lease_id, key_id, key_name, provider, api_key: apiKey, priority, leased_at },
  };
}

function noKey({ cooling_down, disabled, retry_after }: None): Answer {
  const counts = { cooling_down, disabled };
  if (retry_after === null) return { problem: problem("no_active_key", { counts }) };
  return {
    problem: problem("keys_cooling_down", { retry_after, counts }),
    headers: { "Retry-After": String(retry_after) },
  };
}
