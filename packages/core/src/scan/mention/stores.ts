import type * as t from "@babel/types";
import { refuel } from "../interpreter/budget.ts";
import { options } from "../interpreter/value.ts";
import { nameOfKey } from "../program/patterns.ts";
import { resolve, type Scope } from "../program/scope.ts";
import type { Site } from "../rules/site.ts";

/** Functions of the page that run, send or leave when somebody calls them. */
const ACTING = new Set(
  (
    "eval Function fetch open importScripts XMLHttpRequest WebSocket EventSource Worker SharedWorker WebTransport Image Notification " +
    "navigator.sendBeacon document.write document.writeln document.open document.createElement location.assign location.replace window.open " +
    "setTimeout setInterval execScript RTCPeerConnection BroadcastChannel MessageChannel DOMParser postMessage"
  ).split(" "),
);
/** Methods that keep what they are given. */
const KEEPING = new Set([
  "set",
  "add",
  "provide",
  "register",
  "defineProperty",
  "defineProperties",
  "assign",
]);
/** How much of what it is called is read. */
const NAME = 40;
/** What is kept in a map or a set, not in the state of a component. */
const STORE = /(?:Map|Set|Registry|registry|store|cache|secrets?|symbols?|Object|Reflect|[a-z])$/;

/** Functions of the page that are put where they are not seen: a map, a property of a symbol, an event, a getter. */
export function checkStores(site: Site): void {
  const { program } = site.interpreter;
  for (const { node, scope } of program.calls) {
    refuel();
    if (node.type === "ImportExpression") continue;
    const { callee } = node;
    if (node.type === "NewExpression") {
      if (callee.type !== "Identifier" || !/^(?:Weak)?(?:Map|Set|Ref)$|^CustomEvent$/.test(callee.name))
        continue;
      for (const argument of node.arguments)
        if (holds(site, argument, scope, 0)) site.report("eval", "low", argument);
    } else if (
      callee.type === "MemberExpression" &&
      !callee.computed &&
      KEEPING.has(nameOfKey(callee.property))
    ) {
      if (
        nameOfKey(callee.property) === "add" ||
        !STORE.test(site.source.slice(Math.max(0, (callee.object.end ?? 0) - NAME), callee.object.end ?? 0))
      )
        continue;
      for (const argument of node.arguments.slice(0, 3))
        if (holds(site, argument, scope, 0)) site.report("eval", "low", argument);
    }
  }
}

/** How deep objects and lists are looked into. */
const DEPTH = 3;

function holds(site: Site, node: t.Node, scope: Scope, depth: number): boolean {
  switch (node.type) {
    case "ArrayExpression":
      return depth < DEPTH && node.elements.some((one) => one !== null && holds(site, one, scope, depth + 1));
    case "ObjectExpression":
      return (
        depth < DEPTH &&
        node.properties.some(
          (one) => one.type === "ObjectProperty" && holds(site, one.value, scope, depth + 1),
        )
      );
    case "TSAsExpression":
    case "TSNonNullExpression":
      return holds(site, node.expression, scope, depth);
    case "Identifier":
      if (resolve(scope, node.name) === null) return ACTING.has(node.name);
      break;
    case "MemberExpression":
      break;
    case "ArrowFunctionExpression":
      return (
        node.body.type !== "BlockStatement" &&
        node.body.type !== "CallExpression" &&
        holds(site, node.body, scope, depth + 1)
      );
    default:
      return false;
  }
  if (node.type === "Identifier") return false;
  return options(site.interpreter.evaluate(node, scope, null)).some(
    (value) => value.kind === "host" && ACTING.has(value.path),
  );
}
