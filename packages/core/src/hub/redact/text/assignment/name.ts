import { looksRandom } from "../../evidence/entropy.ts";
import type { AssignmentName, KindOf, NameKind } from "../../types.ts";
import { isNamePart, phraseBefore, quotedName } from "../phrase.ts";
import { kindByLaterName } from "./attribute-name.ts";
import { blockKind } from "./block.ts";
import { declaredName, headOf } from "./declaration.ts";
import { tagKind } from "./html-attributes.ts";
import { encodedQuoteBefore } from "./percent-encoded.ts";

/** Names that hold a secret in the query of a URL and are ordinary elsewhere: elsewhere the value has to look like a secret. */
const QUERY_NAMES = new Set(
  "key sig signature code auth hash hmac appid app_id ticket sid session jwt pass access k sign secret_id x-amz-signature x-amz-credential x-goog-signature x-goog-credential st apikey licensekey webhook_key crumb otp user_token usertoken access_key userkey skey auth_key".split(
    " ",
  ),
);
const SIGNED = new Set([
  "x-amz-signature",
  "x-amz-security-token",
  "x-goog-signature",
  "sig",
  "x-amz-credential",
]);

/** Last words of a name that mean nothing without the words before them: `Secret Access Key`, `clé API`. */
const HEADS = new Set(
  "key keys token tokens code id phrase string api access acces acceso acesso accesso secreta secrete segreta privada privata word schlussel schluessel pass credential credentials client cl de nueva nuevo nova novo nowe nieuwe neu baru yeni admin root prod staging db".split(
    " ",
  ),
);

const FAR = 64;
/** Attributes that hold the value of a field, and settings that hold the value of a block. */
const VALUES = new Set(["value", "defaultValue", "content"]);
const SETTINGS = new Set(["value", "default", "default_value", "defaultValue", "content", "data"]);
/** A note in brackets after a name: `Key (read only, expires 2031): x`. */
const GRANTS =
  /\b(?:read|write|full|admin|access|scopes?|expires?|prod(?:uction)?|live|staging|secret|private)\b/i;

