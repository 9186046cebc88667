import { asText } from "../../interpreter/text/text.ts";
import { CHARWISE, each, isText, options, unknown } from "../../interpreter/value.ts";
import { reachOf } from "../common/address.ts";
import { checkContentAddress, loadsContent } from "../common/content-address.ts";
import { checkRequestAddress, sendsPrivateData } from "../common/request-address.ts";
import type { JsxAttribute, Rule, RuleContext, Write } from "../rule.ts";

/** Elements that fetch their address as soon as it is set. */
const FETCHING = new Set([
  "script",
  "img",
  "iframe",
  "frame",
  "embed",
  "object",
  "link",
  "audio",
  "video",
  "source",
  "track",
]);
const ADDRESSES = new Set(["src", "href", "data", "action", "srcset"]);
/** Addresses that may be shown, but must not send private data. */
const CONTENT_ADDRESSES = new Set(["background", "poster", "ping", "location"]);
const ATTRIBUTES = new Set(
  "href src action formAction formaction ping xlinkHref xlink:href data poster srcSet srcset imageSrcSet".split(
    " ",
  ),
);
/** Components of libraries that load and show an address. */
const PICTURES = /(?:Image|Img|Picture|Avatar|Video|Audio)$/;

/** Loads by elements: by those that the file creates, from hidden addresses, and any that send cookies or storage. */
export const elementLoads: Rule = {
  id: "external-request",
  severity: "high",
  properties: (key) => ADDRESSES.has(key) || CONTENT_ADDRESSES.has(key),
  onWrite: checkWrite,
  onAttribute(context, write) {
    if (sendsPrivateData(write.value)) context.report("external-request", "high", write.node);
    checkWrite(context, write);
  },
  attributes: (name) => ATTRIBUTES.has(name),
  onJsxAttribute: checkAttribute,
  onJsx(context, { node, tag, fromVariable, attribute, valueAt }) {
    if (tag !== "script" || fromVariable) return;
    const src = attribute("src");
    if (src !== undefined && reachOf(valueAt(src)) === "external")
      context.report("external-request", "medium", node);
  },
  onComponent(context, { node, tag, valueAt }) {
    if (!PICTURES.test(tag)) return;
    for (const attribute of node.attributes)
      if (attribute.type === "JSXAttribute" && attribute.name.type === "JSXIdentifier")
        if (loadsContent("", attribute.name.name))
          checkContentAddress(context, valueAt(attribute), attribute);
  },
  onProp(context, { tag, key, value, node }) {
    if (options(tag).some((one) => isText(one) && loadsContent(asText(one).value, key)))
      checkContentAddress(context, value, node);
  },
};

function checkWrite(context: RuleContext, { owner, key, value, node }: Write): void {
  if (CONTENT_ADDRESSES.has(key) && sendsPrivateData(value)) context.report("external-request", "high", node);
  if (key === "poster") checkContentAddress(context, value, node);
  if (!ADDRESSES.has(key)) return;
  const own = options(owner).some((option) => option.kind === "element" && FETCHING.has(option.tag));
  // The address of a picture is built letter by letter for good reasons.
  if (own && key !== "action") {
    const drawn = each(value, (option) =>
      option.kind === "unknown" && option.taint & CHARWISE ? unknown(option.taint & ~CHARWISE) : option,
    );
    checkRequestAddress(context, drawn, node);
  } else if (loadsContent("", key)) checkContentAddress(context, value, node);
  if (!own && sendsPrivateData(value)) context.report("external-request", "high", node);
}

function checkAttribute(context: RuleContext, { tag, name, value, node }: JsxAttribute): void {
  if (loadsContent(tag, name)) checkContentAddress(context, value, node);
  const sendsToAddress = name === "ping" || name === "formAction" || (tag === "form" && name === "action");
  if (sendsToAddress && reachOf(value) === "external") context.report("external-request", "medium", node);
  if (tag !== "a" && sendsPrivateData(value)) context.report("external-request", "high", node);
}
