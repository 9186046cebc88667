import type * as t from "@babel/types";
import type { Definition } from "../../program/scope.ts";
import { spend } from "../budget.ts";
import type { Interpreter } from "../interpreter.ts";
import { either, TANGLED, type Value } from "../value.ts";

/** The value that the file assigns to a property of its own object, class or function; null if none. */
export function writtenTo(interpreter: Interpreter, node: t.Node | null, key: string): Value | null {
  if (node === null) return null;
  const definitions = interpreter.properties.get(node)?.get(key);
  return definitions === undefined ? null : putThere(interpreter, definitions);
}

/** The key under which values pushed into a list are stored. */
export const PUSHED = "@@pushed";
/** How many values pushed into one list are followed. */
const PUSHES = 64;

/** The values that the file pushes into a list. */
export function pushedInto(interpreter: Interpreter, node: t.Node): Value[] {
  const definitions = interpreter.properties.get(node)?.get(PUSHED) ?? [];
  const values: Value[] = [];
  for (const definition of definitions.slice(0, PUSHES)) {
    if (!spend(1)) break;
    values.push(interpreter.definition(definition, null));
  }
  return values;
}

/** Reads a property: any of the values assigned to it. Each read costs one step of the budget for each of them. */
export function putThere(interpreter: Interpreter, definitions: readonly Definition[]): Value {
  if (!spend(definitions.length)) return TANGLED;
  return either(definitions.map((definition) => interpreter.definition(definition, null)));
}
