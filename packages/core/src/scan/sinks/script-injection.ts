import type * as t from "@babel/types";
import { hasHole, options, UNKNOWN, UNTRUSTED, type Value } from "../value.ts";
import { reachOf } from "./address.ts";
import { scriptsIn } from "./markup.ts";
import type { Context, Sink } from "./sink.ts";

/** Methods whose arguments are read as markup, whatever they belong to. */
const MARKUP_METHODS = new Set(
  "insertAdjacentHTML setHTMLUnsafe createContextualFragment parseHTMLUnsafe html append prepend insertHTML execCommand".split(
    " ",
  ),
);
const MARKUP = /^(?:innerHTML|outerHTML|srcdoc)$/i;
/** Attributes that lead to an address when the element is clicked, loaded or sent. */
const ADDRESSES = /^(?:href|src|action|formaction|xlink:?href|data|to|from|values)$/i;

/** Scripts that are put into the page. */
export const scriptInjectionSink: Sink = (act, context) => {
  switch (act.kind) {
    case "element":
      if (act.tag.replace(/^.*:/, "").toLowerCase() === "script")
        context.report("script-injection", "high", act.node);
      return;
    case "call": {
      const { path, key, args, node } = act;
      if (path !== null && /(?:^|\.)document\.write(?:ln)?$/.test(path)) {
        for (const arg of args)
          if (!checkMarkup(arg, node, context)) context.report("script-injection", "medium", node);
      } else if (MARKUP_METHODS.has(key) || key === "write")
        for (const arg of args) checkMarkup(arg, node, context);
      else if (path === "open" || path === "import") checkAddress(args[0] ?? UNKNOWN, node, context);
      else if (path === "Blob" || path === "File") checkBlob(args, node, context);
      else if (/^createAttribute(?:NS)?$/.test(key) && /^on/.test(context.text(args.at(-1) ?? UNKNOWN)))
        context.report("script-injection", "high", node);
      return;
    }
    case "write":
      return checkWrite(act.key, act.value, act, context);
    case "read":
    case "import":
      return;
  }
};

function checkWrite(
  key: string,
  value: Value,
  { owner, node, attribute }: { owner: Value; node: t.Node; attribute: boolean },
  context: Context,
): void {
  if (hasHole(key)) return;
  if (options(owner).some((one) => one.kind === "element" && one.tag === "script" && !attribute))
    context.report("script-injection", "high", node);
  if (MARKUP.test(key)) checkMarkup(value, node, context);
  else if (key === "dangerouslySetInnerHTML") checkMarkup(context.member(value, "__html"), node, context);
  else if (/^on[a-z]+$/.test(attribute ? key.toLowerCase() : key)) {
    const isCode = (one: Value) =>
      one.kind === "constant"
        ? typeof one.value === "string" && /\S/.test(one.value)
        : one.kind === "unknown" && one.spent;
    if (options(value).some(isCode)) context.report("script-injection", "high", node);
  } else if (
    ADDRESSES.test(key) &&
    !options(owner).every((one) => one.kind === "element" && one.tag === "img")
  )
    checkAddress(value, node, context);
}

function checkAddress(value: Value, node: t.Node, context: Context): void {
  const reach = reachOf(value, context);
  if (reach === "code" || reach === "document") context.report("script-injection", "high", node);
}

/** Reports markup with scripts in it, or that comes from the page's address or a message. */
function checkMarkup(value: Value, node: t.Node, context: Context): boolean {
  let found = false;
  for (const option of options(value)) {
    if (
      option.kind !== "constant" &&
      option.kind !== "host" &&
      option.kind !== "list" &&
      option.kind !== "unknown"
    )
      continue;
    const text = context.text(option);
    const isScript = (option.kind === "unknown" && option.spent) || scriptsIn(text);
    if (!isScript && !text.includes(UNTRUSTED)) continue;
    found = true;
    context.report("script-injection", isScript ? "high" : "medium", node);
  }
  return found;
}

/** A page or script that is built as a file, to be opened by its address. */
function checkBlob(args: readonly Value[], node: t.Node, context: Context): void {
  const type = context.text(context.member(args.at(-1) ?? UNKNOWN, "type"));
  if (
    /javascript/i.test(type) ||
    (/html|svg|xml/i.test(type) && checkMarkup(args[0] ?? UNKNOWN, node, context))
  )
    context.report("script-injection", "high", node);
}
