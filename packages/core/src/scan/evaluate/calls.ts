import type * as t from "@babel/types";
import { hostText } from "../hosts.ts";
import { MAX_ITEMS, MAX_TEXT } from "../limits.ts";
import { costOf, DECODERS, isPureMethod, nativeAt } from "../natives.ts";
import {
  type Closure,
  constant,
  each,
  HIDDEN,
  hasHole,
  host,
  type Instance,
  join,
  type List,
  NOT_KNOWN,
  options,
  SPENT,
  truth,
  UNDEFINED,
  UNKNOWN,
  UNTRUSTED,
  type Value,
} from "../value.ts";
import { World } from "./world.ts";

const CALLABLE = new Set<Value["kind"]>(["host", "function", "method", "bound"]);
/** Methods that call what they are given, whatever they belong to. */
const CALLING =
  /^(?:map|forEach|filter|find|some|every|flatMap|then|catch|finally|replace|addEventListener)$/;
const PROTOTYPE_METHOD =
  /^(?:Object|Function|String|Number|Array|RegExp|Element|XMLHttpRequest)\.prototype\.(\w+)$/;
/** Functions that give back what they are given, and those of frameworks that hold it. */
const PASSING =
  /^(?:Object(?:\.freeze)?|Promise\.(?:resolve|all)|structuredClone|URL\.createObjectURL|Proxy|Request|Set)$|(?:^|\.)(?:useCallback|memo|forwardRef)$/;
const HOOK = /(?:^|\.)(useMemo|useState|useRef)$/;
const ELEMENT = /(?:^|\.)(?:createElement|cloneElement|_?jsxs?|_?jsxDEV|h)$/;
/** Methods of arrays that only move their items or call a function with them; those whose arguments are positions. */
const STRUCTURAL =
  /^(?:push|unshift|pop|shift|reverse|toReversed|splice|slice|at|fill|keys|map|forEach|filter|find|some|every|reduce|reduceRight|sort)$/;
const POSITIONS = /^(?:splice|slice|at)$/;
const TESTS = /^(?:filter|find|some|every)$/;

/** Calls: of the file's own functions, of methods of known values, and of the browser's functions, which are acts. */
export abstract class Calls extends World {
  /** Paths of functions of which nothing is known. */
  readonly #unknownPaths = new Set<string>();

  abstract callOwn(closure: Closure, self: Value, args: Value[]): Value;

  call(callee: Value, self: Value | null, args: Value[], node: t.Node): Value {
    return each(callee, (option) => {
      if (option.kind === "function") return this.callOwn(option, self ?? host(""), args);
      if (option.kind === "bound") return this.call(option.to, option.self, [...option.args, ...args], node);
      if (option.kind === "method")
        return each(self ?? option.on, (on) => this.#callMethod(on, option.key, args, node));
      if (option.kind === "host") return this.#callHost(option.path, self, args, node);
      if (option === SPENT) this.act({ kind: "callSpent", node });
      return option.kind === "unknown" ? option : UNKNOWN;
    });
  }

  construct(callee: Value, args: Value[], node: t.Node): Value {
    return each(callee, (option) => {
      if (option.kind === "bound") return this.construct(option.to, [...option.args, ...args], node);
      if (option.kind !== "function" && option.kind !== "host") return this.call(option, null, args, node);
      if (option.kind === "host") return this.#constructHost(option.path, args, node);
      const self = this.object([], this.member(option, "prototype"));
      this.initialise(option, self, args, node);
      return self;
    });
  }

  /** Runs the constructor of a class, or else that of its parent, on an object. */
  initialise(of: Value | null, self: Value, args: Value[], node: t.Node): void {
    for (const option of options(of ?? UNKNOWN)) {
      const own = option.kind === "function" ? option.props.get("#constructor") : undefined;
      if (option.kind !== "function") this.construct(option, args, node);
      else if (own?.kind === "function") this.callOwn(own, self, args);
      else if ("params" in option.node) this.callOwn(option, self, args);
      else if (option.home !== null) this.initialise(option.home, self, args, node);
    }
  }

  /** The arguments in a list that is passed as one. */
  #argsIn(value: Value): Value[] {
    return value.kind === "list" ? value.items : value === UNDEFINED ? [] : [UNKNOWN];
  }

