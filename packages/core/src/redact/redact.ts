import { hasRepeatedKeys } from "../json/repeated-keys.ts";
import { Budget, JSON_TIMES, ROUNDS } from "./budget.ts";
import { credentialIn, NAMED, REDACTED } from "./evidence/credential-value.ts";
import { CleanNames, isAscii } from "./names/classify.ts";
import { Members } from "./names/members.ts";
import { kindsOfElements, widgetKinds } from "./names/pairs.ts";
import { setOwnProperty } from "./names/parent-context.ts";
import { keyReader } from "./names/roles.ts";
import { type Path, Receipts } from "./receipts.ts";
import { mayBeJson, NESTING, parseJson, rewriteJson } from "./text/json.ts";
import { TextReader } from "./text/reader.ts";
import type { KeyInfo, NameKind, ParentContext, Redacted } from "./types.ts";

/** Values nested deeper than this are removed, because unread values must not be published. Requests are refused already at JSON_DEPTH. */
export const DEEPEST = 256;

/**
 * Removes secrets from any JSON value and keeps the text around them. A secret within a text becomes `[redacted]`, and
 * so does a string under a credential's name (the scheme of an Authorization header stays). A number under such a name
 * becomes null. The result shares no object with the input, and redacting it again finds nothing. Never throws on JSON.
 */
export const redact = (value: unknown, budget = new Budget()): Redacted => redactor(budget)(value);

/** Returns a function that redacts values, all within one budget. Its argument `at` is the path of the value. */
export function redactor(budget: Budget): (value: unknown, at?: Path) => Redacted {
  const readKey = keyReader((key) => budget.take(isAscii(key) ? "key" : "foreignKey"));
  const walker = new Walker(readKey, budget);
  return (value, at = []) => walker.redact(value, at);
}

class Walker {
  readonly receipts: Receipts;
  /** Whether a changed text or key may now be the name of a credential, so that the whole value must be read again. */
  again = false;
  /** Whether the value is read for the first time. Reading it again costs more of the budget. */
  first = true;
  readonly #readKey: (key: string) => KeyInfo;
  readonly #kindOf: (name: string) => NameKind;
  readonly #budget: Budget;
  readonly #names = new CleanNames();
  readonly #texts: TextReader;

  constructor(readKey: (key: string) => KeyInfo, budget: Budget) {
    this.#readKey = readKey;
    this.#budget = budget;
    this.receipts = new Receipts(budget);
    this.#kindOf = (name) => (budget.take("name") ? readKey(name).kind : "none");
    this.#texts = new TextReader(this.#kindOf, this.receipts.report, budget);
  }

  redact(value: unknown, at: Path): Redacted {
    this.receipts.begin(at);
    let result = value;
    // The value is read again as long as a cleaned text or key may have become the name of a credential.
    for (let round = 0; round === 0 || (this.again && round <= ROUNDS); round++) {
      this.first = round === 0;
      this.again = false;
      result = this.walk(result, "none", null, 0);
    }
    const { exceeded } = this.#budget;
    return { value: result, redactions: this.receipts.list, ...(exceeded && { exceeded }) };
  }

  walk(value: unknown, kind: NameKind, under: ParentContext, depth: number): unknown {
    if (!this.#budget.take(this.first ? "value" : "again")) return null;
    if (typeof value === "string") return this.#string(value, kind, depth);
    if (typeof value === "number") return this.#number(value, kind);
    if (typeof value !== "object" || value === null) return value;
    if (depth >= DEEPEST) {
      this.receipts.report("too-deep");
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
  ): unknown[] {
    const result: unknown[] = new Array(array.length);
    for (let i = 0; i < array.length; i++) {
      this.receipts.enter(i);
      const own = kinds?.[i] ?? "none";
      result[i] = this.walk(array[i], own === "none" ? kind : own, under, depth + 1);
      this.receipts.leave();
    }
    return result;
  }

  #object(object: Record<string, unknown>, under: ParentContext, depth: number): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    const members = new Members(object, under, this.#readKey);
    for (const key of Object.keys(object)) {
      const value = object[key];
      const { kind, inner } = members.member(key);
      const name = this.#key(key, object, result);
      if (name !== key) this.again = true;
      this.receipts.enter(name);
      const clean =
        key === "widgets_values" && Array.isArray(value) && depth < DEEPEST - 1
          ? this.#array(value, "none", null, depth + 1, widgetKinds(object, this.#kindOf))
          : this.walk(value, kind, inner, depth + 1);
      this.receipts.leave();
      setOwnProperty(result, name, clean);
    }
    return result;
  }

  #number(value: number, kind: NameKind): unknown {
    if (value === 0) return value;
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
    this.receipts.report(NAMED[kind]);
    return null;
  }

  /** Redacts a string until nothing more is found. After a removal, the rest may be JSON, or may no longer pass as a harmless label. */
  #string(value: string, kind: NameKind, depth: number): string {
    if (kind === "none" && mayBeJson(value) && this.#budget.cleanJson.has(value)) return value;
    let text = value;
    for (let round = 0; round < ROUNDS; round++) {
      const clean = this.#stringOnce(text, kind, depth);
      if (clean === text) break;
      text = clean;
      // Plain text needs no other round, because `#text` has read it until nothing more was found.
      if (kind === "none" && !mayBeJson(text)) break;
    }
    return text;
  }

  #stringOnce(value: string, kind: NameKind, depth: number): string {
    if (value.length < 3 && kind !== "reference" && kind !== "organization") return value;
    if (this.#budget.exceeded !== null) return REDACTED;
    if (mayBeJson(value)) {
      const parsed = this.#budget.read(value, JSON_TIMES) ? parseJson(value) : undefined;
      // Parsing drops a member whose key occurs again, so a text with repeated keys is read as plain text.
      const isWhole =
        (typeof parsed === "object" || typeof parsed === "string") && !hasRepeatedKeys(value, parsed);
      if (isWhole) {
        if (this.receipts.nested === NESTING) {
          this.receipts.report("too-deep");
          return REDACTED;
        }
        return this.#json(value, parsed, kind, depth);
      }
    }
    if (kind !== "none" && this.#budget.take("look")) {
      const found = credentialIn(kind, value);
      if (found !== null) {
        this.receipts.report(NAMED[kind]);
        return this.#text(value.slice(0, found.start) + REDACTED + value.slice(found.end));
      }
    }
    return this.#text(value);
  }

  #json(source: string, parsed: unknown, kind: NameKind, depth: number): string {
    const known = this.receipts.found;
    this.receipts.nested++;
    const clean = this.walk(
      parsed,
      kind,
      kind === "none" ? null : { kind, credentials: false, plural: true },
      depth + 1,
    );
    this.receipts.nested--;
    if (this.receipts.found !== known) return rewriteJson(source, clean, parsed);
    if (kind === "none" && this.receipts.nested === 0) this.#budget.cleanJson.add(source);
    return source;
  }

  #text(value: string): string {
    const text = this.#texts.read(value);
    if (text !== value && text.length <= 80 && this.#kindOf(text.replace(/^-+/, "")) !== "none")
      this.again = true;
    return text;
  }

  /** Returns a key without the secrets in it. A changed key differs from all other keys of the object. */
  #key(key: string, object: Record<string, unknown>, copy: Record<string, unknown>): string {
    if (key.length < 12) return key;
    const known = this.receipts.list.length;
    const clean = this.#text(key);
    if (clean === key) return key;
    const name = this.#names.free(clean, object, copy);
    this.receipts.moveTo(name, known);
    return name;
  }
}
