/** The longest key in bytes of UTF-8: far longer than the keys of any provider, and short enough to fit a row when sealed. */
const MAX_KEY_BYTES = 4096;

/** Blanks, commas and quotes: keys do not contain them, but pasted text often has them around a key. */
const AROUND = /[\s,"'`\p{Pi}\p{Pf}]/u;
/** `NAME=value`, as in an env file. A value is required, because a key in base64 may end with `=`. */
const SETTING = /^[A-Za-z_][\w.-]*=+[^=]/;

/**
 * Explains why a text cannot be a provider key, as the end of a sentence ("holds blanks, commas or quotes"). Returns
 * null when it may be a key: one word, or a JSON object (a service account). The explanation never repeats the text.
 */
export function faultOfKey(text: string): string | null {
  if (new TextEncoder().encode(text).length > MAX_KEY_BYTES) return `is longer than ${MAX_KEY_BYTES} bytes`;
  if (text.startsWith("{")) {
    return isJson(text) ? null : "begins with { but is not JSON; write a key that is a JSON file on one line";
  }
  if (SETTING.test(text)) return "has the form NAME=key; give the key alone, or --names for lines name=key";
  if (AROUND.test(text)) return "holds blanks, commas or quotes; give the key alone";
  return null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The longest name in characters, as the constraint of user_api_keys.key_name has it. */
const MAX_NAME_LENGTH = 200;

/** Characters that are invisible when pasted and that keys do not contain: control, format, line and paragraph separators. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Explains why a text cannot be the name of a key, as the end of the sentence "line 3 has a name …". Returns null when it may be one. */
export function faultOfName(name: string): string | null {
  if (INVISIBLE.test(name)) return "with control or invisible characters";
  return [...name].length > MAX_NAME_LENGTH ? `of more than ${MAX_NAME_LENGTH} characters` : null;
}
