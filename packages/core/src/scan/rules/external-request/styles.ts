import { elementOf } from "../../interpreter/core/definition.ts";
import { namesOf } from "../../interpreter/members/objects.ts";
import { addAll, asText } from "../../interpreter/text/text.ts";
import { constant, isText, options, UNKNOWN, type Value } from "../../interpreter/value.ts";
import { addressesOfStyle } from "../common/address.ts";
import { checkStyle, isStyleName } from "../common/style.ts";
import type { Rule } from "../rule.ts";

/** Functions that take a style, and its index in their arguments. */
const STYLE_AT: Record<string, number> = {
  FontFace: 1,
  "CSSStyleSheet().replace": 0,
  "CSSStyleSheet().replaceSync": 0,
};
/** Methods that take a style or fill an element, on any object. */
const METHODS = new Set([
  "insertRule",
  "addRule",
  "replaceSync",
  "setProperty",
  "append",
  "appendChild",
  "prepend",
  "animate",
]);

/** Loads by styles: from hidden addresses, and any that send cookies or storage. */
export const styles: Rule = {
  id: "external-request",
  severity: "high",
  calls: (path) => Object.hasOwn(STYLE_AT, path),
  onCall(context, { path, args, node }) {
    checkStyle(context, args[STYLE_AT[path] ?? 0] ?? UNKNOWN, node);
  },
  methods: (name) => METHODS.has(name),
  onMethod(context, { name, args, node }) {
    const { interpreter } = context;
    if (name === "animate") {
      // A list of key frames, or an object of lists.
      for (const frame of options(elementOf(args(1)[0] ?? UNKNOWN)))
        for (const key of namesOf(interpreter, frame))
          for (const one of partsOf(interpreter.member(frame, key))) checkStyle(context, one, node);
      return;
    }
    for (const arg of args()) {
      const text = arg.kind === "element" && arg.tag === "#text";
      checkStyle(context, text ? context.interpreter.member(arg, "data") : arg, node);
    }
  },
  properties: isStyleName,
  onWrite(context, { value, node }) {
    checkStyle(context, value, node);
  },
  onAttribute(context, { key, value, node }) {
    if (isStyleName(key)) checkStyle(context, value, node);
  },
  attributes: (name) => name === "style" || name === "dangerouslySetInnerHTML" || name === "innerHTML",
  onJsxAttribute(context, { tag, name, value, node }) {
    const { interpreter } = context;
    if (name !== "style") {
      if (tag !== "style") return;
      for (const option of options(value))
        if (option.kind === "object" || option.kind === "record")
          checkStyle(context, interpreter.member(option, "__html"), node);
      return;
    }
    checkStyle(context, value, node);
    for (const option of options(value))
      for (const key of namesOf(interpreter, option))
        checkStyle(context, interpreter.member(option, key), node);
  },
  // Styles of a library: `styled.p`…``.
  onTagged(context, { node, args }) {
    if (!node.quasi.quasis.some(({ value }) => value.raw.includes("url("))) return;
    const [parts, ...others] = args();
    const texts = parts?.kind === "list" ? parts.items : [];
    checkStyle(context, addAll(texts.flatMap((text, at) => [text, others[at] ?? constant("")])), node);
  },
  onFile(context) {
    const { interpreter } = context;
    context.each(interpreter.program.styles, ({ node, scope }) => {
      const style = interpreter.evaluate(node, scope, null);
      checkStyle(context, style, node);
      if (options(style).some(importsStyles)) context.report("external-request", "low", node);
    });
  },
};

/** The items of a list, or the value itself. */
function partsOf(value: Value): readonly Value[] {
  return value.kind === "list" ? value.items : [value];
}

/** `@import` from a host other than the font hosts. */
function importsStyles(style: Value): boolean {
  if (!isText(style)) return false;
  const text = asText(style).value;
  const at = text.indexOf("@import");
  return (
    at >= 0 &&
    addressesOfStyle(text.slice(at, at + IMPORTED)).some(
      (one) => one.reach === "external" && !FONTS.test(one.text),
    )
  );
}

const FONTS = /^(?:https?:)?\/\/fonts\.(?:googleapis|gstatic)\.com(?:\/|$)/;
/** Characters of the first import of a style that are read. */
const IMPORTED = 300;
