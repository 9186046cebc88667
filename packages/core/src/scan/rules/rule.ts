import type * as t from "@babel/types";
import type { Severity } from "../finding.ts";
import type { Arguments } from "../interpreter/calls/invocation.ts";
import type { Interpreter } from "../interpreter/interpreter.ts";
import type { Value } from "../interpreter/value.ts";
import type { Call, MemberWrite } from "../program/program.ts";
import type { Scope } from "../program/scope.ts";
import type { Verdict } from "./common/tags.ts";
import type { RuleTable } from "./table.ts";

/**
 * One check of the scan. A rule is one file with one such entry, and its line in registry.ts: the dispatchers know no
 * rule by name. Several rules may share an id where a reader of findings need not distinguish them.
 */
export interface Rule {
  /** The name of its findings. A location that is a finding of two kinds may also be reported under the other id. */
  readonly id: string;
  /** The highest severity of its findings. */
  readonly severity: Severity;

  /** Which functions of the page and of packages it checks, by their path: `location.assign`, `npm:axios.get`. */
  calls?(path: string): boolean;
  onCall?(context: RuleContext, call: HostCall): void;
  /** Which methods it checks by their name alone, on any object. */
  methods?(name: string): boolean;
  onMethod?(context: RuleContext, call: MethodCall): void;
  /** Any call, with the value of its callee; a call of a global or imported name only where `calls` of some rule accepts it. */
  onCallee?(context: RuleContext, call: CalledValue): void;
  /** A call or callback whose callee is no known function, class or method. */
  onUnknownCall?(context: RuleContext, target: Value, node: t.Node): void;
  onTagged?(context: RuleContext, template: TaggedTemplate): void;

  /** Which properties it checks when they are written; the owner is passed only where the key is partly unknown. */
  properties?(key: string, owner: Value): boolean;
  onWrite?(context: RuleContext, write: Write): void;
  /** `object.key = value` as the source writes it, with any key. */
  onMemberWrite?(context: RuleContext, write: WrittenMember): void;
  /** `element.setAttribute(key, value)`; the key is in lower case. */
  onAttribute?(context: RuleContext, write: Write): void;

  /** A JSX element whose tag is known; `onJsxAttribute` is called for the attributes that `attributes` accepts. */
  onJsx?(context: RuleContext, element: JsxElement): void;
  attributes?(name: string): boolean;
  onJsxAttribute?(context: RuleContext, attribute: JsxAttribute): void;
  /** A JSX element that is a component. */
  onComponent?(context: RuleContext, element: JsxElement): void;

  /** A property in the props of `createElement(tag, props)` and similar calls. */
  onProp?(context: RuleContext, prop: Prop): void;

  /** The file as a whole, after its calls, writes and elements: for locations that no hook above covers. */
  onFile?(context: RuleContext): void;
  /** After everything else: findings that need two locations of the file. */
  onEnd?(context: RuleContext): void;
}

/** What a rule works with: the values of the file, the state shared by the rules, and `report` for findings. */
export interface RuleContext {
  readonly interpreter: Interpreter;
  readonly source: string;
  readonly rules: RuleTable;
  /** The source text of each form whose address the file sets; `?` when the form is unknown. */
  readonly forms: Set<string>;
  /** Findings in strings of HTML, computed once: by taint, then by string. */
  readonly markup: Map<number, Map<string, readonly Verdict[]>>;
  /** Whether a style loads from an address that is not literal in the source, by the text of the style. */
  readonly styles: Map<string, boolean>;
  /** Facts about the file as a whole. */
  readonly collected: CollectedLocations;
  report(id: string, severity: Severity, node: t.Node): void;
  /** For findings in the source text. */
  reportText(id: string, severity: Severity, start: number, end: number): void;
  /** Calls `look` for each location, with a budget of its own. */
  each<Place extends { node: t.Node }>(places: readonly Place[], look: (place: Place) => void): void;
}

/** Locations that are a finding only in combination with another; collected until `onEnd`. */
export interface CollectedLocations {
  /** The ids of the findings so far. */
  reported: Set<string>;
  /** Requests whose address is unknown. */
  requests: t.Node[];
  /** Loads from another host by an address that is partly unknown. */
  loads: t.Node[];
  /** Links to other hosts that have a `ref`. */
  links: t.Node[];
  /** Clicks on an unknown element. */
  clicks: t.Node[];
}

/** A call of a function of the browser or of a package. */
export interface HostCall {
  path: string;
  args: Value[];
  node: t.Node;
}

/** A call of a method by its name, on any object. */
export interface MethodCall {
  name: string;
  receiver: Value;
  args: Arguments;
  node: t.Node;
  scope: Scope;
  /** `member`: written as `receiver.name(…)`; `name`: as `name(…)`; `value`: through `call`, `bind` or a variable. */
  how: "member" | "name" | "value";
  /** The file itself defines the method, so its body is checked. */
  own: boolean;
}

/** A call, with the value of its callee. */
export interface CalledValue {
  node: Call;
  callee: Value;
  scope: Scope;
}

export interface TaggedTemplate {
  node: t.TaggedTemplateExpression;
  tag: Value;
  args: Arguments;
  scope: Scope;
}

/** A value that is written to a property. */
export interface Write {
  owner: Value;
  key: string;
  value: Value;
  node: t.Node;
  /** By `Reflect.set`, `Object.assign` or a setter that was detached from its object. */
  byFunction?: boolean;
}

/** `object.key = value` as the source writes it. */
export interface WrittenMember {
  write: MemberWrite;
  owner: Value;
  /** Possible values of the key. */
  keys: readonly string[];
}

export interface JsxElement {
  node: t.JSXOpeningElement;
  tag: string;
  /** The tag is a string that the file keeps in a variable: `const Tag = "script"; <Tag />`. */
  fromVariable: boolean;
  scope: Scope;
  /** The value of an attribute, written directly or from a spread. */
  lookup(name: string): Value | undefined;
  /** An attribute that is written directly, not from a spread. */
  attribute(name: string): t.JSXAttribute | undefined;
  valueAt(attribute: t.JSXAttribute): Value;
}

export interface Prop {
  /** Possible values of the tag; `"*"` for `cloneElement`. */
  tag: Value;
  key: string;
  value: Value;
  /** Another property of the same element. */
  lookup(name: string): Value;
  node: t.Node;
}

export interface JsxAttribute {
  tag: string;
  name: string;
  value: Value;
  node: t.JSXAttribute | t.JSXSpreadAttribute;
}
