import type * as t from "@babel/types";
import { asText } from "../../interpreter/text/text.ts";
import { options, UNKNOWN, type Value } from "../../interpreter/value.ts";
import { checkTags } from "../common/markup.ts";
import { someTextMatches } from "../common/some-text-matches.ts";
import type { Rule, RuleContext } from "../rule.ts";

/** A page with scripts that the file builds as a `Blob`. */
export const blob: Rule = {
  id: "script-injection",
  severity: "high",
  calls: (path) => path === "Blob" || path === "File",
  onCall(context, { args, node }) {
    checkBlob(context, [args[0] ?? UNKNOWN, args.at(-1) ?? UNKNOWN], node);
  },
};

/** Checks a page that the file builds as a `Blob`, to open it by its address. */
function checkBlob(context: RuleContext, [parts, settings]: readonly Value[], node: t.Node): void {
  if (parts?.kind !== "list" || settings === undefined || !context.source.includes("createObjectURL")) return;
  const type = options(settings).map((option) => context.interpreter.member(option, "type"));
  if (!type.some((one) => someTextMatches(one, /html|svg|^text\/xml/i))) return;
  checkTags(context, parts.items.map((item) => asText(item).value).join(""), 0, node);
}
