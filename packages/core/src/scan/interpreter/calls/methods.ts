import { chargeSteps } from "../budget.ts";
import { list } from "../builtins/builtin.ts";
import { elementOf } from "../core/definition.ts";
import type { Interpreter } from "../interpreter.ts";
import { pairsOf } from "../members/objects.ts";
import { callTextMethod } from "../text/methods.ts";
import { storedName, storedText } from "../text/string-holders.ts";
import { add, asNumber, asText, fromText, joinTexts, stringOf, taintOf } from "../text/text.ts";
import {
  BEYOND_BUDGET,
  constant,
  DECODED,
  each,
  HIDDEN,
  HOLE,
  isText,
  text,
  UNKNOWN,
  unknown,
  type Value,
} from "../value.ts";
import { accessorOf, privateTaint } from "./call-host.ts";

/** For how many elements a callback is followed, one by one. */
const ELEMENTS = 2048;

/** Methods that put a node into the page and return it, with the index of that argument. */
export const INSERTING_METHODS: Record<string, number> = {
  appendChild: 0,
  insertBefore: 0,
  insertAdjacentElement: 1,
  adoptNode: 0,
};

/** The result of a method of a value of the file. */
export function callMethod(interpreter: Interpreter, of: Value, name: string, args: Value[]): Value {
  if (name === "__lookupSetter__" || name === "__lookupGetter__")
    return accessorOf(of, name, args[0] ?? UNKNOWN);
  // A promise is treated as its value.
  if (name === "then" && args[0] !== undefined) return interpreter.call(args[0], () => [of]);
  if (name === "catch" || name === "finally") return of;
  if (isText(of)) return callTextMethod(interpreter, of, name, args);
  switch (of.kind) {
    case "list":
      return callListMethod(interpreter, of.items, name, args);
    case "constant":
      return callPrimitiveMethod(of, name, args);
    case "function":
    case "class":
      // The source text of a function contains its comments: a value read from them is hidden.
      return name === "toString" ? unknown(HIDDEN) : UNKNOWN;
    case "record":
    case "object":
      if (name === "toString") return constant("[object Object]");
      return of.kind === "record" ? callRecordMethod(of.entries, name, args) : UNKNOWN;
    case "element":
      if (name === "getAttribute") {
        const key = asText(args[0] ?? UNKNOWN).value;
        return storedText(interpreter.elementWrites.get(of)?.get(storedName(of.tag, key)));
      }
      return name === "cloneNode"
        ? of
        : INSERTING_METHODS[name] === undefined
          ? UNKNOWN
          : (args[INSERTING_METHODS[name]] ?? UNKNOWN);
    case "regex":
      return name === "exec" && args[0] !== undefined && isText(args[0])
        ? callTextMethod(interpreter, args[0], "match", [{ ...of, flags: of.flags.replace("g", "") }])
        : unknown(taintOf(of) | privateTaint(interpreter, () => args));
    default:
      return name === "toString" || name === "toLocaleString" ? stringOf(of) : unknown(taintOf(of));
  }
}

/** Methods of a `Map`, of query parameters or of headers. */
function callRecordMethod(entries: Map<string, Value>, name: string, args: Value[]): Value {
  const one = () => entries.get(asText(args[0] ?? UNKNOWN).value) ?? UNKNOWN;
  switch (name) {
    case "get":
      return one();
    case "getAll":
      return list([one()]);
    case "values":
      return list([...entries.values()]);
    case "keys":
      return list([...entries.keys()].map((key) => constant(key)));
    case "entries":
      return pairsOf(entries);
    default:
      return UNKNOWN;
  }
}

function callPrimitiveMethod(of: Extract<Value, { kind: "constant" }>, name: string, args: Value[]): Value {
  if (name === "valueOf") return of;
  if (name !== "toString") return UNKNOWN;
  const radix = args[0] === undefined ? 10 : asNumber(args[0]);
  if (typeof of.value !== "number" || radix === null) return stringOf(of);
  return radix >= 2 && radix <= 36 ? constant(of.value.toString(radix), radix > 16 ? DECODED : 0) : UNKNOWN;
}

