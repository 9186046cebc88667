import type * as t from "@babel/types";
import { nameOfKey } from "../../program/patterns.ts";
import type { Scope } from "../../program/scope.ts";
import { chargeSteps, DEPTH } from "../budget.ts";
import { callOf, constructOf } from "../calls/call.ts";
import { parentOf } from "../calls/invocation.ts";
import type { Interpreter } from "../interpreter.ts";
import { hostMember } from "../members/hosts.ts";
import { addAll, stringOf } from "../text/text.ts";
import {
  BEYOND_BUDGET,
  each,
  either,
  type Frame,
  HIDDEN,
  host,
  literal,
  UNKNOWN,
  unknown,
  type Value,
} from "../value.ts";
import { pushedValues } from "./assigned-values.ts";
import { toPrimitive } from "./conversions.ts";
import { itemsOf } from "./items.ts";
import { evaluateName, evaluateThis } from "./names.ts";
import { evaluateBinary, evaluateUnary } from "./operators.ts";

/**
 * The possible values of an expression, by the file alone. `env` is the call that is being followed, if any: its
 * arguments are the values of the parameters, and results are not cached. An expression that is too deep or takes too
 * many steps is unknown and hidden.
 */
export function evaluate(interpreter: Interpreter, node: t.Node, scope: Scope, env: Frame | null): Value {
  switch (node.type) {
    case "StringLiteral":
    case "NumericLiteral":
    case "BooleanLiteral":
      return literal(node.value);
    case "NullLiteral":
      return literal(null);
    case "Identifier":
      return evaluateName(interpreter, node.name, scope, env);
    case "ParenthesizedExpression":
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
    case "TSTypeAssertion":
    case "TSInstantiationExpression":
    case "TypeCastExpression":
      return evaluate(interpreter, node.expression, scope, env);
    // As cheap to create again as to cache: their nodes are their identity.
    case "FunctionExpression":
    case "ArrowFunctionExpression":
    case "FunctionDeclaration":
    case "ObjectMethod":
    case "ClassMethod":
    case "ClassPrivateMethod":
      return { kind: "function", node, scope, env };
    case "ObjectExpression":
      return { kind: "object", node, scope, env };
    case "JSXElement":
    case "JSXFragment":
      return UNKNOWN;
  }
  if (env === null) {
    const known = interpreter.expressions.get(node);
    if (known !== undefined) return known;
    const member = plainMember(interpreter, node, scope);
    if (member !== null) return member;
  }
  if (!chargeSteps(1)) return BEYOND_BUDGET;
  if (interpreter.depth > DEPTH) return unknown(HIDDEN);
  // An expression that needs its own value finds it unknown.
  if (env === null) interpreter.expressions.set(node, UNKNOWN);
  interpreter.depth++;
  const value = compute(interpreter, node, scope, env);
  interpreter.depth--;
  if (env === null) interpreter.expressions.set(node, value);
  return value;
}

/**
 * `name.key` where the name is unknown or a host object, the most common expression in a file: faster to evaluate again
 * than to cache.
 */
function plainMember(interpreter: Interpreter, node: t.Node, scope: Scope): Value | null {
  if (node.type !== "MemberExpression" || node.computed || node.object.type !== "Identifier") return null;
  const object = evaluateName(interpreter, node.object.name, scope, null);
  if (object.kind !== "unknown" && object.kind !== "host") return null;
  const name = nameOfKey(node.property);
  // A value that the file assigns there may refer back to this node; only the cache ends the cycle.
  if (object.kind === "host" && interpreter.hostWrites.has(hostMember(object.path, name) ?? "")) return null;
  return interpreter.member(object, name);
}

/** Browser classes whose instances are followed, also when a class of the file extends them. */
const EXTENDED = new Set(["XMLHttpRequest", "WebSocket", "EventSource", "Worker", "SharedWorker", "Range"]);

/** The value of `super`: an instance of the parent class. */
function inherited(interpreter: Interpreter, scope: Scope, env: Frame | null): Value {
  return each(parentOf(interpreter, scope, env), (parent) => {
    if (parent.kind === "host") return EXTENDED.has(parent.path) ? host(`${parent.path}()`) : UNKNOWN;
    return parent.kind === "class" ? { kind: "instance", of: parent.node, scope: parent.scope } : UNKNOWN;
  });
}

function compute(interpreter: Interpreter, node: t.Node, scope: Scope, env: Frame | null): Value {
  const of = (inner: t.Node) => evaluate(interpreter, inner, scope, env);
  switch (node.type) {
    case "TemplateLiteral": {
      if (!chargeSteps(node.quasis.length >> 1)) return BEYOND_BUDGET;
      const parts = node.quasis.flatMap((quasi, index): Value[] => {
        const expression = node.expressions[index];
        const text = literal(quasi.value.cooked ?? "");
        return expression === undefined ? [text] : [text, stringOf(toPrimitive(interpreter, of(expression)))];
      });
      return addAll(parts);
    }
    case "BinaryExpression":
      return evaluateBinary(interpreter, node, scope, env);
    case "MemberExpression":
    case "OptionalMemberExpression": {
      const object = node.object.type === "Super" ? inherited(interpreter, scope, env) : of(node.object);
      if (node.computed) return interpreter.members(object, of(node.property));
      const name = nameOfKey(node.property);
      return object.kind === "either"
        ? each(object, (option) => interpreter.member(option, name))
        : interpreter.member(object, name);
    }
    case "CallExpression":
    case "OptionalCallExpression":
    case "ImportExpression":
    case "TaggedTemplateExpression":
      return callOf(interpreter, node, scope, env);
    case "NewExpression":
      return constructOf(interpreter, node, scope, env);
    case "ConditionalExpression":
      return either([of(node.consequent), of(node.alternate)]);
    case "LogicalExpression": {
      const right = of(node.right);
      return node.operator === "&&" ? right : either([of(node.left), right]);
    }
    case "SequenceExpression":
      return of(node.expressions[node.expressions.length - 1] as t.Expression);
    case "AssignmentExpression":
      return node.operator === "=" || node.left.type !== "Identifier"
        ? of(node.right)
        : evaluateName(interpreter, node.left.name, scope, env);
    case "AwaitExpression":
      return of(node.argument);
    case "UnaryExpression":
      return evaluateUnary(node.operator, () => of(node.argument));
    case "ArrayExpression":
      return {
        kind: "list",
        items: [...itemsOf(interpreter, node.elements, scope, env), ...pushedValues(interpreter, node)],
        node,
        anew: env !== null,
      };
    case "RegExpLiteral":
      return { kind: "regex", source: node.pattern, flags: node.flags };
    case "ClassExpression":
    case "ClassDeclaration":
      return { kind: "class", node, scope, env };
    case "ThisExpression":
      return evaluateThis(scope);
    case "MetaProperty":
      return node.meta.name === "import" ? host("import.meta") : UNKNOWN;
    case "TSEnumDeclaration": {
      const entries = new Map<string, Value>();
      for (const member of node.body.members) {
        entries.set(nameOfKey(member.id), member.initializer ? of(member.initializer) : UNKNOWN);
      }
      return { kind: "record", entries };
    }
    default:
      return UNKNOWN;
  }
}
