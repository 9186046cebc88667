import { options } from "../../interpreter/value.ts";
import { expressionText } from "../common/expression-text.ts";
import type { Rule } from "../rule.ts";

/** Functions that compile strings as code, in any window. */
const COMPILERS = /^(?:eval|execScript|Function)$/;
/** Usual names of a window that is passed as an argument. */
const WINDOW =
  /(?:^|[a-z.])(?:w|win|wnd|window|frame|iframe|realm|global|globals|view|scope|root|ctx|sandbox|popup|opener|parent|top|current)$/i;

/** `win.eval(text)`: the object is unknown, but its name says that it is a window. */
export const otherWindow: Rule = {
  id: "eval",
  severity: "high",
  methods: (name) => COMPILERS.test(name),
  onMethod(context, { receiver, node, how }) {
    if (how !== "member" || !options(receiver).some(({ kind }) => kind === "unknown")) return;
    const { callee } = node as { callee?: Parameters<typeof expressionText>[1] };
    if (callee === undefined || !("object" in callee)) return;
    const written = expressionText(context, callee.object as Parameters<typeof expressionText>[1]) ?? "";
    if (WINDOW.test(written.replace(/[)\]]+$/, ""))) context.report("eval", "high", node);
  },
};
