import type * as t from "@babel/types";
import { constant, host, not, options, Scope, truth, UNKNOWN, type Value } from "../value.ts";
import { Expressions } from "./expressions.ts";

/** How a statement certainly ends its block, so that the next statement does not run. */
type End = "return" | "throw" | "break" | "continue";
type Run<N> = (run: Statements, node: N, scope: Scope) => End | null | undefined;
/** Begins a round of a loop in the round's own scope. Returns whether the round takes place; null if this is unknown. */
type Condition = (scope: Scope) => boolean | null;
type Table = { [K in t.Node["type"]]?: Run<Extract<t.Node, { type: K }>> };

/** Runs statements in their order. */
export abstract class Statements extends Expressions {
  /** Runs the statements of a block until one certainly ends it. Declares functions and imports first, as JavaScript does (hoisting). */
  runBody(body: readonly t.Statement[], scope: Scope): End | null {
    for (const statement of body) {
      const node = ("declaration" in statement ? statement.declaration : null) ?? statement;
      if (node.type === "FunctionDeclaration" && node.id != null)
        scope.declare(node.id.name, this.evaluate(node, scope), this.context);
      if (node.type === "ImportDeclaration" && node.importKind !== "type") this.#declareImports(node, scope);
    }
    for (const statement of body) {
      const end = this.run(statement, scope);
      if (end !== null) return end;
    }
    return null;
  }

  #declareImports(node: t.ImportDeclaration, scope: Scope): void {
    const path = `npm:${node.source.value.replace(/^node:/, "")}`;
    for (const one of node.specifiers) {
      if (one.type === "ImportSpecifier" && one.importKind === "type") continue;
      const name = one.type === "ImportSpecifier" ? this.key({ key: one.imported }, scope) : "default";
      scope.declare(one.local.name, this.member(host(path), name), this.context);
    }
  }

  run(node: t.Statement | null | undefined, scope: Scope): End | null {
    if (node == null || (this.budget.repeats && !this.budget.charge())) return null;
    const run = STATEMENTS[node.type] as Run<t.Node> | undefined;
    return run?.(this, node, scope) ?? null;
  }

  /** Runs a branch that is taken (`known` is true), may be taken (null), or is excluded by a known condition (false). */
  runBranch(known: boolean | null, node: t.Statement | null | undefined, scope: Scope): End | null {
    const end = known === true ? this.run(node, scope) : this.branch(known, () => this.run(node, scope));
    return known === false ? null : end;
  }

  /** Runs a loop while its condition is known to be true, and once if it is unknown. The first round is not charged. */
  runLoop(body: t.Statement, scope: Scope, start: Condition, next = () => {}): End | null {
    let end: End | null = null;
    const round = (): boolean => {
      const inner = new Scope(scope, scope.frame);
      const go = start(inner);
      const taken = this.runBranch(go, body, inner);
      end = go === true ? taken : null;
      const goesOn = go === true && (end === null || end === "continue");
      if (goesOn) next();
      return goesOn;
    };
    const more = () => {
      while (this.budget.charge() && round());
    };
    if (round()) this.budget.repeat(more);
    return end === "return" || end === "throw" ? end : null;
  }

  /** Runs a loop over items, or, if `items` is null, once with an unknown item. */
  runEach({ left, body }: t.ForXStatement, outer: Scope, items: readonly Value[] | null): End | null {
    let at = 0;
    return this.runLoop(body, outer, (scope) => {
      const go = items === null ? null : at < items.length;
      const item = items?.[at++] ?? UNKNOWN;
      if (left.type !== "VariableDeclaration") this.bind(left, item, scope);
      else this.bind(left.declarations[0]?.id, item, scope, left.kind === "var" ? outer : scope);
      return go;
    });
  }
}

const evaluate: Run<{ expression: t.Node }> = (run, node, scope) => {
  run.evaluate(node.expression, scope);
};
const body: Run<{ body: t.Statement }> = (run, node, scope) => run.run(node.body, scope);

const loop: Run<t.WhileStatement | t.DoWhileStatement> = (run, node, scope) =>
  run.runLoop(node.body, scope, () => truth(run.evaluate(node.test, scope)));
