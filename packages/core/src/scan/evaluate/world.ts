import type * as t from "@babel/types";
import { hostMember, hostText, memberOfUnknown } from "../hosts.ts";
import { Budget, MAX_ITEMS, MAX_TEXT } from "../limits.ts";
import type { Scope } from "../scope.ts";
import type { Act } from "../sinks/sink.ts";
import * as v from "../value.ts";
import {
  constant,
  each,
  HIDDEN,
  HOLE,
  hasHole,
  host,
  join,
  options,
  UNDEFINED,
  UNKNOWN,
  type Value,
} from "../value.ts";

const CALLS = new Set(["call", "apply", "bind"]);
/** How far prototypes are followed. */
const ANCESTORS = 20;
const CONSTRUCTORS: Readonly<Record<string, string>> = {
  string: "String",
  number: "Number",
  boolean: "Boolean",
};

/** The values of a program while it is evaluated: their members, their strings, and what is written to them. */
export abstract class World {
  readonly budget = new Budget();
  /** The run, branch or loop that is evaluated now. What is made in the same one is changed for certain. */
  context = 0;
  /** What is written to global names and to members of host objects, by path. */
  readonly #written = new Map<string, Value>();
  readonly #onAct: (act: Act) => void;
  #contexts = 0;

  constructor(onAct: (act: Act) => void) {
    this.#onAct = onAct;
  }

  abstract evaluate(node: t.Node | null | undefined, scope: Scope): Value;
  abstract call(callee: Value, self: Value | null, args: Value[], node: t.Node): Value;

  act(act: Act): void {
    this.#onAct(act);
  }

  /** Runs what may happen or not: what it writes is one more alternative. */
  maybe<T>(work: () => T): T {
    const before = this.context;
    this.context = ++this.#contexts;
    try {
      return work();
    } finally {
      this.context = before;
    }
  }

  list(items: Value[]): Value {
    return items.length > MAX_ITEMS ? v.SPENT : { kind: "list", items, context: this.context };
  }

  object(entries: Iterable<readonly [string, Value]> = [], of: Value | null = null): v.Instance {
    return { kind: "object", props: new Map(entries), of, context: this.context };
  }

  /** The value of a plain one that was computed. */
  fromPlain(plain: unknown): Value {
    if (typeof plain === "string") return plain.length > MAX_TEXT ? v.SPENT : constant(plain);
    if (Array.isArray(plain))
      return this.list(plain.slice(0, MAX_ITEMS + 1).map((item) => this.fromPlain(item)));
    if (typeof plain === "object" && plain !== null && !(plain instanceof RegExp))
      return this.object(Object.entries(plain).map(([key, held]) => [key, this.fromPlain(held)] as const));
    return typeof plain === "function" || typeof plain === "symbol" ? UNKNOWN : constant(plain as v.Constant);
  }

  /** The string that a value is, with holes. */
  text(value: Value): string {
    switch (value.kind) {
      case "constant":
        return String(value.value);
      case "host":
        return hostText(value.path);
      case "list":
        return this.joined(value.items, ",");
      case "any":
        return this.text(value.options[0] ?? UNKNOWN);
      case "unknown":
        return value.spent ? HIDDEN : HOLE;
      case "object":
        for (const name of ["toString", "valueOf"]) {
          const own = this.member(value, name);
          if (own.kind === "function") return this.text(this.call(own, value, [], own.node));
        }
        return HOLE;
      default:
        return HOLE;
    }
  }

  texts(value: Value): string[] {
    return options(value).map((option) => this.text(option));
  }

  joined(items: readonly Value[], between: string): string {
    let text = "";
    for (const [index, item] of items.entries()) {
      if (index > 0) text += between;
      if (item !== UNDEFINED) text += this.text(item);
      if (text.length > MAX_TEXT) return HIDDEN;
    }
    return text.length < 256 || this.budget.charge(text.length) ? text : HIDDEN;
  }

  /** A member of a value; its name may have holes. */
  member(owner: Value, key: string): Value {
    if (owner.kind === "any") return each(owner, (option) => this.member(option, key));
    if (owner.kind === "host") return this.#memberOfHost(owner.path, key);
    if (owner.kind === "unknown")
      return owner.spent ? owner : (memberOfUnknown(key) ?? { kind: "method", on: owner, key });
    if (hasHole(key))
      return owner.kind === "list"
        ? join(owner.items)
        : owner.kind === "object"
          ? join([...owner.props.values()])
          : UNKNOWN;
    const method: Value = { kind: "method", on: owner, key };
    switch (owner.kind) {
      case "object":
        return this.#memberOfObject(owner, key) ?? method;
      case "function":
        return this.#memberOfFunction(owner, key) ?? method;
      case "list":
        if (/^\d+$/.test(key)) return owner.items[Number(key)] ?? UNDEFINED;
        return key === "length"
          ? constant(owner.items.length)
          : key === "constructor"
            ? host("Array")
            : method;
      case "constant":
        return memberOfConstant(owner, key) ?? method;
      case "element":
        return memberOfUnknown(key) ?? owner.props.get(key) ?? method;
      case "method":
        if (owner.key === "*descriptors") return this.descriptor(owner.on, key);
        return key === "constructor" ? host("Function") : method;
      case "bound":
        return key === "constructor" ? host("Function") : method;
      case "accessor":
        return UNKNOWN;
    }
  }

