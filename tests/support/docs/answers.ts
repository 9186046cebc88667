/**
 * Compares answers with the form in which the documentation shows them: JSON in which `…` replaces omitted parts.
 *
 * - A line with only `…` means any number of further members or elements.
 * - `…` within a text means any text, so `"…"` means any value.
 *
 * A value that differs on every run (an id, time or hash) may be shown as an example. It matches any value of the same kind.
 */
const REST = "…";
const KINDS = [
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  /^[0-9a-f]{64}$/,
  /^kh_scan_[0-9a-f]{64}$/,
];

/** Parses the JSON of a page. A line with only `…` becomes a member or element that `mismatch` recognizes. */
export function parseShown(text: string): unknown {
  const open: string[] = [];
  const lines = text.trimEnd().split("\n");
  const whole = lines.map((line, index) => {
    if (line.trim() !== REST) {
      for (const [bracket] of line.replace(/"(?:[^"\\]|\\.)*"/g, "").matchAll(/[[\]{}]/g)) {
        if (bracket === "[" || bracket === "{") open.push(bracket);
        else open.pop();
      }
      return line;
    }
    const next = lines[index + 1]?.trim() ?? "";
    return `${open.at(-1) === "[" ? `"${REST}${REST}"` : `"${REST}": 0`}${/^[\]}]/.test(next) ? "" : ","}`;
  });
  return JSON.parse(whole.join("\n"));
}

/** Returns the path of the first place where an answer differs from the page; undefined when the answer fits. */
export function mismatch(shown: unknown, real: unknown, path = "answer"): string | undefined {
  if (typeof shown === "string") {
    return fitsText(shown, real)
      ? undefined
      : `${path}: ${JSON.stringify(real)} for ${JSON.stringify(shown)}`;
  }
  if (Array.isArray(shown)) return misfitList(shown, real, path);
  if (typeof shown === "object" && shown !== null) return misfitObject(shown, real, path);
  return Object.is(shown, real) ? undefined : `${path}: ${JSON.stringify(real)} for ${JSON.stringify(shown)}`;
}

function fitsText(shown: string, real: unknown): boolean {
  if (shown === REST || shown === real) return true;
  if (typeof real !== "string") return false;
  if (KINDS.some((kind) => kind.test(shown) && kind.test(real))) return true;
  const parts = shown.split(REST).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return parts.length > 1 && new RegExp(`^${parts.join("[\\s\\S]*")}$`).test(real);
}

function misfitList(shown: unknown[], real: unknown, path: string): string | undefined {
  if (!Array.isArray(real)) return `${path}: no list`;
  const wanted = shown.filter((value) => value !== REST + REST);
  if (wanted.length === shown.length && real.length !== shown.length)
    return `${path}: ${real.length} elements for ${shown.length}`;
  if (real.length < wanted.length) return `${path}: ${real.length} elements for at least ${wanted.length}`;
  // Elements after the line with `…` are compared from the end of the list.
  const dots = shown.indexOf(REST + REST);
  const at = (index: number) => (dots !== -1 && index >= dots ? real.length - wanted.length + index : index);
  return first(wanted.map((value, index) => () => mismatch(value, real[at(index)], `${path}[${at(index)}]`)));
}

function misfitObject(shown: object, real: unknown, path: string): string | undefined {
  if (typeof real !== "object" || real === null || Array.isArray(real)) return `${path}: no object`;
  const { [REST]: rest, ...wanted } = shown as Record<string, unknown>;
  const found = real as Record<string, unknown>;
  const missing = Object.keys(wanted).find((key) => !(key in found));
  if (missing !== undefined) return `${path}.${missing} is missing`;
  const more = Object.keys(found).find((key) => !(key in wanted));
  if (rest === undefined && more !== undefined) return `${path}.${more} is not shown`;
  return first(Object.keys(wanted).map((key) => () => mismatch(wanted[key], found[key], `${path}.${key}`)));
}

function first(looks: (() => string | undefined)[]): string | undefined {
  for (const look of looks) {
    const found = look();
    if (found !== undefined) return found;
  }
  return undefined;
}
