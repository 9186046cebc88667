import { chargeSteps, chargeText, DEPTH } from "../budget.ts";
import { assignedValue, valueOfDefinitions } from "../core/assigned-values.ts";
import type { Interpreter } from "../interpreter.ts";
import { partOfAddress, partOfSymbol, storedName, storedText } from "../text/string-holders.ts";
import { asText, taintOf } from "../text/text.ts";
import {
  BEYOND_BUDGET,
  CHARWISE,
  COMPUTED_GLOBAL,
  constant,
  DECODED,
  each,
  either,
  FUNCTION_MEMBER,
  HIDDEN,
  HOLE,
  host,
  isText,
  MEMBER_TAINTS,
  OWN_ORIGIN,
  text,
  UNKNOWN,
  UNKNOWN_MEMBER,
  unknown,
  type Value,
} from "../value.ts";
import { builtIn } from "./built-in.ts";
import { DESCRIPTORS, hostMember, isFunctionPath, mayNameCode, pageObjectOf } from "./hosts.ts";
import { jsxDataset, jsxMember } from "./jsx-values.ts";
import { FUNCTION_METHODS, memberOfClass, memberOfFunction } from "./member-class.ts";
import { memberOfObject } from "./member-object.ts";
import { keysOf } from "./objects.ts";

/** Members that read the text of an element, and elements that are read this way because somebody types into them. */
const READ_BACK = new Set(["textContent", "innerText", "value"]);
const FIELDS = new Set(["input", "select", "option", "button", "#text"]);

/** Methods of elements and documents that a rule knows by name: the name is kept when they are used as values. */
const KEPT_METHODS = new Set([
  "setAttribute",
  "setAttributeNS",
  "insertAdjacentHTML",
  "createContextualFragment",
  "createElement",
  "createElementNS",
  "write",
  "writeln",
  "parseFromString",
  "__lookupSetter__",
  "__lookupGetter__",
]);

/** `object[key]` for all alternatives of object and key. */
export function membersOf(interpreter: Interpreter, object: Value, key: Value): Value {
  if (key.kind === "constant") {
    const name = String(key.value);
    if (!chargeText(name.length)) return BEYOND_BUDGET;
    return each(object, (option) => memberOf(interpreter, option, name));
  }
  return each(key, (option) => {
    const { value, taint } = asText(option);
    if (value.includes(HOLE) || value.includes(OWN_ORIGIN))
      return memberByUnknownKey(interpreter, object, value, taint);
    return each(object, (owner) => memberOf(interpreter, owner, value));
  });
}

/** An object literal with at most this many properties is a table: an unknown key may pick any. */
const TABLE = 64;

/** An unknown key may pick any of the members; of the global object, an unknown value. */
function memberByUnknownKey(interpreter: Interpreter, object: Value, name: string, taint: number): Value {
  return each(object, (option) => {
    if (option.kind === "list" && option.items.length > 0) return either(option.items);
    if (option.kind === "record" && option.entries.size > 0) return either([...option.entries.values()]);
    if (option.kind === "object" && option.node.properties.length <= TABLE) {
      const held = keysOf(option).map((name) => memberOf(interpreter, option, name));
      if (held.length > 0) return either(held);
    }
    // A letter picked from a string.
    const letter = isText(option) ? CHARWISE : 0;
    return unknown(taint | taintOf(option) | pickedFrom(option, name) | letter);
  });
}

/** Whether an unknown member of a value, or a member of that, may run code. */
function pickedFrom(value: Value, name: string): number {
  switch (value.kind) {
    case "function":
    case "class":
    case "method":
    case "bound":
      return FUNCTION_MEMBER;
    case "host":
      if (value.path === "" || value.path === DESCRIPTORS) return mayNameCode(name) ? COMPUTED_GLOBAL : 0;
      return isFunctionPath(value.path) ? FUNCTION_MEMBER : 0;
    case "unknown":
      return value.taint & UNKNOWN_MEMBER ? FUNCTION_MEMBER : 0;
    case "constant":
    case "text":
    case "list":
    case "regex":
      return UNKNOWN_MEMBER;
    default:
      return 0;
  }
}

/** `object.key`. */
export function memberOf(interpreter: Interpreter, object: Value, key: string): Value {
  if (object.kind === "unknown" || object.kind === "host") return memberOfOne(interpreter, object, key);
  if (!chargeSteps(1)) return BEYOND_BUDGET;
  if (interpreter.depth > DEPTH) return unknown(HIDDEN);
  interpreter.depth++;
  const value = memberOfOne(interpreter, object, key);
  interpreter.depth--;
  return value;
}

