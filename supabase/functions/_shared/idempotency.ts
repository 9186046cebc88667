import { contentHash } from "@keyhub/core/hub";
import { problem } from "@keyhub/core/problem";
import type { Database } from "./database.ts";
import type { Refusal } from "./http.ts";

/** A request that a client may send again: its key, and what the key stands for. As RPCs take it. */
export interface Retryable {
  /** Null when the client sent none. */
  idempotency_key: string | null;
  request_sha256: string;
}

/** Reads the Idempotency-Key header: 1 to 255 printable ASCII characters. `what` is the request in its one form. */
export async function readRetryable(request: Request, what: unknown): Promise<Retryable | Refusal> {
  const key = request.headers.get("idempotency-key")?.trim() ?? null;
  if (key !== null && !/^[\x21-\x7e]{1,255}$/.test(key)) {
    const message = "must be 1 to 255 printable characters without spaces";
    const errors = [{ path: "Idempotency-Key", code: "invalid_format", message }];
    return { problem: problem("validation_failed", { errors }) };
  }
  return { idempotency_key: key, request_sha256: await contentHash(what) };
}

/** What this request was answered before; null when it is new or has no key. */
export async function recallAnswer(
  database: Database,
  userId: string,
  endpoint: "hub-publish" | "hub-import",
  retryable: Retryable,
): Promise<{ answer: unknown } | Refusal> {
  if (retryable.idempotency_key === null) return { answer: null };
  const recalled = await database.callRpc("hub_get_response", { user_id: userId, endpoint, ...retryable });
  return "problem" in recalled ? recalled : { answer: recalled.data };
}
