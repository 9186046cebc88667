import type * as t from "@babel/types";
import { nameOfKey } from "../../program/patterns.ts";
import type { Interpreter } from "../interpreter.ts";

/** The members of an object literal or class by name, built once, so that a lookup does not depend on their number. */
export interface Shape<M> {
  named: Map<string, { member: M; index: number }[]>;
  /** Spreads and members with a computed name, in order. */
  dynamic: { member: M; index: number }[];
}

export type ObjectMember = t.ObjectExpression["properties"][number];
export type ClassMember = t.Class["body"]["body"][number];

export function shapeOfObject(interpreter: Interpreter, node: t.ObjectExpression): Shape<ObjectMember> {
  return shapeOf(interpreter, node, node.properties);
}

export function shapeOfClass(interpreter: Interpreter, node: t.Class): Shape<ClassMember> {
  return shapeOf(interpreter, node, node.body.body);
}

function shapeOf<M extends t.Node>(interpreter: Interpreter, node: t.Node, members: readonly M[]): Shape<M> {
  const known = interpreter.shapes.get(node) as Shape<M> | undefined;
  if (known !== undefined) return known;
  const shape: Shape<M> = { named: new Map(), dynamic: [] };
  for (const [index, member] of members.entries()) {
    const { key, computed } = member as { key?: t.Node; computed?: boolean };
    const entry = { member, index };
    if (key === undefined || computed === true) {
      shape.dynamic.push(entry);
      continue;
    }
    const name = nameOfKey(key);
    const same = shape.named.get(name);
    if (same === undefined) shape.named.set(name, [entry]);
    else same.push(entry);
  }
  interpreter.shapes.set(node, shape as Shape<never>);
  return shape;
}
