import type * as t from "@babel/types";
import { makeClass } from "./classes.ts";
import type { Evaluator } from "./evaluator.ts";
import { bindImports, makeEnum, makeNamespace } from "./modules.ts";
import { assign, bindPattern } from "./patterns.ts";
import { declarationsOf, namesOf, Scope } from "./scope.ts";
import { constant, knownText, options, truth, UNDEFINED, UNKNOWN, type Value } from "./value.ts";

/** How a statement ended for certain, if it did not go on to the next one. */
interface End {
  kind: "return" | "throw" | "break" | "continue";
  label: string | null;
  value: Value;
}
type Run<N extends t.Node> = (
  evaluator: Evaluator,
  node: N,
  scope: Scope,
  label: string | null,
) => End | null;
type Table = { [K in t.Node["type"]]?: Run<Extract<t.Node, { type: K }>> };

/** Declares the names of a block that are known in all of it. */
export function hoistBlock(evaluator: Evaluator, body: readonly t.Statement[], scope: Scope): void {
  for (const node of declarationsOf(body))
    switch (node.type) {
      case "FunctionDeclaration":
        if (node.id != null) scope.declare(node.id.name, evaluator.evaluate(node, scope));
        break;
      case "ImportDeclaration":
        bindImports(node, scope);
        break;
      case "VariableDeclaration":
        if (node.kind !== "var")
          for (const { id } of node.declarations) for (const name of namesOf(id)) scope.hoist(name);
        break;
      case "TSImportEqualsDeclaration":
      case "TSEnumDeclaration":
      case "ClassDeclaration":
        if (node.id != null) scope.hoist(node.id.name);
    }
}

/** Runs statements until one ends the block for certain. */
export function runBlock(evaluator: Evaluator, body: readonly t.Statement[], scope: Scope): End | null {
  for (const statement of body) {
    const end = run(evaluator, statement, scope);
    if (end !== null) return end;
  }
  return null;
}

function run(
  evaluator: Evaluator,
  node: t.Statement | null | undefined,
  scope: Scope,
  label: string | null = null,
) {
  if (node == null) return null;
  if (evaluator.budget.repeats && !evaluator.budget.step()) return null;
  const known = STATEMENTS[node.type] as Run<t.Node> | undefined;
  return known === undefined ? null : known(evaluator, node, scope, label);
}

/** Runs a branch that may be taken or not; that it may end the block is noted. */
function runMaybe(evaluator: Evaluator, node: t.Statement | null | undefined, scope: Scope): End | null {
  const end = evaluator.maybe(() => run(evaluator, node, scope));
  if (end !== null) evaluator.mayHaveEnded = true;
  return end;
}

