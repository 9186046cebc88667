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
 * One thing that is looked for. A rule is one file with one such entry and its line in registry.ts: the dispatchers
 * know no rule by name. Several rules may share an id where a reader of findings need not tell them apart.
 */
export interface Rule {
  /** What its findings are called. A place that is a finding of two kinds may be reported under the other id too. */
  readonly id: string;
  /** The highest severity of its findings. */
  readonly severity: Severity;

  /** Which functions of the page and of packages it looks at, by their path: `location.assign`, `npm:axios.get`. */
  calls?(path: string): boolean;
  onCall?(context: RuleContext, call: HostCall): void;
  /** Which methods it knows by their name alone, whatever object has them. */
  methods?(name: string): boolean;
  onMethod?(context: RuleContext, call: MethodCall): void;
  /** Any call, by the value that it calls; of a global or imported name only where `calls` of some rule asks for it. */
  onCallee?(context: RuleContext, call: CalledValue): void;
  /** A call or callback of something that is no known function, class or method. */
  onUnknownCall?(context: RuleContext, target: Value, node: t.Node): void;
  onTagged?(context: RuleContext, template: TaggedTemplate): void;

  /** Which properties it looks at when they are written; asked with the owner where the key is not wholly known. */
  properties?(key: string, owner: Value): boolean;
  onWrite?(context: RuleContext, write: Write): void;
  /** `object.key = value` as it is written, whatever the key is. */
  onMemberWrite?(context: RuleContext, write: WrittenMember): void;
  /** `element.setAttribute(key, value)`; the key is in lower case. */
  onAttribute?(context: RuleContext, write: Write): void;

  /** An element of JSX whose tag is known; `onJsxAttribute` for the attributes that it asks for. */
  onJsx?(context: RuleContext, element: JsxElement): void;
  attributes?(name: string): boolean;
  onJsxAttribute?(context: RuleContext, attribute: JsxAttribute): void;
  /** An element of JSX that is a component. */
  onComponent?(context: RuleContext, element: JsxElement): void;

  /** A property that `createElement(tag, props)` and its like are given. */
  onProp?(context: RuleContext, prop: Prop): void;

  /** The file as a whole, after its calls, writes and elements: for places that no hook above is about. */
  onFile?(context: RuleContext): void;
  /** After everything else: findings that need two places of the file. */
  onEnd?(context: RuleContext): void;
}

/** What a rule works with: the values of the file, what is known from other places, and `report` for its findings. */
export interface RuleContext {
  readonly interpreter: Interpreter;
  readonly source: string;
  readonly rules: RuleTable;
  /** The source text of each form that is given an address; `?` when it is unknown which form. */
  readonly forms: Set<string>;
  /** Findings for texts of HTML, worked out once: by taint, then by text. */
  readonly markup: Map<number, Map<string, readonly Verdict[]>>;
  /** Whether styles load something by pieces, by their text. */
  readonly styles: Map<string, boolean>;
  /** What is known of the file as a whole. */
  readonly seen: Seen;
  report(id: string, severity: Severity, node: t.Node): void;
  /** For what is found in the text of the source. */
  reportText(id: string, severity: Severity, start: number, end: number): void;
  /** Looks at each place with a budget of its own. */
  each<Place extends { node: t.Node }>(places: readonly Place[], look: (place: Place) => void): void;
}

/** Places that are a finding only together with another place; collected here until `onEnd`. */
export interface Seen {
  /** What findings there are so far, by the id of their rules. */
  reported: Set<string>;
  /** Requests whose address is unknown. */
  requests: t.Node[];
  /** What is loaded from another host by an address that is partly unknown. */
  loads: t.Node[];
  /** Links of other hosts with a reference. */
  links: t.Node[];
  /** Clicks on an unknown element. */
  clicks: t.Node[];
}

/** A call of something of the browser or of a package. */
export interface HostCall {
  path: string;
  args: Value[];
  node: t.Node;
}

/** A call of a method by its name, whatever it is a method of. */
export interface MethodCall {
  name: string;
  receiver: Value;
  args: Arguments;
  node: t.Node;
  scope: Scope;
  /** `member`: written as `receiver.name(…)`; `name`: as `name(…)`; `value`: through `call`, `bind` or a variable. */
  how: "member" | "name" | "value";
  /** The file itself defines the method, so that what it does is seen inside it. */
  own: boolean;
}

/** What a call calls. */
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

/** A value that is put into a property. */
export interface Write {
  owner: Value;
  key: string;
  value: Value;
  node: t.Node;
  /** By `Reflect.set`, `Object.assign` or a setter that was taken off its object. */
  byFunction?: boolean;
}

/** `object.key = value` as it is written. */
export interface WrittenMember {
  write: MemberWrite;
  owner: Value;
  /** What the key may be. */
  keys: readonly string[];
}

export interface JsxElement {
  node: t.JSXOpeningElement;
  tag: string;
  /** The tag is a text that the file keeps in a name: `const Tag = "script"; <Tag />`. */
  kept: boolean;
  scope: Scope;
  /** What the element has under a name, as it is written or by a spread. */
  held(name: string): Value | undefined;
  /** The same, without spreads. */
  attribute(name: string): t.JSXAttribute | undefined;
  valueAt(attribute: t.JSXAttribute): Value;
}

export interface Prop {
  /** What the tag may be; unknown of `cloneElement`. */
  tag: Value;
  key: string;
  value: Value;
  /** Another property of the same element. */
  held(name: string): Value;
  node: t.Node;
}

export interface JsxAttribute {
  tag: string;
  name: string;
  value: Value;
  node: t.JSXAttribute | t.JSXSpreadAttribute;
}
