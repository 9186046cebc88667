import type * as t from "@babel/types";
import type { Value } from "../interpreter/value.ts";
import type { Definition, Scope } from "./scope.ts";

export type Member = t.MemberExpression | t.OptionalMemberExpression;
export type Call = t.CallExpression | t.OptionalCallExpression | t.NewExpression | t.ImportExpression;

/** The result of the walk through a file: its names, and every node that a rule checks. */
export interface Program {
  root: Scope;
  hasWith: boolean;
  functions: Map<t.Node, FunctionFacts>;
  calls: { node: Call; scope: Scope }[];
  tagged: { node: t.TaggedTemplateExpression; scope: Scope }[];
  /** `object.key = value`, also in destructuring or in the head of a loop. */
  memberWrites: MemberWrite[];
  /** `name = value`; whether the name is global is known only after the walk. */
  nameWrites: NameWrite[];
  jsx: { node: t.JSXOpeningElement; scope: Scope }[];
  /** Text between tags that may contain a URL. */
  texts: t.JSXText[];
  /** Expressions in `<style>` elements. */
  styles: { node: t.Expression; scope: Scope }[];
  /** Object properties whose key makes their value markup, or may do so: a computed key is null. */
  markup: { node: t.ObjectProperty; key: string | null; scope: Scope }[];
  /** Expressions that may refer to the global `eval` without calling it. */
  evalReferences: { node: t.Expression; scope: Scope }[];
  /** Uses of the names `Function`, `setTimeout` and `setInterval`. */
  compilerReferences: { node: t.Expression; scope: Scope }[];
  /** The file reads a `prototype`. */
  readsPrototype: boolean;
  /** The file decodes strings, or replaces parts of them by a callback. */
  decodes: boolean;
  /** The file names cookies or storage, so values computed from them must keep that taint. */
  namesPrivateData: boolean;
  /** Every name of a value, member or key and every short string: true if it is a rare name. */
  names: Map<string, boolean>;
  /** Every use of a name that ordinary components hardly ever contain. */
  rare: RareNameUse[];
  /** Strings built from parts. */
  joined: { node: t.Expression; scope: Scope }[];
  /** Short strings that are pieces of rare names. */
  pieces: Set<string>;
  patterns: t.RegExpLiteral[];
  /** Strings made from values that are not strings, such as `![] + ""`. */
  coerced: t.Node[];
  /** Strings of at least `LITERAL` characters. */
  literals: { node: t.Node; value: string }[];
  /** Property accesses on `super` in object literals, or by a computed name. */
  supers: t.Node[];
  /** Objects of `for…in` loops, and those spread into elements. */
  enumerated: { node: t.Expression; scope: Scope }[];
  spreads: { node: t.Expression; scope: Scope }[];
  /** Modules named in import and export declarations and in types. */
  sources: { node: t.StringLiteral }[];
}

/** How a rare name is used: identifier, property access, destructured key, object key or attribute, method, or string. */
export interface RareNameUse {
  name: string;
  how: "name" | "member" | "key" | "property" | "method" | "text";
  node: t.Node;
  scope: Scope;
}

export interface MemberWrite {
  target: Member;
  value: Definition;
  operator: string;
  scope: Scope;
  node: t.Node;
}

export interface NameWrite {
  name: string;
  value: Definition;
  scope: Scope;
  node: t.Node;
}

/** The arguments of a call: AST nodes, or values already evaluated. */
export type Caller =
  | { nodes: readonly t.Node[]; scope: Scope; values: null }
  | { nodes: null; scope: null; values: readonly Value[] };

export interface FunctionFacts {
  scope: Scope;
  /** Values that the function returns or yields. */
  returns: { node: t.Expression; scope: Scope }[];
  yields: { node: t.Expression; scope: Scope; all: boolean }[];
  /** Some return value may be other than a JSX element or `null`. */
  returnsValues: boolean;
  /** The function reads `arguments`, so arguments beyond its parameters count too. */
  variadic: boolean;
  /** The known calls of the function, with their arguments. */
  callers: Caller[];
}
