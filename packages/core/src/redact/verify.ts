import { Budget } from "./budget.ts";
import { hasUuidJoints } from "./evidence/entropy.ts";
import { type Path, pathOf } from "./receipts.ts";
import { DEEPEST } from "./redact.ts";
import { findTokens } from "./text/formats.ts";
import { redactPrivateKeys } from "./text/pem.ts";
import { redactUrls } from "./text/url.ts";
import type { Excess } from "./types.ts";

/** How many layers of nested encodings are read, and how many characters of a stretch of base64 are decoded. */
const [LAYERS, DECODED] = [3, 65_536];
/** After this number of paths with secrets, no further value is read. */
const LISTED = 100;

/**
 * Returns the dotted paths at which a redacted value still has a secret of a known form. Such a secret may be a token in
 * base64, percent, HTML or `\u` escapes, which redaction cannot remove. If there are no paths, the value may be published.
 */
export function residualSecrets(value: unknown): string[] {
  const { paths, exceeded } = verify(value);
  return exceeded === null ? paths : [...new Set([...paths, exceeded.path])];
}

/** Returns the paths of `residualSecrets`, and the exceeded limit or null. A value that exceeds a limit must be refused. */
export function verify(
  value: unknown,
  budget = new Budget(),
  at: Path = [],
): { paths: string[]; exceeded: Excess | null } {
  const paths = new Set<string>();
  const way: (string | number)[] = [...at];
  const look = (next: unknown): void => {
    if (paths.size >= LISTED || budget.exceeded !== null) return;
    if (typeof next === "string") {
      if (holdsSecret(next, LAYERS, budget)) paths.add(pathOf(way));
    } else if (typeof next === "object" && next !== null && way.length < DEEPEST) {
      for (const [key, child] of Array.isArray(next) ? next.entries() : Object.entries(next)) {
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
  let found = false;
  const report = (rule: string) => {
    found ||= rule !== "random-token" && rule !== "webhook";
  };
  findTokens(text, ({ rule }) => report(rule));
  redactPrivateKeys(text, report);
  redactUrls(text, report);
  return found || (layers > 0 && decodings(text).some((plain) => holdsSecret(plain, layers - 1, budget)));
}

/** Escapes of one character: percent, `\u` and `\x`, HTML numbers. The group that matches is the code of the character. */
const ESCAPES = [
  /%([0-9A-Fa-f]{2})/g,
  /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))/g,
  /&#(?:x([0-9a-fA-F]{2,4})|(\d{2,4}));/g,
];

/** Returns a copy of the text for each kind of escape in it, with this kind decoded, and also the texts in its base64. */
function decodings(text: string): string[] {
  const plain = ESCAPES.map((form) =>
    text.replace(form, (whole: string, hex?: string, other?: string) =>
      String.fromCharCode(
        Number.parseInt(hex ?? other ?? "", whole.endsWith(";") && hex === undefined ? 10 : 16),
      ),
    ),
  );
  return [...plain.filter((decoded) => decoded !== text), ...textsInBase64(text)];
}

/** Base64, on one line, or on lines of up to 76 characters, the length at which encoders break lines. */
const RUN = /[A-Za-z0-9+/_-]{24,}(?:\r?\n[A-Za-z0-9+/_-]{1,76}){0,900}/g;

function textsInBase64(text: string): string[] {
  if (text.startsWith("data:image/")) return [];
  return [...text.matchAll(RUN)].flatMap(([run]) => {
    const plain = hasUuidJoints(run, 0) ? null : fromBase64(run.replace(/\s+/g, "").slice(0, DECODED));
    return plain ?? [];
  });
}

const UTF8 = new TextDecoder();

/** Decodes base64 of UTF-8 text. Returns null if the first 88 characters of the base64 do not decode to readable text. */
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

/** Decodes base64 of UTF-8 text. An incomplete character at the end is left out. */
function decoded(base64: string): string {
  const bytes = atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
  return UTF8.decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0))).replace(/\ufffd{1,3}$/, "");
}
