import type * as t from "@babel/types";
import { makeElement } from "./elements.ts";
import type { Evaluator } from "./evaluator.ts";
import { callListMethod } from "./list-methods.ts";
import { callPure } from "./natives.ts";
import { fromJs, NOT_KNOWN, toJs } from "./plain-values.ts";
import { constant, each, HOLE, hasHole, options, SPENT, UNDEFINED, UNKNOWN, type Value } from "./value.ts";

const CALLABLE = new Set<Value["kind"]>(["host", "function", "method", "bound"]);
/** Methods that call what they are given, whatever they belong to. */
const CALLING = new Set(
  "map forEach filter find some every flatMap then catch finally replace addEventListener".split(" "),
);

/** Calls a method of a value by its name. */
export function callMethod(evaluator: Evaluator, on: Value, key: string, args: Value[], node: t.Node): Value {
  return each(on, (self) => {
    const [first = UNDEFINED, second = UNDEFINED] = args;
    if (key.startsWith("=")) {
      evaluator.write(self, key.slice(1), first, node);
      return UNDEFINED;
    }
    if (key.startsWith(".")) return evaluator.member(self, key.slice(1));
    if (CALLABLE.has(self.kind))
      switch (key) {
        case "call":
          return evaluator.call(self, first, args.slice(1), node);
        case "apply":
          return evaluator.call(self, first, listOf(second), node);
        case "bind":
          return { kind: "bound", to: self, self: first, args: args.slice(1) };
      }
    switch (key) {
      case "__lookupSetter__":
        return { kind: "method", on: self, key: `=${evaluator.text(first)}` };
      case "__lookupGetter__":
        return { kind: "method", on: self, key: `.${evaluator.text(first)}` };
      case "then":
        return self.kind === "unknown"
          ? callGiven(evaluator, args, node)
          : evaluator.call(first, null, [self], node);
    }
    if (self.kind === "list") return callListMethod(evaluator, self, key, args, node);
    if (self.kind === "constant") return callConstant(evaluator, self, key, args, node);
    if (self.kind === "object") return callMapMethod(evaluator, self, key, args);
    return callOther(evaluator, self, key, args, node);
  });
}

/** The arguments in a list that is passed as one. */
export function listOf(value: Value): Value[] {
  const [first = UNKNOWN] = options(value);
  return first.kind === "list" ? first.items : first === UNDEFINED ? [] : [UNKNOWN];
}

/** Functions of the browser that a method is given to call. */
function callGiven(evaluator: Evaluator, args: readonly Value[], node: t.Node): Value {
  for (const given of args.flatMap(options))
    if (given.kind === "host" || given.kind === "bound") evaluator.call(given, null, [UNKNOWN], node);
  return UNKNOWN;
}

function callConstant(
  evaluator: Evaluator,
  self: Value & { kind: "constant" },
  key: string,
  args: Value[],
  node: t.Node,
): Value {
  const plain = args.map((arg): unknown => {
    if (CALLABLE.has(arg.kind))
      return (...given: unknown[]) =>
        evaluator.text(
          evaluator.call(
            arg,
            null,
            given.map((one) => fromJs(one, evaluator.context)),
            node,
          ),
        );
    const known = toJs(arg, true);
    return known === NOT_KNOWN && /^(?:concat|replace|replaceAll)$/.test(key) ? evaluator.text(arg) : known;
  });
  if (plain.includes(NOT_KNOWN))
    return args.some((arg) => arg.kind === "unknown" && arg.spent) ? SPENT : UNKNOWN;
  const called = callPure(
    self.value,
    key,
    plain,
    (length) => length < 256 || evaluator.budget.charge(length),
  );
  if (called === "too much") return SPENT;
  if (called === "none") return UNKNOWN;
  const isPartial = [self.value, ...plain].some((one) => typeof one === "string" && hasHole(one));
  if (isPartial && typeof called.result !== "string" && !Array.isArray(called.result)) return UNKNOWN;
  return fromJs(called.result, evaluator.context);
}

/** Methods of maps, whose entries are properties. */
function callMapMethod(
  evaluator: Evaluator,
  self: Value & { kind: "object" },
  key: string,
  args: Value[],
): Value {
  const [name = UNDEFINED, value = UNDEFINED] = args;
  switch (key) {
    case "get":
      return evaluator.member(self, evaluator.text(name));
    case "set":
      self.props.set(evaluator.text(name), value);
      return self;
    case "values":
      return { kind: "list", items: [...self.props.values()], context: evaluator.context };
    case "keys":
      return { kind: "list", items: [...self.props.keys()].map(constant), context: evaluator.context };
    case "toString":
    case "valueOf":
      return key === "valueOf" ? self : (self.props.get("#address") ?? UNKNOWN);
    default:
      return UNKNOWN;
  }
}

/** A method of an element, of an object of the page or of a value that is not known. */
function callOther(evaluator: Evaluator, on: Value, key: string, args: Value[], node: t.Node): Value {
  evaluator.act({ kind: "call", path: null, key, on, args, node });
  return callPageMethod(evaluator, on, key, args, node) ?? callRest(evaluator, key, args, node);
}

function callRest(evaluator: Evaluator, key: string, args: Value[], node: t.Node): Value {
  if (CALLING.has(key)) callGiven(evaluator, args, node);
  return key === "concat" || key === "replace" ? constant(HOLE) : UNKNOWN;
}

/** Methods of the page's objects, of elements and of jQuery, whatever they are called on. */
export function callPageMethod(
  evaluator: Evaluator,
  on: Value | null,
  key: string,
  args: Value[],
  node: t.Node,
): Value | null {
  const [first = UNDEFINED, second = UNDEFINED, third = UNDEFINED] = args;
  switch (key) {
    case "setAttribute":
    case "attr":
    case "setAttributeNS":
      if (args.length > 1)
        for (const name of evaluator.texts(key === "setAttributeNS" ? second : first))
          evaluator.write(
            on ?? UNKNOWN,
            name.toLowerCase(),
            key === "setAttributeNS" ? third : second,
            node,
            true,
          );
      return UNKNOWN;
    case "createElement":
    case "createElementNS":
      return makeElement(evaluator, key === "createElement" ? first : second, null, node);
    default:
      return null;
  }
}
