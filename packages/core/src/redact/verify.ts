import { Budget, PORTABLE_TIMES } from "./budget.ts";
import { hasUuidJoints, readsAsWords } from "./evidence/entropy.ts";
import { isFakeToken, isPlaceholder } from "./evidence/placeholder.ts";
import { isFileName } from "./evidence/type-and-file-names.ts";
import { CERTAIN_LITERALS, certainSearches } from "./formats/portable.ts";
import { pathOf } from "./path.ts";
import { DEEPEST, redact } from "./redact.ts";
import { mayBeJson, parseJson } from "./text/json.ts";
import type { Excess } from "./types.ts";

/** Longest stretch of base64 that is decoded, and how many levels of base64 inside base64. */
const DECODED = 65_536;
const LAYERS = 3;
const UTF8 = new TextDecoder();

/** The most paths that are listed. */
const LISTED = 100;

/**
 * The dotted paths of what still looks like a secret in a redacted value. It also reads text from which redaction cannot remove
 * a part: tokens in base64, percent, HTML and `\u` escapes. Empty means that the value may be published.
 */
export function residualSecrets(value: unknown): string[] {
  const { paths, exceeded } = verify(value);
  return exceeded === null ? paths : [...new Set([...paths, exceeded.path])];
}

/**
 * The same, with the limit that was exceeded, if any: then the value must be refused. With the `budget` of the redaction before,
 * no text is read again.
 */
export function verify(value: unknown, budget = new Budget()): { paths: string[]; exceeded: Excess | null } {
  const paths = new Set(
    redact(value, budget)
      .redactions.slice(0, LISTED)
      .map(({ path }) => path),
  );
  const way: (string | number)[] = [];
  const look = (next: unknown): void => {
    if (paths.size >= LISTED || budget.exceeded !== null) return;
    if (typeof next === "string") {
      if (holdsSecret(next, LAYERS, budget)) paths.add(pathOf(way));
    } else if (typeof next === "object" && next !== null && way.length < DEEPEST) {
      const isList = Array.isArray(next);
      for (const [key, child] of isList ? next.entries() : Object.entries(next)) {
        if (typeof key === "string" && holdsSecret(key, 1, budget)) paths.add(pathOf(way));
        way.push(key);
        look(child);
        way.pop();
      }
    }
  };
  look(value);
  return { paths: [...paths], exceeded: budget.exceeded };
}

function holdsSecret(text: string, layers: number, budget: Budget): boolean {
  if (text.length < 16 || !budget.read(text)) return false;
  for (const pattern of CERTAIN_LITERALS.test(text) && budget.read(text, PORTABLE_TIMES)
    ? certainSearches
    : []) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const match = `${found.groups?.before ?? ""}${found[0]}`;
    if (!isDocumented(match) && !isName(text, match, found.index + found[0].length)) return true;
  }
  return (
    layers > 0 &&
    (decodings(text).some((decoded) => holdsSecret(decoded, layers - 1, budget)) ||
      plainTexts(text).some(
        (plain) => redact(plain, budget).redactions.length > 0 || holdsSecret(plain, layers - 1, budget),
      ))
  );
}

/** What redaction leaves as well: words after a prefix, and hex in the name of a file. */
function isName(text: string, match: string, end: number): boolean {
  const hex = /[0-9a-f]{16,}$/.exec(match)?.[0] ?? "";
  return readsAsWords(match) || isFileName(text, end - hex.length, end, hex);
}

function isDocumented(found: string): boolean {
  if (isFakeToken(found)) return true;
  const password = /:\/\/[^:]+:([^@]+)@/.exec(found)?.[1];
  return password !== undefined && (isPlaceholder(password) || /^(?:pass|pwd|token|secret)/i.test(password));
}

/** The text with its escapes decoded, one result for each kind of escape that it contains. */
function decodings(text: string): string[] {
  const found: string[] = [];
  if (text.includes("%") && /%[0-9A-Fa-f]{2}/.test(text)) {
    found.push(
      text.replace(/%[0-9A-Fa-f]{2}/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16))),
    );
  }
  if (text.includes("\\") && /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})/.test(text)) {
    found.push(
      text.replace(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))/g, (_, u, x) =>
        String.fromCharCode(Number.parseInt(u ?? x, 16)),
      ),
    );
  }
  if (text.includes("&#") && /&#(?:\d{2,4}|x[0-9a-fA-F]{2,4});/.test(text)) {
    found.push(
      text.replace(/&#(?:x([0-9a-fA-F]{2,4})|(\d{2,4}));/g, (_, x, d) =>
        String.fromCharCode(x ? Number.parseInt(x, 16) : Number(d)),
      ),
    );
  }
  if (mayBeJson(text)) {
    const parsed = parseJson(text);
    if (typeof parsed === "string") found.push(parsed);
  }
  return found.filter((decoded) => decoded !== text);
}

/** The decoded texts of the base64 in a text. They are not parts of it, so the whole redaction can read them. */
function plainTexts(text: string): string[] {
  if (text.startsWith("data:image/")) return [];
  const found: string[] = [];
  let read = 0;
  for (const match of text.matchAll(RUN)) {
    let run = match[0];
    if (match.index < read) continue;
    if (run.length === 36 && hasUuidJoints(run, 0)) continue;
    if (run.length === 76 || run.length === 64) {
      LINES.lastIndex = match.index + run.length;
      const lines = LINES.exec(text)?.[0] ?? "";
      read = match.index + run.length + lines.length;
      run += lines.replace(/\s+/g, "");
    }
    const plain = fromBase64(run.slice(0, DECODED));
    if (plain !== null) found.push(plain);
  }
  return found;
}

/** Base64 on one line, and the next lines when the line has the length at which encoders break lines. */
const RUN = /[A-Za-z0-9+/_-]{24,}/g;
const LINES = /(?:\r?\n[A-Za-z0-9+/_-]{1,76}){1,900}/y;

/** Decodes base64 of readable text in UTF-8; null for anything else. The beginning decides. */
function fromBase64(run: string): string | null {
  const whole = run.slice(0, run.length - (run.length % 4));
  try {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: readable text has none
    if (/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]/.test(decoded(whole.slice(0, 88)))) return null;
    return decoded(whole);
  } catch {
    return null;
  }
}

/** A character that is cut at the end is left out. */
function decoded(base64: string): string {
  const bytes = atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
  return UTF8.decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0))).replace(/\ufffd{1,3}$/, "");
}
