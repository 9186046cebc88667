import type { Caller } from "../../program/program.ts";
import { type Binding, type Definition, functionScope, isWithin } from "../../program/scope.ts";
import { chargeSteps, DEPTH } from "../budget.ts";
import type { Interpreter } from "../interpreter.ts";
import { keysOf, pairsOf } from "../members/objects.ts";
import { add, asText, calculate, fromText, taintOf } from "../text/text.ts";
import {
  BEYOND_BUDGET,
  COMPUTED_GLOBAL,
  constant,
  each,
  either,
  type Frame,
  HIDDEN,
  HOLE,
  host,
  isGlobalObject,
  options,
  text,
  UNKNOWN,
  unknown,
  type Value,
} from "../value.ts";
import { toIterable } from "./conversions.ts";

/** How many steps of `name += …` are followed one by one; the rest is an unknown suffix. */
const STEPS = 64;
/** How many of the first values of a name are visible to the later ones. */
const STEPWISE = 6;
/** How many values between such steps are kept, the latest first. */
const PREFIXES = 8;
/** How many values assigned to one name are followed. */
const WRITES = 256;

/** For how many property names a `for…in` loop is followed. */
const KEYS = 32;

/** A name with at most this many definitions is looked up even when the budget is spent. */
const FEW = 8;

/** All possible values of a declared name. */
export function nameOf(interpreter: Interpreter, binding: Binding, env: Frame | null): Value {
  let frame = env;
  while (frame !== null && !isWithin(binding.scope, frame.scope)) frame = frame.parent;
  const memory: Map<object, Value> = frame?.known ?? (interpreter.bindings as Map<object, Value>);
  const known = memory.get(binding);
  if (known !== undefined) return known;
  if (!chargeSteps(binding.definitions.length >> 3) && binding.definitions.length > FEW) return BEYOND_BUDGET;
  if (interpreter.depth > DEPTH) return unknown(HIDDEN);
  memory.set(binding, UNKNOWN);
  interpreter.depth++;
  const value = collect(interpreter, binding, frame);
  interpreter.depth--;
  memory.set(binding, value);
  return value;
}

function collect(interpreter: Interpreter, binding: Binding, env: Frame | null): Value {
  const [only] = binding.definitions;
  if (only === undefined) {
    // At the top of a script, `var location;` does not replace that of the page.
    return binding.scope === interpreter.program.root
      ? interpreter.members(host(""), constant(binding.name))
      : UNKNOWN;
  }
  if (binding.definitions.length === 1 && only.how !== "compound")
    return definitionOf(interpreter, only, env);
  const compounds = binding.definitions.filter((definition) => definition.how === "compound");
  const plain = binding.definitions.filter((definition) => definition.how !== "compound");
  const memory: Map<object, Value> = env?.known ?? (interpreter.bindings as Map<object, Value>);
  const given: Value[] = [];
  for (const definition of plain.slice(0, WRITES)) {
    // `at = at[key]` reads the earlier values.
    if (given.length > 0 && given.length <= STEPWISE) memory.set(binding, either(given));
    given.push(definitionOf(interpreter, definition, env));
  }
  let value = either(given);
  for (const [index, compound] of compounds.entries()) {
    // The right side may name the binding itself: `key = key + …` written as `key += …` reads the earlier value.
    memory.set(binding, value);
    const right = interpreter.evaluate(compound.node, compound.scope, env);
    // In another function, the step may run any number of times.
    const again = compound.looped || functionScope(compound.scope) !== functionScope(binding.scope);
    if (again || index >= STEPS) {
      if (isNumber(value) && isNumber(right)) {
        value = unknown(taintOf(value) | taintOf(right));
        continue;
      }
      const taint = taintOf(right) | (isSpelling(right) ? HIDDEN : 0);
      // A string that starts empty may begin with any of the pieces.
      const empty = options(value).some((one) => one.kind === "constant" && one.value === "");
      const begun = empty && compound.operator === "+" ? either([value, right]) : value;
      value = each(begun, (before) => {
        const { value: start, taint: earlier } = asText(before);
        return fromText(start.endsWith(HOLE) ? start : start + HOLE, taint | earlier);
      });
    } else
      value = either(
        [...options(calculate(compound.operator, value, right)), ...options(value)].slice(0, PREFIXES),
      );
  }
  return value;
}

