import { charge, chargeSteps } from "../budget.ts";
import type { Interpreter } from "../interpreter.ts";
import {
  BEYOND_BUDGET,
  CHARWISE,
  constant,
  DECODED,
  HIDDEN,
  HOLE,
  text,
  UNKNOWN,
  unknown,
  type Value,
} from "../value.ts";
import { asNumber, asText, fromText, joinTexts, taintOf } from "./text.ts";

/** Patterns are run on strings no longer than this. */
const PATTERN_TEXT = 2048;

/** The maximum length that a replacement may produce. */
const GROWTH = 4_194_304;
const WORD = 64;
/** Longer strings are not normalised. */
const NORMALIZED = 256;

/** The result of a string method. Methods that change no known part also work on strings with holes. */
export function callTextMethod(interpreter: Interpreter, of: Value, name: string, args: Value[]): Value {
  const { value, taint } = asText(of);
  if (!chargeSteps(1)) return BEYOND_BUDGET;
  const known = of.kind === "constant";
  const numbers = args.map(asNumber);
  const number = (index: number, otherwise: number) => numbers[index] ?? otherwise;
  const hole = text(HOLE, taint);
  switch (name) {
    case "toString":
      return value.startsWith("@@") ? constant(`Symbol(${value.slice(2)})`) : of;
    case "valueOf":
    case "toWellFormed":
      return of;
    case "toLowerCase":
    case "toLocaleLowerCase":
      return fromText(value.toLowerCase(), taint);
    case "toUpperCase":
    case "toLocaleUpperCase":
      return fromText(value.toUpperCase(), taint);
    case "trim":
    case "trimStart":
    case "trimEnd":
      return fromText(value[name](), taint);
    case "normalize":
      // Sorting many combining marks takes quadratic time.
      return value.length > NORMALIZED ? text(HOLE, taint | CHARWISE) : normalized(value, taint, args[0]);
    case "concat": {
      const parts = args.map(asText);
      return fromText(
        joinTexts([value, ...parts.map((part) => part.value)]),
        parts.reduce((sum, part) => sum | part.taint, taint),
      );
    }
    case "replace":
    case "replaceAll":
      return replace(interpreter, of, name, args);
    case "split":
      return split(value, taint, known, args);
  }
  if (!known) return name === "charCodeAt" || name === "codePointAt" ? unknown(taint) : hole;
  if (name === "match") return matched(value, taint, args);
  if (name === "matchAll") return matchedAll(value, taint, args);
  if (name === "indexOf" || name === "lastIndexOf") return found(value, name, args);
  if (numbers.includes(null)) return name === "charAt" || name === "at" ? text(HOLE, taint | CHARWISE) : hole;
  switch (name) {
    case "charAt":
      return constant(value.charAt(number(0, 0)), taint);
    case "at":
      return constant(value.at(number(0, 0)), taint);
    case "charCodeAt":
      return constant(value.charCodeAt(number(0, 0)), taint);
    case "codePointAt":
      return constant(value.codePointAt(number(0, 0)), taint);
    case "slice":
      return constant(value.slice(number(0, 0), number(1, value.length)), taint);
    case "substring":
      return constant(value.substring(number(0, 0), number(1, value.length)), taint);
    case "substr":
      return constant(value.slice(number(0, 0)).slice(0, number(1, value.length)), taint);
    case "repeat": {
      const times = Math.trunc(number(0, 0));
      return times >= 0 && times * value.length <= 65_536 ? constant(value.repeat(times), taint) : hole;
    }
    case "padStart":
    case "padEnd": {
      const filler = args[1] === undefined ? " " : asText(args[1]).value;
      const width = Math.min(number(0, 0), 4096);
      return constant(
        name === "padStart" ? value.padStart(width, filler) : value.padEnd(width, filler),
        taint,
      );
    }
    case "anchor":
    case "link":
      return hole;
    default:
      return UNKNOWN;
  }
}

/** The index of a known string in another known string. */
function found(value: string, name: "indexOf" | "lastIndexOf", args: Value[]): Value {
  const [part] = args;
  if (args.length !== 1 || part?.kind !== "constant" || !charge(value.length)) return UNKNOWN;
  return constant(value[name](String(part.value)));
}

/** Counts as decoding if it changes the string: letters only looked like others, or were written another way. */
function normalized(value: string, taint: number, form: Value | undefined): Value {
  const name = form === undefined ? "NFC" : asText(form).value;
  const made = value.normalize(/^NFK?[CD]$/.test(name) ? name : "NFC");
  return fromText(made, made === value ? taint : taint | DECODED);
}

function matched(value: string, taint: number, args: Value[]): Value {
  const pattern = patternOf(args[0], value);
  // A match in a known string, by a pattern that is not run here: it is hidden.
  if (pattern === null) return { kind: "list", items: [text(HOLE, taint | HIDDEN)], node: null };
  const found = value.match(pattern) ?? [];
  return { kind: "list", items: [...found].map((one) => constant(one, taint)), node: null };
}

