/**
 * Whether a JSON text has an object with the same key twice, of which JSON.parse keeps the last and drops the rest in
 * silence. `value` is what JSON.parse made of the text: it has fewer members than the text has colons outside strings.
 * Walks both once, never deep in the stack.
 */
export function hasRepeatedKeys(text: string, value: unknown): boolean {
  return countColons(text) !== countMembers(value);
}

function countColons(text: string): number {
  let colons = 0;
  for (let i = 0; i < text.length; i += 1) {
    const character = text.charCodeAt(i);
    if (character === COLON) colons += 1;
    else if (character === QUOTE) i = endOfString(text, i);
  }
  return colons;
}

/** The index of the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

function countMembers(value: unknown): number {
  let members = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    const inside = Object.values(next);
    if (!Array.isArray(next)) members += inside.length;
    for (const child of inside) if (typeof child === "object" && child !== null) waiting.push(child);
  }
  return members;
}

const [COLON, QUOTE, BACKSLASH] = [58, 34, 92];
