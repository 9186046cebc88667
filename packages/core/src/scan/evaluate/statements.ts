import type * as t from "@babel/types";
import { Scope } from "../scope.ts";
import {
  constant,
  host,
  NOT_KNOWN,
  options,
  toPlain,
  truth,
  UNDEFINED,
  UNKNOWN,
  type Value,
} from "../value.ts";
import { Expressions } from "./expressions.ts";

/** How a statement ended for certain, if it did not go on to the next one. */
interface End {
  kind: "return" | "throw" | "break" | "continue";
  label: string | null;
  value: Value;
}
type Run<N> = (this: Statements, node: N, scope: Scope, label: string | null) => End | null;
type Table = { [K in t.Node["type"]]?: Run<Extract<t.Node, { type: K }>> };

/** Statements, run in their order. */
export abstract class Statements extends Expressions {
  /** Set when a branch that may be taken returned or broke out. */
  #mayHaveEnded = false;

  /** Declares the names of a block and runs its statements until one ends it for certain. */
  runBody(body: readonly t.Statement[], scope: Scope): End | null {
    for (const statement of body) this.#hoist(statement, scope);
    for (const statement of body) {
      const end = this.run(statement, scope);
      if (end !== null) return end;
    }
    return null;
  }

  /** Functions and imports have their values before the first statement. */
  #hoist(statement: t.Statement, scope: Scope): void {
    const isExport =
      statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration";
    const node = (isExport ? statement.declaration : null) ?? statement;
    if (node.type === "FunctionDeclaration" && node.id != null && node.declare !== true)
      scope.declare(node.id.name, this.evaluate(node, scope), this.context);
    if (node.type !== "ImportDeclaration" || node.importKind === "type") return;
    const path = `npm:${node.source.value.replace(/^node:/, "")}`;
    for (const one of node.specifiers) {
      if (one.type === "ImportSpecifier" && one.importKind === "type") continue;
      const name = one.type === "ImportSpecifier" ? this.key({ key: one.imported }, scope) : "default";
      scope.declare(one.local.name, host(name === "default" ? path : `${path}.${name}`), this.context);
    }
  }

  run(node: t.Statement | null | undefined, scope: Scope, label: string | null = null): End | null {
    if (node == null || (this.budget.repeats && !this.budget.charge())) return null;
    const run = STATEMENTS[node.type] as Run<t.Node> | undefined;
    return run === undefined ? null : run.call(this, node, scope, label);
  }

  block(scope: Scope): Scope {
    return new Scope(scope, scope.frame);
  }

  /** Runs a branch that may be taken, or that a known condition leaves out: it could be wrong once. */
  runBranch(known: boolean | null, node: t.Statement | null | undefined, scope: Scope): End | null {
    if (known === true) return this.run(node, scope);
    const end = this.branch(known, () => this.run(node, scope));
    if (known === null && end !== null) this.#mayHaveEnded = true;
    return known === null ? end : null;
  }

  /** Runs a loop while its condition is known, and once if it is not. The first round is not charged. */
  runLoop(
    node: t.Loop,
    label: string | null,
    start: () => { go: boolean | null; scope: Scope },
    next = () => {},
  ): End | null {
    const round = (): { end: End | null } | null => {
      const { go, scope } = start();
      this.#mayHaveEnded = false;
      const end = this.runBranch(go, node.body, scope);
      if (go !== true) return { end: null };
      const own = end?.label === null || end?.label === label;
      if (end !== null && !(own && end.kind === "continue"))
        return { end: own && end.kind === "break" ? null : end };
      next();
      // What comes after a round that may have been the last is not known.
      return this.#mayHaveEnded ? { end: null } : null;
    };
    let last = round();
    if (last === null)
      this.spoilable(() =>
        this.budget.repeat(() => {
          while (last === null && this.budget.charge()) last = round();
          return last !== null && this.budget.left;
        }),
      );
    return last === null ? null : (last as { end: End | null }).end;
  }

  /** Runs a loop over items, once with an unknown one if they are not known. */
  runEach(
    node: t.ForXStatement,
    label: string | null,
    outer: Scope,
    items: readonly Value[] | null,
  ): End | null {
    let at = 0;
    return this.runLoop(node, label, () => {
      const scope = this.block(outer);
      const go = items === null ? null : at < items.length;
      const { left } = node;
      const item = items?.[at++] ?? UNKNOWN;
      if (left.type !== "VariableDeclaration") this.bind(left, item, scope);
      else this.bind(left.declarations[0]?.id, item, scope, varsOf(left, scope));
      return { go, scope };
    });
  }

  runSwitch(node: t.SwitchStatement, outer: Scope): End | null {
    const scope = this.block(outer);
    const on = toPlain(this.evaluate(node.discriminant, scope));
    const tests = node.cases.map(({ test }) =>
      test == null ? undefined : toPlain(this.evaluate(test, scope)),
    );
    const isKnown = on !== NOT_KNOWN && !tests.includes(NOT_KNOWN);
    const found = isKnown ? tests.indexOf(on) : -1;
    const from = found < 0 ? node.cases.findIndex(({ test }) => test == null) : found;
    let end: End | null = null;
    for (const [at, { consequent }] of node.cases.entries()) {
      if (isKnown && at >= from && from >= 0 && end === null) end = this.runBody(consequent, scope);
      else this.branch(isKnown ? false : null, () => this.runBody(consequent, this.block(scope)));
    }
    if (!isKnown) this.#mayHaveEnded = true;
    return end?.kind === "break" && end.label === null ? null : end;
  }

  runTry(node: t.TryStatement, scope: Scope): End | null {
    let end = this.run(node.block, scope);
    const thrown = end?.kind === "throw" ? end.value : null;
    if (node.handler != null) {
      const inner = this.block(scope);
      this.bind(node.handler.param, thrown ?? UNKNOWN, inner, inner);
      const handled = this.runBranch(thrown === null ? null : true, node.handler.body, inner);
      if (thrown !== null) end = handled;
    }
    return this.run(node.finalizer, scope) ?? end;
  }
}

