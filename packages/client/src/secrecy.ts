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
