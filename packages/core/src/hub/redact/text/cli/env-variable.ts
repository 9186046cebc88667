import { credentialIn } from "../../evidence/credential-value.ts";
import { looksRandom } from "../../evidence/entropy.ts";
import type { KindOf, Span } from "../../types.ts";

/** What comes before a name and its value in commands: `ENV NAME x`, `#define NAME "x"`, `setx NAME x`. */
const SETS =
  /(?:^|[\s;&|`"'#(])(?:define|ENV|ARG|setx|setenv|set|set -[gUx]{1,3}|(?:config|secret|variable|env|vars?) set|put|add|export)\s{1,4}$/;
const VALUE = /\s{1,8}(?:"([^"\n]{3,400})"|'([^'\n]{3,400})'|([^\s"'`,;|<>()[\]{}]{3,400}))/y;

/** The value after the name of an environment variable, with only spaces between. */
export function variableAt(
  text: string,
  start: number,
  end: number,
  from: number,
  kindOf: KindOf,
): Span | null {
  const name = text.slice(start, end);
  if (!/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(name) || kindOf(name) !== "strong") return null;
  VALUE.lastIndex = end;
  const match = VALUE.exec(text);
  if (match === null) return null;
  const secret = (match[1] ?? match[2] ?? match[3]) as string;
  const quoted = match[3] === undefined;
  const valueEnd = VALUE.lastIndex - (quoted ? 1 : 0);
  const found = credentialIn("strong", secret);
  if (found === null || /\$[({]|^[=&|<>-]/.test(secret)) return null;
  const set = SETS.test(text.slice(Math.max(from, start - 24), start));
  if (!(set && (quoted || /\d/.test(secret))) && !(secret.length >= 16 && looksRandom(secret))) return null;
  return { start: valueEnd - secret.length + found.start, end: valueEnd, rule: "credential-name" };
}
