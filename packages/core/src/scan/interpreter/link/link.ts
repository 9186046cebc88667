import type * as t from "@babel/types";
import { nameOfKey } from "../../program/patterns.ts";
import type { Call, Caller, MemberWrite } from "../../program/program.ts";
import { type Definition, define, resolve, type Scope } from "../../program/scope.ts";
import { startLocation } from "../budget.ts";
import { taggedArguments } from "../calls/call.ts";
import { argumentsOf, calleeOf, invocationsOf } from "../calls/invocation.ts";
import { ELEMENT_CALLBACKS } from "../calls/methods.ts";
import { PUSHED } from "../core/assigned-values.ts";
import { elementOf } from "../core/definition.ts";
import type { Interpreter } from "../interpreter.ts";
import { hostMember } from "../members/hosts.ts";
import { recordJsxValues } from "../members/jsx-values.ts";
import { asText } from "../text/text.ts";
import { HOLE, options, UNTRUSTED, unknown, type Value } from "../value.ts";
import { linkState } from "./link-state.ts";

/** Globals that are sinks when written to, so that a write to one declares no new name. */
const KEPT = new Set(["location", "onerror", "onload", "onmessage", "name"]);

/**
 * Links the results of the walk: assignments to their names, property writes to their objects, and calls to the
 * functions of the file that they reach. Values cached meanwhile are cleared, as they were computed without these links.
 */
export function link(interpreter: Interpreter): void {
  const { program } = interpreter;
  for (const { name, value, scope } of program.nameWrites) {
    const binding = resolve(scope, name);
    if (binding !== null) binding.definitions.push(value);
    else if (!KEPT.has(name)) define(program.root, name, value);
  }
  recordJsxValues(interpreter);
  for (const write of program.memberWrites) linkProperty(interpreter, write);
  interpreter.forget();
  for (const { node, scope } of program.calls) {
    linkPush(interpreter, node, scope);
    linkState(interpreter, node, scope);
  }
  for (const { node, scope } of program.calls) linkCall(interpreter, node, scope);
  for (const { node, scope } of program.tagged) linkTag(interpreter, node, scope);
  interpreter.forget();
}

/** The tag function of a template literal receives its strings and values. */
function linkTag(interpreter: Interpreter, node: t.TaggedTemplateExpression, scope: Scope): void {
  if (!mayReach(interpreter, node.tag, scope)) return;
  startLocation();
  for (const target of options(interpreter.evaluate(node.tag, scope, null)))
    if (target.kind === "function")
      give(interpreter, target, taggedArguments(interpreter, node, scope, null));
}

function linkProperty(interpreter: Interpreter, { target, value, scope }: MemberWrite): void {
  startLocation();
  const key = target.computed
    ? asText(interpreter.evaluate(target.property, scope, null)).value
    : nameOfKey(target.property);
  if (key.includes(HOLE) || target.object.type === "Super") return;
  for (const owner of options(interpreter.evaluate(target.object, scope, null)))
    writeProperty(interpreter, owner, key, value);
}

function writeProperty(interpreter: Interpreter, owner: Value, key: string, value: Definition): void {
  switch (owner.kind) {
    case "host": {
      const path = hostMember(owner.path, key);
      if (path !== null && path !== "" && !KEPT.has(path) && !path.startsWith("location"))
        append(interpreter.hostWrites, path, value);
      return;
    }
    case "object":
    case "class":
    case "function":
      append(propertiesOf(interpreter, owner.node), key, value);
      return;
    case "instance":
    case "receiver":
      append(propertiesOf(interpreter, owner.of), key, value);
      return;
    case "list":
      if (owner.node !== null) append(propertiesOf(interpreter, owner.node), key, value);
  }
}

function propertiesOf(interpreter: Interpreter, node: t.Node): Map<string, Definition[]> {
  let known = interpreter.properties.get(node);
  if (known === undefined) {
    known = new Map();
    interpreter.properties.set(node, known);
  }
  return known;
}

function append<K>(map: Map<K, Definition[]>, key: K, value: Definition): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

/** Records the arguments of a call for the functions that it may reach. */
function linkCall(interpreter: Interpreter, node: Call, scope: Scope): void {
  if (node.type === "ImportExpression") return;
  const nodes = node.arguments;
  if (nodes.length === 0 || (nodes.length === 1 && isPlain(nodes[0] as t.Node))) return;
  if (!mayReach(interpreter, node.callee, scope)) {
    linkCallback(interpreter, node, scope);
    return;
  }
  startLocation();
  const callee = calleeOf(interpreter, node, scope, null);
  const plain = nodes.every((arg) => arg.type !== "SpreadElement");
  for (const target of options(callee)) {
    if (target.kind === "function" && plain) {
      addCaller(interpreter, target.node, { nodes, scope, values: null });
    } else if (target.kind !== "unknown" && target.kind !== "host") {
      for (const one of invocationsOf(interpreter, target, argumentsOf(interpreter, node, scope, null))) {
        if (one.target.kind === "function") give(interpreter, one.target, one.args());
        else if (one.target.kind === "class") giveConstructor(interpreter, one.target.node, one.args());
      }
    }
  }
  linkCallback(interpreter, node, scope);
}

