import type * as t from "@babel/types";
import { nameOfKey } from "../program/patterns.ts";
import type { Scope } from "../program/scope.ts";
import { pay, spend } from "./budget.ts";
import { oneList } from "./builtin.ts";
import { callOf, constructOf } from "./call.ts";
import { hostMember } from "./hosts.ts";
import { parentOf } from "./invocation.ts";
import { memberOf, membersOf } from "./member.ts";
import { evaluateName, evaluateThis } from "./names.ts";
import { pairsOf } from "./objects.ts";
import { evaluateBinary, evaluateUnary } from "./operators.ts";
import { iterated, printed } from "./printed.ts";
import { addAll, stringOf, taintOf } from "./text.ts";
import { DEPTH, type Tracer } from "./tracer.ts";
import {
  constant,
  each,
  either,
  type Frame,
  HIDDEN,
  host,
  literal,
  TANGLED,
  UNKNOWN,
  unknown,
  type Value,
} from "./value.ts";
import { pushedInto } from "./written.ts";

/**
 * What an expression may hold, by the file alone. `env` is the call that is being followed, if any: inside one,
 * parameters hold that call's arguments and results are not remembered. What is too deep or takes too many steps is
 * unknown and hidden.
 */
export function evaluate(tracer: Tracer, node: t.Node, scope: Scope, env: Frame | null): Value {
  switch (node.type) {
    case "StringLiteral":
    case "NumericLiteral":
    case "BooleanLiteral":
      return literal(node.value);
    case "NullLiteral":
      return literal(null);
    case "Identifier":
      return evaluateName(tracer, node.name, scope, env);
    case "ParenthesizedExpression":
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
    case "TSTypeAssertion":
    case "TSInstantiationExpression":
    case "TypeCastExpression":
      return evaluate(tracer, node.expression, scope, env);
    // As good made again as remembered: they are told apart by their nodes.
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
    const known = tracer.expressions.get(node);
    if (known !== undefined) return known;
    const member = plainMember(tracer, node, scope);
    if (member !== null) return member;
  }
  if (!spend(1)) return TANGLED;
  if (tracer.depth > DEPTH) return unknown(HIDDEN);
  // An expression that is needed for its own value says nothing about it.
  if (env === null) tracer.expressions.set(node, UNKNOWN);
  tracer.depth++;
  const value = compute(tracer, node, scope, env);
  tracer.depth--;
  if (env === null) tracer.expressions.set(node, value);
  return value;
}

/**
 * `name.key` where the name holds something unknown or of the browser, which is most of what a file is made of: quicker
 * to work out again than to remember.
 */
function plainMember(tracer: Tracer, node: t.Node, scope: Scope): Value | null {
  if (node.type !== "MemberExpression" || node.computed || node.object.type !== "Identifier") return null;
  const object = evaluateName(tracer, node.object.name, scope, null);
  if (object.kind !== "unknown" && object.kind !== "host") return null;
  const name = nameOfKey(node.property);
  // What the file puts there may lead back to this place, which only what is remembered stops.
  if (object.kind === "host" && tracer.hostWrites.has(hostMember(object.path, name) ?? "")) return null;
  return memberOf(tracer, object, name);
}

/** Browser's classes of which an instance is followed, also when a class of the file extends them. */
const EXTENDED = new Set(["XMLHttpRequest", "WebSocket", "EventSource", "Worker", "SharedWorker", "Range"]);

/** What `super` stands for: an instance of the class above. */
function inherited(tracer: Tracer, scope: Scope, env: Frame | null): Value {
  return each(parentOf(tracer, scope, env), (parent) => {
    if (parent.kind === "host") return EXTENDED.has(parent.path) ? host(`${parent.path}()`) : UNKNOWN;
    return parent.kind === "class" ? { kind: "instance", of: parent.node, scope: parent.scope } : UNKNOWN;
  });
}

function compute(tracer: Tracer, node: t.Node, scope: Scope, env: Frame | null): Value {
  const of = (inner: t.Node) => evaluate(tracer, inner, scope, env);
  switch (node.type) {
    case "TemplateLiteral": {
      if (!spend(node.quasis.length >> 1)) return TANGLED;
      const parts = node.quasis.flatMap((quasi, index): Value[] => {
        const expression = node.expressions[index];
        const text = literal(quasi.value.cooked ?? "");
        return expression === undefined ? [text] : [text, stringOf(printed(tracer, of(expression)))];
      });
      return addAll(parts);
    }
    case "BinaryExpression":
      return evaluateBinary(tracer, node, scope, env);
    case "MemberExpression":
    case "OptionalMemberExpression": {
      const object = node.object.type === "Super" ? inherited(tracer, scope, env) : of(node.object);
      if (node.computed) return membersOf(tracer, object, of(node.property));
      const name = nameOfKey(node.property);
      return object.kind === "either"
        ? each(object, (option) => memberOf(tracer, option, name))
        : memberOf(tracer, object, name);
    }
    case "CallExpression":
    case "OptionalCallExpression":
    case "ImportExpression":
    case "TaggedTemplateExpression":
      return callOf(tracer, node, scope, env);
    case "NewExpression":
      return constructOf(tracer, node, scope, env);
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
        : evaluateName(tracer, node.left.name, scope, env);
    case "AwaitExpression":
      return of(node.argument);
    case "UnaryExpression":
      return evaluateUnary(node.operator, () => of(node.argument));
    case "ArrayExpression":
      return {
        kind: "list",
        items: [...itemsOf(tracer, node.elements, scope, env), ...pushedInto(tracer, node)],
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

/** Elements of a list that are kept. */
const ITEMS = 8192;
/** What one takes in its place, in characters. */
const ITEM = 40;

/** Elements or arguments, spreads opened. */
export function itemsOf(
  tracer: Tracer,
  nodes: readonly (t.Node | null)[],
  scope: Scope,
  env: Frame | null,
): Value[] {
  const [only] = nodes;
  if (nodes.length === 1 && only && only.type !== "SpreadElement")
    return [evaluate(tracer, only, scope, env)];
  const items: Value[] = [];
  for (const node of nodes) {
    if (items.length > ITEMS || !pay(ITEM)) {
      items.length = Math.min(items.length, ITEMS);
      items.push(TANGLED);
      return items;
    }
    if (node === null) items.push(constant(undefined));
    else if (node.type !== "SpreadElement") items.push(evaluate(tracer, node, scope, env));
    else {
      const given = oneList(iterated(tracer, evaluate(tracer, node.argument, scope, env)));
      const spread = given.kind === "record" ? pairsOf(given.entries) : given;
      if (spread.kind === "list") {
        pay(spread.items.length * ITEM);
        for (const item of spread.items) items.push(item);
      } else if (spread.kind === "constant" && typeof spread.value === "string") {
        for (const character of spread.value.slice(0, ITEMS)) items.push(constant(character));
      } else items.push(unknown(taintOf(spread)));
    }
  }
  return items;
}
