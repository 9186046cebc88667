/** Strings decoded or encoded by the browser's own functions; null where these throw. */

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

/** Decodes `%41` and `%u0041` to letters, as `unescape` does. */
export function unescapeText(value: string): string {
  return value.replace(/%u([\da-f]{4})|%([\da-f]{2})/gi, (_, wide: string | undefined, narrow: string) =>
    String.fromCharCode(Number.parseInt(wide ?? narrow, 16)),
  );
}

/** Decodes pairs of hexadecimal digits to letters. */
export function decodeHex(value: string): string {
  let text = "";
  for (let at = 0; at + 1 < value.length; at += 2) {
    text += String.fromCharCode(Number.parseInt(value.slice(at, at + 2), 16));
  }
  return text;
}

/** The URL of `new URL(value, base)`; null if it is invalid. */
export function resolveUrl(value: string, base: string | undefined): string | null {
  return URL.parse(value, base)?.href ?? null;
}
