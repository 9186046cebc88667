/** Names that were cleaned, kept apart from the others of their object: a second `[redacted]` is `[redacted]-2`. */
export class CleanNames {
  /** The last number that a clean name was given in an object, so that many equal names do not each need a search. */
  readonly #numbers = new WeakMap<object, Map<string, number>>();

  /** A name that is free in the object and in the part of its copy that is made already. */
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
