import type * as t from "@babel/types";
import type { Scope } from "../../program/scope.ts";
import { charge } from "../budget.ts";
import { oneList } from "../builtins/builtin.ts";
import type { Interpreter } from "../interpreter.ts";
import { pairsOf } from "../members/objects.ts";
import { taintOf } from "../text/text.ts";
import { BEYOND_BUDGET, constant, type Frame, unknown, type Value } from "../value.ts";
import { toIterable } from "./conversions.ts";

/** How many elements of a list are kept. */
const ITEMS = 8192;
/** The cost of one element, in characters. */
const ITEM = 40;

/** Elements or arguments, with spreads expanded. */
export function itemsOf(
  interpreter: Interpreter,
  nodes: readonly (t.Node | null)[],
  scope: Scope,
  env: Frame | null,
): Value[] {
  const [only] = nodes;
  if (nodes.length === 1 && only && only.type !== "SpreadElement")
    return [interpreter.evaluate(only, scope, env)];
  const items: Value[] = [];
  for (const node of nodes) {
    if (items.length > ITEMS || !charge(ITEM)) {
      items.length = Math.min(items.length, ITEMS);
      items.push(BEYOND_BUDGET);
      return items;
    }
    if (node === null) items.push(constant(undefined));
    else if (node.type !== "SpreadElement") items.push(interpreter.evaluate(node, scope, env));
    else {
      const given = oneList(toIterable(interpreter, interpreter.evaluate(node.argument, scope, env)));
      const spread = given.kind === "record" ? pairsOf(given.entries) : given;
      if (spread.kind === "list") {
        charge(spread.items.length * ITEM);
        for (const item of spread.items) items.push(item);
      } else if (spread.kind === "constant" && typeof spread.value === "string") {
        for (const character of spread.value.slice(0, ITEMS)) items.push(constant(character));
      } else items.push(unknown(taintOf(spread)));
    }
  }
  return items;
}
