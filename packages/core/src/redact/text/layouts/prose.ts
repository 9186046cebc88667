import { isLoneKey } from "../../evidence/entropy.ts";
import { bareAt, type Literal, literalAt } from "../expression.ts";
import { isCertain } from "../judge.ts";
import type { Name } from "../names.ts";
import { ARROW, code, LINE, SIGN, STRING, type Tokens, WORD } from "../tokens.ts";
import { type Layout, type TextReading, take } from "./layout.ts";

/** The most lines below a name that are read, and the number of lines without a secret after which reading stops. */
const [LINES, OTHERS] = [24, 8];

export const below: Layout = {
  id: "below",
  example: "## API keys⏎- ElevenLabs: x⏎- Mistral: x",
  read(r, name, next) {
    const { t } = r;
    if (t.kindAt(next) !== LINE || name.kind === "weak") return false;
    for (let p = t.lineStart(name.first); p < name.first; p++) {
      if (t.kind[p] === STRING || (t.kind[p] === WORD && name.first - p > 4)) return false;
    }
    return linesBelow(r, name, next);
  },
};

/** Marks for removal the credentials below a name at the end of a line: list entries, or a word alone. `at` is the line break. */
export function linesBelow(r: TextReading, name: Name, at: number): boolean {
  const { t } = r;
  let p = at + 1;
  // Skips the opening of a code fence or the marks of a quotation.
  while (t.isOneOf(p, ">`|\"'") || (t.kindAt(p) === LINE && (t.to[p] as number) < 3 && p === at + 1)) p++;
  const fenced = t.is(p - 1, code("`"));
  if (fenced && t.kindAt(p) === LINE) p++;
  else if (fenced && t.kindAt(p) === WORD && t.kindAt(p + 1) === LINE) p += 2;
  if (entryAt(t, p, name) >= 0) return entriesBelow(r, name, p);
  const alone = wordAt(t, p, name);
  return alone !== null && takeWord(r, name, alone);
}

/** Marks the entries of a list that are credentials for removal. The first entry begins at `from` or one token before it. */
export function entriesBelow(r: TextReading, name: Name, from: number): boolean {
  const { t } = r;
  let found = false;
  let others = 0;
  let p = t.is(from - 1, code("-")) ? from - 1 : from;
  for (let n = 0; n < LINES && others < OTHERS; n++) {
    const at = entryAt(t, p, name);
    if (at < 0) break;
    const word = wordAt(t, at, name);
    if (word !== null && word.start >= r.until && takeWord(r, name, word)) found = true;
    else others++;
    while (p < t.count && t.kind[p] !== LINE) p++;
    if (p >= t.count || (t.to[p] as number) > 2) break;
    p++;
  }
  return found;
}

/** Returns where the value of an entry begins, after its mark and label: `- **Mistral**: x`, `2. Amap - x`; -1 when there is none. */
function entryAt(t: Tokens, p: number, name: Name): number {
  let q = p;
  const numbered = t.kindAt(p) === WORD && /^\d{1,2}$/.test(t.textAt(p)) && t.isOneOf(p + 1, ".)");
  if (numbered) q += 2;
  else if (t.isOneOf(p, "-*+")) q++;
  for (let n = q; n < q + 10 && n < t.count && t.kind[n] !== LINE; n++) {
    const separates =
      t.isOneOf(n, ":=") || ((t.is(n, code("-")) || t.is(n, ARROW)) && !t.touches(n) && n > q);
    if (!separates || t.kindAt(n + 1) === LINE) continue;
    // Without a bullet or number, a labelled line is an entry only if it is indented below a plural name: `api_keys:⏎  mistral: x`.
    if (q === p && !(/s$/.test(name.text) && (t.from[p - 1] as number) > 0)) return -1;
    q = n + 1;
    break;
  }
  if (q === p) return -1;
  while (t.isOneOf(q, "`*")) q++;
  return q;
}

