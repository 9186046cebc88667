import type * as t from "@babel/types";
import { makeElement } from "./elements.ts";
import type { Evaluator } from "./evaluator.ts";
import { MAX_ITEMS } from "./limits.ts";
import { descriptor } from "./members.ts";
import { callMethod, callPageMethod, listOf } from "./methods.ts";
import { packagePath } from "./modules.ts";
import { DECODERS, PURE_FUNCTIONS } from "./natives.ts";
import { fromJs, NOT_KNOWN, toJs } from "./plain-values.ts";
import {
  constant,
  each,
  HIDDEN,
  hasHole,
  host,
  join,
  options,
  type Record_,
  SPENT,
  UNDEFINED,
  UNKNOWN,
  type Value,
} from "./value.ts";

const PROTOTYPE_METHOD =
  /^(?:Object|Function|String|Number|Array|RegExp|Map|Set|Element|Node|HTMLElement|XMLHttpRequest)\.prototype\.(\w+)$/;
/** Functions of React and of the language that give back what they are given. */
const PASSING =
  /(?:^|\.)(?:useCallback|memo|forwardRef|observer|useState|useRef|useMemo|useReducer|ref|reactive|computed|signal)$/;
const ELEMENT = /(?:^|\.)(?:createElement|cloneElement|_?jsxs?|_?jsxDEV|h)$/;

/** What calling a function of the browser, the language or a package gives. Only pure ones are really called. */
export function callHost(
  evaluator: Evaluator,
  path: string,
  self: Value | null,
  args: Value[],
  node: t.Node,
): Value {
  const [first = UNDEFINED, second = UNDEFINED, third = UNDEFINED] = args;
  const method = PROTOTYPE_METHOD.exec(path)?.[1];
  if (method !== undefined) return callMethod(evaluator, self ?? UNKNOWN, method, args, node);
  switch (path) {
    case "Reflect.get":
      return join(evaluator.texts(second).map((key) => evaluator.member(first, key)));
    case "Reflect.apply":
      return evaluator.call(first, second, listOf(third), node);
    case "Reflect.construct":
      return evaluator.construct(first, listOf(second), node);
    case "Reflect.set":
    case "Object.defineProperty":
    case "Reflect.defineProperty": {
      const value = path === "Reflect.set" ? third : evaluator.member(third, "value");
      for (const key of evaluator.texts(second)) evaluator.write(first, key, value, node);
      return first;
    }
    case "Object.getPrototypeOf":
    case "Reflect.getPrototypeOf":
      return each(first, (one) => evaluator.member(one, "__proto__"));
    case "Object.getOwnPropertyDescriptor":
    case "Reflect.getOwnPropertyDescriptor":
      return descriptor(evaluator, first, evaluator.text(second));
    case "Object.getOwnPropertyDescriptors":
      return { kind: "method", on: first, key: "*descriptors" };
    case "Object.assign":
      for (const from of args.slice(1).flatMap(options)) copy(evaluator, first, from, node);
      return first;
    case "Object.create":
      return newObject(evaluator, [], first);
    case "Object.freeze":
    case "Object.seal":
    case "structuredClone":
    case "Promise.resolve":
    case "Promise.all":
    case "Object":
      return first;
    case "Object.entries":
    case "Object.keys":
    case "Object.values":
      return entriesOf(evaluator, path, first);
    case "Object.fromEntries":
      return newObject(evaluator, pairsOf(evaluator, first), null);
    case "Array.from":
      return arrayFrom(evaluator, first, second, node);
    case "Array":
      return constructHost(evaluator, path, args);
    case "require":
      return host(packagePath(evaluator.text(first)));
    case "open":
      return host("");
    case "URL.createObjectURL":
      return first;
    case "Reflect.ownKeys":
      return entriesOf(evaluator, "Object.keys", first);
  }
  if (PASSING.test(path)) return passed(evaluator, path, first, node);
  if (ELEMENT.test(path) && !path.startsWith("document")) return makeElement(evaluator, first, second, node);
  const page = callPageMethod(evaluator, self, path.slice(path.lastIndexOf(".") + 1), args, node);
  return page ?? callNative(evaluator, path, args);
}

function callNative(evaluator: Evaluator, path: string, args: Value[]): Value {
  const native = Object.hasOwn(PURE_FUNCTIONS, path) ? PURE_FUNCTIONS[path] : undefined;
  if (native === undefined) return UNKNOWN;
  const plain = args.map((arg) => toJs(arg));
  const length = plain.reduce<number>(
    (sum, one) => sum + (typeof one === "string" || Array.isArray(one) ? one.length : 1),
    0,
  );
  if (plain.includes(NOT_KNOWN)) {
    if (path === "String") return constant(evaluator.text(args[0] ?? UNDEFINED));
    return DECODERS.has(path) ? constant(HIDDEN) : UNKNOWN;
  }
  if (length > 256 && !evaluator.budget.charge(length)) return SPENT;
  try {
    const made = fromJs(native(...(plain as never[])), evaluator.context);
    return path === "Buffer.from" && made.kind === "list" ? { ...made, bytes: true } : made;
  } catch {
    return UNKNOWN;
  }
}

