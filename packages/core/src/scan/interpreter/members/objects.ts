import { nameOfKey } from "../../program/patterns.ts";
import { pay } from "../budget.ts";
import { list } from "../builtins/builtin.ts";
import type { Interpreter } from "../interpreter.ts";
import { asText } from "../text/text.ts";
import { constant, options, TANGLED, UNKNOWN, type Value } from "../value.ts";

/** `Object.assign(…)`: of something of the page or an element that the file makes, just that. */
export function assigned(interpreter: Interpreter, args: Value[]): Value {
  const entries = new Map<string, Value>();
  const [into] = args;
  if (into?.kind === "element") {
    const held = interpreter.elementWrites.get(into) ?? new Map<string, Value>();
    for (const arg of args.slice(1))
      for (const key of keysOf(arg)) if (pay(ENTRY)) held.set(key, interpreter.member(arg, key));
    interpreter.elementWrites.set(into, held);
    return into;
  }
  for (const arg of args) {
    if (arg.kind === "host") return arg;
    for (const key of keysOf(arg)) if (pay(ENTRY)) entries.set(key, interpreter.member(arg, key));
  }
  return { kind: "record", entries };
}

export function fromEntries(value: Value): Value {
  const entries = new Map<string, Value>();
  for (const pair of value.kind === "list" ? value.items : []) {
    const [key, held] = pair.kind === "list" ? pair.items : [];
    if (key !== undefined && held !== undefined && pay(ENTRY)) entries.set(asText(key).value, held);
  }
  return { kind: "record", entries };
}

/** What it takes to read the name of a property, in characters. */
const KEY = 16;
/** What an entry of a record takes, in characters. */
const ENTRY = 64;

/** The entries of a record, as iterating over it gives them. */
export function pairsOf(entries: Map<string, Value>): Value {
  return list([...entries].map(([key, held]) => list([constant(key), held])));
}

/** The property names of an object that the file writes out. */
export function keysOf(value: Value): string[] {
  if (value.kind === "record") return pay(value.entries.size * KEY) ? [...value.entries.keys()] : [];
  if (value.kind === "list")
    return pay(value.items.length * KEY) ? value.items.map((_, index) => String(index)) : [];
  if (value.kind !== "object") return [];
  if (!pay(value.node.properties.length * KEY)) return [];
  const names = value.node.properties.flatMap((property) =>
    property.type === "SpreadElement" || property.computed ? [] : [nameOfKey(property.key)],
  );
  return names.some(isIndex) ? inOrder(names) : names;
}

const isIndex = (name: string) => /^\d{1,9}$/.test(name);

/** Numbers come first, however an object is written. */
function inOrder(names: readonly string[]): string[] {
  const numbers = names.filter(isIndex).sort((a, b) => Number(a) - Number(b));
  return [...numbers, ...names.filter((name) => !isIndex(name))];
}

/** Objects that are spread into one another and looked into. */
const SPREADS = 4;

/** The property names of an object, with those that are computed and those of what is spread into it. */
export function namesOf(interpreter: Interpreter, value: Value, depth = 0): string[] {
  if (value.kind !== "object") return keysOf(value);
  const names = keysOf(value);
  for (const property of value.node.properties) {
    if (property.type === "SpreadElement") {
      if (depth === SPREADS) continue;
      for (const option of options(interpreter.evaluate(property.argument, value.scope, value.env)))
        names.push(...namesOf(interpreter, option, depth + 1));
    } else if (property.computed)
      names.push(asText(interpreter.evaluate(property.key, value.scope, value.env)).value);
  }
  return names;
}

export function parseJson(value: unknown): Value {
  // Reading it takes several times what copying it takes.
  if (!pay(8 * String(value).length)) return TANGLED;
  try {
    return fromJson(JSON.parse(String(value)), 0);
  } catch {
    return UNKNOWN;
  }
}

function fromJson(value: unknown, depth: number): Value {
  if (depth > 8) return UNKNOWN;
  if (!pay(ENTRY)) return TANGLED;
  if (Array.isArray(value)) return list(value.slice(0, 4096).map((item) => fromJson(item, depth + 1)));
  if (typeof value === "object" && value !== null) {
    return {
      kind: "record",
      entries: new Map(Object.entries(value).map(([key, held]) => [key, fromJson(held, depth + 1)])),
    };
  }
  return constant(value as string | number | boolean | null);
}