const STATEMENTS: Table = {
  ExpressionStatement(evaluator, node, scope) {
    evaluator.evaluate(node.expression, scope);
    return null;
  },
  BlockStatement(evaluator, node, scope) {
    const inner = new Scope(scope, evaluator.context, scope.frame);
    hoistBlock(evaluator, node.body, inner);
    return runBlock(evaluator, node.body, inner);
  },
  VariableDeclaration(evaluator, node, scope) {
    if (node.declare === true) return null;
    for (const { id, init } of node.declarations) {
      if (init == null && node.kind === "var") continue;
      const value = init == null ? UNDEFINED : evaluator.evaluate(init, scope);
      bindPattern(evaluator, id, value, scope, node.kind === "var" ? "assign" : "declare");
    }
    return null;
  },
  ClassDeclaration(evaluator, node, scope) {
    if (node.declare === true) return null;
    const made = makeClass(evaluator, node, scope);
    if (node.id != null) scope.declare(node.id.name, made);
    return null;
  },
  ReturnStatement(evaluator, node, scope) {
    const value = evaluator.evaluate(node.argument, scope);
    if (scope.frame.returned.length < 16) scope.frame.returned.push(value);
    return { kind: "return", label: null, value };
  },
  ThrowStatement: (evaluator, node, scope) => ({
    kind: "throw",
    label: null,
    value: evaluator.evaluate(node.argument, scope),
  }),
  BreakStatement: (_, node) => ({ kind: "break", label: node.label?.name ?? null, value: UNKNOWN }),
  ContinueStatement: (_, node) => ({ kind: "continue", label: node.label?.name ?? null, value: UNKNOWN }),
  IfStatement(evaluator, node, scope) {
    const known = truth(evaluator.evaluate(node.test, scope));
    if (known !== null) {
      evaluator.skip(known ? node.alternate : node.consequent, scope);
      return run(evaluator, known ? node.consequent : node.alternate, scope);
    }
    const [yes, no] = [
      runMaybe(evaluator, node.consequent, scope),
      runMaybe(evaluator, node.alternate, scope),
    ];
    return yes !== null && no !== null ? yes : null;
  },
  LabeledStatement(evaluator, node, scope) {
    const end = run(evaluator, node.body, scope, node.label.name);
    return end?.label === node.label.name ? null : end;
  },
  TryStatement(evaluator, node, scope) {
    let end = run(evaluator, node.block, scope);
    const { handler } = node;
    if (handler != null) {
      const inner = new Scope(scope, evaluator.context, scope.frame);
      const thrown = end?.kind === "throw" ? end.value : UNKNOWN;
      if (handler.param != null) bindPattern(evaluator, handler.param, thrown, inner, "declare");
      if (end?.kind === "throw") end = run(evaluator, handler.body, inner);
      else runMaybe(evaluator, handler.body, inner);
    }
    return run(evaluator, node.finalizer, scope) ?? end;
  },
  SwitchStatement: runSwitch,
  ForStatement(evaluator, node, scope, label) {
    const outer = new Scope(scope, evaluator.context, scope.frame);
    if (node.init?.type === "VariableDeclaration") run(evaluator, node.init, outer);
    else evaluator.evaluate(node.init, outer);
    const test = () => (node.test == null ? true : truth(evaluator.evaluate(node.test, outer)));
    return runRounds(evaluator, node, outer, label, test, () => evaluator.evaluate(node.update, outer));
  },
  WhileStatement: (evaluator, node, scope, label) =>
    runRounds(evaluator, node, scope, label, () => truth(evaluator.evaluate(node.test, scope))),
  DoWhileStatement(evaluator, node, scope, label) {
    let first = true;
    const test = () => first || truth(evaluator.evaluate(node.test, scope));
    return runRounds(evaluator, node, scope, label, test, () => {
      first = false;
    });
  },
  ForOfStatement: (evaluator, node, scope, label) =>
    runEach(evaluator, node, scope, label, itemsOf(evaluator.evaluate(node.right, scope))),
  ForInStatement: (evaluator, node, scope, label) =>
    runEach(evaluator, node, scope, label, keysOf(evaluator.evaluate(node.right, scope))),
  WithStatement(evaluator, node, scope) {
    const inner = new Scope(scope, evaluator.context, scope.frame);
    for (const of of options(evaluator.evaluate(node.object, scope)))
      if (of.kind === "object") for (const [name, value] of of.props) inner.declare(name, value);
    return run(evaluator, node.body, inner);
  },
  ImportDeclaration(evaluator, node) {
    if (node.importKind !== "type")
      evaluator.act({ kind: "import", address: constant(node.source.value), node });
    return null;
  },
  ExportAllDeclaration(evaluator, node) {
    evaluator.act({ kind: "import", address: constant(node.source.value), node });
    return null;
  },
  ExportNamedDeclaration(evaluator, node, scope) {
    if (node.source != null && node.exportKind !== "type")
      evaluator.act({ kind: "import", address: constant(node.source.value), node });
    return run(evaluator, node.declaration, scope);
  },
  ExportDefaultDeclaration(evaluator, { declaration }, scope) {
    if (declaration.type === "ClassDeclaration") return run(evaluator, declaration, scope);
    const hoisted = declaration.type === "FunctionDeclaration" && declaration.id != null;
    if (!hoisted && declaration.type !== "TSDeclareFunction") evaluator.evaluate(declaration, scope);
    return null;
  },
  TSExportAssignment(evaluator, node, scope) {
    evaluator.evaluate(node.expression, scope);
    return null;
  },
  TSEnumDeclaration(evaluator, node, scope) {
    if (node.declare !== true) scope.declare(node.id.name, makeEnum(evaluator, node, scope));
    return null;
  },
  TSModuleDeclaration(evaluator, node, scope) {
    if (node.declare !== true) makeNamespace(evaluator, node, scope);
    return null;
  },
  TSImportEqualsDeclaration(evaluator, node, scope) {
    const of = node.moduleReference;
    if (of.type !== "TSExternalModuleReference") scope.declare(node.id.name, entity(evaluator, of, scope));
    return null;
  },
};

