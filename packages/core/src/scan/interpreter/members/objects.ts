import { nameOfKey } from "../../program/patterns.ts";
import { charge } from "../budget.ts";
import { list } from "../builtins/builtin.ts";
import type { Interpreter } from "../interpreter.ts";
import { asText } from "../text/text.ts";
import { BEYOND_BUDGET, constant, options, UNKNOWN, type Value } from "../value.ts";

/** `Object.assign(…)`: returns a host object, or an element that the file creates, itself. */
export function assigned(interpreter: Interpreter, args: Value[]): Value {
  const entries = new Map<string, Value>();
  const [into] = args;
  if (into?.kind === "element") {
    const held = interpreter.elementWrites.get(into) ?? new Map<string, Value>();
    for (const arg of args.slice(1))
      for (const key of keysOf(arg)) if (charge(ENTRY)) held.set(key, interpreter.member(arg, key));
    interpreter.elementWrites.set(into, held);
    return into;
  }
  for (const arg of args) {
    if (arg.kind === "host") return arg;
    for (const key of keysOf(arg)) if (charge(ENTRY)) entries.set(key, interpreter.member(arg, key));
  }
  return { kind: "record", entries };
}

export function fromEntries(value: Value): Value {
  const entries = new Map<string, Value>();
  for (const pair of value.kind === "list" ? value.items : []) {
    const [key, held] = pair.kind === "list" ? pair.items : [];
    if (key !== undefined && held !== undefined && charge(ENTRY)) entries.set(asText(key).value, held);
  }
  return { kind: "record", entries };
}

/** The cost of reading the name of a property, in characters. */
const KEY = 16;
/** The cost of an entry of a record, in characters. */
const ENTRY = 64;

/** The entries of a record, as its iterator yields them. */
export function pairsOf(entries: Map<string, Value>): Value {
  return list([...entries].map(([key, held]) => list([constant(key), held])));
}

/** The literal property names of an object of the file. */
export function keysOf(value: Value): string[] {
  if (value.kind === "record") return charge(value.entries.size * KEY) ? [...value.entries.keys()] : [];
  if (value.kind === "list")
    return charge(value.items.length * KEY) ? value.items.map((_, index) => String(index)) : [];
  if (value.kind !== "object") return [];
  if (!charge(value.node.properties.length * KEY)) return [];
  const names = value.node.properties.flatMap((property) =>
    property.type === "SpreadElement" || property.computed ? [] : [nameOfKey(property.key)],
  );
  return names.some(isIndex) ? inOrder(names) : names;
}

const isIndex = (name: string) => /^\d{1,9}$/.test(name);

/** Integer keys come first, whatever their order in the source. */
function inOrder(names: readonly string[]): string[] {
  const numbers = names.filter(isIndex).sort((a, b) => Number(a) - Number(b));
  return [...numbers, ...names.filter((name) => !isIndex(name))];
}

/** How deep objects that are spread into one another are read. */
const SPREADS = 4;

/** The property names of an object, with computed names and those of spread objects. */
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
  // Parsing costs several times as much as copying.
  if (!charge(8 * String(value).length)) return BEYOND_BUDGET;
  try {
    return fromJson(JSON.parse(String(value)), 0);
  } catch {
    return UNKNOWN;
  }
}

function fromJson(value: unknown, depth: number): Value {
  if (depth > 8) return UNKNOWN;
  if (!charge(ENTRY)) return BEYOND_BUDGET;
  if (Array.isArray(value)) return list(value.slice(0, 4096).map((item) => fromJson(item, depth + 1)));
  if (typeof value === "object" && value !== null) {
    return {
      kind: "record",
      entries: new Map(Object.entries(value).map(([key, held]) => [key, fromJson(held, depth + 1)])),
    };
  }
  return constant(value as string | number | boolean | null);
}
