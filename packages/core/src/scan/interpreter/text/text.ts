import { charge, chargeText } from "../budget.ts";
import { hostTaint, isOwnAddress } from "../members/hosts.ts";
import {
  BEYOND_BUDGET,
  type Constant,
  constant,
  each,
  either,
  HIDDEN,
  HOLE,
  isText,
  OVER_BUDGET,
  OWN_ORIGIN,
  options,
  TEXT_LIMIT,
  text,
  unknown,
  type Value,
} from "../value.ts";

/** How many pairs of alternatives are combined; more are left out. */
const PAIRS = 256;

/** Joins strings up to TEXT_LIMIT: a short string repeated many times is very long. */
export function joinTexts(parts: readonly string[], between = ""): string {
  let length = 0;
  for (const [index, part] of parts.entries()) {
    length += part.length + between.length;
    if (length > TEXT_LIMIT) return parts.slice(0, index).join(between) + HOLE;
  }
  return parts.join(between);
}

/** A nested list is converted to a string only up to this length and this depth. */
const INNER = 16;
const NESTED = 4;

/** A value converted to a string, with HOLE for unknown parts, and the taints of its parts. */
export function asText(value: Value, depth = 0): { value: string; taint: number } {
  switch (value.kind) {
    case "constant":
      if (typeof value.value === "string") return chargedText(value.value, value.taint);
      return { value: String(value.value), taint: value.taint };
    case "text":
      return chargedText(value.value, value.taint);
    case "unknown":
      return { value: HOLE, taint: value.taint };
    case "host":
      return {
        value: isOwnAddress(value.path) ? OWN_ORIGIN : nativeSource(value.path),
        taint: hostTaint(value.path),
      };
    case "list": {
      if (depth > 0 && (depth > NESTED || value.items.length > INNER))
        return { value: HOLE, taint: taintOf(value) };
      const items = value.items.slice(0, 4096).map((item) => asText(item, depth + 1).value);
      const shown = items.map((item) => (item === "undefined" || item === "null" ? "" : item));
      return { value: joinTexts(shown, ","), taint: taintOf(value) };
    }
    case "object":
    case "record":
      return value.kind === "record" && value.text !== undefined
        ? asText(value.text, depth)
        : { value: "[object Object]", taint: 0 };
    case "regex":
      return { value: `/${value.source}/${value.flags}`, taint: 0 };
    case "method":
      return { value: `function ${value.name}() { [native code] }`, taint: 0 };
    default:
      return { value: HOLE, taint: taintOf(value) };
  }
}

/** Reads a string and charges its length; past the budget, the string is unknown. */
function chargedText(value: string, taint: number): { value: string; taint: number } {
  return chargeText(value.length) ? { value, taint } : { value: HOLE, taint: taint | HIDDEN | OVER_BUDGET };
}

function nativeSource(path: string): string {
  // A well-known symbol: by its name, as the symbols of the file.
  if (path.startsWith("Symbol.")) return `@@${path}`;
  return /^[A-Z]\w+$/.test(path) ? `function ${path}() { [native code] }` : HOLE;
}

/** All taints of a value. */
export function taintOf(value: Value): number {
  switch (value.kind) {
    case "unknown":
    case "constant":
    case "text":
      return value.taint;
    case "host":
      return hostTaint(value.path);
    case "either":
      return value.options.reduce((taint, option) => taint | taintOf(option), 0);
    case "list":
      charge(value.items.length);
      return value.items.reduce((taint, item) => taint | (item.kind === "list" ? 0 : taintOf(item)), 0);
    default:
      return 0;
  }
}

/** A value converted to a string, for each alternative. */
export function stringOf(value: Value): Value {
  return each(value, (option) => {
    if (option.kind === "text") return option;
    const read = asText(option);
    return fromText(read.value, read.taint);
  });
}

/** A string value: a constant if nothing in it is unknown. */
export function fromText(value: string, taint: number): Value {
  if (!chargeText(value.length)) return BEYOND_BUDGET;
  return value.includes(HOLE) || value.includes(OWN_ORIGIN) ? text(value, taint) : constant(value, taint);
}

