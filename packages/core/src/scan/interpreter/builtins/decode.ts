/** Texts as the browser's own decoders give them; null where they would throw. */

export function decodeBase64(value: string): string | null {
  try {
    return atob(value);
  } catch {
    return null;
  }
}

export function encodeBase64(value: string): string | null {
  try {
    return btoa(value);
  } catch {
    return null;
  }
}

export function decodeUri(value: string, whole: boolean): string | null {
  try {
    return whole ? decodeURI(value) : decodeURIComponent(value);
  } catch {
    return null;
  }
}

/** `%41` and `%u0041` to the letters they stand for, as `unescape` does. */
export function unescapeText(value: string): string {
  return value.replace(/%u([\da-f]{4})|%([\da-f]{2})/gi, (_, wide: string | undefined, narrow: string) =>
    String.fromCharCode(Number.parseInt(wide ?? narrow, 16)),
  );
}

/** Pairs of hexadecimal digits to letters. */
export function decodeHex(value: string): string {
  let text = "";
  for (let at = 0; at + 1 < value.length; at += 2) {
    text += String.fromCharCode(Number.parseInt(value.slice(at, at + 2), 16));
  }
  return text;
}

/** The address that `new URL(value, base)` gives; null when it has none. */
export function resolveUrl(value: string, base: string | undefined): string | null {
  return URL.parse(value, base)?.href ?? null;
}
