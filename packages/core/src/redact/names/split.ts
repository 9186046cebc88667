/** Splits a name in any casing into words: camel, snake, kebab, dotted, spaced. Latin letters lose their accents. */
export function splitWords(name: string): string[] {
  const plain = isAscii(name) ? name : name.normalize("NFKC").replace(/\p{Script=Latin}+/gu, bare);
  return plain
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .replace(/([A-Za-z])(\d+)(?![A-Za-z0-9])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((entry) => entry !== "");
}

function bare(text: string): string {
  return text.normalize("NFD").replace(/\p{M}+/gu, "");
}

export function isAscii(text: string): boolean {
  return !/\P{ASCII}/u.test(text);
}
