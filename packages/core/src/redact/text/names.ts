import type { KindOf, NameKind } from "../types.ts";
import { code, STRING, type Tokens, WORD } from "./tokens.ts";

/** The name of a credential, in the tokens from `first` to `last`. */
export interface Name {
  kind: Exclude<NameKind, "none">;
  text: string;
  first: number;
  last: number;
  /** The name is a literal or a word in quotes. */
  quoted: boolean;
  /** The name is a parameter of a query or a form: `?key=`, `&sig=`. */
  query: boolean;
  /** The name contains a word for password. */
  password: boolean;
  /** The name looks like `DB_PASSWORD`. */
  variable: boolean;
  /** The name is only `key` or `appid`, which are ordinary names in most places. */
  lone: boolean;
}

/** Names that are ordinary, but mean a secret in the query of an address if the value looks like a secret. */
const QUERY_NAMES = new Set(
  "key sig signature code auth hash hmac appid app_id ticket sid session jwt pass access k sign secret_id x-amz-signature x-amz-credential x-goog-signature x-goog-credential x-amz-security-token st apikey licensekey webhook_key crumb otp user_token usertoken access_key userkey skey auth_key".split(
    " ",
  ),
);
/** `key` in several languages, and `appid`, the name of the key in some APIs. */
const LONE = new Set(
  "key Key KEY appid APPID app_id schlüssel Schlüssel clé Clé clave Clave chave Chave chiave Chiave sleutel Sleutel klucz Klucz ключ Ключ".split(
    " ",
  ),
);
/** Last words of names that need the words before them for their meaning: `Secret Access Key`, `next token`. */
const HEADS = new Set(
  "key keys token tokens code id phrase string api access acces acceso acesso accesso secreta secrete segreta privada privata word schlussel schluessel pass passe pin credential credentials client cl de nueva nuevo nova novo nowe nieuwe neu baru yeni admin root prod staging db khẩu".split(
    " ",
  ),
);
const PASSWORDS =
  /pass|pwd|kennwort|contrase|senha|wachtwoord|has[lł]o|heslo|jelsz|salasana|l[oö]senord|adgangskode|[sş]ifre|parol|sandi|m[aậ]t kh[aẩ]u|كلمة|पासवर्ड|парол|密码|パスワード|비밀번호|^auth$|basic_?auth/i;
/** A literal that can be a name. */
const NAME = /^[-$@/:]{0,2}[\p{L}_][\p{L}\p{M}\p{N} _.@/[\]<>='’-]*\*?$/u;
/** The value of an option in its description: `--token <token>`, `--key=KEY`. */
const OF_OPTION = /(?<=^--?[\w-]{1,40})[ =].*$/;
/** Words before a name that do not belong to it: `let token`, `16,000 token`. */
const OTHER = /^(?:and|or|if|the|let|const|var|val|return|new|export|static|final|def|string|str|\d.*)$/i;
const MARKS = /^[-$@/:_.]+|[*\s]+$/g;
/** How certainly each kind of name means a secret. The highest number is the most certain. */
const RANK = { none: 0, organization: 1, reference: 1, weak: 2, pin: 2, token: 3, strong: 4 };
/** The longest name of one word, and of several words, in characters. */
export const WORD_LENGTH = 60;
const PHRASE_LENGTH = 48;

export function makeName(
  kind: NameKind,
  text: string,
  first: number,
  last = first,
  quoted = false,
): Name | null {
  if (kind === "none") return null;
  return {
    kind,
    text,
    first,
    last,
    quoted,
    query: false,
    password: PASSWORDS.test(text),
    variable: /^[A-Z][A-Z0-9]*_[A-Z0-9_]*$|^[A-Z]{2,12}PASS(?:WORD)?$/.test(text),
    lone: false,
  };
}

/** Returns the name of a credential whose last token is `i`. The name is a literal, a word or several words. */
export function nameAt(t: Tokens, i: number, text: string, kindOf: KindOf): Name | null {
  if (t.kind[i] === STRING) {
    if (text.length < 2 || text.length > 64 || !NAME.test(text)) return null;
    const bare = text.replace(OF_OPTION, "").replace(MARKS, "");
    return makeName(kindOf(bare), bare, i, i, true);
  }
  const single = kindOf(text);
  const isLonger = single !== "strong" && t.kindAt(i - 1) === WORD && isHead(text);
  const { kind, first } = isLonger ? phraseAt(t, i, single, kindOf) : { kind: single, first: i };
  if (isQuery(t, i)) {
    const weak = single === "none" && QUERY_NAMES.has(text.toLowerCase());
    const name = makeName(weak ? "weak" : kind, text, i);
    return name && { ...name, query: true };
  }
  if (kind === "none" && LONE.has(text)) {
    const name = makeName("weak", text, i);
    return name && { ...name, lone: true };
  }
  return makeName(kind, t.text.slice(t.start[first], t.end[i]), first, i);
}

/** Returns whether the words before a word may be part of the same name. */
const isHead = (text: string): boolean =>
  HEADS.has(lastPart(text)) || text.charCodeAt(text.length - 1) > 127 || /^[dl]['’]/i.test(text);

/** Returns whether a word cannot be the name of a credential, whatever surrounds it. */
export const isNoName = (word: string, kind: NameKind): boolean =>
  kind === "none" && !LONE.has(word) && !QUERY_NAMES.has(word.toLowerCase()) && !isHead(word);

/** Returns the kind and first token of the name that ends at `i`. A name of three or four words must have a kind of higher rank. */
function phraseAt(t: Tokens, i: number, single: NameKind, kindOf: KindOf): { kind: NameKind; first: number } {
  let kind = single;
  let first = i;
  for (let n = i - 1; n >= Math.max(0, i - 3); n--) {
    // The words must be side by side.
    if (t.kind[n] !== WORD || (t.start[n + 1] as number) - (t.end[n] as number) > 1) break;
    const longer = t.text.slice(t.start[n], t.end[i]);
    if (longer.length > PHRASE_LENGTH || OTHER.test(t.textAt(n))) break;
    const found = kindOf(longer);
    if (n < i - 1 && RANK[found] <= RANK[kind]) continue;
    kind = found;
    if (found !== "none") first = n;
  }
  return { kind, first };
}

/** Returns whether a name is written as `?name=`, `&name=`, `#name=`. */
function isQuery(t: Tokens, i: number): boolean {
  return t.is(i + 1, code("=")) && t.touches(i) && t.isOneOf(i - 1, "?&#") && t.touches(i - 1);
}

function lastPart(name: string): string {
  const lower = name.toLowerCase();
  return lower.slice(Math.max(lower.lastIndexOf("_"), lower.lastIndexOf("-"), lower.lastIndexOf(".")) + 1);
}

/** Returns the last part of a dotted name, which is the member that is called or set: `api_key` of `client.api_key`. */
export const ownPart = (name: string): string => name.slice(name.lastIndexOf(".") + 1);
