import { isBasicPair } from "../evidence/credential-value.ts";
import { isUuid, looksRandom, looksSecret } from "../evidence/entropy.ts";
import { isPlaceholder } from "../evidence/placeholder.ts";
import { givenTo } from "../names/call-names.ts";
import { COMMANDS } from "./commands.ts";
import { endOfItem, literalAt } from "./expression.ts";
import { isCertain } from "./judge.ts";
import { type TextReading, take } from "./layouts/layout.ts";
import { makeName, type Name } from "./names.ts";
import { code, DASHES, LINE, STRING, WORD } from "./tokens.ts";

/* Credentials without a name before them: after the scheme of a header, in a command, in the call of a client. */

/** Reads `Bearer x`, `Basic x`, `token x`. Quotes and signs such as `+` or `${` may be between the scheme and the value. */
function scheme(r: TextReading, i: number): boolean {
  const { t } = r;
  const word = t.textAt(i);
  let p = i + 1;
  if (p >= t.count || t.kind[p] === LINE || t.touches(i)) return false;
  while (t.isOneOf(p, "\"'`+.,~&${")) p++;
  if (t.kindAt(p) !== WORD && t.kindAt(p) !== STRING) return false;
  const start = (t.kind[p] === STRING ? t.from[p] : t.start[p]) as number;
  return schemeValue(r, word.toLowerCase(), start);
}

function schemeValue(r: TextReading, word: string, start: number): boolean {
  const secret = (/^[A-Za-z0-9._~+/=-]{8,4096}/.exec(r.t.text.slice(start, start + 4096))?.[0] ?? "").replace(
    /[.,]+$/,
    "",
  );
  if (secret.length < 8 || isPlaceholder(secret)) return false;
  const fits =
    word === "basic"
      ? isBasicPair(secret)
      : word === "bearer"
        ? (/\d/.test(secret) && (looksSecret(secret) || isUuid(secret))) || looksRandom(secret)
        : looksRandom(secret) && secret.length >= 16;
  if (fits)
    r.add({ start, end: start + secret.length, rule: word === "basic" ? "basic-auth" : "bearer-token" });
  return fits;
}

/** Reads `-u name:x` of curl and others. */
function userPair(r: TextReading, i: number): boolean {
  const { t } = r;
  if (!(t.is(i - 1, code("-")) || t.is(i - 1, DASHES)) || !t.touches(i - 1)) return false;
  const end = t.end[i] as number;
  const pair = /^[\s=]{0,4}\\?["']?([^\s:"'\\]{0,80}):([^\s"'\\]{2,200})/.exec(t.text.slice(end, end + 300));
  if (pair === null) return false;
  const secret = pair[2] as string;
  if (isPlaceholder(secret) || /^\d+:\d+$/.test(`${pair[1]}:${secret}`) || secret.startsWith("//"))
    return false;
  const last = end + pair[0].length;
  r.add({ start: last - secret.length, end: last, rule: "basic-auth" });
  return true;
}

/** Endings of the names of classes that often take a key. */
const GENERAL = /(?:Client|Api|API|SDK|Sdk|Auth|Embeddings)$/;
/** The account id of Twilio; its token is the next argument. */
const ACCOUNT = /^AC[0-9a-f]{32}$/;

/** Reads the key or password in a call. The name of the call shows that it takes one: `new OpenAI(⏎"x")`, `login("bob", "x")`. */
export function client(r: TextReading, i: number): boolean {
  const { t } = r;
  if (!t.is(i + 1, code("(")) || !t.touches(i)) return false;
  const given = givenTo(t.text, t.start[i + 1] as number);
  if (given === null && !GENERAL.test(t.textAt(i))) return false;
  const name = makeName("strong", given === "password" ? "password" : "key", i) as Name;
  const last = Math.min(t.count, i + 64);
  let account = false;
  for (let p = i + 2, argument = 0; p < last && argument < 4; argument++) {
    while (t.kindAt(p) === LINE) p++;
    const end = endOfItem(t, p, last);
    const more = t.is(end, code(","));
    if (t.kindAt(p) === STRING) {
      const word = t.textAt(p);
      const literal = literalAt(t, p, true);
      if (account && take(r, name, literal, "value", 40)) return true;
      account = ACCOUNT.test(word);
      // If a class only sounds like a client, the key is its last argument. A password follows a user name, or is the only argument.
      const placed = given === null ? word.length >= 24 && !more : given === "key" || argument > 0 || !more;
      // Words with hyphens between them, as in an address, are not a password: `login("bob", "blog-post-2024")`.
      if (
        placed &&
        !account &&
        !/^[a-z]+(?:-[a-z\d]+)+$/.test(word) &&
        isCertain(name, word) &&
        take(r, name, literal, "inner", 40)
      )
        return true;
    }
    if (!more) return false;
    p = end + 1;
  }
  return false;
}

/** Reads a command line whose program takes a credential as a one-letter option or as a word. */
function command(r: TextReading, i: number): boolean {
  const { t } = r;
  const rules = COMMANDS.get(t.textAt(i));
  if (rules === undefined) return false;
  const start = t.start[i] as number;
  const line = t.text.slice(start, Math.min(t.lineEnd(start), start + 400));
  for (const { pattern, looks } of rules) {
    const secret = pattern.exec(line)?.groups?.x;
    if (secret === undefined || isPlaceholder(secret) || !looks(secret)) continue;
    const at = start + line.indexOf(secret, pattern.exec(line)?.index ?? 0);
    r.add({ start: at, end: at + secret.length, rule: "credential-name" });
    return true;
  }
  return false;
}

/** For each program, option and scheme, the function that reads the credential after it. */
export const NAMELESS = new Map<string, (r: TextReading, i: number) => boolean>();
for (const program of COMMANDS.keys()) NAMELESS.set(program, command);
for (const option of ["u", "U", "user", "proxy-user"]) NAMELESS.set(option, userPair);
for (const word of ["Bearer", "Basic", "Token", "ApiKey", "Apikey", "SSWS"])
  for (const spelling of [word, word.toLowerCase(), word.toUpperCase()]) NAMELESS.set(spelling, scheme);