function isNumber(value: Value): boolean {
  return options(value).every((option) => option.kind === "constant" && typeof option.value === "number");
}

/** Several single characters as alternatives: a word that is built letter by letter. */
function isSpelling(value: Value): boolean {
  const parts = options(value);
  return (
    parts.length > 2 &&
    parts.every(
      (part) => part.kind === "constant" && typeof part.value === "string" && part.value.length === 1,
    )
  );
}

/** The value of one definition. */
export function definitionOf(interpreter: Interpreter, definition: Definition, env: Frame | null): Value {
  switch (definition.how) {
    case "value":
      return interpreter.evaluate(definition.node, definition.scope, env);
    case "compound":
      return add(unknown(), interpreter.evaluate(definition.node, definition.scope, env));
    case "key": {
      const from = definitionOf(interpreter, definition.from, env);
      if (options(from).some(isGlobalObject)) return text(HOLE, COMPUTED_GLOBAL);
      const names = from.kind === "object" || from.kind === "record" ? keysOf(from) : [];
      return names.length === 0 || names.length > KEYS
        ? UNKNOWN
        : either(names.map((name) => constant(name)));
    }
    case "parameter":
      return parameterOf(interpreter, definition, env);
    case "member": {
      if (!chargeSteps(1)) return BEYOND_BUDGET;
      const { key, scope } = definition;
      const name = typeof key === "string" ? constant(key) : interpreter.evaluate(key, scope, env);
      return interpreter.members(definitionOf(interpreter, definition.from, env), name);
    }
    case "item":
      return each(definitionOf(interpreter, definition.from, env), (from) =>
        interpreter.member(toIterable(interpreter, from), String(definition.index)),
      );
    case "items":
      return each(definitionOf(interpreter, definition.from, env), (from) =>
        from.kind === "list" && chargeSteps(1 + (from.items.length >> 3))
          ? { kind: "list", items: from.items.slice(definition.start), node: null }
          : unknown(taintOf(from)),
      );
    case "element":
      return elementOf(
        each(definitionOf(interpreter, definition.from, env), (from) => toIterable(interpreter, from)),
      );
    case "either":
      return either(definition.of.map((one) => definitionOf(interpreter, one, env)));
    case "import":
      return host(definition.path);
    case "given":
      return definition.value;
    case "unknown":
      return UNKNOWN;
  }
}

/** Any element of an iterated value. */
export function elementOf(value: Value): Value {
  return each(value, (given) => {
    const list = given.kind === "record" ? pairsOf(given.entries) : given;
    if (list.kind === "list") return list.items.length === 0 ? UNKNOWN : either(list.items);
    if (list.kind === "constant" && typeof list.value === "string" && list.value !== "") {
      return either([...list.value.slice(0, 256)].map((character) => constant(character)));
    }
    return unknown(taintOf(list));
  });
}

function parameterOf(
  interpreter: Interpreter,
  definition: Extract<Definition, { how: "parameter" }>,
  env: Frame | null,
): Value {
  const { fn, index, rest } = definition;
  for (let frame = env; frame !== null; frame = frame.parent) {
    if (frame.fn !== fn) continue;
    if (rest) return { kind: "list", items: frame.args.slice(index), node: null };
    return frame.args[index] ?? constant(undefined);
  }
  const callers = interpreter.program.functions.get(fn)?.callers ?? [];
  if (!chargeSteps(callers.length >> 1) && callers.length > FEW) return BEYOND_BUDGET;
  if (rest) {
    const [caller] = callers;
    if (caller === undefined) return UNKNOWN;
    const count = (caller.nodes ?? caller.values).length;
    const items: Value[] = [];
    for (let at = index; at < count; at++) items.push(argumentOf(interpreter, caller, at) ?? UNKNOWN);
    return { kind: "list", items, node: null };
  }
  const given: Value[] = [];
  for (const caller of callers) {
    const value = argumentOf(interpreter, caller, index);
    if (value !== undefined) given.push(value);
  }
  return given.length === 0 ? UNKNOWN : either(given);
}

/** One argument of a call. */
function argumentOf(
  interpreter: Interpreter,
  { nodes, scope, values }: Caller,
  index: number,
): Value | undefined {
  if (nodes === null) return values[index];
  const node = nodes[index];
  return node === undefined ? undefined : interpreter.evaluate(node, scope, null);
}
