import canonicalize from "canonicalize";

/** Returns the canonical JSON (RFC 8785) of a value, from which content hashes are made. Throws on NaN, Infinity and lone surrogates. */
export function canonicalJson(value: unknown): string {
  return canonicalize(value) ?? "null";
}

/** Returns the SHA-256 of the canonical JSON of a value, in lower-case hex. The runtime provides `subtle` by default. */
export async function contentHash(
  value: unknown,
  subtle: Pick<SubtleCrypto, "digest"> = globalThis.crypto.subtle,
): Promise<string> {
  const digest = await subtle.digest("SHA-256", new TextEncoder().encode(canonicalJson(value)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
