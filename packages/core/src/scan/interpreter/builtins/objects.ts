import { mapUnknown } from "../calls/map-unknown.ts";
import type { Interpreter } from "../interpreter.ts";
import { deepTaint } from "../members/deep-taint.ts";
import { DESCRIPTORS } from "../members/hosts.ts";
import { assigned, fromEntries, keysOf, parseJson } from "../members/objects.ts";
import { errorOf } from "../text/string-holders.ts";
import { asText, taintOf } from "../text/text.ts";
import {
  COMPUTED_GLOBAL,
  constant,
  each,
  either,
  HOLE,
  host,
  isGlobalObject,
  PRIVATE,
  REFLECTED,
  text,
  UNKNOWN,
  unknown,
  type Value,
} from "../value.ts";
import { type Builtin, characters, list } from "./builtin.ts";

const prototypeOf: Builtin = (_interpreter, _args, first) =>
  each(first, (option) => {
    if (option.kind === "host")
      return host(option.path === "Function" ? "Function.prototype" : memberPrototype(option.path));
    return option.kind === "function" || option.kind === "method" || option.kind === "class"
      ? host("Function.prototype")
      : UNKNOWN;
  });

function memberPrototype(path: string): string {
  return path === "" || path === "document" || path === "location" ? path : "Function.prototype";
}

/** Reads a property by a computed name: `Reflect.get(window, "ev" + "al")`. */
const reading: Builtin = (interpreter, args, first) =>
  each(interpreter.members(first, args[1] ?? UNKNOWN), (option) =>
    option.kind === "unknown" ? unknown(option.taint | REFLECTED) : option,
  );

/** A property's descriptor: its value, a getter, and a setter identified by its path. */
const describing: Builtin = (interpreter, args, first) => {
  const entries = new Map<string, Value>([["value", reading(interpreter, args, first)]]);
  const key = asText(args[1] ?? UNKNOWN).value;
  if (first.kind === "host") {
    entries.set("set", host(`${first.path}.${key}=`));
    entries.set("get", { kind: "bound", target: host("Reflect.get"), args: [first, args[1] ?? UNKNOWN] });
  }
  return { kind: "record", entries };
};

/** A symbol is represented by its description, so that a property stored under it is found. */
function symbol(first: Value): Value {
  const { value } = asText(first);
  return value.includes(HOLE) ? UNKNOWN : constant(`@@${value}`);
}

/** The names of an object's properties; for the global object, any one of its names. */
const keys: Builtin = (_interpreter, _args, first) => {
  if (isGlobalObject(first)) return list([text(HOLE, COMPUTED_GLOBAL)]);
  if (first.kind === "unknown" || first.kind === "host") return unknown(taintOf(first));
  return list(keysOf(first).map((key) => constant(key)));
};

/** Cookies or storage values in an object, under unknown names. */
function privateValuesIn(interpreter: Interpreter, value: Value): Value[] {
  return interpreter.private && deepTaint(interpreter, value) & PRIVATE ? [unknown(PRIVATE)] : [];
}

/** Whether a value is the global object, or all its descriptors. */
function holdsAll(value: Value): boolean {
  return isGlobalObject(value) || (value.kind === "host" && value.path === DESCRIPTORS);
}

const listFrom: Builtin = (interpreter, args, first) => {
  const [, map] = args;
  const items =
    first.kind === "list"
      ? first.items
      : first.kind === "record"
        ? [...first.entries].map(([key, held]) => list([constant(key), held]))
        : characters(first);
  if (items === null)
    return map === undefined
      ? unknown(taintOf(first))
      : mapUnknown(interpreter, unknown(taintOf(first)), map);
  return list(
    map === undefined
      ? items
      : items.slice(0, 2048).map((item, index) => interpreter.call(map, () => [item, constant(index)])),
  );
};

/** Errors, created with or without `new`. */
export const ERRORS = [
  "Error",
  "TypeError",
  "RangeError",
  "SyntaxError",
  "EvalError",
  "ReferenceError",
  "URIError",
];

export const makingError: Builtin = (interpreter, args) =>
  errorOf(args[0], args[1] === undefined ? UNKNOWN : interpreter.member(args[1], "cause"));

/** Functions that read, copy or create objects and lists. */
export const OBJECT_FUNCTIONS: Record<string, Builtin> = {
  Object: (_interpreter, _args, first) => first,
  Symbol: (_interpreter, _args, first) => symbol(first),
  "Symbol.for": (_interpreter, _args, first) => symbol(first),
  "JSON.parse": (_interpreter, _args, first) =>
    first.kind === "constant" ? parseJson(first.value) : unknown(taintOf(first)),
  "Reflect.get": reading,
  "Reflect.getPrototypeOf": prototypeOf,
  "Object.getPrototypeOf": prototypeOf,
  "Reflect.getOwnPropertyDescriptor": describing,
  "Object.getOwnPropertyDescriptor": describing,
  "Object.getOwnPropertyDescriptors": (_interpreter, _args, first) =>
    first.kind === "host" && !first.path.startsWith("npm:") ? host(`${first.path}${DESCRIPTORS}`) : first,
  "Object.assign": (interpreter, args, first) => (args.length > 1 ? assigned(interpreter, args) : first),
  "Object.create": (_interpreter, _args, first) => first,
  "Object.freeze": (_interpreter, _args, first) => first,
  "Object.seal": (_interpreter, _args, first) => first,
  structuredClone: (_interpreter, _args, first) => first,
  "Object.keys": keys,
  "Object.getOwnPropertyNames": keys,
  "Reflect.ownKeys": keys,
  "Object.values": (interpreter, _args, first) =>
    holdsAll(first)
      ? list([unknown(COMPUTED_GLOBAL)])
      : first.kind === "unknown" || first.kind === "host"
        ? unknown(taintOf(first))
        : list([
            ...keysOf(first).map((key) => interpreter.member(first, key)),
            ...privateValuesIn(interpreter, first),
          ]),
  "Object.entries": (interpreter, _args, first) =>
    holdsAll(first)
      ? list([list([text(HOLE, COMPUTED_GLOBAL), unknown(COMPUTED_GLOBAL)])])
      : first.kind === "unknown" || first.kind === "host"
        ? unknown(taintOf(first))
        : list([
            ...keysOf(first).map((key) => list([constant(key), interpreter.member(first, key)])),
            ...privateValuesIn(interpreter, first),
          ]),
  "Object.fromEntries": (_interpreter, _args, first) => fromEntries(first),
  Array: (_interpreter, args) => (args.length === 1 && args[0]?.kind === "constant" ? list([]) : list(args)),
  "Array.of": (_interpreter, args) => list(args),
  "Array.from": listFrom,
  "Uint8Array.from": listFrom,
  "Uint16Array.from": listFrom,
  "Int8Array.from": listFrom,
  ...Object.fromEntries(ERRORS.map((name) => [name, makingError])),
  "Uint8Array.of": (_interpreter, args) => list(args),
  "Promise.resolve": (_interpreter, _args, first) => first,
  "Promise.all": (_interpreter, _args, first) => first,
  "Promise.race": (_interpreter, _args, first) => (first.kind === "list" ? either(first.items) : first),
};