/** `left + right`. */
export function add(left: Value, right: Value): Value {
  const sums: Value[] = [];
  for (const a of options(left)) {
    for (const b of options(right)) {
      if (sums.length === PAIRS) {
        sums.push(unknown(taintOf(left) | taintOf(right)));
        return either(sums);
      }
      sums.push(addOne(a, b));
    }
  }
  return either(sums);
}

/** The sum of many operands; at least one of the first two is a string. */
export function addAll(parts: readonly Value[]): Value {
  const several = parts.filter((part) => part.kind === "either").length;
  if (several > 0 && several <= 4 && parts.length <= 64) return parts.reduce(add);
  let taint = 0;
  const texts = parts.map((part) => {
    const read = asText(part);
    taint |= read.taint;
    return read.value;
  });
  return fromText(joinTexts(texts), taint);
}

function addOne(a: Value, b: Value): Value {
  if (a.kind === "constant" && b.kind === "constant") {
    const [x, y] = [a.value, b.value];
    const taint = a.taint | b.taint;
    if (typeof x === "string" || typeof y === "string") return constant(String(x) + String(y), taint);
    if (typeof x === "bigint" || typeof y === "bigint") return unknown(taint);
    return constant(Number(x) + Number(y), taint);
  }
  if (joins(a) || joins(b)) {
    const [x, y] = [asText(a), asText(b)];
    return fromText(x.value + y.value, x.taint | y.taint);
  }
  return unknown(taintOf(a) | taintOf(b));
}

/** Whether `+` on the value makes a string. */
function joins(value: Value): boolean {
  switch (value.kind) {
    case "list":
    case "object":
    case "record":
    case "regex":
    case "method":
    case "function":
    case "class":
      return true;
    case "host":
      return isOwnAddress(value.path) || hostTaint(value.path) !== 0 || /^[A-Z]\w+$/.test(value.path);
    default:
      return isText(value);
  }
}

/** A value as a number: NaN if it is not a number, null if it is unknown. */
export function asNumber(value: Value): number | null {
  if (value.kind === "constant") {
    if (typeof value.value === "string" && !chargeText(value.value.length)) return null;
    return typeof value.value === "bigint" ? null : Number(value.value);
  }
  if (value.kind === "list" || value.kind === "object" || value.kind === "record") {
    const read = asText(value).value;
    return read.includes(HOLE) ? null : Number(read);
  }
  return value.kind === "function" || value.kind === "method" ? Number.NaN : null;
}

/** The result of an operator on constants; `^` with an unknown operand is hidden. */
export function calculate(operator: string, left: Value, right: Value): Value {
  if (operator === "+") return add(left, right);
  const taint = taintOf(left) | taintOf(right);
  const results: Value[] = [];
  for (const a of options(left)) {
    for (const b of options(right)) {
      if (results.length === PAIRS) break;
      const [x, y] = [asNumber(a), asNumber(b)];
      const result = x === null || y === null ? undefined : arithmetic(operator, x, y);
      const scrambled = operator === "^" ? HIDDEN : 0;
      results.push(result === undefined ? unknown(taint | scrambled) : constant(result, taint));
    }
  }
  return either(results);
}

function arithmetic(operator: string, x: number, y: number): Constant | undefined {
  switch (operator) {
    case "-":
      return x - y;
    case "*":
      return x * y;
    case "/":
      return x / y;
    case "%":
      return x % y;
    case "**":
      return x ** y;
    case "&":
      return x & y;
    case "|":
      return x | y;
    case "^":
      return x ^ y;
    case "<<":
      return x << y;
    case ">>":
      return x >> y;
    case ">>>":
      return x >>> y;
    case "<":
      return x < y;
    case ">":
      return x > y;
    case "<=":
      return x <= y;
    case ">=":
      return x >= y;
    default:
      return undefined;
  }
}
