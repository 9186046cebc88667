import type * as t from "@babel/types";
import type { Definition } from "../../program/scope.ts";
import { chargeSteps } from "../budget.ts";
import type { Interpreter } from "../interpreter.ts";
import { BEYOND_BUDGET, either, type Value } from "../value.ts";

/** The value that the file assigns to a property of its own object, class or function; null if none. */
export function assignedValue(interpreter: Interpreter, node: t.Node | null, key: string): Value | null {
  if (node === null) return null;
  const definitions = interpreter.properties.get(node)?.get(key);
  return definitions === undefined ? null : valueOfDefinitions(interpreter, definitions);
}

/** The key under which values pushed into a list are stored. */
export const PUSHED = "@@pushed";
/** How many values pushed into one list are followed. */
const MAX_PUSHED = 64;

/** The values that the file pushes into a list. */
export function pushedValues(interpreter: Interpreter, node: t.Node): Value[] {
  const definitions = interpreter.properties.get(node)?.get(PUSHED) ?? [];
  const values: Value[] = [];
  for (const definition of definitions.slice(0, MAX_PUSHED)) {
    if (!chargeSteps(1)) break;
    values.push(interpreter.definition(definition, null));
  }
  return values;
}

/** Reads a property: any of the values assigned to it. Each read costs one step of the budget for each of them. */
export function valueOfDefinitions(interpreter: Interpreter, definitions: readonly Definition[]): Value {
  if (!chargeSteps(definitions.length)) return BEYOND_BUDGET;
  return either(definitions.map((definition) => interpreter.definition(definition, null)));
}
