import { ANY_GLOBAL } from "../hosts.ts";
import { hasHole, options, type Value } from "../value.ts";
import { reachOf } from "./address.ts";
import type { Context, Sink } from "./sink.ts";

/** Functions that compile a string. */
const COMPILERS = /^(?:eval|Function|execScript|AsyncFunction|npm:(?:vm|child_process)(?:\.\w+)?)$/;
const TIMERS = /^(?:setTimeout|setInterval|setImmediate)$/;

/** Strings that are run as code. */
export const evalSink: Sink = (act, context) => {
  switch (act.kind) {
    case "read":
      // Under any other name it may be called where the scan does not see it.
      if (act.path === "eval") context.report("eval", "high", act.node);
      return;
    case "call":
      if (act.path === null) return;
      if (act.on?.kind === "unknown" && act.on.spent && act.path === "")
        context.report("eval", "high", act.node);
      if (COMPILERS.test(act.path) || act.path === ANY_GLOBAL) context.report("eval", "high", act.node);
      else if (TIMERS.test(act.path) && options(act.args[0]).some((arg) => isText(arg, context)))
        context.report("eval", "high", act.node);
      return;
    case "import":
      if (reachOf(act.address, context) === "document") context.report("eval", "high", act.node);
      return;
    case "write":
    case "element":
      return;
  }
};

/** Whether a timer would compile a value. */
function isText(value: Value, context: Context): boolean {
  if (value.kind === "constant") return typeof value.value === "string" && value.value !== "";
  if (value.kind === "unknown") return value.spent === true;
  return value.kind === "list" || (value.kind === "object" && !hasHole(context.text(value)));
}
