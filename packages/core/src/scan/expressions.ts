import type * as t from "@babel/types";
import type { Evaluator } from "./evaluator.ts";
import { readElement } from "./elements.ts";
import { isFunctionPath } from "./hosts.ts";
import { MAX_ITEMS, MAX_TEXT } from "./limits.ts";
import { fromJs, NOT_KNOWN, toJs } from "./plain-values.ts";
import type { Scope } from "./scope.ts";
import { makeClass } from "./classes.ts";
import { assign } from "./patterns.ts";
import {
  type Closure,
  constant,
  each,
  HIDDEN,
  HOLE,
  hasHole,
  host,
  join,
  knownText,
  options,
  type Record_,
  SPENT,
  truth,
  UNDEFINED,
  UNKNOWN,
  type Value,
} from "./value.ts";

/** Evaluates one kind of expression. */
export type Read<N extends t.Node> = (evaluator: Evaluator, node: N, scope: Scope) => Value;
type Table = { [K in t.Node["type"]]?: Read<Extract<t.Node, { type: K }>> };

const literal = (_: Evaluator, { value }: { value: string | number | boolean }) => constant(value);
const inner = (evaluator: Evaluator, { expression }: { expression: t.Node }, scope: Scope) =>
  evaluator.evaluate(expression, scope);
const argument = (evaluator: Evaluator, node: { argument?: t.Node | null }, scope: Scope) =>
  evaluator.evaluate(node.argument, scope);

