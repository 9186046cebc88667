import { type CommandPattern, command } from "./command-patterns.ts";

/** A name and a colon at the beginning of a literal; addresses begin otherwise. */
const NAME = /[bu]?["'`](?!(?:data|urn|blob|mailto|javascript|node|arn|did):)[\w.@+-]{1,80}:/.source;
const PASSWORD = /[^"'`\s{}$/][^"'`\s{}$]{3,200}/.source;
const CLOSE = /(?=["'`])/.source;
const ENCODES =
  /\b(?:btoa|b64encode|base64_encode|(?:strict_|urlsafe_)?encode64|encode_base64|b64enc|[Ee]ncodeBase64(?:String)?|Base64\.encode|[Ee]ncodeToString|stringToBase64|base64Encode)\(\s{0,8}(?:\[\]byte\(|bytes\()?/
    .source;
const GETS_BYTES = /\bToBase64String\([^\n"']{0,120}GetBytes\(\s{0,4}/.source;
const BUFFER = /\bBuffer\.from\(\s{0,8}/.source;
/** The call after the literal that encodes a buffer in base64. */
const AS_BASE64 = /(?=["'`](?:, ?["'`][\w-]{3,9}["'`])?\)\.toString\(["'`]base64)/.source;

const encoder = (literal: string, before: string, after = CLOSE) =>
  command(literal, new RegExp(`(${before}${NAME})(${PASSWORD})${after}`, "g"));

/** Calls that encode a name and a password in base64, as for Basic: `btoa("bob:x")`, `b64encode(b"bob:x")`. */
export const ENCODERS: readonly CommandPattern[] = [
  encoder("", ENCODES),
  encoder("ToBase64String", GETS_BYTES),
  encoder("Buffer.from", BUFFER, AS_BASE64),
  command(
    "base64",
    /(\b(?:echo|printf)\s{1,4}(?:-[ne]{1,2}\s{1,4})?["']?[\w.@+-]{1,80}:)([^\s"'|$`/][^\s"'|$`]{3,200})(?=["']?\s{0,4}\|\s{0,4}base64\b)/g,
  ),
];
