import type * as t from "@babel/types";
import { HIDDEN_GLOBAL } from "../hosts.ts";
import { MAX_ITEMS, MAX_TEXT } from "../limits.ts";
import { costOf, DECODERS, nativeAt } from "../natives.ts";
import {
  type Closure,
  constant,
  each,
  HIDDEN,
  hasHole,
  host,
  NOT_KNOWN,
  options,
  SPENT,
  UNDEFINED,
  UNKNOWN,
  type Value,
} from "../value.ts";
import { builtinAt, callOfList } from "./builtins.ts";
import { World } from "./world.ts";

const CALLABLE = new Set<Value["kind"]>(["host", "function", "method", "bound"]);

/** Evaluates calls: of the file's own functions, of methods of known values, and of the browser's functions, which have effects. */
export abstract class Calls extends World {
  abstract callOwn(closure: Closure, self: Value, args: Value[]): Value;

  call(callee: Value, self: Value | null, args: Value[], node: t.Node): Value {
    return each(callee, (option) => {
      if (option.kind === "function") return this.callOwn(option, self ?? host(""), args);
      if (option.kind === "bound") return this.call(option.to, option.self, [...option.args, ...args], node);
      if (option.kind === "method")
        return each(self ?? option.on, (on) => this.#callMethod(on, option.key, args, node));
      if (option.kind === "host") return this.#callHost(option.path, self, args, node);
      if (option === SPENT) this.act({ kind: "call", path: HIDDEN_GLOBAL, key: "", on: null, args, node });
      return option.kind === "unknown" ? option : UNKNOWN;
    });
  }

  construct(callee: Value, args: Value[], node: t.Node): Value {
    return each(callee, (option) => {
      if (option.kind === "bound") return this.construct(option.to, [...option.args, ...args], node);
      if (option.kind !== "function") return this.call(option, null, args, node);
      const self = this.object([], option.props.get("prototype"));
      const maker = option.props.get("#constructor");
      this.callOwn(maker?.kind === "function" ? maker : option, self, args);
      return self;
    });
  }

  /** Returns the items of a list, or any other value as the only item. */
  readonly argsIn = (value: Value): Value[] => (value.kind === "list" ? value.items : [value]);

  #callMethod(on: Value, key: string, args: Value[], node: t.Node): Value {
    const [first = UNDEFINED, second = UNDEFINED] = args;
    if (CALLABLE.has(on.kind)) {
      if (key === "call") return this.call(on, first, args.slice(1), node);
      if (key === "apply") return this.call(on, first, this.argsIn(second), node);
      if (key === "bind") return { kind: "bound", to: on, self: first, args: args.slice(1) };
    }
    if (key === "then" && on.kind !== "unknown") return this.call(first, null, [on], node);
    if (on.kind === "list") return callOfList(this, on, key, args, node);
    if (on.kind === "constant") return this.#callOfConstant(on.value, key, args, node);
    // The scan stores a Map as an object whose properties are the entries, so `get` reads a property.
    if (on.kind === "object") return key === "get" ? this.member(on, this.text(first)) : UNKNOWN;
    this.act({ kind: "call", path: null, key, on, args, node });
    return this.#callOfPage(on, key, args, node) ?? (on === SPENT ? SPENT : UNKNOWN);
  }

  #callOfConstant(self: unknown, key: string, args: Value[], node: t.Node): Value {
    const plain = args.map((arg) => {
      if (!CALLABLE.has(arg.kind)) {
        const known = this.toPlain(arg, true);
        return known === NOT_KNOWN && /^(?:concat|replace)/.test(key) ? this.text(arg) : known;
      }
      return (...given: unknown[]) => this.text(this.call(arg, null, given.map(this.fromPlain), node));
    });
    if (plain.includes(NOT_KNOWN)) return UNKNOWN;
    const cost = costOf(self, key, plain);
    if (cost === Number.POSITIVE_INFINITY) return UNKNOWN;
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

  /** Returns the result of calling or constructing an object of the browser, the language or a package. Only pure functions really run. */
  #callHost(path: string, self: Value | null, args: Value[], node: t.Node): Value {
    const key = path.slice(path.lastIndexOf(".") + 1);
    this.act({ kind: "call", path, key, on: self, args, node });
    const builtin = builtinAt(path);
    if (builtin !== undefined) return builtin(this, args, node);
    return this.#callOfPage(self, key, args, node) ?? this.#callNative(path, args) ?? host(`${path}()`);
  }

  #callNative(path: string, args: Value[]): Value | null {
    const native = nativeAt(path);
    if (native === null) return null;
    const plain = args.map((arg) => this.toPlain(arg));
    if (plain.includes(NOT_KNOWN)) return DECODERS.test(path) ? constant(HIDDEN) : UNKNOWN;
    const size = plain.reduce<number>((sum, one) => sum + ((one as string | null)?.length ?? 1), 0);
    if (size > 256 && !this.budget.charge(size)) return SPENT;
    try {
      return this.fromPlain(native(...plain));
    } catch {
      return UNKNOWN;
    }
  }

  /** Handles methods of elements, of the document and of jQuery, whatever object they are called on. */
  #callOfPage(on: Value | null, key: string, args: Value[], node: t.Node): Value | null {
    const [first = UNDEFINED, second = UNDEFINED] = key.endsWith("NS") ? args.slice(1) : args;
    if (/^createElement(?:NS)?$/.test(key)) return this.makeElement(first, undefined, node);
    if (!/^(?:setAttribute(?:NS)?|attr)$/.test(key) || args.length < 2) return null;
    for (const name of this.texts(first)) this.write(on ?? UNKNOWN, name.toLowerCase(), second, node, true);
    return UNKNOWN;
  }

  /** Returns the items of a list or a string, or one unknown item when they are not known. */
  items(value: Value): readonly Value[] {
    const [first = UNKNOWN] = options(value);
    const text =
      first.kind === "constant" && typeof first.value === "string" ? first.value.slice(0, MAX_ITEMS) : null;
    const length = first.kind === "list" ? first.items.length : (text?.length ?? 0);
    if (length > 8 && !this.budget.charge(2 * length)) return [SPENT];
    if (text !== null) return [...text].map(constant);
    return first.kind === "list" ? first.items : [first === SPENT ? SPENT : UNKNOWN];
  }

  /** Makes an element whose type is a tag's name or a component; `typed` is the value of the attribute `type`. */
  makeElement(type: Value, typed: Value | undefined, node: t.Node): Value {
    const name = options(type).find(({ kind }) => kind === "constant");
    const tag = name === undefined ? "" : this.text(name).replace(/^.*:/, "").toLowerCase();
    if (tag !== "") this.act({ kind: "element", tag, type: typed, node });
    return { kind: "element", tag, props: new Map() };
  }
}
