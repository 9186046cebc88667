import type * as t from "@babel/types";
import { options } from "../alternatives.ts";
import type { Severity } from "../finding.ts";
import { SPENT, type Value } from "../value.ts";

/** An act of the program on the page, as the evaluator finds it. */
export type Act =
  /** Calls a function of the browser or a package by its path, or a method of another value (without a path). */
  | { kind: "call"; path: string | null; key: string; on: Value | null; args: Value[]; node: t.Node }
  /** Writes a member, or an attribute of an element. */
  | { kind: "write"; owner: Value; key: string; value: Value; node: t.Node; attribute: boolean }
  | { kind: "element"; tag: string; type: Value | undefined; node: t.Node }
  | { kind: "import"; address: Value; node: t.Node };

/** The ids of findings about acts: the four kinds of the component scan. */
export type Rule = "eval" | "redirect" | "external-request" | "script-injection";

/** The part of the evaluator that a sink uses, and the function that reports acts. */
export interface SinkContext {
  report(rule: Rule, severity: Severity, node: t.Node): void;
  text(value: Value): string;
  member(owner: Value, key: string): Value;
}
/** Returns whether a value may be a string. */
export const isText = (value: Value | undefined) =>
  options(value).some((one) => one === SPENT || (one.kind === "constant" && typeof one.value === "string"));

export type Sink = (act: Act, context: SinkContext) => void;
