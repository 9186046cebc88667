import type * as t from "@babel/types";
import { hostMember, hostText, memberOfUnknown } from "../hosts.ts";
import { MAX_ITEMS, MAX_TEXT, StepBudget } from "../limits.ts";
import type { Act } from "../sinks.ts";
import type { Constant, Instance, Value } from "../value.ts";
import {
  constant,
  each,
  HIDDEN,
  HOLE,
  hasHole,
  host,
  join,
  NOT_KNOWN,
  options,
  SPENT,
  UNDEFINED,
  UNKNOWN,
} from "../value.ts";

/** The most objects of a prototype chain that are searched for a member. */
const ANCESTORS = 20;

/** Works with the values of a program during evaluation: reads and writes members, and makes strings, lists and objects. */
export abstract class World {
  readonly budget = new StepBudget();
  /** The number of the current run of `maybe`. A write to a name that was declared in another run keeps the name's old values, too. */
  context = 0;
  readonly act: (act: Act) => void;
  #contexts = 0;
  abstract call(callee: Value, self: Value | null, args: Value[], node: t.Node): Value;
  abstract construct(callee: Value, args: Value[], node: t.Node): Value;
  abstract items(value: Value): readonly Value[];
  abstract readonly argsIn: (value: Value) => Value[];
  abstract makeElement(type: Value, typed: Value | undefined, node: t.Node): Value;

  constructor(onAct: (act: Act) => void) {
    this.act = onAct;
  }

  /** Runs work that may or may not happen: a value that it writes to a name becomes one more alternative. */
  maybe<T>(work: () => T): T {
    const before = this.context;
    this.context = ++this.#contexts;
    const value = work();
    this.context = before;
    return value;
  }

  /**
   * Runs a branch that may be taken (`known` is null), or that a known condition excludes (false). An excluded branch runs too, so that
   * all code is scanned. Only repeated evaluation skips it.
   */
  branch<T>(known: boolean | null, work: () => T): T | null {
    return known === null || !this.budget.repeats ? this.maybe(work) : null;
  }

  list(items: Value[]): Value {
    return items.length > MAX_ITEMS ? SPENT : { kind: "list", items };
  }

  object(entries: Iterable<readonly [string, Value]> = [], of: Value | null = null): Instance {
    return { kind: "object", props: new Map(entries), of };
  }

  /** Converts a constant, or a list of constants, to a plain value. With `holes`, strings may be partly unknown. */
  toPlain(value: Value, holes = false, depth = 3): unknown {
    if (value.kind === "constant")
      return !holes && typeof value.value === "string" && hasHole(value.value) ? NOT_KNOWN : value.value;
    if (value.kind !== "list" || depth === 0 || !this.budget.charge(value.items.length)) return NOT_KNOWN;
    const plain = value.items.map((item) => this.toPlain(item, holes, depth - 1));
    return plain.includes(NOT_KNOWN) ? NOT_KNOWN : plain;
  }

  /** Converts a computed plain value into a value of the scan. */
  readonly fromPlain = (plain: unknown): Value => {
    if (typeof plain === "string") return plain.length > MAX_TEXT ? SPENT : constant(plain);
    if (Array.isArray(plain)) return this.list(plain.slice(0, MAX_ITEMS + 1).map(this.fromPlain));
    if (typeof plain !== "object" || plain === null || plain instanceof RegExp)
      return constant(plain as Constant);
    return this.object(Object.entries(plain).map(([key, held]) => [key, this.fromPlain(held)] as const));
  };

  /** Returns a value as a string, with holes for unknown parts. Of several alternatives, only the first is used. */
  text(value: Value): string {
    if (value.kind === "constant") return String(value.value);
    if (value.kind === "host") return hostText(value.path);
    if (value.kind === "list") return this.joined(value.items, ",");
    if (value.kind === "any") return this.text(value.options[0] ?? UNKNOWN);
    return value === SPENT ? HIDDEN : HOLE;
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

  /** Returns the text of a template literal, from its strings and the values between them. */
  interleaved(strings: readonly Value[], values: readonly Value[]): string {
    const parts = strings.flatMap((part, at) => [part, ...values.slice(at, at + 1)]);
    return this.joined(parts, "");
  }

  /** Returns a member of a value. The member's name may have holes. */
  member(owner: Value, key: string): Value {
    if (owner.kind === "any") return each(owner, (option) => this.member(option, key));
    if (owner.kind === "host")
      return /^(?:call|apply|bind)$/.test(key) && !/^(?:|Reflect)$/.test(owner.path)
        ? { kind: "method", on: owner, key }
        : hostMember(owner.path, key);
    if (hasHole(key) && (owner.kind === "list" || owner.kind === "object")) {
      const held = owner.kind === "list" ? owner.items : [...owner.props.values()];
      return this.budget.charge(held.length) ? join(held) : SPENT;
    }
    return this.#ownMember(owner, key) ?? memberOfUnknown(key) ?? { kind: "method", on: owner, key };
  }

  #ownMember(owner: Value, key: string): Value | undefined {
    let of: Value | null = owner;
    for (let depth = 0; of !== null && "props" in of && depth < ANCESTORS; depth++) {
      const own = of.props.get(key);
      if (own !== undefined) return own;
      of = of.kind === "object" ? of.of : of.kind === "function" ? of.home : null;
    }
    // A class of the file may extend a class of the browser or of a package, which then has the member.
    if (of?.kind === "host") return this.member(of, key);
    if (owner.kind === "constant") return memberOfConstant(owner.value, key);
    if (owner.kind === "list" && /^\d+$/.test(key)) return owner.items[Number(key)] ?? UNDEFINED;
    if (owner.kind === "list" && key === "length") return constant(owner.items.length);
    if (!/^(?:function|method|bound)$/.test(owner.kind)) return undefined;
    if (key === "__proto__") return host("Function.prototype");
    return key === "constructor" ? host("Function") : undefined;
  }

  write(owner: Value, key: string, value: Value, node: t.Node, attribute = false): void {
    if (!hasHole(key)) for (const option of options(owner)) set(option, key, value);
    this.act({ kind: "write", owner, key, value, node, attribute });
  }

  /** Copies all members of an object to a value; on an element they become attributes. Without `node` no act is reported. */
  assignAll(to: Value, from: Value | undefined, node: t.Node | null): void {
    for (const of of options(from)) {
      if (of.kind !== "object" || !this.budget.charge(16 * of.props.size)) continue;
      for (const [key, value] of of.props)
        if (node === null) set(to, key, value);
        else this.write(to, key, value, node, to.kind === "element");
    }
  }
}

function set(owner: Value, key: string, value: Value): void {
  if ("props" in owner) owner.props.set(key, value);
  if (owner.kind !== "list" || !/^\d+$/.test(key)) return;
  const at = Number(key);
  if (at <= owner.items.length && at < MAX_ITEMS) owner.items[at] = value;
}

function memberOfConstant(value: Constant, key: string): Value | undefined {
  if (value === null || value === undefined) return UNKNOWN;
  if (key === "constructor" && typeof value === "string") return host("String");
  if (typeof value !== "string" || !/^(?:length|\d+)$/.test(key)) return undefined;
  return hasHole(value) ? UNKNOWN : constant(key === "length" ? value.length : value[Number(key)]);
}
