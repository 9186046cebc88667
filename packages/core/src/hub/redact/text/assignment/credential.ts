import { credentialIn, isIdentifier, isPlainName, NAMED } from "../../evidence/credential-value.ts";
import { isUuid, looksRandom, looksSecret } from "../../evidence/entropy.ts";
import { isGibberish } from "../../evidence/gibberish.ts";
import type { AssignedValue, AssignmentName, Span } from "../../types.ts";
import { standsBare } from "./bare-value.ts";

/** Behind the name of a variable: letters with digits that are no numbered word, or of irregular case. */
function isDrawn(text: string): boolean {
  return text.length >= 8 && !/\s/.test(text) && (/\d/.test(text) ? !isIdentifier(text) : isGibberish(text));
}

/** Decides whether an assigned value is a credential, and which part of it. */
export function credentialValue(text: string, name: AssignmentName, value: AssignedValue): Span | null {
  const whole = text.slice(value.start, value.end);
  if (!value.enclosed && !/[A-Za-z0-9]/.test(whole)) return null;
  const kind = name.query && isUuid(whole) && name.key ? "strong" : name.kind;
  const found = credentialIn(kind, whole);
  if (found === null) return null;
  // Between two strings of code the quotes are the wrong ones: `log("password:", x, "…")`.
  if (value.enclosed && /^\s?(?:[),;\]}]|\+\s)/.test(whole)) return null;
  // A comparison names what a value may be: `token == "async"`.
  if (value.compared && !(value.enclosed && looksSecret(whole))) return null;
  // Behind a call's bracket or on the line below a name only what hardly is anything else.
  if (value.separator === 40 || value.below) {
    if (/\s/.test(whole) || isPlainName(whole) || isUuid(whole)) return null;
    if (
      !(looksRandom(whole) && whole.length >= 12) &&
      !(name.password && /\d/.test(whole) && looksSecret(whole))
    )
      return null;
  }
  const start = value.start + found.start;
  let end = value.end;
  let secret = text.slice(start, end);
  if (!value.enclosed) {
    secret = secret.trimEnd();
    end = start + secret.length;
    if (!standsBare(text, name, value, secret, end)) return null;
  } else if (
    (value.separator === 44 || value.separator === 124 || value.separator === 0x2192) &&
    !looksSecret(secret) &&
    !isUuid(secret) &&
    !(name.variable && kind === "strong" && isDrawn(secret))
  ) {
    // A pair of arguments or elements of a list: `("password", "email")` is none.
    return null;
  }
  return { start, end, rule: name.query ? "url-parameter" : NAMED[name.kind] };
}