/** `!open`: an argument that says no more than a missing one. */
function isPlain(node: t.Node): boolean {
  return node.type === "UnaryExpression" && node.operator === "!" && node.argument.type === "Identifier";
}

/** Whether a callee may be a function of the file: imported and global names are not. */
function mayReach(interpreter: Interpreter, callee: t.Node, scope: Scope): boolean {
  let root = callee;
  while (root.type === "MemberExpression" || root.type === "OptionalMemberExpression") root = root.object;
  if (root.type !== "Identifier") return true;
  const binding = resolve(scope, root.name);
  if (binding !== null) return binding.definitions.some(isOfFile);
  return root === callee && (interpreter.program.hasWith || interpreter.hostWrites.has(root.name));
}

function isOfFile({ how }: Definition): boolean {
  return how !== "import" && how !== "unknown";
}

function give(interpreter: Interpreter, fn: Extract<Value, { kind: "function" }>, args: Value[]): void {
  addCaller(interpreter, fn.node, { nodes: null, scope: null, values: args });
}

function addCaller(interpreter: Interpreter, fn: t.Node, caller: Caller): void {
  const facts = interpreter.program.functions.get(fn);
  if (facts === undefined) return;
  if (facts.callers.length === 0) facts.callers = [caller];
  else facts.callers.push(caller);
}

function giveConstructor(interpreter: Interpreter, node: t.Class, args: Value[]): void {
  const method = node.body.body.find(
    (member) => member.type === "ClassMethod" && member.kind === "constructor",
  );
  if (method !== undefined) addCaller(interpreter, method, { nodes: null, scope: null, values: args });
}

/** A callback passed to `map`, `then` or `addEventListener` receives elements, results or messages. */
function linkCallback(interpreter: Interpreter, node: Exclude<Call, t.ImportExpression>, scope: Scope): void {
  const { callee } = node;
  if (node.type === "NewExpression" && callee.type === "Identifier" && callee.name === "Proxy")
    linkProxy(interpreter, node, scope);
  if (callee.type !== "MemberExpression" && callee.type !== "OptionalMemberExpression") {
    if (callee.type === "Identifier" && callee.name === "addEventListener")
      linkMessage(interpreter, node, scope);
    return;
  }
  if (callee.computed || callee.object.type === "Super") return;
  const name = nameOfKey(callee.property);
  if (name === "addEventListener") {
    linkMessage(interpreter, node, scope);
    return;
  }
  const elements = ELEMENT_CALLBACKS.has(name);
  if (!elements && name !== "then" && name !== "reduce") return;
  const [first] = node.arguments;
  if (first === undefined || first.type === "SpreadElement") return;
  const receiver = interpreter.evaluate(callee.object, scope, null);
  if (receiver.kind === "unknown" && receiver.taint === 0) return;
  const given = elements || name === "reduce" ? elementOf(receiver) : receiver;
  for (const callback of options(interpreter.evaluate(first, scope, null))) {
    if (callback.kind === "function")
      give(interpreter, callback, name === "reduce" ? [given, given] : [given]);
  }
}

/** Traps of a proxy that receive its target. */
const TRAPS = ["apply", "construct", "get", "set", "has"];

function linkProxy(interpreter: Interpreter, node: t.NewExpression, scope: Scope): void {
  const [target, handler] = node.arguments;
  if (target === undefined || handler === undefined || target.type === "SpreadElement") return;
  const proxied = interpreter.evaluate(target, scope, null);
  for (const option of options(interpreter.evaluate(handler, scope, null))) {
    if (option.kind !== "object") continue;
    for (const trap of TRAPS) {
      const method = interpreter.member(option, trap);
      if (method.kind === "function") give(interpreter, method, [proxied]);
    }
  }
}

/** `list.push(…)` on a name of the file whose only value is an array literal. */
function linkPush(interpreter: Interpreter, node: Call, scope: Scope): void {
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression" || node.callee.computed)
    return;
  const { object: list, property } = node.callee;
  const name = nameOfKey(property);
  if ((name !== "push" && name !== "unshift") || list.type !== "Identifier") return;
  const [only, ...others] = resolve(scope, list.name)?.definitions ?? [];
  if (only?.how !== "value" || only.node.type !== "ArrayExpression" || others.length > 0) return;
  const pushed = propertiesOf(interpreter, only.node);
  for (const given of node.arguments)
    if (given.type !== "SpreadElement") append(pushed, PUSHED, { how: "value", node: given, scope });
}

function linkMessage(interpreter: Interpreter, node: Exclude<Call, t.ImportExpression>, scope: Scope): void {
  const [type, listener] = node.arguments;
  if (type?.type !== "StringLiteral" || type.value !== "message" || listener === undefined) return;
  for (const callback of options(interpreter.evaluate(listener, scope, null))) {
    if (callback.kind === "function") give(interpreter, callback, [unknown(UNTRUSTED)]);
  }
}
