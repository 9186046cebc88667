import type * as t from "@babel/types";
import { options } from "../../interpreter/value.ts";
import { nameOfKey } from "../../program/patterns.ts";
import { resolve, type Scope } from "../../program/scope.ts";
import type { Rule, RuleContext } from "../rule.ts";
import { markupKeyOf } from "./markup-key.ts";

/** Methods that take markup, and its index in their arguments. */
const ARGUMENT: Record<string, number> = {
  insertAdjacentHTML: 1,
  createContextualFragment: 0,
  parseFromString: 0,
};
/** Calls that insert a parsed page into this one. */
const INSERTING = /\b(?:append|appendChild|prepend|replaceChildren|replaceWith|adoptNode|importNode)\(/;

/**
 * Markup that comes unchanged from outside the component: a parameter, a property or an undeclared name. The return
 * value of a call may have been cleaned by it, and passes.
 */
export const untrustedMarkup: Rule = {
  id: "script-injection",
  severity: "low",
  methods: (name) => Object.hasOwn(ARGUMENT, name),
  onMethod(context, { name, node, scope, how }) {
    if (how !== "member" || (name === "parseFromString" && !INSERTING.test(context.source))) return;
    const markup = (node as t.CallExpression).arguments[ARGUMENT[name] ?? 0];
    if (markup !== undefined) checkUntrusted(context, markup, scope, node);
  },
  onMemberWrite(context, { write, owner, keys }) {
    const { value, node } = write;
    if (!keys.some((key) => MARKUP_PROPERTIES.has(key))) return;
    if (value.how !== "value") {
      // `[element.innerHTML] = [text]`: the only reason to write it this way is to hide it.
      const held = options(context.interpreter.definition(value, null));
      if (held.some(({ kind }) => kind === "unknown")) context.report("script-injection", "low", node);
      return;
    }
    // A style element takes no markup.
    const style = options(owner).some((option) => option.kind === "element" && option.tag === "style");
    if (!style) checkUntrusted(context, value.node, value.scope, node);
  },
  onFile(context) {
    context.each(context.interpreter.program.markup, (place) => {
      const key = markupKeyOf(context, place);
      if (key === "__html" || key === "innerHTML")
        checkUntrusted(context, place.node.value, place.scope, place.node);
    });
  },
};

/** Properties that turn their value into a page or a part of it. */
const MARKUP_PROPERTIES = new Set(["innerHTML", "outerHTML", "srcdoc"]);

/** Usual names of markup that the file built or cleaned itself. */
const TRUSTED = /svg|icon|css|style|saniti|safe|escape|purif|clean|trusted|theme/i;

function checkUntrusted(context: RuleContext, source: t.Node, scope: Scope, node: t.Node): void {
  const read = withoutFallback(source);
  if (isAttribute(read) && !TRUSTED.test(nameOfKey((read as t.CallExpression).arguments[0] as t.Node)))
    context.report("script-injection", "low", node);
  let root = source;
  while (root.type === "MemberExpression" && !root.computed) root = root.object;
  const name = source.type === "MemberExpression" ? nameOfKey(source.property) : nameOfKey(source);
  if ((root.type !== "Identifier" && root.type !== "ThisExpression") || TRUSTED.test(name)) return;
  if (source.type === "MemberExpression" && source.computed) return;
  // `icons.handle`: one member of a group.
  const group =
    source.type === "MemberExpression" && source.object.type !== "ThisExpression" ? source.object : null;
  const kept =
    group?.type === "MemberExpression" ? nameOfKey(group.property) : group === null ? "" : nameOfKey(group);
  if (kept === "svgs" || kept.endsWith("icons") || kept.endsWith("Icons")) return;
  const foreign = options(context.interpreter.evaluate(source, scope, null)).some(
    (value) => (value.kind === "unknown" || value.kind === "host") && !isMarkupItself(name),
  );
  if (foreign && !isLocal(source, scope)) context.report("script-injection", "low", node);
}

/** The expression before `?? ""`. */
function withoutFallback(source: t.Node): t.Node {
  let at = source;
  while (at.type === "LogicalExpression" || at.type === "TSNonNullExpression" || at.type === "TSAsExpression")
    at = at.type === "LogicalExpression" ? at.left : at.expression;
  return at;
}

/** `el.getAttribute("…")`, which cleans nothing. */
function isAttribute(source: t.Node): boolean {
  return (
    source.type === "CallExpression" &&
    source.arguments.length === 1 &&
    source.callee.type === "MemberExpression" &&
    nameOfKey(source.callee.property) === "getAttribute"
  );
}

/** Markup that the page already has: `a.innerHTML = b.innerHTML`. */
function isMarkupItself(name: string): boolean {
  return name === "innerHTML" || name === "outerHTML" || name === "textContent";
}

/** A variable that the file itself assigns, from a call for instance. */
function isLocal(source: t.Node, scope: Scope): boolean {
  if (source.type !== "Identifier") return false;
  const binding = resolve(scope, source.name);
  return (
    binding?.definitions.some(
      (one) =>
        one.how === "value" ||
        one.how === "compound" ||
        one.how === "import" ||
        // React's state.
        (one.how === "item" && one.from.how === "value"),
    ) ?? false
  );
}
