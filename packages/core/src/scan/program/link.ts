import type * as t from "@babel/types";
import { refuel } from "../values/budget.ts";
import { taggedArguments } from "../values/call.ts";
import { elementOf } from "../values/definition.ts";
import { evaluate } from "../values/evaluate.ts";
import { hostMember } from "../values/hosts.ts";
import { argumentsOf, calleeOf, invocationsOf } from "../values/invocation.ts";
import { memberOf } from "../values/member.ts";
import { ELEMENT_CALLBACKS } from "../values/methods.ts";
import { asText } from "../values/text.ts";
import { forget, type Tracer } from "../values/tracer.ts";
import { HOLE, OUTSIDE, options, unknown, type Value } from "../values/value.ts";
import { PUSHED } from "../values/written.ts";
import { linkShown, linkState } from "./link-state.ts";
import { nameOfKey } from "./patterns.ts";
import type { Call, Caller, MemberWrite } from "./program.ts";
import { type Definition, define, resolve, type Scope } from "./scope.ts";

/** Globals that are sinks when written to, so that a write to one declares no new name. */
const KEPT = new Set(["location", "onerror", "onload", "onmessage", "name"]);

/**
 * Joins what the walk found: assignments to the names they mean, property writes to their objects, and calls to the
 * functions of the file that they reach. Values seen meanwhile are forgotten, as they were worked out without all this.
 */
export function link(tracer: Tracer): void {
  const { program } = tracer;
  for (const { name, value, scope } of program.nameWrites) {
    const binding = resolve(scope, name);
    if (binding !== null) binding.definitions.push(value);
    else if (!KEPT.has(name)) define(program.root, name, value);
  }
  linkShown(tracer);
  for (const write of program.memberWrites) linkProperty(tracer, write);
  forget(tracer);
  for (const { node, scope } of program.calls) {
    linkPush(tracer, node, scope);
    linkState(tracer, node, scope);
  }
  for (const { node, scope } of program.calls) linkCall(tracer, node, scope);
  for (const { node, scope } of program.tagged) linkTag(tracer, node, scope);
  forget(tracer);
}

/** A function that is the tag of a template receives its texts and values. */
function linkTag(tracer: Tracer, node: t.TaggedTemplateExpression, scope: Scope): void {
  if (!mayReach(tracer, node.tag, scope)) return;
  refuel();
  for (const target of options(evaluate(tracer, node.tag, scope, null)))
    if (target.kind === "function") give(tracer, target, taggedArguments(tracer, node, scope, null));
}

function linkProperty(tracer: Tracer, { target, value, scope }: MemberWrite): void {
  refuel();
  const key = target.computed
    ? asText(evaluate(tracer, target.property, scope, null)).value
    : nameOfKey(target.property);
  if (key.includes(HOLE) || target.object.type === "Super") return;
  for (const owner of options(evaluate(tracer, target.object, scope, null)))
    writeProperty(tracer, owner, key, value);
}

function writeProperty(tracer: Tracer, owner: Value, key: string, value: Definition): void {
  switch (owner.kind) {
    case "host": {
      const path = hostMember(owner.path, key);
      if (path !== null && path !== "" && !KEPT.has(path) && !path.startsWith("location"))
        append(tracer.hostWrites, path, value);
      return;
    }
    case "object":
    case "class":
    case "function":
      append(propertiesOf(tracer, owner.node), key, value);
      return;
    case "instance":
    case "receiver":
      append(propertiesOf(tracer, owner.of), key, value);
      return;
    case "list":
      if (owner.node !== null) append(propertiesOf(tracer, owner.node), key, value);
  }
}

function propertiesOf(tracer: Tracer, node: t.Node): Map<string, Definition[]> {
  let known = tracer.properties.get(node);
  if (known === undefined) {
    known = new Map();
    tracer.properties.set(node, known);
  }
  return known;
}

function append<K>(map: Map<K, Definition[]>, key: K, value: Definition): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

/** Notes what a call brings to the parameters of the functions that it may reach. */
function linkCall(tracer: Tracer, node: Call, scope: Scope): void {
  if (node.type === "ImportExpression") return;
  const nodes = node.arguments;
  if (nodes.length === 0 || (nodes.length === 1 && isPlain(nodes[0] as t.Node))) return;
  if (!mayReach(tracer, node.callee, scope)) {
    linkCallback(tracer, node, scope);
    return;
  }
  refuel();
  const callee = calleeOf(tracer, node, scope, null);
  const plain = nodes.every((arg) => arg.type !== "SpreadElement");
  for (const target of options(callee)) {
    if (target.kind === "function" && plain) {
      addCaller(tracer, target.node, { nodes, scope, values: null });
    } else if (target.kind !== "unknown" && target.kind !== "host") {
      for (const one of invocationsOf(tracer, target, argumentsOf(tracer, node, scope, null))) {
        if (one.target.kind === "function") give(tracer, one.target, one.args());
        else if (one.target.kind === "class") giveConstructor(tracer, one.target.node, one.args());
      }
    }
  }
  linkCallback(tracer, node, scope);
}

