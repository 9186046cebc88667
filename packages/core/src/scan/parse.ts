import { type ParserOptions, parse } from "@babel/parser";
import type * as t from "@babel/types";

/** A parsed file, or where the reading stopped (line and column from 1). */
export type ParsedSource = { ok: true; file: t.File } | { ok: false; line: number; column: number };

const SHARED: ParserOptions = {
  sourceType: "unambiguous",
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
  allowSuperOutsideMethod: true,
  allowNewTargetOutsideFunction: true,
  allowUndeclaredExports: true,
  attachComment: false,
  // Offsets are enough: lines are counted for findings alone, and the tree is a third smaller.
  locations: false,
};

/** What compilers already read although it is not in the standard yet. */
const PROPOSED = [
  "decoratorAutoAccessors",
  "deferredImportEvaluation",
  "sourcePhaseImports",
  "exportDefaultFrom",
] as const;

/**
 * The ways to read a component, likeliest first. TSX comes before plain TypeScript because only `<T>value` casts tell
 * them apart; a type argument is skipped by both, so the walk looks for the one kind of type that would run as
 * JavaScript (`typeof import("…")`).
 */
const WAYS: ParserOptions[] = [
  { plugins: ["typescript", "jsx", "decorators-legacy", ...PROPOSED] },
  { plugins: ["typescript", "decorators-legacy", ...PROPOSED] },
  { plugins: ["jsx", "flow", "decorators-legacy", ...PROPOSED] },
  { plugins: ["typescript", "jsx", "decorators", ...PROPOSED] },
];

/**
 * Forgives what compilers of TypeScript forgive. Tried only when the first thing wrong is of that kind: the parser makes
 * an error of each thing that it forgives, and of half a million of them it is busy for seconds.
 */
const FORGIVING: ParserOptions = {
  plugins: ["typescript", "jsx", "decorators", ...PROPOSED],
  errorRecovery: true,
};

/** Errors after which the program still runs the same way: a compiler strips or ignores what they are about. */
const FORGIVEN = new Set(["VarRedeclaration", "UnsupportedParameterDecorator"]);

/**
 * After each block comment the parser looks for the next line break, so thousands of them on one long line cost it the
 * square of their number. This many characters take it about half a second.
 */
const LOOKAHEAD = 300_000_000;

/** Reads JavaScript, TypeScript, JSX or Flow, module or script, by trying. Never throws. */
export function parseSource(source: string): ParsedSource {
  if (lookahead(source) > LOOKAHEAD) return { ok: false, line: 1, column: 1 };
  let first: unknown;
  let forgivable = false;
  for (const way of [...WAYS, FORGIVING]) {
    if (way === FORGIVING && !forgivable) break;
    try {
      const file = quietly(() => parse(source, { ...SHARED, ...way }));
      if ((file.errors ?? []).every(isForgiven)) return { ok: true, file };
    } catch (error) {
      first ??= error;
      forgivable ||= isForgiven(error as ReasonedError);
      // Nested too deeply for the stack: it would be no less so another way.
      if (error instanceof RangeError) break;
    }
  }
  const { line, column } = positionOf(first);
  return { ok: false, line, column };
}

/** Without the stacks of errors, which take most of the time that a source full of them takes. */
function quietly<T>(work: () => T): T {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

function lookahead(source: string): number {
  let sum = 0;
  let breakAt = -1;
  for (let at = source.indexOf("/*"); at >= 0; at = source.indexOf("/*", at + 2)) {
    if (breakAt < at) breakAt = source.indexOf("\n", at);
    if (breakAt < 0) breakAt = source.length;
    sum += breakAt - at;
  }
  return sum;
}

interface ReasonedError {
  reasonCode?: string;
  syntaxPlugin?: string;
}

function isForgiven(error: ReasonedError): boolean {
  return error.syntaxPlugin === "typescript" || FORGIVEN.has(error.reasonCode ?? "");
}

function positionOf(error: unknown): { line: number; column: number } {
  const loc = (error as { loc?: { line: number; column: number } } | undefined)?.loc;
  return loc === undefined ? { line: 1, column: 1 } : { line: loc.line, column: loc.column + 1 };
}
