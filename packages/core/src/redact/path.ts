/** The names and places that lead to a value. */
export type Path = readonly (string | number)[];

/** Longest part of a path and longest path, in characters; longer ones are cut and end in …. */
const PART = 100;
const PATH = 1_000;

/** The dotted path of a value in faults and receipts. Its length is bounded, whatever the keys are. */
export function pathOf(parts: Path): string {
  let path = "";
  for (const [i, part] of parts.entries()) {
    if (path.length > PATH) return `${path.slice(0, PATH)}…`;
    if (i > 0) path += ".";
    path += typeof part === "string" && part.length > PART ? `${part.slice(0, PART)}…` : part;
  }
  return path.length > PATH ? `${path.slice(0, PATH)}…` : path;
}
