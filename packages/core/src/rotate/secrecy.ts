/** Each of so many characters as it came, with stars in the place of the key. Lengths stay. */
export function masked(text: string, key: string): string {
  return key === "" ? text : text.replaceAll(key, "*".repeat(key.length));
}

/** The same in bytes, of which a key has one for each character. */
export function maskBytes(bytes: Uint8Array, key: string): void {
  if (key === "") return;
  // One character for each byte, so that positions are the same.
  const text = new TextDecoder("latin1").decode(bytes);
  for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at + key.length)) {
    bytes.fill(42, at, at + key.length);
  }
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Takes the key out of a body that comes in pieces, wherever it is cut. Only what may be the key's beginning is held back. */
export class KeyMask {
  readonly #key: string;
  readonly #decoder = new TextDecoder("latin1");
  #held: Bytes = new Uint8Array();

  constructor(key: string) {
    this.#key = key;
  }

  push(chunk: Bytes): Bytes {
    const bytes = this.#held.byteLength === 0 ? chunk : joined(this.#held, chunk);
    const text = this.#decoder.decode(bytes);
    if (text.includes(this.#key)) maskBytes(bytes, this.#key);
    const from = this.#beginning(text);
    this.#held = bytes.slice(from);
    return from === bytes.byteLength ? bytes : bytes.subarray(0, from);
  }

  end(): Bytes {
    return this.#held;
  }

  /** Where a key begins that the text's end cuts; the length of the text where none does. */
  #beginning(text: string): number {
    const key = this.#key;
    const first = key.charAt(0);
    let at = text.indexOf(first, Math.max(0, text.length - key.length + 1));
    while (at >= 0 && !key.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
    return at < 0 ? text.length : at;
  }
}

function joined(one: Bytes, other: Bytes): Bytes {
  const both = new Uint8Array(one.byteLength + other.byteLength);
  both.set(one);
  both.set(other, one.byteLength);
  return both;
}

/** How deep the causes of an error are looked at. */
const DEPTH = 5;

/**
 * The error itself where it does not hold the key; else one like it that does not. Deno's errors of the network hold the whole URL,
 * and with it `?key=`.
 */
export function withoutKey(error: unknown, key: string): unknown {
  if (!holds(error, key, DEPTH)) return error;
  const { name, message, code } = Object(error) as { name?: string; message?: string; code?: string };
  const clean = new TypeError(masked(message ?? "the request failed", key));
  clean.name = name ?? clean.name;
  return typeof code === "string" ? Object.assign(clean, { code: masked(code, key) }) : clean;
}

function holds(error: unknown, key: string, depth: number): boolean {
  if (typeof error === "string") return error.includes(key);
  if (typeof error !== "object" || error === null || depth === 0) return false;
  const { message, stack, cause } = error as Record<string, unknown>;
  if (`${message}\n${stack}`.includes(key) || holds(cause, key, depth - 1)) return true;
  return Object.values(error).some((value) => typeof value === "string" && value.includes(key));
}
