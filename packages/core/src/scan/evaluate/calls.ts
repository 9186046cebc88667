import type * as t from "@babel/types";
import { MAX_ITEMS, MAX_TEXT } from "../limits.ts";
import { costOf, DECODERS, isPureMethod, nativeAt } from "../natives.ts";
import { options, toPlain, truth } from "../value.ts";
import { type Closure, constant, each, HIDDEN, hasHole, host, join, type List, NOT_KNOWN } from "../value.ts";
import { SPENT, UNDEFINED, UNKNOWN, type Value } from "../value.ts";
import { World } from "./world.ts";

const CALLABLE = new Set<Value["kind"]>(["host", "function", "method", "bound"]);
/** Methods that call what they are given, whatever they belong to. */
const CALLING =
  /^(?:map|forEach|filter|find|some|every|flatMap|then|catch|finally|replace|addEventListener)$/;
const PROTOTYPE_METHOD =
  /^(?:Object|Function|String|Number|Array|RegExp|Map|Set|Element|Node|HTMLElement|XMLHttpRequest)\.prototype\.(\w+)$/;
/** Functions that give back what they are given, and those that call it. */
const PASSING =
  /^(?:Object(?:\.freeze|\.seal)?|Promise\.(?:resolve|all)|structuredClone|URL\.createObjectURL|Proxy|Request|String)$|(?:^|\.)(?:useCallback|memo|forwardRef|observer)$/;
const HOOK = /(?:^|\.)(useMemo|useState|useRef|computed|ref)$/;
const ELEMENT = /(?:^|\.)(?:createElement|cloneElement|_?jsxs?|_?jsxDEV|h)$/;

/** Calls: of the file's own functions, of methods of known values, and of the browser's functions, which are acts. */
export abstract class Calls extends World {
  abstract callOwn(closure: Closure, self: Value, args: Value[]): Value;
  abstract instance(of: Closure, args: Value[], node: t.Node): Value;

  call(callee: Value, self: Value | null, args: Value[], node: t.Node): Value {
    return each(callee, (option) => {
      switch (option.kind) {
        case "function":
          return this.callOwn(option, self ?? host(""), args);
        case "bound":
          return this.call(option.to, option.self, [...option.args, ...args], node);
        case "method":
          return each(self ?? option.on, (on) => this.#callMethod(on, option.key, args, node));
        case "host":
          return this.#callHost(option.path, self, args, node);
        case "unknown":
          if (option.spent) this.act({ kind: "call", path: "", key: "", on: option, args, node });
          return option;
        default:
          return UNKNOWN;
      }
    });
  }

  construct(callee: Value, args: Value[], node: t.Node): Value {
    return each(callee, (option) => {
      if (option.kind === "bound") return this.construct(option.to, [...option.args, ...args], node);
      if (option.kind === "function") return this.instance(option, args, node);
      if (option.kind !== "host") return this.call(option, null, args, node);
      this.act({ kind: "call", path: option.path, key: "", on: null, args, node });
      return this.#constructHost(option.path, args, node);
    });
  }

  /** The arguments in a list that is passed as one. */
  #argsIn(value: Value | undefined): Value[] {
    const [first = UNDEFINED] = options(value);
    return first.kind === "list" ? first.items : first === UNDEFINED ? [] : [UNKNOWN];
  }

  #callMethod(on: Value, key: string, args: Value[], node: t.Node): Value {
    const [first = UNDEFINED, second] = args;
    if (key.startsWith("=")) this.write(on, key.slice(1), first, node);
    if (key.startsWith(".")) return this.member(on, key.slice(1));
    if (CALLABLE.has(on.kind)) {
      if (key === "call") return this.call(on, first, args.slice(1), node);
      if (key === "apply") return this.call(on, first, this.#argsIn(second), node);
      if (key === "bind") return { kind: "bound", to: on, self: first, args: args.slice(1) };
    }
    if (/^__lookup[GS]etter__$/.test(key))
      return { kind: "method", on, key: (key === "__lookupSetter__" ? "=" : ".") + this.text(first) };
    if (key === "then" && on.kind !== "unknown") return this.call(first, null, [on], node);
    if (on.kind === "list") return this.#callOfList(on, key, args, node);
    if (on.kind === "constant") return this.#callOfConstant(on.value, key, args, node);
    // The entries of a map are its properties.
    if (on.kind === "object" && key === "get") return this.member(on, this.text(first));
    if (on.kind === "object" && key === "set") this.write(on, this.text(first), second ?? UNDEFINED, node);
    if (on.kind === "object") return key === "valueOf" || key === "set" ? on : UNKNOWN;
    this.act({ kind: "call", path: null, key, on, args, node });
    return this.#callOfPage(on, key, args, node) ?? this.#callGiven(key, args, node);
  }

