import type * as t from "@babel/types";
import { taggedArguments } from "../../interpreter/calls/call.ts";
import { type Arguments, argumentsOf, calleeOf, invocationsOf } from "../../interpreter/calls/invocation.ts";
import { ELEMENT_CALLBACKS } from "../../interpreter/calls/methods.ts";
import { elementOf } from "../../interpreter/core/definition.ts";
import type { Interpreter } from "../../interpreter/interpreter.ts";
import { asText } from "../../interpreter/text/text.ts";
import { options, UNKNOWN, type Value } from "../../interpreter/value.ts";
import { nameOfKey } from "../../program/patterns.ts";
import type { Call } from "../../program/program.ts";
import { resolve, type Scope } from "../../program/scope.ts";
import { isElementFactory } from "../common/element-factories.ts";
import type { RuleContext } from "../rule.ts";
import { dispatchCallback, onHostCall, onUnknownCall } from "./host-calls.ts";
import { onMethodCall } from "./methods.ts";

/** A call, by the value of its callee and by the callee's name. */
export function onCall(context: RuleContext, node: Call, scope: Scope): void {
  const { interpreter, rules } = context;
  if (node.type !== "ImportExpression" && node.callee.type === "Identifier") {
    if (isUnchecked(context, node.callee.name, scope)) return;
  }
  const callee = calleeOf(interpreter, node, scope, null);
  const args = argumentsOf(interpreter, node, scope, null);
  const called = { node, callee, scope };
  for (const rule of rules.having.onCallee) rule.onCallee?.(context, called);
  const reached =
    callee.kind === "unknown" || callee.kind === "function" ? [] : invocationsOf(interpreter, callee, args);
  for (const { target, args: given, receiver } of reached) {
    const method = (name: string, of: Value) => {
      const call = { name, receiver: of, args: given, node, scope, how: "value" as const, own: false };
      if (context.rules.isMethodChecked(name)) onMethodCall(context, call);
    };
    if (target.kind === "host") {
      onHostCall(context, target.path.replace(".prototype.", "()."), given, node);
      // `el.setAttribute.call(el, …)`, where only the name of the method shows its effect.
      const name = target.path.slice(target.path.lastIndexOf(".") + 1);
      if (name !== target.path) method(name, receiver ?? UNKNOWN);
    } else if (target.kind === "class") {
      const path = parentPath(interpreter, target);
      if (path !== null) onHostCall(context, path, given, node);
    } else if (target.kind === "method") method(target.name, target.of);
    else onUnknownCall(context, target, node);
  }
  if (node.type !== "ImportExpression") onNamed(context, node, callee, args, scope);
}

/** A call, by the name of its callee in the source. */
function onNamed(
  context: RuleContext,
  node: Exclude<Call, t.ImportExpression>,
  callee: Value,
  args: Arguments,
  scope: Scope,
): void {
  const { interpreter } = context;
  const at = node.callee;
  if (at.type === "Identifier" && context.rules.isMethodChecked(at.name))
    onMethodCall(context, { name: at.name, receiver: UNKNOWN, args, node, scope, how: "name", own: false });
  if (at.type !== "MemberExpression" && at.type !== "OptionalMemberExpression") return;
  if (at.object.type === "Super" || (!at.computed && !isHandled(context, nameOfKey(at.property)))) return;
  const names = at.computed
    ? options(interpreter.evaluate(at.property, scope, null)).map((option) => asText(option).value)
    : [nameOfKey(at.property)];
  for (const name of names) {
    if (!isHandled(context, name)) continue;
    // A method that creates elements may belong to a bundled framework, unless its object is named `document`.
    const own = options(callee).every(({ kind }) => kind === "function");
    const framework =
      isElementFactory(name) && !(at.object.type === "Identifier" && at.object.name === "document");
    if (own && !framework) continue;
    const receiver = interpreter.evaluate(at.object, scope, null);
    if (context.rules.isMethodChecked(name))
      onMethodCall(context, { name, receiver, args, node, scope, how: "member", own });
    // `["https://…"].forEach(fetch)` and `promise.then(fetch)` call their argument.
    if (name === "then") dispatchCallback(context, args()[0], [receiver], node);
    else if (ELEMENT_CALLBACKS.has(name)) dispatchCallback(context, args()[0], [elementOf(receiver)], node);
    // A value that is assigned later is passed to the setter.
    if (name === "__defineSetter__" || name === "__defineGetter__")
      dispatchCallback(context, args()[1], [UNKNOWN], node);
  }
}

/** Whether a method is checked by its name, or calls its argument. */
function isHandled(context: RuleContext, name: string): boolean {
  return name === "then" || ELEMENT_CALLBACKS.has(name) || context.rules.isMethodChecked(name);
}

/** Whether a name is a global or an import that no rule checks, as in most calls of a name. */
function isUnchecked(context: RuleContext, name: string, scope: Scope): boolean {
  const { program, hostWrites } = context.interpreter;
  if (program.hasWith || context.rules.isMethodChecked(name)) return false;
  const binding = resolve(scope, name);
  const [only] = binding?.definitions ?? [];
  if (binding !== null && (only?.how !== "import" || binding.definitions.length > 1)) return false;
  const path = only?.how === "import" ? only.path : name;
  return (
    !hostWrites.has(path) &&
    !context.rules.isPathChecked(path) &&
    !context.rules.isMethodChecked(path.slice(path.lastIndexOf(".") + 1))
  );
}

/** The host class that a class without a constructor of its own constructs: `class extends Function {}`. */
function parentPath(interpreter: Interpreter, of: Extract<Value, { kind: "class" }>): string | null {
  let at: Value = of;
  for (let depth = 0; depth < 4 && at.kind === "class"; depth++) {
    const { body, superClass } = at.node;
    if (!superClass || body.body.some((one) => one.type === "ClassMethod" && one.kind === "constructor"))
      return null;
    const parents: readonly Value[] = options(interpreter.evaluate(superClass, at.scope, at.env));
    at = parents.find(({ kind }) => kind === "host" || kind === "class") ?? UNKNOWN;
  }
  return at.kind === "host" ? at.path : null;
}

/** A tagged template: a call of the tag, or markup. */
export function onTagged(context: RuleContext, node: t.TaggedTemplateExpression, scope: Scope): void {
  const { interpreter, rules } = context;
  const tag = interpreter.evaluate(node.tag, scope, null);
  for (const option of options(tag)) onUnknownCall(context, option, node);
  const args = () => taggedArguments(interpreter, node, scope, null);
  for (const { target, args: given } of invocationsOf(interpreter, tag, args)) {
    if (target.kind !== "host") continue;
    const [texts, ...rest] = given();
    // Converted to a string, a list of one string is that string.
    const text = texts?.kind === "list" ? (texts.items[0] ?? UNKNOWN) : UNKNOWN;
    onHostCall(context, target.path, () => [text, ...rest], node);
  }
  const template = { node, tag, args, scope };
  for (const rule of rules.having.onTagged) rule.onTagged?.(context, template);
}
