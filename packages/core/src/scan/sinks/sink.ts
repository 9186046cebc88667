import type * as t from "@babel/types";
import type { Severity } from "../finding.ts";
import type { Value } from "../value.ts";

/** What a program does to the page, as the evaluator meets it. */
export type Act =
  /**
   * Calls a function of the browser or a package by its path, or a method of another value (without a path). A value
   * that the budget did not reach for is called `on` itself.
   */
  | { kind: "call"; path: string | null; key: string; on: Value | null; args: Value[]; node: t.Node }
  /** Writes a member, or an attribute of an element. */
  | { kind: "write"; owner: Value; key: string; value: Value; node: t.Node; attribute: boolean }
  | { kind: "element"; tag: string; node: t.Node }
  /** Reads a member of the global object or of a package. */
  | { kind: "read"; path: string; node: t.Node }
  /** Loads a module from an address or a package. */
  | { kind: "import"; address: Value; node: t.Node };

/** What a sink sees of the evaluator. */
export interface Context {
  report(rule: Rule, severity: Severity, node: t.Node): void;
  text(value: Value): string;
  texts(value: Value): string[];
  member(owner: Value, key: string): Value;
}

/** The ids of findings about acts: the four kinds of the component scan. */
export const RULES = ["eval", "redirect", "external-request", "script-injection"] as const;
export type Rule = (typeof RULES)[number];

/** Reports the acts of one kind. */
export type Sink = (act: Act, context: Context) => void;
