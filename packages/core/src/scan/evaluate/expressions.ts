import type * as t from "@babel/types";
import { HIDDEN, type Instance, join, NOT_KNOWN, options, SPENT, toPlain, truth } from "../value.ts";
import { type Closure, constant, each, host, UNDEFINED, UNKNOWN, type Value } from "../value.ts";
import { MAX_TEXT } from "../limits.ts";
import { Scope } from "../scope.ts";
import { Bindings } from "./bindings.ts";

type Read<N> = (this: Expressions, node: N, scope: Scope) => Value;
type Table = { [K in t.Node["type"]]?: Read<Extract<t.Node, { type: K }>> };

const COMPARISONS = new Set(["==", "===", "!=", "!==", "instanceof", "in", "<", ">", "<=", ">="]);
/** How many sums of alternatives are kept. */
const SUMS = 8;

/** Expressions, each evaluated where it stands. */
export abstract class Expressions extends Bindings {
  abstract runBody(body: readonly t.Statement[], scope: Scope): unknown;
  abstract superCall(of: Value | null | undefined, self: Value, args: Value[], node: t.Node): void;
  abstract made(closure: Closure): Closure;
  abstract branch<T>(known: boolean | null, work: () => T): T | Value;

  evaluate(node: t.Node | null | undefined, scope: Scope): Value {
    if (node == null) return UNDEFINED;
    if (this.budget.repeats && !this.budget.charge()) return SPENT;
    const read = EXPRESSIONS[node.type] as Read<t.Node> | undefined;
    return read === undefined ? UNKNOWN : read.call(this, node, scope);
  }

  /** An expression that is not read to be passed on: called, compared, or only a member of it is read. */
  protected plain(node: t.Node, scope: Scope): Value {
    return node.type === "Identifier" && node.name !== "arguments"
      ? this.readName(node.name, scope)
      : this.evaluate(node, scope);
  }

  /** A callee and the object that it is read from. */
  protected callee(node: t.Node, scope: Scope): { callee: Value; object: Value | null } {
    if (node.type !== "MemberExpression" && node.type !== "OptionalMemberExpression")
      return { callee: this.plain(node, scope), object: null };
    const { home } = scope.frame.closure ?? { home: null };
    const isSuper = node.object.type === "Super";
    const above = home?.kind === "object" ? home.of : home?.kind === "function" ? home.home : null;
    const object = isSuper ? (above ?? UNKNOWN) : this.plain(node.object, scope);
    const keys = node.computed
      ? this.texts(this.evaluate(node.property, scope))
      : [this.key({ key: node.property }, scope)];
    const callee = join(keys.map((key) => this.member(object, key)));
    return { callee, object: isSuper ? scope.frame.self : object };
  }

  /** `eval` that is read to be passed on may be called where the scan does not see it. */
  protected mention(value: Value, node: t.Node): Value {
    for (const option of options(value))
      if (option.kind === "host" && option.path === "eval") this.act({ kind: "read", path: "eval", node });
    return value;
  }

  protected args(nodes: readonly (t.Node | null)[], scope: Scope): Value[] {
    return nodes.flatMap((node) =>
      node?.type === "SpreadElement"
        ? this.items(this.evaluate(node.argument, scope))
        : [this.evaluate(node, scope)],
    );
  }

  protected call_(node: t.CallExpression | t.OptionalCallExpression, scope: Scope): Value {
    if (node.callee.type === "Import") return EXPRESSIONS_IMPORT.call(this, node.arguments[0], node, scope);
    if (node.callee.type === "Super") {
      const { self, closure } = scope.frame;
      this.superCall(closure?.home, self, this.args(node.arguments, scope), node);
      return UNDEFINED;
    }
    const { callee, object } = this.callee(node.callee, scope);
    return this.call(callee, object, this.args(node.arguments, scope), node);
  }