function memberOfOne(interpreter: Interpreter, object: Value, key: string): Value {
  switch (object.kind) {
    case "unknown": {
      const bridge = pageObjectOf(key);
      if (bridge !== null) return host(bridge);
      // `f[k](…).call()` calls the result of `f[k](…)`; any other member is no longer what a member of a function returned (MEMBERS).
      if (object.taint & MEMBER_TAINTS)
        return FUNCTION_METHODS.has(key) ? object : unknown(object.taint & ~MEMBER_TAINTS);
      const shown = jsxMember(interpreter, object, key);
      if (shown !== null) return shown;
      if (KEPT_METHODS.has(key)) return { kind: "method", of: object, name: key };
      if (key === "view") return host("event.view");
      return key === "constructor" ? host("Object") : object;
    }
    case "host": {
      const shown = jsxDataset(interpreter, object.path, key);
      if (shown !== null) return shown;
      const path = hostMember(object.path, key);
      if (
        FUNCTION_METHODS.has(key) &&
        object.path !== "" &&
        object.path !== "Reflect" &&
        interpreter.hostWrites.get(`${path}`) === undefined
      )
        return { kind: "method", of: object, name: key };
      if (path === null) return UNKNOWN;
      const written = interpreter.hostWrites.get(path);
      return written === undefined
        ? host(path)
        : either([host(path), valueOfDefinitions(interpreter, written)]);
    }
    case "constant":
      // A value that starts as null is set later: a React ref, to its element.
      if (object.value === null || object.value === undefined) return memberOfOne(interpreter, UNKNOWN, key);
      return memberOfConstant(object, key);
    case "text": {
      if (key === "constructor") return host("String");
      if (key === "length") return unknown(object.taint);
      const part = partOfAddress(object, key);
      if (part !== null) return part;
      if (/^\d+$/.test(key)) return text(HOLE, object.taint);
      return key === "href" ? object : { kind: "method", of: object, name: key };
    }
    case "regex":
      if (key === "source") return constant(object.source);
      if (key === "flags") return constant(object.flags);
      return key === "constructor" ? host("RegExp") : { kind: "method", of: object, name: key };
    case "list":
      return memberOfList(interpreter, object, key);
    case "record":
      return object.entries.get(key) ?? builtIn(object, key);
    case "object":
      return memberOfObject(interpreter, object, key);
    case "function":
    case "class":
    case "bound":
    case "method":
      return memberOfFunction(interpreter, object, key);
    case "instance": {
      if (!("superClass" in object.of)) return assignedValue(interpreter, object.of, key) ?? UNKNOWN;
      const found = memberOfClass(interpreter, object.of, key, false, object.scope.parent ?? object.scope);
      return found ?? (key === "constructor" ? host("Object") : UNKNOWN);
    }
    case "element": {
      // The `dataset` of an element is stored with the element.
      if (key === "dataset") return object;
      const given = interpreter.elementWrites.get(object)?.get(storedName(object.tag, key));
      if (given !== undefined) return storedText(given);
      const address = interpreter.elementWrites.get(object)?.get("href");
      const part =
        address?.kind === "constant" || address?.kind === "text" ? partOfAddress(address, key) : null;
      if (part !== null) return part;
      if (key === "localName") return constant(object.tag);
      if (key === "tagName" || key === "nodeName") return constant(object.tag.toUpperCase());
      // Text of markup that was put into it, with entities decoded.
      if (READ_BACK.has(key) && !FIELDS.has(object.tag)) return text(HOLE, DECODED);
      return pageObjectOf(key) !== null
        ? host(pageObjectOf(key) ?? "")
        : { kind: "method", of: object, name: key };
    }
    case "receiver":
      return assignedValue(interpreter, object.of, key) ?? UNKNOWN;
    case "either":
      return each(object, (option) => memberOf(interpreter, option, key));
  }
}

function memberOfConstant(object: Extract<Value, { kind: "constant" }>, key: string): Value {
  const { value, taint } = object;
  if (typeof value === "string") {
    if (key === "length") return constant(value.length);
    // A URL object is represented by its URL string.
    if (key === "href") return object;
    const part = partOfSymbol(value, key) ?? partOfAddress(object, key);
    if (part !== null) return part;
    if (/^\d+$/.test(key)) return constant(value[Number(key)], taint);
    return key === "constructor" ? host("String") : { kind: "method", of: object, name: key };
  }
  if (key === "constructor") return host(typeof value === "number" ? "Number" : "Boolean");
  return { kind: "method", of: object, name: key };
}

function memberOfList(interpreter: Interpreter, list: Extract<Value, { kind: "list" }>, key: string): Value {
  const written = assignedValue(interpreter, list.node, key);
  if (/^\d+$/.test(key)) {
    const item = list.items[Number(key)];
    if (item !== undefined) return written === null ? item : either([item, written]);
    return written ?? constant(undefined);
  }
  if (key === "length") return constant(list.items.length);
  // The raw strings of a template literal, and the bytes of a typed array.
  if ((key === "raw" || key === "buffer") && written === null) return list;
  // Only the match of a pattern has `groups`.
  if (key === "groups") return unknown(taintOf(list) | HIDDEN);
  return written ?? (key === "constructor" ? host("Array") : { kind: "method", of: list, name: key });
}
