import { asText } from "../../interpreter/text/text.ts";
import { each, isText, options, SPELLED, unknown } from "../../interpreter/value.ts";
import { reachOf } from "../common/address.ts";
import { carriesAway, checkRequested } from "../common/request-address.ts";
import { checkShown, isLoading } from "../common/content-address.ts";
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
const PRIVATELY = new Set(["background", "poster", "ping", "location"]);
const ATTRIBUTES = new Set(
  "href src action formAction formaction ping xlinkHref xlink:href data poster srcSet srcset imageSrcSet".split(
    " ",
  ),
);
/** Components of libraries that load and show an address. */
const PICTURES = /(?:Image|Img|Picture|Avatar|Video|Audio)$/;

/** Loads by elements: by those that the file creates, from hidden addresses, and any that send cookies or storage. */
export const loaded: Rule = {
  id: "external-request",
  severity: "high",
  properties: (key) => ADDRESSES.has(key) || PRIVATELY.has(key),
  onWrite: checkWrite,
  onAttribute(context, write) {
    if (carriesAway(write.value)) context.report("external-request", "high", write.node);
    checkWrite(context, write);
  },
  attributes: (name) => ATTRIBUTES.has(name),
  onJsxAttribute: checkAttribute,
  onJsx(context, { node, tag, kept, attribute, valueAt }) {
    if (tag !== "script" || kept) return;
    const src = attribute("src");
    if (src !== undefined && reachOf(valueAt(src)) === "external")
      context.report("external-request", "medium", node);
  },
  onComponent(context, { node, tag, valueAt }) {
    if (!PICTURES.test(tag)) return;
    for (const attribute of node.attributes)
      if (attribute.type === "JSXAttribute" && attribute.name.type === "JSXIdentifier")
        if (isLoading("", attribute.name.name)) checkShown(context, valueAt(attribute), attribute);
  },
  onProp(context, { tag, key, value, node }) {
    if (options(tag).some((one) => isText(one) && isLoading(asText(one).value, key)))
      checkShown(context, value, node);
  },
};

function checkWrite(context: RuleContext, { owner, key, value, node }: Write): void {
  if (PRIVATELY.has(key) && carriesAway(value)) context.report("external-request", "high", node);
  if (key === "poster") checkShown(context, value, node);
  if (!ADDRESSES.has(key)) return;
  const own = options(owner).some((option) => option.kind === "element" && FETCHING.has(option.tag));
  // The address of a picture is built letter by letter for good reasons.
  if (own && key !== "action") {
    const drawn = each(value, (option) =>
      option.kind === "unknown" && option.taint & SPELLED ? unknown(option.taint & ~SPELLED) : option,
    );
    checkRequested(context, drawn, node);
  } else if (isLoading("", key)) checkShown(context, value, node);
  if (!own && carriesAway(value)) context.report("external-request", "high", node);
}

function checkAttribute(context: RuleContext, { tag, name, value, node }: JsxAttribute): void {
  if (isLoading(tag, name)) checkShown(context, value, node);
  const told = name === "ping" || name === "formAction" || (tag === "form" && name === "action");
  if (told && reachOf(value) === "external") context.report("external-request", "medium", node);
  if (tag !== "a" && carriesAway(value)) context.report("external-request", "high", node);
}
