import type * as t from "@babel/types";
import { options } from "../alternatives.ts";
import { hasHole, SPENT, type Value } from "../value.ts";
import { reachOf } from "./address.ts";
import { DATA, runsCode } from "./markup.ts";
import { isText, type Sink, type SinkContext } from "./sink.ts";

/** Methods that read their arguments as markup, whatever object they belong to. */
const METHODS =
  /^(?:insertAdjacentHTML|setHTMLUnsafe|createContextualFragment|parseHTMLUnsafe|html|append|prepend|insertHTML|execCommand|write|writeln)$/;
const MARKUP = /^(?:innerHTML|outerHTML|srcdoc)$/i;
/** Attributes whose address is opened when the element is clicked, loaded or submitted. */
const ADDRESSES = /^(?:location|href|src|action|formaction|xlink:?href|data|to|from|values)$/i;

/** Reports scripts that are put into the page. */
export const scriptInjectionSink: Sink = (act, context) => {
  const report = () => context.report("script-injection", "high", act.node);
  if (act.kind === "element") {
    const type = act.type === undefined ? "" : context.text(act.type);
    if (act.tag === "script" && !DATA.test(type)) report();
  } else if (act.kind === "call") {
    const { path, key, args, node } = act;
    const isWritten = /(?:^|\.)document\.write(?:ln)?$/.test(path ?? "");
    if (METHODS.test(key)) for (const arg of args) checkMarkup(arg, node, context, isWritten);
    if (/^location\.(?:assign|replace)$/.test(path ?? "")) checkAddress(args[0], node, context);
  } else if (act.kind === "write" && !hasHole(act.key)) {
    const { key, value, node, attribute } = act;
    const owners = options(act.owner).map((one) => (one.kind === "element" ? one.tag : null));
    if (MARKUP.test(key)) checkMarkup(value, node, context);
    if (key === "dangerouslySetInnerHTML") checkMarkup(context.member(value, "__html"), node, context);
    // A component itself decides what it does with a handler, so `onClick={text}` on a component is not reported.
    const isHandler = attribute ? /^on[a-z]+$/i.test(key) && !owners.includes("") : /^on[a-z]+$/.test(key);
    if (isHandler && isText(value)) report();
    if (ADDRESSES.test(key) && !owners.includes("img")) checkAddress(value, node, context);
  }
};

function checkAddress(value: Value | undefined, node: t.Node, context: SinkContext): void {
  if (reachOf(value, context) === "code") context.report("script-injection", "high", node);
}

/** Reports markup that runs code (`high`), and any other markup that is `written` to the page (`medium`). */
function checkMarkup(value: Value, node: t.Node, context: SinkContext, written = false): void {
  for (const option of options(value)) {
    const text = /^(?:object|function|element)$/.test(option.kind) ? "" : context.text(option);
    if (option === SPENT || runsCode(text)) context.report("script-injection", "high", node);
    else if (written) context.report("script-injection", "medium", node);
  }
}
