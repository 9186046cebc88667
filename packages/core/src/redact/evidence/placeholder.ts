import { isMixedPassword, looksSecret } from "./entropy.ts";

/** References and templates: texts that say where a secret is, without containing it. */
const TEMPLATE =
  /\{\{[^{}]{0,200}\}\}|\$\{\{?[^{}]{0,200}\}?\}|\$\([^()]{0,100}\)|<[^<>]{0,100}>|\{%[^%]{0,100}%\}|#\{[^{}]{0,100}\}|%[A-Za-z_][A-Za-z0-9_]{0,60}%|\[[A-Za-z][^[\]]{0,60}\]|\{[A-Za-z_][A-Za-z0-9_. -]{0,60}\}|__[A-Z][A-Z0-9_]{1,60}__|@@[A-Za-z_]{1,60}@@|(?<=^|[\s:="'/])%(?:\([A-Za-z_]{1,60}\))?[sdr]\b|(?<![A-Za-z0-9])\$[A-Z][A-Z0-9_]{2,60}\b|(?<![A-Za-z0-9])\$[a-z][a-z_]{2,40}\b|%7B%7B[^{}]{0,60}%7D%7D/g;

/** Expressions by which code and configuration fetch a value from elsewhere. */
const REFERENCE =
  /^["'(]{0,2}(?:process\.env|import\.meta\.env|Deno\.env|Bun\.env|os\.environ|os\.getenv|environ|getenv|System\.getenv|Environment\.|env[.:([/]|ENV[.:([/]|secrets?[.:([/]|vault:|op:\/\/|ref\+|arn:aws:(?:secretsmanager|ssm|kms)|projects\/[^/]+\/secrets\/|@Microsoft\.KeyVault|!vault|!secret|!Ref|!Sub|!env|keyring:|var\.|local\.|module\.|data\.|config[.[(]|settings[.[(]|this\.|self\.|options\.|opts\.|props\.|params\.|args\.|request\.|req\.|ctx\.|context\.|input\.|user\.|st\.secrets|app\.config|Variable:|file:|f"|f'|`\$\{|\$(?:env|json|credentials|node|vars?|secrets?|input|workflow|execution|parameter|now|today|items?|[({])|@\{|secretKeyRef|valueFrom|aws-sm:|gcp-sm:|azure-kv:|doppler:|infisical:|bws:|conf\.|cfg\.|credentials\.|rec\.|row\.)/;

/** Words that documentation writes instead of a value. They may be anywhere in the value, in upper or lower case. */
const DOCUMENTATION =
  /your[ _-]?|\byour|example|placeholder|redacted|dummy|change[ _-]?(?:me|this|it)|changeme|replace[ _-]?(?:me|this|with)|insert[ _-]|enter[ _-]?(?:your|the|a|api)|paste[ _-]|_here\b|-here\b|\bhere\b|fake[ _-]|sample|xxxx|\*\*\*|•••|\.\.\.|…|<[a-z]|todo|\btbd\b|not[ _-]?set|not[ _-]?a[ _-]?real|^(?:my|some|the|a|an)[ _-]?(?:super[ _-]?)?(?:secret|api|access|auth)?[ _-]?(?:api[ _-]?)?(?:key|token|password|secret|value)$|(?:api|secret|access|auth)[ _-](?:key|token)[ _-]goes|\bword ?1\b|removed|masked|hidden by|scrubbed|sanitized|^[([<*]{1,2}[a-z][a-z ]{3,40}[)\]>*]{1,2}$|(?:^|[_ -])(?:aqui|aquí|ici|hier|aici|buraya|tutaj|här|qui)(?:$|[_ -])|^(?:tu|seu|sua|votre|ton|dein|deine|ihr|ihre|tuo|twoj|twój|jouw|uw)[_ -]/i;

/** Whole values that describe a field instead of filling it. */
const SCHEMA_WORDS = new Set(
  `value values string str text password passwd secret secretstr securestring hidden token key apikey api_key api-key number integer int boolean bool object array
  any unknown void never null none nil undefined nan true false yes no on off required optional mandatory missing invalid valid
  empty default auto disabled enabled basic bearer digest oauth oauth1 oauth2 apikeyauth header query cookie body path env
  environment variable input field prompt manual public private readonly credential credentials credentialid uuid guid base64 hex
  jwt hmac md5 sha1 sha256 sha512 bcrypt argon2 scrypt plain plaintext cleartext encrypted encryption hashed user username login email
  na n/a tbd todo test testing demo local localhost development staging production inherit self same-origin include omit
  primary secondary first second third last next previous left right top bottom center all some other custom generic
  predefinedcredentialtype genericcredentialtype httpheaderauth httpbasicauth httpqueryauth oauth2api serviceaccount service_account
  managed managedidentity iam none. authorization x-api-key textarea select dropdown ignored unused unset secretstrinput strinput messagetextinput`
    .split(/\s+/)
    .filter((entry) => entry !== ""),
);

const SCHEME = /^=?\s*(?:bearer|basic|token|apikey|api-key|digest|negotiate|bot|key|ssws|jwt|oauth)?\s*/i;

/** Returns whether a value takes the place of a secret: empty, masked, a template, a reference to the secret, documentation. */
export function isPlaceholder(value: string): boolean {
  const text = value.length > 4096 ? value.slice(0, 4096) : value.trim();
  if (text.length === 0) return true;
  const lower = text.toLowerCase();
  if (SCHEMA_WORDS.has(lower)) return true;
  if (REFERENCE.test(text.startsWith("=") ? text.slice(1).trimStart() : text)) return true;
  if (/^(?:[A-Za-z]{2,12}|[A-Za-z]{1,4}\d{1,2})[-_.]$/.test(text)) return true;
  if (isMasked(text) || MASKED_BEHIND.test(text)) return true;
  if (text.length <= 120 && DOCUMENTATION.test(text)) return true;
  if (/^\$(?:[\d@#*?!$]|argv\[\d+\])$|^%~?\d$/.test(text)) return true;
  if (isEnvironmentName(text) || (/^\$[A-Za-z_][\w.:-]*$/.test(text) && !looksSecret(text.slice(1))))
    return true;
  return isTemplated(text);
}

/** Returns whether a token of a known format is a placeholder. The word `test` proves nothing: it is part of some formats (`sk_test_`). */
export function isFakeToken(token: string): boolean {
  if (token.length <= 200 && (DOCUMENTATION.test(token) || COUNTED.test(token))) return true;
  return (
    isMasked(token) || isMasked(token.replace(/^[A-Za-z0-9]{1,12}[-_.]/, "").replace(/^[a-z]{2,8}[-_]/, ""))
  );
}

/** `xxx` after a prefix: `sk-xxx`, `github_pat_xxx`, `xoxb-xxx-xxx`, `AIzaxxx`. */
const MASKED_BEHIND =
  /^(?:[A-Za-z\d]{1,12}[-_.]){1,4}(?:x{3,}|X{3,}|\*{2,}|0{6,})(?:[-_.](?:x+|X+|\*+|0+))*$|^AIza(?:Sy)?[xX]{3,}$/;

/** Letters and digits in alphabetical or numerical order: `sk_live_abc123xyz789`. */
const COUNTED = /[-_.](?:abc|def|ghi|jkl|uvw|xyz|123|234|456|789|0|-|_){3,}$/i;

/** Returns whether a text has a run of mask characters, or repeats one character (or two, in 12 or more), not counting separators. */
function isMasked(text: string): boolean {
  if (/\*{3}|•{3}|●{3}|x{6}|X{6}|\.{3}|…|_{5}|#{4}/.test(text)) return true;
  const seen = new Set<string>();
  let counted = 0;
  for (const char of text) {
    if (char === "-" || char === "_" || char === " " || char === ".") continue;
    seen.add(char);
    counted++;
    if (seen.size > 2) return false;
  }
  return counted === 0 || seen.size === 1 || counted >= 12;
}

/** Returns whether a text is the name of a variable: `OPENAI_API_KEY`, `MY_TOKEN_2`. */
function isEnvironmentName(text: string): boolean {
  return (
    /^\$?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+){1,8}$/.test(text) &&
    /(?:KEY|TOKEN|SECRET|PASS|PASSWORD|PWD|AUTH|CREDENTIALS?|PAT|ID|URL|USER|CODE)(?:_?\d{1,2})?$/.test(text)
  );
}

/** Returns whether a value consists of templates: without them, only a scheme, punctuation or a few letters remain. */
function isTemplated(text: string): boolean {
  if (!/[{<[%$@_]/.test(text) || (isMixedPassword(text) && !/%7[BD]/i.test(text))) return false;
  const rest = text.replace(TEMPLATE, "");
  if (rest.length === text.length) return false;
  return rest.replace(SCHEME, "").replace(/[^A-Za-z0-9]/g, "").length <= 10;
}
