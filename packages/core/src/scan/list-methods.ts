import type * as t from "@babel/types";
import type { Evaluator } from "./evaluator.ts";
import { MAX_ITEMS, MAX_TEXT } from "./limits.ts";
import { NOT_KNOWN, toJs } from "./plain-values.ts";
import {
  constant,
  HIDDEN,
  hasHole,
  join,
  type List,
  options,
  SPENT,
  truth,
  UNDEFINED,
  UNKNOWN,
  type Value,
} from "./value.ts";

/** Calls a method of a list, as the language does. Callbacks are evaluated for each item. */
export function callListMethod(
  evaluator: Evaluator,
  list: List,
  key: string,
  args: Value[],
  node: t.Node,
): Value {
  const { items } = list;
  if (items.length > 8 && !evaluator.budget.charge(items.length)) return SPENT;
  const [first = UNDEFINED] = args;
  const numbers = args.map((arg) => (arg.kind === "constant" ? Number(arg.value) : Number.NaN));
  const make = (made: Value[]): Value =>
    made.length > MAX_ITEMS ? SPENT : { kind: "list", items: made, context: evaluator.context };
  const called = (item: Value, index: number) =>
    evaluator.call(first, null, [item, constant(index), list], node);
  // What may happen or not removes nothing.
  const certain = list.context === evaluator.context;
  switch (key) {
    case "push":
    case "unshift":
    case "add":
      if (items.length + args.length > MAX_ITEMS) return SPENT;
      if (key === "unshift") items.unshift(...args);
      else items.push(...args);
      return key === "add" ? list : constant(items.length);
    case "pop":
      return (certain ? items.pop() : items.at(-1)) ?? UNDEFINED;
    case "shift":
    case "next": {
      const item = (certain ? items.shift() : items[0]) ?? UNDEFINED;
      return key === "shift"
        ? item
        : { kind: "object", props: new Map([["value", item]]), of: null, context: evaluator.context };
    }
    case "reverse":
      if (certain) items.reverse();
      return list;
    case "toReversed":
      return make([...items].reverse());
    case "splice":
      return make(
        certain ? items.splice(numbers[0] ?? 0, numbers[1] ?? items.length, ...args.slice(2)) : [...items],
      );
    case "slice":
      return make(items.slice(numbers[0] || 0, args.length > 1 ? numbers[1] : undefined));
    case "at":
      return Number.isNaN(numbers[0]) ? join(items) : (items.at(numbers[0] ?? 0) ?? UNDEFINED);
    case "concat":
      return make([...items, ...args.flatMap((arg) => (arg.kind === "list" ? arg.items : [arg]))]);
    case "flat":
      return make(items.flatMap((item) => (item.kind === "list" ? item.items : [item])));
    case "fill":
      if (certain) items.fill(first);
      return list;
    case "values":
    case "entries":
      return make(key === "values" ? [...items] : items.map((item, index) => make([constant(index), item])));
    case "keys":
      return make(items.map((_, index) => constant(index)));
    case "map":
      return make(items.map(called));
    case "flatMap":
      return make(items.map(called).flatMap((item) => (item.kind === "list" ? item.items : [item])));
    case "forEach":
      items.forEach(called);
      return UNDEFINED;
    case "filter":
      return make(items.filter((item, index) => truth(called(item, index)) !== false));
    case "find":
    case "findLast": {
      const order = key === "find" ? items : [...items].reverse();
      const found: Value[] = [];
      for (const [index, item] of order.entries()) {
        const known = truth(called(item, index));
        if (known !== false) found.push(item);
        if (known === true) break;
      }
      return found.length === 0 ? UNDEFINED : join(found);
    }
    case "some":
    case "every":
      items.forEach(called);
      return UNKNOWN;
    case "reduce":
    case "reduceRight":
      return reduce(evaluator, key === "reduce" ? items : [...items].reverse(), args, node);
    case "sort":
    case "toSorted":
      return sort(evaluator, list, first, key === "sort" && certain, node);
    case "join":
      return joinItems(evaluator, items, args.length === 0 ? "," : evaluator.text(first));
    case "toString":
      return list.bytes === true || args.length > 0 ? decode(items) : joinItems(evaluator, items, ",");
    case "indexOf":
    case "includes": {
      const [known, wanted] = [toJs(list), toJs(first)];
      if (known === NOT_KNOWN || wanted === NOT_KNOWN) return UNKNOWN;
      const at = (known as unknown[]).indexOf(wanted);
      return constant(key === "includes" ? at >= 0 : at);
    }
    default:
      return UNKNOWN;
  }
}

function joinItems(evaluator: Evaluator, items: readonly Value[], between: string): Value {
  let text = "";
  for (const [index, item] of items.entries()) {
    const isEmpty = item.kind === "constant" && (item.value === undefined || item.value === null);
    text += (index > 0 ? between : "") + (isEmpty ? "" : evaluator.text(item));
    if (text.length > MAX_TEXT) return SPENT;
  }
  return text.length < 256 || evaluator.budget.charge(text.length) ? constant(text) : SPENT;
}

function reduce(evaluator: Evaluator, items: readonly Value[], args: Value[], node: t.Node): Value {
  const [by = UNKNOWN, start] = args;
  const rest = [...items];
  let value = start ?? rest.shift() ?? UNDEFINED;
  for (const [index, item] of rest.entries())
    value = evaluator.call(by, null, [value, item, constant(index)], node);
  return value;
}

function sort(evaluator: Evaluator, list: List, by: Value, inPlace: boolean, node: t.Node): Value {
  const sorted = [...list.items];
  const order = (a: Value, b: Value): number => {
    if (by.kind === "function") {
      const [one = UNKNOWN] = options(evaluator.call(by, null, [a, b], node));
      return one.kind === "constant" ? Number(one.value) || 0 : 0;
    }
    return evaluator.text(a) < evaluator.text(b) ? -1 : 1;
  };
  sorted.sort(order);
  if (inPlace) list.items.splice(0, list.items.length, ...sorted);
  return inPlace ? list : { kind: "list", items: sorted, context: evaluator.context };
}

function decode(items: readonly Value[]): Value {
  const codes = items.map((item) => (item.kind === "constant" ? Number(item.value) : Number.NaN));
  if (codes.some(Number.isNaN)) return constant(HIDDEN);
  const text = new TextDecoder().decode(Uint8Array.from(codes));
  return hasHole(text) ? UNKNOWN : constant(text);
}
