import type * as t from "@babel/types";
import { options } from "../../interpreter/value.ts";
import { nameOfKey } from "../../program/patterns.ts";
import { resolve, type Scope } from "../../program/scope.ts";
import type { Rule, RuleContext } from "../rule.ts";

/** Functions of the page that run code, send data or leave the page when they are called. */
const EFFECTFUL_FUNCTIONS = new Set(
  (
    "eval Function fetch open importScripts XMLHttpRequest WebSocket EventSource Worker SharedWorker WebTransport Image Notification " +
    "navigator.sendBeacon document.write document.writeln document.open document.createElement location.assign location.replace window.open " +
    "setTimeout setInterval execScript RTCPeerConnection BroadcastChannel MessageChannel DOMParser postMessage"
  ).split(" "),
);
/** Methods that store their arguments. */
const STORING_METHODS = new Set([
  "set",
  "add",
  "provide",
  "register",
  "defineProperty",
  "defineProperties",
  "assign",
]);
const STORE_CLASSES = /^(?:Weak)?(?:Map|Set|Ref)$|^CustomEvent$/;
/** Characters of the store's name that are read. */
const NAME_LENGTH = 40;
/** Usual names of a map, a set or another store, not of the state of a component. */
const STORE = /(?:Map|Set|Registry|registry|store|cache|secrets?|symbols?|Object|Reflect|[a-z])$/;

/** Functions of the page that are stored out of sight: in a map, under a symbol, in an event, behind a getter. */
export const storedFunctions: Rule = {
  id: "eval",
  severity: "low",
  calls: (path) => STORE_CLASSES.test(path),
  onCallee(context, { node, scope }) {
    if (node.type === "ImportExpression") return;
    const { callee } = node;
    let kept: readonly t.Node[] = [];
    if (node.type === "NewExpression") {
      if (callee.type === "Identifier" && STORE_CLASSES.test(callee.name)) kept = node.arguments;
    } else if (callee.type === "MemberExpression" && !callee.computed) {
      const name = nameOfKey(callee.property);
      if (!STORING_METHODS.has(name) || name === "add") return;
      const end = callee.object.end ?? 0;
      if (STORE.test(context.source.slice(Math.max(0, end - NAME_LENGTH), end)))
        kept = node.arguments.slice(0, 3);
    }
    for (const argument of kept)
      if (containsEffectful(context, argument, scope, 0)) context.report("eval", "low", argument);
  },
};

/** How deep objects and lists are searched. */
const DEPTH = 3;

function containsEffectful(context: RuleContext, node: t.Node, scope: Scope, depth: number): boolean {
  switch (node.type) {
    case "ArrayExpression":
      return (
        depth < DEPTH &&
        node.elements.some((one) => one !== null && containsEffectful(context, one, scope, depth + 1))
      );
    case "ObjectExpression":
      return (
        depth < DEPTH &&
        node.properties.some(
          (one) => one.type === "ObjectProperty" && containsEffectful(context, one.value, scope, depth + 1),
        )
      );
    case "TSAsExpression":
    case "TSNonNullExpression":
      return containsEffectful(context, node.expression, scope, depth);
    case "Identifier":
      if (resolve(scope, node.name) === null) return EFFECTFUL_FUNCTIONS.has(node.name);
      break;
    case "MemberExpression":
      break;
    case "ArrowFunctionExpression":
      return (
        node.body.type !== "BlockStatement" &&
        node.body.type !== "CallExpression" &&
        containsEffectful(context, node.body, scope, depth + 1)
      );
    default:
      return false;
  }
  if (node.type === "Identifier") return false;
  return options(context.interpreter.evaluate(node, scope, null)).some(
    (value) => value.kind === "host" && EFFECTFUL_FUNCTIONS.has(value.path),
  );
}
