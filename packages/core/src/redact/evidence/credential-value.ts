import { classifyName } from "../names/classify.ts";
import type { NameKind } from "../types.ts";
import { isDigest, isGibberish, isUuid, looksSecret } from "./entropy.ts";
import { isForeignLabel } from "./label.ts";
import { isPlaceholder } from "./placeholder.ts";

/** The text that replaces a secret. */
export const REDACTED = "[redacted]";

/** For each kind of name, the rule of a value that is a secret because of its name. */
export const NAMED: Record<Exclude<NameKind, "none">, string> = {
  strong: "credential-name",
  token: "credential-name",
  weak: "credential-name",
  pin: "credential-name",
  reference: "credential-reference",
  organization: "organization-code",
};

/** The scheme of an Authorization value. Redaction keeps it. */
const SCHEME =
  /^=?\s{0,4}["']?(?:bearer|basic|token|apikey|api-key|api_key|digest|negotiate|bot|key|ssws|jwt|oauth|hmac|deepl-auth-key|klaviyo-api-key|genieKey|splunk|aws4-hmac-sha256|token token=|googlelogin auth=|mac)[ :]\s{0,4}["']?/i;

/** Returns where the secret part of a value begins: after its scheme, if it has one. */
export function afterScheme(value: string): number {
  return SCHEME.exec(value.slice(0, 64))?.[0].length ?? 0;
}

/**
 * Returns the range of the credential in a value, from `start` up to but not including `end`, given the kind of the
 * value's name. Returns null when the value is a placeholder, a label, a description or a setting.
 */
export function credentialIn(kind: NameKind, value: string): { start: number; end: number } | null {
  if (kind === "none" || value.trim() === "" || value.startsWith(REDACTED)) return null;
  if (isPlaceholder(value)) return null;
  const start = afterScheme(value);
  const rest = value.slice(start).trim();
  if (rest === "" || (start > 0 && isPlaceholder(rest)) || ABOUT_VALUE.test(rest)) return null;
  if (STYLE.test(rest) || isForeignLabel(value) || (start > 0 && LABEL_OF_SCHEME.test(value))) return null;
  if (!isCredential(kind, rest)) return null;
  return { start, end: value.length };
}

/** A label whose first word is also a scheme: `Token verwijderen`, `Bot token`. */
const LABEL_OF_SCHEME = /^(?:Token|Key|Bot|Basic)(?: \p{Ll}{2,20}){1,6}$/u;

/** Colours, lengths and references of style sheets and of design tokens. */
const STYLE =
  /^(?:#[0-9a-f]{3,4}|#[0-9a-f]{6}|#[0-9a-f]{8}|(?:rgb|hsl|hwb|lab|lch|oklab|oklch|var|calc|clamp|min|max|cubic-bezier|linear-gradient|color-mix)a?\([\w\s#%.,()/*+-]{1,200}\)|-?\d{0,4}\.?\d{1,4}(?:px|rem|em|ch|vh|vw|pt|fr|deg|ms|s|%))$/i;

/** Values that are not secrets: versions, names of algorithms and encodings, dates. */
export const ABOUT_VALUE =
  /^(?:sha(?:1|256|384|512)[-:][A-Za-z0-9+/=]{20,}|[\^~<>=v ]{0,3}\d{1,4}\.\d{1,4}(?:\.\d{1,6})?(?:-[a-z]+[.\d]*)?|(?:base-?(?:16|32|58|64)|secp\d{3}[kr]\d|bls12-?\d{3}|bn\d{3}|curve\d{5}|sha-?\d|md5|hmac|utf-?\d|aes-?\d|a\d{3}(?:cbc|gcm|kw)|rsa|rs\d{3}|hs\d{3}|es\d{3}|ps\d{3}|eddsa|ed25519|x25519|p-\d{3}|pkcs\d?|x509|oauth\d|http\d?|uint\d|int\d\d|0b[01]{1,64}|0x[0-9a-f]{1,8}|float\d|web3)[\w./ -]{0,24}|\d{4}-\d{2}-\d{2}(?:[T ][\d:.Z+-]{0,24})?)$/i;

function isCredential(kind: NameKind, value: string): boolean {
  switch (kind) {
    case "organization":
      return !isProse(value);
    case "reference":
      return !/\s/.test(value) && (/\d/.test(value) || looksSecret(value)) && !isAddress(value);
    case "strong":
      return !isLabel(value) && !isProse(value) && !isAddress(value);
    case "token":
      return isTokenLike(value) && !isLabel(value) && !isAddress(value);
    case "pin":
      if (/^\d{4,8}$/.test(value)) return !/^(?:19|20)\d{6}$/.test(value);
      return isCredential("weak", value);
    case "weak":
      return (
        !/\s/.test(value) &&
        ((looksSecret(value) && !isIdentifier(value)) || isGibberish(value)) &&
        !isAddress(value) &&
        !isUuid(value)
      );
    default:
      return false;
  }
}

const STYLE_NAME = /^(?:--)?[a-z]{2,}\d?(?:[.-](?:[a-z]+\d?|\d{1,2}|\d{1,3}0))+$/;

/** Returns whether a value under a name such as `token` is a credential: plain words and counts are not. */
function isTokenLike(value: string): boolean {
  if (/\s/.test(value)) return false;
  if (/^\d+$/.test(value)) return value.length >= 8;
  if (/^0x[0-9a-f]{40}$/i.test(value) || /^[A-Z]+(?:_[A-Z0-9]+)+$/.test(value)) return false;
  if (value.length < 6) return false;
  // `blue-500`, `--ds-space-4` and `color.base.gray-900` name design tokens. `meta.tag.block2.html` is for syntax highlighting.
  if (STYLE_NAME.test(value)) return false;
  if (/\d/.test(value) && /[A-Za-z]/.test(value)) return true;
  if (isGibberish(value)) return value.length >= 16;
  return value.length >= 12 && (looksSecret(value) || /[^\p{L}]/u.test(value)) && !isIdentifier(value);
}

export const CREDENTIAL_WORD =
  /pass|secret|token|key|credential|clé|jeton|clave|contrase|senha|chave|chiave|wort|schlüssel|geheim|wachtwoord|sleutel|hasło|klucz|lösen|şifre|parola|парол|ключ|токен|секрет|密|令牌|パス|キー|トークン|비밀|키|토큰|sign|log|avain|sandi|kunci|hesl|kl[ií]č|lozink|ključ|gesl|jelsz|kulcs|passord|nøkkel|nøgle|nyckel|hemmelig|salai|autori[sz]|authenti[cf]|anahtar|gizli|khẩu|khóa|parol[aăeiy]|cheie|pasfhocal|heimild|rakt|slapt|sekret|tajn|tajem/i;

/** Returns whether a value is a label that repeats the name of its field: `"password": "Enter your password"`, `"apiKey": "API key"`. */
function isLabel(value: string): boolean {
  if (value.length > 120) return false;
  if (/\s/.test(value)) return CREDENTIAL_WORD.test(value) && !/\d/.test(value);
  if (/[0-9!@#$%^&*+=]/.test(value)) return false;
  const kind = classifyName(value);
  return kind === "strong" || kind === "token" || kind === "reference";
}

const SMALL_WORDS =
  /(?:^|\s)(?:the|a|an|is|are|be|must|should|will|can|for|to|of|in|with|and|or|not|your|you|this|that|at|least|enter|please|if|from|der|die|das|ist|und|muss|bitte|le|la|les|est|et|doit|el|los|es|y|debe|il|deve|o|de|um|uma)(?=\s|[.,:;!?]|$)/gi;

/** Returns whether a value is a sentence: several words, some of them short such as `the` or `is`. */
function isProse(value: string): boolean {
  if (value.length > 2000) return false;
  const count = value.split(/\s+/).length;
  if (count < 3) return false;
  const small = value.match(SMALL_WORDS)?.length ?? 0;
  return small >= 2 || (small >= 1 && /[.!?:]$/.test(value)) || (count >= 4 && /[.!?]$/.test(value));
}

/** Returns whether a value is an address or a path. Only secrets within it are removed, by the rules for addresses. */
function isAddress(value: string): boolean {
  if (/^[a-z][a-z0-9+.-]{1,20}:\/\//i.test(value)) return true;
  if (/^(?:~|\.{1,2})?\/[\w.~-]+(?:\/[\w.~-]+)+\/?$/.test(value)) return !/[A-Za-z0-9]{24,}/.test(value);
  return (
    /^[A-Za-z]:\\/.test(value) ||
    /^(?:localhost|[\w-]{1,60}(?:\.[\w-]{1,60}){1,6}):\d{1,5}(?:\/[\w.-]{0,60}){0,4}$/.test(value) ||
    /^[\w./-]{1,80}\.(?:pem|key|json|crt|cer|p12|pfx|txt|env|ya?ml|jks|js|css|png|jpe?g|svg|html|map|md|ts)$/.test(
      value,
    )
  );
}

/** Returns whether a value is an identifier without signs that passwords often have and names do not. */
export function isPlainName(value: string): boolean {
  return !/[!@#$%^&*+~=?]/.test(value) && isIdentifier(value);
}

/** Returns whether a value is words in some casing, possibly with a number: `chat_history`, `openAiApi`, `gpt-4o-mini`, `user.token`. */
export function isIdentifier(value: string): boolean {
  if (value.length > 80 || isDigest(value)) return false;
  const parts = value
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter((part) => part !== "");
  return parts.every(
    (part) => /^(?:[A-Za-z]{1,14}\d{0,3}|\d{1,4}[a-z]{0,3}|v\d+)$/.test(part) && !/[a-z]\d+[a-z]/i.test(part),
  );
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Returns whether a text is base64 of `name:password`, as Basic authentication sends it. Some words decode too
 * (`Operations` to bytes with a colon), so the bytes must be text, and the base64 needs a digit or a capital after a small letter.
 */
export function isBasicPair(text: string): boolean {
  if (text.length > 2048 || !/[a-z].{0,40}[A-Z]|\d/.test(text.slice(0, 100))) return false;
  try {
    const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, ""));
    const plain = UTF8.decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
    return /^[^\p{Cc}]{0,400}$/u.test(plain) && plain.includes(":") && plain.length >= 3;
  } catch {
    return false;
  }
}
