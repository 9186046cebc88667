import { charge } from "../budget.ts";
import type { Interpreter } from "../interpreter.ts";
import { constant, either, type Value } from "../value.ts";

/** Computes the result of a function of the language or the browser. */
export type Builtin = (interpreter: Interpreter, args: Value[], first: Value) => Value;

/** How many elements of a list are kept. */
const ITEMS = 8192;
/** The cost of one element, in characters. */
const ITEM = 8;

export function list(items: Value[]): Value {
  charge(items.length * ITEM);
  return { kind: "list", items: items.length > ITEMS ? items.slice(0, ITEMS) : items, node: null };
}

/** The characters of a known string. */
export function characters(value: Value): Value[] | null {
  if (value.kind === "constant" && typeof value.value === "string") {
    return [...value.value.slice(0, ITEMS)].map((character) => constant(character));
  }
  return null;
}

/** How many lists are merged, and how many items of each. */
const TOGETHER = 16;

/** Merges alternative lists into one: each item is any of their items at its index. */
export function oneList(value: Value): Value {
  if (value.kind !== "either" || value.options.length > TOGETHER) return value;
  const lists = value.options.filter((option) => option.kind === "list");
  if (lists.length < value.options.length) return value;
  const length = Math.min(TOGETHER, Math.max(...lists.map(({ items }) => items.length)));
  const at = (index: number) =>
    either(lists.flatMap(({ items }) => (index < items.length ? [items[index] as Value] : [])));
  return list(Array.from({ length }, (_, index) => at(index)));
}