  /** Functions of the browser that a method of an unknown value is given to call. */
  #callGiven(key: string, args: readonly Value[], node: t.Node): Value {
    if (CALLING.test(key))
      for (const given of args.flatMap(options))
        if (given.kind === "host" || given.kind === "bound") this.call(given, null, [UNKNOWN], node);
    return UNKNOWN;
  }

  #callOfConstant(self: unknown, key: string, args: Value[], node: t.Node): Value {
    if (!isPureMethod(self, key)) return UNKNOWN;
    const plain = args.map((arg) => {
      if (CALLABLE.has(arg.kind))
        return (...given: unknown[]) =>
          this.text(
            this.call(
              arg,
              null,
              given.map((one) => this.fromPlain(one)),
              node,
            ),
          );
      const known = toPlain(arg, true);
      return known === NOT_KNOWN && /^(?:concat|replace)/.test(key) ? this.text(arg) : known;
    });
    if (plain.includes(NOT_KNOWN)) return UNKNOWN;
    const cost = costOf(self, key, plain);
    if (!(cost < 32 * MAX_TEXT) || (cost > 256 && !this.budget.charge(cost))) return SPENT;
    try {
      const result = (Object(self) as Record<string, (...args: unknown[]) => unknown>)[key]?.(...plain);
      const isPartial = [self, ...plain].some((one) => typeof one === "string" && hasHole(one));
      if (isPartial && typeof result !== "string" && !Array.isArray(result)) return UNKNOWN;
      return this.fromPlain(key === "matchAll" ? [...(result as Iterable<unknown>)] : result);
    } catch {
      return UNKNOWN;
    }
  }

  /** Calls a method of a list as the language does; its callbacks are evaluated for each item. */
  #callOfList(list: List, key: string, args: Value[], node: t.Node): Value {
    const { items } = list;
    const [first = UNDEFINED] = args;
    if (items.length > 8 && !this.budget.charge(items.length)) return SPENT;
    if (items.length + args.length > MAX_ITEMS) return SPENT;
    const called = (...given: unknown[]) => this.call(first, null, given.map(asValue), node);
    switch (key) {
      case "join":
        return this.fromPlain(this.joined(items, args.length === 0 ? "," : this.text(first)));
      case "toString":
        return list.bytes || args.length > 0 ? this.#decoded(items) : this.fromPlain(this.joined(items, ","));
      case "concat":
        return this.list([...items, ...args.flatMap((arg) => (arg.kind === "list" ? arg.items : [arg]))]);
      case "flat":
        return this.list(items.flatMap((item) => (item.kind === "list" ? item.items : [item])));
      case "flatMap":
        return this.list(items.map(called).flatMap((item) => (item.kind === "list" ? item.items : [item])));
      case "entries":
        return this.list(items.map((item, index) => this.list([constant(index), item])));
      case "values":
        return list;
      case "next":
        return this.object([["value", items.shift() ?? UNDEFINED]]);
      case "add":
        items.push(first);
        return list;
      case "includes":
      case "indexOf": {
        const [known, wanted] = [toPlain(list), toPlain(first)];
        if (known === NOT_KNOWN || wanted === NOT_KNOWN) return UNKNOWN;
        const at = (known as unknown[]).indexOf(wanted);
        return constant(key === "indexOf" ? at : at >= 0);
      }
      case "sort":
      case "toSorted":
        items.sort((a, b) => {
          const order = first === UNDEFINED ? UNDEFINED : called(a, b);
          if (order.kind === "constant" && order !== UNDEFINED) return Number(order.value);
          return this.text(a) < this.text(b) ? -1 : 1;
        });
        return list;
    }
    if (!STRUCTURAL.has(key)) return UNKNOWN;
    const copy = list.context === this.context ? items : [...items];
    const plain = args.map((arg, index) => {
      if (CALLABLE.has(arg.kind) && index === 0 && !/^(?:push|unshift|fill)$/.test(key))
        return (...given: unknown[]) =>
          TESTS.has(key) ? truth(called(...given)) !== false : called(...given);
      return arg.kind === "constant" && POSITIONS.test(key) && index < 2 ? arg.value : arg;
    });
    const method = (copy as unknown as Record<string, (...args: unknown[]) => unknown>)[key];
    const result = method?.apply(copy, plain);
    return Array.isArray(result) ? (result === copy ? list : this.list(result)) : asValue(result);
  }

  #decoded(items: readonly Value[]): Value {
    const codes = items.map((item) => (item.kind === "constant" ? Number(item.value) : 0));
    return this.fromPlain(new TextDecoder().decode(Uint8Array.from(codes)));
  }

  /** What calling a function of the browser, the language or a package gives. Only pure ones are really called. */
  #callHost(path: string, self: Value | null, args: Value[], node: t.Node): Value {
    const key = path.slice(path.lastIndexOf(".") + 1);
    this.act({ kind: "call", path, key, on: self, args, node });
    const [first = UNDEFINED, second = UNDEFINED, third = UNDEFINED] = args;
    const method = PROTOTYPE_METHOD.exec(path)?.[1];
    if (method !== undefined) return each(self ?? UNKNOWN, (on) => this.#callMethod(on, method, args, node));
    switch (path.replace(/^Reflect\.(?=getOwn|getProto|defineP)/, "Object.")) {
      case "Reflect.get":
        return join(this.texts(second).map((name) => this.member(first, name)));
      case "Reflect.apply":
        return this.call(first, second, this.#argsIn(third), node);
      case "Reflect.construct":
        return this.construct(first, this.#argsIn(second), node);
      case "Reflect.set":
      case "Object.defineProperty": {
        const value = path === "Reflect.set" ? third : this.member(third, "value");
        for (const name of this.texts(second)) this.write(first, name, value, node);
        return first;
      }
      case "Object.getPrototypeOf":
        return this.member(first, "__proto__");
      case "Object.getOwnPropertyDescriptor":
        return this.descriptor(first, this.text(second));
      case "Object.getOwnPropertyDescriptors":
        return { kind: "method", on: first, key: "*descriptors" };
      case "Object.assign":
        for (const from of args.slice(1)) this.assignAll(first, from, node);
        return first;
      case "Object.create":
        return this.object([], first);
      case "Object.entries":
      case "Object.keys":
      case "Object.values":
      case "Reflect.ownKeys":
        return this.#entriesOf(path, first);
      case "Object.fromEntries":
        return this.object(this.#pairs(first));
      case "Array.from":
        return this.#arrayFrom(first, second, node);
      case "Array":
      case "RegExp":
        return this.#constructHost(path, args, node);
      case "require":
        return host(`npm:${this.text(first).replace(/^node:/, "")}`);
      case "open":
        return host("");
    }
    const hook = HOOK.exec(path)?.[1];
    if (hook !== undefined) return this.#callHook(hook, first, node);
    if (path === "String" && first.kind !== "object") return this.fromPlain(this.text(first));
    if (PASSING.test(path)) return first;
    if (ELEMENT.test(path) && !path.startsWith("document")) return this.makeElement(first, second, node);
    return (
      this.#callOfPage(self, key, args, node) ??
      this.#callNative(path, args) ??
      this.#callGiven(key, args, node)
    );
  }

  #callNative(path: string, args: Value[]): Value | null {
    const native = nativeAt(path);
    if (native === null) return null;
    const plain = args.map((arg) => toPlain(arg));
    if (plain.includes(NOT_KNOWN)) return DECODERS.test(path) ? constant(HIDDEN) : UNKNOWN;
    const sizes = plain.map((one) => (typeof one === "string" || Array.isArray(one) ? one.length : 0));
    const size = sizes.reduce((sum, one) => sum + one, 0);
    if (size > 256 && !this.budget.charge(size)) return SPENT;
    try {
      const made = this.fromPlain(native(...plain));
      return path === "Buffer.from" && made.kind === "list" ? { ...made, bytes: true } : made;
    } catch {
      return UNKNOWN;
    }
  }

  /** Methods of elements, of the document and of jQuery, whatever they are called on. */
  #callOfPage(on: Value | null, key: string, args: Value[], node: t.Node): Value | null {
    const [first = UNDEFINED, second = UNDEFINED] = key.endsWith("NS") ? args.slice(1) : args;
    if (/^createElement(?:NS)?$/.test(key)) return this.makeElement(first, null, node);
    if (!/^(?:setAttribute(?:NS)?|attr)$/.test(key) || args.length < 2) return null;
    for (const name of this.texts(first)) this.write(on ?? UNKNOWN, name.toLowerCase(), second, node, true);
    return UNKNOWN;
  }

  #callHook(hook: string, first: Value, node: t.Node): Value {
    const called = first.kind === "function" && hook !== "useRef" && hook !== "ref";
    const value = called ? this.call(first, null, [], node) : first;
    if (hook === "useState") return this.list([value, UNKNOWN]);
    return hook === "useMemo" ? value : this.object([[hook === "useRef" ? "current" : "value", value]]);
  }

  #constructHost(path: string, args: Value[], node: t.Node): Value {
    const [first = UNDEFINED, second] = args;
    switch (path) {
      case "Array": {
        const length = toPlain(first);
        if (args.length !== 1 || typeof length !== "number") return this.list(args);
        return length <= MAX_ITEMS ? this.list(new Array(length).fill(UNDEFINED)) : SPENT;
      }
      case "Set":
        return first.kind === "list" ? this.list([...first.items]) : this.list([]);
      case "Map":
        return this.object(this.#pairs(first));
      case "RegExp":
        try {
          return constant(new RegExp(this.text(first), second === undefined ? "" : this.text(second)));
        } catch {
          return UNKNOWN;
        }
      case "URL": {
        const [text, base] = [this.text(first), second === undefined ? null : this.text(second)];
        const isWhole = base === null || /^(?:[a-z][a-z\d+.-]*:|[\\/]{2})/i.test(text);
        return this.fromPlain(isWhole ? text : `${base.replace(/\/*$/, "")}/${text.replace(/^\/+/, "")}`);
      }
      case "Image":
      case "Audio":
        return { kind: "element", tag: path === "Image" ? "img" : "audio", props: new Map() };
    }
    if (PASSING.test(path)) return first;
    return (
      this.#callNative(path, args) ??
      (path === "Promise" ? this.#callGiven("then", args, node) : host(`${path}()`))
    );
  }

  #entriesOf(path: string, of: Value): Value {
    const [first = UNKNOWN] = options(of);
    if (first.kind !== "object" && first.kind !== "list") return UNKNOWN;
    const entries =
      first.kind === "object" ? [...first.props] : first.items.map((item, at) => [`${at}`, item] as const);
    if (!this.budget.charge(entries.length)) return SPENT;
    return this.list(
      entries.map(([key, value]) => {
        if (path === "Object.values") return value;
        return path === "Object.entries" ? this.list([constant(key), value]) : constant(key);
      }),
    );
  }

  #pairs(list: Value): (readonly [string, Value])[] {
    if (list.kind !== "list" || !this.budget.charge(list.items.length)) return [];
    const pairs = list.items.map((pair) => (pair.kind === "list" ? pair.items : []));
    return pairs.map(([key = UNKNOWN, value = UNDEFINED]) => [this.text(key), value] as const);
  }

  #arrayFrom(from: Value, by: Value, node: t.Node): Value {
    const length = from.kind === "object" ? toPlain(this.member(from, "length")) : null;
    const items =
      typeof length === "number" && length <= MAX_ITEMS
        ? new Array(length).fill(UNDEFINED)
        : this.items(from);
    if (by === UNDEFINED || !this.budget.charge(items.length)) return this.list([...items]);
    return this.list(items.map((item, index) => this.call(by, null, [item, constant(index)], node)));
  }

  /** The items of a list or a string; one unknown item when they are not known. */
  items(value: Value): Value[] {
    const [first = UNKNOWN] = options(value);
    if (first.kind === "list")
      return first.items.length < 8 || this.budget.charge(first.items.length) ? first.items : [SPENT];
    if (first.kind !== "constant" || typeof first.value !== "string")
      return [first.kind === "unknown" ? first : UNKNOWN];
    return this.budget.charge(first.value.length)
      ? [...first.value.slice(0, MAX_ITEMS)].map(constant)
      : [SPENT];
  }

  /** An element of a type that is a tag's name or a component of the file; its properties are written to it. */
  makeElement(type: Value, given: Value | null, node: t.Node): Value {
    const element: Value = { kind: "element", tag: "", props: new Map() };
    for (const option of options(type))
      if (option.kind === "constant") {
        element.tag = this.text(option).replace(/^.*:/, "").toLowerCase();
        this.act({ kind: "element", tag: element.tag, node });
      }
    for (const props of given === null ? [] : options(given)) {
      if (props.kind !== "object") continue;
      this.assignAll(element, props, node);
      this.callComponent(type, props, node);
    }
    return element;
  }

  /** Calls a component of the file, if one of the properties could matter to it. */
  callComponent(type: Value, props: Value & { kind: "object" }, node: t.Node): void {
    const matters = [...props.props.values()].some(({ kind }) => kind !== "unknown" && kind !== "element");
    if (matters && type.kind === "function") this.call(type, UNDEFINED, [props], node);
  }
}

/** Methods of arrays that only move their items or call a function with them. */
const STRUCTURAL = new Set(
  "push unshift pop shift reverse toReversed splice slice at fill with keys map forEach filter find findLast some every reduce reduceRight".split(
    " ",
  ),
);
const TESTS = new Set(["filter", "find", "findLast", "some", "every"]);
/** Methods whose arguments are positions. */
const POSITIONS = /^(?:splice|slice|at|with)$/;

function asValue(plain: unknown): Value {
  if (Array.isArray(plain)) return UNKNOWN;
  return typeof plain === "object" && plain !== null
    ? (plain as Value)
    : constant(plain as string | number | undefined);
}
