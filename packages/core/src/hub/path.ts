/** Longest part of a path, and longest path, in characters: what is longer is cut, and … stands at the cut. */
const PART = 100;
const PATH = 1_000;

/** The dotted way to a value, as faults and receipts name it. Bounded, whatever keys are on the way. */
export function pathOf(parts: readonly (string | number)[]): string {
  let path = "";
  for (const [i, part] of parts.entries()) {
    if (path.length > PATH) return `${path.slice(0, PATH)}…`;
    if (i > 0) path += ".";
    path += typeof part === "string" && part.length > PART ? `${part.slice(0, PART)}…` : part;
  }
  return path.length > PATH ? `${path.slice(0, PATH)}…` : path;
}