  #callMethod(on: Value, key: string, args: Value[], node: t.Node): Value {
    const [first = UNDEFINED, second = UNDEFINED] = args;
    if (key.startsWith("=")) this.write(on, key.slice(1), first, node);
    if (key.startsWith(".")) return this.member(on, key.slice(1));
    if (CALLABLE.has(on.kind)) {
      if (key === "call") return this.call(on, first, args.slice(1), node);
      if (key === "apply") return this.call(on, first, this.#argsIn(second), node);
      if (key === "bind") return { kind: "bound", to: on, self: first, args: args.slice(1) };
    }
    if (/^__lookup[GS]etter__$/.test(key))
      return { kind: "method", on, key: (key.includes("S") ? "=" : ".") + this.text(first) };
    if (key === "then" && on.kind !== "unknown") return this.call(first, null, [on], node);
    if (on.kind === "list") return this.#callOfList(on, key, args, node);
    if (on.kind === "constant") return this.#callOfConstant(on.value, key, args, node);
    // The entries of a map are its properties.
    if (on.kind === "object" && key === "get") return this.member(on, this.text(first));
    if (on.kind === "object" && key === "set") this.write(on, this.text(first), second, node);
    if (on.kind === "object") return key === "valueOf" || key === "set" ? on : UNKNOWN;
    this.act({ kind: "call", path: null, key, on, args, node });
    return this.#callOfPage(on, key, args, node) ?? this.#callGiven(key, args, node);
  }

