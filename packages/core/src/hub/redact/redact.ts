import { pathOf } from "../path.ts";
import { credentialIn, NAMED, REDACTED } from "./evidence/credential-value.ts";
import { hasUuidJoints } from "./evidence/entropy.ts";
import { columnsBeside, columnsOfFirst, kindsOfCells } from "./keys/columns.ts";
import { kindsOfElements, widgetKinds } from "./keys/pairs.ts";
import {
  isLoneKey,
  isPrivateMember,
  kindInContext,
  OF_PROVIDER,
  passOn,
  put,
} from "./keys/parent-context.ts";
import { isCountTable, isDescriptor, keyReader, rowKind } from "./keys/roles.ts";
import { isAscii } from "./keys/split.ts";
import { TranslationTables } from "./keys/translation-table.ts";
import { isBasicPair } from "./text/assignment/assignment.ts";
import { redactCommands } from "./text/cli/commands.ts";
import { isDataUri } from "./text/data-uri.ts";
import { mayBeJson, NESTING, parseJson, rewriteJson } from "./text/json.ts";
import { redactPrivateKeys } from "./text/pem.ts";
import { scanText } from "./text/scan.ts";
import { skeletonOf } from "./text/skeleton.ts";
import { redactLayouts } from "./text/tables/layouts.ts";
import { redactUrls } from "./text/url.ts";
import type { KeyInfo, NameKind, ParentContext, Redacted, Redaction, Seen } from "./types.ts";
import { JSON_TIMES, RECEIPTS, SKELETON_TIMES, Work } from "./work.ts";

/** Deeper values are taken out whole: what is not looked at does not leave. Contracts refuse long before. */
export const DEEPEST = 256;

/**
 * Takes secrets out of any JSON value and leaves what is around them. A secret within text becomes `[redacted]`; a
 * string under a credential's name too (the scheme of an Authorization header stays), a number there becomes null.
 * The result shares no object with the input, and redacting it again finds nothing. Never throws on JSON.
 */
export function redact(value: unknown, work = new Work()): Redacted {
  const walker = new Walker(
    keyReader((key) => work.take(isAscii(key) ? "key" : "foreignKey")),
    work,
  );
  let result = walker.walk(value, "none", null, 0);
  // A name that was cleaned may now say something of its value.
  for (let round = 0; walker.again && round < ROUNDS; round++) {
    walker.again = false;
    walker.first = false;
    result = walker.walk(result, "none", null, 0);
  }
  const { exceeded } = work;
  return { value: result, redactions: walker.redactions, ...(exceeded && { exceeded }) };
}

/** How often a value, or a text in it, is read again after something was taken out of it. */
const ROUNDS = 4;

/** Names that are those of a secret beside the name of a user. */
const BESIDE_USER = /^(?:pass|pin|login)$/i;
const USER = /^(?:user|username|login|email|host|account|user_name)$/i;

/** A weak name that its neighbours or its value make a strong one: `{user, pass}`, base64 of a pair, a cookie. */
function strengthened(key: string, value: string, besideUser: boolean): NameKind {
  if (besideUser && BESIDE_USER.test(key)) return key.toLowerCase() === "login" ? "weak" : "strong";
  if (/auth/i.test(key) && !/\s/.test(value)) {
    if (/^[\w.@+-]{1,64}:[^\s/]{3,}$/.test(value) || (value.length >= 8 && isBasicPair(value)))
      return "strong";
  }
  if (/cookies?$/i.test(key) && /=[^;\s]{6,}/.test(value)) return "strong";
  if (/connection$/i.test(key)) return /^\d{3,}$|^[0-9a-f-]{36}$/i.test(value) ? "reference" : "weak";
  return "weak";
}

class Walker {
  readonly redactions: Redaction[] = [];
  /** A text that names something changed, so that the whole has to be read once more. */
  again = false;
  /** Whether the whole is read for the first time. */
  first = true;
  readonly #readKey: (key: string) => KeyInfo;
  readonly #kindOf: (name: string) => NameKind;
  readonly #work: Work;
  readonly #takeLook = () => this.#work.take("look");
  readonly #path: (string | number)[] = [];
  /** The path as text, made for the first receipt of a place. */
  #place: string | null = null;
  /** The last number that a clean name was given in an object, so that many of one name cost no search each. */
  readonly #numbers = new WeakMap<object, Map<string, number>>();
  readonly #seen: Seen;
  readonly #tables: TranslationTables;
  /** The objects around a value, up to a list. */
  #objects: object[] = [];
  #found = 0;
  /** Within stringified JSON the path stays that of the string. */
  #nested = 0;

  constructor(readKey: (key: string) => KeyInfo, work: Work) {
    this.#readKey = readKey;
    this.#work = work;
    this.#seen = { foreign: false, work };
    this.#tables = new TranslationTables(() => work.take("value"));
    this.#kindOf = (name) => (work.take("name") ? readKey(name).kind : "none");
  }

