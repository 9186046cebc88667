import { type ParserOptions, parse } from "@babel/parser";
import type * as t from "@babel/types";

// Limits on sources that would make the parser slow, far above hand-written code. Each keeps parsing within about half a second.
/** The most characters read to find the line break after each block comment. Thousands of comments on one line take quadratic time. */
const LOOKAHEAD = 300_000_000;
/** The most `<` signs. For each one that the parser first reads as the wrong construct, it makes a complete error object. */
const OPENS = 16_000;
/** The most blocks and functions. For each one, the parser makes a table of names of about a kilobyte. */
const SCOPES = 30_000;
/**
 * The most `.`, `;` and `(` signs together. For each one the parser makes a node of almost a kilobyte. The densest of sixty minified files has
 * 38,000 of them.
 */
const NODES = 120_000;
/** The limit on the number of `var`s times the depth of blocks. The parser compares each `var` with the names of all blocks around it. */
const VARS_TIMES_DEPTH = 12_000_000;

/** Returns whether a source is cheap enough to parse. */
function isCheapToParse(source: string): boolean {
  const count = (pattern: RegExp) => source.match(pattern)?.length ?? 0;
  if (count(/<[^/=<]/g) > OPENS || count(/\{|=>/g) > SCOPES || count(/[.;(]/g) > NODES) return false;
  let [depth, deepest] = [0, 0];
  for (const brace of source.match(/[{}]/g) ?? [])
    deepest = Math.max(deepest, brace === "{" ? ++depth : --depth);
  let [lookahead, breakAt] = [0, -1];
  for (let at = source.indexOf("/*"); at >= 0; at = source.indexOf("/*", at + 2)) {
    if (breakAt < at) breakAt = source.indexOf("\n", at);
    if (breakAt < 0) breakAt = source.length;
    lookahead += breakAt - at;
  }
  return count(/var/g) * deepest <= VARS_TIMES_DEPTH && lookahead <= LOOKAHEAD;
}

/** How often the parser may go back and read again. 512 KB of ordinary code needs up to about 12,000 steps back. */
const MAX_STEPS_BACK = 30_000;
/** The most repeated reads per character, on average. A parse of the densest code reads each character four times. */
const READS_PER_CHARACTER = 5;

/** Thrown at a limit of reads to stop the parser. The parser catches only its own errors, so this error ends the parse. */
export class ReadLimitExceeded extends RangeError {}

/**
 * Returns a text that counts its reads. Where `<`, `(` or `?` may begin several constructs, the parser tries one after the other, so each
 * level of nesting doubles its work: `f<T>(f<T>(…` of a hundred characters takes hours. The parser reads every character through
 * `charCodeAt`, so limits on reads and steps back bound its work. `limits` holds the remaining steps back, shared by all ways of parsing
 * one source. The text is a String object with methods of its own: as soon as a class extends String, V8 reads all strings of the process
 * more slowly, and redaction takes 1.5 times as long.
 */
export function countingText(text: string, limits = { steps: MAX_STEPS_BACK }): string {
  let left = READS_PER_CHARACTER * text.length + MAX_STEPS_BACK;
  let at = 0;
  return Object.assign(new String(text), {
    charCodeAt(index: number): number {
      const last = at;
      at = index;
      // Forward reads need no limit: to read a character again, the parser must first step back, and steps back are charged.
      if (index <= last) {
        left -= last - index + 1;
        // Most reads repeat the last character or the one before it, so such a read is not a step back.
        if (left < 0 || (index < last - 1 && --limits.steps < 0)) throw new ReadLimitExceeded();
      }
      return text.charCodeAt(index);
    },
    // Without these three methods, those of String would convert the object to a string again for each word.
    slice: (start?: number, end?: number) => text.slice(start, end),
    codePointAt: (index: number) => text.codePointAt(index),
    indexOf: (searched: string, from?: number) => text.indexOf(searched, from),
  }) as unknown as string;
}

export const newReadLimits = () => ({ steps: MAX_STEPS_BACK });

/** A parsed file, or the place where parsing stopped (line and column from 1). */
type ParsedSource = { ok: true; file: t.File } | { ok: false; line: number; column: number };

const SHARED: ParserOptions = {
  sourceType: "unambiguous",
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
  allowSuperOutsideMethod: true,
  allowNewTargetOutsideFunction: true,
  allowUndeclaredExports: true,
  attachComment: false,
  // Offsets are enough, because lines are computed only for findings; without lines the tree is a third smaller.
  locations: false,
};
/** Syntax that compilers already accept, but that is not in the standard yet. */
const PROPOSED = [
  "decoratorAutoAccessors",
  "deferredImportEvaluation",
  "sourcePhaseImports",
  "exportDefaultFrom",
] as const;
const TSX: ParserOptions = { plugins: ["typescript", "jsx", "decorators-legacy", ...PROPOSED] };

/**
 * Other ways to parse a component, tried if the code contains `needs`: `<` for plain TypeScript, because only its casts (`<T>value`)
 * differ from TSX. The last way accepts the errors that TypeScript compilers accept, and is tried only if the first error was one of these.
 */
const OTHER_WAYS: readonly { options: ParserOptions; needs: string }[] = [
  { options: { plugins: ["typescript", "decorators-legacy", ...PROPOSED] }, needs: "<" },
  { options: { plugins: ["jsx", "flow", "decorators-legacy", ...PROPOSED] }, needs: "" },
  { options: { plugins: ["typescript", "jsx", "decorators", ...PROPOSED] }, needs: "@" },
  { options: { ...TSX, errorRecovery: true }, needs: "" },
];
/** Errors that do not change how the program runs: a compiler strips or ignores the code they are about. */
const TOLERATED_ERRORS = new Set(["VarRedeclaration", "UnsupportedParameterDecorator"]);
/** The longest source, in characters, for which OTHER_WAYS are tried, and the longest for the last of these, which tolerates errors. */
const LENGTHS = [150_000, 50_000] as const;

interface ParserError {
  reasonCode?: string;
  syntaxPlugin?: string;
  loc?: { line: number; column: number };
}

/** Parses JavaScript, TypeScript, JSX or Flow, module or script, by trying each way. Never throws. */
export function parseSource(source: string): ParsedSource {
  if (!isCheapToParse(source)) return { ok: false, line: 1, column: 1 };
  const limits = newReadLimits();
  const first = read(source, TSX, limits);
  if ("file" in first) return { ok: true, file: first.file };
  const { line, column } = first.error.loc ?? { line: 1, column: 0 };
  for (const { options, needs } of OTHER_WAYS) {
    const isTolerant = options.errorRecovery === true;
    if (!source.includes(needs) || source.length > LENGTHS[isTolerant ? 1 : 0]) continue;
    // A RangeError: the source is nested too deeply for the stack, or needs too many reads. Other ways would fail too.
    if (first.error instanceof RangeError || (isTolerant && !isTolerated(first.error))) break;
    const next = read(source, options, limits);
    if ("file" in next && (next.file.errors ?? []).every(isTolerated)) return { ok: true, file: next.file };
  }
  return { ok: false, line, column: column + 1 };
}

type Read = { file: ReturnType<typeof parse> } | { error: ParserError };

function read(source: string, way: ParserOptions, limits: { steps: number }): Read {
  // Turns off stack traces, which would take most of the time for a source full of errors.
  const traces = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return { file: parse(countingText(source, limits), { ...SHARED, ...way }) };
  } catch (error) {
    return { error: error as ParserError };
  } finally {
    Error.stackTraceLimit = traces;
  }
}

function isTolerated({ syntaxPlugin, reasonCode }: ParserError): boolean {
  return syntaxPlugin === "typescript" || TOLERATED_ERRORS.has(reasonCode ?? "");
}
