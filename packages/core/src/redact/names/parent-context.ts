import { isOpen, looksSecret } from "../evidence/entropy.ts";
import type { KeyInfo, NameKind, ParentContext } from "../types.ts";

/** Inside an object named after a provider, `key` alone means the provider's key. */
export const OF_PROVIDER: NonNullable<ParentContext> = { kind: "weak", credentials: false, plural: false };

/** Inside the parameters of a query or the headers of a request, names such as `key` and `appid` mean a credential. */
export const OF_REQUEST: NonNullable<ParentContext> = { kind: "weak", credentials: false, plural: false };

/** Returns whether an object with this name holds a query's parameters or a request's headers. */
export const isRequestPart = (key: string): boolean =>
  /^(?:(?:url|search|get|request|custom|extra|default)?[_-]?(?:query|headers?|params|qs|quer(?:y|ies)[_-]?(?:string|param(?:eter)?s?)|header[_-]?param(?:eter)?s?|url[_-]?params|search[_-]?params))$/i.test(
    key,
  );

/** Returns whether a name means a credential among a query's parameters or a request's headers, and something ordinary elsewhere. */
export const isRequestKey = (name: string): boolean =>
  /^(?:(?:x[_-])?key|app[_-]?id|ak|sk|auth|code|sig|signature)$/i.test(name);

/** Returns the kind of a value inside an object that has the name of a credential. */
export function kindInContext(
  under: NonNullable<ParentContext>,
  info: KeyInfo,
  value: unknown,
  described: boolean,
): NameKind {
  if (under === OF_REQUEST) return "none";
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
  // A dictionary of secrets has only secrets. An object named after one secret may describe the secret, so it keeps plain words.
  return under.kind === "strong" && !under.plural ? "token" : under.kind;
}

/** Returns the context of the objects inside a member. `under` is the context of the object that has the member. */
export function contextBelow(
  under: NonNullable<ParentContext>,
  info: KeyInfo,
  described: boolean,
): ParentContext {
  if (under.credentials || under === OF_REQUEST) return under;
  if (info.role === "about" || (described && info.role !== "value")) return null;
  return under;
}

/** Returns whether a value looks like the name of a model or button: short parts, of which the first is a word. Keys have longer parts. */
const isSlug = (value: string): boolean => /^[A-Za-z]{4,16}(?:[-_./:][A-Za-z\d]{1,12}){1,8}$/.test(value);

/** Returns whether a member is a private part of a JSON Web Key, or is the `key` beside a `kid` (the id of a key). */
export function isPrivateMember(key: string, value: unknown, object: Record<string, unknown>): boolean {
  if (typeof value !== "string") return false;
  if (key === "key") return typeof object.kid === "string" && value.length >= 32 && looksSecret(value);
  return typeof object.kty === "string" && value.length >= 16;
}

/** Sets an own property with any name, even `__proto__`. */
export function setOwnProperty(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}
