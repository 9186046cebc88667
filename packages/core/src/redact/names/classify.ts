import type { NameKind } from "../types.ts";
import * as lexicon from "./lexicon.ts";
import * as foreign from "./lexicon-i18n.ts";

/** Pieces of the words for which the rules below search. */
const PIECES =
  /pass|pw|secret|token|key|cred|auth|cookie|code|connection|connstr|conn_str|conn$|imt|jeton|cle|clave|contrase|senha|chave|segred|chiav|segret|sekret|wort|schl|geheim|zugriff|sleutel|hasl|gang|kode|hemlig|sloven|klucz|ord|salasana|parol|sifre|anahtar|sandi|kunci|nyckel|nokkel|avain|khau|mnemonic|phrase|pat$|dsn|jwt|sas|psk|otp|cert|sig|hook|sid|login|netrc|belirt|vault|account|pin$|sess|pem|communit|sk$|sk_|private|csrf|xsrf|llave|assertion|seed$|kulcs|klic|klíč|cheie|pepper|nøgle|nøkkel|nogle|nonce|salt/;

/**
 * A name is read closely only if its lower-case form contains one of PIECES or a word of the two lists. Words of the lists that
 * contain a piece are left out to keep the pattern short, because it is tried on every name.
 */
const STEMS = new RegExp(
  [...new Set([...lexicon.SECRET_WORDS, ...lexicon.PASSWORD_WORDS])].reduce(
    (stems, word) => (PIECES.test(word) || !isAscii(word) ? stems : `${stems}|${word}`),
    PIECES.source,
  ),
);

