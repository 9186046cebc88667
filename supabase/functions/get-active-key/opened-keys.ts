/** Opened keys, by key id and generation: at most so many, for at most so long (milliseconds). */
const MAX_KEYS = 1_000;
const MAX_AGE_MS = 5 * 60 * 1_000;

/** Keeps opened keys in this isolate's memory and nowhere else. `now` gives milliseconds. */
export class OpenedKeys {
  readonly #now: () => number;
  readonly #keys = new Map<string, { plaintext: string; until: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  get(keyId: string, generation: number): string | undefined {
    const name = `${keyId}/${generation}`;
    const kept = this.#keys.get(name);
    if (kept === undefined) return undefined;
    if (kept.until > this.#now()) return kept.plaintext;
    this.#keys.delete(name);
    return undefined;
  }

  set(keyId: string, generation: number, plaintext: string): void {
    const now = this.#now();
    // Oldest first, as a Map keeps the order of insertion: what has expired goes, then what is too many.
    for (const [name, { until }] of this.#keys) {
      if (until > now && this.#keys.size < MAX_KEYS) break;
      this.#keys.delete(name);
    }
    this.#keys.set(`${keyId}/${generation}`, { plaintext, until: now + MAX_AGE_MS });
  }
}
