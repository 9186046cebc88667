import type * as t from "@babel/types";
import { CHILDREN } from "./keys.ts";
import {
  isCoercionSum,
  isJoin,
  isPiece,
  isSumOfPieces,
  isTemplateOfPieces,
  LITERAL,
  noteRare,
} from "./name-checks.ts";
import { nameOfKey } from "./patterns.ts";
import type { Program } from "./program.ts";
import { openScope, type Scope } from "./scope.ts";
import { noteReturn, visitClass, visitFunction } from "./walk-functions.ts";
import { visitAssignment, visitDeclaration, visitDeclaredFunction, visitNaming } from "./walk-names.ts";
import { visitObject } from "./walk-objects.ts";
import { visitAll, type Walk } from "./walk-state.ts";
import { visitStatement } from "./walk-statements.ts";

const SKIPPED = new Set(["type", "loc", "start", "end", "extra", "errors", "comments", "tokens"]);

/**
 * Walks a file once: opens scopes, declares names with the values assigned to them, and records the nodes that the
 * rules check. Names are resolved after the walk, so hoisting needs no pass of its own. Recursion is as deep as the
 * tree; the caller catches a stack overflow.
 */
export function walkProgram(file: t.File, source: string): Program {
  const root = openScope(null);
  root.self = { kind: "top" };
  const program: Program = {
    root,
    hasWith: false,
    functions: new Map(),
    calls: [],
    tagged: [],
    memberWrites: [],
    nameWrites: [],
    jsx: [],
    texts: [],
    styles: [],
    markup: [],
    evalReferences: [],
    compilerReferences: [],
    namesPrivateData: false,
    readsPrototype: false,
    decodes: false,
    sources: [],
    names: new Map(),
    rare: [],
    joined: [],
    pieces: new Set(),
    patterns: [],
    coerced: [],
    literals: [],
    supers: [],
    enumerated: [],
    spreads: [],
  };
  const sloppy = file.program.sourceType === "script";
  const walk: Walk = {
    program,
    source,
    sloppy,
    facts: null,
    looped: false,
    imports: null,
    thrown: [],
    visit: (node, scope) => visit(walk, node, scope),
  };
  visit(walk, file, root);
  return program;
}

