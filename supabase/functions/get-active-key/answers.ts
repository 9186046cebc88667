import type { Answer } from "../_shared/http.ts";
import type { Lease } from "../_shared/lease.ts";

/** The answer: the lease without the members that only the function needs, with the opened key. */
export function leaseAnswer(answer: Lease, apiKey: string): Answer {
  const { leased: _, api_key_encrypted, user_id, generation, ...lease } = answer;
  return { status: 200, body: { ...lease, api_key: apiKey } };
}
