import { JSON_VALUES, manyFault } from "../json/count-json-values.ts";
import type { Fault } from "../problem.ts";
import { pathOf } from "../redact/index.ts";

/** The deepest nesting of JSON that we accept, counted in arrays and objects. */
export const JSON_DEPTH = 64;
/** The longest key, in UTF-16 code units. */
export const KEY_LENGTH = 1_000;
/** The most faults that hostileFaults returns. */
const LISTED = 20;

/**
 * Returns the faults of a JSON value that the database cannot store or that is unsafe to process: nested too
 * deeply, too many values, NUL or a lone surrogate in a text, `__proto__` or a very long text as a key, a number
 * out of range (1e400 is read as Infinity). `deepest` also bounds the recursion. To save time, only faults get their path as text.
 */
export function hostileFaults(value: unknown, path = "", deepest = JSON_DEPTH): Fault[] {
  const faults: Fault[] = [];
  const way: (string | number)[] = path === "" ? [] : [path];
  let values = 0;
  const fault = (code: string, message: string) => faults.push({ path: pathOf(way), code, message });

  const look = (next: unknown, depth: number): void => {
    values += 1;
    if (typeof next === "string") {
      const problem = textFault(next);
      if (problem !== null) fault("invalid_text", problem);
    } else if (typeof next === "number") {
      if (!Number.isFinite(next)) fault("invalid_number", "is out of range");
    } else if (typeof next === "object" && next !== null) {
      if (depth >= deepest) fault("too_deep", `must be nested at most ${deepest} deep`);
      else if (Array.isArray(next)) lookInList(next, depth);
      else lookInObject(next as Record<string, unknown>, depth);
    }
  };
  const enough = () => faults.length >= LISTED || values > JSON_VALUES;
  const lookInList = (list: readonly unknown[], depth: number): void => {
    for (let i = 0; i < list.length && !enough(); i += 1) {
      way.push(i);
      look(list[i], depth + 1);
      way.pop();
    }
  };
  const lookInObject = (object: Record<string, unknown>, depth: number): void => {
    for (const key of Object.keys(object)) {
      if (enough()) return;
      const problem = keyFault(key);
      if (problem !== null) fault("invalid_key", problem);
      else {
        way.push(key);
        look(object[key], depth + 1);
        way.pop();
      }
    }
  };

  look(value, 0);
  return values > JSON_VALUES ? [manyFault(path)] : faults;
}

function keyFault(key: string): string | null {
  if (key === "__proto__") return "has a key that is not allowed";
  if (key.length > KEY_LENGTH) return `has a key of more than ${KEY_LENGTH} characters`;
  return textFault(key);
}

/** Returns why PostgreSQL or JSON cannot hold a text; null if both can. */
export function textFault(text: string): string | null {
  if (text.includes("\0")) return "must not contain a NUL character";
  return text.isWellFormed() ? null : "must be valid Unicode";
}

/** Returns the number of values in a JSON value, including the value itself. Stops counting soon after JSON_VALUES is exceeded. */
export function countValues(value: unknown): number {
  let values = 1;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && values <= JSON_VALUES) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    const inside: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    values += inside.length;
    for (const child of inside) if (typeof child === "object" && child !== null) waiting.push(child);
  }
  return values;
}
