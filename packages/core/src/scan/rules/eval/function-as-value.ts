import type * as t from "@babel/types";
import { options } from "../../interpreter/value.ts";
import { nameOfKey } from "../../program/patterns.ts";
import type { Scope } from "../../program/scope.ts";
import type { Rule, RuleContext } from "../rule.ts";

/** Functions that compile strings as code. */
const COMPILERS = new Set(["Function", "setTimeout", "setInterval", "execScript"]);
/** The code after a name that is called or read from directly; the rules for calls check that. */
const CALLED_OR_READ = /^\s*(?:[(.`[]|\?\.|[!=]==?|as\b|satisfies\b|:)/;
/** The code before a name that is only compared with, or that states a type. */
const TYPE_POSITION = /\b(?:String|Object|Array|Number|Boolean|Symbol)\s*,\s*$/;
const COMPARED =
  /(?:\b(?:instanceof|typeof|new|case|extends|in)|[!=]==?|[\w"'`\])]\??\s*:\s*(?:\[[^\]()]*|\(\s*)?|\w*(?:instance|type|class|any|is[A-Z]?|promisify|spy|stub|mock|expect|equal|prop|has|inject|assert|token|Constructor)\w*\)?\s*[(,[][^()]*)\s*$/i;
/** Methods that call their argument with the items of a list. */
const ITERATION_METHOD =
  /\b(?:map|forEach|flatMap|filter|some|every|find\w*|from|fromAsync|reduce|reduceRight|sort|then)\(\s*(?:[^()]*,\s*)?$/;
/** Characters before and after the name that are read. */
const CONTEXT_LENGTH = 80;

/** `Function` that is neither called nor compared with: it is stored or passed on, to be called elsewhere. */
export const functionAsValue: Rule = {
  id: "eval",
  severity: "high",
  onFile(context) {
    context.each(context.interpreter.program.compilerReferences, ({ node, scope }) => {
      const [start, end] = [node.start ?? 0, node.end ?? 0];
      if (CALLED_OR_READ.test(context.source.slice(end, end + CONTEXT_LENGTH))) return;
      const before = context.source.slice(Math.max(0, start - CONTEXT_LENGTH), start);
      // A timer is stored and passed on for good reasons, but not to a method that calls it with the items of a list.
      const timer = /^set/.test(nameOfKey(node.type === "MemberExpression" ? node.property : node));
      if (timer ? !ITERATION_METHOD.test(before) : TYPE_POSITION.test(before) || COMPARED.test(before))
        return;
      if (compilesStrings(context, node, scope)) context.report("eval", "high", node);
    });
  },
};

/** Whether an expression refers to a function that compiles strings as code. */
function compilesStrings({ interpreter }: RuleContext, node: t.Node, scope: Scope): boolean {
  return options(interpreter.evaluate(node, scope, null)).some(
    (one) => one.kind === "host" && COMPILERS.has(one.path),
  );
}
