import { MAX_ITEMS, MAX_TEXT } from "./limits.ts";
import { type Constant, constant, hasHole, SPENT, UNKNOWN, type Value } from "./value.ts";

/** What is no plain value of the language, or not wholly known. */
export const NOT_KNOWN = Symbol("not known");

/** How deep lists and objects are converted. */
const DEPTH = 6;

/** The plain value that a value is: a constant, or a list or object of them. A string may have holes if `withHoles`. */
export function toJs(value: Value, withHoles = false, depth = DEPTH): unknown {
  if (value.kind === "constant")
    return !withHoles && typeof value.value === "string" && hasHole(value.value) ? NOT_KNOWN : value.value;
  if (depth === 0) return NOT_KNOWN;
  if (value.kind === "list") {
    const items: unknown[] = [];
    for (const item of value.items) {
      const plain = toJs(item, withHoles, depth - 1);
      if (plain === NOT_KNOWN) return NOT_KNOWN;
      items.push(plain);
    }
    return items;
  }
  if (value.kind === "object") {
    const made: Record<string, unknown> = Object.create(null);
    for (const [key, held] of value.props) {
      const plain = toJs(held, withHoles, depth - 1);
      if (plain === NOT_KNOWN) return NOT_KNOWN;
      made[key] = plain;
    }
    return made;
  }
  return NOT_KNOWN;
}

/** The value of a plain one that was computed; beyond the budget when it is too long. */
export function fromJs(plain: unknown, context: number, depth = DEPTH): Value {
  if (typeof plain === "string") return plain.length > MAX_TEXT ? SPENT : constant(plain);
  if (plain === null || typeof plain !== "object" || plain instanceof RegExp)
    return typeof plain === "function" || typeof plain === "symbol" ? UNKNOWN : constant(plain as Constant);
  if (depth === 0) return UNKNOWN;
  if (Array.isArray(plain))
    return plain.length > MAX_ITEMS
      ? SPENT
      : { kind: "list", items: plain.map((item) => fromJs(item, context, depth - 1)), context };
  const entries = Object.entries(plain).map(
    ([key, held]) => [key, fromJs(held, context, depth - 1)] as const,
  );
  return { kind: "object", props: new Map(entries), of: null, context };
}
