import type * as t from "@babel/types";
import type { FunctionFacts, Program } from "./program.ts";
import type { Definition, Scope } from "./scope.ts";

/** Where the walk is. */
export interface Walk {
  program: Program;
  source: string;
  /** The file is a script, not a module. */
  sloppy: boolean;
  /** The function that is being walked through. */
  facts: FunctionFacts | null;
  /** Inside a loop of that function. */
  looped: boolean;
  /** Where `import` stands in the source, once it was asked. */
  imports: number[] | null;
  /** What the block of a `try` around the place throws. */
  thrown: Definition[];
  /** Looks at one node and all that is in it. A method, so that the files of the walk need not import one another. */
  visit(node: t.Node, scope: Scope): void;
}

export function visitAll(walk: Walk, nodes: readonly (t.Node | null)[], scope: Scope): void {
  for (const node of nodes) if (node !== null) walk.visit(node, scope);
}
