import type * as t from "@babel/types";
import {
  type Closure,
  constant,
  each,
  host,
  isMissing,
  join,
  type Names,
  NOT_KNOWN,
  not,
  options,
  Scope,
  SPENT,
  truth,
  UNDEFINED,
  UNKNOWN,
  type Value,
} from "../value.ts";
import { Bindings } from "./bindings.ts";

type Read<N> = (run: Expressions, node: N, scope: Scope) => Value;
type Method = t.ObjectMethod | t.ClassMethod | t.ClassPrivateMethod;
type Table = { [K in t.Node["type"]]?: Read<Extract<t.Node, { type: K }>> };

/** Evaluates expressions: returns what the scan knows about their values, and reports acts in them. */
export abstract class Expressions extends Bindings {
  abstract runBody(body: readonly t.Statement[], scope: Scope): unknown;
  /** Functions of the file to evaluate once by themselves at the end, with unknown arguments. The map has the first closure of each. */
  readonly waiting = new Map<t.Node, Closure>();

  evaluate(node: t.Node | null | undefined, scope: Scope): Value {
    if (node == null) return UNDEFINED;
    if (this.budget.repeats && !this.budget.charge()) return SPENT;
    const read = EXPRESSIONS[node.type] as Read<t.Node> | undefined;
    return read === undefined ? UNKNOWN : read(this, node, scope);
  }

  /** Returns a callee and the object that it is read from. */
  callee(node: t.Node, scope: Scope): [callee: Value, object: Value | null] {
    if (node.type !== "MemberExpression" && node.type !== "OptionalMemberExpression")
      return [this.evaluate(node, scope), null];
    const object = this.evaluate(node.object, scope);
    return [join(this.keys(node, scope).map((key) => this.member(object, key))), object];
  }

  args(nodes: readonly (t.Node | null)[], scope: Scope): Value[] {
    const args: Value[] = [];
    for (const node of nodes)
      if (node?.type !== "SpreadElement") args.push(this.evaluate(node, scope));
      else for (const item of this.items(this.evaluate(node.argument, scope))) args.push(item);
    return args;
  }