function callListMethod(interpreter: Interpreter, items: Value[], name: string, args: Value[]): Value {
  const at = (index: number): Value => items.at(index) ?? constant(undefined);
  const number = (value: Value | undefined, otherwise: number) =>
    value === undefined ? otherwise : (asNumber(value) ?? otherwise);
  if (!chargeSteps(1 + (items.length >> 2))) return BEYOND_BUDGET;
  switch (name) {
    case "join": {
      if (!chargeSteps(items.length)) return BEYOND_BUDGET;
      const between = args[0] === undefined ? constant(",") : args[0];
      return joinItems(items, between);
    }
    case "toString":
      return joinItems(items, constant(","));
    case "reverse":
    case "toReversed":
      // Letters: a word that is written backwards. Other lists are reversed for other reasons.
      return list([...items].reverse().map((item) => (isLetter(item) ? { ...item, taint: DECODED } : item)));
    case "concat":
      return list([...items, ...args.flatMap((arg) => (arg.kind === "list" ? arg.items : [arg]))]);
    case "slice":
      return list(items.slice(number(args[0], 0), number(args[1], items.length)));
    case "at":
      return at(number(args[0], 0));
    case "pop":
      return at(-1);
    case "shift":
      return at(0);
    case "next":
      return { kind: "record", entries: new Map([["value", elementOf(list(items))]]) };
    case "flat":
      return list(items.flatMap((item) => (item.kind === "list" ? item.items : [item])));
    case "sort":
    case "toSorted":
      if (args[0] !== undefined) return list(sortedBy(interpreter, items, args[0]));
      return list(items.every((item) => item.kind === "constant") ? sorted(items) : items);
    case "map":
    case "flatMap":
      return list(mapItems(interpreter, items, args[0]));
    case "forEach":
      mapItems(interpreter, items, args[0]);
      return UNKNOWN;
    case "reduce":
    case "reduceRight":
      return reduceItems(interpreter, name === "reduce" ? items : [...items].reverse(), args);
    case "find":
    case "findLast":
      return elementOf(list(items));
    case "filter":
      return list(filtered(interpreter, items, args[0]));
    case "fill":
    case "values":
    case "with":
    case "toSpliced":
    case "splice":
    case "subarray":
      return list(items);
    case "entries":
      return list(items.map((item, index) => list([constant(index), item])));
    case "keys":
      return list(items.map((_, index) => constant(index)));
    default:
      return unknown(taintOf(list(items)));
  }
}

/** Lists up to this long are filtered by a function of the file. */
const FILTERED = 256;

/** The items that a callback of the file keeps; if that is unknown, letters may form any word. */
function filtered(interpreter: Interpreter, items: Value[], keep: Value | undefined): Value[] {
  if (keep?.kind !== "function" || items.length > FILTERED || !items.some(isLetter)) return items;
  const kept: Value[] = [];
  for (const [index, item] of items.entries()) {
    const answer = chargeSteps(1)
      ? interpreter.call(keep, () => [item, constant(index), list(items)])
      : BEYOND_BUDGET;
    if (answer.kind !== "constant") return [text(HOLE, HIDDEN)];
    if (answer.value) kept.push(item);
  }
  return kept;
}

function isLetter(item: Value): item is Extract<Value, { kind: "constant" }> {
  return item.kind === "constant" && typeof item.value === "string" && item.value.length === 1;
}

function sorted(items: Value[]): Value[] {
  return items
    .map((item) => ({ item, key: asText(item).value }))
    .sort((a, b) => {
      chargeSteps(1);
      return a.key < b.key ? -1 : 1;
    })
    .map(({ item }) => item);
}

/** Lists up to this long are sorted by a function of the file. */
const SORTED = 64;

/** Items sorted by a callback of the file; letters in an unknown order may form any word. */
function sortedBy(interpreter: Interpreter, items: Value[], compare: Value): Value[] {
  let told = items.length <= SORTED && items.length > 1;
  const result = told
    ? items.toSorted((a, b) => {
        if (!told || !chargeSteps(1)) return 0;
        const order = asNumber(interpreter.call(compare, () => [a, b]));
        told = order !== null;
        return order ?? 0;
      })
    : items;
  return told || !items.every(isLetter) ? result : items.map(() => text(HOLE));
}

/** `items.join(between)`; alternatives are combined for up to 8 items. */
function joinItems(items: Value[], between: Value): Value {
  const separator = asText(between);
  const parts: string[] = [];
  let taint = separator.taint;
  for (const item of items) {
    const read =
      item.kind === "constant" && (item.value === null || item.value === undefined) ? null : asText(item);
    parts.push(read?.value ?? "");
    taint |= read?.taint ?? 0;
  }
  if (items.length > 0 && items.length <= 8 && items.some((item) => item.kind === "either")) {
    return items.reduce(
      (sum, item, index) => add(index === 0 ? sum : add(sum, between), stringOf(item)),
      constant(""),
    );
  }
  const joined = joinTexts(parts, separator.value);
  return joined === HOLE ? text(HOLE, taint) : fromText(joined, taint);
}

function mapItems(interpreter: Interpreter, items: Value[], callback: Value | undefined): Value[] {
  if (callback === undefined) return items;
  const results: Value[] = [];
  const all: Value = { kind: "list", items, node: null };
  for (const [index, item] of items.entries()) {
    if (index === ELEMENTS || !chargeSteps(1)) {
      results.push(BEYOND_BUDGET);
      break;
    }
    results.push(interpreter.call(callback, () => [item, constant(index), all]));
  }
  return results;
}

function reduceItems(interpreter: Interpreter, items: Value[], args: Value[]): Value {
  const [callback, start] = args;
  if (callback === undefined) return UNKNOWN;
  let sum = start ?? items[0] ?? UNKNOWN;
  for (let index = start === undefined ? 1 : 0; index < items.length; index++) {
    const item = items[index] ?? UNKNOWN;
    if (!chargeSteps(1)) return BEYOND_BUDGET;
    const before = sum;
    sum = interpreter.call(callback, () => [before, item, constant(index)]);
  }
  return each(sum, (value) => value);
}

/** List methods that pass each element to a callback, so that its parameter may be any of them. */
export const ELEMENT_CALLBACKS = new Set([
  "map",
  "forEach",
  "flatMap",
  "filter",
  "some",
  "every",
  "find",
  "findLast",
  "findIndex",
]);
