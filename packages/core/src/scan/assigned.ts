import type * as t from "@babel/types";

const byLoop = new WeakMap<t.Node, Set<string>>();

/** The names that are assigned anywhere in a loop. */
export function assignedNames(loop: t.Node): Set<string> {
  const known = byLoop.get(loop);
  if (known !== undefined) return known;
  const names = new Set<string>();
  byLoop.set(loop, names);
  const waiting = childrenOf(loop);
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (LOOPS.has(node.type)) for (const name of assignedNames(node)) names.add(name);
    else {
      const target =
        node.type === "AssignmentExpression"
          ? node.left
          : node.type === "UpdateExpression"
            ? node.argument
            : null;
      if (target?.type === "Identifier") names.add(target.name);
      waiting.push(...childrenOf(node));
    }
  }
  return names;
}

const LOOPS = new Set([
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "WhileStatement",
  "DoWhileStatement",
]);

function childrenOf(node: t.Node): t.Node[] {
  return Object.values(node)
    .flat()
    .filter((value): value is t.Node => typeof (value as t.Node | null)?.type === "string");
}
