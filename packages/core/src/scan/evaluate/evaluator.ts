import type * as t from "@babel/types";
import { MAX_CALLS } from "../limits.ts";
import {
  type Closure,
  type Frame,
  host,
  join,
  Scope,
  SPENT,
  UNDEFINED,
  UNKNOWN,
  type Value,
} from "../value.ts";
import { Statements } from "./statements.ts";

/**
 * Runs a program on values that may be unknown: statements in order, both branches of an unknown condition, and each function once by
 * itself, in addition to its calls. No function of the file really runs: the evaluator evaluates its body. Calls of the browser's functions
 * are reported as acts. Only pure functions and methods (natives.ts) really run.
 */
export class Evaluator extends Statements {
  readonly #running: t.Node[] = [];
  /** Functions without parameters that a call has evaluated, so that runProgram need not evaluate them again by themselves. */
  readonly #looked = new Set<t.Node>();

  runProgram(program: t.Program): void {
    const frame: Frame = { self: host(""), returned: [], vars: null };
    this.runBody(program.body, new Scope(null, frame));
    for (const [node, closure] of this.waiting)
      if (!this.#looked.has(node)) this.maybe(() => this.#activate(closure, closure.home ?? UNKNOWN, null));
  }

  callOwn(closure: Closure, self: Value, args: Value[]): Value {
    const { node } = closure;
    if (this.#running.length >= MAX_CALLS || !this.budget.left) return SPENT;
    // A recursive call without any known argument would evaluate the same again, so its result is unknown.
    const isKnown = args.some(({ kind }) => kind === "constant");
    if (!("params" in node) || (!isKnown && this.#running.includes(node))) return UNKNOWN;
    // The first call of a function without parameters replaces the evaluation that runProgram makes, so this call is not charged.
    const isLook = node.params.length === 0 && !this.budget.repeats && !this.#looked.has(node);
    if (isLook) this.#looked.add(node);
    this.#running.push(node);
    const run = () => this.#activate(closure, self, args);
    const value = isLook ? run() : this.budget.repeat(run);
    this.#running.pop();
    return isLook || this.budget.left ? value : SPENT;
  }

  /** Runs the body of a function. Without `args` every argument is unknown: an event or the page may call the function with any value. */
  #activate(closure: Closure, self: Value, args: Value[] | null): Value {
    const node = closure.node as t.Function;
    const own = node.type === "ArrowFunctionExpression" ? closure.scope.frame.self : self;
    const frame: Frame = { self: own, returned: [], vars: null };
    const scope = new Scope(closure.scope, frame);
    for (const [at, param] of node.params.entries()) {
      const given = args === null ? UNKNOWN : (args[at] ?? UNDEFINED);
      const rest = () => this.list(args?.slice(at) ?? [given]);
      this.bind(param, param.type === "RestElement" ? rest() : given, scope, scope);
    }
    if (node.body.type !== "BlockStatement") return this.evaluate(node.body, scope);
    const ended = this.runBody(node.body.body, scope);
    return join(ended === null ? [...frame.returned, UNDEFINED] : frame.returned);
  }
}
