import type { Budget } from "./budget.ts";
import type { Redaction } from "./types.ts";

/** The member names and list positions that lead to a value. */
export type Path = readonly (string | number)[];

/** The longest part of a path and the longest path, in characters. Longer parts and paths are cut and end with `…`. */
const PART = 100;
const PATH = 1_000;

/** Returns the dotted path of a value for faults and receipts. The length of the path is bounded, however long the keys are. */
export function pathOf(parts: Path): string {
  let path = "";
  for (const [i, part] of parts.entries()) {
    if (path.length > PATH) return `${path.slice(0, PATH)}…`;
    if (i > 0) path += ".";
    path += typeof part === "string" && part.length > PART ? `${part.slice(0, PART)}…` : part;
  }
  return path.length > PATH ? `${path.slice(0, PATH)}…` : path;
}

/** Collects receipts: the rule of each removed secret, and the path of the value that is being read at that moment. */
export class Receipts {
  list: Redaction[] = [];
  /** How many secrets were found, including repeated ones (same rule, same place). */
  found = 0;
  readonly #budget: Budget;
  #path: (string | number)[] = [];
  /** The path as text, or null until the first receipt of a place needs it. */
  #place: string | null = null;
  /** How many JSON strings the value is nested in. Inside a JSON string, the path stays the path of the string. */
  nested = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** Begins a new list of receipts, for the value at a path. */
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

  /** Sets the path of all receipts from index `known` on to the path of the member with this name. */
  moveTo(name: string, known: number): void {
    if (this.nested > 0 || known === this.list.length) return;
    const path = pathOf([...this.#path, name]);
    for (const receipt of this.list.slice(known)) receipt.path = path;
  }
}
