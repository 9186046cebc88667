/** Opened keys: at most so many, for at most so long (milliseconds). */
const MAX_KEYS = 1_000;
const MAX_AGE_MS = 5 * 60 * 1_000;

/** What an opened key was opened from; a key is only remembered for exactly this. */
export interface SealedKey {
  key_id: string;
  generation: number;
  /** The owner, to whom the text is bound. */
  user_id: string;
  api_key_encrypted: string;
}

/** Keeps opened keys in this isolate's memory and nowhere else. `now` gives milliseconds. */
export class OpenedKeys {
  readonly #now: () => number;
  readonly #keys = new Map<string, { owner: string; sealed: string; plaintext: string; until: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  get(sealed: SealedKey): string | undefined {
    const kept = this.#keys.get(nameOf(sealed));
    if (kept === undefined) return undefined;
    // A row may come back under the same id, or go to another owner: what was sealed decides, not the name.
    const same = kept.sealed === sealed.api_key_encrypted && kept.owner === sealed.user_id;
    if (same && kept.until > this.#now()) return kept.plaintext;
    this.#keys.delete(nameOf(sealed));
    return undefined;
  }

  set(sealed: SealedKey, plaintext: string): void {
    const now = this.#now();
    // Oldest first, as a Map keeps the order of insertion: what has expired goes, then what is too many.
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
