import { isBasicPair } from "../evidence/credential-value.ts";
import { isLoneKey } from "../evidence/entropy.ts";
import type { KeyInfo, NameKind, ParentContext } from "../types.ts";
import {
  contextBelow,
  isPrivateMember,
  isRequestKey,
  isRequestPart,
  kindInContext,
  OF_PROVIDER,
  OF_REQUEST,
} from "./parent-context.ts";
import { isDescriptor, rowKind } from "./roles.ts";

const USER = /^(?:user|username|login|email|host|account|user_name)$/i;

/** Finds the kinds of an object's members, by their names, by the members beside them and by the object's context. */
export class Members {
  readonly #object: Record<string, unknown>;
  readonly #under: ParentContext;
  readonly #readKey: (key: string) => KeyInfo;
  // Each of the two fields below is computed at most once per object, and only when a member needs it.
  #row: NameKind | undefined;
  #described: boolean | undefined;

  constructor(object: Record<string, unknown>, under: ParentContext, readKey: (key: string) => KeyInfo) {
    this.#object = object;
    this.#under = under;
    this.#readKey = readKey;
  }

  /** Returns the kind of a member's value, and the context of the values inside it. */
  member(key: string): { kind: NameKind; inner: ParentContext } {
    const value = this.#object[key];
    const info = this.#readKey(key);
    let kind = this.#kindByObject(key, value, info);
    if (kind === "none" && info.provider && typeof value === "string" && isLoneKey(value)) kind = "strong";
    let inner: ParentContext =
      kind === "none" ? null : { kind, credentials: info.credentials, plural: info.plural };
    if (this.#under?.credentials && typeof value === "object") {
      inner = this.#under;
    } else if (kind === "none" && this.#under !== null) {
      this.#described ??= isDescriptor(this.#object);
      kind = kindInContext(this.#under, info, value, this.#described);
      inner = typeof value === "object" ? contextBelow(this.#under, info, this.#described) : null;
    }
    if (kind === "none" && this.#under === OF_REQUEST && this.#isRequestKey(key, value, info))
      kind = "strong";
    if (inner === null && typeof value === "object")
      inner = info.provider ? OF_PROVIDER : isRequestPart(key) ? OF_REQUEST : null;
    if (info.jwk && isPrivateMember(key, value, this.#object)) kind = "strong";
    return { kind, inner };
  }

  /** Returns whether a member holds a request's API key, by its own name or the name beside it: `{ name: "appid", value: "x" }`. */
  #isRequestKey(key: string, value: unknown, info: KeyInfo): boolean {
    if (typeof value !== "string" || !isLoneKey(value)) return false;
    if (info.role !== "value") return isRequestKey(key);
    return Object.entries(this.#object).some(
      ([field, name]) =>
        typeof name === "string" && this.#readKey(field).labels === "name" && isRequestKey(name),
    );
  }

  /** Returns the kind of a member's value, judged by the name of the member and by the members beside it. */
  #kindByObject(key: string, value: unknown, info: KeyInfo): NameKind {
    let { kind } = info;
    if (info.role === "value" || info.role === "sample") {
      this.#row ??= rowKind(this.#object, this.#readKey);
      // A sample, such as the member `example` or `answer`, is a secret only if it looks like one.
      if (this.#row !== "none") kind = info.role === "sample" ? "weak" : this.#row;
    }
    if (kind === "weak" && typeof value === "string") {
      // Beside a user name, as in `{ user, pass }`, `pass` is a password.
      if (/^pass$/i.test(key) && Object.keys(this.#object).some((other) => USER.test(other))) kind = "strong";
      if (/auth/i.test(key) && value.length >= 8 && isBasicPair(value)) kind = "strong";
    }
    return kind;
  }
}
