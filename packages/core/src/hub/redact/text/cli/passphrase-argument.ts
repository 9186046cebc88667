import { isPlaceholder } from "../../evidence/placeholder.ts";
import type { Span } from "../../types.ts";

/** What follows a word that is only used in commands: options and names, then the credential. */
const FOLLOWS: readonly [RegExp, RegExp][] = [
  [/^wpa_passphrase$/, /\s{1,4}["']?[\w.-]{1,32}["']?\s{1,4}["']?([^\s"'<>$|]{8,63})/y],
  [/^(?:user|owner|input)_pw$/, /\s{1,4}["']?([^\s"'<>$]{4,200})/y],
  [/^impacket-[a-z]{1,16}$/i, /\s{1,4}(?:-\S{1,20}\s{1,4}){0,3}["']?[^\s:"'@]{1,80}:([^\s"'@]{4,200})(?=@)/y],
];

/** The credential after a command or option whose name has `_` or `-`: `wpa_passphrase home x`, `user_pw x`. */
export function commandAt(text: string, start: number, end: number): Span | null {
  const last = text.charCodeAt(end - 1);
  // Last letters of passphrase, pw and impacket's programs.
  if (last !== 101 && last !== 119 && last !== 99 && last !== 112) return null;
  const word = text.slice(start, end);
  const follows = FOLLOWS.find(([name]) => name.test(word))?.[1];
  if (follows === undefined) return null;
  follows.lastIndex = end;
  const secret = follows.exec(text)?.[1];
  if (secret === undefined || !/[\d!@#$%^&*+?]/.test(secret) || isPlaceholder(secret)) return null;
  return { start: follows.lastIndex - secret.length, end: follows.lastIndex, rule: "credential-name" };
}
