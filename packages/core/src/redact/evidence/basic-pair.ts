const UTF8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Returns whether a text is base64 of `name:password`, as Basic authentication sends it. Ordinary words decode too
 * (`Operations` to bytes with a colon), so the bytes must be text, and the case of the letters must change within a word.
 */
export function isBasicPair(text: string): boolean {
  if (text.length > 2048 || !/[a-z].{0,40}[A-Z]|\d/.test(text.slice(0, 100))) return false;
  try {
    const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, ""));
    const plain = UTF8.decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
    return /^[^\p{Cc}]{0,400}$/u.test(plain) && plain.includes(":") && plain.length >= 3;
  } catch {
    return false;
  }
}