function entity(evaluator: Evaluator, node: t.Node, scope: Scope): Value {
  return node.type === "TSQualifiedName"
    ? evaluator.member(entity(evaluator, node.left, scope), node.right.name)
    : evaluator.evaluate(node, scope);
}

function runSwitch(evaluator: Evaluator, node: t.SwitchStatement, scope: Scope): End | null {
  const inner = new Scope(scope, evaluator.context, scope.frame);
  hoistBlock(
    evaluator,
    node.cases.flatMap(({ consequent }) => consequent),
    inner,
  );
  const on = knownText(evaluator.evaluate(node.discriminant, inner));
  const tests = node.cases.map(({ test }) =>
    test == null ? null : knownText(evaluator.evaluate(test, inner)),
  );
  const isKnown = on !== null && node.cases.every(({ test }, index) => test == null || tests[index] !== null);
  if (!isKnown) {
    for (const { consequent } of node.cases)
      evaluator.maybe(() =>
        runBlock(evaluator, consequent, new Scope(inner, evaluator.context, scope.frame)),
      );
    evaluator.mayHaveEnded = true;
    return null;
  }
  let at = tests.indexOf(on);
  if (at < 0) at = node.cases.findIndex(({ test }) => test == null);
  node.cases.forEach(({ consequent }, index) => {
    for (const statement of consequent) if (index !== at) evaluator.skip(statement, inner);
  });
  for (const { consequent } of at < 0 ? [] : node.cases.slice(at)) {
    const end = runBlock(evaluator, consequent, inner);
    if (end !== null) return end.kind === "break" && end.label === null ? null : end;
  }
  return null;
}

/** Runs a loop as long as its condition is known, or once if it is not. The first round is not charged. */
function runRounds(
  evaluator: Evaluator,
  node: t.Loop,
  scope: Scope,
  label: string | null,
  test: () => boolean | null,
  update: () => void = () => {},
  bodyScope: () => Scope = () => scope,
): End | null {
  const round = (): { end: End | null } | null => {
    const go = test();
    if (go === false) return { end: null };
    evaluator.mayHaveEnded = false;
    const end =
      go === null ? runMaybe(evaluator, node.body, bodyScope()) : run(evaluator, node.body, bodyScope());
    const own = end !== null && (end.label === null || end.label === label);
    if (go === null) return { end: null };
    if (end !== null && !(own && end.kind === "continue"))
      return { end: own && end.kind === "break" ? null : end };
    update();
    // What comes after a round that may have been the last is not known.
    return evaluator.mayHaveEnded ? { end: null } : null;
  };
  const first = round();
  if (first !== null) return first.end;
  return evaluator.budget.repeat(() => {
    for (;;) {
      if (!evaluator.budget.step()) {
        evaluator.spoil(node, scope);
        return null;
      }
      const last = round();
      if (last !== null) return last.end;
    }
  });
}

/** Runs a loop over items; over one unknown item if they are not known. */
function runEach(
  evaluator: Evaluator,
  node: t.ForOfStatement | t.ForInStatement,
  scope: Scope,
  label: string | null,
  items: readonly Value[] | null,
): End | null {
  let at = 0;
  let inner = scope;
  const bind = (item: Value) => {
    inner = new Scope(scope, evaluator.context, scope.frame);
    if (node.left.type !== "VariableDeclaration") assign(evaluator, node.left, item, inner);
    else {
      const how = node.left.kind === "var" ? "assign" : "declare";
      bindPattern(evaluator, node.left.declarations[0]?.id, item, inner, how);
    }
  };
  if (items === null) {
    evaluator.maybe(() => {
      bind(UNKNOWN);
      run(evaluator, node.body, inner);
    });
    return null;
  }
  const test = () => {
    const item = items[at++];
    if (item === undefined) return false;
    bind(item);
    return true;
  };
  return runRounds(evaluator, node, scope, label, test, undefined, () => inner);
}

function itemsOf(value: Value): readonly Value[] | null {
  const [first = UNKNOWN] = options(value);
  if (first.kind === "list") return [...first.items];
  return first.kind === "constant" && typeof first.value === "string" ? [...first.value].map(constant) : null;
}

function keysOf(value: Value): readonly Value[] | null {
  const [first = UNKNOWN] = options(value);
  if (first.kind === "list") return first.items.map((_, index) => constant(String(index)));
  return first.kind === "object" ? [...first.props.keys()].map(constant) : null;
}
