import type * as t from "@babel/types";
import { MAX_CALLS, MAX_SCOPES } from "../limits.ts";
import { type Frame, Scope, varsOf } from "../scope.ts";
import { host, join, options, SPENT, UNDEFINED, UNKNOWN, type Closure, type Value } from "../value.ts";
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
  /** Functions that are running. */
  readonly #running = new Set<t.Node>();

  runProgram(program: t.Program): void {
    const frame: Frame = { self: host(""), closure: null, args: [], returned: [], yielded: [] };
    const scope = new Scope(null, 0, frame);
    for (const name of varsOf(program, true)) scope.declare(name, UNDEFINED);
    this.runBody(program.body, scope);
    for (const closure of this.#waiting) this.maybe(() => this.#look(closure));
  }

  /** A branch that may be taken (null), or that a known condition leaves out (false): looked at, but once. */
  branch<T>(known: boolean | null, work: () => T): T | Value {
    return known === null || !this.budget.repeats ? this.maybe(work) : UNKNOWN;
  }

  made(closure: Closure): Closure {
    const made = this.#made.get(closure.node) ?? 0;
    if (made === 0 || (made < MAX_SCOPES && this.budget.repeats && this.budget.left)) {
      this.#made.set(closure.node, made + 1);
      this.#waiting.push(closure);
    }
    return closure;
  }

  /** Runs a function on its own, with any arguments, as an event or the page may call it. The first look is not charged. */
  #look(closure: Closure): void {
    const look = () =>
      isClass(closure.node)
        ? this.#lookAtClass(closure)
        : this.#activate(closure, closure.home ?? UNKNOWN, null);
    if (!this.#looked.has(closure.node)) look();
    else if ((this.#made.get(closure.node) ?? 0) > 1) this.budget.repeat(look);
    this.#looked.add(closure.node);
  }

  #lookAtClass(of: Closure): void {
    const self = this.instance(of, null);
    for (const [held, on] of [
      ...[...(of.prototype?.props.values() ?? [])].map((one) => [one, self] as const),
      ...[...of.props.values()].map((one) => [one, of] as const),
    ])
      for (const part of held.kind === "accessor" ? [held.get, held.set] : [held])
        if (
          part.kind === "function" &&
          part.home !== null &&
          !isClass(part.node) &&
          !this.#looked.has(part.node)
        ) {
          this.#looked.add(part.node);
          this.#activate(part, on, null);
        }
  }

  callOwn(closure: Closure, self: Value, args: Value[]): Value {
    const { node } = closure;
    if (this.#calls >= MAX_CALLS || !this.budget.left) return SPENT;
    if (isClass(node) || (this.#running.has(node) && args.every(({ kind }) => kind === "unknown")))
      return UNKNOWN;
    const isFirst = !this.#running.has(node);
    // Called without arguments where it is made, this is its look.
    const isLook =
      args.length === 0 && node.params.length === 0 && !this.budget.repeats && !this.#looked.has(node);
    if (isLook) this.#looked.add(node);
    this.#calls++;
    this.#running.add(node);
    try {
      if (isLook) return this.#activate(closure, self, args);
      return this.budget.repeat(() => {
        const value = this.#activate(closure, self, args);
        return this.budget.left ? value : SPENT;
      });
    } finally {
      this.#calls--;
      if (isFirst) this.#running.delete(node);
    }
  }

  /** A new object of a class or function of the file; without arguments when any may be given. */
  instance(of: Closure, args: Value[] | null): Value {
    const self = this.object([], of.prototype);
    this.#initialise(of, self, args, of.node);
    return self;
  }

  /** Sets the fields of a class and runs its constructor on an object. */
  #initialise(of: Closure, self: Value, args: Value[] | null, node: t.Node): void {
    if (args !== null && (this.#calls >= MAX_CALLS || !this.budget.left)) return;
    if (!isClass(of.node)) {
      this.callOwn(of, self, args ?? []);
      return;
    }
    this.#calls++;
    const scope = new Scope(of.scope, this.context, { ...of.scope.frame, self, closure: of });
    const own = of.props.get("#constructor");
    if (own === undefined) this.superCall(of, self, args ?? [], node);
    for (const member of of.node.body.body)
      if ((member.type === "ClassProperty" || member.type === "ClassPrivateProperty") && !member.static)
        this.write(self, this.key(member, scope), this.evaluate(member.value, scope), member);
    if (own?.kind === "function") this.#activate(own, self, args);
    this.#calls--;
  }

  superCall(of: Value | null | undefined, self: Value, args: Value[], node: t.Node): void {
    const parent = of?.kind === "function" ? of.home : null;
    for (const option of options(parent ?? UNKNOWN))
      if (option.kind === "function") this.#initialise(option, self, args, node);
      else this.construct(option, args, node);
  }

  /** Runs the body of a function; without `args` any may be given. */
  #activate(closure: Closure, self: Value, args: Value[] | null): Value {
    const node = closure.node as t.Function;
    const outer = closure.scope.frame;
    const own = node.type === "ArrowFunctionExpression" ? outer : { self, closure, args: args ?? [] };
    const frame: Frame = { ...own, returned: [], yielded: [] };
    const scope = new Scope(closure.scope, this.context, frame);
    if (node.type === "FunctionExpression" && node.id != null) scope.declare(node.id.name, closure);
    node.params.forEach((param, at) => {
      if (param.type === "RestElement")
        this.bind(param.argument, this.list(args?.slice(at) ?? [UNKNOWN]), scope, "declare");
      else this.bind(param, args === null ? UNKNOWN : (args[at] ?? UNDEFINED), scope, "declare");
    });
    if (node.body.type !== "BlockStatement") return this.evaluate(node.body, scope);
    for (const name of varsOf(node.body, false)) if (!scope.names.has(name)) scope.declare(name, UNDEFINED);
    const ended = this.runBody(node.body.body, scope);
    if (node.generator === true) return this.list(frame.yielded);
    if (ended === null) frame.returned.push(UNDEFINED);
    return join(frame.returned);
  }
}

function isClass(node: t.Node): node is t.Class {
  return node.type === "ClassDeclaration" || node.type === "ClassExpression";
}
