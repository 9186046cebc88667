import type { Interpreter } from "../interpreter.ts";
import { taintOf } from "../text/text.ts";
import { options, type Value } from "../value.ts";
import { keysOf } from "./objects.ts";

/** How deep nested objects are read, and how many properties of each. */
const DEPTH = 3;
const KEYS = 32;

/** All taints of a value and of the values of its properties. */
export function deepTaint(interpreter: Interpreter, value: Value, depth = 0): number {
  let taint = taintOf(value);
  if (depth === DEPTH) return taint;
  for (const option of options(value)) {
    if (option.kind === "list") {
      for (const item of option.items.slice(0, KEYS)) taint |= deepTaint(interpreter, item, depth + 1);
    } else if (option.kind === "object" || option.kind === "record") {
      for (const key of keysOf(option).slice(0, KEYS))
        taint |= deepTaint(interpreter, interpreter.member(option, key), depth + 1);
      if (option.kind === "object")
        for (const property of option.node.properties)
          if (property.type === "SpreadElement")
            taint |= deepTaint(
              interpreter,
              interpreter.evaluate(property.argument, option.scope, option.env),
              depth + 1,
            );
    }
  }
  return taint;
}