/** Names that do not mean what their words mean, by the character code of their first character. */
const SPECIAL = new Map<number, [RegExp, NameKind][]>([
  // Word pieces in the vocabulary of a language model, such as `##token`.
  [0x23, [[/^##/, "none"]]],
  [0x120, [[/^/, "none"]]],
  [0x2581, [[/^/, "none"]]],
  // `PIN code` in this spelling is a secret number, while `pin_code` can also be a postal code.
  [0x50, [[/^PIN[ -]?[Cc]ode$/, "pin"]]],
  // `Sid` is the id of a statement in an AWS policy, not of a session.
  [0x53, [[/^Sid$/, "none"]]],
  // The header `X-Key` holds the key of an API.
  [0x58, [[/^X-Key$/i, "strong"]]],
  [0x78, [[/^x-key$/i, "strong"]]],
]);

export function classifyName(name: string): NameKind {
  const special = SPECIAL.get(name.charCodeAt(0))?.find(([pattern]) => pattern.test(name));
  if (special !== undefined) return special[1];
  // The name of a password manager, such as `1Password`.
  if (/(?:^|[._ ])(?:One|1|I|Apple|Last)Pass(?:words?)?$/.test(name)) return "none";
  // The path of a file in a list of built files.
  if (/[\\/][^\\/]*\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|md|html?|css|vue|svelte|json)$/.test(name))
    return "none";
  const lower = name.toLowerCase();
  if (!STEMS.test(lower) && isAscii(name)) return "none";
  const words = splitWords(name);
  const whole = words.join("");
  if (whole === "") return "none";
  if (lexicon.ORGANIZATION_CODE.test(whole)) return "organization";
  if (lexicon.REFERENCE_ENDS.test(whole)) return "reference";
  if (isForeignSecret(lower)) return "strong";
  if (
    /(?:secret|private|master|encryption|signing)key(?:base|material|hex)$|keymaterial$|passwordpepper$/.test(
      whole,
    )
  )
    return "strong";
  if (/^(?:[a-z]{2,20})?conn(?:ection)?str(?:ing)?s?$/.test(whole)) return "strong";

  while (words.length > 1 && isNoise(words[words.length - 1] as string)) words.pop();
  const last = words[words.length - 1] as string;
  const before = words.length > 1 ? (words[words.length - 2] as string) : "";
  let kind = byLastWord(last, before, words);
  if (
    kind === "none" &&
    !lexicon.ABOUT_WORDS.has(last) &&
    words.some((word) => lexicon.PASSWORD_WORDS.has(word))
  )
    kind = "weak";
  if (kind === "strong" || kind === "token") {
    if (
      words.length > 1 &&
      words.slice(0, -1).some((word, i) => (i === 0 ? lexicon.ABOUT_STARTS : lexicon.ABOUT_WITHIN).has(word))
    )
      return last === "token" ? "token" : "weak";
  }
  return kind;
}

const WEAK_WORDS = lexicon.words(
  "auth authentication cookie cookies dsn sas otp sig session sessionid sid salt pepper clave chave chiave login netrc",
);
const TOKEN_WORDS = lexicon.words("pat jwt totp csrf xsrf pem sk kubeconfig");

function byLastWord(last: string, before: string, words: string[]): NameKind {
  const compact = words.join("");
  if (last === "key" || last === "keys") {
    if (lexicon.KEY_QUALIFIERS.has(before)) return "strong";
    if (words.length === 1) return "none";
    // `OpenAI key`, `HuggingFace key`: the inner capital has split the name of the provider into two words.
    if (words.length > 2 && lexicon.KEY_QUALIFIERS.has(`${words[words.length - 3]}${before}`))
      return "strong";
    if (!lexicon.ORDINARY_KEYS.has(before)) return "weak";
    // `AZURE_STORAGE_KEY`: an ordinary name that means a credential beside the name of a provider.
    return words.length > 2 && words.slice(0, -2).some((word) => lexicon.CLOUD_WORDS.has(word))
      ? "weak"
      : "none";
  }
  if (last === "token" || last === "tokens") {
    if (words.length === 1) return last === "token" ? "token" : "weak";
    if (lexicon.PLAIN_TOKEN_QUALIFIERS.has(before) || lexicon.COUNTING.has(words[0] as string)) return "none";
    return last === "token" ? "strong" : "weak";
  }
  if (lexicon.SECRET_WORDS.has(last)) {
    if (before === "public" || before === "publishable") return "none";
    return last === "credential" || last === "credentials" || last === "creds" ? "token" : "strong";
  }
  if (
    last === "id" &&
    (before === "key" || before === "token" || before === "secret" || before === "client")
  ) {
    // The id of an access key is half of the credential; the id of a client is public.
    if (before === "key" && (words.includes("access") || words.includes("private"))) return "strong";
    return before === "secret" ? "weak" : "none";
  }
  if (/^(?:root|db|bind|admin|user|smtp|ftp|mail|my)?pw$/.test(last)) return "strong";
  if (
    words.some((word) => foreign.FOREIGN_KEYS.has(word)) &&
    words.some((word) => foreign.SECRET_ADJECTIVES.has(word))
  )
    return "strong";
  if (last === "codes" && (before === "recovery" || before === "backup")) return "strong";
  if (last === "words" && before === "seed") return "strong";
  if (last === "psk" || (last === "assertion" && before === "client")) return "strong";
  if (last === "seed" && /^(?:t?otp|mfa|2fa|wallet|hd|bip39|recovery|secret|master)$/.test(before))
    return "strong";
  if (last === "community" && before === "snmp") return "strong";
  if (last === "header" && before === "auth") return "weak";
  if (lexicon.ABOUT_WORDS.has(last)) return "none";
  if (/.(?:secret|password|passwd|passphrase)$/.test(last)) return "strong";
  if (/.token$/.test(last)) return lexicon.PLAIN_TOKEN_QUALIFIERS.has(last.slice(0, -5)) ? "none" : "token";
  if (/^(?:[a-z]{0,3})sess(?:ion)?id$|^(?:access|auth|activation|login)code$/.test(last)) return "weak";
  if (foreign.COMPACT_ENDS.test(compact)) return "strong";
  if (last === "pass") return lexicon.PASS_QUALIFIERS.has(before) ? "strong" : "weak";
  if (last === "pin") return "pin";
  if (WEAK_WORDS.has(last)) return "weak";
  if (TOKEN_WORDS.has(last)) return "token";
  return byLastTwo(last, before, compact);
}

/** Returns the kind of a name whose last word, such as `code`, is ordinary and means a credential only after words such as `access`. */
function byLastTwo(last: string, before: string, compact: string): NameKind {
  switch (last) {
    case "connection":
      return "weak";
    case "account":
      return before === "service" ? "weak" : "none";
    case "code":
      return /^(?:access|auth|activation|authorization|login|pairing|invite)$/.test(before) ? "weak" : "none";
    case "private":
      return /^(?:rsa|ssh|ec|dsa|pgp|gpg|key)$/.test(before) ? "weak" : "none";
    case "phrase":
      return /^(?:seed|recovery|pass|secret)$/.test(before) ? "strong" : "none";
    case "string":
    case "str":
    case "uri":
      return before === "connection" || before === "conn" ? "strong" : "none";
    case "word":
      return before === "pass" ? "strong" : "none";
    default:
      // A word for `key` in another language before an adjective: `cle api`, `chave secreta`.
      return /^(?:api|acc?es|accesso?|acesso|secret[ae]|segreta|priva[dt]a|privee)$/.test(last) &&
        /cle|clef|clave|chave|chiave|jeton|token|schlussel|klucz|kunci/.test(compact)
        ? "strong"
        : "none";
  }
}

/** Returns whether a name in another alphabet means a secret. Any separator may stand between its words. */
function isForeignSecret(lower: string): boolean {
  if (isAscii(lower)) return false;
  const spaced = lower.normalize("NFKC").replace(/[_.-]+/g, " ");
  return foreign.FOREIGN_SECRETS.test(spaced) && !foreign.FOREIGN_ABOUT.test(spaced);
}

const isNoise = (word: string): boolean =>
  lexicon.NOISE_WORDS.has(word) || /^(?:\d{1,4}|v\d{1,2}|[a-z])$/.test(word);

/** Splits a name into words, in camel, snake or kebab case, or with dots or spaces. Latin letters lose their accents. */
export function splitWords(name: string): string[] {
  const plain = isAscii(name) ? name : name.normalize("NFKC").replace(/\p{Script=Latin}+/gu, bare);
  return plain
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .replace(/([A-Za-z])(\d+)(?![A-Za-z0-9])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((entry) => entry !== "");
}

function bare(text: string): string {
  return text.normalize("NFD").replace(/\p{M}+/gu, "");
}

export function isAscii(text: string): boolean {
  return !/\P{ASCII}/u.test(text);
}

/** Makes redacted names differ from the other names of their object: a second `[redacted]` becomes `[redacted]-2`. */
export class CleanNames {
  /** For each object and redacted name, the last number that was added, so that many equal names do not each need a search. */
  readonly #numbers = new WeakMap<object, Map<string, number>>();

  /** Returns a name that is free in the object and in the finished part of its copy. */
  free(clean: string, object: object, copy: object): string {
    let name = clean;
    if (!Object.hasOwn(copy, name) && !Object.hasOwn(object, name)) return name;
    const numbers = this.#numbers.get(copy) ?? new Map<string, number>();
    let n = numbers.get(clean) ?? 1;
    do name = `${clean}-${++n}`;
    while (Object.hasOwn(copy, name) || Object.hasOwn(object, name));
    this.#numbers.set(copy, numbers.set(clean, n));
    return name;
  }
}
