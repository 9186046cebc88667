import { asText } from "../../interpreter/text/text.ts";
import { HOLE, isText, options, UNKNOWN } from "../../interpreter/value.ts";
import { checkInnerHtml, checkMarkup, checkTags } from "../common/markup.ts";
import type { Rule, RuleContext } from "../rule.ts";
import { markupKeyOf } from "./markup-key.ts";

/** Properties that become markup or a document. */
const MARKUP = new Set(["innerHTML", "outerHTML", "srcdoc"]);
/** Methods that take markup, and its index in their arguments. */
const MARKUP_AT: Record<string, number> = {
  insertAdjacentHTML: 1,
  createContextualFragment: 0,
  setHTMLUnsafe: 0,
  parseHTMLUnsafe: 0,
  unsafeHTML: 0,
};
/**
 * Methods of jQuery and of documents that take markup. Other libraries, streams and files have methods of these names
 * too, so only strings count.
 */
const TEXTUAL = new Set(
  "html append prepend after before replaceWith wrap appendTo prependTo write writeln".split(" "),
);
const CALLS = /^document\.(?:write(?:ln)?|execCommand)$|^(?:\$|jQuery|npm:jquery)$/;

const OPEN_TAG = new RegExp(`^\\s*<[^]*${HOLE}`);

/** Markup with scripts, handlers or script links, or from outside, that is inserted into the page. */
export const markup: Rule = {
  id: "script-injection",
  severity: "high",
  calls: (path) => CALLS.test(path),
  onCall(context, { path, args, node }) {
    if (path.startsWith("document.write")) {
      for (const arg of args) {
        checkMarkup(context, arg, node);
        if (!isText(arg) || asText(arg).value.includes(HOLE))
          context.report("script-injection", "medium", node);
      }
      return;
    }
    const held = args[path === "document.execCommand" ? 2 : 0];
    if (held === undefined) return;
    checkMarkup(context, held, node);
    // jQuery creates elements from a string that begins with a tag.
    if (options(held).some((one) => isText(one) && OPEN_TAG.test(asText(one).value)))
      context.report("script-injection", "low", node);
  },
  methods: (name) => Object.hasOwn(MARKUP_AT, name) || TEXTUAL.has(name) || name === "parseFromString",
  onMethod(context, { name, args, node }) {
    const at = Object.hasOwn(MARKUP_AT, name) ? MARKUP_AT[name] : undefined;
    if (at !== undefined) checkMarkup(context, args()[at] ?? UNKNOWN, node);
    else if (name === "parseFromString") {
      // Text from outside is mostly parsed to be cleaned; a literal is meant to be shown.
      for (const option of options(args()[0] ?? UNKNOWN)) checkTags(context, asText(option).value, 0, node);
    } else for (const arg of args()) if (options(arg).some(isText)) checkMarkup(context, arg, node);
  },
  properties: (key) => MARKUP.has(key) || key === "dangerouslySetInnerHTML",
  onWrite(context, { owner, key, value, node, byFunction }) {
    if (key === "dangerouslySetInnerHTML") checkInnerHtml(context, value, node);
    else checkMarkup(context, value, node);
    // Written by a function, not by an assignment: whatever the value is, the file hides that it writes markup.
    if (byFunction === true && MARKUP.has(key) && owner.kind !== "either")
      if (options(value).some((one) => !isText(one) || asText(one).value.includes(HOLE)))
        context.report("script-injection", "medium", node);
  },
  onAttribute(context, { key, value, node }) {
    if (key === "srcdoc") checkMarkup(context, value, node);
  },
  attributes: (name) =>
    name === "dangerouslySetInnerHTML" || name === "innerHTML" || name === "srcDoc" || name === "srcdoc",
  onJsxAttribute(context, { name, value, node }) {
    if (name.endsWith("HTML")) checkInnerHtml(context, value, node);
    else checkMarkup(context, value, node);
  },
  onProp(context, { key, value, node }) {
    if (key === "dangerouslySetInnerHTML") checkInnerHtml(context, value, node);
    else if (key === "srcdoc") checkMarkup(context, value, node);
  },
  onFile: checkObjects,
};

/** Properties of object literals whose name makes their value markup. */
function checkObjects(context: RuleContext): void {
  const { interpreter } = context;
  context.each(interpreter.program.markup, (place) => {
    const key = markupKeyOf(context, place);
    if (key === null || key === "__html") return;
    const { node, scope } = place;
    const value = interpreter.evaluate(node.value, scope, null);
    if (key === "dangerouslySetInnerHTML") checkInnerHtml(context, value, node);
    else checkMarkup(context, value, node);
  });
}
