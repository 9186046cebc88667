/** Returns the text with stars instead of the key, and with the same length. */
export function masked(text: string, key: string): string {
  return key === "" ? text : text.replaceAll(key, "*".repeat(key.length));
}

/** Replaces the key in bytes with stars. Each character of a key is one byte. */
export function maskBytes(bytes: Uint8Array, key: string): void {
  if (key === "") return;
  // Latin-1 decodes one character for each byte, so positions stay the same.
  const text = new TextDecoder("latin1").decode(bytes);
  for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at + key.length)) {
    bytes.fill(42, at, at + key.length);
  }
}

type Bytes = Uint8Array<ArrayBuffer>;
const NOTHING: Bytes = new Uint8Array();

/** Masks the key in a body that comes in pieces, even when a piece ends inside the key. Holds back only bytes that may begin the key. */
export class KeyMask {
  readonly #key: string;
  readonly #bytes: Uint8Array;
  readonly #decoder = new TextDecoder();
  #held = NOTHING;

  constructor(key: string) {
    this.#key = key;
    this.#bytes = new TextEncoder().encode(key);
  }

  /** Masks the next chunk. A caller that has decoded the chunk already passes its `text`, even from a decoder of the whole stream. */
  push(chunk: Bytes, text?: string): Bytes {
    const cut = this.#held.byteLength > 0;
    const bytes = cut ? joined(this.#held, chunk) : chunk;
    // A key is ASCII text, which decodes to itself even next to bytes that are not valid UTF-8.
    const decoded = cut || text === undefined ? this.#decoder.decode(bytes) : text;
    if (decoded.includes(this.#key)) maskBytes(bytes, this.#key);
    const from = this.#beginning(bytes);
    this.#held = from === bytes.byteLength ? NOTHING : bytes.slice(from);
    return from === bytes.byteLength ? bytes : bytes.subarray(0, from);
  }

  end(): Bytes {
    return this.#held;
  }

  /** Returns the position where an incomplete key at the end of the bytes begins; the length of the bytes if there is none. */
  #beginning(bytes: Bytes): number {
    const [first = 0] = this.#bytes;
    let at = bytes.indexOf(first, Math.max(0, bytes.byteLength - this.#bytes.byteLength + 1));
    while (at >= 0 && !this.#begins(bytes, at)) at = bytes.indexOf(first, at + 1);
    return at < 0 ? bytes.byteLength : at;
  }

  #begins(bytes: Bytes, at: number): boolean {
    for (let i = at; i < bytes.byteLength; i += 1) if (bytes[i] !== this.#bytes[i - at]) return false;
    return true;
  }
}

function joined(one: Bytes, other: Bytes): Bytes {
  const both = new Uint8Array(one.byteLength + other.byteLength);
  both.set(one);
  both.set(other, one.byteLength);
  return both;
}

/** How many nested causes of an error are searched. */
const DEPTH = 5;

/**
 * Returns the error itself if it does not contain the key, otherwise a similar error without the key. Deno's network errors contain the
 * whole URL, including `?key=`.
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
