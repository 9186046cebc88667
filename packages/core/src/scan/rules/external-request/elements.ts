import { asText } from "../../interpreter/text/text.ts";
import { isText, options, PRIVATE } from "../../interpreter/value.ts";
import { resolve } from "../../program/scope.ts";
import { reachOf } from "../common/address.ts";
import { isConcatenatedAddress } from "../common/content-address.ts";
import { isUntrustedAddress } from "../common/request-address.ts";
import { someTextMatches } from "../common/some-text-matches.ts";
import type { Rule } from "../rule.ts";

/** `rel` of links in the head that only name an address, and load no script or style of the page. */
const LINK_TYPES =
  /^(?:canonical|alternate|author|license|me|icon|shortcut icon|apple-touch-icon|mask-icon|next|prev|help|search)$/i;
/** Font hosts that pages commonly load from. */
const FONTS = /^(?:https?:)?\/\/fonts\.(?:googleapis|gstatic)\.com(?:\/|$)/;
/** Attributes in which an address of another host is a link, text for people, or the name of a namespace. */
const CONTENT_ATTRIBUTES =
  /^(?:href|title|alt|content|placeholder|label|value|xmlns.*|data-.*|aria-.*|class(?:name)?|id|name|cite|rel)$/i;
/** Elements that hardly ever have an address of another host. */
const DRAWING = /^(?:track|use|mpath|textPath|pattern|linearGradient|radialGradient)$/;
/** Elements that load, show or send to their address, which the page's URL or a message must not choose. */
const LOADING_ELEMENTS = /^(?:iframe|frame|embed|object|script|form|img|video|audio|source|link)$/;
/** Expressions that build a value where it is passed. */
const COMPUTED_EXPRESSIONS = new Set(["BinaryExpression", "TemplateLiteral", "CallExpression"]);
const LINKS = /^(?:a|area)$/;

/** Elements that load styles or scripts of the page from another host, and attributes that code sets to another host. */
export const elements: Rule = {
  id: "external-request",
  severity: "medium",
  onJsx(context, { tag, lookup, node }) {
    if (/^feImage$/i.test(tag)) {
      const address = lookup("href") ?? lookup("xlinkHref");
      if (address === undefined || reachOf(address) !== "same-document")
        context.report("external-request", "low", node);
      return;
    }
    if (tag === "a" || tag === "area") {
      const address = lookup("href");
      if (address !== undefined && options(address).some(isUntrustedAddress))
        context.report("redirect", "low", node);
      if (someTextMatches(lookup("rel"), /(?:^|\s)opener(?:\s|$)/)) context.report("redirect", "low", node);
      return;
    }
    if (DRAWING.test(tag)) {
      const address = lookup("href") ?? lookup("xlinkHref") ?? lookup("src");
      if (address !== undefined && reachOf(address) === "external")
        context.report("external-request", "low", node);
      return;
    }
    if (tag === "iframe") {
      const src = lookup("src");
      if (
        someTextMatches(
          lookup("allow"),
          /\b(?:camera|microphone|clipboard-read|geolocation|payment|display-capture|usb|serial|hid)\b/,
        )
      )
        if (src !== undefined && reachOf(src) === "external") context.report("external-request", "low", node);
    }
    if (LOADING_ELEMENTS.test(tag)) {
      const address = lookup("src") ?? lookup("href") ?? lookup("action") ?? lookup("data");
      if (address !== undefined && options(address).some(isUntrustedAddress))
        context.report("redirect", "low", node);
    }
    if (tag !== "link") return;
    const href = lookup("href");
    if (href === undefined || reachOf(href) !== "external" || someTextMatches(lookup("rel"), LINK_TYPES))
      return;
    if (!someTextMatches(href, FONTS)) context.report("external-request", "low", node);
  },
  onComponent(context, { tag, node, scope, lookup, valueAt }) {
    for (const attribute of node.attributes) {
      if (attribute.type !== "JSXAttribute" || attribute.value?.type !== "JSXExpressionContainer") continue;
      if (!COMPUTED_EXPRESSIONS.has(attribute.value.expression.type)) continue;
      for (const option of options(valueAt(attribute))) {
        if (!isText(option)) continue;
        const { value: address, taint } = asText(option);
        if (
          reachOf(option) === "external" &&
          ((taint & PRIVATE) !== 0 || isConcatenatedAddress(context, address))
        )
          context.report("external-request", "medium", node);
      }
    }
    if (tag !== "Script") {
      if (someTextMatches(lookup("rel"), /(?:^|\s)opener(?:\s|$)/)) context.report("redirect", "low", node);
      return;
    }
    // A component of the file's own is checked where it is defined.
    if (resolve(scope, tag)?.definitions.every(({ how }) => how === "import") === false) return;
    const src = lookup("src");
    if (src !== undefined && reachOf(src) === "external") context.report("script-injection", "low", node);
  },
  onAttribute(context, { owner, key, value, node }) {
    if (reachOf(value) !== "external") return;
    const own = options(owner).some((one) => one.kind === "element" && !LINKS.test(one.tag));
    if (own ? !/^(?:xmlns|data-|aria-|title|alt)/.test(key) : !CONTENT_ATTRIBUTES.test(key))
      context.report("external-request", "low", node);
  },
};