/** Where a declaration adds its names. */
function varsOf(node: t.VariableDeclaration, scope: Scope): Scope {
  if (node.kind !== "var") return scope;
  let outer = scope;
  while (outer !== scope.frame.vars && outer.parent !== null) outer = outer.parent;
  return outer;
}

const end = (kind: End["kind"], label: t.Identifier | null = null, value: Value = UNKNOWN): End => ({
  kind,
  label: label?.name ?? null,
  value,
});

const STATEMENTS: Table = {
  ExpressionStatement(node, scope) {
    this.evaluate(node.expression, scope);
    return null;
  },
  BlockStatement(node, scope) {
    return this.runBody(node.body, this.block(scope));
  },
  VariableDeclaration(node, scope) {
    for (const { id, init } of node.declarations) {
      // At the top of a file a `var` without a value may be a name of the page.
      const isPage = node.kind === "var" && scope.frame.vars === null;
      const isAgain = node.kind === "var" && id.type === "Identifier" && scope.frame.vars?.names.has(id.name);
      if (node.declare === true || (init == null && (isPage || isAgain))) continue;
      this.bind(id, this.evaluate(init, scope), scope, varsOf(node, scope));
    }
    return null;
  },
  ClassDeclaration(node, scope) {
    const made = node.declare === true ? null : this.evaluate(node, scope);
    if (made !== null && node.id != null) scope.declare(node.id.name, made, this.context);
    return null;
  },
  ReturnStatement(node, scope) {
    scope.frame.returned.push(this.evaluate(node.argument, scope));
    return end("return");
  },
  ThrowStatement(node, scope) {
    return end("throw", null, this.evaluate(node.argument, scope));
  },
  BreakStatement: (node) => end("break", node.label),
  ContinueStatement: (node) => end("continue", node.label),
  IfStatement(node, scope) {
    const known = truth(this.evaluate(node.test, scope));
    const yes = this.runBranch(known, node.consequent, scope);
    const no = this.runBranch(known === null ? null : !known, node.alternate, scope);
    return known === null ? (yes !== null && no !== null ? yes : null) : (yes ?? no);
  },
  LabeledStatement(node, scope) {
    const ended = this.run(node.body, scope, node.label.name);
    return ended?.label === node.label.name ? null : ended;
  },
  TryStatement(node, scope) {
    return this.runTry(node, scope);
  },
  SwitchStatement(node, scope) {
    return this.runSwitch(node, scope);
  },
  ForStatement(node, outer, label) {
    const scope = this.block(outer);
    if (node.init?.type === "VariableDeclaration") this.run(node.init, scope);
    else this.evaluate(node.init, scope);
    const start = () => ({ go: node.test == null ? true : truth(this.evaluate(node.test, scope)), scope });
    return this.runLoop(node, label, start, () => this.evaluate(node.update, scope));
  },
  WhileStatement(node, scope, label) {
    return this.runLoop(node, label, () => ({ go: truth(this.evaluate(node.test, scope)), scope }));
  },
  DoWhileStatement(node, scope, label) {
    let first = true;
    const start = () => ({ go: first || truth(this.evaluate(node.test, scope)), scope });
    return this.runLoop(node, label, start, () => {
      first = false;
    });
  },
  ForOfStatement(node, scope, label) {
    const of = this.evaluate(node.right, scope);
    const items = this.items(of);
    return this.runEach(
      node,
      label,
      scope,
      options(of)[0]?.kind === "unknown" || items[0] === UNKNOWN ? null : [...items],
    );
  },
  ForInStatement(node, scope, label) {
    const [of = UNKNOWN] = options(this.evaluate(node.right, scope));
    const keys =
      of.kind === "object" ? [...of.props.keys()] : of.kind === "list" ? [...of.items.keys()] : null;
    return this.runEach(node, label, scope, keys?.map((key) => constant(String(key))) ?? null);
  },
  WithStatement(node, scope) {
    const inner = this.block(scope);
    for (const of of options(this.evaluate(node.object, scope)))
      if (of.kind === "object")
        for (const [name, value] of of.props) inner.declare(name, value, this.context);
    return this.run(node.body, inner);
  },
  ImportDeclaration(node) {
    if (node.importKind !== "type") this.act({ kind: "import", address: constant(node.source.value), node });
    return null;
  },
  ExportAllDeclaration(node) {
    this.act({ kind: "import", address: constant(node.source.value), node });
    return null;
  },
  ExportNamedDeclaration(node, scope) {
    if (node.source != null) this.act({ kind: "import", address: constant(node.source.value), node });
    return this.run(node.declaration, scope);
  },
  ExportDefaultDeclaration({ declaration }, scope) {
    if (declaration.type === "ClassDeclaration") return this.run(declaration, scope);
    if (declaration.type !== "FunctionDeclaration" || declaration.id == null)
      this.evaluate(declaration, scope);
    return null;
  },
  TSExportAssignment(node, scope) {
    this.evaluate(node.expression, scope);
    return null;
  },
  TSEnumDeclaration(node, outer) {
    const scope = this.block(outer);
    for (const [at, { id, initializer }] of node.body.members.entries())
      scope.declare(
        this.key({ key: id }, scope),
        initializer == null ? constant(at) : this.evaluate(initializer, scope),
      );
    const entries = [...scope.names].map(([name, { value }]) => [name, value] as const);
    if (node.declare !== true) outer.declare(node.id.name, this.object(entries), this.context);
    return null;
  },
  TSModuleDeclaration(node, scope) {
    if (node.declare !== true && node.body?.type === "TSModuleBlock")
      this.runBody(node.body.body, this.block(scope));
    return null;
  },
};
