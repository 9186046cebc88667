import { censusOf } from "./json-census.ts";

/**
 * Whether a JSON text has an object with the same key twice, of which JSON.parse keeps the last and drops the rest in
 * silence. `value` is what JSON.parse made of the text: it has fewer members than the text has colons outside strings.
 * Walks both once, never deep in the stack.
 */
export function hasRepeatedKeys(text: string, value: unknown): boolean {
  return censusOf(text).colons !== countMembers(value);
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
