import type * as t from "@babel/types";
import { asText } from "../../interpreter/text/text.ts";
import { HOLE, isText, options, type Value } from "../../interpreter/value.ts";
import type { Rule, RuleContext } from "../rule.ts";

/** Calls that take a template, or a component with one, whose expressions are compiled. */
const TEMPLATES =
  /^(?:npm:(?:vue|@vue\/[\w-]+)(?:\/[\w./-]+)?\.(?:createApp|createSSRApp|defineComponent|compile|component|extend)|Vue(?:\.(?:createApp|createSSRApp|defineComponent|compile|component|extend))?|npm:vue|npm:(?:lodash(?:-es)?|underscore)(?:\/template|\.template)|npm:lodash\.template|(?:npm:)?(?:handlebars|ejs|pug|doT|dot|nunjucks|Handlebars)\.(?:compile|render|template|renderString))$/;

/** The ends of their paths, which no other common path has. */
const TEMPLATE_END = /(?:[Cc]omponent|App|[Cc]ompile|extend|[Tt]emplate|render(?:String)?|[Vv]ue)$/;

/** A template that is concatenated and compiled: the expressions in its braces are run. */
export const templates: Rule = {
  id: "eval",
  severity: "medium",
  calls: (path) => TEMPLATE_END.test(path) && TEMPLATES.test(path),
  onCall(context, { path, args, node }) {
    checkTemplate(context, path, args.slice(0, /component$/i.test(path) ? 2 : 1), node);
  },
  methods: (name) => name === "component",
  onMethod(context, { name, args, node }) {
    checkTemplate(context, name, args(2).slice(1), node);
  },
};

function checkTemplate(context: RuleContext, path: string, args: Value[], node: t.Node): void {
  const plain = /\b(?:compile|template|render|renderString)$/.test(path);
  for (const arg of args) {
    for (const option of options(arg)) {
      const held =
        option.kind === "object" || option.kind === "record"
          ? context.interpreter.member(option, "template")
          : option;
      const open = options(held).some((one) =>
        isText(one)
          ? asText(one).value.includes(HOLE)
          : one.kind === "unknown" || (one.kind === "host" && !one.path.startsWith("npm:"))
            ? plain || held !== option
            : plain && one.kind === "method",
      );
      if (open) context.report("eval", "medium", node);
    }
  }
}
