/** Reads a value as an object; {} for anything else. Like the functions below, it never throws on an unexpected value. */
export function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Reads a list of objects; other elements are left out. */
export function records(value: unknown): Record<string, unknown>[] {
  return list(value).filter(
    (one): one is Record<string, unknown> => typeof one === "object" && one !== null && !Array.isArray(one),
  );
}

/** Returns a text, or a number as text; "" for anything else. */
export function text(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

/** Returns the first value that is a text and not blank; "" if there is none. */
export function firstText(...values: unknown[]): string {
  return values.map(text).find((one) => one.trim() !== "") ?? "";
}

export function number(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** Returns whether a value is absent, or an empty text, list or object. */
export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** Returns an object without its empty members. */
export function filled(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value)));
}

/** Yields every object inside a value, including the value itself. */
export function* objectsBelow(value: unknown): Generator<Record<string, unknown>> {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    if (!Array.isArray(next)) yield next as Record<string, unknown>;
    for (const child of Object.values(next)) waiting.push(child);
  }
}
