import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from "@hpke/core";

/**
 * Seals keys with HPKE (RFC 9180), base mode, X25519 / HKDF-SHA256 / AES-256-GCM. The sealed text is
 * `hpke.v1.<kid>.<enc>.<ciphertext>` (base64url). `info` is the same for all keys, so that a text that was sealed for anything else cannot
 * be opened. The owner's user id is the AAD, so that a text copied into another user's row cannot be opened.
 * `#<fingerprint>.<hint>` follows the text; the database moves both into columns.
 */
const suite = new CipherSuite({
  kem: new DhkemX25519HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
});
const INFO = bytes("keyhub api key v1");
const SEALED = /^hpke\.v1\.([\w-]{1,64})\.([\w-]{43})\.([\w-]{23,})(?:#([0-9a-f]{32})\.(?:[\w*-]{4})?)?$/;
const SEAL_KEY = /^([\w-]{1,64})\.([\w-]{43})$/;

/** One element of KEYHUB_UNSEAL_KEYS: a private key (base64url, 32 bytes) and its id. */
export interface UnsealKey {
  kid: string;
  key: string;
}

/** A new seal pair: `sealKey` (public) is the text of KEYHUB_SEAL_KEY, `unsealKey` belongs in KEYHUB_UNSEAL_KEYS. */
export interface SealPair {
  kid: string;
  sealKey: string;
  unsealKey: UnsealKey;
}

/** The private keys in use, ready to open sealed texts. */
export interface Keyring {
  kids: string[];
  /**
   * Opens a sealed text for its owner. Returns null when it cannot be opened (other pair, other owner,
   * damaged), or when the fingerprint, given as an argument or after the text, belongs to another key.
   */
  open(sealed: string, userId: string, fingerprint?: string | null): Promise<string | null>;
}

/** Makes a seal pair. Its `kid` is the beginning of the public key's SHA-256, in hex. */
export async function generateSealPair(): Promise<SealPair> {
  const pair = await suite.kem.generateKeyPair();
  const publicKey = await suite.kem.serializePublicKey(pair.publicKey);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", publicKey));
  const kid = Array.from(digest.subarray(0, 4), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const key = toBase64Url(await suite.kem.serializePrivateKey(pair.privateKey));
  return { kid, sealKey: `${kid}.${toBase64Url(publicKey)}`, unsealKey: { kid, key } };
}

/**
 * Returns the fingerprint, by which a stored key can be recognized without opening it: the first
 * 32 hex digits of SHA-256 over `keyhub-fingerprint:v1:<user_id>:<key>`. The same key has another
 * fingerprint in another pool. Keys are random, so nobody can guess a key from its fingerprint.
 */
export async function fingerprintOf(userId: string, plaintext: string): Promise<string> {
  const text = `keyhub-fingerprint:v1:${userId.toLowerCase()}:${plaintext}`;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes(text)));
  return Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The shortest key, in characters, that gets a hint. Four characters of a shorter key would reveal too much of it. */
const MIN_LENGTH_FOR_HINT = 16;

/**
 * Returns the last four characters of a key, with `*` instead of every character except letters, digits, `_` and `-`. Returns "" for a key
 * of fewer than MIN_LENGTH_FOR_HINT characters.
 */
export function hintOf(plaintext: string): string {
  return plaintext.length < MIN_LENGTH_FOR_HINT ? "" : plaintext.slice(-4).replace(/[^\w-]/g, "*");
}

/**
 * Seals a key for its owner and appends fingerprint and hint. Throws an Error when the seal
 * key is not valid; the message contains neither the seal key nor the key.
 */
export async function sealKey(sealKeyText: string, userId: string, plaintext: string): Promise<string> {
  const [, kid, raw] = SEAL_KEY.exec(sealKeyText.trim()) ?? [];
  if (kid === undefined || raw === undefined)
    throw new Error("KEYHUB_SEAL_KEY is not a seal key; make one with: npm run keygen");
  const recipientPublicKey = await suite.kem.deserializePublicKey(fromBase64Url(raw));
  const { enc, ct } = await suite.seal({ recipientPublicKey, info: INFO }, bytes(plaintext), owner(userId));
  const evidence = `#${await fingerprintOf(userId, plaintext)}.${hintOf(plaintext)}`;
  return `hpke.v1.${kid}.${toBase64Url(enc)}.${toBase64Url(ct)}${evidence}`;
}

/** Returns the kid of the pair that a text is sealed to, or null when it is not a sealed text. */
export function sealedKid(sealed: string): string | null {
  return SEALED.exec(sealed)?.[1] ?? null;
}

/** Reads KEYHUB_UNSEAL_KEYS. Throws an Error when it is not valid; the message repeats nothing of it. */
export async function readKeyring(unsealKeysJson: string): Promise<Keyring> {
  const privateKeys = new Map<string, CryptoKey>();
  for (const { kid, key } of readUnsealKeys(unsealKeysJson)) {
    privateKeys.set(kid, await suite.kem.deserializePrivateKey(fromBase64Url(key)));
  }
  return {
    kids: [...privateKeys.keys()],
    async open(sealed, userId, fingerprint) {
      const [, kid = "", enc = "", ciphertext = "", behind] = SEALED.exec(sealed) ?? [];
      const recipientKey = privateKeys.get(kid);
      if (recipientKey === undefined) return null;
      try {
        const opened = await suite.open(
          { recipientKey, enc: fromBase64Url(enc), info: INFO },
          fromBase64Url(ciphertext),
          owner(userId),
        );
        const key = new TextDecoder("utf-8", { fatal: true }).decode(opened);
        const expected = fingerprint ?? behind;
        return expected === undefined || expected === (await fingerprintOf(userId, key)) ? key : null;
      } catch {
        return null;
      }
    },
  };
}

/** Parses the JSON list of private keys; their order does not matter. */
export function readUnsealKeys(unsealKeysJson: string): UnsealKey[] {
  let list: unknown;
  try {
    list = JSON.parse(unsealKeysJson);
  } catch {
    list = null;
  }
  if (!Array.isArray(list) || list.length === 0 || !list.every(isUnsealKey)) {
    throw new Error('KEYHUB_UNSEAL_KEYS is not a JSON list of {"kid", "key"}; make one with: npm run keygen');
  }
  return list;
}

function isUnsealKey(value: unknown): value is UnsealKey {
  const { kid, key } = (value ?? {}) as Record<string, unknown>;
  return (
    typeof kid === "string" && /^[\w-]{1,64}$/.test(kid) && typeof key === "string" && /^[\w-]{43}$/.test(key)
  );
}

function owner(userId: string): ArrayBuffer {
  return bytes(userId.toLowerCase());
}

function bytes(text: string): ArrayBuffer {
  return new TextEncoder().encode(text).buffer;
}

function toBase64Url(buffer: ArrayBuffer | Uint8Array): string {
  const binary = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): ArrayBuffer {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0)).buffer;
}
