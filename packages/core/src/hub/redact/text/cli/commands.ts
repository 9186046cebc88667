import { credentialIn, REDACTED } from "../../evidence/credential-value.ts";
import { looksRandom, looksSecret } from "../../evidence/entropy.ts";
import { isGibberish } from "../../evidence/gibberish.ts";
import type { Report } from "../../types.ts";
import { ENCODERS } from "./base64-calls.ts";
import {
  AMBIGUOUS_COMMANDS,
  COMMANDS,
  type CommandPattern,
  command,
  LAST_WORDS,
  OPTIONS,
  PIPES,
  SHARES,
  SLASHES,
} from "./command-patterns.ts";
import { MACHINE, NETRC, PGPASS } from "./credential-files.ts";

/** Calls, statements, files. */
const OTHERS: readonly CommandPattern[] = [
  command("IDENTIFIED", /(IDENTIFIED (?:WITH \w{1,40} )?BY (?:PASSWORD )?["'])([^"'\n]{3,200})(?=["'])/gi),
  command("PASSWORD '", /(PASSWORD ["'])([^"'\n]{3,200})(?=["'])/g),
  command(
    "auth",
    /(\bauth\s{0,3}=\s{0,3}[([]\s{0,3}["'][^"'\n]{1,80}["'],\s{0,3}["'])([^"'\n]{3,200})(?=["'])/g,
  ),
  command("wandb", /(wandb\.login\([^()\n]{0,80}?\bkey\s?=\s?["'])([0-9a-f]{40})(?=["'])/g),
  command("BasicAuth", /(BasicAuth\(\s{0,3}["'][^"'\n]{1,80}["'],\s{0,3}["'])([^"'\n]{3,200})(?=["'])/g),
];

/** A name and a password side by side, after a word for the two: `creds are bob:x`, `login with admin / x`. */
const PAIRS = command(
  "",
  /(\b(?:creds?|credentials|log ?ins?|log ?in with|sign in with|zugangsdaten|identifiants|credenciales)\b[^\n:/]{0,24}?[\s:]{1,3}["'`]?[A-Za-z][\w.@+-]{1,40}["'`]?(?: ?: ?| [/|] )["'`]?)([^\s"'`,;|<>()[\]{}]{6,200})/gi,
);

/** One of the two has to begin with this; a quick first test. */
const PAIR_WORDS = ["cred", "Cred", "ugangsd", "dentifiants"];

/** The same with only a space between: `Credentials: admin x`. */
const SPACED = command(
  "",
  /(\b(?:creds?|credentials|log ?ins?|zugangsdaten|identifiants|credenciales)\s?:\s{1,3}["'`]?[A-Za-z][\w.@+-]{1,40}["'`]?\s["'`]?)([^\s"'`,;|<>()[\]{}]{8,200})/gi,
);

/** `set password 'x'`, `change password for bob to "x"`. */
const SET = command(
  "assw",
  /(\b(?:set|change|reset|update|with|use|using) (?:(?:the|a|my|your|new|root|admin|user) ){0,2}(?:password|passwd)(?: for [\w.@-]{1,40})?(?: to| as)? ["'])([^"'`\s]{4,200})(?=["'])/gi,
);

/** The data of a Kubernetes secret: all of its values, which are base64. */
const KUBERNETES = /^kind:\s{0,4}["']?Secret\b/m;
const DATA = /^((?:data|stringData):[ \t]*\r?\n)((?:[ \t]+[^\n]*(?:\n|$))+)/gm;
const ENTRY = /^([ \t]+[\w./-]{1,100}:[ \t]+["']?)([^\s"'|>{}$][^\s"']{3,4000})(?=["']?[ \t]*\r?$)/gm;

/**
 * Removes the credentials of commands and calls in these forms. The first searches, for characters that are rare in prose,
 * exclude most texts.
 */
export function redactCommands(text: string, report: Report, take: Take = () => true): string {
  let result = text;
  if (result.includes("-") && result.includes(" -")) {
    result = replaceAll(result, COMMANDS, report, take);
    result = replaceAll(result, OPTIONS, report, take, isWord);
    result = replaceAll(result, AMBIGUOUS_COMMANDS, report, take, looksSecret);
  }
  if (result.includes("|")) result = replaceAll(result, PIPES, report, take, isWord);
  if (result.includes("/")) result = replaceAll(result, SLASHES, report, take, isWord);
  if (result.includes("64") || (result.includes("(") && result.includes("btoa(")))
    result = replaceAll(result, ENCODERS, report, take, isPaired);
  if (result.includes("\\")) result = replaceAll(result, SHARES, report, take, isWord);
  if (result.includes(":") && PORTS.test(result)) result = replaceAll(result, PGPASS, report, take, isWord);
  const lines = result.includes("\n");
  if (lines || result.includes('"') || result.includes("'")) {
    result = replaceAll(result, OTHERS, report, take);
    result = replaceAll(result, MACHINE, report, take);
    result = replaceAll(result, [SET], report, take);
  }
  // The rarer letter first: a search stops at each place of its first letter.
  const login = result.includes("gin") && result.includes("ogin");
  if (login) {
    result = replaceAll(result, NETRC, report, take, isWord);
  }
  if (login || result.includes("config")) result = replaceAll(result, LAST_WORDS, report, take, looksSecret);
  if (login || PAIR_WORDS.some((word) => result.includes(word))) {
    result = replaceAll(result, [PAIRS], report, take, isPassword);
    result = replaceAll(result, [SPACED], report, take, isDrawnPassword);
  }
  if (lines && result.includes("Secret") && KUBERNETES.test(result)) {
    result = result.replace(DATA, (_, head: string, data: string) => {
      return head + replaceAll(data, [command("", ENTRY)], report, take);
    });
  }
  return result;
}

/** The ports of PostgreSQL and its poolers between colons, or a placeholder for one. */
const PORTS = /:(?:[56]4|\*:)/;

/** After words that may be prose: letters with digits or signs. */
function isWord(word: string): boolean {
  return /[\d!@#$%^&*+?]/.test(word) || isGibberish(word) || looksSecret(word);
}

/** After a name and a colon in a literal: not a port. */
function isPaired(word: string): boolean {
  return isWord(word) && /[^\d.]/.test(word);
}

/** A password beside a name: letters and digits, not an address or a rate (`login: 5/min`). */
function isPassword(word: string): boolean {
  return (
    (/\d/.test(word) || isGibberish(word)) &&
    /[A-Za-z]/.test(word) &&
    !/:[:/]|\/\//.test(word) &&
    (looksSecret(word) || (word.length >= 8 && /[a-z]/.test(word) && /[A-Z!@#$%^&*]/.test(word)))
  );
}

/** With only a space between, the value must not be a word: `login: choose googleOAuth2Api`. */
function isDrawnPassword(word: string): boolean {
  return isPassword(word) && (looksRandom(word) || /[!@#$%^&*]/.test(word));
}

/** Counts a word that is judged; false when the budget is used up. */
type Take = () => boolean;

function replaceAll(
  text: string,
  patterns: readonly CommandPattern[],
  report: Report,
  take: Take,
  looks: (word: string) => boolean = () => true,
): string {
  let result = text;
  let absent: string | null = null;
  for (const { literal, pattern } of patterns) {
    if (literal === absent) continue;
    if (!result.includes(literal)) {
      absent = literal;
      continue;
    }
    result = result.replace(pattern, (whole, before: string, secret: string) => {
      if (!take() || credentialIn("strong", secret) === null || !looks(secret)) return whole;
      report("credential-name");
      return before + REDACTED;
    });
  }
  return result;
}