/** Each match is a list: the whole match, then its groups. */
function matchedAll(value: string, taint: number, args: Value[]): Value {
  const pattern = patternOf(args[0], value);
  if (pattern === null || !pattern.global) return unknown(taint | HIDDEN);
  const items = [...value.matchAll(pattern)].map(
    (found): Value => ({ kind: "list", items: found.map((one) => constant(one, taint)), node: null }),
  );
  return { kind: "list", items, node: null };
}

function split(value: string, taint: number, known: boolean, args: Value[]): Value {
  const [by] = args;
  const list = (parts: string[]): Value => ({
    kind: "list",
    items: parts.slice(0, 8192).map((part) => fromText(part, taint)),
    node: null,
  });
  if (by?.kind === "constant" && typeof by.value === "string") return list(value.split(by.value));
  const pattern = known ? patternOf(by, value) : null;
  return pattern === null ? unknown(known ? taint | HIDDEN : taint) : list(value.split(pattern));
}

function replace(interpreter: Interpreter, of: Value, name: "replace" | "replaceAll", args: Value[]): Value {
  const { value, taint } = asText(of);
  const [what, by] = args;
  if (what === undefined || by === undefined) return of;
  const pattern =
    what.kind === "constant" && typeof what.value === "string"
      ? what.value
      : of.kind === "constant"
        ? patternOf(what, value)
        : null;
  if (by.kind === "function") {
    // The result of the callback for an unknown match shows whether it decodes something.
    const made = interpreter.call(by, () => [text(HOLE, taint), text(HOLE, taint), text(HOLE, taint)]);
    if (pattern === null) return text(HOLE, taint | taintOf(made));
    let mixed = 0;
    const result = replaceEach(value, pattern, name, (match) => {
      if (!chargeSteps(1)) {
        mixed |= HIDDEN;
        return "";
      }
      const made = asText(interpreter.call(by, () => match.map((part) => constant(part))));
      mixed |= made.taint;
      // A replacement is a letter or a word; a long one for many matches would make a very long string.
      return made.value.length > WORD ? HOLE : made.value;
    });
    return fromText(result, taint | mixed);
  }
  const replacement = asText(by);
  if (pattern === null) {
    // `&lt;` to `<`: the result is markup again.
    const decoded = replacement.value === "<" ? DECODED : 0;
    return text(value.includes(HOLE) ? value : HOLE, taint | replacement.taint | decoded);
  }
  const result =
    name === "replaceAll" && typeof pattern === "string"
      ? joinTexts(value.split(pattern), replacement.value)
      : maxLengthOf(value.length, replacement.value) > GROWTH
        ? HOLE
        : value.replace(pattern, replacement.value);
  return fromText(result, taint | replacement.taint);
}

/** The maximum length of the result; `$\`` and similar patterns insert much of the string itself for each match. */
function maxLengthOf(length: number, replacement: string): number {
  return length * replacement.length * (replacement.includes("$") ? length : 1);
}

function replaceEach(
  value: string,
  pattern: string | RegExp,
  name: string,
  make: (match: string[]) => string,
): string {
  const callback = (...match: unknown[]) =>
    make(match.filter((part): part is string => typeof part === "string"));
  return name === "replaceAll" && typeof pattern === "string"
    ? joinTexts(value.split(pattern), make([pattern]))
    : value.replace(pattern, callback);
}

/**
 * Whether a pattern of the file runs in linear or at worst quadratic time on a short string: at most one quantifier,
 * none after a group, no look-around and no back-reference.
 */
export function isBounded(source: string): boolean {
  const bare = source.replace(/\\[^\dk]/g, "x").replace(/\[[^\]]*\]/g, "x");
  const quantifiers = bare.match(/[*+{]|[^(]\?/g)?.length ?? 0;
  return quantifiers <= 1 && !/\)[*+{?]|\(\?[=!<]|\\/.test(bare);
}

/** The regular expression of a value, if it can be run on the string. */
function patternOf(value: Value | undefined, subject: string): RegExp | null {
  if (value?.kind !== "regex" || subject.length > PATTERN_TEXT || value.source.length > 200) return null;
  const bare = value.source.replace(/\\[^\dk]/g, "x").replace(/\[[^\]]*\]/g, "x");
  const quantifiers = bare.match(/[*+{]|[^(]\?/g)?.length ?? 0;
  // One quantifier may try every end for every start.
  if (!charge(quantifiers === 0 ? 8 * subject.length : subject.length * subject.length)) return null;
  if (!isBounded(value.source)) return null;
  try {
    return new RegExp(value.source, value.flags);
  } catch {
    return null;
  }
}
