import type * as t from "@babel/types";
import type { Evaluator } from "./evaluator.ts";
import { addMethod } from "./expressions.ts";
import { Scope } from "./scope.ts";
import { runBlock } from "./statements.ts";
import { type Closure, host, type Record_, type Value } from "./value.ts";

/** A class: its static members are evaluated, its fields when an object of it is made. */
export function makeClass(evaluator: Evaluator, node: t.Class, outer: Scope): Value {
  const parent = node.superClass == null ? null : evaluator.evaluate(node.superClass, outer);
  const above = parent === null ? null : evaluator.member(parent, "prototype");
  const prototype: Record_ = { kind: "object", props: new Map(), of: above, context: evaluator.context };
  const scope = new Scope(outer, evaluator.context, outer.frame);
  const made: Closure = { kind: "function", node, scope, home: parent, props: new Map(), prototype };
  prototype.props.set("constructor", made);
  if (node.id != null) scope.declare(node.id.name, made);
  const own = new Scope(scope, evaluator.context, { ...outer.frame, self: made, closure: made });
  for (const member of node.body.body) {
    if (member.type === "StaticBlock") runBlock(evaluator, member.body, own);
    else if (member.type === "TSIndexSignature" || member.type === "TSDeclareMethod") continue;
    else if (member.type === "ClassMethod" || member.type === "ClassPrivateMethod") {
      const home = member.static ? made : prototype;
      const method: Closure = {
        kind: "function",
        node: member,
        scope,
        home,
        props: new Map(),
        prototype: null,
      };
      const key = evaluator.key(member, own);
      if (member.kind === "constructor") made.props.set("#constructor", method);
      else if (key !== null) addMethod(home.props, key, member.kind, method);
    } else if (member.static) {
      const key = evaluator.key(member, own);
      const value = evaluator.evaluate(member.value, own);
      if (key !== null) made.props.set(key, value);
    }
  }
  return evaluator.made(made);
}

/** The parent's members that a class does not have itself. */
export function inherited(of: Closure): Value {
  return of.home ?? host("Function.prototype");
}
