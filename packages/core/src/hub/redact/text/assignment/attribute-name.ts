import { isPlainName } from "../../evidence/credential-value.ts";
import { looksRandom, looksSecret } from "../../evidence/entropy.ts";
import type { KindOf, NameKind } from "../../types.ts";

/** A value in quotes, up to three other attributes, and the field that names it. */
const QUOTED =
  /\s{0,3}\\{0,3}(["'`])([^"'`\n\\]{6,400})\\{0,3}\1(?:\s{1,4}(?:type|class|id|autocomplete|readonly)=["'][^"'\n]{0,40}["']){0,3},?\s{1,24}\\{0,3}["']?(?:name|key|id|header|property|field|variable)\\{0,3}["']?\s{0,2}[:=]\s{0,2}\\{0,3}["'`]?([\p{L}_][\p{L}\p{N}_ .-]{1,60}?)(?=[\\"'`<>,\s}/]|$)/uy;
/** The same in YAML, without quotes. */
const PLAIN =
  /[ \t]{1,3}([^\s"'`{}[\]]{6,400})[ \t]{0,4}\r?\n[ \t]{1,24}(?:name|key):[ \t]{1,3}["']?([\p{L}_][\p{L}\p{N}_.-]{1,60})(?=["']?[ \t]{0,4}\r?(?:\n|$))/uy;

/**
 * The kind of a value by the name after it: `value="…" name="api_key"`, `{value: "…", name: "API_KEY"}`. Only for a value
 * that looks like a secret. `at` is the separator before the value.
 */
export function kindByLaterName(text: string, at: number, kindOf: KindOf): NameKind {
  const c = text.charCodeAt(text.charCodeAt(at + 1) === 32 ? at + 2 : at + 1);
  const opens = c === 34 || c === 39 || c === 92 || c === 96;
  QUOTED.lastIndex = at + 1;
  const quoted = opens ? QUOTED.exec(text) : null;
  PLAIN.lastIndex = at + 1;
  const plain = opens || text.charCodeAt(at) !== 58 ? null : PLAIN.exec(text);
  const value = quoted?.[2] ?? plain?.[1];
  const name = quoted?.[3] ?? plain?.[2];
  if (value === undefined || name === undefined || !looksSecret(value)) return "none";
  return isPlainName(value) && !looksRandom(value) ? "none" : kindOf(name);
}