  protected template(node: t.TemplateLiteral, scope: Scope, form: "raw" | "cooked"): Value {
    let text = "";
    node.quasis.forEach(({ value }, index) => {
      const hole = node.expressions[index];
      text += value[form] ?? "";
      if (hole !== undefined) text += this.text(this.evaluate(hole, scope));
      if (text.length > MAX_TEXT) text = HIDDEN;
    });
    return constant(text);
  }

  protected operate(operator: string, left: Value, right: Value): Value {
    if (operator === "+") {
      const found: Value[] = [];
      for (const a of options(left))
        for (const b of options(right)) if (found.length < SUMS) found.push(this.#add(a, b));
      return join(found);
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
    if (text.length > 256 && !this.budget.charge(text.length)) return SPENT;
    return text.length > MAX_TEXT ? SPENT : constant(text);
  }

  makeFunction(node: t.Function, scope: Scope, home: Value | null = null): Closure {
    return this.made({ kind: "function", node, scope, home, props: new Map(), prototype: null });
  }

  /** A class: its static members are evaluated, its fields when an object of it is made. */
  makeClass(node: t.Class, outer: Scope): Value {
    const parent = node.superClass == null ? null : this.evaluate(node.superClass, outer);
    const prototype = this.object([], parent === null ? null : this.member(parent, "prototype"));
    const scope = new Scope(outer, this.context, outer.frame);
    const made: Closure = { kind: "function", node, scope, home: parent, props: new Map(), prototype };
    prototype.props.set("constructor", made);
    if (node.id != null) scope.declare(node.id.name, made);
    const own = new Scope(scope, this.context, { ...outer.frame, self: made, closure: made });
    for (const member of node.body.body) {
      if (member.type === "StaticBlock") this.runBody(member.body, own);
      if (
        member.type === "StaticBlock" ||
        member.type === "TSIndexSignature" ||
        member.type === "TSDeclareMethod"
      )
        continue;
      if (member.type === "ClassMethod" || member.type === "ClassPrivateMethod") {
        const isConstructor = member.kind === "constructor";
        const home = member.static || isConstructor ? made : prototype;
        const method: Closure = {
          kind: "function",
          node: member,
          scope,
          home,
          props: new Map(),
          prototype: null,
        };
        addMethod(home.props, isConstructor ? "#constructor" : this.key(member, own), member.kind, method);
      } else if (member.static) made.props.set(this.key(member, own), this.evaluate(member.value, own));
    }
    return this.made(made);
  }

  protected readObject(node: t.ObjectExpression, scope: Scope): Value {
    const object: Instance = this.object();
    for (const property of node.properties) {
      if (property.type === "SpreadElement") {
        for (const from of options(this.evaluate(property.argument, scope)))
          if (from.kind === "object" && this.budget.charge(from.props.size))
            for (const [key, value] of from.props) object.props.set(key, value);
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
  }

  /** An element in JSX; a component of the file is called with its properties. */
  protected readElement(node: t.JSXElement, scope: Scope): Value {
    const opening = node.openingElement;
    const type = this.#typeOf(opening.name, scope);
    const element = this.makeElement(type, null, opening);
    const props = this.object();
    const write = (key: string, value: Value, at: t.Node) => {
      props.props.set(key, value);
      this.write(element, key, value, at, true);
    };
    for (const attribute of opening.attributes)
      if (attribute.type === "JSXSpreadAttribute") {
        for (const of of options(this.evaluate(attribute.argument, scope)))
          if (of.kind === "object") for (const [key, value] of of.props) write(key, value, attribute);
      } else {
        const { name, value } = attribute;
        const key = name.type === "JSXIdentifier" ? name.name : `${name.namespace.name}:${name.name.name}`;
        write(key, value == null ? constant(true) : this.evaluate(value, scope), attribute);
      }
    for (const child of node.children) props.props.set("children", this.evaluate(child, scope));
    this.callComponent(type, props, opening);
    return element;
  }

  #typeOf(name: t.JSXOpeningElement["name"], scope: Scope): Value {
    if (name.type === "JSXNamespacedName") return constant(name.name.name);
    if (name.type === "JSXIdentifier")
      return /^[a-z]/.test(name.name) ? constant(name.name) : this.readName(name.name, scope);
    const owner =
      name.object.type === "JSXIdentifier"
        ? this.readName(name.object.name, scope)
        : this.#typeOf(name.object, scope);
    return this.member(owner, name.property.name);
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
function inner(this: Expressions, node: { expression: t.Node }, scope: Scope): Value {
  return this.evaluate(node.expression, scope);
}
function call(this: Expressions, node: t.CallExpression | t.OptionalCallExpression, scope: Scope): Value {
  return this.call_(node, scope);
}
function member(
  this: Expressions,
  node: t.MemberExpression | t.OptionalMemberExpression,
  scope: Scope,
): Value {
  return this.mention(this.callee(node, scope).callee, node);
}
function makeFunction(this: Expressions, node: t.Function, scope: Scope): Value {
  return this.makeFunction(node, scope);
}
function makeClass(this: Expressions, node: t.Class, scope: Scope): Value {
  return this.makeClass(node, scope);
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
    if (node.name === "arguments") return this.list([...scope.frame.args]);
    return this.mention(this.readName(node.name, scope), node);
  },
  ThisExpression: (_node, scope) => scope.frame.self,
  MetaProperty: () => host("import.meta"),
  MemberExpression: member,
  OptionalMemberExpression: member,
  CallExpression: call,
  OptionalCallExpression: call,
  NewExpression(node, scope) {
    return this.construct(this.plain(node.callee, scope), this.args(node.arguments, scope), node);
  },
  ImportExpression(node, scope) {
    return EXPRESSIONS_IMPORT.call(this, node.source, node, scope);
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
    const [yes, no] = [node.consequent, node.alternate].map((branch, at) =>
      known === (at === 0)
        ? this.evaluate(branch, scope)
        : this.branch(known, () => this.evaluate(branch, scope)),
    );
    return known === null ? join([yes ?? UNKNOWN, no ?? UNKNOWN]) : ((known ? yes : no) ?? UNKNOWN);
  },
  LogicalExpression(node, scope) {
    const left = this.evaluate(node.left, scope);
    const isNull = left.kind === "constant" ? left.value === undefined || left.value === null : null;
    const goesOn = node.operator === "??" ? isNull : node.operator === "&&" ? truth(left) : not(truth(left));
    if (goesOn === true) return this.evaluate(node.right, scope);
    const right = this.branch(goesOn, () => this.evaluate(node.right, scope));
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
    this.bind(node.argument, after, scope, "assign");
    return isNumber && !node.prefix ? constant(before) : after;
  },
  AssignmentExpression(node, scope) {
    const { operator, left } = node;
    const before = operator === "=" ? UNKNOWN : this.evaluate(left, scope);
    let value = this.evaluate(node.right, scope);
    if (/^(?:&&|\|\||\?\?)/.test(operator)) value = join([before, value]);
    else if (operator !== "=") value = this.operate(operator.slice(0, -1), before, value);
    this.bind(left, value, scope, "assign");
    return value;
  },
  ArrayExpression(node, scope) {
    return this.list(this.args(node.elements, scope));
  },
  ObjectExpression(node, scope) {
    return this.readObject(node, scope);
  },
  FunctionExpression: makeFunction,
  ArrowFunctionExpression: makeFunction,
  FunctionDeclaration: makeFunction,
  ClassExpression: makeClass,
  ClassDeclaration: makeClass,
  JSXElement(node, scope) {
    return this.readElement(node, scope);
  },
  JSXFragment(node, scope) {
    this.args(node.children, scope);
    return UNKNOWN;
  },
};

const not = (known: boolean | null) => (known === null ? null : !known);
