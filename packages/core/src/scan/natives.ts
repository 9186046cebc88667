import { MAX_TEXT } from "./limits.ts";

/** Functions that depend on their arguments alone and are really called, with plain values. */
const PURE = new Set(
  "atob btoa unescape escape decodeURIComponent decodeURI encodeURIComponent encodeURI parseInt parseFloat Number Boolean BigInt String.fromCharCode String.fromCodePoint Number.parseInt Number.parseFloat JSON.parse JSON.stringify Math.floor Math.ceil Math.round Math.trunc Math.abs Math.max Math.min Math.sqrt Math.pow".split(
    " ",
  ),
);
/** Those that make text of data: of data that is not known they make hidden text. */
export const DECODERS = /^(?:atob|unescape|String\.from(?:CharCode|CodePoint))$/;

type Pure = (...args: unknown[]) => unknown;
const decode: Pure = (codes) => new TextDecoder().decode(Uint8Array.from(codes as number[]));
const OTHERS: Readonly<Record<string, Pure>> = {
  Uint8Array: (codes) => (Array.isArray(codes) ? codes : undefined),
  "Uint8Array.from": (codes) => codes,
  "TextDecoder().decode": decode,
  // The string of a buffer stands for the buffer.
  "Buffer.from": (value, encoding) => (encoding === "base64" ? atob(String(value)) : value),
};

/** A pure function of the language by its path. */
export function nativeAt(path: string): Pure | null {
  if (Object.hasOwn(OTHERS, path)) return OTHERS[path] ?? null;
  if (!PURE.has(path)) return null;
  let found: unknown = globalThis;
  for (const name of path.split(".")) found = (found as Record<string, unknown>)[name];
  return found as Pure;
}

const METHODS = new Set(
  "at charAt charCodeAt codePointAt concat endsWith includes indexOf lastIndexOf match padEnd padStart repeat replace replaceAll search slice split startsWith substring substr toLowerCase toUpperCase toString trim trimEnd trimStart valueOf toFixed exec test".split(
    " ",
  ),
);

/** Whether a constant has a pure method of this name. */
export function isPureMethod(self: unknown, key: string): boolean {
  return self !== null && self !== undefined && METHODS.has(key) && typeof Object(self)[key] === "function";
}

/** How many characters a pure method reads or makes at most; infinite when it must not be called. */
export function costOf(self: unknown, key: string, args: readonly unknown[]): number {
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
 * How long a regular expression of the file takes at worst: each repetition may try every end for every start. One that
 * repeats a group, looks around or refers back is not run.
 */
function costOfPattern(source: string, length: number): number {
  const bare = source.replace(/\\[^\dk]/g, "x").replace(/\[[^\]]*\]/g, "x");
  const repeats = bare.match(/[*+{]|[^(]\?/g)?.length ?? 0;
  const simple = source.length <= 200 && repeats <= 3 && !/\)[*+{?]|\(\?[=!<]|\\/.test(bare);
  return simple ? length ** (repeats + 1) * (1 + source.length / 8) : Number.POSITIVE_INFINITY;
}
