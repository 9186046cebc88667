/** The member names and list positions that lead to a value. */
export type Path = readonly (string | number)[];

/** The longest part of a path and the longest path, in characters. Longer parts and paths are cut and end with `…`. */
const PART = 100;
const PATH = 1_000;

/** Returns the dotted path of a value for faults and receipts. Its length is bounded, whatever the keys are. */
export function pathOf(parts: Path): string {
  let path = "";
  for (const [i, part] of parts.entries()) {
    if (path.length > PATH) return `${path.slice(0, PATH)}…`;
    if (i > 0) path += ".";
    path += typeof part === "string" && part.length > PART ? `${part.slice(0, PART)}…` : part;
  }
  return path.length > PATH ? `${path.slice(0, PATH)}…` : path;
}