/** Returns the word or literal at `i`, if nothing follows it in its line. */
function wordAt(t: Tokens, i: number, name: Name): Literal | null {
  const kind = t.kindAt(i);
  if (kind === 0 || kind === LINE) return null;
  const word = kind === STRING ? literalAt(t, i, true) : bareAt(t, i, name, 58);
  if (word === null) return null;
  const rest = t.text.slice(word.end, Math.min(t.lineEnd(word.end), word.end + 60));
  return /^["'`*\s,]*$/.test(rest) ? word : null;
}

function takeWord(r: TextReading, name: Name, literal: Literal): boolean {
  const word = r.t.text.slice(literal.start, literal.end);
  return isCertain(name, word) && !/[()[\]{}:;,]/.test(word) && take(r, name, literal, "inner", 0);
}

export const before: Layout = {
  id: "before",
  example: "use x as API_KEY",
  read(r, name) {
    const { t } = r;
    let as = name.first - 1;
    if (t.kindAt(as) === WORD && /^(?:the|my|your|its)$/i.test(t.textAt(as))) as--;
    if (t.kindAt(as) !== WORD || !/^as$/i.test(t.textAt(as))) return false;
    let p = as - 1;
    while (t.isOneOf(p, "`\"'*)")) p--;
    const kind = t.kindAt(p);
    if (kind !== WORD && kind !== STRING) return false;
    const value = literalAt(t, p, true);
    return value.start >= r.until && take(r, name, value, "beside", 32);
  },
};

const VERBS = new Set(
  "is was are be to as ist lautet war est es é è adalah là jest är هي هو היא הוא set use using equals".split(
    " ",
  ),
);
const FILLERS = new Set(
  "now currently just simply still this key value called the following base64 here".split(" "),
);
const OF = new Set(
  "for of to on in für pour para per von de du des do da del della di van voor för till dla untuk của cho для от you we i they that which".split(
    " ",
  ),
);

export const sentence: Layout = {
  id: "sentence",
  example: "my password is x, the token for staging was x, pw x",
  read: (r, name, next) => said(r, name, next),
};

/** Marks for removal the word that a sentence gives as the value of a name, or that directly follows the name. */
export function said(r: TextReading, name: Name, from: number): boolean {
  const { t } = r;
  let verb = false;
  let of = 0;
  for (let p = from, n = 0; n < 12 && p < t.count; p++, n++) {
    const kind = t.kind[p];
    if (kind === LINE) return false;
    if (kind === WORD && !(p === from && t.touches(p - 1))) {
      const word = t.textAt(p).toLowerCase();
      if (VERBS.has(word)) {
        verb = true;
        of = 0;
        continue;
      }
      if (FILLERS.has(word)) continue;
      if (!verb && OF.has(word)) {
        of = 4;
        continue;
      }
      if (of > 0) {
        of--;
        continue;
      }
    } else if (kind === SIGN) {
      const sign = t.sign[p] as number;
      if (sign === 58 || sign === 61 || sign === ARROW || sign === 45) {
        verb ||= sign !== 45;
        of = 0;
        continue;
      }
      if (t.isOneOf(p, "*`\"'()")) continue;
      if (!t.isOneOf(p, "#!$%^&+=/@~?") || p === from) return false;
    } else if (of > 0 && !verb) continue;
    const value = kind === STRING ? literalAt(t, p, false) : bareAt(t, p, name, 32);
    if (value === null || (value.quoted && /\s/.test(t.textAt(p)))) return false;
    if (!value.quoted) value.end = endOfWord(t.text, value.start, value.end);
    return take(r, name, value, verb ? "said" : "beside", 32);
  }
  return false;
}

/** Returns the end of the whole word, because a password may contain signs that end other values. */
function endOfWord(text: string, start: number, end: number): number {
  let last = end;
  while (
    last < text.length &&
    last - start < 400 &&
    !/[\s"'`<>“”‘’›»,;)\]}\u2e80-\uffff]/.test(text[last] as string)
  )
    last++;
  while (last > end && /[.?:]/.test(text[last - 1] as string)) last--;
  return last;
}

/** Words that make it probable that the word `key` after them means a secret key, as in `my key`. */
const BEFORE_LONE =
  /^(?:and|the|with|my|your|our|this|use|using|der|dein|mein|la|le|ma|votre|mi|tu|il|o|a|minha)$/i;

export const loneKey: Layout = {
  id: "lone key",
  example: "Key: x, params: city:y⏎appid:x, use y and key x",
  read(r, name, next) {
    if (!name.lone) return false;
    const { t } = r;
    const opens = t.lineStart(name.first) === name.first || t.isOneOf(name.first - 1, "-*");
    if (opens && t.is(next, code(":"))) {
      const word = wordAt(t, next + 1, name);
      if (word !== null && !word.quoted) takeLone(r, name, word);
    } else if (
      t.kindAt(next) === WORD &&
      BEFORE_LONE.test(t.kindAt(name.first - 1) === WORD ? t.textAt(name.first - 1) : "")
    ) {
      const p = VERBS.has(t.textAt(next)) ? next + 1 : next;
      const word =
        t.kindAt(p) === STRING
          ? literalAt(t, p, false)
          : t.kindAt(p) === WORD
            ? bareAt(t, p, name, 32)
            : null;
      if (word !== null) takeLone(r, name, word);
    }
    return true;
  },
};

function takeLone({ t, add }: TextReading, name: Name, { start, end }: Literal): void {
  if (isLoneKey(t.text.slice(start, end)))
    add({ start, end, rule: name.query ? "url-parameter" : "credential-name" });
}
