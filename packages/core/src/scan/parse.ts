import { type ParserOptions, parse } from "@babel/parser";
import type * as t from "@babel/types";
import { CountingString, newReadLimits, type ReadLimits } from "./counting-string.ts";
import { isCheapToParse, tokensIn } from "./parse-cost.ts";

/** A parsed file, or where parsing stopped (line and column from 1). */
export type ParsedSource = { ok: true; file: t.File } | { ok: false; line: number; column: number };

const SHARED: ParserOptions = {
  sourceType: "unambiguous",
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
  allowSuperOutsideMethod: true,
  allowNewTargetOutsideFunction: true,
  allowUndeclaredExports: true,
  attachComment: false,
  // Offsets are enough: lines are computed only for findings, and the tree is a third smaller.
  locations: false,
};

/** Syntax that compilers already accept although it is not in the standard yet. */
const PROPOSED = [
  "decoratorAutoAccessors",
  "deferredImportEvaluation",
  "sourcePhaseImports",
  "exportDefaultFrom",
] as const;

/** A way to parse a component. Tried only if the source contains `needs`: without it, the first way has the same result. */
interface ParseMode {
  options: ParserOptions;
  needs: string;
}

/**
 * The ways to parse a component, likeliest first. TSX comes before plain TypeScript because they differ only in
 * `<T>value` casts. Both skip type arguments, so the walk searches these for the one kind of type that would run as
 * JavaScript (`typeof import("…")`).
 */
const PARSE_MODES: ParseMode[] = [
  { options: { plugins: ["typescript", "jsx", "decorators-legacy", ...PROPOSED] }, needs: "" },
  { options: { plugins: ["typescript", "decorators-legacy", ...PROPOSED] }, needs: "<" },
  { options: { plugins: ["jsx", "flow", "decorators-legacy", ...PROPOSED] }, needs: "" },
  { options: { plugins: ["typescript", "jsx", "decorators", ...PROPOSED] }, needs: "@" },
];

/**
 * Tolerates the errors that TypeScript compilers tolerate. Tried only when the first error of a way is of that kind: the
 * parser creates an error object for each tolerated error, and half a million of them take seconds.
 */
const TOLERANT: ParserOptions = {
  plugins: ["typescript", "jsx", "decorators", ...PROPOSED],
  errorRecovery: true,
};

/** Errors that do not change how the program runs: a compiler strips or ignores the code they are about. */
const TOLERATED_ERRORS = new Set(["VarRedeclaration", "UnsupportedParameterDecorator"]);

/** How many tokens all ways may read in sum; the first way always runs. */
const TOKENS = 350_000;
/** A source with more tokens is not parsed again with errors tolerated: that could take half a second. */
const TOLERANT_TOKENS = 20_000;

/** Parses JavaScript, TypeScript, JSX or Flow, module or script, by trying each way. Never throws. */
export function parseSource(source: string): ParsedSource {
  if (!isCheapToParse(source)) return { ok: false, line: 1, column: 1 };
  const readings = newReadLimits();
  const first = read(source, PARSE_MODES[0]?.options ?? {}, readings);
  if (first.file !== null) return { ok: true, file: first.file };
  const stopped: ParsedSource = { ok: false, ...positionOf(first.error) };
  const tokens = tokensIn(source);
  let left = TOKENS - first.share * tokens;
  let forgivable = isTolerated(first.error as ReasonedError);
  for (const { options, needs } of PARSE_MODES.slice(1)) {
    if (!source.includes(needs)) continue;
    // Nested too deeply for the stack, or too many reads: another way would do no better.
    if (first.error instanceof RangeError || left < tokens) return stopped;
    const { file, error, share } = read(source, options, readings);
    if (file !== null) return { ok: true, file };
    left -= share * tokens;
    forgivable ||= isTolerated(error as ReasonedError);
  }
  if (!forgivable || tokens > TOLERANT_TOKENS) return stopped;
  const { file } = read(source, TOLERANT, readings);
  return file !== null && (file.errors ?? []).every(isTolerated) ? { ok: true, file } : stopped;
}

/** Parses a source one way; `share` is the part that was read (0 to 1). */
function read(
  source: string,
  way: ParserOptions,
  readings: ReadLimits,
): { file: ReturnType<typeof parse> | null; error: unknown; share: number } {
  const reader = new CountingString(source, readings);
  try {
    // The parser accepts any object that behaves like a string.
    const file = withoutStackTraces(() => parse(reader as unknown as string, { ...SHARED, ...way }));
    return { file, error: null, share: 1 };
  } catch (error) {
    return { file: null, error, share: reader.furthest / Math.max(1, source.length) };
  }
}

/** Runs `work` without stack traces, which take most of the time for a source full of errors. */
function withoutStackTraces<T>(work: () => T): T {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

interface ReasonedError {
  reasonCode?: string;
  syntaxPlugin?: string;
}

function isTolerated(error: ReasonedError): boolean {
  return error.syntaxPlugin === "typescript" || TOLERATED_ERRORS.has(error.reasonCode ?? "");
}

function positionOf(error: unknown): { line: number; column: number } {
  const loc = (error as { loc?: { line: number; column: number } } | undefined)?.loc;
  return loc === undefined ? { line: 1, column: 1 } : { line: loc.line, column: loc.column + 1 };
}
