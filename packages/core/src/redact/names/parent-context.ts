import { isUuid, looksRandom, looksSecret } from "../evidence/entropy.ts";
import type { KeyInfo, NameKind, ParentContext } from "../types.ts";

/** Inside an object under the name of a provider, `key` alone is its key. */
export const OF_PROVIDER: NonNullable<ParentContext> = { kind: "weak", credentials: false, plural: false };

/** A value that is almost certainly a key: one long random word. */
export function isLoneKey(value: string): boolean {
  return (
    value.length >= 20 &&
    /^[A-Za-z0-9_-]+$/.test(value) &&
    looksRandom(value) &&
    !isUuid(value) &&
    !isOpen(value)
  );
}

/** The kind of a value in an object that stands under a credential's name. */
export function kindInContext(
  under: NonNullable<ParentContext>,
  info: KeyInfo,
  value: unknown,
  described: boolean,
): NameKind {
  if (under === OF_PROVIDER)
    return info.jwk && typeof value === "string" && !isOpen(value) && !isSlug(value) && looksSecret(value)
      ? "weak"
      : "none";
  if (under.credentials) {
    if (info.role === "id" && (typeof value === "string" || typeof value === "number")) return "reference";
    return info.role === "about" ? "none" : "weak";
  }
  if (info.role === "about" || info.role === "id") return "none";
  if (described) return info.role === "value" ? under.kind : "none";
  if (typeof value === "number") return "none";
  // A dictionary of secrets holds only secrets; an object under the name of one secret may also describe it.
  return under.kind === "strong" && !under.plural ? "token" : under.kind;
}

/** The context of the objects below. */
export function contextBelow(
  under: NonNullable<ParentContext>,
  info: KeyInfo,
  described: boolean,
): ParentContext {
  if (under.credentials) return under;
  if (info.role === "about" || (described && info.role !== "value")) return null;
  return under;
}

/** The name of a model or a button: short parts, the first of which is a word. A key has a longer part. */
const isSlug = (value: string): boolean => /^[A-Za-z]{4,16}(?:[-_./:][A-Za-z\d]{1,12}){1,8}$/.test(value);

/** Keys and ids meant for everyone. */
const isOpen = (value: string): boolean =>
  /^(?:pk|pub|publishable|price|prod|cus|sub|acct|org|proj|sb_pub)[_-]/.test(value);

/** The private members of a JSON Web Key, and the key of a key list with ids. */
export function isPrivateMember(key: string, value: unknown, object: Record<string, unknown>): boolean {
  if (typeof value !== "string") return false;
  if (key === "key") return typeof object.kid === "string" && value.length >= 32 && looksSecret(value);
  return typeof object.kty === "string" && value.length >= 16;
}

/** Sets an own property whatever its name, `__proto__` too. */
export function setOwnProperty(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}
