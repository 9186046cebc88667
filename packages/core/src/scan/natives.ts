import { MAX_ITEMS, MAX_TEXT } from "./limits.ts";

/** A function of the language that depends on its arguments alone. They are known values, at most MAX_TEXT long. */
export type Pure = (...args: never[]) => unknown;

/** Those that turn data into text: of data that is not known they make hidden text. */
export const DECODERS = new Set(["atob", "unescape", "String.fromCharCode", "String.fromCodePoint"]);

const bytes = (values: ArrayLike<number>) => Array.from(values).slice(0, MAX_ITEMS);

export const PURE_FUNCTIONS: Readonly<Record<string, Pure>> = {
  atob,
  btoa,
  unescape: (text: string) =>
    String(text).replace(/%u([\da-f]{4})|%([\da-f]{2})/gi, (_, long, short) =>
      String.fromCharCode(Number.parseInt(long ?? short, 16)),
    ),
  decodeURIComponent,
  decodeURI,
  encodeURIComponent,
  encodeURI,
  parseInt: Number.parseInt,
  parseFloat: Number.parseFloat,
  String: (value: unknown = "") => String(value),
  Number: (value: unknown = 0) => Number(value),
  Boolean,
  BigInt,
  Symbol: (text: unknown) => text,
  "Symbol.for": (text: unknown) => text,
  "String.fromCharCode": String.fromCharCode,
  "String.fromCodePoint": String.fromCodePoint,
  "Number.parseInt": Number.parseInt,
  "Number.parseFloat": Number.parseFloat,
  "JSON.parse": (text: string) => JSON.parse(text),
  "JSON.stringify": (value: unknown) => JSON.stringify(value),
  "Array.of": Array.of,
  "Array.isArray": Array.isArray,
  "Uint8Array.from": bytes as Pure,
  Uint8Array: (value: ArrayLike<number> | number) =>
    typeof value === "number" ? new Array(Math.min(MAX_ITEMS, value)).fill(0) : bytes(value),
  "TextEncoder().encode": (text: string) => bytes(new TextEncoder().encode(text)),
  "TextDecoder().decode": (values: number[]) => new TextDecoder().decode(Uint8Array.from(values)),
  "Buffer.from": (value: string | number[], encoding?: string) => fromBuffer(value, encoding),
  ...Object.fromEntries(
    (["floor", "ceil", "round", "trunc", "abs", "max", "min", "sign", "sqrt", "log2", "pow"] as const).map(
      (name) => [`Math.${name}`, Math[name] as Pure],
    ),
  ),
};
for (const type of ["Uint16Array", "Uint32Array", "Int8Array", "Uint8ClampedArray"])
  Object.assign(PURE_FUNCTIONS, { [type]: PURE_FUNCTIONS.Uint8Array, [`${type}.from`]: bytes });

/** Node's `Buffer.from`: the bytes of a string. */
function fromBuffer(value: string | number[], encoding = "utf8"): number[] {
  if (typeof value !== "string") return bytes(value);
  if (encoding === "hex") return (value.match(/[\da-f]{2}/gi) ?? []).map((pair) => Number.parseInt(pair, 16));
  if (/^base64/.test(encoding))
    return Array.from(atob(value.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
  return bytes(new TextEncoder().encode(value));
}

const names = (text: string) => new Set(text.split(" "));
const TEXT_METHODS = names(
  "at charAt charCodeAt codePointAt concat endsWith includes indexOf lastIndexOf localeCompare match matchAll normalize padEnd padStart repeat replace replaceAll search slice split startsWith substring substr toLowerCase toUpperCase toLocaleLowerCase toLocaleUpperCase toString trim trimEnd trimStart valueOf",
);
const OTHER_METHODS = names("toString toFixed toPrecision toExponential valueOf exec test toLocaleString");

/**
 * Calls a method of a known string, number or regular expression as the language does. Null when it is none of the pure
 * ones; `charge` is asked before for the characters that are read or made, and may refuse (undefined).
 */
export function callPure(
  self: unknown,
  key: string,
  args: readonly unknown[],
  charge: (characters: number) => boolean,
): { result: unknown } | "none" | "too much" {
  const text = typeof self === "string";
  if (self === null || self === undefined || !(text ? TEXT_METHODS : OTHER_METHODS).has(key)) return "none";
  const cost = costOf(self, key, args);
  if (cost > MAX_TEXT * 32 || !charge(cost)) return "too much";
  try {
    const method = (Object(self) as Record<string, (...args: unknown[]) => unknown>)[key];
    const result = method?.apply(self, [...args]);
    return { result: key === "matchAll" ? [...(result as Iterable<unknown>)] : result };
  } catch {
    return "none";
  }
}

/** How many characters a call reads or makes at most. */
function costOf(self: unknown, key: string, args: readonly unknown[]): number {
  const pattern = self instanceof RegExp ? self : args[0] instanceof RegExp ? args[0] : null;
  const subject = self instanceof RegExp ? String(args[0]) : String(self);
  const length = subject.length;
  const matching = pattern === null ? length : costOfPattern(pattern.source, length);
  switch (key) {
    case "repeat":
    case "padStart":
    case "padEnd":
      return made(key === "repeat" ? length * Math.max(1, Number(args[0])) : Number(args[0]));
    case "normalize":
      return length * length;
    case "replace":
    case "replaceAll": {
      const by = typeof args[1] === "string" ? args[1] : "";
      const all = key === "replaceAll" || (pattern?.global ?? false);
      return (
        matching + made(length + (all ? length + 1 : 1) * by.length * (by.includes("$") ? length + 1 : 1))
      );
    }
    case "concat":
      return made(args.reduce<number>((sum, arg) => sum + String(arg).length, length));
    default:
      return matching;
  }
}

const made = (length: number) => (length <= MAX_TEXT ? length : Number.POSITIVE_INFINITY);

/**
 * How long a regular expression of the file takes at worst: each repetition may try every end for every start. One that
 * repeats a group, looks around or refers back is not run.
 */
function costOfPattern(source: string, length: number): number {
  const bare = source.replace(/\\[^\dk]/g, "x").replace(/\[[^\]]*\]/g, "x");
  const repeats = bare.match(/[*+{]|[^(]\?/g)?.length ?? 0;
  const simple = source.length <= 200 && repeats <= 3 && !/\)[*+{?]|\(\?[=!<]|\\/.test(bare);
  return simple ? length ** (repeats + 1) * (1 + source.length / 8) : Number.POSITIVE_INFINITY;
}
