import { type Problem, problem } from "@keyhub/core/problem";
import type { Keyring } from "@keyhub/core/seal";
import type { Args, Batch, Database } from "./database.ts";
import type { Refusal } from "./http.ts";

/**
 * The answer of lease_api_key when it leases a key; only the members that functions read. The agent gets the other members unchanged;
 * core's `leaseContract` lists them.
 */
export interface LeasedKey extends SealedKey {
  kind: "leased";
  lease_id: string;
  provider: string | null;
  /** The fingerprint of the stored key; null when it is not known. */
  fingerprint: string | null;
}

/** The answer of lease_api_key when no key can be leased. */
export interface NoKey {
  kind: "none";
  cooling_down: number;
  /** The number of keys that could be leased for other models, but are blocked for the requested one. */
  limited: number;
  disabled: number;
  /** Whole seconds until the soonest key is free; null when waiting cannot help. */
  retry_after: number | null;
  /** The pool's providers, if the pool has no key for the requested provider and no key without a provider; else null. */
  other_providers: string[] | null;
}

/** `retry` means that other calls have locked the keys. The RPC must be called again; what it has changed so far is committed. */
export type LeaseAnswer = LeasedKey | NoKey | { kind: "retry" };

interface LeaseDependencies {
  database: Database;
  opened: OpenedKeys;
}

/**
 * Leases a key and opens it. With `mayBatch`, calls with equal arguments may share one RPC. `first` is the lease from the answer of
 * report_and_lease, when that RPC has already made the first attempt.
 */
export async function leaseKey(
  { database, opened }: LeaseDependencies,
  { open }: Keyring,
  args: Args,
  mayBatch: boolean,
  first?: LeaseAnswer,
): Promise<{ lease: LeasedKey; apiKey: string } | { noKey: NoKey } | Refusal> {
  let answer = first;
  let unopened: string | undefined;
  for (;;) {
    if (answer === undefined || answer.kind === "retry") {
      const leaseArgs: Args = { ...args, release_lease_id: unopened };
      const called = await database.callRpc(
        "lease_api_key",
        (attempt) => ({ ...leaseArgs, attempt: attempt || undefined }),
        mayBatch ? batchOf(leaseArgs) : undefined,
        answer === undefined ? 0 : 1,
      );
      if ("problem" in called) return called;
      answer = called.data as LeasedKey | NoKey;
    }
    if (answer.kind === "none") return { noKey: answer };

    const remembered = opened.get(answer);
    if (remembered !== undefined) return { lease: answer, apiKey: remembered };
    const apiKey = await open(answer.api_key_encrypted, answer.user_id, answer.fingerprint);
    if (apiKey !== null) {
      opened.set(answer, apiKey);
      return { lease: answer, apiKey };
    }
    // The key cannot be opened. The next call releases this lease and marks the key as unusable, so the next round leases another key.
    unopened = answer.lease_id;
    answer = undefined;
  }
}

/** Returns the batch for calls with equal arguments: one call of lease_api_key that makes as many leases as there are calls. */
function batchOf(args: Args): Batch {
  return {
    name: "lease_api_key",
    group: JSON.stringify(args),
    args: ({ length }) => ({ ...args, calls: length }),
  };
}

export function noKeyProblem({
  cooling_down,
  limited,
  disabled,
  retry_after,
  other_providers,
}: NoKey): Problem {
  if (other_providers !== null) return problem("unknown_provider", { providers: other_providers });
  const counts = { cooling_down, limited, disabled };
  if (retry_after === null) return problem("no_active_key", { counts });
  return problem("keys_cooling_down", { retry_after, counts });
}

/** The largest number of opened keys in memory, and the longest time that a key stays there, in milliseconds. */
const MAX_KEYS = 1_000;
const MAX_AGE_MS = 5 * 60 * 1_000;

/** The members of a row that identify an opened key. When one of them has changed, the key that is kept in memory is not used. */
interface SealedKey {
  key_id: string;
  generation: number;
  /** The owner; the sealed text is bound to this id. */
  user_id: string;
  api_key_encrypted: string;
}

/** Keeps opened keys, only in the memory of this isolate. `now` returns the time in milliseconds. */
export class OpenedKeys {
  readonly #now: () => number;
  readonly #keys = new Map<string, { owner: string; sealed: string; plaintext: string; until: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  get(sealed: SealedKey): string | undefined {
    const kept = this.#keys.get(nameOf(sealed));
    if (kept === undefined) return undefined;
    // A row may be re-created with the same id, or get another owner: compare the sealed text and the owner, not the id alone.
    const same = kept.sealed === sealed.api_key_encrypted && kept.owner === sealed.user_id;
    if (same && kept.until > this.#now()) return kept.plaintext;
    this.#keys.delete(nameOf(sealed));
    return undefined;
  }

  set(sealed: SealedKey, plaintext: string): void {
    const now = this.#now();
    // A Map keeps the order of insertion, so the oldest keys come first: remove expired keys, then those above the limit.
    for (const [name, { until }] of this.#keys) {
      if (until > now && this.#keys.size < MAX_KEYS) break;
      this.#keys.delete(name);
    }
    this.#keys.set(nameOf(sealed), {
      owner: sealed.user_id,
      sealed: sealed.api_key_encrypted,
      plaintext,
      until: now + MAX_AGE_MS,
    });
  }
}

function nameOf({ key_id, generation }: SealedKey): string {
  return `${key_id}/${generation}`;
}
