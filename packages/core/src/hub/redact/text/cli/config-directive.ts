import { looksSecret } from "../../evidence/entropy.ts";
import { isGibberish } from "../../evidence/gibberish.ts";
import { isPlaceholder } from "../../evidence/placeholder.ts";
import type { Span } from "../../types.ts";

/** Settings in files whose lines are a name, a space and a value, and words that may be between the two. */
const DIRECTIVES: readonly [RegExp, RegExp][] = [
  // Redis, OpenLDAP, kickstart, Apache, Tor, bridges of Mosquitto, keepalived, fetchmail, wireless networks.
  [
    /^(?:requirepass|masterauth|rootpw|bindpw|auth_pass|passwd|wpa-psk|remote_password|insecure-password|AuthLDAPBindPassword|bindcredentials?|authtok|password|passphrase)$/i,
    /[ \t]{1,16}(?:--plaintext[ \t]{1,4}|ascii[ \t]\d[ \t])?["']?([^\s"'<>${};]{4,200})["']?;?[ \t]{0,8}(?=\r?\n|$|#)/y,
  ],
  [/^sentinel$/, /[ \t]auth-pass[ \t][\w.-]{1,60}[ \t]["']?([^\s"'<>${}]{4,200})["']?[ \t]*(?=\r?\n|$)/y],
  [/^user$/, /[ \t][\w.-]{1,40}[ \t](?:[^\s>]{1,60}[ \t]){0,8}>([^\s"'<>]{4,200})(?=[ \t\r\n]|$)/y],
  // Switches and routers: `enable secret 5 x`, `username bob password 0 x`, `snmp-server community x`.
  [
    /^enable$/,
    /[ \t](?:secret|password)[ \t](?:level \d{1,2} )?(?:\d[ \t])?([^\s"'<>{}]{4,200})[ \t]*(?=\r?\n|$)/y,
  ],
  [
    /^username$/,
    /[ \t][\w.@-]{1,40}[ \t](?:privilege \d{1,2} )?(?:secret|password)[ \t](?:\d[ \t])?([^\s"'<>{}]{4,200})[ \t]*(?=\r?\n|$)/y,
  ],
  [/^snmp-server$/, /[ \t]community[ \t]([^\s"'<>{}]{4,80})(?=[ \t](?:RO|RW|view)|[ \t]*(?:\r?\n|$))/y],
  [
    /^(?:tacacs|radius)-server$/,
    /[ \t](?:host \S{1,60} )?key[ \t](?:\d[ \t])?([^\s"'<>{}]{4,120})[ \t]*(?=\r?\n|$)/y,
  ],
  [
    /^(?:pre-shared-key|key-string)$/,
    /[ \t](?:ascii-text[ \t]|local[ \t]|remote[ \t]|\d[ \t])?["']?([^\s"'<>{};]{4,120})["']?;?[ \t]*(?=\r?\n|$)/y,
  ],
];
/** First letters of these, small or capital. */
const FIRST = new Uint8Array(128);
for (const char of "rmbapwisteukRAPB") FIRST[char.charCodeAt(0)] = 1;

/** Whether the word at `start`, which begins with the character `first`, may be the first of such a line: a quick first test. */
export function mayBeDirective(text: string, start: number, first: number): boolean {
  if (FIRST[first] !== 1) return false;
  if (start < 2) return true;
  const before = text.charCodeAt(start - 1);
  return before === 10 || ((before === 32 || before === 9) && text.charCodeAt(start - 2) <= 32);
}

/** The credential of a line such as `requirepass x`. `start` and `end` are of its first word, followed by a space. */
export function directiveAt(text: string, start: number, end: number): Span | null {
  if (!opensLine(text, start)) return null;
  const word = text.slice(start, end);
  const follows = DIRECTIVES.find(([name]) => name.test(word))?.[1];
  if (follows === undefined) return null;
  follows.lastIndex = end;
  const secret = follows.exec(text)?.[1];
  if (secret === undefined || !isDrawn(secret)) return null;
  const at = end + text.slice(end, follows.lastIndex).lastIndexOf(secret);
  return { start: at, end: at + secret.length, rule: "credential-name" };
}

function opensLine(text: string, start: number): boolean {
  for (let i = start - 1; i >= 0 && start - i < 24; i--) {
    const c = text.charCodeAt(i);
    if (c === 10) return true;
    if (c !== 32 && c !== 9) return false;
  }
  return start < 24;
}

/** Letters with digits or signs, or letters of irregular case: in this place there may also be a word of prose. */
function isDrawn(word: string): boolean {
  if (isPlaceholder(word) || /^[A-Za-z_]+[(=:]|^[-/.]/.test(word)) return false;
  return (
    (/\d/.test(word) && looksSecret(word)) ||
    /[A-Za-z0-9][!@#$%^&*+?][A-Za-z0-9]/.test(word) ||
    isGibberish(word)
  );
}
