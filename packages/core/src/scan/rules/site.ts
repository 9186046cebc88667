import type * as t from "@babel/types";
import type { ScanRule, Severity } from "../finding.ts";
import type { Arguments } from "../interpreter/calls/invocation.ts";
import type { Interpreter } from "../interpreter/interpreter.ts";
import type { Value } from "../interpreter/value.ts";
import type { Verdict } from "./tags.ts";

/** What a rule works with: the interpreter, and where it says what it found. */
export interface Site {
  interpreter: Interpreter;
  source: string;
  /** How forms are written that are given an address; `?` for one that is not told. */
  forms: Set<string>;
  /** Which paths any rule looks at when they are called, as far as it was asked. */
  sinks: Map<string, boolean>;
  /** What is to be said of texts of HTML, by their taint. */
  markup: Map<number, Map<string, readonly Verdict[]>>;
  /** Whether styles load something by pieces, by their text. */
  styles: Map<string, boolean>;
  /** What is known of the file as a whole. */
  seen: Seen;
  report(rule: ScanRule, severity: Severity, node: t.Node): void;
  /** For what is found in the text of the source. */
  reportText(rule: ScanRule, severity: Severity, start: number, end: number): void;
}

/** What the rules came across at one place that says something together with another place. */
export interface Seen {
  /** Requests of an address that is not told. */
  requests: t.Node[];
  /** What is loaded from another host by an address of which parts are not told. */
  loads: t.Node[];
  /** Links of other hosts with a reference. */
  links: t.Node[];
  /** Clicks on something that is not told. */
  clicks: t.Node[];
}

/** A call of something of the browser or of a package. */
export interface HostCall {
  path: string;
  args: Value[];
  node: t.Node;
}

/** A call of a method by its name, whatever it is a method of. */
export interface NamedCall {
  name: string;
  receiver: Value;
  args: Arguments;
  node: t.Node;
}

/** A value that is put into a property. */
export interface Write {
  owner: Value;
  key: string;
  value: Value;
  node: t.Node;
}
