import { pay } from "./budget.ts";
import type { Tracer } from "./tracer.ts";
import { constant, type Value } from "./value.ts";

/** What a function of the language or the browser gives back. */
export type Builtin = (tracer: Tracer, args: Value[], first: Value) => Value;

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
