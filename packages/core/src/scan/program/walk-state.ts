import type * as t from "@babel/types";
import type { FunctionFacts, Program } from "./program.ts";
import type { Definition, Scope } from "./scope.ts";

/** The state of the walk. */
export interface Walk {
  program: Program;
  source: string;
  /** The file is a script, not a module. */
  sloppy: boolean;
  /** The function that is being walked. */
  facts: FunctionFacts | null;
  /** Inside a loop of that function. */
  looped: boolean;
  /** The offsets of `import` in the source, computed on first use. */
  imports: number[] | null;
  /** The values that the enclosing `try` block throws. */
  thrown: Definition[];
  /** Visits a node and all its descendants. A method, so that the files of the walk need not import one another. */
  visit(node: t.Node, scope: Scope): void;
}

export function visitAll(walk: Walk, nodes: readonly (t.Node | null)[], scope: Scope): void {
  for (const node of nodes) if (node !== null) walk.visit(node, scope);
}
