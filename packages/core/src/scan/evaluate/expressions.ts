import type * as t from "@babel/types";
import { MAX_TEXT } from "../limits.ts";
import { Scope } from "../scope.ts";
import { type Closure, constant, each, HIDDEN, host, isMissing, join, NOT_KNOWN, options } from "../value.ts";
import { SPENT, toPlain, truth, UNDEFINED, UNKNOWN, type Value } from "../value.ts";
import { Bindings } from "./bindings.ts";

type Read<N> = (this: Expressions, node: N, scope: Scope) => Value;
type Table = { [K in t.Node["type"]]?: Read<Extract<t.Node, { type: K }>> };

const COMPARISONS = new Set(["==", "===", "!=", "!==", "instanceof", "in", "<", ">", "<=", ">="]);
/** How many sums of alternatives are kept. */
const SUMS = 8;

/** Expressions, each evaluated where it stands. */
export abstract class Expressions extends Bindings {
  abstract runBody(body: readonly t.Statement[], scope: Scope): unknown;
  abstract initialise(of: Value, self: Value, args: Value[], node: t.Node): void;
  abstract made(closure: Closure): Closure;
  abstract branch<T>(known: boolean | null, work: () => T): T | null;

  evaluate(node: t.Node | null | undefined, scope: Scope): Value {
    if (node == null) return UNDEFINED;
    if (this.budget.repeats && !this.budget.charge()) return SPENT;
    const read = EXPRESSIONS[node.type] as Read<t.Node> | undefined;
    return read === undefined ? UNKNOWN : read.call(this, node, scope);
  }

  /** An expression that is not read to be passed on: called, compared, or only a member of it is read. */
  plain(node: t.Node, scope: Scope): Value {
    const isName = node.type === "Identifier" && node.name !== "arguments";
    return isName ? this.readName(node.name, scope) : this.evaluate(node, scope);
  }

  /** A callee and the object that it is read from. */
  callee(node: t.Node, scope: Scope): { callee: Value; object: Value | null } {
    if (node.type !== "MemberExpression" && node.type !== "OptionalMemberExpression")
      return { callee: this.plain(node, scope), object: null };
    const isSuper = node.object.type === "Super";
    const above = isSuper ? this.member(scope.frame.closure?.home ?? UNKNOWN, "__proto__") : null;
    const object = above ?? this.plain(node.object, scope);
    const callee = join(this.keys(node, scope).map((key) => this.member(object, key)));
    return { callee, object: isSuper ? scope.frame.self : object };
  }

  args(nodes: readonly (t.Node | null)[], scope: Scope): Value[] {
    return nodes.flatMap((node) =>
      node?.type === "SpreadElement"
        ? this.items(this.evaluate(node.argument, scope))
        : [this.evaluate(node, scope)],
    );
  }

  template(node: t.TemplateLiteral, scope: Scope, form: "raw" | "cooked"): Value {
    let text = "";
    for (const [at, { value }] of node.quasis.entries()) {
      const hole = node.expressions[at];
      text += (value[form] ?? "") + (hole === undefined ? "" : this.text(this.evaluate(hole, scope)));
      if (text.length > MAX_TEXT) text = HIDDEN;
    }
    return constant(text);
  }

