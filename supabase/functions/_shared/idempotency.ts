import { contentHash } from "@keyhub/core/hub";
import { problem } from "@keyhub/core/problem";
import type { Database } from "./database.ts";
import type { Refusal } from "./http.ts";

/** The Idempotency-Key of a request and the hash of the request, as arguments of an RPC. */
export interface Idempotency {
  /** Null when the client sent none. */
  idempotency_key: string | null;
  request_sha256: string;
}

/** Reads the Idempotency-Key header (1 to 255 printable ASCII characters, no spaces), and hashes `content`, which is the parsed request. */
export async function readIdempotency(request: Request, content: unknown): Promise<Idempotency | Refusal> {
  const key = request.headers.get("idempotency-key")?.trim() ?? null;
  if (key !== null && !/^[\x21-\x7e]{1,255}$/.test(key)) {
    const message = "must be 1 to 255 printable characters without spaces";
    const errors = [{ path: "Idempotency-Key", code: "invalid_format", message }];
    return { problem: problem("validation_failed", { errors }) };
  }
  return { idempotency_key: key, request_sha256: await contentHash(content) };
}

/** Returns the response that was stored for this request; null when the request is new or has no key. */
export async function getStoredResponse(
  database: Database,
  userId: string,
  endpoint: "hub-publish" | "hub-import",
  idempotency: Idempotency,
): Promise<{ response: unknown } | Refusal> {
  if (idempotency.idempotency_key === null) return { response: null };
  const stored = await database.callRpc("hub_get_response", { user_id: userId, endpoint, ...idempotency });
  return "problem" in stored ? stored : { response: stored.data };
}
