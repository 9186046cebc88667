/** How many levels of JSON inside a JSON string are read. */
export const NESTING = 4;

/** Whether a text may be JSON itself: an object, an array, or a string that holds one. */
export function mayBeJson(text: string): boolean {
  const length = text.length;
  if (length < 8) return false;
  let first = 0;
  let last = length - 1;
  while (first < length && text.charCodeAt(first) <= 32) first++;
  while (last > first && text.charCodeAt(last) <= 32) last--;
  const open = text.charCodeAt(first);
  const close = text.charCodeAt(last);
  if (open === 123) return close === 125;
  if (open === 91) return close === 93;
  return open === 34 && close === 34 && /^"\s*\\?["{[]/.test(text.slice(first, first + 24));
}

/** Parses; undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Writes `value`, the redacted form of what `source` parses to, in the layout of `source`: whitespace, the spelling
 * of numbers and the escapes of unchanged strings stay. Of duplicate keys only the last stays.
 */
export function rewriteJson(source: string, value: unknown, before: unknown): string {
  // A value that is too deep for the stack cannot be printed; in `value` its deep parts were removed.
  if (isDeep(source)) return JSON.stringify(value);
  const start = source.length - source.trimStart().length;
  const end = source.trimEnd().length;
  const trimmed = source.slice(start, end);
  for (const indent of [undefined, 2, 4, "\t", 1, 3]) {
    if (indent !== undefined && !source.includes("\n")) break;
    if (JSON.stringify(before, null, indent) === trimmed)
      return source.slice(0, start) + JSON.stringify(value, null, indent) + source.slice(end);
  }
  const printer = new Printer(source);
  const text = printer.print(value, before);
  return printer.failed ? JSON.stringify(value) : text;
}

/** JSON nested deeper than this is not written back in its own layout. */
const DEEP = 512;

function isDeep(source: string): boolean {
  let depth = 0;
  for (let i = 0; i < source.length; i++) {
    const c = source.charCodeAt(i);
    if (c === 34) {
      for (i++; i < source.length && source.charCodeAt(i) !== 34; i++) if (source.charCodeAt(i) === 92) i++;
    } else if (c === 123 || c === 91) {
      depth++;
      if (depth > DEEP) return true;
    } else if (c === 125 || c === 93) {
      depth--;
    }
  }
  return false;
}

/** Walks the source's tokens beside the redacted value. */
class Printer {
  failed = false;
  #at = 0;
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  print(value: unknown, before: unknown): string {
    return this.#space() + this.#value(value, before) + this.#source.slice(this.#at);
  }

  #value(value: unknown, before: unknown): string {
    const open = this.#source[this.#at];
    if (open === "{" && isObject(before) && isObject(value)) return this.#object(value, before);
    if (open === "[" && Array.isArray(before) && Array.isArray(value)) return this.#array(value, before);
    const text = this.#skip();
    if (typeof before === "object" && before !== null) return JSON.stringify(value);
    return Object.is(value, before) ? text : JSON.stringify(value);
  }

  #object(value: Record<string, unknown>, before: Record<string, unknown>): string {
    const keys = Object.keys(before);
    const names = Object.keys(value);
    const renamed = new Map(keys.map((key, i) => [key, names[i] ?? key]));
    if (keys.length !== names.length) this.failed = true;
    let out = this.#take(1) + this.#space();
    const seen = new Set<string>();
    while (this.#source[this.#at] === '"') {
      const raw = this.#skip();
      const key = JSON.parse(raw) as string;
      if (seen.has(key) || !Object.hasOwn(before, key)) this.failed = true;
      if (this.failed) return "";
      seen.add(key);
      const name = renamed.get(key) ?? key;
      out += (name === key ? raw : JSON.stringify(name)) + this.#space() + this.#take(1) + this.#space();
      out += this.#value(value[name], before[key]) + this.#space();
      if (this.#source[this.#at] === ",") out += this.#take(1) + this.#space();
    }
    return out + this.#take(1);
  }

  #array(value: unknown[], before: unknown[]): string {
    let out = this.#take(1) + this.#space();
    for (let i = 0; i < before.length && !this.failed; i++) {
      out += this.#value(value[i], before[i]) + this.#space();
      if (this.#source[this.#at] === ",") out += this.#take(1) + this.#space();
    }
    return out + this.#take(1);
  }

  #take(count: number): string {
    const text = this.#source.slice(this.#at, this.#at + count);
    this.#at += count;
    return text;
  }

  #space(): string {
    const from = this.#at;
    while (this.#at < this.#source.length && this.#source.charCodeAt(this.#at) <= 32) this.#at++;
    return this.#source.slice(from, this.#at);
  }

  /** The text of one whole value. */
  #skip(): string {
    const source = this.#source;
    const from = this.#at;
    let depth = 0;
    let i = from;
    for (; i < source.length; i++) {
      const c = source.charCodeAt(i);
      if (c === 34) {
        for (i++; i < source.length && source.charCodeAt(i) !== 34; i++) if (source.charCodeAt(i) === 92) i++;
        if (depth === 0) {
          i++;
          break;
        }
      } else if (c === 123 || c === 91) {
        depth++;
      } else if (c === 125 || c === 93) {
        if (depth === 0) break;
        depth--;
        if (depth === 0) {
          i++;
          break;
        }
      } else if (depth === 0 && (c === 44 || c === 58 || c <= 32)) {
        break;
      }
    }
    this.#at = i;
    return source.slice(from, i);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