export const EXPRESSIONS: Table = {
  StringLiteral: literal,
  NumericLiteral: literal,
  BooleanLiteral: literal,
  DirectiveLiteral: literal,
  JSXText: literal,
  NullLiteral: () => constant(null),
  BigIntLiteral: (_, { value }) => constant(BigInt(value)),
  RegExpLiteral(_, { pattern, flags }) {
    try {
      return constant(new RegExp(pattern, flags));
    } catch {
      return UNKNOWN;
    }
  },
  TemplateLiteral: (evaluator, node, scope) => template(evaluator, node, scope, "cooked"),
  TaggedTemplateExpression(evaluator, node, scope) {
    const { object, callee } = readCallee(evaluator, node.tag, scope);
    if (callee.kind === "host" && callee.path === "String.raw")
      return template(evaluator, node.quasi, scope, "raw");
    const strings = node.quasi.quasis.map(({ value }) => constant(value.cooked ?? ""));
    const list: Value = { kind: "list", items: strings, context: evaluator.context };
    const values = node.quasi.expressions.map((one) => evaluator.evaluate(one, scope));
    return evaluator.call(callee, object, [list, ...values], node);
  },
  Identifier(evaluator, node, scope) {
    const value =
      node.name === "arguments" ? readArguments(evaluator, scope) : evaluator.readName(node.name, scope);
    return mention(evaluator, value, node);
  },
  ThisExpression: (_, _node, scope) => scope.frame.self,
  MetaProperty: () => host("import.meta"),
  MemberExpression: (evaluator, node, scope) =>
    mention(evaluator, readCallee(evaluator, node, scope).callee, node),
  OptionalMemberExpression: (evaluator, node, scope) =>
    mention(evaluator, readCallee(evaluator, node, scope).callee, node),
  CallExpression: readCall,
  OptionalCallExpression: readCall,
  NewExpression(evaluator, node, scope) {
    const callee = readCallee(evaluator, node.callee, scope).callee;
    return evaluator.construct(callee, readArgs(evaluator, node.arguments, scope), node);
  },
  ImportExpression(evaluator, node, scope) {
    evaluator.act({ kind: "import", address: evaluator.evaluate(node.source, scope), node });
    return UNKNOWN;
  },
  ParenthesizedExpression: inner,
  TSAsExpression: inner,
  TSNonNullExpression: inner,
  TSSatisfiesExpression: inner,
  TSTypeAssertion: inner,
  TSInstantiationExpression: inner,
  TypeCastExpression: inner,
  JSXExpressionContainer: inner,
  JSXSpreadChild: inner,
  AwaitExpression: argument,
  SpreadElement: argument,
  YieldExpression(evaluator, node, scope) {
    const value = evaluator.evaluate(node.argument, scope);
    const made = node.delegate ? spreadItems(evaluator, value) : [value];
    if (scope.frame.yielded.length < MAX_ITEMS) scope.frame.yielded.push(...made);
    return UNKNOWN;
  },
  SequenceExpression: (evaluator, node, scope) =>
    node.expressions.map((one) => evaluator.evaluate(one, scope)).at(-1) ?? UNKNOWN,
  ConditionalExpression(evaluator, node, scope) {
    const known = truth(evaluator.evaluate(node.test, scope));
    if (known !== null) {
      evaluator.skip(known ? node.alternate : node.consequent, scope);
      return evaluator.evaluate(known ? node.consequent : node.alternate, scope);
    }
    return evaluator.maybe(() =>
      join([evaluator.evaluate(node.consequent, scope), evaluator.evaluate(node.alternate, scope)]),
    );
  },
  LogicalExpression: readLogical,
  UnaryExpression(evaluator, node, scope) {
    const { operator } = node;
    if (operator === "typeof" || operator === "delete") {
      const value = isName(node.argument) ? UNKNOWN : evaluator.evaluate(node.argument, scope);
      return operator === "typeof" && value.kind === "constant" ? constant(typeof value.value) : UNKNOWN;
    }
    return each(evaluator.evaluate(node.argument, scope), (option) => {
      if (operator === "void") return UNDEFINED;
      const known = truth(option);
      if (operator === "!") return known === null ? UNKNOWN : constant(!known);
      const value = toJs(option.kind === "constant" ? option : constant(evaluator.text(option)));
      if (value === NOT_KNOWN || typeof value === "bigint") return UNKNOWN;
      return constant(operator === "-" ? -Number(value) : operator === "~" ? ~Number(value) : Number(value));
    });
  },
  BinaryExpression: readBinary,
  UpdateExpression(evaluator, node, scope) {
    const value = toJs(evaluator.evaluate(node.argument, scope));
    const next =
      typeof value === "number" ? constant(node.operator === "++" ? value + 1 : value - 1) : UNKNOWN;
    assign(evaluator, node.argument as t.LVal, next, scope);
    return typeof value !== "number" ? UNKNOWN : node.prefix ? next : constant(value);
  },
  AssignmentExpression(evaluator, node, scope) {
    const { operator, left, right } = node;
    if (operator === "=") {
      const value = evaluator.evaluate(right, scope);
      assign(evaluator, left as t.LVal, value, scope);
      return value;
    }
    const before =
      left.type === "Identifier" ? evaluator.readName(left.name, scope) : evaluator.evaluate(left, scope);
    const given = evaluator.evaluate(right, scope);
    const value = /^(?:&&|\|\||\?\?)/.test(operator)
      ? join([before, given])
      : operate(evaluator, operator.slice(0, -1), before, given);
    assign(evaluator, left as t.LVal, value, scope);
    return value;
  },
  ArrayExpression(evaluator, node, scope) {
    const items = readArgs(evaluator, node.elements, scope);
    return items.length > MAX_ITEMS ? SPENT : { kind: "list", items, context: evaluator.context };
  },
  ObjectExpression: readObject,
  FunctionExpression: makeFunction,
  ArrowFunctionExpression: makeFunction,
  FunctionDeclaration: makeFunction,
  ClassExpression: (evaluator, node, scope) => makeClass(evaluator, node, scope),
  ClassDeclaration: (evaluator, node, scope) => makeClass(evaluator, node, scope),
  JSXElement: readElement,
  JSXFragment(evaluator, node, scope) {
    for (const child of node.children) evaluator.evaluate(child, scope);
    return UNKNOWN;
  },
};

/** `eval` that is read to be passed on is an act, even if the call is not seen. */
function mention(evaluator: Evaluator, value: Value, node: t.Node): Value {
  for (const option of options(value))
    if (option.kind === "host") evaluator.act({ kind: "read", path: option.path, node });
  return value;
}

function isName(node: t.Node): boolean {
  return (
    node.type === "Identifier" || (node.type === "MemberExpression" && !node.computed && isName(node.object))
  );
}

function readArguments(evaluator: Evaluator, scope: Scope): Value {
  return { kind: "list", items: [...scope.frame.args], context: evaluator.context };
}

function template(
  evaluator: Evaluator,
  node: t.TemplateLiteral,
  scope: Scope,
  form: "raw" | "cooked",
): Value {
  let text = "";
  node.quasis.forEach(({ value }, index) => {
    text += value[form] ?? "";
    const hole = node.expressions[index];
    if (hole !== undefined) text += evaluator.text(evaluator.evaluate(hole, scope));
    if (text.length > MAX_TEXT) text = HIDDEN;
  });
  return constant(text);
}

