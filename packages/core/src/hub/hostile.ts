import type { Fault } from "../problem.ts";

/** The deepest nesting of JSON that is accepted, counted in arrays and objects. */
export const JSON_DEPTH = 64;
/** No more faults are listed. */
const LISTED = 20;

/**
 * The faults of a JSON value that a database cannot hold or a reader could trip over: nested too deeply, with NUL or
 * half a surrogate pair in a text, `__proto__` as a key, or a number beyond range (1e400 reads as Infinity).
 * Never deep in the stack, whatever comes.
 */
export function hostileFaults(value: unknown, path = "", deepest = JSON_DEPTH): Fault[] {
  const faults: Fault[] = [];
  const waiting: { value: unknown; path: string; depth: number }[] = [{ value, path, depth: 0 }];
  const fault = (at: string, code: string, message: string) => faults.push({ path: at, code, message });
  while (waiting.length > 0 && faults.length < LISTED) {
    const next = waiting.pop() as (typeof waiting)[number];
    if (typeof next.value === "string") {
      const problem = textFault(next.value);
      if (problem !== null) fault(next.path, "invalid_text", problem);
    } else if (typeof next.value === "number") {
      if (!Number.isFinite(next.value)) fault(next.path, "invalid_number", "is out of range");
    } else if (typeof next.value === "object" && next.value !== null) {
      if (next.depth >= deepest) {
        fault(next.path, "too_deep", `must be nested at most ${deepest} deep`);
        continue;
      }
      const inside = (key: string) => (next.path === "" ? key : `${next.path}.${key}`);
      for (const [key, child] of Object.entries(next.value)) {
        const problem = key === "__proto__" ? "has a key that is not allowed" : textFault(key);
        if (problem !== null) fault(next.path, "invalid_key", problem);
        else waiting.push({ value: child, path: inside(key), depth: next.depth + 1 });
      }
    }
  }
  return faults;
}

/** What is wrong with a text for PostgreSQL and JSON; null when nothing is. */
export function textFault(text: string): string | null {
  if (text.includes("\0")) return "must have no NUL character";
  return text.isWellFormed() ? null : "must be valid Unicode";
}