/** Visits a node and all its descendants. The most common kinds come first: a switch over strings is tested from the top. */
function visit(walk: Walk, node: t.Node, scope: Scope): void {
  switch (node.type) {
    case "Identifier":
      noteName(walk, node, node.name, scope);
      return;
    case "StringLiteral":
      noteText(walk, node, node.value, scope);
      return;
    case "RegExpLiteral":
      walk.program.patterns.push(node);
      return;
    case "NumericLiteral":
      return;
    case "JSXText":
      if (node.value.includes("//")) walk.program.texts.push(node);
      return;
    case "MemberExpression":
    case "OptionalMemberExpression":
      visit(walk, node.object, scope);
      if (node.computed) {
        visit(walk, node.property, scope);
        if (node.property.type !== "NumericLiteral") walk.program.evalReferences.push({ node, scope });
      } else {
        noteMember(walk, node, nameOfKey(node.property), scope);
      }
      if (node.object.type === "Super" && (node.computed || isOfObject(scope)))
        walk.program.supers.push(node);
      return;
    case "CallExpression":
    case "OptionalCallExpression":
    case "NewExpression":
      walk.program.calls.push({ node, scope });
      if (isJoin(node)) walk.program.joined.push({ node, scope });
      if (node.typeArguments) visitType(walk, node.typeArguments);
      visit(walk, node.callee, scope);
      for (const argument of node.arguments) visit(walk, argument, scope);
      return;
    case "ImportExpression":
      walk.program.calls.push({ node, scope });
      visitChildren(walk, node, CHILDREN.ImportExpression ?? [], scope);
      return;
    case "ReturnStatement":
      if (node.argument) {
        if (walk.facts !== null) noteReturn(walk.facts, node.argument, scope);
        visit(walk, node.argument, scope);
      }
      return;
    case "BlockStatement":
      if (node.body.length > 0) visitAll(walk, node.body, openScope(scope));
      return;
    case "IfStatement":
    case "ConditionalExpression":
      visit(walk, node.test, scope);
      visit(walk, node.consequent, scope);
      if (node.alternate) visit(walk, node.alternate, scope);
      return;
    case "ExpressionStatement":
    case "JSXExpressionContainer":
      visit(walk, node.expression, scope);
      return;
    case "JSXElement":
      visit(walk, node.openingElement, scope);
      for (const child of node.children) visit(walk, child, scope);
      if (nameOfKey(node.openingElement.name) === "style") noteStyles(walk, node, scope);
      return;
    case "JSXOpeningElement":
      walk.program.jsx.push({ node, scope });
      for (const attribute of node.attributes) visit(walk, attribute, scope);
      return;
    case "JSXAttribute": {
      const name = nameOfKey(node.name);
      noteRare(walk.program, name, "property", node, scope);
      if (node.value?.type === "StringLiteral") {
        keepName(walk, node.value.value);
        if (name === "type") noteRare(walk.program, node.value.value, "text", node.value, scope);
      } else if (node.value) visit(walk, node.value, scope);
      return;
    }
    case "JSXSpreadAttribute":
      walk.program.spreads.push({ node: node.argument, scope });
      visit(walk, node.argument, scope);
      return;
    case "BinaryExpression":
      if (node.operator === "+") {
        if (isSumOfPieces(node)) walk.program.joined.push({ node, scope });
        if (isCoercionSum(node)) walk.program.coerced.push(node);
      }
      visit(walk, node.left, scope);
      visit(walk, node.right, scope);
      return;
    case "LogicalExpression":
      visit(walk, node.left, scope);
      visit(walk, node.right, scope);
      return;
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      visitFunction(walk, node, scope, { kind: "function", node });
      return;
    case "TemplateLiteral":
      if (node.expressions.length > 0 && isTemplateOfPieces(node)) walk.program.joined.push({ node, scope });
      for (const quasi of node.quasis) noteQuasi(walk, quasi, scope);
      for (const expression of node.expressions) visit(walk, expression, scope);
      return;
    case "FunctionDeclaration":
      visitDeclaredFunction(walk, node, scope);
      return;
    case "AwaitExpression":
      visit(walk, node.argument, scope);
      return;
    case "VariableDeclaration":
      visitDeclaration(walk, node, scope);
      return;
    case "TaggedTemplateExpression":
      walk.program.tagged.push({ node, scope });
      if (node.typeArguments) visitType(walk, node.typeArguments);
      visit(walk, node.tag, scope);
      visit(walk, node.quasi, scope);
      return;
    case "AssignmentExpression":
      visitAssignment(walk, node, scope);
      return;
    case "UnaryExpression":
      if (node.operator === "typeof" && node.argument.type === "Identifier") return;
      if (node.argument.type === "ArrayExpression" && node.argument.elements.length === 0)
        walk.program.coerced.push(node);
      visit(walk, node.argument, scope);
      return;
    case "ObjectExpression":
      visitObject(walk, node, scope);
      return;
    case "TSInstantiationExpression":
      visitType(walk, node.typeArguments as t.Node);
      visit(walk, node.expression, scope);
      return;
    case "ClassExpression":
      visitClass(walk, node, scope);
      return;
    default: {
      const keys = CHILDREN[node.type];
      if (keys !== undefined) visitChildren(walk, node, keys, scope);
      else if (!visitStatement(walk, node, scope) && !visitNaming(walk, node, scope))
        visitRest(walk, node, scope);
    }
  }
}

/** An identifier in an expression. */
function noteName(walk: Walk, node: t.Identifier, name: string, scope: Scope): void {
  noteRare(walk.program, name, "name", node, scope);
  switch (name) {
    case "Function":
    case "setTimeout":
    case "setInterval":
      walk.program.compilerReferences.push({ node, scope });
      return;
    case "eval":
    case "execScript":
      walk.program.evalReferences.push({ node, scope });
      return;
    case "arguments":
      if (walk.facts !== null) walk.facts.variadic = true;
      return;
    case "localStorage":
    case "sessionStorage":
    case "cookieStore":
      walk.program.namesPrivateData = true;
  }
}