  operate(operator: string, left: Value, right: Value): Value {
    if (operator === "+") {
      const sums = options(left).flatMap((a) => options(right).map((b) => this.#add(a, b)));
      return join(sums.slice(0, 8));
    }
    const [a, b] = [this.toPlain(left), this.toPlain(right)];
    if (a === NOT_KNOWN || b === NOT_KNOWN || typeof a === "bigint" || typeof b === "bigint") return UNKNOWN;
    const result = OPERATORS[operator]?.(a as number, b as number);
    return result === undefined ? UNKNOWN : constant(result);
  }

  #add(a: Value, b: Value): Value {
    if (a.kind === "unknown" && b.kind === "unknown") return a.spent ? a : b;
    const isNumber = (value: Value) => value.kind === "constant" && typeof value.value !== "string";
    if (isNumber(a) && isNumber(b)) return this.operate("plus", a, b);
    const text = this.text(a) + this.text(b);
    return text.length <= 256 || this.budget.charge(text.length) ? this.fromPlain(text) : SPENT;
  }

  makeFunction(node: t.Function | t.Class, scope: Scope, home: Value | null = null): Closure {
    const closure: Closure = { kind: "function", node, scope, home, props: new Map() };
    if ("params" in node && !this.waiting.has(node)) this.waiting.set(node, closure);
    return closure;
  }

  import(address: Value | undefined, node: t.Node): Value {
    this.act({ kind: "import", address: address ?? UNKNOWN, node });
    return UNKNOWN;
  }
}

const OPERATORS: Readonly<Record<string, (a: number, b: number) => number | boolean>> = {
  plus: (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "^": (a, b) => a ^ b,
  "&": (a, b) => a & b,
  "|": (a, b) => a | b,
  "<<": (a, b) => a << b,
  ">>": (a, b) => a >> b,
  "==": (a, b) => a === b,
  "===": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "!==": (a, b) => a !== b,
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
};

const literal: Read<{ value: string | number | boolean }> = (_run, { value }) => constant(value);
const inner: Read<{ expression: t.Node }> = (run, node, scope) => run.evaluate(node.expression, scope);
const makeFunction: Read<t.Function> = (run, node, scope) => run.makeFunction(node, scope);

const readCall: Read<t.CallExpression | t.OptionalCallExpression> = (run, node, scope) => {
  if (node.callee.type === "Import") return run.import(run.args(node.arguments, scope)[0], node);
  const [callee, object] = run.callee(node.callee, scope);
  return run.call(callee, object, run.args(node.arguments, scope), node);
};

const readMember: Read<t.MemberExpression | t.OptionalMemberExpression> = (run, node, scope) =>
  run.callee(node, scope)[0];

/** Makes a class. Its fields are evaluated once, on the prototype that all its objects share. */
const makeClass: Read<t.Class> = (run, node, outer) => {
  const parent = node.superClass == null ? null : run.evaluate(node.superClass, outer);
  const scope = new Scope(outer, outer.frame);
  const made = run.makeFunction(node, scope, parent);
  const proto = run.object([["constructor", made]], parent === null ? null : run.member(parent, "prototype"));
  made.props.set("prototype", proto);
  if (node.id != null) scope.declare(node.id.name, made, run.context);
  for (const member of node.body.body) {
    const isStatic = member.type === "StaticBlock" || ("static" in member && member.static === true);
    const home = isStatic ? made : proto;
    const own = new Scope(scope, { ...outer.frame, self: home });
    if (member.type === "StaticBlock") run.runBody(member.body, own);
    else if ("params" in member && "body" in member) readMethod(run, member, home, own);
    else if ("value" in member)
      run.write(home, run.key(member, own), run.evaluate(member.value, own), member);
  }
  return made;
};

/** Adds a method to a class or an object. A getter is called at once, and its result becomes the member. */
function readMethod(run: Expressions, node: Method, home: Value, scope: Scope): void {
  if (!("props" in home)) return;
  const method = run.makeFunction(node, scope, home);
  const isGetter = node.kind === "get";
  home.props.set(run.key(node, scope), isGetter ? run.call(method, home, [], node) : method);
}

const readObject: Read<t.ObjectExpression> = (run, node, scope) => {
  const object = run.object();
  for (const property of node.properties) {
    if (property.type === "SpreadElement")
      run.assignAll(object, run.evaluate(property.argument, scope), null);
    else if (property.type === "ObjectMethod") readMethod(run, property, object, scope);
    else object.props.set(run.key(property, scope), run.evaluate(property.value, scope));
  }
  return object;
};

const EXPRESSIONS: Table = {
  StringLiteral: literal,
  NumericLiteral: literal,
  BooleanLiteral: literal,
  JSXText: literal,
  NullLiteral: () => constant(null),
  RegExpLiteral: (run, node) =>
    run.call(host("RegExp"), null, [constant(node.pattern), constant(node.flags)], node),
  TemplateLiteral: (run, node, scope) => {
    const strings = node.quasis.map(({ value }) => constant(value.cooked ?? ""));
    return run.fromPlain(run.interleaved(strings, run.args(node.expressions, scope)));
  },
  TaggedTemplateExpression: (run, { tag, quasi }, scope) => {
    const [callee, object] = run.callee(tag, scope);
    const strings = run.list(quasi.quasis.map(({ value }) => constant(value.raw)));
    return run.call(callee, object, [strings, ...run.args(quasi.expressions, scope)], quasi);
  },
  Identifier: (run, node, scope) => run.readName(node.name, scope),
  ThisExpression: (_run, _node, scope) => scope.frame.self,
  Super: (_run, _node, scope) => scope.frame.self,
  MemberExpression: readMember,
  OptionalMemberExpression: readMember,
  CallExpression: readCall,
  OptionalCallExpression: readCall,
  NewExpression: (run, node, scope) =>
    run.construct(run.evaluate(node.callee, scope), run.args(node.arguments, scope), node),
  ImportExpression: (run, node, scope) => run.import(run.evaluate(node.source, scope), node),
  ParenthesizedExpression: inner,
  TSAsExpression: inner,
  TSNonNullExpression: inner,
  TSSatisfiesExpression: inner,
  TSTypeAssertion: inner,
  TypeCastExpression: inner,
  JSXExpressionContainer: inner,
  AwaitExpression: (run, node, scope) => run.evaluate(node.argument, scope),
  YieldExpression: (run, node, scope) => {
    run.evaluate(node.argument, scope);
    return UNKNOWN;
  },
  SequenceExpression: (run, node, scope) => run.args(node.expressions, scope).at(-1) ?? UNKNOWN,
  ConditionalExpression: (run, node, scope) => {
    const known = truth(run.evaluate(node.test, scope));
    const read = (branch: t.Node, taken: boolean | null) =>
      (taken ? run.evaluate(branch, scope) : run.branch(taken, () => run.evaluate(branch, scope))) ?? UNKNOWN;
    const [yes, no] = [read(node.consequent, known), read(node.alternate, not(known))];
    return known === null ? join([yes, no]) : known ? yes : no;
  },
  LogicalExpression: (run, node, scope) => {
    const left = run.evaluate(node.left, scope);
    const isNull = left.kind === "constant" ? isMissing(left) || left.value === null : null;
    const goesOn = node.operator === "??" ? isNull : node.operator === "&&" ? truth(left) : not(truth(left));
    if (goesOn === true) return run.evaluate(node.right, scope);
    const right = run.branch(goesOn, () => run.evaluate(node.right, scope)) ?? UNKNOWN;
    return goesOn === false ? left : node.operator === "&&" ? right : join([left, right]);
  },
  UnaryExpression: (run, { operator, argument }, scope) =>
    each(run.evaluate(argument, scope), (option) => {
      if (operator === "void") return UNDEFINED;
      if (operator === "!") return truth(option) === null ? UNKNOWN : constant(!truth(option));
      const plain = run.toPlain(option.kind === "list" ? constant(run.text(option)) : option);
      if (plain === NOT_KNOWN || operator === "typeof" || operator === "delete") return UNKNOWN;
      return constant(operator === "-" ? -Number(plain) : operator === "~" ? ~Number(plain) : Number(plain));
    }),
  BinaryExpression: (run, node, scope) => {
    // A long sum nests to the left, deeper than the stack allows, so this is a loop.
    const terms: t.BinaryExpression[] = [];
    let first: t.Node = node;
    for (; first.type === "BinaryExpression"; first = first.left) terms.push(first);
    let value = run.evaluate(first, scope);
    for (const term of terms.reverse())
      value = run.operate(term.operator, value, run.evaluate(term.right, scope));
    return value;
  },
  UpdateExpression: (run, node, scope) => {
    const before = run.evaluate(node.argument, scope);
    const after = run.operate(node.operator === "++" ? "plus" : "-", before, constant(1));
    run.bind(node.argument, after, scope);
    return node.prefix ? after : before;
  },
  AssignmentExpression: (run, { operator, left, right }, scope) => {
    const before = operator === "=" ? UNKNOWN : run.evaluate(left, scope);
    const given = run.evaluate(right, scope);
    const isChoice = /^(?:&&|\|\||\?\?)/.test(operator);
    const sum = () => run.operate(operator.slice(0, -1), before, given);
    const value = operator === "=" ? given : isChoice ? join([before, given]) : sum();
    run.bind(left, value, scope);
    return value;
  },
  ArrayExpression: (run, node, scope) => run.list(run.args(node.elements, scope)),
  ObjectExpression: readObject,
  FunctionExpression: makeFunction,
  ArrowFunctionExpression: makeFunction,
  FunctionDeclaration: makeFunction,
  ClassExpression: makeClass,
  ClassDeclaration: makeClass,
  JSXElement: readElement,
  JSXFragment: (run, node, scope) => run.list(run.args(node.children, scope)),
};

/** Reads an element in JSX; its properties are attributes. */
function readElement(run: Bindings, node: t.JSXElement, scope: Names): Value {
  const { name, attributes } = node.openingElement;
  const props = run.object();
  for (const attribute of attributes) {
    if (attribute.type === "JSXSpreadAttribute")
      run.assignAll(props, run.evaluate(attribute.argument, scope), null);
    else {
      const { name, value } = attribute;
      const key = name.type === "JSXIdentifier" ? name.name : `${name.namespace.name}:${name.name.name}`;
      props.props.set(key, value == null ? constant(true) : run.evaluate(value, scope));
    }
  }
  const type =
    name.type === "JSXNamespacedName" ? name.name.name : name.type === "JSXIdentifier" ? name.name : "";
  const isTag = /^[a-z]/.test(type);
  const made = isTag ? constant(type) : run.readName(type, scope);
  const element = run.makeElement(made, props.props.get("type"), node.openingElement);
  run.assignAll(element, props, node.openingElement);
  for (const child of node.children) run.evaluate(child, scope);
  return element;
}
