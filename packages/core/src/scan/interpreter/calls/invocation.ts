import type { Call } from "../../program/program.ts";
import type { Scope } from "../../program/scope.ts";
import { oneList } from "../builtins/builtin.ts";
import { itemsOf } from "../core/items.ts";
import type { Interpreter } from "../interpreter.ts";
import { taintOf } from "../text/text.ts";
import { type Frame, host, options, UNKNOWN, unknown, type Value } from "../value.ts";

/** The arguments of a call; with a limit, only the first ones are needed. */
export type Arguments = (limit?: number) => Value[];

/** A call of its actual target: `f.call`, `f.apply`, `f.bind` and `Reflect.apply` are unwrapped. */
export interface Invocation {
  target: Value;
  /** Evaluated on first use: most calls do not matter. */
  args: Arguments;
  /** The `this` that `call`, `apply` or `bind` passes. */
  receiver?: Value | undefined;
}

/** How many nested wrappers are unwrapped. */
const LAYERS = 6;

/** The actual targets of a call; several if the callee has alternatives. */
export function invocationsOf(interpreter: Interpreter, callee: Value, args: Arguments): Invocation[] {
  const found: Invocation[] = [];
  if (callee.kind === "function" || (callee.kind === "host" && !callee.path.startsWith("Reflect."))) {
    found.push({ target: callee, args });
    return found;
  }
  for (const target of options(callee)) {
    if (target.kind === "unknown") continue;
    unwrap(interpreter, target, args, LAYERS, found);
  }
  return found;
}

function unwrap(
  interpreter: Interpreter,
  target: Value,
  args: Arguments,
  layers: number,
  found: Invocation[],
  self?: Value,
): void {
  const again = (callee: Value | undefined, rest: () => Value[], by = self) => {
    if (callee === undefined || layers === 0) return;
    for (const option of options(callee)) unwrap(interpreter, option, rest, layers - 1, found, by);
  };
  if (target.kind === "bound") {
    again(target.target, () => [...target.args, ...args()], target.self ?? self);
    return;
  }
  if (target.kind === "method" && (target.name === "call" || target.name === "apply")) {
    const [receiver, ...rest] = args();
    // `f.call.call(g, …)` calls g.
    const { of } = target;
    if (of.kind === "method" && (of.name === "call" || of.name === "apply" || of.name === "bind")) {
      again(receiver === undefined ? undefined : { ...of, of: receiver }, () => rest);
      return;
    }
    if (of.kind === "host" && of.path === "Function.prototype") {
      again(receiver === undefined ? undefined : receiver, () => rest.slice(1), rest[0]);
      return;
    }
    again(of, () => (target.name === "call" ? rest : listItems(rest[0])), receiver);
    return;
  }
  if (target.kind === "host" && (target.path === "Reflect.apply" || target.path === "Reflect.construct")) {
    const [callee, second, third] = args();
    const applied = target.path === "Reflect.apply";
    again(callee, () => listItems(applied ? third : second), applied ? second : undefined);
    return;
  }
  found.push({ target, args, receiver: self });
}

function listItems(value: Value | undefined): Value[] {
  const given = value === undefined ? undefined : oneList(value);
  if (given?.kind === "list") return given.items;
  return value === undefined ? [] : [unknown(taintOf(value))];
}

/** The callee of a call expression. */
export function calleeOf(interpreter: Interpreter, node: Call, scope: Scope, env: Frame | null): Value {
  if (node.type === "ImportExpression") return host("import");
  if (node.callee.type === "Import") return host("import");
  return node.callee.type === "Super"
    ? parentOf(interpreter, scope, env)
    : interpreter.evaluate(node.callee, scope, env);
}

/** The class that `super(…)` constructs. */
export function parentOf(interpreter: Interpreter, scope: Scope, env: Frame | null): Value {
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    if (at.self?.kind !== "instance") continue;
    const { superClass } = at.self.node;
    return superClass ? interpreter.evaluate(superClass, at.parent ?? at, env) : UNKNOWN;
  }
  return UNKNOWN;
}

/**
 * The arguments of a call expression, evaluated on first use; with a limit, at least the first ones. A call that creates
 * an element has its children as further arguments, and each child again has its own.
 */
export function argumentsOf(
  interpreter: Interpreter,
  node: Call,
  scope: Scope,
  env: Frame | null,
): Arguments {
  let items: Value[] | undefined;
  return (limit) => {
    if (items !== undefined) return items;
    const nodes = node.type === "ImportExpression" ? [node.source] : node.arguments;
    if (limit !== undefined && nodes.length > limit)
      return itemsOf(interpreter, nodes.slice(0, limit), scope, env);
    items = itemsOf(interpreter, nodes, scope, env);
    return items;
  };
}
