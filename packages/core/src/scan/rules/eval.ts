import { asText, taintOf } from "../values/text.ts";
import { HIDDEN, isText, options, type Value } from "../values/value.ts";
import { reachOf } from "./address.ts";
import type { HostCall, Site } from "./site.ts";

const ALWAYS = new Set([
  "eval",
  "execScript",
  "Function",
  "$.globalEval",
  "jQuery.globalEval",
  "npm:jquery.globalEval",
]);
const TIMERS = new Set(["setTimeout", "setInterval", "setImmediate", "requestIdleCallback"]);
/** Calls whose first argument is the address of a program. */
const PROGRAMS = new Set([
  "import",
  "importScripts",
  "Worker",
  "SharedWorker",
  "navigator.serviceWorker.register",
]);
const SYSTEM = /^npm:(?:vm\.(?:run\w+|Script|compileFunction|SourceTextModule)|child_process\.\w+)$/;

export function isEvalSink(path: string): boolean {
  return ALWAYS.has(path) || TIMERS.has(path) || PROGRAMS.has(path) || SYSTEM.test(path);
}

/** Text that is run as a program. */
export function checkEval(site: Site, { path, args, node }: HostCall): void {
  const [first] = args;
  if (ALWAYS.has(path) || SYSTEM.test(path)) site.report("eval", "high", node);
  else if (TIMERS.has(path) && first !== undefined && mayBeText(first)) site.report("eval", "high", node);
  else if (PROGRAMS.has(path) && first !== undefined) {
    const reach = reachOf(first);
    if (reach === "code" || reach === "data" || reach === "blob") site.report("eval", "high", node);
  }
}

function mayBeText(value: Value): boolean {
  return options(value).some(
    (option) => (isText(option) && asText(option).value !== "") || (taintOf(option) & HIDDEN) !== 0,
  );
}