/** What `new` gives for a class of the browser or a package. */
export function constructHost(evaluator: Evaluator, path: string, args: Value[]): Value {
  const [first = UNDEFINED, second] = args;
  switch (path) {
    case "Array": {
      const length = toJs(first);
      if (args.length !== 1 || typeof length !== "number")
        return { kind: "list", items: args, context: evaluator.context };
      if (!(length <= MAX_ITEMS)) return SPENT;
      return { kind: "list", items: new Array(length).fill(UNDEFINED), context: evaluator.context };
    }
    case "Set":
      return each(first, (one) => (one.kind === "list" ? { ...one, items: [...one.items] } : UNKNOWN));
    case "Map":
      return newObject(evaluator, pairsOf(evaluator, first), null);
    case "Proxy":
    case "String":
    case "Object":
    case "Promise":
    case "Request":
      return path === "Promise" ? UNKNOWN : first;
    case "RegExp":
      try {
        return constant(
          new RegExp(evaluator.text(first), second === undefined ? "" : evaluator.text(second)),
        );
      } catch {
        return UNKNOWN;
      }
    case "URL":
      return address(evaluator, first, second);
    case "Image":
    case "Audio":
      return { kind: "element", tag: path === "Image" ? "img" : "audio", props: new Map() };
  }
  if (Object.hasOwn(PURE_FUNCTIONS, path)) return callNative(evaluator, path, args);
  return host(`${path}()`);
}

/** An address as an object: its string is that of the address, resolved if both parts are known to matter. */
function address(evaluator: Evaluator, given: Value, base: Value | undefined): Value {
  const text = evaluator.text(given);
  const above = base === undefined ? "" : evaluator.text(base);
  const isWhole = base === undefined || /^[a-z][a-z\d+.-]*:|^[\\/]{2}/i.test(text);
  const whole = constant(isWhole ? text : above.replace(/\/*$/, "/") + text.replace(/^\/+/, ""));
  const props = new Map<string, Value>([
    ["href", whole],
    ["#address", whole],
  ]);
  return { kind: "object", props, of: null, context: evaluator.context };
}

function newObject(
  evaluator: Evaluator,
  entries: Iterable<readonly [string, Value]>,
  of: Value | null,
): Record_ {
  return { kind: "object", props: new Map(entries), of, context: evaluator.context };
}

function copy(evaluator: Evaluator, to: Value, from: Value, node: t.Node): void {
  if (from.kind !== "object" || !evaluator.budget.charge(from.props.size)) return;
  for (const [key, value] of from.props) evaluator.write(to, key, value, node);
}

function entriesOf(evaluator: Evaluator, path: string, of: Value): Value {
  const [first = UNKNOWN] = options(of);
  if (first.kind !== "object" && first.kind !== "list") return UNKNOWN;
  const entries =
    first.kind === "object" ? [...first.props] : first.items.map((item, at) => [String(at), item] as const);
  if (!evaluator.budget.charge(entries.length)) return SPENT;
  const { context } = evaluator;
  const items = entries.map(([key, value]): Value => {
    if (path === "Object.values") return value;
    return path === "Object.keys" ? constant(key) : { kind: "list", items: [constant(key), value], context };
  });
  return { kind: "list", items, context };
}

function pairsOf(evaluator: Evaluator, list: Value): (readonly [string, Value])[] {
  if (list.kind !== "list" || !evaluator.budget.charge(list.items.length)) return [];
  return list.items.flatMap((pair) =>
    pair.kind === "list"
      ? [[evaluator.text(pair.items[0] ?? UNDEFINED), pair.items[1] ?? UNDEFINED] as const]
      : [],
  );
}

function arrayFrom(evaluator: Evaluator, from: Value, by: Value, node: t.Node): Value {
  const { context } = evaluator;
  const [first = UNKNOWN] = options(from);
  let items: Value[] | null = null;
  if (first.kind === "list") items = [...first.items];
  if (first.kind === "constant" && typeof first.value === "string")
    items = [...first.value.slice(0, MAX_ITEMS)].map(constant);
  if (first.kind === "object") {
    const length = toJs(evaluator.member(first, "length"));
    if (typeof length === "number" && length <= MAX_ITEMS) items = new Array(length).fill(UNDEFINED);
  }
  if (items === null || !evaluator.budget.charge(items.length)) return items === null ? UNKNOWN : SPENT;
  if (by !== UNDEFINED)
    items = items.map((item, index) => evaluator.call(by, null, [item, constant(index)], node));
  return { kind: "list", items, context };
}

function passed(evaluator: Evaluator, path: string, first: Value, node: t.Node): Value {
  const { context } = evaluator;
  const called = first.kind === "function" && /use(?:Memo|State)$|computed$/.test(path);
  const value = called ? evaluator.call(first, null, [], node) : first;
  if (/useState$|useReducer$/.test(path)) return { kind: "list", items: [value, UNKNOWN], context };
  if (/useRef$/.test(path)) return newObject(evaluator, [["current", value]], null);
  return /(?:ref|signal|computed)$/.test(path) && !/forwardRef$/.test(path)
    ? newObject(evaluator, [["value", value]], null)
    : value;
}
