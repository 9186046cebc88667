import { type ParserOptions, parse } from "@babel/parser";
import type * as t from "@babel/types";
import { CountingString, newReadLimits } from "./counting-string.ts";
import { isCheapToParse } from "./parse-cost.ts";

/** A parsed file, or the place where parsing stopped (line and column from 1). */
export type ParsedSource = { ok: true; file: t.File } | { ok: false; line: number; column: number };

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
 * Other ways to parse a component, tried if the source contains `needs`: plain TypeScript differs only in `<T>value` casts. The last way
 * accepts the errors that TypeScript compilers accept, and is tried only if the first error was one of these.
 */
const OTHER_WAYS: readonly { options: ParserOptions; needs: string }[] = [
  { options: { plugins: ["typescript", "decorators-legacy", ...PROPOSED] }, needs: "<" },
  { options: { plugins: ["jsx", "flow", "decorators-legacy", ...PROPOSED] }, needs: "" },
  { options: { plugins: ["typescript", "jsx", "decorators", ...PROPOSED] }, needs: "@" },
  { options: { ...TSX, errorRecovery: true }, needs: "" },
];
/** Errors that do not change how the program runs: a compiler strips or ignores the code they are about. */
const TOLERATED_ERRORS = new Set(["VarRedeclaration", "UnsupportedParameterDecorator"]);
/** A longer source is parsed in one way only. Above the second bound, errors are not tolerated. */
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
    // The source is nested too deeply for the stack, or needs too many reads; other ways would fail too.
    if (first.error instanceof RangeError || (isTolerant && !isTolerated(first.error))) break;
    const next = read(source, options, limits);
    if ("file" in next && (next.file.errors ?? []).every(isTolerated)) return { ok: true, file: next.file };
  }
  return { ok: false, line, column: column + 1 };
}

type Read = { file: ReturnType<typeof parse> } | { error: ParserError };

function read(source: string, way: ParserOptions, limits: { steps: number }): Read {
  // Stack traces would take most of the time for a source full of errors.
  const traces = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    // The parser accepts any object that behaves like a string.
    return { file: parse(new CountingString(source, limits) as unknown as string, { ...SHARED, ...way }) };
  } catch (error) {
    return { error: error as ParserError };
  } finally {
    Error.stackTraceLimit = traces;
  }
}

function isTolerated({ syntaxPlugin, reasonCode }: ParserError): boolean {
  return syntaxPlugin === "typescript" || TOLERATED_ERRORS.has(reasonCode ?? "");
}