/** The first half of a row of a table in text: `name: X` before `value: Y`, `key="X"` before `value="Y"`. */
const ROW =
  /(?:name|key|id|header|property|field)["'\\]{0,3}\s{0,3}[:=]\s{0,3}[\\"']{0,3}([\p{L}_][\p{L}\p{N}_ .-]{1,60}?)[\\"']{0,3},?[\s{"'-]{1,24}$/u;

/**
 * Reads the name that ends before the separator at `at` and begins at `from` or later; null when it is not the name of a
 * credential. `foreign`: characters beyond ASCII are near.
 */
export function nameBefore(
  text: string,
  at: number,
  from: number,
  kindOf: KindOf,
  foreign: boolean,
): AssignmentName | null {
  const separator = text.charCodeAt(at);
  // Names end before the first of several colons.
  if (separator === 58 && text.charCodeAt(at - 1) === 58) return null;
  let end = at;
  let quoted = false;
  const floor = Math.max(from, at - FAR);
  if (separator === 44) {
    // A comma separates name and value only after a quoted name.
    const q = text.charCodeAt(end - 1);
    if (q !== 34 && q !== 39 && q !== 96) return null;
  }
  for (let skipped = 0; end > floor && skipped < 10; skipped++) {
    const c = text.charCodeAt(end - 1);
    // The second of two values: `hasPassword ? "a" : "b"`.
    if (c === 63 && quoted && separator === 58) return null;
    if (c === 34 || c === 39 || c === 96 || c === 0x201d || c === 0x300d || c === 0x300f) quoted = true;
    else if (c === 45 && separator === 62 && end === at) {
      // The dash of an arrow.
    } else if (
      c !== 32 &&
      c !== 9 &&
      c !== 92 &&
      c !== 93 &&
      c !== 42 &&
      c !== 63 &&
      !(c === 33 && separator === 61) &&
      !(c === 41 && /["'`]/.test(text[end - 2] ?? "")) &&
      !(c === 58 && separator === 61)
    )
      break;
    end--;
  }
  if (separator === 37) {
    const quote = encodedQuoteBefore(text, end);
    quoted = quote > 0;
    end -= quote;
  }
  let bracket = "";
  // The text in brackets says which password it is: `Password (admin): x`.
  if (separator === 58 && text.charCodeAt(end - 1) === 41) {
    const first = Math.max(floor, end - 40);
    const open = text.slice(first, end).lastIndexOf("(");
    if (open > 0) {
      bracket = text.slice(first + open + 1, end - 1);
      end = first + open;
      if (text.charCodeAt(end - 1) === 32) end--;
    }
  }
  let start = end;
  while (start > floor && isNamePart(text.charCodeAt(start - 1))) start--;
  if (start === end && !foreign) return null;
  if (end - start > 60) return null;
  // A part of a longer chain of colons, as in the name of a cloud's resource.
  if (separator === 58 && start > 0 && text.charCodeAt(start - 1) === 58) return null;

  if (start > 0 && text.charCodeAt(start - 1) === 37 && end - start > 2) start += 2;
  let name = text.slice(start, end);
  let kind: NameKind = name === "" ? "none" : kindOf(name.replace(/^[-_.]+/, ""));
  const before = start > 0 ? text.charCodeAt(start - 1) : 10;
  const query = separator === 37 || (separator === 61 && isQueryStart(text, start, before));
  if (query) {
    const lower = name.toLowerCase();
    if (SIGNED.has(lower)) kind = "weak";
    else if (kind === "none" && QUERY_NAMES.has(lower)) kind = "weak";
  }
  if (quoted && kind === "none" && (before === 32 || before === 39 || before >= 128)) {
    const whole = quotedName(text, end, from);
    if (whole !== "") kind = kindOf(whole);
  }
  if (kind === "none" && (name === "value" || name === "content" || name === "Value")) {
    const row = ROW.exec(text.slice(Math.max(from, start - 100), start))?.[1];
    kind = row === undefined ? kindByLaterName(text, at, kindOf) : kindOf(row);
  }
  if (kind === "none" && separator === 61 && VALUES.has(name) && before <= 32)
    kind = tagKind(text, at, kindOf);
  if (kind === "none" && (separator === 61 || separator === 58) && SETTINGS.has(name))
    kind = blockKind(text, start, at, from, kindOf);
  const beyond = foreign && (name === "" || before >= 128);
  if (
    beyond ||
    ((kind === "none" || kind === "weak" || kind === "token") && before === 32 && HEADS.has(lastWord(name)))
  ) {
    const phrase = phraseBefore(text, end, from).replace(
      /^(?:.* )?(?:and|or|(?:let|const|var|val|mut)(?= tokens?$)) /,
      "",
    );
    if (phrase !== "" && phrase !== name) {
      name = phrase;
      kind = kindOf(phrase);
      if (kind === "none" && beyond) kind = kindOf(phrase.slice(phrase.lastIndexOf(" ") + 1));
    }
  }
  if (kind === "weak" && /(?:^|\s)pass$/i.test(name)) {
    // `user: x, pass: y`
    if (
      /(?:user(?:name)?|login|email|host|account)["']?\s?[:=][^\n]{1,60}$/i.test(
        text.slice(Math.max(0, start - 80), start),
      )
    )
      kind = "strong";
  }
  if (kind === "none" && bracket !== "") {
    kind = kindOf(`${bracket} ${name}`);
    if (kind === "none" && /^keys?$/i.test(name) && GRANTS.test(bracket)) kind = "weak";
  }
  if (kind === "none" && separator === 61) {
    name = declaredName(text, at, start, name);
    if (name !== "") kind = kindOf(name);
  }
  if (
    (kind === "none" || kind === "weak") &&
    separator === 58 &&
    before === 32 &&
    isNamePart(text.charCodeAt(start - 2))
  ) {
    const head = headOf(text, start, end, from);
    if (head !== "") {
      const headKind = kindOf(head);
      if (headKind !== "none") kind = headKind;
    }
  }
  if (separator === 40) {
    if (FETCHES.test(name)) return null;
    if (kind === "none" && CLIENT.test(name)) kind = clientKind(text, at);
    if (kind === "weak") kind = kindOf(name.replace(/^.*\./, "").replace(/^(?:set|with|use|add)_?/, ""));
    if (kind !== "strong" && kind !== "token") return null;
  }
  if (kind === "none") return null;
  return {
    kind,
    quoted,
    query,
    key: /key$/i.test(name),
    named: /(?:[a-z]|\.)(?:Token|Key|token|key)$/.test(name),
    password: PASSWORDS.test(name),
    variable: /^[A-Z][A-Z0-9_]*$/.test(name) && name.includes("_"),
    element: before === 60 && separator === 62,
    statement: start === 0 || before === 10 || before === 13 || before === 59 || isExported(text, start),
  };
}

/** `MistralClient("…")`: the one argument of a client is its key when it is long and random. */
const CLIENT = /(?:Client|Api|API|SDK|Sdk|Auth)$/;

function clientKind(text: string, at: number): NameKind {
  const argument = /^\(["'`]([A-Za-z0-9_-]{24,200})["'`]\s?[,)]/.exec(text.slice(at, at + 210))?.[1];
  return argument !== undefined && looksRandom(argument) ? "token" : "none";
}

/** Words for a password, and calls that fetch or read something and are not given it. */
const PASSWORDS =
  /pass|pwd|kennwort|contrase|senha|wachtwoord|has[lł]|heslo|jelsz|salasana|l[oö]senord|adgangskode|[sş]ifre|parol|sandi|m[aậ]t kh[aẩ]u|كلمة|पासवर्ड|парол/i;
const FETCHES =
  /(?:^|[.\s])(?:get|find|load|read|fetch|lookup|is|has|check|validate|verify|parse|decode|hash|describe|test|it|t|remove|delete|log|print|throw|error|require|import)(?=[A-Z_.]|$)/;

function isQueryStart(text: string, start: number, before: number): boolean {
  if (before === 63 || before === 38 || before === 35) return true;
  if (before === 59) return text.startsWith("&amp", start - 4) || !/\s/.test(text[start - 2] ?? " ");
  return text.startsWith("%26", start - 3) || text.startsWith("%3F", start - 3);
}

function isExported(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 12), start);
  return (
    /(?:^|[\s;&|"'`])(?:export|set|setx|ENV|ARG|env|-e|--env)?[\s:]{0,2}$/.test(before) ||
    before.endsWith("$env:")
  );
}

function lastWord(name: string): string {
  const lower = name.toLowerCase();
  return lower.slice(Math.max(lower.lastIndexOf("_"), lower.lastIndexOf("-"), lower.lastIndexOf(".")) + 1);
}