  /** Functions of the browser that a method of an unknown value is given to call. */
  #callGiven(key: string, args: readonly Value[], node: t.Node): Value {
    for (const given of CALLING.test(key) ? args.flatMap(options) : [])
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
      const known = this.toPlain(arg, true);
      return known === NOT_KNOWN && /^(?:concat|replace)/.test(key) ? this.text(arg) : known;
    });
    if (plain.includes(NOT_KNOWN)) return UNKNOWN;
    const cost = costOf(self, key, plain);
    if (cost === Number.POSITIVE_INFINITY) return key.startsWith("replace") ? constant(HIDDEN) : UNKNOWN;
    if (cost > 32 * MAX_TEXT || (cost > 256 && !this.budget.charge(cost))) return SPENT;
    try {
      const result = (Object(self) as Record<string, (...args: unknown[]) => unknown>)[key]?.(...plain);
      const isPartial = [self, ...plain].some((one) => typeof one === "string" && hasHole(one));
      return isPartial && typeof result !== "string" && !Array.isArray(result)
        ? UNKNOWN
        : this.fromPlain(result);
    } catch {
      return UNKNOWN;
    }
  }

  /** Calls a method of a list as the language does; its callbacks are evaluated for each item. */
  #callOfList(list: List, key: string, args: Value[], node: t.Node): Value {
    const { items } = list;
    const [first = UNDEFINED] = args;
    if ((items.length > 8 && !this.budget.charge(items.length)) || items.length + args.length > MAX_ITEMS)
      return SPENT;
    const called = (...given: unknown[]) => this.call(first, null, given.map(asValue), node);
    const flat = (values: readonly Value[]) =>
      this.list(values.flatMap((item) => (item.kind === "list" ? item.items : [item])));
    switch (key) {
      case "join":
      case "toString":
        return this.fromPlain(this.joined(items, args.length === 0 ? "," : this.text(first)));
      case "concat":
        return flat([list, ...args]);
      case "flat":
      case "flatMap":
        return flat(key === "flat" ? items : items.map(called));
      case "entries":
        return this.list(items.map((item, at) => this.list([constant(at), item])));
      case "values":
        return list;
      case "includes":
      case "indexOf": {
        const [known, wanted] = [this.toPlain(list), this.toPlain(first)];
        const at = Array.isArray(known) && wanted !== NOT_KNOWN ? known.indexOf(wanted) : null;
        return at === null ? UNKNOWN : constant(key === "indexOf" ? at : at >= 0);
      }
    }
    if (!STRUCTURAL.test(key)) return UNKNOWN;
    const moved = list.context === this.context ? items : [...items];
    const callback = (...given: unknown[]) => {
      const value = called(...given);
      if (key === "sort") return value.kind === "constant" ? Number(value.value) : 0;
      return TESTS.test(key) ? truth(value) !== false : value;
    };
    const plain = args.map((arg): unknown => {
      if (arg === first && CALLABLE.has(arg.kind) && !/^(?:push|unshift|fill)$/.test(key)) return callback;
      return arg.kind === "constant" && POSITIONS.test(key) ? arg.value : arg;
    });
    if (key === "sort" && plain[0] !== callback)
      plain.splice(0, 1, (a: Value, b: Value) => (this.text(a) < this.text(b) ? -1 : 1));
    const result = (moved as unknown as Record<string, (...args: unknown[]) => unknown>)[key]?.(...plain);
    return Array.isArray(result) ? (result === moved ? list : this.list(result)) : asValue(result);
  }

  /** What calling a function of the browser, the language or a package gives. Only pure ones are really called. */
  #callHost(path: string, self: Value | null, args: Value[], node: t.Node): Value {
    const key = path.slice(path.lastIndexOf(".") + 1);
    this.act({ kind: "call", path, key, on: self, args, node });
    if (this.#unknownPaths.has(path)) return this.#callGiven(key, args, node);
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
      case "Object.defineProperty":
        for (const name of this.texts(second))
          this.write(first, name, path === "Reflect.set" ? third : this.member(third, "value"), node);
        return first;
      case "Object.getPrototypeOf":
        return this.member(first, "__proto__");
      case "Object.getOwnPropertyDescriptor":
        return this.descriptor(first, this.text(second));
      case "Object.assign":
        for (const from of args.slice(1)) this.assignAll(first, from, node);
        return first;
      case "Object.create":
        return this.object([], first);
      case "Object.entries":
      case "Object.keys":
      case "Object.values":
        return first.kind === "object" && this.budget.charge(first.props.size)
          ? this.#entries(key, first)
          : UNKNOWN;
      case "Object.fromEntries":
      case "Array":
      case "RegExp":
        return this.#constructHost(path, args, node);
      case "Array.from": {
        const items = this.items(first);
        return this.list(
          second === UNDEFINED ? [...items] : items.map((item) => this.call(second, null, [item], node)),
        );
      }
      case "require":
        return host(`npm:${this.text(first).replace(/^node:/, "")}`);
      case "open":
        return host("");
      case "String":
        return this.fromPlain(this.text(first));
    }
    const hook = HOOK.exec(path)?.[1];
    const held =
      hook !== "useRef" && first.kind === "function" && hook ? this.call(first, null, [], node) : first;
    if (hook === "useState") return this.list([held, UNKNOWN]);
    if (hook !== undefined) return hook === "useMemo" ? held : this.object([["current", held]]);
    if (PASSING.test(path)) return first;
    if (hostText(path) === UNTRUSTED) return constant(UNTRUSTED);
    if (ELEMENT.test(path) && !path.startsWith("document")) {
      const element = this.makeElement(
        first,
        second.kind === "object" ? second.props.get("type") : undefined,
        node,
      );
      this.assignAll(element, second, node);
      if (second.kind === "object") this.callComponent(first, second, node);
      return element;
    }
    const known = this.#callOfPage(self, key, args, node) ?? this.#callNative(path, args);
    if (known === null) this.#unknownPaths.add(path);
    return known ?? this.#callGiven(key, args, node);
  }

  #callNative(path: string, args: Value[]): Value | null {
    const native = nativeAt(path);
    if (native === null) return null;
    const plain = args.map((arg) => this.toPlain(arg));
    if (plain.includes(NOT_KNOWN) && this.joined(args, "").includes(UNTRUSTED)) return constant(UNTRUSTED);
    if (plain.includes(NOT_KNOWN)) return DECODERS.test(path) ? constant(HIDDEN) : UNKNOWN;
    const size = plain.reduce<number>(
      (sum, one) => sum + ((one as { length?: number } | null)?.length ?? 1),
      0,
    );
    if (size > 256 && !this.budget.charge(size)) return SPENT;
    try {
      return this.fromPlain(native(...plain));
    } catch {
      return UNKNOWN;
    }
  }

  /** Methods of elements, of the document and of jQuery, whatever they are called on. */
  #callOfPage(on: Value | null, key: string, args: Value[], node: t.Node): Value | null {
    const [first = UNDEFINED, second = UNDEFINED] = key.endsWith("NS") ? args.slice(1) : args;
    if (/^createElement(?:NS)?$/.test(key)) return this.makeElement(first, undefined, node);
    if (!/^(?:setAttribute(?:NS)?|attr)$/.test(key) || args.length < 2) return null;
    for (const name of this.texts(first)) this.write(on ?? UNKNOWN, name.toLowerCase(), second, node, true);
    return UNKNOWN;
  }

  #constructHost(path: string, args: Value[], node: t.Node): Value {
    const [first = UNDEFINED, second] = args;
    this.act({ kind: "call", path, key: "", on: null, args, node });
    if (PASSING.test(path)) return first;
    switch (path) {
      case "Array": {
        const length = args.length === 1 ? this.toPlain(first) : null;
        if (typeof length !== "number") return this.list(args);
        return length <= MAX_ITEMS ? this.list(new Array(length).fill(UNDEFINED)) : SPENT;
      }
      case "Map":
      case "Object.fromEntries": {
        const pairs = this.#argsIn(first).map((pair) => this.#argsIn(pair));
        return this.object(pairs.map(([key = UNKNOWN, value = UNKNOWN]) => [this.text(key), value] as const));
      }
      case "RegExp":
        return this.pattern(this.text(first), second === undefined ? "" : this.text(second));
      case "URL": {
        const [text, base] = [this.text(first), second === undefined ? null : this.text(second)];
        const isWhole = base === null || /^(?:[a-z][a-z\d+.-]*:|[\\/]{2})/i.test(text);
        return this.fromPlain(isWhole ? text : `${base.replace(/\/*$/, "")}/${text.replace(/^\/+/, "")}`);
      }
      case "Image":
        return { kind: "element", tag: "img", props: new Map() };
    }
    return this.#callNative(path, args) ?? host(`${path}()`);
  }

  #entries(form: string, of: Instance): Value {
    const pairs = [...of.props].map(([key, value]) => [constant(key), value]);
    return this.list(
      pairs.map(([key = UNKNOWN, value = UNKNOWN]) =>
        form === "keys" ? key : form === "values" ? value : this.list([key, value]),
      ),
    );
  }

  /** The items of a list or a string; one unknown item when they are not known. */
  items(value: Value): readonly Value[] {
    const [first = UNKNOWN] = options(value);
    const text =
      first.kind === "constant" && typeof first.value === "string" ? first.value.slice(0, MAX_ITEMS) : null;
    const length = first.kind === "list" ? first.items.length : (text?.length ?? 0);
    if (length > 8 && !this.budget.charge(2 * length)) return [SPENT];
    if (text !== null) return [...text].map(constant);
    return first.kind === "list" ? first.items : [first === SPENT ? SPENT : UNKNOWN];
  }

  /** An element of a type that is a tag's name or a component; `typed` is its `type`. */
  makeElement(type: Value, typed: Value | undefined, node: t.Node): Value {
    const name = options(type).find(({ kind }) => kind === "constant");
    const tag = name === undefined ? "" : this.text(name).replace(/^.*:/, "").toLowerCase();
    if (tag !== "") this.act({ kind: "element", tag, type: typed, node });
    return { kind: "element", tag, props: new Map() };
  }

  /** Calls a component of the file, if one of the properties could be an address, code or an object of the page. */
  callComponent(type: Value, props: Instance, node: t.Node): void {
    if (type.kind !== "function") return;
    const matters = (value: Value) =>
      value.kind === "constant"
        ? /[/<(]/.test(String(value.value))
        : value.kind === "host" || value.kind === "object";
    if ([...props.props.values()].some(matters)) this.call(type, UNDEFINED, [props], node);
  }
}

function asValue(plain: unknown): Value {
  if (Array.isArray(plain)) return UNKNOWN;
  return typeof plain === "object" && plain !== null
    ? (plain as Value)
    : constant(plain as number | undefined);
}
