import { literal, type SecretFormat } from "./format.ts";
import { formats } from "./registry.ts";
import { WEBHOOKS } from "./webhooks.ts";

/** A pattern with the same meaning in JavaScript and PostgreSQL (`~`): no look-around, no `\b`, no lazy quantifier. */
export interface PortablePattern {
  rule: string;
  pattern: string;
}

const WORD_START = "(^|[^A-Za-z0-9])";

/** Patterns of secrets that no format of the registry describes: keys in blocks and passwords in addresses. */
const OTHERS: readonly PortablePattern[] = [
  {
    rule: "private-key",
    pattern: "-----BEGIN [A-Z ]{0,40}PRIVATE KEY( BLOCK)?-----[A-Za-z0-9+/=\\\\ \\n\\r]{40,}",
  },
  {
    rule: "url-password",
    pattern: "[a-z]://[A-Za-z0-9._~%-]{1,80}:[A-Za-z0-9._~%!$*+-]{6,200}@[A-Za-z0-9]",
  },
];

/** Converts the pattern of a format for JavaScript and PostgreSQL. Throws when the pattern has a construct that the two do not share. */
function portablePattern({ prefixes, pattern, portable }: SecretFormat): string {
  const body = pattern
    .replace(/\(\?!(\[[^\]]+\])\)$/, (_, characters: string) => `([^${characters.slice(1)}|$)`)
    .replaceAll("(?:", "(")
    .replaceAll("\\d", "[0-9]");
  if (/\(\?|\\[a-zA-Z]|[*+?}]\?/.test(body)) throw new Error(`no portable pattern: ${pattern}`);
  const beginnings = prefixes.map(literal);
  const start = beginnings.length > 1 ? `(${beginnings.join("|")})` : beginnings.join("");
  return (portable === "word" ? WORD_START : "") + start + body;
}

/** Patterns, by rule, of formats that almost never match anything but a secret. */
const certain = new Map<string, string[]>();
const add = (rule: string, pattern: string) => certain.set(rule, [...(certain.get(rule) ?? []), pattern]);
for (const format of formats) {
  const { id, portable } = format;
  if (portable !== undefined)
    add(id, typeof portable === "object" ? portable.pattern : portablePattern(format));
}
for (const { rule, portable } of WEBHOOKS) if (portable !== undefined) add(rule, portable);
for (const { rule, pattern } of OTHERS) add(rule, pattern);

/**
 * The patterns that the database refuses when a title, a description, a tag or an address is edited, because
 * edits are not redacted: the certain patterns, and forms that a placeholder or an ordinary address may also have.
 */
export const secretPatterns: readonly PortablePattern[] = [
  ...[...certain].map(([rule, patterns]) => ({ rule, pattern: patterns.join("|") })),
  { rule: "sk", pattern: "(^|[^A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}" },
  { rule: "bearer", pattern: "[Bb]earer +([A-Za-z._~+/-]{0,200}[0-9]){2}[A-Za-z0-9._~+/=-]{8,}" },
  { rule: "url-user-info", pattern: "[a-z]://[^ /?#@:]{0,80}:[^ /?#@{}<>$]{3,200}@[A-Za-z0-9]" },
  {
    rule: "url-token",
    pattern:
      "[?&](access_token|api[_-]?key|auth|key|secret|sig|signature|token)=[A-Za-z._~%+/-]{0,200}[0-9][A-Za-z0-9._~%+/=-]{7,}",
  },
];
