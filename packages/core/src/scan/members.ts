import type { Evaluator } from "./evaluator.ts";
import { hostMember, memberOfUnknown } from "./hosts.ts";
import { MAX_ITEMS } from "./limits.ts";
import {
  type Closure,
  constant,
  hasHole,
  host,
  join,
  type Record_,
  SPENT,
  UNDEFINED,
  UNKNOWN,
  type Value,
} from "./value.ts";

/** How far prototypes are followed. */
const ANCESTORS = 20;
const CALLS = new Set(["call", "apply", "bind"]);

/** A member of one value. `key` may have holes; null is any member. */
export function memberOf(evaluator: Evaluator, owner: Value, key: string | null): Value {
  const known = key === null || hasHole(key) ? null : key;
  switch (owner.kind) {
    case "host":
      return memberOfHost(evaluator, owner.path, key);
    case "object":
      return known === null
        ? join([...owner.props.values()].map((one) => read(evaluator, one, owner)))
        : memberOfObject(evaluator, owner, known);
    case "function":
      return known === null ? UNKNOWN : memberOfFunction(evaluator, owner, known);
    case "list":
      if (known === null) return owner.items.length === 0 ? UNKNOWN : join(owner.items);
      if (/^\d+$/.test(known)) return owner.items[Number(known)] ?? UNDEFINED;
      if (known === "length") return constant(owner.items.length);
      return known === "constructor" ? host("Array") : { kind: "method", on: owner, key: known };
    case "constant":
      return known === null ? UNKNOWN : memberOfConstant(owner.value, owner, known);
    case "element":
      if (known === null) return UNKNOWN;
      return memberOfUnknown(known) ?? owner.props.get(known) ?? { kind: "method", on: owner, key: known };
    case "method":
    case "bound":
      if (owner.kind === "method" && owner.key === "*descriptors")
        return descriptor(evaluator, owner.on, known ?? "");
      if (known === "constructor") return host("Function");
      return known === null ? UNKNOWN : { kind: "method", on: owner, key: known };
    case "unknown":
      if (known === null || owner.spent === true) return owner;
      return memberOfUnknown(known) ?? { kind: "method", on: owner, key: known };
    default:
      return UNKNOWN;
  }
}

function memberOfHost(evaluator: Evaluator, path: string, key: string | null): Value {
  if (key !== null && CALLS.has(key) && path !== "" && !path.startsWith("Reflect"))
    return { kind: "method", on: host(path), key };
  const member = hostMember(path, key);
  const written = member.kind === "host" ? evaluator.globals.get(member.path) : undefined;
  return written === undefined ? member : join([written, member]);
}

function memberOfObject(evaluator: Evaluator, owner: Record_, key: string): Value {
  let of: Value | null = owner;
  for (let depth = 0; of !== null && depth < ANCESTORS; depth++) {
    if (of.kind !== "object") return evaluator.member(of, key);
    const own = of.props.get(key);
    if (own !== undefined) return read(evaluator, own, owner);
    of = of.of;
  }
  if (key === "constructor") return host("Object");
  if (key === "__proto__") return owner.of ?? host("Object.prototype");
  return { kind: "method", on: owner, key };
}

/** The value of a property: that of its getter, if it has one. */
function read(evaluator: Evaluator, held: Value, self: Value): Value {
  if (held.kind !== "accessor") return held;
  return held.get?.kind === "function" ? evaluator.call(held.get, self, [], held.get.node) : UNKNOWN;
}

function memberOfFunction(evaluator: Evaluator, owner: Closure, key: string): Value {
  const own = owner.props.get(key);
  if (own !== undefined) return read(evaluator, own, owner);
  if (key === "constructor" || key === "__proto__")
    return host(key === "constructor" ? "Function" : "Function.prototype");
  if (key === "prototype") {
    owner.prototype ??= {
      kind: "object",
      props: new Map([["constructor", owner]]),
      of: null,
      context: owner.scope.context,
    };
    return owner.prototype;
  }
  if (key === "name" && "id" in owner.node) return constant(owner.node.id?.name ?? "");
  if (owner.node.type.startsWith("Class") && owner.home !== null && !CALLS.has(key))
    return evaluator.member(owner.home, key);
  return { kind: "method", on: owner, key };
}

function memberOfConstant(value: unknown, owner: Value, key: string): Value {
  if (value === null || value === undefined) return UNKNOWN;
  if (key === "constructor") return host(CONSTRUCTORS[typeof value] ?? "Object");
  if (typeof value === "string") {
    if (/^\d+$/.test(key)) return hasHole(value) ? UNKNOWN : constant(value[Number(key)]);
    if (key === "length") return hasHole(value) ? UNKNOWN : constant(value.length);
    if (key === "description") return owner;
  }
  if (value instanceof RegExp && (key === "source" || key === "flags")) return constant(value[key]);
  return { kind: "method", on: owner, key };
}

const CONSTRUCTORS: Readonly<Record<string, string>> = {
  string: "String",
  number: "Number",
  boolean: "Boolean",
  bigint: "BigInt",
};

/** Writes a member of one value: for certain where the value was made, else as one more alternative. */
export function setMember(evaluator: Evaluator, owner: Value, key: string | null, value: Value): void {
  if (key === null || hasHole(key)) return;
  switch (owner.kind) {
    case "host": {
      const member = hostMember(owner.path, key);
      if (member.kind !== "host" || value.kind === "unknown") return;
      const before = evaluator.globals.get(member.path);
      evaluator.globals.set(member.path, before === undefined ? value : join([before, value]));
      return;
    }
    case "object": {
      const before = owner.props.get(key);
      if (before?.kind === "accessor") {
        if (before.set?.kind === "function") evaluator.call(before.set, owner, [value], before.set.node);
      } else if (owner.props.has("#address")) setPart(evaluator, owner, key, value);
      else
        owner.props.set(
          key,
          before === undefined || owner.context === evaluator.context ? value : join([before, value]),
        );
      return;
    }
    case "function":
      owner.props.set(key, value);
      return;
    case "element":
      owner.props.set(key, value);
      return;
    case "list": {
      const index = /^\d{1,5}$/.test(key) ? Number(key) : Number.NaN;
      if (key === "length" && value.kind === "constant" && value.value === 0) owner.items.length = 0;
      if (!(index < MAX_ITEMS)) return;
      while (owner.items.length < index) owner.items.push(UNDEFINED);
      const before = owner.items[index];
      owner.items[index] =
        before === undefined || owner.context === evaluator.context ? value : join([before, value]);
      return;
    }
    case "unknown":
    case "any":
    case "constant":
    case "method":
    case "bound":
    case "accessor":
      return;
  }
}

/** Writes a part of an address: a host makes it one of another site. */
function setPart(evaluator: Evaluator, address: Record_, key: string, value: Value): void {
  if (key === "href") address.props.set("#address", value);
  if (key === "host" || key === "hostname")
    address.props.set("#address", constant(`//${evaluator.text(value)}`));
}

/** What a descriptor of a property holds. */
export function descriptor(evaluator: Evaluator, owner: Value, key: string): Value {
  const value = evaluator.member(owner, key);
  const get: Value = { kind: "method", on: owner, key: `.${key}` };
  const set: Value = { kind: "method", on: owner, key: `=${key}` };
  const props = new Map([
    ["value", value],
    ["get", get],
    ["set", set],
  ]);
  return { kind: "object", props, of: null, context: evaluator.context };
}
