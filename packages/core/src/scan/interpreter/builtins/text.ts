import { charge } from "../budget.ts";
import { deepTaint } from "../members/deep-taint.ts";
import { add, addAll, asNumber, asText, stringOf, taintOf } from "../text/text.ts";
import {
  BEYOND_BUDGET,
  constant,
  DECODED,
  each,
  HIDDEN,
  HOLE,
  OWN_ORIGIN,
  text,
  UNKNOWN,
  unknown,
  type Value,
} from "../value.ts";
import type { Builtin } from "./builtin.ts";
import { decodeBase64, decodeHex, decodeUri, encodeBase64, unescapeText } from "./decode.ts";

/** The cost of decoding or encoding a character, besides copying it. */
const DECODING = 8;

/** Applies a string function; adds the taint `unread` to an unknown string, `read` to a changed one. */
function decoding(decode: (value: string) => string | null, unread: number, read = 0): Builtin {
  return (_interpreter, _args, first) =>
    each(first, (option) => {
      const { value, taint } = asText(option);
      if (value.includes(HOLE) || value.includes(OWN_ORIGIN)) return text(HOLE, taint | unread);
      if (!charge(DECODING * value.length)) return BEYOND_BUDGET;
      const decoded = decode(value);
      return decoded === null
        ? text(HOLE, taint)
        : constant(decoded, decoded === value ? taint : taint | read);
    });
}

function math(compute: (...numbers: number[]) => number): Builtin {
  return (_interpreter, args) => {
    const numbers = args.map(asNumber);
    return numbers.includes(null) ? UNKNOWN : constant(compute(...(numbers as number[])));
  };
}

/** `String.fromCharCode(…)`: hidden where a code is unknown. */
const fromCodes: Builtin = (_interpreter, args) =>
  addAll([
    constant(""),
    ...args.map((arg) =>
      each(arg, (option) => {
        const code = asNumber(option);
        if (code === null) return text(HOLE, taintOf(option) | HIDDEN | DECODED);
        return constant(
          code >= 0 && code <= 0x10ffff ? String.fromCodePoint(Math.trunc(code) || 0) : "",
          DECODED,
        );
      }),
    ),
  ]);

function numberValue(number: number | null): Value {
  return number === null ? UNKNOWN : constant(number);
}

/** Functions that convert strings and numbers. */
export const TEXT_FUNCTIONS: Record<string, Builtin> = {
  String: (_interpreter, args, first) => (args.length === 0 ? constant("") : stringOf(first)),
  Number: (_interpreter, _args, first) => each(first, (option) => numberValue(asNumber(option))),
  Boolean: () => UNKNOWN,
  parseInt: (_interpreter, args, first) =>
    each(first, (option) => {
      const { value, taint } = asText(option);
      if (value.includes(HOLE)) return unknown(taint);
      return constant(
        Number.parseInt(value, args[1] === undefined ? undefined : (asNumber(args[1]) ?? 10)),
        taint,
      );
    }),
  parseFloat: (_interpreter, _args, first) => each(first, (option) => numberValue(asNumber(option))),
  "String.fromCharCode": fromCodes,
  "String.fromCodePoint": fromCodes,
  "String.raw": (interpreter, args, first) => {
    const raw = interpreter.member(first, "raw");
    return each(first.kind === "list" ? first : raw, (given) => {
      const texts = given.kind === "list" ? given.items : [];
      return texts.reduce(
        (sum, part, index) =>
          add(add(sum, part), index + 1 < texts.length ? (args[index + 1] ?? constant("")) : constant("")),
        constant(""),
      );
    });
  },
  atob: decoding(decodeBase64, HIDDEN | DECODED, DECODED),
  btoa: decoding(encodeBase64, 0),
  unescape: decoding(unescapeText, DECODED, DECODED),
  escape: decoding(() => null, 0),
  decodeURIComponent: decoding((value) => decodeUri(value, false), DECODED, DECODED),
  decodeURI: decoding((value) => decodeUri(value, true), DECODED, DECODED),
  encodeURIComponent: decoding((value) => encodeURIComponent(value.toWellFormed()), 0),
  encodeURI: decoding((value) => encodeURI(value.toWellFormed()), 0),
  "JSON.stringify": (interpreter, _args, first) =>
    first.kind === "constant"
      ? constant(JSON.stringify(first.value) ?? "undefined")
      : text(HOLE, deepTaint(interpreter, first)),
  "Buffer.from": (_interpreter, args, first) => {
    const encoding = args[1] === undefined ? "" : asText(args[1]).value;
    const decode =
      encoding === "base64" ? decodeBase64 : encoding === "hex" ? decodeHex : (value: string) => value;
    return first.kind === "list"
      ? fromCodes(undefined as never, first.items, UNKNOWN)
      : decoding(decode, encoding === "" ? 0 : HIDDEN | DECODED, DECODED)(undefined as never, args, first);
  },
  "TextDecoder().decode": (interpreter, _args, first) =>
    first.kind === "list"
      ? fromCodes(interpreter, first.items, UNKNOWN)
      : text(HOLE, taintOf(first) | DECODED | (first.kind === "host" ? HIDDEN : 0)),
  "Math.floor": math(Math.floor),
  "Math.ceil": math(Math.ceil),
  "Math.round": math(Math.round),
  "Math.trunc": math(Math.trunc),
  "Math.abs": math(Math.abs),
  "Math.max": math(Math.max),
  "Math.min": math(Math.min),
  "Math.pow": math(Math.pow),
  "Math.sqrt": math(Math.sqrt),
};
