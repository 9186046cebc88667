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

/** Names that were cleaned and must differ from the other names of their object: a second `[redacted]` becomes `[redacted]-2`. */
export class CleanNames {
  /** The last number that a clean name got in an object, so that many equal names do not each need a search. */
  readonly #numbers = new WeakMap<object, Map<string, number>>();

  /** Returns a name that is free in the object and in the finished part of its copy. */
  free(clean: string, object: object, copy: object): string {
    let name = clean;
    if (!Object.hasOwn(copy, name) && !Object.hasOwn(object, name)) return name;
    const numbers = this.#numbers.get(copy) ?? new Map<string, number>();
    let n = numbers.get(clean) ?? 1;
    do name = `${clean}-${++n}`;
    while (Object.hasOwn(copy, name) || Object.hasOwn(object, name));
    this.#numbers.set(copy, numbers.set(clean, n));
    return name;
  }
}
