import type * as t from "@babel/types";
import { hostMember, hostText, mayNameCode, memberOfUnknown } from "../hosts.ts";
import { Budget, MAX_ITEMS, MAX_TEXT } from "../limits.ts";
import type { Scope } from "../scope.ts";
import { type Act, ATTRIBUTES } from "../sinks/sink.ts";
import {
  type Closure,
  type Constant,
  constant,
  each,
  HIDDEN,
  HOLE,
  hasHole,
  host,
  type Instance,
  join,
  NOT_KNOWN,
  options,
  SPENT,
  UNDEFINED,
  UNKNOWN,
  type Value,
} from "../value.ts";

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
  readonly act: (act: Act) => void;
  /** What is written to global names and to members of host objects, by path. */
  readonly #written = new Map<string, Value>();
  #contexts = 0;

  constructor(onAct: (act: Act) => void) {
    this.act = onAct;
  }

  abstract evaluate(node: t.Node | null | undefined, scope: Scope): Value;
  abstract call(callee: Value, self: Value | null, args: Value[], node: t.Node): Value;

  /** Runs what may happen or not: what it writes is one more alternative. */
  maybe<T>(work: () => T): T {
    const before = this.context;
    this.context = ++this.#contexts;
    const value = work();
    this.context = before;
    return value;
  }

  list(items: Value[]): Value {
    return items.length > MAX_ITEMS ? SPENT : { kind: "list", items, context: this.context };
  }

  object(entries: Iterable<readonly [string, Value]> = [], of: Value | null = null): Instance {
    return { kind: "object", props: new Map(entries), of, context: this.context };
  }

  pattern(source: string, flags: string): Value {
    try {
      return constant(new RegExp(source, flags));
    } catch {
      return UNKNOWN;
    }
  }

  /** The plain value that a constant or a list of them is; with `holes` strings may be known in part. */
  toPlain(value: Value, holes = false, depth = 3): unknown {
    if (value.kind === "constant")
      return !holes && typeof value.value === "string" && hasHole(value.value) ? NOT_KNOWN : value.value;
    if (value.kind !== "list" || depth === 0 || !this.budget.charge(value.items.length)) return NOT_KNOWN;
    const plain = value.items.map((item) => this.toPlain(item, holes, depth - 1));
    return plain.includes(NOT_KNOWN) ? NOT_KNOWN : plain;
  }

  /** The value of a plain one that was computed. */
  fromPlain(plain: unknown): Value {
    if (typeof plain === "string") return plain.length > MAX_TEXT ? SPENT : constant(plain);
    if (Array.isArray(plain))
      return this.list(plain.slice(0, MAX_ITEMS + 1).map((item) => this.fromPlain(item)));
    if (typeof plain !== "object" || plain === null || plain instanceof RegExp)
      return constant(plain as Constant);
    return this.object(Object.entries(plain).map(([key, held]) => [key, this.fromPlain(held)] as const));
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
    }
    const own = value.kind === "object" ? this.member(value, "toString") : UNKNOWN;
    return own.kind === "function" ? this.text(this.call(own, value, [], own.node)) : HOLE;
  }

  texts(value: Value): string[] {
    return options(value).map((option) => this.text(option));
  }

  joined(items: readonly Value[], between: string): string {
    let text = "";
    if (items.length > 1 && !this.budget.charge(items.length)) return HIDDEN;
    for (const [at, item] of items.entries()) {
      text += (at > 0 ? between : "") + (item === UNDEFINED ? "" : this.text(item));
      if (text.length > MAX_TEXT) return HIDDEN;
    }
    return text.length < 256 || this.budget.charge(text.length) ? text : HIDDEN;
  }

  /** A member of a value; its name may have holes. */
  member(owner: Value, key: string): Value {
    if (owner.kind === "any") return each(owner, (option) => this.member(option, key));
    if (owner.kind === "host") return this.#memberOfHost(owner.path, key);
    // What the budget did not reach for may be the window.
    if (owner === SPENT && mayNameCode(key)) return hostMember("", key);
    const isAny = hasHole(key);
    const held =
      isAny && owner.kind === "list" ? owner.items : isAny && owner.kind === "object" ? owner.props : null;
    if (held !== null)
      return this.budget.charge("size" in held ? held.size : held.length) ? join([...held.values()]) : SPENT;
    return (
      (isAny ? UNKNOWN : this.#ownMember(owner, key)) ??
      memberOfUnknown(key) ?? { kind: "method", on: owner, key }
    );
  }

  #ownMember(owner: Value, key: string): Value | undefined {
    if ("props" in owner) {
      let of: Value | null = owner;
      for (let depth = 0; of !== null && depth < ANCESTORS; depth++) {
        if (!("props" in of)) return this.member(of, key);
        const own = of.props.get(key);
        if (own?.kind === "getter") return this.call(own.get, owner, [], (own.get as Closure).node);
        if (own !== undefined) return own;
        of = of.kind === "object" ? of.of : of.kind === "function" ? of.home : null;
      }
      if (key === "__proto__" && owner.kind === "object" && owner.of !== null) return owner.of;
      return owner.kind === "function" ? this.#memberOfFunction(owner, key) : undefined;
    }
    if (owner.kind === "method" || owner.kind === "bound")
      return key === "constructor" ? host("Function") : undefined;
    if (owner.kind === "constant") return memberOfConstant(owner, key);
    if (owner.kind !== "list") return undefined;
    if (/^\d+$/.test(key)) return owner.items[Number(key)] ?? UNDEFINED;
    return key === "length"
      ? constant(owner.items.length)
      : key === "constructor"
        ? host("Array")
        : undefined;
  }

  #memberOfHost(path: string, key: string): Value {
    if (/^(?:call|apply|bind)$/.test(key) && path !== "" && path !== "Reflect")
      return { kind: "method", on: host(path), key };
    const member = hostMember(path, key);
    const written = member.kind === "host" ? this.#written.get(member.path) : undefined;
    return written === undefined ? member : join([written, member]);
  }

  #memberOfFunction(owner: Closure, key: string): Value | undefined {
    if (key === "constructor" || key === "__proto__")
      return host(key === "constructor" ? "Function" : "Function.prototype");
    if (key === "prototype") owner.prototype ??= this.object([["constructor", owner]]);
    if (key === "prototype" && owner.prototype !== null) return owner.prototype;
    return key === "name" && "id" in owner.node ? constant(owner.node.id?.name ?? "") : undefined;
  }

  /** What a descriptor of a property holds. */
  descriptor(on: Value, key: string): Value {
    const half = (sign: string): Value => ({ kind: "method", on, key: sign + key });
    return this.object(Object.entries({ value: this.member(on, key), get: half("."), set: half("=") }));
  }

  write(owner: Value, key: string, value: Value, node: t.Node, attribute = false): void {
    if (!hasHole(key)) for (const option of options(owner)) this.#set(option, key, value);
    // What is not known or a function is no act, except as a new address of the page.
    const isInert = value.kind === "function" || (value.kind === "unknown" && !value.spent);
    if (owner.kind === "element" && !ATTRIBUTES.test(key)) return;
    if (!isInert || owner.kind === "host" || owner.kind === "any")
      this.act({ kind: "write", owner, key, value, node, attribute });
  }

  /** Copies all members of an object; to an element they are attributes. Without `node` it is no act. */
  assignAll(to: Value, from: Value | undefined, node: t.Node | null): void {
    for (const of of options(from))
      for (const [key, value] of of.kind === "object" && this.budget.charge(2 * of.props.size)
        ? of.props
        : [])
        if (node === null) this.#set(to, key, value);
        else this.write(to, key, value, node, to.kind === "element");
  }

  #set(owner: Value, key: string, value: Value): void {
    const isCertain = "context" in owner && owner.context === this.context;
    const changed = (before: Value | undefined) =>
      before === undefined || isCertain ? value : join([before, value]);
    if (owner.kind === "host") {
      const member = hostMember(owner.path, key);
      if (member.kind === "host" && value.kind !== "unknown")
        this.#written.set(member.path, changed(this.#written.get(member.path)));
    } else if (owner.kind === "list") {
      const at = key === "length" ? -1 : Number(key);
      if (at >= 0 && at <= owner.items.length && at < MAX_ITEMS) owner.items[at] = changed(owner.items[at]);
    } else if ("props" in owner) owner.props.set(key, changed(owner.props.get(key)));
  }
}

function memberOfConstant(owner: Value & { kind: "constant" }, key: string): Value | undefined {
  const { value } = owner;
  if (value === null || value === undefined) return UNKNOWN;
  if (key === "constructor") return host(CONSTRUCTORS[typeof value] ?? "Object");
  if (value instanceof RegExp && key === "source") return constant(value.source);
  if (typeof value !== "string") return undefined;
  if (key === "href") return owner;
  if (key !== "length" && !/^\d+$/.test(key)) return undefined;
  return hasHole(value) ? UNKNOWN : constant(key === "length" ? value.length : value[Number(key)]);
}
