import { problem } from "@keyhub/core/problem";
import type { Database } from "./database.ts";
import type { Identified, Refusal } from "./http.ts";

const ACCESS_TOKEN = { detail: "Send a user's access token as Authorization: Bearer." };

/** A signed-in user of the hub, with the token for queries under row level security. */
export interface User {
  id: string;
  token: string;
}

/**
 * Returns the access token of a request without verifying it; null when there is none (a guest). Without a session, supabase-js sends the
 * publishable key, or in older projects the anon key, so a request with such a key is also from a guest.
 */
export function readAccessToken(request: Request): { token: string | null } | Refusal {
  const header = request.headers.get("authorization")?.trim() ?? "";
  if (header === "") return { token: null };
  const token = /^bearer +(\S+)$/i.exec(header)?.[1] ?? "";
  if (token.startsWith("sb_publishable_")) return { token: null };
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token))
    return { problem: problem("invalid_credential", ACCESS_TOKEN) };
  return { token: roleOf(token) === "anon" ? null : token };
}

/** Returns the user of a token; null for an anonymous session, which has only the rights of a guest. */
export async function verifyUser(
  token: string,
  database: Database,
): Promise<{ user: User | null } | Refusal> {
  const verified = await database.verifyToken(token);
  if ("problem" in verified) return verified;
  if (verified.userId === null) return { problem: problem("invalid_credential", ACCESS_TOKEN) };
  return { user: verified.anonymous ? null : { id: verified.userId, token } };
}

/** Identifies the caller of the hub: a user, or null for a guest. */
export async function identifyGuestOrUser(
  request: Request,
  database: Database,
): Promise<Identified<User | null> | Refusal> {
  const credential = readAccessToken(request);
  if ("problem" in credential) return credential;
  if (credential.token === null) return { caller: null };
  const verified = await verifyUser(credential.token, database);
  return "problem" in verified ? verified : { caller: verified.user };
}

/** Identifies the caller of the hub; refuses a guest, because the request needs an account. */
export async function identifyUser(
  request: Request,
  database: Database,
): Promise<Identified<User> | Refusal> {
  const credential = readAccessToken(request);
  if ("problem" in credential) return credential;
  if (credential.token === null) return { problem: problem("missing_credential", ACCESS_TOKEN) };
  const verified = await verifyUser(credential.token, database);
  if ("problem" in verified) return verified;
  return verified.user === null ? { problem: problem("account_required") } : { caller: verified.user };
}

/** Returns the role that a token claims, without verifying it. */
function roleOf(token: string): unknown {
  try {
    const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    return Object(JSON.parse(atob(payload))).role;
  } catch {
    return undefined;
  }
}
