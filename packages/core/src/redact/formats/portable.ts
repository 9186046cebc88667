import { type Format, literal } from "./format.ts";
import { formats } from "./registry.ts";
import { WEBHOOKS } from "./webhooks.ts";

/** A pattern that JavaScript and PostgreSQL (`~`) read alike: no look-around, no `\b`, no lazy quantifier. */
export interface PortablePattern {
  rule: string;
  pattern: string;
}

const WORD_START = "(^|[^A-Za-z0-9])";

/** Secrets that are not formats of the registry: keys in blocks, passwords in addresses. */
const OTHERS: readonly (PortablePattern & { literals: string[] })[] = [
  {
    rule: "private-key",
    pattern: "-----BEGIN [A-Z ]{0,40}PRIVATE KEY( BLOCK)?-----[A-Za-z0-9+/=\\\\ \\n\\r]{40,}",
    literals: ["PRIVATE KEY"],
  },
  {
    rule: "url-password",
    pattern: "[a-z]://[A-Za-z0-9._~%-]{1,80}:[A-Za-z0-9._~%!$*+-]{6,200}@[A-Za-z0-9]",
    literals: ["://"],
  },
];

/** The pattern of a format as both engines read it; throws when it has none. */
function portablePattern({ prefixes, pattern, portable }: Format): string {
  const body = pattern
    .replace(/\(\?!(\[[^\]]+\])\)$/, (_, characters: string) => `([^${characters.slice(1)}|$)`)
    .replaceAll("(?:", "(")
    .replaceAll("\\d", "[0-9]");
  if (/\(\?|\\[a-zA-Z]|[*+?}]\?/.test(body)) throw new Error(`no portable pattern: ${pattern}`);
  const beginnings = prefixes.map(literal);
  const start = beginnings.length > 1 ? `(${beginnings.join("|")})` : beginnings.join("");
  return (portable === "word" ? WORD_START : "") + start + body;
}

/** Formats that are certain (almost nothing else has them), grouped by rule, each with literal texts: every match contains one of them. */
const certain = new Map<string, { patterns: string[]; searches: string[]; literals: string[] }>();
const add = (rule: string, pattern: string, literals: readonly string[], search = pattern) => {
  const known = certain.get(rule) ?? { patterns: [], searches: [], literals: [] };
  known.patterns.push(pattern);
  known.searches.push(search);
  known.literals.push(...literals);
  certain.set(rule, known);
};
for (const format of formats) {
  const { id, prefixes, portable } = format;
  if (portable === undefined) continue;
  if (typeof portable === "object") add(id, portable.pattern, [portable.literal], portable.search);
  else add(id, portablePattern(format), prefixes);
}
for (const { rule, portable } of WEBHOOKS) {
  if (portable !== undefined) add(rule, portable.pattern, [portable.literal]);
}
for (const { rule, pattern, literals } of OTHERS) add(rule, pattern, literals);

/** What verification looks for after redaction; rules that need more than a pattern are left out. */
export const certainPatterns: readonly PortablePattern[] = [...certain].map(([rule, { patterns }]) => ({
  rule,
  pattern: patterns.join("|"),
}));

/** The same for JavaScript alone, by faster searches. The group `before` is the part of a match before what was found. */
export const certainSearches: readonly RegExp[] = [...certain.values()].map(
  ({ searches }) => new RegExp(searches.join("|")),
);

/** One search that excludes most texts: each match of a certain pattern contains one of these texts. */
export const CERTAIN_LITERALS = new RegExp(
  shortest([...certain.values()].flatMap(({ literals }) => literals)),
);

function shortest(literals: readonly string[]): string {
  const all = [...new Set(literals)];
  return all
    .filter((text) => !all.some((other) => other !== text && text.includes(other)))
    .map(literal)
    .join("|");
}

/**
 * What the database refuses in a title, a description, a tag or an address when it is edited, where nothing is taken
 * out beforehand: the certain patterns, and forms that placeholders and addresses may have, too.
 */
export const secretPatterns: readonly PortablePattern[] = [
  ...certainPatterns,
  { rule: "sk", pattern: "(^|[^A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}" },
  { rule: "bearer", pattern: "[Bb]earer +([A-Za-z._~+/-]{0,200}[0-9]){2}[A-Za-z0-9._~+/=-]{8,}" },
  { rule: "url-user-info", pattern: "[a-z]://[^ /?#@:]{0,80}:[^ /?#@{}<>$]{3,200}@[A-Za-z0-9]" },
  {
    rule: "url-token",
    pattern:
      "[?&](access_token|api[_-]?key|auth|key|secret|sig|signature|token)=[A-Za-z._~%+/-]{0,200}[0-9][A-Za-z0-9._~%+/=-]{7,}",
  },
];
