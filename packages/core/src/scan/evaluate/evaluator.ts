import type * as t from "@babel/types";
import { MAX_CALLS, MAX_SCOPES } from "../limits.ts";
import { type Frame, Scope } from "../scope.ts";
import { type Closure, host, join, SPENT, UNDEFINED, UNKNOWN, type Value } from "../value.ts";
import { Statements } from "./statements.ts";

/**
 * Runs a program on values that may be unknown: statements in their order, both branches of a condition that is not
 * known, and each function once by itself besides its calls. It calls no function of the browser and none of the file:
 * those of the file are evaluated, those of the browser are acts that it tells of.
 */
export class Evaluator extends Statements {
  #calls = 0;
  /** Functions that wait to be looked at by themselves, how often each was made, and those that were looked at. */
  readonly #waiting: Closure[] = [];
  readonly #made = new Map<t.Node, number>();
  readonly #looked = new Set<t.Node>();
  readonly #running = new Set<t.Node>();

  runProgram(program: t.Program): void {
    const frame: Frame = { self: host(""), closure: null, args: [], returned: [], yielded: [], vars: null };
    this.runBody(program.body, new Scope(null, frame));
    for (const closure of this.#waiting) this.maybe(() => this.#look(closure));
  }

  /** A branch that may be taken (null), or that a known condition leaves out (false): looked at, but once. */
  branch<T>(known: boolean | null, work: () => T): T | null {
    return known === null || !this.budget.repeats ? this.maybe(work) : null;
  }

  made(closure: Closure): Closure {
    const made = this.#made.get(closure.node) ?? 0;
    if (made === 0 || (made < MAX_SCOPES && this.budget.repeats && this.budget.left)) {
      this.#made.set(closure.node, made + 1);
      this.#waiting.push(closure);
    }
    return closure;
  }

  /** Runs a function with any arguments, as an event or the page may call it. The first look is not charged. */
  #look(closure: Closure): void {
    const look = () => this.#activate(closure, closure.home ?? UNKNOWN, null);
    if (!this.#looked.has(closure.node)) look();
    else if ((this.#made.get(closure.node) ?? 0) > 1) this.budget.repeat(look);
    this.#looked.add(closure.node);
  }

  callOwn(closure: Closure, self: Value, args: Value[]): Value {
    const { node } = closure;
    if (this.#calls >= MAX_CALLS || !this.budget.left) return SPENT;
    const isFirst = !this.#running.has(node);
    if (!("params" in node) || (!isFirst && args.every(({ kind }) => kind === "unknown"))) return UNKNOWN;
    // Called without arguments where it is made, this is its look.
    const isLook =
      args.length === 0 && node.params.length === 0 && !this.budget.repeats && !this.#looked.has(node);
    if (isLook) this.#looked.add(node);
    this.#calls++;
    this.#running.add(node);
    const run = () => this.#activate(closure, self, args);
    const charged = () => {
      const value = run();
      return this.budget.left ? value : SPENT;
    };
    const value = isLook ? run() : this.budget.repeat(charged);
    this.#calls--;
    if (isFirst) this.#running.delete(node);
    return value;
  }

  /** Runs the body of a function; without `args` any may be given. */
  #activate(closure: Closure, self: Value, args: Value[] | null): Value {
    const node = closure.node as t.Function;
    const outer = closure.scope.frame;
    const own = node.type === "ArrowFunctionExpression" ? outer : { self, closure, args: args ?? [] };
    const frame: Frame = { ...own, returned: [], yielded: [], vars: null };
    const scope = new Scope(closure.scope, frame);
    frame.vars = scope;
    if (node.type === "FunctionExpression" && node.id != null)
      scope.declare(node.id.name, closure, this.context);
    for (const [at, param] of node.params.entries()) {
      const given = args === null ? UNKNOWN : (args[at] ?? UNDEFINED);
      this.bind(
        param,
        param.type === "RestElement" ? this.list(args?.slice(at) ?? [given]) : given,
        scope,
        scope,
      );
    }
    if (node.body.type !== "BlockStatement") return this.evaluate(node.body, scope);
    const ended = this.runBody(node.body.body, scope);
    if (node.generator === true) return this.list(frame.yielded);
    if (ended === null) frame.returned.push(UNDEFINED);
    return join(frame.returned);
  }
}