const load: Run<t.ExportAllDeclaration | t.ExportNamedDeclaration> = (run, node, scope) => {
  if (node.source != null) run.import(constant(node.source.value), node);
  return "declaration" in node ? run.run(node.declaration, scope) : null;
};

const STATEMENTS: Table = {
  ExpressionStatement: evaluate,
  TSExportAssignment: evaluate,
  BlockStatement: (run, node, scope) => run.runBody(node.body, new Scope(scope, scope.frame)),
  VariableDeclaration: (run, node, scope) => {
    const vars = node.kind === "var" ? (scope.frame.vars ?? scope) : scope;
    for (const { id, init } of node.declarations) {
      // A `var` without a value does not reset a declared name. At the top of a file it resets no name: `location` may be the page's.
      const isDeclared = id.type === "Identifier" && (vars.parent === null || vars.names.has(id.name));
      if (node.declare === true || (init == null && node.kind === "var" && isDeclared)) continue;
      run.bind(id, run.evaluate(init, scope), scope, vars);
    }
  },
  ClassDeclaration: (run, node, scope) => {
    if (node.declare !== true && node.id != null)
      scope.declare(node.id.name, run.evaluate(node, scope), run.context);
  },
  ReturnStatement: (run, node, scope) => {
    scope.frame.returned.push(run.evaluate(node.argument, scope));
    return "return";
  },
  ThrowStatement: (run, node, scope) => {
    run.evaluate(node.argument, scope);
    return "throw";
  },
  BreakStatement: () => "break",
  ContinueStatement: () => "continue",
  IfStatement: (run, node, scope) => {
    const known = truth(run.evaluate(node.test, scope));
    const yes = run.runBranch(known, node.consequent, scope);
    const no = run.runBranch(not(known), node.alternate, scope);
    return known !== null || (yes !== null && no !== null) ? (yes ?? no) : null;
  },
  WithStatement: body,
  LabeledStatement: body,
  TryStatement: (run, node, scope) => {
    const end = run.run(node.block, scope);
    const inner = new Scope(scope, scope.frame);
    run.bind(node.handler?.param, UNKNOWN, inner, inner);
    const isCaught = end === "throw" && node.handler != null;
    const handled = run.runBranch(isCaught ? true : null, node.handler?.body, inner);
    return run.run(node.finalizer, scope) ?? (isCaught ? handled : end);
  },
  SwitchStatement: (run, node, outer) => {
    const scope = new Scope(outer, outer.frame);
    run.evaluate(node.discriminant, scope);
    for (const { consequent } of node.cases) run.branch(null, () => run.runBody(consequent, scope));
  },
  ForStatement: (run, node, outer) => {
    const scope = new Scope(outer, outer.frame);
    if (node.init?.type === "VariableDeclaration") run.run(node.init, scope);
    else run.evaluate(node.init, scope);
    const start = () => (node.test == null ? true : truth(run.evaluate(node.test, scope)));
    return run.runLoop(node.body, scope, start, () => run.evaluate(node.update, scope));
  },
  WhileStatement: loop,
  DoWhileStatement: loop,
  ForOfStatement: (run, node, scope) => {
    const items = run.items(run.evaluate(node.right, scope));
    return run.runEach(node, scope, items[0] === UNKNOWN ? null : [...items]);
  },
  ForInStatement: (run, node, scope) => {
    const [of = UNKNOWN] = options(run.evaluate(node.right, scope));
    const keys = of.kind === "object" ? [...of.props.keys()].map(constant) : null;
    return run.runEach(node, scope, keys);
  },
  ImportDeclaration: (run, node) => {
    if (node.importKind !== "type") run.import(constant(node.source.value), node);
  },
  ExportAllDeclaration: load,
  ExportNamedDeclaration: load,
  ExportDefaultDeclaration: (run, { declaration }, scope) => {
    const isDeclared = declaration.type === "FunctionDeclaration" && declaration.id != null;
    if (!isDeclared) run.evaluate(declaration, scope);
  },
};
