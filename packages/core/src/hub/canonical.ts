import canonicalize from "canonicalize";

/** The canonical JSON (RFC 8785) of a value, the input of all hashes. Throws on NaN, Infinity and lone surrogates. */
export function canonicalJson(value: unknown): string {
  return canonicalize(value) ?? "null";
}

/** SHA-256 of the canonical JSON of a value, in lower-case hex. `subtle` is the runtime's own unless another is given. */
export async function contentHash(
  value: unknown,
  subtle: Pick<SubtleCrypto, "digest"> = globalThis.crypto.subtle,
): Promise<string> {
  const digest = await subtle.digest("SHA-256", new TextEncoder().encode(canonicalJson(value)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