  walk(value: unknown, kind: NameKind, under: ParentContext, depth: number): unknown {
    if (!this.#work.take(this.first ? "value" : "again")) return null;
    if (typeof value === "string") return this.#string(value, kind, depth);
    if (typeof value === "number") return this.#number(value, kind);
    if (typeof value !== "object" || value === null) return value;
    if (depth >= DEEPEST) {
      this.#report("too-deep");
      return REDACTED;
    }
    return Array.isArray(value)
      ? this.#array(value, kind, under, depth)
      : this.#object(value as Record<string, unknown>, under, depth);
  }

  #array(
    array: unknown[],
    kind: NameKind,
    under: ParentContext,
    depth: number,
    kinds = kindsOfElements(array, this.#kindOf),
    columns = columnsOfFirst(array, this.#kindOf),
  ): unknown[] {
    const result: unknown[] = new Array(array.length);
    const objects = this.#objects;
    this.#objects = [];
    for (let i = 0; i < array.length; i++) {
      const element = array[i];
      this.#enter(i);
      const own = kinds?.[i] ?? "none";
      result[i] =
        columns !== null && Array.isArray(element) && depth < DEEPEST - 1
          ? this.#array(element, kind, under, depth + 1, kindsOfCells(element, columns))
          : this.walk(element, own === "none" ? kind : own, under, depth + 1);
      this.#leave();
    }
    this.#objects = objects;
    return result;
  }

  #object(object: Record<string, unknown>, under: ParentContext, depth: number): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    this.#objects.push(object);
    let row: NameKind | undefined;
    let described: boolean | undefined;
    let counted: boolean | undefined;
    let named: boolean | undefined;
    for (const key of Object.keys(object)) {
      const value = object[key];
      const info = this.#readKey(key);
      let { kind } = info;
      if (info.role === "value" || info.role === "sample") {
        row ??= rowKind(object, this.#readKey);
        // What is given as an example or answer has to look like a secret.
        if (row !== "none") kind = info.role === "sample" ? "weak" : row;
      }
      if (typeof value === "number" && kind !== "none") {
        counted ??= isCountTable(object);
        if (counted) kind = "none";
      }
      if (kind === "weak" && typeof value === "string") {
        if (BESIDE_USER.test(key)) named ??= Object.keys(object).some((other) => USER.test(other));
        kind = strengthened(key, value, named === true);
      }
      if (kind === "none" && info.provider && typeof value === "string" && isLoneKey(value)) kind = "strong";
      let inner: ParentContext =
        kind === "none" ? null : { kind, credentials: info.credentials, plural: info.plural };
      if (under?.credentials && typeof value === "object") {
        inner = under;
      } else if (kind === "none" && under !== null) {
        described ??= isDescriptor(object);
        kind = kindInContext(under, info, value, described);
        inner = typeof value === "object" ? passOn(under, info, described) : null;
      }
      if (inner === null && info.provider && typeof value === "object") inner = OF_PROVIDER;
      if (info.jwk && isPrivateMember(key, value, object)) kind = "strong";
      const name = this.#key(key, object, result);
      if (name !== key) this.again = true;
      this.#enter(name);
      const clean =
        key === "widgets_values" && Array.isArray(value) && depth < DEEPEST - 1
          ? this.#array(value, "none", null, depth + 1, widgetKinds(object, this.#kindOf))
          : Array.isArray(value) && Array.isArray(value[0])
            ? this.#rows(value, object, kind, inner, depth + 1)
            : this.walk(value, kind, inner, depth + 1);
      this.#leave();
      put(result, name, clean);
    }
    this.#objects.pop();
    return result;
  }

  /** The rows of a table, whose head another member of the object may be. */
  #rows(
    rows: unknown[],
    object: Record<string, unknown>,
    kind: NameKind,
    under: ParentContext,
    depth: number,
  ): unknown {
    const columns = depth < DEEPEST ? columnsBeside(object, rows, this.#kindOf) : null;
    return columns === null
      ? this.walk(rows, kind, under, depth)
      : this.#array(rows, kind, under, depth, undefined, columns);
  }

  #number(value: number, kind: NameKind): unknown {
    switch (kind) {
      case "strong":
      case "organization":
      case "reference":
        break;
      case "token":
        if (Math.abs(value) < 1e7) return value;
        break;
      case "pin":
        if (!/^\d{4,8}$/.test(String(value))) return value;
        break;
      default:
        return value;
    }
    this.#report(NAMED[kind]);
    return null;
  }

  /** Reads a string until nothing more is found in it: what is left may have become JSON, or no label any more. */
  #string(value: string, kind: NameKind, depth: number): string {
    if (kind === "none" && this.#work.cleanJson.has(value)) return value;
    let text = value;
    for (let round = 0; round < ROUNDS; round++) {
      const clean = this.#stringOnce(text, kind, depth);
      if (clean === text) break;
      text = clean;
      // The text itself was read until nothing more was found.
      if (kind === "none" && !mayBeJson(text)) break;
    }
    return text;
  }

  #stringOnce(value: string, kind: NameKind, depth: number): string {
    if (value.length < 3 && kind !== "reference" && kind !== "organization") return value;
    if (this.#work.exceeded !== null) return REDACTED;
    if (mayBeJson(value) && this.#nested < NESTING) {
      const parsed = this.#work.read(value, JSON_TIMES) ? parseJson(value) : undefined;
      if (parsed !== undefined && (typeof parsed === "object" || typeof parsed === "string")) {
        return this.#json(value, parsed, kind, depth);
      }
    }
    if (kind !== "none" && this.#work.take("look")) {
      const found = credentialIn(kind, value);
      if (found !== null && !this.#tables.holds(value, this.#objects)) {
        this.#report(NAMED[kind]);
        return this.#text(value.slice(0, found.start) + REDACTED + value.slice(found.end));
      }
    }
    return this.#text(value);
  }

  #json(source: string, parsed: unknown, kind: NameKind, depth: number): string {
    const known = this.#found;
    this.#nested++;
    const clean = this.walk(
      parsed,
      kind,
      kind === "none" ? null : { kind, credentials: false, plural: true },
      depth + 1,
    );
    this.#nested--;
    if (this.#found !== known) return rewriteJson(source, clean, parsed);
    if (kind === "none" && this.#nested === 0) this.#work.cleanJson.add(source);
    return source;
  }

  /** Reads a text until nothing more is found in it. */
  #text(value: string): string {
    let text = value;
    for (let round = 0; round < ROUNDS; round++) {
      const clean = this.#textOnce(text);
      if (clean === text) break;
      text = clean;
    }
    if (text !== value && text.length <= 80 && this.#kindOf(text.replace(/^-+/, "")) !== "none")
      this.again = true;
    return text;
  }

  /** Reads a text, and as the eye reads it where that is something else. */
  #textOnce(value: string): string {
    const { length } = value;
    if (length < 6 || (length === 36 && hasUuidJoints(value, 0))) return value;
    if (this.#work.clean.has(value)) return value;
    const clean = this.#readOnce(value);
    if (clean === value) this.#work.clean.add(value);
    return clean;
  }

  #readOnce(value: string): string {
    const known = this.redactions.length;
    const found = this.#found;
    this.#seen.foreign = false;
    const clean = this.#plainOnce(value);
    if (!this.#seen.foreign) return clean;
    if (!this.#work.read(value)) return REDACTED;
    const skeleton = skeletonOf(value);
    if (skeleton === null) return clean;
    if (!this.#work.read(value, SKELETON_TIMES)) return REDACTED;
    // The skeleton comes first: half of a token that is taken out hides the other half.
    const reported = this.redactions.splice(known);
    const counted = this.#found;
    this.#found = found;
    const seen = this.#plainOnce(skeleton.text);
    if (seen !== skeleton.text) return this.#plainOnce(skeleton.restore(seen, REDACTED));
    this.redactions.push(...reported);
    this.#found = counted;
    return clean;
  }

  #plainOnce(value: string): string {
    if (!this.#work.read(value)) return REDACTED;
    const { length } = value;
    if (isDataUri(value)) return value;
    const report = this.#reporter;
    const keyless = length < 64 ? value : redactPrivateKeys(value, report);
    if (length < 12) return scanText(keyless, this.#kindOf, report, this.#seen);
    const known =
      length < 20
        ? keyless
        : redactCommands(redactLayouts(keyless, this.#kindOf, report), report, this.#takeLook);
    return scanText(redactUrls(known, report), this.#kindOf, report, this.#seen);
  }

  /** A key that is a secret itself, cleaned; kept apart from the keys beside it, before and after. */
  #key(key: string, object: Record<string, unknown>, taken: Record<string, unknown>): string {
    if (key.length < 12) return key;
    const known = this.redactions.length;
    const clean = this.#text(key);
    if (clean === key) return key;
    let name = clean;
    if (Object.hasOwn(taken, name) || Object.hasOwn(object, name)) {
      const numbers = this.#numbers.get(taken) ?? new Map<string, number>();
      let n = numbers.get(clean) ?? 1;
      do name = `${clean}-${++n}`;
      while (Object.hasOwn(taken, name) || Object.hasOwn(object, name));
      this.#numbers.set(taken, numbers.set(clean, n));
    }
    if (this.#nested === 0) {
      const path = pathOf([...this.#path, name]);
      for (let n = known; n < this.redactions.length; n++) (this.redactions[n] as Redaction).path = path;
    }
    return name;
  }

  #enter(name: string | number): void {
    if (this.#nested > 0) return;
    this.#path.push(name);
    this.#place = null;
  }

  #leave(): void {
    if (this.#nested > 0) return;
    this.#path.pop();
    this.#place = null;
  }

  readonly #reporter = (rule: string): void => this.#report(rule);

  #report(rule: string): void {
    this.#found++;
    if (this.redactions.length >= RECEIPTS) this.#work.tooManyReceipts();
    if (this.#work.exceeded !== null) return;
    this.#place ??= pathOf(this.#path);
    const path = this.#place;
    const last = this.redactions.at(-1);
    if (last?.path !== path || last.rule !== rule) this.redactions.push({ path, rule });
  }
}
