import { problem } from "@keyhub/core/problem";
import type { Answer } from "../_shared/http.ts";
import type { SealedKey } from "./opened-keys.ts";

/** What lease_api_key returns with a key. */
export interface Lease extends SealedKey {
  leased: true;
  lease_id: string;
  key_name: string;
  provider: string | null;
  priority: number;
  leased_at: string;
  settings: Record<string, string>;
}

/** What it returns when no key can be leased. */
export interface NoKey {
  leased: false;
  cooling_down: number;
  disabled: number;
  /** Whole seconds until the soonest key is ready; null when waiting cannot help. */
  retry_after: number | null;
  /** The pool's providers, when it has no key for the requested one and none without a provider; else null. */
  other_providers: string[] | null;
}

/** What the caller gets: all of it but what the function alone needs, with the opened key. */
export function leaseAnswer(answer: Lease, apiKey: string): Answer {
  const { leased: _, api_key_encrypted, user_id, generation, ...lease } = answer;
  return { status: 200, body: { ...lease, api_key: apiKey } };
}

export function noKey({ cooling_down, disabled, retry_after, other_providers: providers }: NoKey): Answer {
  if (providers !== null) return { problem: problem("unknown_provider", { providers }) };
  const counts = { cooling_down, disabled };
  if (retry_after === null) return { problem: problem("no_active_key", { counts }) };
  return { problem: problem("keys_cooling_down", { retry_after, counts }) };
}
