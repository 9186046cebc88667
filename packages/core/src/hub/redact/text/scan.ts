import { REDACTED } from "../evidence/credential-value.ts";
import { hasUuidJoints } from "../evidence/entropy.ts";
import { isGibberish } from "../evidence/gibberish.ts";
import { isFakeToken } from "../evidence/placeholder.ts";
import { AWS_ID_RULE, AWS_NEAR, awsSecretAt } from "../formats/aws-secret.ts";
import { genericTokenAt } from "../formats/generic-token.ts";
import { CONTINUES, tokenAt } from "../formats/prefixed.ts";
import { JOINS, structuredTokenAt } from "../formats/unprefixed.ts";
import type { Budget, KindOf, Report, Seen, Span } from "../types.ts";
import { assignmentAt, flagAt, schemeAt } from "./assignment/assignment.ts";
import { callAt } from "./call.ts";
import {
  afterEscape,
  CLASS,
  ENDS_CALL,
  isEncodedSeparator,
  isQuote,
  JOINT,
  LETTER,
  mayBeScheme,
  opensWord,
  SAYS_IS,
  SEPARATES,
  SIGNS,
  UPPER,
} from "./characters.ts";
import { directiveAt, mayBeDirective } from "./cli/config-directive.ts";
import { variableAt } from "./cli/env-variable.ts";
import { commandAt } from "./cli/passphrase-argument.ts";
import { continuedAfter } from "./continuation.ts";
import { dataUriEnd } from "./data-uri.ts";
import { nextListItem } from "./heading.ts";
import { ENDS_NAME, mnemonicAfter } from "./mnemonic.ts";
import { proseBefore } from "./prose.ts";
import { namedAfter } from "./trailing-name.ts";
import { walletKeyAt } from "./wallet.ts";

/** The most separators that are tried inside one run: tokens have no more, and each costs time. */
const JOINTS = 24;

/**
 * Removes tokens and assigned credentials from one text, in one pass over its characters; returns the same string when it
 * finds none. Work per run and per separator is bounded, so the pass is linear.
 */