/** A string of the file: a rare name, a piece of one, or long enough to contain more. */
function noteText(walk: Walk, node: t.Node, value: string, scope: Scope): void {
  keepName(walk, value);
  if (value.length >= LITERAL) walk.program.literals.push({ node, value });
  else if (!noteRare(walk.program, value, "text", node, scope) && isPiece(value))
    walk.program.pieces.add(value);
}

function keepName({ program }: Walk, value: string): void {
  if (value === "cookie" || value === "localStorage") program.namesPrivateData = true;
}

function noteQuasi(walk: Walk, quasi: t.TemplateElement, scope: Scope): void {
  const text = quasi.value.cooked ?? "";
  if (text !== "") noteText(walk, quasi, text, scope);
}

/** Whether `super` is the prototype of an object literal. */
function isOfObject(scope: Scope): boolean {
  for (let at: Scope | null = scope; at !== null; at = at.parent)
    if (at.self !== null) return at.self.kind === "object";
  return false;
}

/** A property access whose name matters, whatever the object is. */
function noteMember(walk: Walk, node: t.Expression, name: string, scope: Scope): void {
  noteRare(walk.program, name, "member", node, scope);
  switch (name) {
    case "Function":
    case "setTimeout":
    case "setInterval":
      walk.program.compilerReferences.push({ node, scope });
      return;
    case "prototype":
      walk.program.readsPrototype = true;
      return;
    case "eval":
      walk.program.evalReferences.push({ node, scope });
      return;
    case "cookie":
    case "localStorage":
    case "sessionStorage":
      walk.program.namesPrivateData = true;
  }
}

function noteStyles(walk: Walk, { children }: t.JSXElement, scope: Scope): void {
  for (const child of children) {
    if (child.type === "JSXExpressionContainer" && child.expression.type !== "JSXEmptyExpression")
      walk.program.styles.push({ node: child.expression, scope });
  }
}

function visitChildren(walk: Walk, node: t.Node, keys: readonly string[], scope: Scope): void {
  const fields = node as unknown as Record<string, unknown>;
  for (const key of keys) visitField(walk, fields[key], scope);
}

/** Walks every field of a node of unknown kind, unless it is a type. */
function visitRest(walk: Walk, node: t.Node, scope: Scope): void {
  if (node.type.startsWith("TS")) return;
  const fields = node as unknown as Record<string, unknown>;
  for (const key in fields) if (!SKIPPED.has(key)) visitField(walk, fields[key], scope);
}

function visitField(walk: Walk, value: unknown, scope: Scope): void {
  if (Array.isArray(value)) {
    for (const item of value) visitField(walk, item, scope);
  } else if (isNode(value)) visit(walk, value, scope);
}

/** `f < typeof import("…") > (x)` is a call with a type argument in TypeScript, and an import in JavaScript. */
function visitType(walk: Walk, type: t.Node): void {
  if (!mentionsImport(walk, type)) return;
  if (type.type === "TSImportType") walk.program.sources.push({ node: type.source });
  for (const [key, value] of Object.entries(type)) {
    if (SKIPPED.has(key)) continue;
    for (const item of Array.isArray(value) ? value : [value]) if (isNode(item)) visitType(walk, item);
  }
}

/** Types may be nested as deep as the stack, so the whole file is searched once, not each type. */
function mentionsImport(walk: Walk, { start, end }: t.Node): boolean {
  if (walk.imports === null) {
    walk.imports = [];
    for (let at = walk.source.indexOf("import"); at >= 0; at = walk.source.indexOf("import", at + 6))
      walk.imports.push(at);
  }
  let [low, high] = [0, walk.imports.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((walk.imports[middle] ?? 0) < (start ?? 0)) low = middle + 1;
    else high = middle;
  }
  return (walk.imports[low] ?? Number.POSITIVE_INFINITY) < (end ?? 0);
}

function isNode(value: unknown): value is t.Node {
  return typeof value === "object" && value !== null && typeof (value as t.Node).type === "string";
}
