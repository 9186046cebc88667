/**
 * Makes secrets from descriptions of their formats, so that no file of the repository holds text that looks like one.
 * A description is literal text with `{class:length}` in it.
 */
const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const CLASSES: Record<string, string> = {
  w: `${UPPER}${LOWER}${DIGITS}_-`,
  a: UPPER + LOWER + DIGITS,
  b: `${UPPER}${LOWER}${DIGITS}+/`,
  x: `${DIGITS}abcdef`,
  X: `${DIGITS}ABCDEF`,
  u: UPPER + DIGITS,
  l: LOWER + DIGITS,
  L: UPPER + LOWER,
  d: DIGITS,
  c: LOWER,
  C: UPPER,
  2: `${UPPER}234567`,
  p: `${UPPER}${LOWER}${DIGITS}!@#$%^*_+-`,
};

/** A small generator of numbers in [0, 1) with a seed (mulberry32), so that a corpus is the same on each run. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function generate(format: string, random: () => number): string {
  const draw = (name: string, length: number) => {
    const alphabet = CLASSES[name] ?? "";
    let text = "";
    // Ends in letters and digits: providers' alphabets allow signs there, but rarely use them.
    while (text.length < length) text += alphabet[Math.floor(random() * alphabet.length)];
    return text.replace(/^[_-]|[_-]$/g, "a");
  };
  return format
    .replace(
      /\{uuid\}/g,
      () => `${draw("x", 8)}-${draw("x", 4)}-4${draw("x", 3)}-a${draw("x", 3)}-${draw("x", 12)}`,
    )
    .replace(/\{pair\}/g, () => btoa(`admin:${draw("a", 14)}`))
    .replace(/\{jwt\}/g, () => jwt(draw("a", 10), draw("w", 43)))
    .replace(/\{([a-zA-Z0-9]):(\d+)\}/g, (_, name: string, length: string) => draw(name, Number(length)));
}

function jwt(subject: string, signature: string): string {
  const part = (value: unknown) =>
    btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return `${part({ alg: "HS256", typ: "JWT" })}.${part({ sub: subject, role: "service_role", iat: 1_700_000_000 })}.${signature}`;
}

/** The base64 of a text, for Basic credentials. */
export function base64(text: string): string {
  return btoa(text);
}
