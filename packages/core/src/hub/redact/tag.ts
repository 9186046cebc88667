import type { NameKind } from "./key-name.ts";
import { looksSecret } from "./randomness.ts";
import type { KindOf } from "./scan-text.ts";

/** How far a tag of markup is read to both sides of the value. */
const FAR = 300;
const ATTRIBUTE =
  /(?:^|\s)(name|id|key|type|autocomplete|for)=(?:"([^"<>]{1,60})"|'([^'<>]{1,60})'|\{["']([^"'<>]{1,60})["']\})/g;
/** What is pressed or chosen holds a word for people. */
const PRESSED = /^(?:submit|button|reset|radio|checkbox|image|option)$/i;

/**
 * What the attributes around `value="…"` in a tag say of it, in whatever order they stand: `type="password"`, or a
 * `name` or `id` of a credential. `at` is the separator between `value` and its quote.
 */
export function tagKind(text: string, at: number, kindOf: KindOf): NameKind {
  const q = text[at + 1];
  if (q !== '"' && q !== "'") return "none";
  const before = text.slice(Math.max(0, at - FAR), at);
  const open = before.lastIndexOf("<");
  if (open < 0 || !/^<[A-Za-z]/.test(before.slice(open, open + 2)) || before.indexOf(">", open) > 0)
    return "none";
  const close = text.indexOf(q, at + 2);
  if (close < 0 || close - at > FAR) return "none";
  const behind = text.slice(close + 1, close + FAR);
  const end = behind.search(/[<>]/);
  const value = text.slice(at + 2, close);
  let kind: NameKind = "none";
  for (const part of [before.slice(open), end < 0 ? behind : behind.slice(0, end)]) {
    for (const [, attribute, a, b, c] of part.matchAll(ATTRIBUTE)) {
      const said = (a ?? b ?? c) as string;
      // `type` counts wherever it stands: a password is one whatever it looks like, and a button's word is none.
      if (attribute === "type") {
        if (PRESSED.test(said) && !looksSecret(value)) return "none";
        if (/^password$/i.test(said)) return "strong";
      } else if (kind !== "strong" && looksSecret(value)) {
        const named = kindOf(said);
        if (named !== "none") kind = named;
      }
    }
  }
  return kind;
}
