import { problem } from "@keyhub/core/problem";
import type { Database } from "./database.ts";
import type { Identified, Refusal } from "./http.ts";

/** Who is calling, as the key RPCs take it: the hash of an agent token, or a signed-in user. */
export type Caller = { token_hash: string } | { user_id: string };

const AGENT_TOKEN = /^kh_agent_[0-9a-f]{64}$/;

/**
 * Reads the Authorization header. An agent token is only hashed here: whether it is known and not revoked is for
 * the RPC, under the same snapshot as the rest, or for `confirm`. A user's access token is verified by auth.
 */
export async function identifyCaller(
  request: Request,
  database: Database,
): Promise<Identified<Caller> | Refusal> {
  const header = request.headers.get("authorization")?.trim();
  if (!header) return { problem: problem("missing_credential") };
  const token = /^bearer +(\S+)$/i.exec(header)?.[1] ?? "";
  if (AGENT_TOKEN.test(token)) {
    const caller = { token_hash: await hashOf(token) };
    return { caller, confirm: () => confirmAgent(caller, database) };
  }
  // Anything that has not the three parts of a JWT cannot be an access token: no need to ask auth.
  if (!/^[\w-]+(\.[\w-]+){2}$/.test(token)) return { problem: problem("invalid_credential") };
  const verified = await database.verifyToken(token);
  if ("problem" in verified) return verified;
  return verified.userId === null
    ? { problem: problem("invalid_credential") }
    : { caller: { user_id: verified.userId } };
}

/** Reports nothing, which the RPC takes from an agent that it knows. */
async function confirmAgent(caller: Caller, database: Database): Promise<Refusal | null> {
  const answer = await database.callRpc("report_successes", { ...caller, lease_ids: [] });
  return "problem" in answer ? answer : null;
}

/** Hashes by token, of so many at most: an agent comes back with the same one, and hashing takes longer than all else here. */
const hashes = new Map<string, string>();
const MAX_HASHES = 1_000;

async function hashOf(token: string): Promise<string> {
  let hash = hashes.get(token);
  if (hash === undefined) {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
    hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
    if (hashes.size >= MAX_HASHES) hashes.clear();
    hashes.set(token, hash);
  }
  return hash;
}