/** `!open`: an argument that tells a function no more than none. */
function isPlain(node: t.Node): boolean {
  return node.type === "UnaryExpression" && node.operator === "!" && node.argument.type === "Identifier";
}

/** Whether a callee may be a function of the file: what is imported or global is none. */
function mayReach(tracer: Tracer, callee: t.Node, scope: Scope): boolean {
  let root = callee;
  while (root.type === "MemberExpression" || root.type === "OptionalMemberExpression") root = root.object;
  if (root.type !== "Identifier") return true;
  const binding = resolve(scope, root.name);
  if (binding !== null) return binding.definitions.some(isOfFile);
  return root === callee && (tracer.program.hasWith || tracer.hostWrites.has(root.name));
}

function isOfFile({ how }: Definition): boolean {
  return how !== "import" && how !== "unknown";
}

function give(tracer: Tracer, fn: Extract<Value, { kind: "function" }>, args: Value[]): void {
  addCaller(tracer, fn.node, { nodes: null, scope: null, values: args });
}

function addCaller(tracer: Tracer, fn: t.Node, caller: Caller): void {
  const facts = tracer.program.functions.get(fn);
  if (facts === undefined) return;
  if (facts.callers.length === 0) facts.callers = [caller];
  else facts.callers.push(caller);
}

function giveConstructor(tracer: Tracer, node: t.Class, args: Value[]): void {
  const method = node.body.body.find(
    (member) => member.type === "ClassMethod" && member.kind === "constructor",
  );
  if (method !== undefined) addCaller(tracer, method, { nodes: null, scope: null, values: args });
}

/** A function handed to `map`, `then` or a listener receives elements, results or messages. */
function linkCallback(tracer: Tracer, node: Exclude<Call, t.ImportExpression>, scope: Scope): void {
  const { callee } = node;
  if (node.type === "NewExpression" && callee.type === "Identifier" && callee.name === "Proxy")
    linkProxy(tracer, node, scope);
  if (callee.type !== "MemberExpression" && callee.type !== "OptionalMemberExpression") {
    if (callee.type === "Identifier" && callee.name === "addEventListener") linkMessage(tracer, node, scope);
    return;
  }
  if (callee.computed || callee.object.type === "Super") return;
  const name = nameOfKey(callee.property);
  if (name === "addEventListener") {
    linkMessage(tracer, node, scope);
    return;
  }
  const elements = ELEMENT_CALLBACKS.has(name);
  if (!elements && name !== "then" && name !== "reduce") return;
  const [first] = node.arguments;
  if (first === undefined || first.type === "SpreadElement") return;
  const receiver = evaluate(tracer, callee.object, scope, null);
  if (receiver.kind === "unknown" && receiver.taint === 0) return;
  const given = elements || name === "reduce" ? elementOf(receiver) : receiver;
  for (const callback of options(evaluate(tracer, first, scope, null))) {
    if (callback.kind === "function") give(tracer, callback, name === "reduce" ? [given, given] : [given]);
  }
}

/** Traps of a proxy that receive what it stands for. */
const TRAPS = ["apply", "construct", "get", "set", "has"];

function linkProxy(tracer: Tracer, node: t.NewExpression, scope: Scope): void {
  const [target, handler] = node.arguments;
  if (target === undefined || handler === undefined || target.type === "SpreadElement") return;
  const proxied = evaluate(tracer, target, scope, null);
  for (const option of options(evaluate(tracer, handler, scope, null))) {
    if (option.kind !== "object") continue;
    for (const trap of TRAPS) {
      const method = memberOf(tracer, option, trap);
      if (method.kind === "function") give(tracer, method, [proxied]);
    }
  }
}

/** `list.push(…)` on a list that a name of the file holds from its beginning. */
function linkPush(tracer: Tracer, node: Call, scope: Scope): void {
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression" || node.callee.computed)
    return;
  const { object: list, property } = node.callee;
  const name = nameOfKey(property);
  if ((name !== "push" && name !== "unshift") || list.type !== "Identifier") return;
  const [only, ...others] = resolve(scope, list.name)?.definitions ?? [];
  if (only?.how !== "value" || only.node.type !== "ArrayExpression" || others.length > 0) return;
  const pushed = propertiesOf(tracer, only.node);
  for (const given of node.arguments)
    if (given.type !== "SpreadElement") append(pushed, PUSHED, { how: "value", node: given, scope });
}

function linkMessage(tracer: Tracer, node: Exclude<Call, t.ImportExpression>, scope: Scope): void {
  const [type, listener] = node.arguments;
  if (type?.type !== "StringLiteral" || type.value !== "message" || listener === undefined) return;
  for (const callback of options(evaluate(tracer, listener, scope, null))) {
    if (callback.kind === "function") give(tracer, callback, [unknown(OUTSIDE)]);
  }
}
