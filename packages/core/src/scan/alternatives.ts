import { hasHole, UNKNOWN, type Value } from "./value.ts";

/** At most this many alternatives are kept. */
const MAX_ALTERNATIVES = 12;

export function options(value: Value | undefined): readonly Value[] {
  return value === undefined ? [] : value.kind === "any" ? value.options : [value];
}

/** Returns one value for several possible ones: a flat list of alternatives, each once. */
export function join(values: readonly Value[]): Value {
  if (values.length < 2) return values[0] ?? UNKNOWN;
  const found: Value[] = [];
  for (const option of values.flatMap(options))
    if (found.length < MAX_ALTERNATIVES && !found.some((known) => isSame(known, option))) found.push(option);
  return found.length < 2 ? (found[0] ?? UNKNOWN) : { kind: "any", options: found };
}

function isSame(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a.kind === "constant") return b.kind === "constant" && a.value === b.value;
  return a.kind === "host" && b.kind === "host" && a.path === b.path;
}

/** Applies `make` to each alternative, and joins the results. */
export function each(value: Value, make: (option: Value) => Value): Value {
  return value.kind === "any" ? join(value.options.map(make)) : make(value);
}

/** Returns whether a value counts as true in a condition; null when that is unknown. */
export function truth(value: Value): boolean | null {
  if (value.kind === "constant")
    return typeof value.value === "string" && hasHole(value.value) ? null : Boolean(value.value);
  return value.kind === "list" || value.kind === "object" || value.kind === "function" ? true : null;
}

export const isMissing = (value: Value) => value.kind === "constant" && value.value === undefined;
export const not = (known: boolean | null) => (known === null ? null : !known);
