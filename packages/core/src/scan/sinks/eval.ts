import { ANY_GLOBAL } from "../hosts.ts";
import { options, SPENT } from "../value.ts";
import { reachOf } from "./address.ts";
import type { Sink } from "./sink.ts";

/** Functions that compile a string, and those that do if they get one. */
const COMPILERS = /^(?:eval|Function|execScript|npm:(?:vm|child_process)(?:\.\w+)?)$/;
const TIMERS = /^(?:setTimeout|setInterval|setImmediate)$/;

/** Strings that are run as code. */
export const evalSink: Sink = (act, context) => {
  switch (act.kind) {
    case "readEval":
    case "callSpent":
      return context.report("eval", "high", act.node);
    case "call": {
      const { path, args, node } = act;
      if (path === null) return;
      const isText = options(args[0]).some(
        (arg) =>
          arg === SPENT || arg.kind === "list" || (arg.kind === "constant" && typeof arg.value === "string"),
      );
      if (path === ANY_GLOBAL || COMPILERS.test(path) || (TIMERS.test(path) && isText))
        context.report("eval", "high", node);
      return;
    }
    case "import":
      if (reachOf(act.address, context) === "document") context.report("eval", "high", act.node);
  }
};