  operate(operator: string, left: Value, right: Value): Value {
    if (operator === "+") {
      const sums = options(left).flatMap((a) => options(right).map((b) => [a, b] as const));
      return join(sums.slice(0, SUMS).map(([a, b]) => this.#add(a, b)));
    }
    const [a, b] = [toPlain(left), toPlain(right)];
    if (a === NOT_KNOWN || b === NOT_KNOWN) return UNKNOWN;
    try {
      return constant(OPERATORS[operator]?.(a as number, b as number));
    } catch {
      return UNKNOWN;
    }
  }

  #add(a: Value, b: Value): Value {
    if (a.kind === "unknown" && b.kind === "unknown") return a.spent ? a : b;
    const isNumber = (value: Value) => value.kind === "constant" && typeof value.value !== "string";
    if (isNumber(a) && isNumber(b)) return this.operate("plus", a, b);
    const text = this.text(a) + this.text(b);
    return text.length <= 256 || this.budget.charge(text.length) ? this.fromPlain(text) : SPENT;
  }

  makeFunction(node: t.Function, scope: Scope, home: Value | null = null): Closure {
    return this.made({
      kind: "function",
      node,
      isClass: false,
      scope,
      home,
      props: new Map(),
      prototype: null,
    });
  }

  import(address: Value, node: t.Node): Value {
    this.act({ kind: "import", address, node });
    return UNKNOWN;
  }
}

/** Adds a method, or one half of an accessor. */
function addMethod(props: Map<string, Value>, key: string, kind: string, made: Closure): void {
  const known = props.get(key);
  const before = known?.kind === "accessor" ? known : { get: UNKNOWN, set: UNKNOWN };
  const isHalf = kind === "get" || kind === "set";
  props.set(key, isHalf ? { kind: "accessor", get: before.get, set: before.set, [kind]: made } : made);
}

function EXPRESSIONS_IMPORT(
  this: Expressions,
  source: t.Node | undefined,
  node: t.Node,
  scope: Scope,
): Value {
  this.act({ kind: "import", address: this.evaluate(source, scope), node });
  return UNKNOWN;
}

const OPERATORS: Readonly<Record<string, (a: number, b: number) => number | boolean>> = {
  plus: (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "**": (a, b) => a ** b,
  "^": (a, b) => a ^ b,
  "&": (a, b) => a & b,
  "|": (a, b) => a | b,
  "<<": (a, b) => a << b,
  ">>": (a, b) => a >> b,
  ">>>": (a, b) => a >>> b,
  "===": (a, b) => a === b,
  "!==": (a, b) => a !== b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
};

const literal = ({ value }: { value: string | number | boolean }) => constant(value);
const inner: Read<{ expression: t.Node }> = function (node, scope) {
  return this.evaluate(node.expression, scope);
};

const readCall: Read<t.CallExpression | t.OptionalCallExpression> = function (node, scope) {
  const args = () => this.args(node.arguments, scope);
  if (node.callee.type === "Import") return this.import(args()[0] ?? UNKNOWN, node);
  if (node.callee.type === "Super") {
    const { self, closure } = scope.frame;
    const of = closure?.home?.kind === "function" ? closure.home : null;
    for (const parent of options(of?.home ?? UNKNOWN)) this.initialise(parent, self, args(), node);
    return UNDEFINED;
  }
  const { callee, object } = this.callee(node.callee, scope);
  return this.call(callee, object, args(), node);
};

/** `eval` that is read to be passed on may be called where the scan does not see it. */
const readMember: Read<t.MemberExpression | t.OptionalMemberExpression | t.Identifier> = function (
  node,
  scope,
) {
  const { callee } = this.callee(node, scope);
  for (const option of options(callee))
    if (option.kind === "host" && option.path === "eval") this.act({ kind: "read", path: "eval", node });
  return callee;
};

const makeFunction: Read<t.Function> = function (node, scope) {
  return this.makeFunction(node, scope);
};

/** A class: its fields are evaluated once, on the object that all its objects inherit from. */
const makeClass: Read<t.Class> = function (node, outer) {
  const parent = node.superClass == null ? null : this.evaluate(node.superClass, outer);
  const prototype = this.object([], parent === null ? null : this.member(parent, "prototype"));
  const scope = new Scope(outer, outer.frame);
  const made: Closure = {
    kind: "function",
    node,
    isClass: true,
    scope,
    home: parent,
    props: new Map(),
    prototype,
  };
  prototype.props.set("constructor", made);
  if (node.id != null) scope.declare(node.id.name, made, this.context);
  for (const member of node.body.body) {
    const isStatic = member.type === "StaticBlock" || ("static" in member && member.static === true);
    const home = isStatic ? made : prototype;
    const own = new Scope(scope, { ...outer.frame, self: home, closure: made });
    if (member.type === "StaticBlock") this.runBody(member.body, own);
    else if (member.type === "ClassMethod" || member.type === "ClassPrivateMethod") {
      const isConstructor = member.kind === "constructor";
      const method = this.makeFunction(member, scope, isConstructor ? made : home);
      if (isConstructor) made.props.set("#constructor", method);
      else addMethod(home.props, this.key(member, own), member.kind, method);
    } else if ("value" in member)
      this.write(home, this.key(member, own), this.evaluate(member.value, own), member);
  }
  return made;
};

const readObject: Read<t.ObjectExpression> = function (node, scope) {
  const object = this.object();
  for (const property of node.properties) {
    if (property.type === "SpreadElement") {
      this.assignAll(object, this.evaluate(property.argument, scope), null);
      continue;
    }
    const key = this.key(property, scope);
    if (property.type === "ObjectProperty") {
      const value = this.evaluate(property.value, scope);
      if (key === "__proto__" && !property.computed) object.of = value;
      else object.props.set(key, value);
    } else addMethod(object.props, key, property.kind, this.makeFunction(property, scope, object));
  }
  return object;
};

/** An element in JSX; a component of the file is called with its properties. */
const readElement: Read<t.JSXElement> = function (node, scope) {
  const opening = node.openingElement;
  const type = typeOf(this, opening.name, scope);
  const element = this.makeElement(type, null, opening);
  const props = this.object();
  for (const attribute of opening.attributes) {
    const own = attribute.type === "JSXSpreadAttribute" ? null : attribute;
    const given = own === null ? this.object() : props;
    if (attribute.type === "JSXSpreadAttribute")
      this.assignAll(given, this.evaluate(attribute.argument, scope), null);
    else {
      const { name, value } = attribute;
      const key = name.type === "JSXIdentifier" ? name.name : `${name.namespace.name}:${name.name.name}`;
      const held = value == null ? constant(true) : this.evaluate(value, scope);
      props.props.set(key, held);
      this.write(element, key, held, attribute, true);
    }
    if (own === null) this.assignAll(element, given, attribute);
    if (own === null) this.assignAll(props, given, null);
  }
  for (const child of node.children) props.props.set("children", this.evaluate(child, scope));
  this.callComponent(type, props, opening);
  return element;
};

function typeOf(
  evaluator: Expressions,
  name: t.JSXOpeningElement["name"],
  scope: Scope,
  isOwner = false,
): Value {
  if (name.type === "JSXNamespacedName") return constant(name.name.name);
  if (name.type === "JSXMemberExpression")
    return evaluator.member(typeOf(evaluator, name.object, scope, true), name.property.name);
  return !isOwner && /^[a-z]/.test(name.name) ? constant(name.name) : evaluator.readName(name.name, scope);
}

const EXPRESSIONS: Table = {
  StringLiteral: literal,
  NumericLiteral: literal,
  BooleanLiteral: literal,
  JSXText: literal,
  NullLiteral: () => constant(null),
  BigIntLiteral: ({ value }) => constant(BigInt(value)),
  RegExpLiteral({ pattern, flags }) {
    try {
      return constant(new RegExp(pattern, flags));
    } catch {
      return UNKNOWN;
    }
  },
  TemplateLiteral(node, scope) {
    return this.template(node, scope, "cooked");
  },
  TaggedTemplateExpression(node, scope) {
    const { object, callee } = this.callee(node.tag, scope);
    if (callee.kind === "host" && callee.path === "String.raw")
      return this.template(node.quasi, scope, "raw");
    const strings = this.list(node.quasi.quasis.map(({ value }) => constant(value.cooked ?? "")));
    return this.call(callee, object, [strings, ...this.args(node.quasi.expressions, scope)], node);
  },
  Identifier(node, scope) {
    return node.name === "arguments" ? this.list([...scope.frame.args]) : readMember.call(this, node, scope);
  },
  ThisExpression: (_node, scope) => scope.frame.self,
  MetaProperty: () => host("import.meta"),
  MemberExpression: readMember,
  OptionalMemberExpression: readMember,
  CallExpression: readCall,
  OptionalCallExpression: readCall,
  NewExpression(node, scope) {
    return this.construct(this.plain(node.callee, scope), this.args(node.arguments, scope), node);
  },
  ImportExpression(node, scope) {
    return this.import(this.evaluate(node.source, scope), node);
  },
  ParenthesizedExpression: inner,
  TSAsExpression: inner,
  TSNonNullExpression: inner,
  TSSatisfiesExpression: inner,
  TSTypeAssertion: inner,
  TSInstantiationExpression: inner,
  TypeCastExpression: inner,
  JSXExpressionContainer: inner,
  AwaitExpression(node, scope) {
    return this.evaluate(node.argument, scope);
  },
  YieldExpression(node, scope) {
    const value = this.evaluate(node.argument, scope);
    scope.frame.yielded.push(...(node.delegate ? this.items(value) : [value]));
    return UNKNOWN;
  },
  SequenceExpression(node, scope) {
    return this.args(node.expressions, scope).at(-1) ?? UNKNOWN;
  },
  ConditionalExpression(node, scope) {
    const known = truth(this.evaluate(node.test, scope));
    const read = (branch: t.Node, taken: boolean | null) =>
      (taken ? this.evaluate(branch, scope) : this.branch(taken, () => this.evaluate(branch, scope))) ??
      UNKNOWN;
    const values = [read(node.consequent, known), read(node.alternate, not(known))];
    return known === null ? join(values) : (values[known ? 0 : 1] ?? UNKNOWN);
  },
  LogicalExpression(node, scope) {
    const left = this.evaluate(node.left, scope);
    const isNull = left.kind === "constant" ? isMissing(left) || left.value === null : null;
    const goesOn = node.operator === "??" ? isNull : node.operator === "&&" ? truth(left) : not(truth(left));
    if (goesOn === true) return this.evaluate(node.right, scope);
    const right = this.branch(goesOn, () => this.evaluate(node.right, scope)) ?? UNKNOWN;
    return goesOn === false ? left : node.operator === "&&" ? right : join([left, right]);
  },
  UnaryExpression({ operator, argument }, scope) {
    const value =
      operator === "typeof" || operator === "delete"
        ? this.plain(argument, scope)
        : this.evaluate(argument, scope);
    return each(value, (option) => {
      if (operator === "void") return UNDEFINED;
      if (operator === "!") return truth(option) === null ? UNKNOWN : constant(!truth(option));
      const plain = toPlain(option.kind === "list" ? constant(this.text(option)) : option);
      if (plain === NOT_KNOWN || typeof plain === "bigint") return UNKNOWN;
      if (operator === "typeof") return option.kind === "constant" ? constant(typeof plain) : UNKNOWN;
      return constant(operator === "-" ? -Number(plain) : operator === "~" ? ~Number(plain) : Number(plain));
    });
  },
  BinaryExpression(node, scope) {
    if (COMPARISONS.has(node.operator))
      return this.operate(node.operator, this.plain(node.left, scope), this.plain(node.right, scope));
    // A long sum leans to the left, deeper than the stack.
    const terms: t.BinaryExpression[] = [];
    let first: t.Node = node;
    while (first.type === "BinaryExpression" && !COMPARISONS.has(first.operator)) {
      terms.push(first);
      first = first.left;
    }
    let value = this.evaluate(first, scope);
    for (let term = terms.pop(); term !== undefined; term = terms.pop())
      value = this.operate(term.operator, value, this.evaluate(term.right, scope));
    return value;
  },
  UpdateExpression(node, scope) {
    const before = toPlain(this.evaluate(node.argument, scope));
    const isNumber = typeof before === "number";
    const after = isNumber ? constant(node.operator === "++" ? before + 1 : before - 1) : UNKNOWN;
    this.bind(node.argument, after, scope);
    return isNumber && !node.prefix ? constant(before) : after;
  },
  AssignmentExpression(node, scope) {
    const { operator, left } = node;
    const before = operator === "=" ? UNKNOWN : this.evaluate(left, scope);
    let value = this.evaluate(node.right, scope);
    if (/^(?:&&|\|\||\?\?)/.test(operator)) value = join([before, value]);
    else if (operator !== "=") value = this.operate(operator.slice(0, -1), before, value);
    this.bind(left, value, scope);
    return value;
  },
  ArrayExpression(node, scope) {
    return this.list(this.args(node.elements, scope));
  },
  ObjectExpression: readObject,
  FunctionExpression: makeFunction,
  ArrowFunctionExpression: makeFunction,
  FunctionDeclaration: makeFunction,
  ClassExpression: makeClass,
  ClassDeclaration: makeClass,
  JSXElement: readElement,
  JSXFragment(node, scope) {
    this.args(node.children, scope);
    return UNKNOWN;
  },
};

const not = (known: boolean | null) => (known === null ? null : !known);