  #memberOfHost(path: string, key: string): Value {
    if (CALLS.has(key) && path !== "" && path !== "Reflect") return { kind: "method", on: host(path), key };
    const member = hostMember(path, key);
    const written = member.kind === "host" ? this.#written.get(member.path) : undefined;
    return written === undefined ? member : join([written, member]);
  }

  #memberOfObject(owner: v.Instance, key: string): Value | undefined {
    let of: Value | null = owner;
    for (let depth = 0; of !== null && depth < ANCESTORS; depth++) {
      if (of.kind !== "object") return this.member(of, key);
      const own = of.props.get(key);
      if (own !== undefined) return this.#read(own, owner);
      of = of.of;
    }
    return key === "constructor"
      ? host("Object")
      : key === "__proto__"
        ? (owner.of ?? host("Object.prototype"))
        : undefined;
  }

  #memberOfFunction(owner: v.Closure, key: string): Value | undefined {
    const own = owner.props.get(key);
    if (own !== undefined) return this.#read(own, owner);
    if (key === "constructor") return host("Function");
    if (key === "__proto__") return owner.home ?? host("Function.prototype");
    if (key === "prototype") {
      owner.prototype ??= this.object([["constructor", owner]]);
      return owner.prototype;
    }
    if (key === "name" && "id" in owner.node) return constant(owner.node.id?.name ?? "");
    return /^Class[DE]/.test(owner.node.type) && owner.home !== null
      ? this.member(owner.home, key)
      : undefined;
  }

  /** The value of a property: that of its getter, if it has one. */
  #read(held: Value, self: Value): Value {
    return held.kind === "accessor" && held.get.kind === "function"
      ? this.call(held.get, self, [], held.get.node)
      : held;
  }

  /** What a descriptor of a property holds. */
  descriptor(on: Value, key: string): Value {
    const half = (sign: string): Value => ({ kind: "method", on, key: sign + key });
    return this.object([
      ["value", this.member(on, key)],
      ["get", half(".")],
      ["set", half("=")],
    ]);
  }

  write(owner: Value, key: string, value: Value, node: t.Node, attribute = false): void {
    if (!hasHole(key)) for (const option of options(owner)) this.#set(option, key, value);
    const isInert = value.kind === "function" || (value.kind === "unknown" && !value.spent);
    if (!isInert || owner.kind === "host" || owner.kind === "any")
      this.act({ kind: "write", owner, key, value, node, attribute });
  }

  /** Copies all members of an object; to an element they are attributes. Without `node` it is no act. */
  assignAll(to: Value, from: Value, node: t.Node | null): void {
    for (const of of options(from))
      if (of.kind === "object" && this.budget.charge(of.props.size))
        for (const [key, value] of of.props)
          if (node === null) this.#set(to, key, value);
          else this.write(to, key, value, node, to.kind === "element");
  }

  #set(owner: Value, key: string, value: Value): void {
    const isCertain = "context" in owner && owner.context === this.context;
    const changed = (before: Value | undefined) =>
      before === undefined || isCertain ? value : join([before, value]);
    if (owner.kind === "host") {
      const { kind, path } = hostMember(owner.path, key) as { kind: string; path: string };
      if (kind === "host" && value.kind !== "unknown")
        this.#written.set(path, changed(this.#written.get(path)));
    } else if (owner.kind === "list") {
      const index = key === "length" ? Number.NaN : Number(key);
      if (index >= 0 && index <= owner.items.length && index < MAX_ITEMS)
        owner.items[index] = changed(owner.items[index]);
    } else if ("props" in owner) {
      const before = owner.props.get(key);
      if (before?.kind !== "accessor") owner.props.set(key, changed(before));
      else if (before.set.kind === "function") this.call(before.set, owner, [value], before.set.node);
    }
  }
}

function memberOfConstant(owner: Value & { kind: "constant" }, key: string): Value | undefined {
  const { value } = owner;
  if (value === null || value === undefined) return UNKNOWN;
  if (key === "constructor") return host(CONSTRUCTORS[typeof value] ?? "Object");
  if (value instanceof RegExp && (key === "source" || key === "flags")) return constant(value[key]);
  if (typeof value !== "string") return undefined;
  if (key === "href" || key === "description") return owner;
  if (key !== "length" && !/^\d+$/.test(key)) return undefined;
  return hasHole(value) ? UNKNOWN : constant(key === "length" ? value.length : value[Number(key)]);
}
