import { ABOUT_VALUE } from "../evidence/credential-value.ts";
import {
  isDigest,
  isMixedPassword,
  isMixedThroughout,
  isUuid,
  looksRandom,
  looksSecret,
} from "../evidence/entropy.ts";
import { isGibberish } from "../evidence/gibberish.ts";
import { isPlaceholder } from "../evidence/placeholder.ts";
import { isProductName, isTypeName } from "../evidence/type-and-file-names.ts";
import { PROVIDERS } from "../keys/lexicon.ts";
import type { KindOf, Span } from "../types.ts";
import { credentialUnderHeading, OPENS_LINE, organizationBefore } from "./heading.ts";

/** `… password is`, `API-Key lautet "`, `the token for staging was`: words that say that the next word is a credential. */
const ANNOUNCEMENT =
  /(?:^|[^\p{L}])(?:pass ?words?|pw|pat|passwort|kennwort|passphrase|passcode|pwd|api[ _-]?keys?|api[ _-]?schl[uü]ssel|secret(?: key)?|access[ _-]?(?:key|token)|auth(?:entication)?[ _-]?(?:key|token)|bearer token|(?:bot|refresh|personal access|api|session|service|admin|license|master|signing|private|client|webhook|my|our|the|your|this|dein|mein) (?:token|key|secret|pin)|token|credentials?|mot de passe|cl[eé] (?:d')?api|jeton|contrase[nñ]a|clave(?: de api)?|senha|chave(?: de api| da api)?|chiave(?: api)?|wachtwoord|has[lł]o|parola(?:s[ıi]|m|n[ıi]z)?|[sş]ifre(?:si|m|niz)?|(?:kata )?sandi(?:nya)?|m[aậ]t kh[aẩ]u|l[oö]senord(?:et)?|adgangskode(?:n)?|passord(?:et)?|salasana|heslo|jelsz[oó]|كلمة (?:المرور|السر)|الباسورد|पासवर्ड|कूटशब्द|пароль|токен|ключ(?: api)?)(?:\s+[\p{L}\p{N}_.-]{1,20}(?=\s+(?:adalah|là|jest|هي|هو)\s))?(?:\s+(?:for|of|to|on|in|für|pour|para|per|von|de|du|des|do|da|del|della|di|van|voor|för|till|dla|untuk|của|cho|для|от)\s+[\p{L}\p{N}_.-]{1,24}(?:\s[\p{L}\p{N}_.-]{1,24}){0,3}|\s+(?:that |which )?(?:you|we|i|they) [a-z]{2,10}(?: [a-z]{2,6})?)?(?:,? \(?base64\)?)?["'`)*]{0,3}\s{0,3}(?:is|was|are|be|=|:|to|as|ist|lautet|war|est|es|é|è|adalah|là|jest|är:?|هي|هو|to:|is:|are:|set to|use|using|this|—|–|-|→|->)?(?:\s+(?:now|currently|just|set to|simply|still|this|key|value|called|is|use|the|following))?\s{0,3}["'`“„‘‹«(*]{0,3}[ \u00a0\u202f]?$/iu;

/** `ANNOUNCEMENT` cannot match without one of these words: a quick first test. */
const ANNOUNCEMENT_STEM =
  /pass|pwd|wort|key|schl|secret|token|creden|pw|pat|jeton|cl[eé]|contras|clave|senha|chave|chiave|wacht|has[lł]o|parola|парол|токен|ключ|pin|[sş]ifre|sandi|kh[aẩ]u|l[oö]senord|adgang|salas|heslo|jelsz|كلمة|باسورد|पासवर्ड|कूटशब्द/i;

/** How far back the words that announce a credential may begin. */
const BACK = 72;

/** A word of letters and digits after words that say it is a credential (`my password is hunter2`). */
export function proseBefore(
  text: string,
  start: number,
  end: number,
  from: number,
  kindOf: KindOf,
): Span | null {
  if (start === 0) return null;
  // A password that begins with a sign: `the password is #Kq8vT2mNx31`.
  const signs = /[\s"'`]([#!$%^&+=/@~?]{1,2})$/.exec(text.slice(Math.max(from, start - 3), start))?.[1];
  const first = start - (signs?.length ?? 0);
  const before = text.slice(Math.max(from, first - BACK), first);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  if (line.length < before.length && OPENS_LINE.test(line))
    return credentialUnderHeading(text, start, end, before, start <= BACK, kindOf);
  if (line.length < 3) return null;
  if (/code/i.test(line)) {
    const code = organizationBefore(text, start, end, line);
    if (code !== null) return code;
  }
  if (!ANNOUNCEMENT_STEM.test(line) || !(ANNOUNCEMENT.test(line) || isNamed(line, kindOf))) return null;
  // A password may contain signs, up to the end of the word.
  let last = end;
  while (last < text.length && last - start < 400 && !/[\s"'`<>“”‘’›»,;)\]}]/.test(text[last] as string))
    last++;
  while (last > end && /[.?:]/.test(text[last - 1] as string)) last--;
  const word = text.slice(start, last);
  const mixed = isMixedPassword(word);
  if (first < start && !mixed) return null;
  if (isPlaceholder(word) || /[(){}\\]/.test(word) || isOtherThanSecret(word)) return null;
  // Of a word whose first run is that short, the whole has to be longer.
  if (end - start < 6 && word.length < 8) return null;
  if (
    /[/=]/.test(word) &&
    !mixed &&
    !(word.length >= 20 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(word) && looksRandom(word))
  )
    return null;
  if (/\barn:aws/.test(before) || (/=\s*$/.test(line) && /^\s{1,30}\?\s/.test(text.slice(last, last + 32))))
    return null;
  const strong =
    /(?:is|was|ist|lautet|est|es|é|è|adalah|là|jest|är|هي|هو|=|:|to|be)\s{0,3}["'`“„‘‹«(*]{0,3}[ \u00a0\u202f]?$/iu.test(
      line,
    );
  if (
    !strong &&
    !isPasswordBehindName(line, word) &&
    (!(looksRandom(word) || isMixedThroughout(word) || isMixedAround(word)) ||
      isUuid(word) ||
      (isDigest(word) && !isProviders(line, word) && !isKeyMaterial(line, word)))
  )
    return null;
  if (!looksLikeProseCredential(word) && !(strong && mixed)) return null;
  return { start: first, end: last, rule: "prose-credential" };
}

/** Small and capital letters and digits around a sign: `LAgT5!0ImTS`. */
function isMixedAround(word: string): boolean {
  return /\w[!@#$%^*+]\w/.test(word) && /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word);
}

/** An e-mail address, a package with its version, a shortcut of the keyboard, or names with dots: of a member, a file, a host. */
function isOtherThanSecret(word: string): boolean {
  return (
    /^[\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{2,12}$|^[\w.-]+@[\^~]?v?\d+\.\d/.test(word) ||
    /^(?:ctrl|control|cmd|command|alt|option|shift|super|win|meta)\+/i.test(word) ||
    (/^[A-Za-z_$][\w$-]*(?:\.[\w$-]+)+$/.test(word) && !isMixedThroughout(word) && !looksRandom(word))
  );
}

/** `The OpenAI key is`, `Mistral key`: two words that name a credential. */
function isNamed(line: string, kindOf: KindOf): boolean {
  const words =
    /([\p{L}\p{N}]{2,20} (?:key|token|secret))(?:\s?(?:is|was|:|=|ist|lautet))?\s["'`(]{0,2}$/iu.exec(
      line,
    )?.[1];
  return words !== undefined && kindOf(words) === "strong";
}

/** `Mistral key` and 32 hex digits; after most other words they are a digest, after some a fingerprint. */
function isProviders(line: string, word: string): boolean {
  const name = /([\p{L}\p{N}]{2,20}) key\s["'`(]{0,2}$/iu.exec(line)?.[1]?.toLowerCase();
  return word.length === 32 && name !== undefined && PROVIDERS.has(name);
}

/** `the encryption key 9f…` and 64 hex digits or more; after such words they can only be a key. */
function isKeyMaterial(line: string, word: string): boolean {
  return (
    word.length >= 64 &&
    /(?:secret|private|master|encryption|signing|session|hmac)[ _-]key(?:[ _-]base)?\s["'`(]{0,2}$/i.test(
      line,
    )
  );
}

/** `pw Sunny2024!`: directly after a word for password, letters with digits and a sign or capital. */
function isPasswordBehindName(line: string, word: string): boolean {
  if (
    /(?:^|[^\p{L}$-])pw\s["'`]?$/iu.test(line) &&
    /^[^./]{6,}$/.test(word) &&
    !/^\d+[a-z-]*$/i.test(word) &&
    !/^[a-z\d]+(?:[-_][a-z\d]+)+$/.test(word)
  )
    return true;
  return (
    word.length >= 8 &&
    /(?:^|[^\p{L}])(?:pass ?word|pw|pwd|passwort|kennwort|mot de passe|contrase[nñ]a|senha|wachtwoord|has[lł]o|heslo|jelsz[oó]|salasana|passord|l[oö]senord|adgangskode|[sş]ifre(?:si)?|parola(?:s[ıi])?|sandi|m[aậ]t kh[aẩ]u|كلمة (?:المرور|السر)|पासवर्ड|пароль)\s["'`]?$/iu.test(
      line,
    ) &&
    /\d/.test(word) &&
    /[A-Z!@#$%^&*]/.test(word) &&
    !isUuid(word) &&
    !isDigest(word)
  );
}

/** Letters and digits together, not a version, a size, a date or an algorithm. */
function looksLikeProseCredential(word: string): boolean {
  if (/^(?:sha|md|aes|rsa|utf|base|oauth|http|v|ipv|es|hs|rs|ed|x|p|ec|h)-?\d+\w{0,3}$/i.test(word))
    return false;
  if (
    /^\d+(?:st|nd|rd|th|px|em|rem|kb|mb|gb|ms|min|s|h|d|k|m|x|%|bit|bits|bytes?|chars?|characters?|tokens?|days?|hours?|months?|years?)$/i.test(
      word,
    )
  )
    return false;
  if (ABOUT_VALUE.test(word) || /^[A-Z][a-z]{2,}\d{0,2}[A-Z][a-z]{3,}\w*$/.test(word)) return false;
  if (isGibberish(word)) return true;
  if (isTypeName(word) || isProductName(word)) return false;
  return /\d/.test(word) && /\p{L}/u.test(word) && (looksSecret(word) || word.length < 20);
}
