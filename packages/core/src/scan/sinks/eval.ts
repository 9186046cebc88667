import { options } from "../alternatives.ts";
import { HIDDEN_GLOBAL } from "../hosts.ts";
import { SPENT } from "../value.ts";
import { reachOf } from "./address.ts";
import type { Sink } from "./sink.ts";

/** Functions that compile a string, and those that do if they get one. */
const COMPILERS = /^(?:eval|Function|execScript|npm:(?:vm|child_process)(?:\.\w+)?)$/;
const TIMERS = /^(?:setTimeout|setInterval|setImmediate)$/;

/** Strings that are run as code, and `eval` passed on to what may run it. */
export const evalSink: Sink = (act, context) => {
  if (act.kind === "import" && reachOf(act.address, context) === "code")
    context.report("eval", "high", act.node);
  if (act.kind !== "call" || act.path === null) return;
  const [first] = act.args;
  const isText = options(first).some(
    (arg) =>
      arg === SPENT || arg.kind === "list" || (arg.kind === "constant" && typeof arg.value === "string"),
  );
  if (act.path === HIDDEN_GLOBAL || COMPILERS.test(act.path) || (TIMERS.test(act.path) && isText))
    context.report("eval", "high", act.node);
};
