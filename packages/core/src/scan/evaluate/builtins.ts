import type * as t from "@babel/types";
import { constant, host, join, UNKNOWN, type Value } from "../value.ts";
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

/** Functions and classes of the language and of React, by their paths. Their arguments do not have to be plain values. */
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
