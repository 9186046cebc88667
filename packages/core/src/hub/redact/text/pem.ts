import { REDACTED } from "../evidence/credential-value.ts";
import type { Report } from "../types.ts";

/** First lines of private keys: PEM, OpenSSH and PGP. Certificates and public keys are not secrets. */
const BEGIN = /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
/** `-----BEGIN …` in base64, the form of keys in kubeconfigs, except the beginning of a certificate or a public key. */
const BASE64_PEM = /LS0tLS1CRUdJTi(?!BDRVJU|BQVUJM)[A-Za-z0-9+/=]{40,}/g;
/**
 * The body of a key whose end is missing: base64, its line breaks (also written `\n`) and headers, also after the marks
 * of a quotation, a comment or a table, and as literals on consecutive lines.
 */
const BODY =
  /^(?:\r?\n[ \t]{0,8}(?:>|\||#|\*|\/\/|--)[>|#* \t]{0,8}(?:[A-Za-z0-9+/=]{1,80}|(?:Proc-Type|DEK-Info|Version|Comment): ?[^\n\\]{0,80})?[ \t]{0,8}(?=\r?\n|$)|["'`][ \t]{0,4}[+.,\\]?[ \t]{0,4}\r?\n[ \t]{0,40}["'`](?=[A-Za-z0-9+/=\\]{16})|[A-Za-z0-9+/=\s]|\\+[nrt]|(?:Proc-Type|DEK-Info|Version|Comment): ?[^\n\\]{0,80})*/;
/** The private half of a PuTTY key file. */
const PUTTY =
  /(Private-Lines: \d{1,3}\s{1,4})(?:(?!Private-)[A-Za-z0-9+/=\s]){20,8000}(?:Private-MAC: [0-9a-f]{1,64})?/g;
/** The private members of a JSON Web Key in text. */
const JWK = /(\\{0,3}"(?:d|p|q|dp|dq|qi|k)\\{0,3}"\s{0,4}:\s{0,4}\\{0,3}")[A-Za-z0-9_-]{16,2000}/g;
/** How a last line begins. */
const END = "-END ";
/** The longest body without an end, in characters. */
const LONGEST = 16_384;
/** The body of an example: nothing, a mask or a template. */
const EMPTY =
  /^(?:[\s\\nrt.…*xX]|<[^<>]*>|[A-Za-z]{1,15}(?:[ .,]{1,3}[A-Za-z]{1,15}){2,20}|\{\{[^{}]*\}\}|\$\{[^{}]*\}|\[redacted\])*-*$/;

/** Removes whole private keys from a text, also when written on one line with `\n`, also cut off. */
export function redactPrivateKeys(text: string, report: Report): string {
  let result = text;
  if (text.includes("PRIVATE KEY")) result = redactBlocks(text, report);
  const keepFirst = (_: string, first: string) => {
    report("private-key");
    return first + REDACTED;
  };
  if (result.includes("Private-Lines: ")) result = result.replace(PUTTY, keepFirst);
  if (result.includes('"kty')) result = result.replace(JWK, keepFirst);
  if (result.includes("LS0tLS1CRUdJTi")) {
    result = result.replace(BASE64_PEM, () => {
      report("private-key");
      return REDACTED;
    });
  }
  return result;
}

function redactBlocks(text: string, report: Report): string {
  let out = "";
  let kept = 0;
  let marker = 0;
  BEGIN.lastIndex = 0;
  for (let match = BEGIN.exec(text); match !== null; match = BEGIN.exec(text)) {
    const body = match.index + match[0].length;
    let end = -1;
    // One search for the end serves all keys before it, so that many beginnings cost no more than one.
    if (marker >= 0 && marker < body) marker = text.indexOf(END, body);
    if (marker >= 0 && marker - body < LONGEST * 4) end = endOfMarker(text, marker);
    if (end < 0) {
      end = body + (BODY.exec(text.slice(body, body + LONGEST))?.[0].length ?? 0);
      // Only a first line, as in prose about keys.
      if (end - body < 24 || /^[\s\\nrt.]*$/.test(text.slice(body, Math.min(end, body + 64)))) continue;
    } else if (isExample(text.slice(body, Math.min(marker, body + 160)))) {
      continue;
    }
    report("private-key");
    out += text.slice(kept, match.index) + REDACTED;
    kept = end;
    BEGIN.lastIndex = end;
  }
  return kept === 0 ? text : out + text.slice(kept);
}

/** Nothing, or a few characters and dots. */
function isExample(body: string): boolean {
  if (EMPTY.test(body)) return true;
  const rest = body.replace(/\\[nr]|\s/g, "");
  return rest.length < 40 && /\.{3}|…/.test(rest);
}

/** The end of the line `-----END … KEY-----`. */
function endOfMarker(text: string, marker: number): number {
  const tail = text.slice(marker, marker + 90);
  return marker + (/^-END [A-Z0-9 ]{0,60}-{0,5}/.exec(tail)?.[0].length ?? 5);
}
