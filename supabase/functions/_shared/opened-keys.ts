/** The largest number of keys that are kept, and the longest time in milliseconds. */
const MAX_KEYS = 1_000;
const MAX_AGE_MS = 5 * 60 * 1_000;

/** The row that a key was opened from. A kept key is only returned for exactly the same row. */
export interface SealedKey {
  key_id: string;
  generation: number;
  /** The owner; the sealed text is bound to this id. */
  user_id: string;
  api_key_encrypted: string;
}

/** Keeps opened keys, only in the memory of this isolate. `now` gives milliseconds. */
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
    // A Map keeps the order of insertion, so the oldest come first: remove expired ones, then those above the limit.
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
