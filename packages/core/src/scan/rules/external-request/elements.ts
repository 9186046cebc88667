import { asText } from "../../interpreter/text/text.ts";
import { isText, options, PRIVATE } from "../../interpreter/value.ts";
import { resolve } from "../../program/scope.ts";
import { reachOf } from "../common/address.ts";
import { isOne } from "../common/some-text-matches.ts";
import { isChosenOutside } from "../common/request-address.ts";
import { isPieced } from "../common/content-address.ts";
import type { Rule } from "../rule.ts";

/** `rel` of links in the head that only name an address, and load no script or style of the page. */
const NAMING =
  /^(?:canonical|alternate|author|license|me|icon|shortcut icon|apple-touch-icon|mask-icon|next|prev|help|search)$/i;
/** Font hosts that pages commonly load from. */
const FONTS = /^(?:https?:)?\/\/fonts\.(?:googleapis|gstatic)\.com(?:\/|$)/;
/** Attributes in which an address of another host is a link, text for people, or the name of a namespace. */
const WORDS =
  /^(?:href|title|alt|content|placeholder|label|value|xmlns.*|data-.*|aria-.*|class(?:name)?|id|name|cite|rel)$/i;
/** Elements that hardly ever have an address of another host. */
const DRAWING = /^(?:track|use|mpath|textPath|pattern|linearGradient|radialGradient)$/;
/** Elements that load, show or send to their address, which the page's URL or a message must not choose. */
const CHOSEN = /^(?:iframe|frame|embed|object|script|form|img|video|audio|source|link)$/;
/** Expressions that build a value where it is passed. */
const MADE = new Set(["BinaryExpression", "TemplateLiteral", "CallExpression"]);
const LINKS = /^(?:a|area)$/;

/** Elements that load styles or scripts of the page from another host, and attributes that code sets to another host. */
export const elements: Rule = {
  id: "external-request",
  severity: "medium",
  onJsx(context, { tag, held, node }) {
    if (/^feImage$/i.test(tag)) {
      const address = held("href") ?? held("xlinkHref");
      if (address === undefined || reachOf(address) !== "here")
        context.report("external-request", "low", node);
      return;
    }
    if (tag === "a" || tag === "area") {
      const address = held("href");
      if (address !== undefined && options(address).some(isChosenOutside))
        context.report("redirect", "low", node);
      if (isOne(held("rel"), /(?:^|\s)opener(?:\s|$)/)) context.report("redirect", "low", node);
      return;
    }
    if (DRAWING.test(tag)) {
      const address = held("href") ?? held("xlinkHref") ?? held("src");
      if (address !== undefined && reachOf(address) === "external")
        context.report("external-request", "low", node);
      return;
    }
    if (tag === "iframe") {
      const src = held("src");
      if (
        isOne(
          held("allow"),
          /\b(?:camera|microphone|clipboard-read|geolocation|payment|display-capture|usb|serial|hid)\b/,
        )
      )
        if (src !== undefined && reachOf(src) === "external") context.report("external-request", "low", node);
    }
    if (CHOSEN.test(tag)) {
      const address = held("src") ?? held("href") ?? held("action") ?? held("data");
      if (address !== undefined && options(address).some(isChosenOutside))
        context.report("redirect", "low", node);
    }
    if (tag !== "link") return;
    const href = held("href");
    if (href === undefined || reachOf(href) !== "external" || isOne(held("rel"), NAMING)) return;
    if (!isOne(href, FONTS)) context.report("external-request", "low", node);
  },
  onComponent(context, { tag, node, scope, held, valueAt }) {
    for (const attribute of node.attributes) {
      if (attribute.type !== "JSXAttribute" || attribute.value?.type !== "JSXExpressionContainer") continue;
      if (!MADE.has(attribute.value.expression.type)) continue;
      for (const option of options(valueAt(attribute))) {
        if (!isText(option)) continue;
        const { value: address, taint } = asText(option);
        if (reachOf(option) === "external" && ((taint & PRIVATE) !== 0 || isPieced(context, address)))
          context.report("external-request", "medium", node);
      }
    }
    if (tag !== "Script") {
      if (isOne(held("rel"), /(?:^|\s)opener(?:\s|$)/)) context.report("redirect", "low", node);
      return;
    }
    // A component of the file's own is checked where it is defined.
    if (resolve(scope, tag)?.definitions.every(({ how }) => how === "import") === false) return;
    const src = held("src");
    if (src !== undefined && reachOf(src) === "external") context.report("script-injection", "low", node);
  },
  onAttribute(context, { owner, key, value, node }) {
    if (reachOf(value) !== "external") return;
    const own = options(owner).some((one) => one.kind === "element" && !LINKS.test(one.tag));
    if (own ? !/^(?:xmlns|data-|aria-|title|alt)/.test(key) : !WORDS.test(key))
      context.report("external-request", "low", node);
  },
};
