import type * as t from "@babel/types";
import { asText, taintOf } from "../../interpreter/text/text.ts";
import { DECODED, HIDDEN, isText, options, UNKNOWN, type Value } from "../../interpreter/value.ts";
import { reachOf } from "../common/address.ts";
import type { HostCall, MethodCall, Rule, RuleContext } from "../rule.ts";

const COMPILERS = new Set([
  "eval",
  "execScript",
  "Function",
  "$.globalEval",
  "jQuery.globalEval",
  "npm:jquery.globalEval",
]);
const TIMERS = new Set(["setTimeout", "setInterval", "setImmediate", "requestIdleCallback"]);
/** Calls whose first argument is the address of a program. */
const ADDRESSES = new Set([
  "import",
  "importScripts",
  "Worker",
  "SharedWorker",
  "navigator.serviceWorker.register",
]);
const SYSTEM = /^npm:(?:vm\.(?:run\w+|Script|compileFunction|SourceTextModule)|child_process\.\w+)$/;

/** Strings that are run as code: by `eval` and similar functions, by timers, and as addresses that contain the code. */
export const codeStrings: Rule = {
  id: "eval",
  severity: "high",
  calls: (path) => COMPILERS.has(path) || TIMERS.has(path) || ADDRESSES.has(path) || SYSTEM.test(path),
  onCall(context: RuleContext, { path, args, node }: HostCall) {
    const [first] = args;
    if (COMPILERS.has(path) || SYSTEM.test(path)) context.report("eval", "high", node);
    else if (first === undefined) return;
    else if (TIMERS.has(path)) {
      if (mayBeText(first) || isCastToText(node)) context.report("eval", "high", node);
    } else checkAddress(context, first, node);
  },
  methods: (name) => name === "addModule",
  onMethod(context: RuleContext, { args, node }: MethodCall) {
    checkAddress(context, args()[0] ?? UNKNOWN, node);
  },
  onFile(context) {
    context.each(context.interpreter.program.sources, ({ node }) =>
      checkAddress(context, { kind: "constant", value: node.value, taint: 0 }, node),
    );
  },
};

/** Reports the address of a program that contains the program itself. */
function checkAddress(context: RuleContext, address: Value, node: t.Node): void {
  const reach = reachOf(address);
  if (reach === "code" || reach === "data" || reach === "blob") context.report("eval", "high", node);
}

/** `setTimeout(x as string)`: whatever the value is, the file states that it is a string. */
function isCastToText(node: t.Node): boolean {
  if (node.type !== "CallExpression") return false;
  const [first] = node.arguments;
  return first?.type === "TSAsExpression" && first.typeAnnotation.type === "TSStringKeyword";
}

const OBJECTS = new Set<Value["kind"]>(["list", "object", "record", "instance"]);

function mayBeText(value: Value): boolean {
  return options(value).some(
    (option) =>
      (isText(option) && asText(option).value !== "") ||
      // A timer converts anything but a function to a string.
      OBJECTS.has(option.kind) ||
      (taintOf(option) & (HIDDEN | DECODED)) !== 0,
  );
}
