import { pathOf } from "../path.ts";
import type { Redaction } from "./types.ts";
import { RECEIPTS, type Work } from "./work.ts";

/** What was taken out, and where: the path is that of the value that is being read. */
export class Receipts {
  readonly list: Redaction[] = [];
  /** How many secrets were found, repeated ones (same rule, same place) included. */
  found = 0;
  readonly #work: Work;
  readonly #path: (string | number)[] = [];
  /** The path as text, made for the first receipt of a place. */
  #place: string | null = null;
  /** Within stringified JSON the path stays that of the string. */
  #nested = 0;

  constructor(work: Work) {
    this.#work = work;
  }

  enter(name: string | number): void {
    if (this.#nested > 0) return;
    this.#path.push(name);
    this.#place = null;
  }

  leave(): void {
    if (this.#nested > 0) return;
    this.#path.pop();
    this.#place = null;
  }

  get nested(): number {
    return this.#nested;
  }

  enterJson(): void {
    this.#nested++;
  }

  leaveJson(): void {
    this.#nested--;
  }

  readonly report = (rule: string): void => {
    this.found++;
    if (this.list.length >= RECEIPTS) this.#work.tooManyReceipts();
    if (this.#work.exceeded !== null) return;
    this.#place ??= pathOf(this.#path);
    const path = this.#place;
    const last = this.list.at(-1);
    if (last?.path !== path || last.rule !== rule) this.list.push({ path, rule });
  };

  /** Receipts from the one at `known` on are those of a member of this name. */
  moveTo(name: string, known: number): void {
    if (this.#nested > 0 || known === this.list.length) return;
    const path = pathOf([...this.#path, name]);
    for (const receipt of this.list.slice(known)) receipt.path = path;
  }

  /** Drops what was reported since then; `keep` of the answer adds it again. */
  takeBack(known: number, found: number): { keep(): void } {
    const reported = this.list.splice(known);
    const counted = this.found;
    this.found = found;
    return {
      keep: () => {
        this.list.push(...reported);
        this.found = counted;
      },
    };
  }
}