export function scanText(text: string, kindOf: KindOf, report: Report, seen?: Seen): string {
  const length = text.length;
  let out = "";
  let kept = 0;
  let foreign = -1000;
  let awsUntil = 0;
  const budget: Budget = { characters: 4 * length + 65_536 };
  let i = 0;
  /** The value assigned at a separator. It is examined in many ways, and counted for all of them. */
  const assigned = (at: number, isForeign: boolean) => {
    const before = budget.characters;
    const span = assignmentAt(text, at, kept, kindOf, budget, isForeign);
    if (budget.characters < before) seen?.work.readValue(before - budget.characters);
    return span;
  };
  /** Removes a stretch and its continuation: the next literal of a concatenation, the next entry of a list. */
  const cut = (first: Span) => {
    for (
      let span: Span | null = first;
      span !== null;
      span = continuedAfter(text, span) ?? nextListItem(text, span)
    ) {
      report(span.rule);
      out += text.slice(kept, span.start) + REDACTED;
      kept = span.end;
      i = span.end;
    }
  };

  while (i < length) {
    const c = text.charCodeAt(i);
    if (c >= 128) {
      if (SAYS_IS.has(c)) {
        if (seen?.work.take("separator") === false) break;
        const span = assigned(i, true);
        if (span !== null) {
          cut(span);
          continue;
        }
      }
      foreign = i;
      i++;
      continue;
    }
    if (CLASS[c] === 0) {
      if (
        SEPARATES[c] === 1 ||
        (c === 37 && isEncodedSeparator(text, i)) ||
        (c === 40 && isQuote(text.charCodeAt(i + 1)))
      ) {
        const span = (c === 40 ? callAt(text, i, budget) : null) ?? assigned(i, foreign >= i - 48);
        if (span !== null) {
          cut(span);
          continue;
        }
      } else if (c === 40 && i > 0 && ENDS_CALL[text.charCodeAt(i - 1) & 127] === 1) {
        const span = callAt(text, i, budget);
        if (span !== null) {
          cut(span);
          continue;
        }
      }
      if (seen !== undefined && seen.work.exceeded !== null) break;
      i++;
      continue;
    }

    let start = i;
    let classes = 0;
    let joints = 0;
    let next = c;
    do {
      const kind = CLASS[next] as number;
      classes |= kind;
      if (kind === JOINT) joints++;
      i++;
      next = i < length ? text.charCodeAt(i) : 32;
    } while (next < 128 && CLASS[next] !== 0);
    const end = i;
    if (start > 0 && end - start > 2) start = afterEscape(text, start, end);
    const size = end - start;

    if (size === 36 && hasUuidJoints(text, start)) {
      const found =
        next === 58
          ? structuredTokenAt(text, start, end, next)
          : start > 0
            ? proseBefore(text, start, end, kept, kindOf)
            : null;
      if (found !== null) cut(found);
      continue;
    }
    const last = text.charCodeAt(end - 1);
    const endsName = size >= 5 && ENDS_NAME[last] === (text.charCodeAt(end - 3) | 32);
    const scheme = next === 32 && size >= 4 && size <= 6 && mayBeScheme(c, last);
    const directive = next === 32 && size >= 4 && size <= 21 && mayBeDirective(text, start, c);
    // Most words of prose: short, in small letters, with a space after them, and not a word that announces a secret.
    if (classes === LETTER && size < 12 && next === 32 && !endsName && !scheme && !directive) continue;
    // `Ab1!cD2e`: a sign inside a word.
    const signed =
      next < 128 &&
      (SIGNS[next] === 1 || (SIGNS[next] === 2 && (classes & 3) === 3)) &&
      start > 0 &&
      (opensWord(text.charCodeAt(start - 1)) ||
        ((SIGNS[text.charCodeAt(start - 1) & 127] as number) > 0 && opensWord(text.charCodeAt(start - 2)))) &&
      (CLASS[text.charCodeAt(end + 1) & 127] !== 0 ||
        (SIGNS[text.charCodeAt(end + 1) & 127] === 1 && CLASS[text.charCodeAt(end + 2) & 127] !== 0));
    if ((signed || ((classes & 3) === 3 && size >= 6)) && seen?.work.take("look") === false) break;
    const span =
      tokenIn(text, start, end, joints, next) ??
      (size >= 32 || (next < 128 && JOINS[next] === 1) ? structuredTokenAt(text, start, end, next) : null) ??
      (start < awsUntil ? awsSecretAt(text, start) : null) ??
      (text.charCodeAt(start) === 45 ? flagAt(text, start, end, kindOf) : null) ??
      (scheme ? schemeAt(text, start, end) : null) ??
      (next === 32 && (classes & JOINT) !== 0 && size >= 6 && size <= 60
        ? c >= 65 && c <= 90
          ? variableAt(text, start, end, kept, kindOf)
          : commandAt(text, start, end)
        : null) ??
      (directive ? directiveAt(text, start, end) : null) ??
      ((classes & 3) === 3 && size >= 6
        ? (proseBefore(text, start, end, kept, kindOf) ??
          (size >= 8 ? namedAfter(text, start, end, kept, kindOf) : null))
        : signed
          ? proseBefore(text, start, end, kept, kindOf)
          : classes === (LETTER | UPPER) && size >= 8 && size <= 40 && isGibberish(text.slice(start, end))
            ? proseBefore(text, start, end, kept, kindOf)
            : null) ??
      (size >= 24
        ? ((size >= 43 ? walletKeyAt(text, start, end, next) : null) ??
          genericTokenAt(text, start, end, classes))
        : null) ??
      (endsName ? mnemonicAfter(text, end) : null);
    if (span !== null) {
      if (span.rule === AWS_ID_RULE) awsUntil = span.end + AWS_NEAR;
      cut(span);
    } else if (size === 6 && next === 44 && text.startsWith("base64", start)) {
      i = dataUriEnd(text, start, end + 1) ?? i;
    }
  }
  if (foreign >= 0 && seen !== undefined) seen.foreign = true;
  return kept === 0 ? text : out + text.slice(kept);
}

/** A token by its format, at the beginning of a run or after one of its separators (`key-sk-…`, `TOKEN_ghp_…`). */
function tokenIn(text: string, start: number, end: number, joints: number, next: number): Span | null {
  const size = end - start;
  if (size < 12 && !(next < 128 && CONTINUES[next] === 1)) return null;
  const found = tokenAt(text, start);
  if (found !== null && !isFakeToken(text.slice(start, found.end))) return { start, ...found };
  if (joints === 0 || size < 20) return null;
  let seen = 0;
  for (let at = start + 1; at < end - 16 && seen < JOINTS; at++) {
    if (CLASS[text.charCodeAt(at - 1)] !== JOINT) continue;
    seen++;
    const inner = tokenAt(text, at);
    if (inner !== null && !isFakeToken(text.slice(at, inner.end))) return { start: at, ...inner };
  }
  return null;
}
