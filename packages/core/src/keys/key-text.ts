/** Longest key in bytes of UTF-8: far longer than any provider's, and short enough to fit a row when sealed. */
const MAX_KEY_BYTES = 4096;

/** Blanks, commas and quotes: no key holds them, and what is pasted around keys does. */
const AROUND = /[\s,"'`\p{Pi}\p{Pf}]/u;
/** `NAME=…`, as an env file has it. A key may end with `=`, as base64 does. */
const SETTING = /^[A-Za-z_][\w.-]*=+[^=]/;

/**
 * Why a text can be no provider key, as the end of a sentence ("holds blanks, commas or quotes"); null when it may be one. A key is one
 * word, or a JSON object (a service account). The answer never repeats the text.
 */
export function faultOfKey(text: string): string | null {
  if (new TextEncoder().encode(text).length > MAX_KEY_BYTES)
    return `is longer than ${MAX_KEY_BYTES} characters`;
  if (text.startsWith("{")) {
    return isJson(text) ? null : "begins with { and is no JSON; a key that is a JSON file goes on one line";
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

/** Longest name in characters: the check of user_api_keys.key_name. */
const MAX_NAME_LENGTH = 200;

/** Characters that nobody sees when pasting and that no key has: control, format, line and paragraph separators. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Why a text can be no name of a key, as the end of a sentence ("… a name"); null when it may be one. */
export function faultOfName(name: string): string | null {
  if (INVISIBLE.test(name)) return "with control or invisible characters";
  return [...name].length > MAX_NAME_LENGTH ? `of more than ${MAX_NAME_LENGTH} characters` : null;
}
