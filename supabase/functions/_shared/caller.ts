import { problem } from "@keyhub/core/problem";
import type { Database } from "./database.ts";
import type { Identified, Refusal } from "./http.ts";

/** The caller, as the key RPCs expect it: the hash of an agent token, or the id of a signed-in user. */
export type Caller = { token_hash: string } | { user_id: string };

const AGENT_TOKEN = /^kh_agent_[0-9a-f]{64}$/;

/**
 * Identifies the caller by the Authorization header. An agent token is only hashed here: each key RPC checks, in the same snapshot as its
 * work, that the token is known and not revoked. `confirm` makes only that check. A user's access token is verified here, by Supabase Auth.
 */
export async function identifyCaller(
  request: Request,
  database: Database,
): Promise<Identified<Caller> | Refusal> {
  const header = request.headers.get("authorization")?.trim();
  if (!header) return { problem: problem("missing_credential") };
  const token = /^bearer +(\S+)$/i.exec(header)?.[1] ?? "";
  const agent = await identifyAgent(token, database);
  if (agent !== null) return agent;
  // An access token is a JWT and has three parts. Anything else is refused without asking auth.
  if (!/^[\w-]+(\.[\w-]+){2}$/.test(token)) return { problem: problem("invalid_credential") };
  const verified = await database.verifyToken(token);
  if ("problem" in verified) return verified;
  return verified.userId === null
    ? { problem: problem("invalid_credential") }
    : { caller: { user_id: verified.userId } };
}

/** Returns the caller of an agent token, not yet verified; null when the text does not have the form of an agent token. */
export async function identifyAgent(
  token: string,
  database: Database,
): Promise<(Identified<Caller> & { confirm(): Promise<Refusal | null> }) | null> {
  if (!AGENT_TOKEN.test(token)) return null;
  const caller = { token_hash: await hashOf(token) };
  return { caller, confirm: () => confirmAgent(caller, database) };
}

/** Verifies an agent with an empty report, which the RPC accepts from a known agent and refuses from an unknown or revoked one. */
async function confirmAgent(caller: Caller, database: Database): Promise<Refusal | null> {
  const answer = await database.callRpc("report_successes", { ...caller, lease_ids: [] });
  return "problem" in answer ? answer : null;
}

/** Cached hashes by token: an agent sends the same token each time, and hashing is the slowest step of identifying it. */
const cachedHashes = new Map<string, string>();
const MAX_HASHES = 1_000;

async function hashOf(token: string): Promise<string> {
  let hash = cachedHashes.get(token);
  if (hash === undefined) {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
    hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
    if (cachedHashes.size >= MAX_HASHES) cachedHashes.clear();
    cachedHashes.set(token, hash);
  }
  return hash;
}
