import { looksRandom } from "../evidence/entropy.ts";
import { cloudRules } from "./providers/clouds.ts";
import { codeHostRules } from "./providers/code-hosts.ts";
import { modelRules } from "./providers/models.ts";
import type { TokenRule } from "./format.ts";
import { serviceRules } from "./providers/services.ts";

export const tokenRules: readonly TokenRule[] = [
  ...modelRules,
  ...cloudRules,
  ...codeHostRules,
  ...serviceRules,
];

/** Rules by their first two characters (both ASCII), the longest prefix first. */
const byStart: (TokenRule[] | undefined)[] = new Array(128 * 128);
for (const rule of [...tokenRules].sort((a, b) => b.prefix.length - a.prefix.length)) {
  const at = rule.prefix.charCodeAt(0) * 128 + rule.prefix.charCodeAt(1);
  const rules = byStart[at] ?? [];
  rules.push(rule);
  byStart[at] = rules;
}

/** How much of a run goes on behind a format, after a joint: what is random there belongs to the token. */
function restOf(text: string, end: number): number {
  const joint = text.charCodeAt(end);
  if (joint !== 95 && joint !== 45) return 0;
  REST.lastIndex = end;
  const rest = REST.exec(text)?.[0] ?? "";
  return rest.length > 8 && looksRandom(rest.slice(1)) ? rest.length : 0;
}
const REST = /[A-Za-z0-9_-]{1,200}/y;

/** The token that begins at `at`: its rule and where it ends; null when none does. */
export function tokenAt(text: string, at: number): { rule: string; end: number } | null {
  const first = text.charCodeAt(at);
  const second = text.charCodeAt(at + 1);
  if (!(first < 128 && second < 128)) return null;
  const rules = byStart[first * 128 + second];
  if (rules === undefined) return null;
  for (const { rule, prefix, pattern, random } of rules) {
    if (!text.startsWith(prefix, at)) continue;
    pattern.lastIndex = at;
    if (!pattern.test(text)) continue;
    const end = pattern.lastIndex;
    if (random && !looksRandom(text.slice(at + prefix.length, end))) continue;
    return { rule, end: end + restOf(text, end) };
  }
  return null;
}
