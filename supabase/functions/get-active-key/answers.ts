import type { Answer } from "../_shared/http.ts";
import type { Lease } from "../_shared/lease.ts";

/** What the caller gets: all of a lease but what the function alone needs, with the opened key. */
export function leaseAnswer(answer: Lease, apiKey: string): Answer {
  const { leased: _, api_key_encrypted, user_id, generation, ...lease } = answer;
  return { status: 200, body: { ...lease, api_key: apiKey } };
}
