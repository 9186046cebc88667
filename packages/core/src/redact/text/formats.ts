import { hasUuidJoints } from "../evidence/entropy.ts";
import { isFakeToken } from "../evidence/placeholder.ts";
import {
  AWS_ID_RULE,
  AWS_NEAR,
  awsSecretAt,
  CONTINUES,
  JOINS,
  structuredTokenAt,
  tokenAt,
} from "../secret-formats/find.ts";
import { genericTokenAt } from "../secret-formats/generic-token.ts";
import type { Span } from "../types.ts";

/** Classes of characters: 1 letters, 2 digits, 4 `_` and `-`. A run is a stretch of these. */
const CLASS = new Uint8Array(128);
for (let c = 48; c <= 57; c++) CLASS[c] = 2;
for (let c = 65; c <= 90; c++) CLASS[c] = CLASS[c + 32] = 1;
CLASS[45] = CLASS[95] = 4;
/** The most places in one run at which a token is looked for: at the start of the run, and after each separator. */
const JOINTS = 24;

/** Finds tokens of known formats, and random tokens with a prefix, anywhere in a text. The work per run is bounded. */
export function findTokens(text: string, add: (span: Span) => void): void {
  let awsUntil = 0;
  for (let i = 0; i < text.length; ) {
    let next = text.charCodeAt(i);
    if (next >= 128 || CLASS[next] === 0) {
      i++;
      continue;
    }
    let start = i;
    let classes = 0;
    do {
      classes |= CLASS[next] as number;
      next = ++i < text.length ? text.charCodeAt(i) : 32;
    } while (next < 128 && CLASS[next] !== 0);
    if (classes === 1 && i - start < 12 && next === 32) continue;
    start = afterEscape(text, start, i);
    const size = i - start;
    if (size === 36 && hasUuidJoints(text, start) && next !== 58) continue;
    const span =
      tokenIn(text, start, i, classes, next) ??
      (size >= 32 || (next < 128 && JOINS[next] === 1) ? structuredTokenAt(text, start, i, next) : null) ??
      (start < awsUntil ? awsSecretAt(text, start) : null) ??
      (size >= 24 ? genericTokenAt(text, start, i, classes) : null);
    if (span !== null) {
      if (span.rule === AWS_ID_RULE) awsUntil = span.end + AWS_NEAR;
      add(span);
      i = Math.max(i, span.end);
    } else if (size === 6 && next === 44 && text.startsWith(";base64", start - 1)) {
      // Skips the base64 data of an image or the like.
      let data = i + 1;
      while (data < text.length && /[A-Za-z0-9+/%]/.test(text[data] as string)) data++;
      if (!/[-_]/.test(text[data] ?? "")) i = data;
    }
  }
}

/** Finds a token at the beginning of a run or after one of its separators: `key-sk-…`, `TOKEN_ghp_…`. */
function tokenIn(text: string, start: number, end: number, classes: number, next: number): Span | null {
  const size = end - start;
  if (size < 12 && !(next < 128 && CONTINUES[next] === 1)) return null;
  const last = (classes & 4) === 0 || size < 20 ? start + 1 : end - 16;
  for (let at = start, seen = 0; at < last && seen < JOINTS; at++) {
    if (at > start && CLASS[text.charCodeAt(at - 1)] !== 4) continue;
    seen++;
    const found = tokenAt(text, at);
    if (found !== null && !isFakeToken(text.slice(at, found.end))) return { start: at, ...found };
  }
  return null;
}

/** Returns where a run begins after the rest of an escape: the n of `\n`, the 22 of `%22`, the hex of `\u0022`. */
function afterEscape(text: string, start: number, end: number): number {
  if (start === 0 || end - start < 3) return start;
  const before = text.charCodeAt(start - 1);
  const code = before === 92 ? /^(?:u[\da-f]{4}|x[\da-f]{2}|[nrt])/i : before === 37 ? /^[\da-f]{2}/i : null;
  return code === null
    ? start
    : Math.min(end, start + (code.exec(text.slice(start, start + 5))?.[0].length ?? 0));
}