/** A callee and the object that it is read from. */
export function readCallee(
  evaluator: Evaluator,
  node: t.Node,
  scope: Scope,
): { callee: Value; object: Value | null } {
  if (node.type !== "MemberExpression" && node.type !== "OptionalMemberExpression") {
    if (node.type === "Identifier" && node.name !== "arguments")
      return { callee: evaluator.readName(node.name, scope), object: null };
    return { callee: evaluator.evaluate(node, scope), object: null };
  }
  const isSuper = node.object.type === "Super";
  const object = isSuper ? superOf(scope) : readOwner(evaluator, node.object, scope);
  const callee = node.computed
    ? join(
        evaluator.texts(evaluator.evaluate(node.property, scope)).map((key) => evaluator.member(object, key)),
      )
    : evaluator.member(
        object,
        node.property.type === "PrivateName" ? `#${node.property.id.name}` : nameOf(node.property),
      );
  return { callee, object: isSuper ? scope.frame.self : object };
}

/** The object of a member: read without being a mention of its own. */
export function readOwner(evaluator: Evaluator, node: t.Node, scope: Scope): Value {
  return node.type === "Identifier" && node.name !== "arguments"
    ? evaluator.readName(node.name, scope)
    : evaluator.evaluate(node, scope);
}

const nameOf = (node: t.Node) => (node.type === "Identifier" ? node.name : HOLE);

function superOf(scope: Scope): Value {
  const home = scope.frame.closure?.home;
  return (home?.kind === "object" ? home.of : home?.kind === "function" ? home.home : null) ?? UNKNOWN;
}

function readCall(
  evaluator: Evaluator,
  node: t.CallExpression | t.OptionalCallExpression,
  scope: Scope,
): Value {
  if (node.callee.type === "Super") {
    const home = scope.frame.closure?.home;
    const of = home?.kind === "object" ? home.props.get("constructor") : scope.frame.closure;
    const parent = of?.kind === "function" ? of.home : null;
    evaluator.superCall(
      parent ?? UNKNOWN,
      scope.frame.self,
      readArgs(evaluator, node.arguments, scope),
      node,
    );
    return UNDEFINED;
  }
  if (node.callee.type === "Import") {
    const [address = UNKNOWN] = readArgs(evaluator, node.arguments, scope);
    evaluator.act({ kind: "import", address, node });
    return UNKNOWN;
  }
  const { callee, object } = readCallee(evaluator, node.callee, scope);
  return evaluator.call(callee, object, readArgs(evaluator, node.arguments, scope), node);
}

export function readArgs(evaluator: Evaluator, nodes: readonly (t.Node | null)[], scope: Scope): Value[] {
  const args: Value[] = [];
  for (const node of nodes) {
    if (node?.type !== "SpreadElement")
      args.push(node === null ? UNDEFINED : evaluator.evaluate(node, scope));
    else for (const item of spreadItems(evaluator, evaluator.evaluate(node.argument, scope))) args.push(item);
    if (args.length > 2 * MAX_ITEMS) break;
  }
  return args;
}

/** The items that a value is spread into; one unknown item when they are not known. */
export function spreadItems(evaluator: Evaluator, value: Value): Value[] {
  const [first = UNKNOWN] = options(value);
  const items =
    first.kind === "list"
      ? first.items
      : first.kind === "constant" && typeof first.value === "string"
        ? [...first.value.slice(0, MAX_ITEMS)].map(constant)
        : [first.kind === "unknown" ? first : UNKNOWN];
  return items.length < 8 || evaluator.budget.charge(items.length) ? items : [SPENT];
}

function readLogical(evaluator: Evaluator, node: t.LogicalExpression, scope: Scope): Value {
  const left = evaluator.evaluate(node.left, scope);
  const known = node.operator === "??" ? isPresent(left) : truth(left);
  // The right side is evaluated when `&&` meets true and `||` or `??` nothing.
  if (known !== null) {
    if (known === (node.operator === "&&")) return evaluator.evaluate(node.right, scope);
    evaluator.skip(node.right, scope);
    return left;
  }
  const right = evaluator.maybe(() => evaluator.evaluate(node.right, scope));
  return node.operator === "&&" ? right : join([left, right]);
}

function isPresent(value: Value): boolean | null {
  if (value.kind === "constant") return value.value !== null && value.value !== undefined;
  return value.kind === "unknown" || value.kind === "any" || value.kind === "host" || value.kind === "method"
    ? null
    : true;
}

const COMPARISONS = new Set(["==", "===", "!=", "!==", "instanceof", "in", "<", ">", "<=", ">="]);

