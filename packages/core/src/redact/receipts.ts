import type { Budget } from "./budget.ts";
import { type Path, pathOf } from "./path.ts";
import type { Redaction } from "./types.ts";

/** What was taken out, and where: the path is that of the value that is being read. */
export class Receipts {
  list: Redaction[] = [];
  /** How many secrets were found, repeated ones (same rule, same place) included. */
  found = 0;
  readonly #budget: Budget;
  #path: (string | number)[] = [];
  /** The path as text, made for the first receipt of a place. */
  #place: string | null = null;
  /** How many levels of stringified JSON are around: within it the path stays that of the string. */
  nested = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** Begins the list of the value at a path. */
  begin(at: Path): void {
    this.list = [];
    this.#path = [...at];
    this.#place = null;
  }

  enter(name: string | number): void {
    if (this.nested > 0) return;
    this.#path.push(name);
    this.#place = null;
  }

  leave(): void {
    if (this.nested > 0) return;
    this.#path.pop();
    this.#place = null;
  }

  readonly report = (rule: string): void => {
    this.found++;
    this.#place ??= pathOf(this.#path);
    const path = this.#place;
    const last = this.list.at(-1);
    if ((last?.path !== path || last.rule !== rule) && this.#budget.takeReceipt())
      this.list.push({ path, rule });
  };

  /** Receipts from the one at `known` on are those of a member of this name. */
  moveTo(name: string, known: number): void {
    if (this.nested > 0 || known === this.list.length) return;
    const path = pathOf([...this.#path, name]);
    for (const receipt of this.list.slice(known)) receipt.path = path;
  }
}
