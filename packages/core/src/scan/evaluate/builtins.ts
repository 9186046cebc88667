import type * as t from "@babel/types";
import { MAX_ITEMS } from "../limits.ts";
import { constant, host, join, type List, SPENT, truth, UNKNOWN, type Value } from "../value.ts";
import type { World } from "./world.ts";

type Builtin = (run: World, args: Value[], node: t.Node) => Value;

const same: Builtin = (_run, [first = UNKNOWN]) => first;
const entriesOf =
  (make: (run: World, key: Value, value: Value) => Value): Builtin =>
  (run, [of]) => {
    if (of?.kind !== "object" || !run.budget.charge(of.props.size)) return UNKNOWN;
    return run.list([...of.props].map(([key, value]) => make(run, constant(key), value)));
  };
const writer =
  (isDescribed: boolean): Builtin =>
  (run, [on = UNKNOWN, key = UNKNOWN, value = UNKNOWN], node) => {
    for (const name of run.texts(key))
      run.write(on, name, isDescribed ? run.member(value, "value") : value, node);
    return on;
  };
const element: Builtin = (run, [type = UNKNOWN, props], node) => {
  const made = run.makeElement(type, props && run.member(props, "type"), node);
  run.assignAll(made, props, node);
  return made;
};

/** Functions and classes of the language and of React, by their paths. Unlike those of natives.ts, they accept unknown arguments. */
const BUILTINS: Readonly<Record<string, Builtin>> = {
  "Reflect.get": (run, [on = UNKNOWN, key = UNKNOWN]) =>
    join(run.texts(key).map((name) => run.member(on, name))),
  "Reflect.apply": (run, [callee = UNKNOWN, self = UNKNOWN, args = UNKNOWN], node) =>
    run.call(callee, self, run.argsIn(args), node),
  "Reflect.construct": (run, [callee = UNKNOWN, args = UNKNOWN], node) =>
    run.construct(callee, run.argsIn(args), node),
  "Reflect.set": writer(false),
  "Object.defineProperty": writer(true),
  "Object.getPrototypeOf": (run, [of = UNKNOWN]) => run.member(of, "__proto__"),
  "Object.getOwnPropertyDescriptor": (run, [on = UNKNOWN, key = UNKNOWN]) =>
    run.object([["value", run.member(on, run.text(key))]]),
  "Object.assign": (run, [to = UNKNOWN, ...from], node) => {
    for (const of of from) run.assignAll(to, of, node);
    return to;
  },
  "Object.keys": entriesOf((_run, key) => key),
  "Object.values": entriesOf((_run, _key, value) => value),
  "Object.entries": entriesOf((run, key, value) => run.list([key, value])),
  "Object.freeze": same,
  "Promise.resolve": same,
  Proxy: same,
  Request: same,
  Set: same,
  URL: (run, [of = UNKNOWN, base = of]) => (/^[a-z+]+:|^\/\//i.test(run.text(of) ?? "") ? of : base),
  Map: (run, [pairs = UNKNOWN]) => {
    const entries = run.argsIn(pairs).map(run.argsIn);
    return run.object(entries.map(([key = UNKNOWN, value = UNKNOWN]) => [run.text(key), value] as const));
  },
  "Array.from": (run, [of = UNKNOWN, make], node) => {
    const items = run.items(of);
    return run.list(items.map((item) => (make === undefined ? item : run.call(make, null, [item], node))));
  },
  "String.raw": (run, [strings = UNKNOWN, ...values]) =>
    run.fromPlain(run.interleaved(run.argsIn(strings), values)),
  String: (run, [of = UNKNOWN]) => run.fromPlain(run.text(of)),
  Image: () => ({ kind: "element", tag: "img", props: new Map() }),
  require: (run, [name = UNKNOWN]) => host(`npm:${run.text(name).replace(/^node:/, "")}`),
};
const ELEMENT = /(?:^|\.)(?:createElement|cloneElement|_?jsxs?|_?jsxDEV|h)$/;

export function builtinAt(path: string): Builtin | undefined {
  if (Object.hasOwn(BUILTINS, path)) return BUILTINS[path];
  return ELEMENT.test(path) && !path.startsWith("document") ? element : undefined;
}

/** Methods of arrays that only move or read items, and methods that call a function with each item. */
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
