import { pay } from "../budget.ts";
import type { Interpreter } from "../interpreter.ts";
import { constant, either, type Value } from "../value.ts";

/** What a function of the language or the browser gives back. */
export type Builtin = (interpreter: Interpreter, args: Value[], first: Value) => Value;

/** Elements of a list that are kept. */
const ITEMS = 8192;
/** What one takes in its place, in characters. */
const ITEM = 8;

export function list(items: Value[]): Value {
  pay(items.length * ITEM);
  return { kind: "list", items: items.length > ITEMS ? items.slice(0, ITEMS) : items, node: null };
}

/** The characters of a known text. */
export function characters(value: Value): Value[] | null {
  if (value.kind === "constant" && typeof value.value === "string") {
    return [...value.value.slice(0, ITEMS)].map((character) => constant(character));
  }
  return null;
}

/** Lists that are taken together, and items of each. */
const TOGETHER = 16;

/** One of several lists, as one of which each item is any of theirs at its place. */
export function oneList(value: Value): Value {
  if (value.kind !== "either" || value.options.length > TOGETHER) return value;
  const lists = value.options.filter((option) => option.kind === "list");
  if (lists.length < value.options.length) return value;
  const length = Math.min(TOGETHER, Math.max(...lists.map(({ items }) => items.length)));
  const at = (index: number) =>
    either(lists.flatMap(({ items }) => (index < items.length ? [items[index] as Value] : [])));
  return list(Array.from({ length }, (_, index) => at(index)));
}
