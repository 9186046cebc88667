import type * as t from "@babel/types";
import type { Value } from "../interpreter/value.ts";
import type { Definition, Scope } from "./scope.ts";

export type Member = t.MemberExpression | t.OptionalMemberExpression;
export type Call = t.CallExpression | t.OptionalCallExpression | t.NewExpression | t.ImportExpression;

/** What the walk finds in a file: its names, and every place at which a rule looks. */
export interface Program {
  root: Scope;
  hasWith: boolean;
  functions: Map<t.Node, FunctionFacts>;
  calls: { node: Call; scope: Scope }[];
  tagged: { node: t.TaggedTemplateExpression; scope: Scope }[];
  /** `object.key = value`, also inside a destructuring or the head of a loop. */
  memberWrites: MemberWrite[];
  /** `name = value`; whether the name is a global one is known only after the walk. */
  nameWrites: NameWrite[];
  jsx: { node: t.JSXOpeningElement; scope: Scope }[];
  /** Texts between tags that may be addresses. */
  texts: t.JSXText[];
  /** What stands in `<style>` elements. */
  styles: { node: t.Expression; scope: Scope }[];
  /** Object properties whose name makes markup of their value, or may: a computed one is null. */
  markup: { node: t.ObjectProperty; key: string | null; scope: Scope }[];
  /** Places where the global `eval` may be meant without being called. */
  mentions: { node: t.Expression; scope: Scope }[];
  /** Places where the global `Function` is named. */
  makers: { node: t.Expression; scope: Scope }[];
  /** It reads a `prototype`. */
  prototypes: boolean;
  /** It decodes texts, or has a function replace parts of them. */
  decodes: boolean;
  /** It names cookies or storage, so that whatever is made of them is to tell. */
  kept: boolean;
  /** Every name that stands for a value, a member or a key, and every short text, and whether it is a rare one. */
  names: Map<string, boolean>;
  /** Names that ordinary components hardly ever write, wherever they stand. */
  rare: Mention[];
  /** Texts that are put together. */
  joined: { node: t.Expression; scope: Scope }[];
  /** Short texts that are pieces of such names. */
  pieces: Set<string>;
  patterns: t.RegExpLiteral[];
  /** Texts made from values that are not texts, such as `![] + ""`. */
  coerced: t.Node[];
  /** Texts of some length. */
  literals: { node: t.Node; value: string }[];
  /** `super` of object literals, and under names that are computed. */
  supers: t.Node[];
  /** Loops over names, and what is spread into elements. */
  listed: { node: t.Expression; scope: Scope }[];
  spreads: { node: t.Expression; scope: Scope }[];
  /** Modules named in import and export declarations and in types. */
  sources: { node: t.StringLiteral }[];
}

/** Where a rare name stands: by itself, behind a dot, in a pattern, as a key or attribute, as a function of an object, or as a text. */
export interface Mention {
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

/** Arguments as they are written at a place, or as they were worked out. */
export type Caller =
  | { nodes: readonly t.Node[]; scope: Scope; values: null }
  | { nodes: null; scope: null; values: readonly Value[] };

export interface FunctionFacts {
  scope: Scope;
  /** Values that it returns or yields. */
  returns: { node: t.Expression; scope: Scope }[];
  yields: { node: t.Expression; scope: Scope; all: boolean }[];
  /** Some of those may be more than an element or nothing at all. */
  telling: boolean;
  /** It reads `arguments`, so that more of them count than it has parameters. */
  variadic: boolean;
  /** Calls known to reach it, with what they bring. */
  callers: Caller[];
}
