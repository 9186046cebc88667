import type * as t from "@babel/types";
import type { Program } from "../program/program.ts";
import type { Binding, Definition } from "../program/scope.ts";
import type { Shape } from "./shape.ts";
import { spellingsIn } from "./spelling.ts";
import type { Value } from "./value.ts";

/**
 * The state of following values through one file. Results are remembered per expression and name; what
 * following may cost is counted in budget.ts.
 */
export interface Tracer {
  program: Program;
  expressions: Map<t.Node, Value>;
  bindings: Map<Binding, Value>;
  /** Results of calls that were followed, by function and arguments. */
  calls: Map<t.Function, Map<string, Value>>;
  /** Numbers for nodes, so that arguments can be told apart by text. */
  numbers: Map<object, number>;
  /** What the file puts into properties, by the node of the object, class or function that has them. */
  properties: Map<t.Node, Map<string, Definition[]>>;
  /** What the file puts into global names and members of host objects, by path. */
  hostWrites: Map<string, Definition[]>;
  shapes: Map<t.Node, Shape<never>>;
  /** What is put into the properties of elements that the file makes. */
  elementWrites: Map<Value, Map<string, Value>>;
  /** Some element of the file holds what may be read back from elements that are not known. */
  shown: boolean;
  depth: number;
  /** Where the source spells texts letter by letter. */
  spelled: readonly number[];
  /** Whether the source names cookies or storage, which everything made of them is to tell. */
  private: boolean;
  /** The functions whose calls are being followed, outermost first. */
  following: t.Function[];
  /** The properties that are being looked up, outermost first. */
  reading: { node: t.Node; key: string }[];
}

/** Expressions inside one another; each takes some stack. */
export const DEPTH = 160;

export function newTracer(program: Program): Tracer {
  return {
    spelled: spellingsIn(program),
    private: program.kept,
    program,
    expressions: new Map(),
    bindings: new Map(),
    calls: new Map(),
    numbers: new Map(),
    properties: new Map(),
    hostWrites: new Map(),
    shapes: new Map(),
    elementWrites: new Map(),
    shown: false,
    depth: 0,
    following: [],
    reading: [],
  };
}

/** Forgets results that were worked out before everything was linked. */
export function forget(tracer: Tracer): void {
  tracer.expressions.clear();
  tracer.bindings.clear();
  tracer.calls.clear();
}
