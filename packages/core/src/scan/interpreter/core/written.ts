import type * as t from "@babel/types";
import type { Definition } from "../../program/scope.ts";
import { spend } from "../budget.ts";
import type { Interpreter } from "../interpreter.ts";
import { either, TANGLED, type Value } from "../value.ts";

/** What the file puts into a property of an object, class or function of its own; null when nothing. */
export function writtenTo(interpreter: Interpreter, node: t.Node | null, key: string): Value | null {
  if (node === null) return null;
  const definitions = interpreter.properties.get(node)?.get(key);
  return definitions === undefined ? null : putThere(interpreter, definitions);
}

/** Under this name it is kept what is pushed into a list. */
export const PUSHED = "@@pushed";
/** Values pushed into one list that are followed. */
const PUSHES = 64;

/** What the file pushes into a list. */
export function pushedInto(interpreter: Interpreter, node: t.Node): Value[] {
  const definitions = interpreter.properties.get(node)?.get(PUSHED) ?? [];
  const values: Value[] = [];
  for (const definition of definitions.slice(0, PUSHES)) {
    if (!spend(1)) break;
    values.push(interpreter.definition(definition, null));
  }
  return values;
}

/** Any of what is put into one place; each time it is asked for, all of it is looked through. */
export function putThere(interpreter: Interpreter, definitions: readonly Definition[]): Value {
  if (!spend(definitions.length)) return TANGLED;
  return either(definitions.map((definition) => interpreter.definition(definition, null)));
}
