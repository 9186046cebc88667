import type * as t from "@babel/types";
import { MAX_ITEMS } from "../limits.ts";
import { constant, type List, SPENT, truth, UNKNOWN, type Value } from "../value.ts";
import type { World } from "./world.ts";

/** Methods of arrays that only move items, and methods that call a function with them. */
const MOVING = /^(?:push|unshift|pop|shift|reverse|splice|slice|at|fill|keys)$/;
const CALLING = /^(?:map|forEach|filter|find|some|every|reduce|reduceRight|sort)$/;
const POSITIONS = /^(?:splice|slice|at)$/;
const TESTS = /^(?:filter|find|some|every)$/;

/** Calls a method of a list as the language does. Callbacks are evaluated for each item. */
export function callOfList(run: World, list: List, key: string, args: Value[], node: t.Node): Value {
  const { items } = list;
  const [first = UNKNOWN] = args;
  if ((items.length > 8 && !run.budget.charge(items.length)) || items.length + args.length > MAX_ITEMS)
    return SPENT;
  if (key === "join") return run.fromPlain(run.joined(items, args.length === 0 ? "," : run.text(first)));
  if (key === "concat" || key === "flat")
    return run.list((key === "flat" ? items : [list, ...args]).flatMap(run.argsIn));
  if (!MOVING.test(key) && !CALLING.test(key)) return UNKNOWN;
  const callback = (...given: unknown[]) => {
    const value = run.call(first, null, given.map(asValue), node);
    if (key === "sort") return value.kind === "constant" ? Number(value.value) : 0;
    return TESTS.test(key) ? truth(value) !== false : value;
  };
  const plain = args.map((arg): unknown => {
    if (CALLING.test(key) && arg === first) return callback;
    return arg.kind === "constant" && POSITIONS.test(key) ? arg.value : arg;
  });
  const result = (items as unknown as Record<string, (...args: unknown[]) => unknown>)[key]?.(...plain);
  return Array.isArray(result) ? (result === items ? list : run.list(result)) : asValue(result);
}

function asValue(plain: unknown): Value {
  if (Array.isArray(plain)) return UNKNOWN;
  return typeof plain === "object" && plain !== null ? (plain as Value) : constant(plain as number);
}
