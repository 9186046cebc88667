import { HIDDEN_GLOBAL } from "../hosts.ts";
import { reachOf } from "./address.ts";
import { isText, type Sink } from "./sink.ts";

/** Functions that always compile a string, and functions that do so when they get a string. */
const COMPILERS = /^(?:eval|Function|execScript|npm:(?:vm|child_process)(?:\.\w+)?)$/;
const TIMERS = /^(?:setTimeout|setInterval|setImmediate)$/;

/** Reports strings that run as code, and `eval` passed to a function that may call it. */
export const evalSink: Sink = (act, context) => {
  if (act.kind === "import" && reachOf(act.address, context) === "code")
    context.report("eval", "high", act.node);
  if (act.kind !== "call") return;
  const isPassed = act.args.some((arg) => arg.kind === "host" && arg.path === "eval");
  const isHidden = act.path === HIDDEN_GLOBAL || COMPILERS.test(act.path ?? "");
  const isTimer = TIMERS.test(act.path ?? "") && isText(act.args[0]);
  if (isPassed || isHidden || isTimer) context.report("eval", "high", act.node);
};