function readBinary(evaluator: Evaluator, node: t.BinaryExpression, scope: Scope): Value {
  if (COMPARISONS.has(node.operator)) {
    // What is only compared is no mention.
    const left = node.left.type === "PrivateName" ? UNKNOWN : readOwner(evaluator, node.left, scope);
    return operate(evaluator, node.operator, left, readOwner(evaluator, node.right, scope));
  }
  // A long sum leans to the left, deeper than the stack.
  const terms: t.BinaryExpression[] = [];
  let first: t.Node = node;
  while (first.type === "BinaryExpression" && !COMPARISONS.has(first.operator)) {
    terms.push(first);
    first = first.left;
  }
  let value = evaluator.evaluate(first, scope);
  for (let term = terms.pop(); term !== undefined; term = terms.pop())
    value = operate(evaluator, term.operator, value, evaluator.evaluate(term.right, scope));
  return value;
}

const PRODUCTS = 8;

function operate(evaluator: Evaluator, operator: string, left: Value, right: Value): Value {
  if (operator === "+") {
    if (left.kind === "unknown" && right.kind === "unknown") return left.spent === true ? left : right;
    const found: Value[] = [];
    for (const a of options(left))
      for (const b of options(right)) if (found.length < PRODUCTS) found.push(add(evaluator, a, b));
    return join(found);
  }
  const [a, b] = [toJs(left), toJs(right)];
  if (a === NOT_KNOWN || b === NOT_KNOWN) return left.kind === "unknown" && left.spent ? SPENT : UNKNOWN;
  try {
    return constant(OPERATORS[operator]?.(a as number, b as number));
  } catch {
    return UNKNOWN;
  }
}

function add(evaluator: Evaluator, a: Value, b: Value): Value {
  const isText = (value: Value) => value.kind !== "constant" || typeof value.value === "string";
  if (!isText(a) && !isText(b)) {
    const [x, y] = [toJs(a) as number, toJs(b) as number];
    return typeof x === typeof y || (typeof x !== "bigint" && typeof y !== "bigint")
      ? constant(x + y)
      : UNKNOWN;
  }
  const [left, right] = [evaluator.text(a), evaluator.text(b)];
  if (left.length + right.length > 256 && !evaluator.budget.charge(left.length + right.length)) return SPENT;
  return evaluator.constantText(left + right);
}

const OPERATORS: Record<string, (a: number, b: number) => number | boolean> = {
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "^": (a, b) => a ^ b,
  "&": (a, b) => a & b,
  "|": (a, b) => a | b,
  "<<": (a, b) => a << b,
  ">>": (a, b) => a >> b,
  ">>>": (a, b) => a >>> b,
  "===": (a, b) => a === b,
  "!==": (a, b) => a !== b,
  // biome-ignore lint/suspicious/noDoubleEquals: it is what the file does
  "==": (a, b) => a == b,
  // biome-ignore lint/suspicious/noDoubleEquals: it is what the file does
  "!=": (a, b) => a != b,
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
};

function makeFunction(
  evaluator: Evaluator,
  node: t.Function,
  scope: Scope,
  home: Value | null = null,
): Closure {
  return evaluator.made({ kind: "function", node, scope, home, props: new Map(), prototype: null });
}

function readObject(evaluator: Evaluator, node: t.ObjectExpression, scope: Scope): Value {
  const object: Record_ = { kind: "object", props: new Map(), of: null, context: evaluator.context };
  for (const property of node.properties) {
    if (property.type === "SpreadElement") {
      for (const from of options(evaluator.evaluate(property.argument, scope)))
        if (from.kind === "object" && evaluator.budget.charge(from.props.size))
          for (const [key, value] of from.props) object.props.set(key, value);
      continue;
    }
    const key = evaluator.key(property, scope);
    if (key === null) continue;
    if (property.type === "ObjectProperty") {
      const value = evaluator.evaluate(property.value, scope);
      if (key === "__proto__" && !property.computed && !property.shorthand) object.of = value;
      else object.props.set(key, value);
    } else addMethod(object.props, key, property.kind, makeFunction(evaluator, property, scope, object));
  }
  return object;
}

/** Adds a method, or one half of an accessor. */
export function addMethod(props: Map<string, Value>, key: string, kind: string, made: Closure): void {
  if (kind !== "get" && kind !== "set") props.set(key, made);
  else {
    const known = props.get(key);
    const before = known?.kind === "accessor" ? known : { get: null, set: null };
    props.set(key, { kind: "accessor", get: before.get, set: before.set, [kind]: made });
  }
}
