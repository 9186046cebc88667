import { looksSecret } from "../../evidence/entropy.ts";
import type { KindOf, NameKind } from "../../types.ts";

/** How far a tag is read on both sides of the value. */
const FAR = 300;
const VALUE = /"([^"<>\n]{1,300})"|'([^'<>\n]{1,300})'|([^\s"'<>=`]{1,300})/y;
const ATTRIBUTE =
  /(?:^|\s)(name|id|key|type|autocomplete|for)=(?:"([^"<>]{1,60})"|'([^'<>]{1,60})'|\{["']([^"'<>]{1,60})["']\})/g;

/**
 * The kind of a `value="…"` by the other attributes of its tag, in any order: `type="password"`, or, for a value that looks
 * like a secret, a `name` or `id` of a credential. `at` is the separator after `value`.
 */
export function tagKind(text: string, at: number, kindOf: KindOf): NameKind {
  const before = text.slice(Math.max(0, at - FAR), at);
  const open = before.lastIndexOf("<");
  if (open < 0 || before.includes(">", open)) return "none";
  VALUE.lastIndex = at + 1;
  const found = VALUE.exec(text);
  if (found === null) return "none";
  const secret = looksSecret((found[1] ?? found[2] ?? found[3]) as string);
  const behind = text.slice(VALUE.lastIndex, VALUE.lastIndex + FAR);
  const end = behind.search(/[<>]/);
  let kind: NameKind = "none";
  for (const part of [before.slice(open), end < 0 ? behind : behind.slice(0, end)]) {
    for (const [, attribute, a, b, c] of part.matchAll(ATTRIBUTE)) {
      const attributeText = (a ?? b ?? c) as string;
      if (attribute === "type") {
        if (/^password$/i.test(attributeText)) return "strong";
      } else if (kind !== "strong" && secret) {
        const named = kindOf(attributeText);
        if (named !== "none") kind = named;
      }
    }
  }
  return kind;
}
