import { MAX_TEXT } from "./limits.ts";

/** Functions whose result depends only on their arguments. The scan really calls them if the values of all arguments are known. */
const PURE =
  /^(?:atob|btoa|(?:un)?escape|(?:de|en)codeURI(?:Component)?|parse(?:Int|Float)|Number(?:\.parse(?:Int|Float))?|Boolean|BigInt|RegExp|String\.from(?:CharCode|CodePoint)|JSON\.(?:parse|stringify)|Math\.(?:floor|ceil|round|trunc|abs|max|min|sqrt|pow))$/;
/** The pure functions that decode data to text. If the data is unknown, their result is the text HIDDEN. */
export const DECODERS = /^(?:atob|unescape|String\.from(?:CharCode|CodePoint))$/;

type Pure = (...args: unknown[]) => unknown;
const OTHERS: Readonly<Record<string, Pure>> = {
  Uint8Array: (codes) => (Array.isArray(codes) ? codes : undefined),
  "Uint8Array.from": (codes) => codes,
  "TextDecoder().decode": (codes) => new TextDecoder().decode(Uint8Array.from(codes as number[])),
};

/** Returns the pure function of the language at a path; null if there is none. */
export function nativeAt(path: string): Pure | null {
  if (Object.hasOwn(OTHERS, path)) return OTHERS[path] ?? null;
  if (!PURE.test(path)) return null;
  let found: unknown = globalThis;
  for (const name of path.split(".")) found = (found as Record<string, unknown>)[name];
  return found as Pure;
}

const METHODS =
  /^(?:at|char(?:At|CodeAt)|codePointAt|concat|endsWith|includes|(?:lastI|i)ndexOf|match|pad(?:End|Start)|repeat|replace(?:All)?|search|slice|split|startsWith|substr(?:ing)?|to(?:Lower|Upper)Case|toString|toFixed|trim(?:End|Start)?|valueOf|exec|test)$/;

/** Returns the most characters that a method of a constant reads or makes; infinite if it may not run (not pure, or too much work). */
export function costOf(self: unknown, key: string, args: readonly unknown[]): number {
  if (!METHODS.test(key) || typeof Object(self)[key] !== "function") return Number.POSITIVE_INFINITY;
  const pattern = self instanceof RegExp ? self : args[0] instanceof RegExp ? args[0] : null;
  const length = String(self instanceof RegExp ? args[0] : self).length;
  const reads = pattern === null ? length : costOfPattern(pattern.source, length);
  if (key === "repeat") return made(length * Math.max(1, Number(args[0])));
  if (key.startsWith("pad")) return made(Number(args[0]));
  if (key === "concat") return made(args.reduce<number>((sum, arg) => sum + String(arg).length, length));
  if (!key.startsWith("replace")) return reads;
  const by = typeof args[1] === "string" ? args[1] : "";
  const places = key === "replaceAll" || pattern?.global === true ? length + 1 : 1;
  return reads + made(length + places * by.length * (by.includes("$") ? length + 1 : 1));
}

const made = (length: number) => (length <= MAX_TEXT ? length : Number.POSITIVE_INFINITY);

/**
 * Returns the worst cost of a regular expression of the file: each repetition may try every end for every start. A pattern
 * that is long, has many repetitions, a repeated group, a lookaround or a backreference costs infinitely much, so it never runs.
 */
function costOfPattern(source: string, length: number): number {
  const bare = source.replace(/\\[^\dk]/g, "x").replace(/\[[^\]]*\]/g, "x");
  const repeats = bare.match(/[*+{]|[^(]\?/g)?.length ?? 0;
  const simple = source.length <= 200 && repeats <= 3 && !/\)[*+{?]|\(\?[=!<]|\\/.test(bare);
  return simple ? length ** (repeats + 1) * (1 + source.length / 8) : Number.POSITIVE_INFINITY;
}
