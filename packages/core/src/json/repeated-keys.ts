import { countJsonValues } from "./count-json-values.ts";

/**
 * Returns whether an object in a JSON text has the same key twice. JSON.parse silently keeps only the last one, so `value`, the parsed
 * text, then has fewer members than the text has colons outside strings. Text and value are read once, without recursion.
 */
export function hasRepeatedKeys(text: string, value: unknown): boolean {
  return countJsonValues(text).colons !== countMembers(value);
}

function countMembers(value: unknown): number {
  let members = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    if (Array.isArray(next)) {
      for (const child of next) if (typeof child === "object" && child !== null) waiting.push(child);
      continue;
    }
    const inside = Object.values(next);
    members += inside.length;
    for (const child of inside) if (typeof child === "object" && child !== null) waiting.push(child);
  }
  return members;
}
