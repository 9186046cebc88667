import { storedName } from "../../interpreter/text/string-holders.ts";
import { either, isText, options, type Value } from "../../interpreter/value.ts";
import type { MethodCall, RuleContext } from "../rule.ts";

/** Records a value that is written to an element of the file, for a click on it or a later read. */
export function recordElementWrite(context: RuleContext, element: Value, name: string, value: Value): void {
  const key = element.kind === "element" ? storedName(element.tag, name) : name;
  const { elementWrites } = context.interpreter;
  const known = elementWrites.get(element) ?? new Map<string, Value>();
  const before = known.get(key);
  known.set(key, before === undefined ? value : either([before, value]));
  elementWrites.set(element, known);
}

const INSERTING = new Set(["append", "appendChild", "prepend"]);

/** Text that is put into an element of the file becomes its `textContent`. */
export function recordInsertedText(context: RuleContext, { name, receiver, args }: MethodCall): void {
  if (!INSERTING.has(name)) return;
  for (const element of options(receiver)) {
    if (element.kind !== "element") continue;
    for (const arg of args()) {
      if (isText(arg)) recordElementWrite(context, element, "textContent", arg);
      else if (arg.kind === "element" && arg.tag === "#text")
        recordElementWrite(context, element, "textContent", context.interpreter.member(arg, "data"));
    }
  }
}
